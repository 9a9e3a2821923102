"""Conversations: their messages, their turns and leases, and the inbox that feeds them."""
