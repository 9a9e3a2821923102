"""The hub: the page, the doors to the tools, and the checks that stand before them."""
