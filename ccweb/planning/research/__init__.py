"""Work that agents do for planning: reading repositories, and coding once it is approved."""
