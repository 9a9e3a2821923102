"""Where work items come from: one interface, the task board, and Feishu Project."""
