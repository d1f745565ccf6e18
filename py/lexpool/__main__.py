"""The command `lexpool`; also `python -m lexpool`."""

import sys

from . import _core


def main() -> int:
    """Run the command with the arguments of this process; gives its exit code."""
    return _core.main(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
