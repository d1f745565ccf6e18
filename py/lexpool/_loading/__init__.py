"""Pipelines in folders, packed files, packages and bytes, and their configurations."""
