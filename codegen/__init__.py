"""Compile one YAML contract into a typed package, schema snapshots and document blocks."""
