"""The `codex` and `codex_app` agents: Codex on the command line and its app-server."""
