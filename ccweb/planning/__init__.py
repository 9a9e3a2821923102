"""friday: planning with evidence and human approval before any coding."""
