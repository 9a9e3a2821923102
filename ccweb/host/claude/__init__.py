"""The `claude` agent: Claude Code on the command line."""
