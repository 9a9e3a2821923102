"""Blueprints: from their questions to a text that a person approves, through every gate."""
