"""Writes the namespaces into `py/lexpool/ops.pyi`: lexpool's own ops, as the registry has them.

    python tests/tools/ops_stub.py

Run it when an op was added or changed; a test compares. What stands above the mark in that file is
written by hand; Pyright says which of its imports are needed.
"""

from pathlib import Path

from lexpool import _core

TARGET = Path(__file__).parents[2] / "py" / "lexpool" / "ops.pyi"
MARK = "# The namespaces, made by tests/tools/ops_stub.py from the registry.\n"


def stub() -> str:
    """The text of the stub. Load no plugin before: it would be in it."""
    head, _, _ = TARGET.read_text(encoding="utf-8").partition(MARK)
    _, _, namespaces = _core.op_stubs().partition("\nclass ")
    return f"{head}{MARK}\nclass {namespaces}"


if __name__ == "__main__":
    TARGET.write_text(stub(), encoding="utf-8")
