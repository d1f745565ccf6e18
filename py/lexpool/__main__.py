"""The command `lexpool`; also `python -m lexpool`."""

import sys

from ._core import main as _run


def main() -> int:
    """Runs the command with the arguments of this process and returns its exit code."""
    return _run(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
