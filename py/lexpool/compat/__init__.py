"""Adapters for other libraries. `import lexpool` imports none of them."""
