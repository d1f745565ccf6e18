"""Plugins that bring ops, and the profiler of their calls."""
