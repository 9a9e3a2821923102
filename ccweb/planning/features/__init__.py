"""Feature lists, and what the words of working trees say about them."""
