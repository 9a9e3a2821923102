"""Task boards: what is to be done in a working directory, for people and agents alike."""
