"""The relay: requests between conversations, their replies, and the turns that carry them on."""
