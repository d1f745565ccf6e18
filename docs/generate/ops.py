"""The ops of lexpool itself, from its registry: src/data/ops.json.

A list of `{name, signature, doc, gil, kernels}` in the order of names. `gil` is "hold", "release",
or the size from which it is let go; `kernels` are keys, the best last. Where they lie in the
source, and which of them this machine takes, is left out: it would differ from build to build.
"""

from typing import Any

from lexpool import ops


def data() -> list[dict[str, Any]]:
    return [described(name) for name in ops.names()]


def described(name: str) -> dict[str, Any]:
    """An op as the page shows it."""
    op = ops.get(name)
    return {
        "name": name,
        "signature": op.schema,
        "doc": op.doc,
        "gil": op.gil,
        "kernels": [kernel["key"] for kernel in op.kernels],
    }
