"""Python code in processes of its own, under a watchdog, and streams that threads share."""

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

WATCHDOG = 120


def python(code: str, *args: str, options: tuple[str, ...] = (), timeout: float = WATCHDOG) -> str:
    """Runs code in a new interpreter and gives what it prints; its failure is the test's."""
    command = [sys.executable, *options, "-c", textwrap.dedent(code), *args]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False, env=environment()
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def environment() -> dict[str, str]:
    """This process's, with faults reported and the modules of this folder in reach."""
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONFAULTHANDLER": "1", "PYTHONPATH": os.pathsep.join(paths)}


def read_by_threads(stream, count: int = 4) -> list:
    """All items of a stream that several threads read, each taking the next one in turn."""
    lock, seen = threading.Lock(), []

    def work() -> None:
        while True:
            with lock:
                item = next(stream, None)
            if item is None:
                return
            seen.append(item)

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen
