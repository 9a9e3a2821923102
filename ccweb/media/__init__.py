"""Images that agents show: checked, kept once by their content, and let go."""
