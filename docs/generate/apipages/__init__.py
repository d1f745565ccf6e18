"""Pages of lexpool's classes and functions, from its stubs and docstrings."""
