"""Asks: what waits for a person. The open ones are the "Needs you" list."""
