"""Every saver on a disk that is full or read-only, beyond a quota, into pipes, and under signals.

What fails is an OSError with a code, the path and the reason; the old file stays, no other is left,
and the same saving succeeds afterwards.
"""

import errno
import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from processes import python
from savers import FOLDERS, NAME, REPLACING, SAVERS, WHOLE, contents, same, saved
from small_disk import quota_disk, small_disk

import lexpool
from lexpool.config import Config
from lexpool.tokens import Doc, DocBin
from lexpool.training import read_conllu

# Setting the size of a pipe's buffer, on Linux.
F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", None)
pipes = pytest.mark.skipif(F_SETPIPE_SZ is None, reason="pipes have one size on this system")


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    with small_disk(tmp_path_factory.mktemp("disk")) as disk:
        yield disk


@pytest.fixture(scope="module")
def quota(tmp_path_factory):
    with quota_disk(tmp_path_factory.mktemp("quota")) as disk:
        yield disk


def is_told(error: OSError, code: str, number: int, folder: Path) -> bool:
    text = str(error)
    is_named = str(folder) in text
    return f"[{code}]" in text and is_named and error.errno == number


@pytest.mark.parametrize("name", SAVERS)
def test_a_full_disk_is_told_and_leaves_what_was_there(name, disk):
    folder = disk.folder / "folder"
    folder.mkdir()
    saved(name, folder, 0)
    before = contents(folder)
    failed = 0
    for left in (0, 1, 2):
        has_failed = False
        with disk.full(left):
            try:
                saved(name, folder, 1)
            except OSError as error:
                assert is_told(error, "disk-full", errno.ENOSPC, folder), error
                has_failed = True
            found = contents(folder)
        failed += has_failed
        assert found.keys() == before.keys()
        if left == 0 or (has_failed and name in WHOLE):
            assert found == before
    assert failed
    saved(name, folder, 1)
    assert contents(folder) != before
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


@pytest.mark.parametrize("name", SAVERS)
def test_a_quota_that_is_used_up_is_told_and_leaves_what_was_there(name, quota):
    folder = quota.folder / name
    folder.mkdir()
    saved(name, folder, 0)
    before = contents(folder)
    with quota.full():
        with pytest.raises(OSError) as raised:
            saved(name, folder, 1)
        assert is_told(raised.value, "disk-full", errno.EDQUOT, folder), raised.value
        assert contents(folder) == before
    saved(name, folder, 1)
    assert contents(folder) != before
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", SAVERS)
def test_a_disk_that_may_only_be_read_is_told_and_keeps_what_was_there(name, disk):
    folder = disk.folder / f"read-only {name}"
    folder.mkdir()
    saved(name, folder, 0)
    before = contents(folder)
    with disk.read_only():
        with pytest.raises(OSError) as raised:
            saved(name, folder, 1)
        assert is_told(raised.value, "file-io", errno.EROFS, folder), raised.value
        assert contents(folder) == before
    saved(name, folder, 1)
    assert contents(folder) != before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("name", REPLACING)
def test_a_full_device_is_told(name, tmp_path):
    (tmp_path / NAME).symlink_to("/dev/full")
    with pytest.raises(OSError) as raised:
        saved(name, tmp_path, 1)
    text = str(raised.value)
    assert "[disk-full]" in text and raised.value.errno == errno.ENOSPC
    assert NAME in text or "/dev/full" in text
    assert [path.name for path in tmp_path.glob("*") if path.suffix == ".part"] == []


def small_pipe(folder: Path) -> int:
    """Makes a pipe of a page in the place of the file, and returns the end to read from."""
    os.mkfifo(folder / NAME)
    reader = os.open(folder / NAME, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, F_SETPIPE_SZ, 4096)
    os.set_blocking(reader, True)
    return reader


def wait_for_a_writer(reader: int) -> None:
    """Waits for the first bytes: before there is a writer, a pipe seems to be at its end."""
    assert select.select([reader], [], [], 60)[0]


