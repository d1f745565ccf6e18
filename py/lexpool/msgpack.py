"""MessagePack, byte for byte as `srsly.msgpack_dumps` writes it."""

from ._core import packb, unpackb

__all__ = ["packb", "unpackb"]
