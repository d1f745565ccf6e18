"""Examples that components learn from, and the optimizer that changes their weights."""
