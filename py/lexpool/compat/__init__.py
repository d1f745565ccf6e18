"""Adapters for other libraries, which `import lexpool` does not import."""