@pipes
@pytest.mark.parametrize("name", REPLACING)
def test_a_reader_who_has_enough_is_told(name, tmp_path):
    saved(name, tmp_path, 1)
    size = (tmp_path / NAME).stat().st_size
    (tmp_path / NAME).unlink()
    reader = small_pipe(tmp_path)

    def leave() -> None:
        wait_for_a_writer(reader)
        os.read(reader, 1)
        os.close(reader)

    thread = threading.Thread(target=leave)
    thread.start()
    try:
        saved(name, tmp_path, 1)
    except BrokenPipeError as error:
        assert is_told(error, "pipe-closed", errno.EPIPE, tmp_path), error
    else:
        assert size <= 4096, "what does not fit into the pipe was not read"
    thread.join()


@contextmanager
def interrupted():
    """Inside, a signal interrupts the main thread's calls of the system each millisecond."""
    count = [0]

    def noted(*_: object) -> None:
        count[0] += 1

    before = signal.signal(signal.SIGALRM, noted)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        yield count
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pipes
@pytest.mark.parametrize("name", REPLACING)
def test_signals_do_not_change_what_is_written(name, tmp_path):
    saved(name, tmp_path, 1)
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).unlink()
    reader, parts = small_pipe(tmp_path), []

    def read() -> None:
        wait_for_a_writer(reader)
        # So slow that the writer waits, and is interrupted at that.
        while part := os.read(reader, 2048):
            parts.append(part)
            time.sleep(0.002)

    thread = threading.Thread(target=read)
    thread.start()
    with interrupted() as count:
        saved(name, tmp_path, 1)
        thread.join()
    os.close(reader)
    assert same(name, b"".join(parts), whole)
    assert count[0] > 0


def _vocab():
    return lexpool.blank("en").vocab


# Functions that read a file and return comparable contents.
READERS = {
    "Doc.to_disk": lambda path: Doc(_vocab()).from_disk(path).to_bytes(),
    "DocBin.to_disk": lambda path: [
        doc.text for doc in DocBin().from_disk(path).get_docs(_vocab())
    ],
    "Tokenizer.to_disk": lambda path: lexpool.Tokenizer(_vocab()).from_disk(path).to_bytes(),
    "StringStore.to_disk": lambda path: list(lexpool.StringStore().from_disk(path)),
    "Config.to_disk": lambda path: Config().from_disk(path).to_str(),
    "write_conllu": lambda path: [doc.text for doc in read_conllu(path, _vocab())],
}


SLOW_COPY = """
import sys, time
with open(sys.argv[1], "rb") as file, open(sys.argv[2], "wb", buffering=0) as pipe:
    while part := file.read(1024):
        pipe.write(part)
        time.sleep(0.002)
"""


@pipes
@pytest.mark.parametrize("name", READERS)
def test_a_file_that_comes_from_another_thread_is_read(name, tmp_path):
    saved(name, tmp_path, 1)
    # A reader that held the GIL would wait for ever, and the process with it.
    found = python(
        """
        import os, sys, threading
        from pathlib import Path

        sys.path += sys.argv[4:]
        from test_saving_faults import READERS

        name, file, pipe = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
        os.mkfifo(pipe)
        thread = threading.Thread(target=lambda: pipe.write_bytes(file.read_bytes()))
        thread.start()
        print(READERS[name](pipe) == READERS[name](file))
        thread.join()
        """,
        name,
        str(tmp_path / NAME),
        str(tmp_path / "pipe"),
        *sys.path,
    )
    assert found == "True\n"


@pipes
@pytest.mark.parametrize("name", READERS)
def test_signals_do_not_change_what_is_read(name, tmp_path):
    saved(name, tmp_path, 1)
    expected, pipe = READERS[name](tmp_path / NAME), tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", SLOW_COPY, str(tmp_path / NAME), str(pipe)]
    with subprocess.Popen(command) as writer:
        with interrupted() as count:
            found = READERS[name](pipe)
        assert writer.wait(60) == 0
    assert found == expected
    assert count[0] > 0


@pytest.mark.parametrize("name", FOLDERS)
def test_signals_do_not_change_a_folder(name, tmp_path):
    for folder in ("quiet", "interrupted"):
        (tmp_path / folder).mkdir()
    saved(name, tmp_path / "quiet", 1)
    with interrupted():
        saved(name, tmp_path / "interrupted", 1)
    assert contents(tmp_path / "interrupted") == contents(tmp_path / "quiet")
