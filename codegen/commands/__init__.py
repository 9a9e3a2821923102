"""What `python -m codegen` can do: a module a command, with its options and its run."""
