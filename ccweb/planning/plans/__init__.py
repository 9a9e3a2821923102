"""Plans of feature lists: the chain of the three older tools."""
