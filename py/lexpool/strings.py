"""Strings and their ids."""

from ._core import StringStore, get_string_id, hash_string

__all__ = ["StringStore", "get_string_id", "hash_string"]
