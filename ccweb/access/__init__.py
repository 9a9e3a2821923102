"""Who may do what: people, browsers, tokens, and the credentials of agents."""
