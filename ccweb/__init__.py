"""ccweb: conversations of coding agents that run side by side and hand work to each other."""

__version__ = "0.1.0"
