"""Serialization of many documents as bytes."""

from collections.abc import Iterable

from .._core import DocBin

__all__ = ["Binder", "DocBin", "merge_bins"]

# spaCy's older name.
Binder = DocBin


def merge_bins(bins: Iterable[bytes | None]) -> bytes:
    """Merges the bytes of several bins, in order, into those of one. Skips None; returns b""
    without any bin.
    """
    merged: DocBin | None = None
    for data in bins:
        if data is None:
            continue
        loaded = DocBin(store_user_data=True).from_bytes(data)
        if merged is None:
            merged = loaded
        else:
            merged.merge(loaded)
    return b"" if merged is None else merged.to_bytes()
