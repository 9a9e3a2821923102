"""Projects: repositories, branches, spaces, a feature list, readers, and fetched work items."""
