"""The host: it claims turns by lease, runs their agents, and reports what becomes of them."""
