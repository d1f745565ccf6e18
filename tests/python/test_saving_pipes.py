"""Savers write to pipes and to the standard output, and neither signals nor forks wait for a
reader.
"""

import ctypes
import inspect
import os
import select
import signal
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from savers import NAME, REPLACING, same, saved

import lexpool
from lexpool.tokens import DocBin

# Events of Linux: a file was opened, or closed by who could write to it.
IN_OPEN, IN_CLOSE_WRITE = 0x20, 0x8


@contextmanager
def writers_of(path: Path) -> Iterator[Callable[[], int]]:
    """Counts how often a file is opened to write, and closed again, inside. Linux alone tells."""
    if sys.platform != "linux":
        yield lambda: 1
        return
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    assert watch >= 0
    try:
        # Events of one kind in a row count as one, so those of opening have to stand between.
        assert libc.inotify_add_watch(watch, bytes(path), IN_OPEN | IN_CLOSE_WRITE) >= 0
        yield lambda: [
            event[1] for event in struct.iter_unpack("iIII", os.read(watch, 1 << 16))
        ].count(IN_CLOSE_WRITE)
    finally:
        os.close(watch)


@pytest.mark.parametrize("name", REPLACING)
def test_a_pipe_without_a_reader_is_an_error_and_one_with_a_reader_is_written_to(name, tmp_path):
    plain, piped = tmp_path / "plain", tmp_path / "piped"
    plain.mkdir()
    piped.mkdir()
    saved(name, plain, 0)
    pipe = piped / NAME
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="no process reads from this pipe"):
        saved(name, piped, 0)
    read = []
    # As `cat` reads: from the first that opens the pipe to write, until nobody has it open any
    # more.
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)

    def write() -> None:
        while not read:
            try:
                return saved(name, piped, 0)
            except OSError as error:
                assert "no process reads" in str(error)

    writer = threading.Thread(target=write, daemon=True)
    with writers_of(pipe) as writers:
        reader.start()
        writer.start()
        writer.join(60)
        reader.join(60)
        # When the pipe is opened a second time, the reader may have left.
        assert writers() == 1
    assert same(name, read[0], (plain / NAME).read_bytes())
    assert stat.S_ISFIFO(pipe.stat().st_mode)


# A pipe whose reader stands still takes less than these write.
SLOW = {
    "Doc.to_disk": "lexpool.blank('en')('word ' * 200_000).to_disk(pipe)",
    "write_conllu": "write_conllu(pipe, [lexpool.blank('en')('word ' * 9_000)] * 30)",
}


@contextmanager
def stuck(code: str, folder: Path) -> Iterator[subprocess.Popen]:
    """A process that writes to a pipe whose reader stands still, and has begun to."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    head = (
        "import lexpool, os, select, threading, time\n"
        "from pathlib import Path\n"
        "from lexpool.training import write_conllu\n"
        f"pipe = {str(pipe)!r}\n"
        f"{inspect.getsource(wait_until_full)}\n"
    )
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    # Since 3.12 Python warns of any fork of a process with threads; lexpool, of one that did not
    # wait for work.
    options = ["-W", "error", "-W", "ignore::DeprecationWarning"]
    process = subprocess.Popen(
        [sys.executable, *options, "-c", head + code], stderr=subprocess.PIPE, text=True
    )
    try:
        assert select.select([reader], [], [], 60)[0]
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        os.close(reader)


def wait_until_full(pipe: Path | str) -> None:
    """Returns once a writer to the pipe has to wait for its reader."""
    end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    while select.select([], [end], [], 0)[1]:
        time.sleep(0.01)
    os.close(end)


@pytest.mark.parametrize("name", SLOW)
def test_ctrl_c_stops_a_saver_that_waits_for_the_reader_of_a_pipe(name, tmp_path):
    with stuck(SLOW[name], tmp_path) as process:
        # Until the pipe is full it would be interrupted elsewhere.
        wait_until_full(tmp_path / "pipe")
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=30)[1]


@pytest.mark.parametrize("name", SLOW)
def test_a_fork_does_not_wait_for_the_reader_of_a_pipe(name, tmp_path):
    code = (
        f"threading.Thread(target=lambda: {SLOW[name]}, daemon=True).start()\n"
        "wait_until_full(pipe)\n"
        "start = time.monotonic()\n"
        "child = os.fork()\n"
        "if not child: os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "os._exit(7 if time.monotonic() - start < 5 else 8)\n"
    )
    with stuck(code, tmp_path) as process:
        assert process.wait(60) == 7


def test_the_standard_output_can_be_saved_to(tmp_path):
    code = (
        "import lexpool; from lexpool.tokens import DocBin; nlp = lexpool.blank('en');"
        "DocBin(docs=[nlp('So it goes.')]).to_disk('/dev/stdout')"
    )
    written = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    (doc,) = DocBin().from_bytes(written).get_docs(lexpool.Vocab())
    assert doc.text == "So it goes."


@pytest.mark.parametrize("way", [">", ">>"])
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_the_standard_output_may_be_a_file_that_others_write_to(way, path, tmp_path):
    if path.startswith("/") and not Path(path).exists():
        pytest.skip(f"this system has no {path}")
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "out").write_text("old\n")
    code = f"import lexpool; from lexpool.config import Config; Config({{'nlp': {{'n': 1}}}}).to_disk({path!r})"
    script = f'(echo first; "$0" -c "$1"; echo; echo last) {way} out'
    subprocess.run(["sh", "-c", script, sys.executable, code], cwd=tmp_path, check=True)
    old = "old\n" if way == ">>" else ""
    assert (tmp_path / "out").read_text() == f"{old}first\n[nlp]\nn = 1\nlast\n"
    assert sorted(tmp_path.iterdir()) == [tmp_path / "link", tmp_path / "out"]
