"""The command `lexpool`; also `python -m lexpool`."""

import signal
import sys

from ._core import main as _run


def main() -> int:
    """Runs the command with the arguments of this process and returns its exit code."""
    return _run(sys.argv, _signals_that_ask())


def _signals_that_ask() -> list[int]:
    """Lets the first Ctrl-C and the first SIGTERM end the command in good order, and returns their
    numbers. Signals that the caller has taken or ignores stay as they are."""

    def ask(number: int, _frame: object) -> None:
        raise SystemExit(143) if number == signal.SIGTERM else KeyboardInterrupt

    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    numbers = [number for number, handler in usual.items() if signal.getsignal(number) is handler]
    for number in numbers:
        signal.signal(number, ask)
    return [int(number) for number in numbers]


if __name__ == "__main__":
    sys.exit(main())
