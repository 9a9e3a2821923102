"""The tools: one dispatcher that every door goes through, and a short handler for each tool."""
