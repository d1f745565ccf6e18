"""Messages and remaining files of commands that fail."""

import os
import resource
import signal
import sys
import time

import pytest

LINES = b"Some words, and some more of them.\n" * 30_000
FORMATS = ["out.corpus", "out.arrow", "out.jsonl", "out.spacy"]


def test_a_missing_file_is_named_before_work_begins(shell):
    shell.write("in.txt", LINES)
    said = shell.fails("tokenize", "in.txt", "absent.txt", "-o", "out.jsonl")
    assert said == (
        "lexpool: [file-not-found] cannot read absent.txt: No such file or directory (os error 2)\n"
    )
    assert shell.names() == ["in.txt"]


def test_a_folder_is_no_file(shell):
    said = shell.fails("tokenize", ".", "-o", "out.jsonl")
    assert "[file-io] cannot read .: Is a directory" in said
    assert shell.names() == []


@pytest.mark.parametrize("output", FORMATS)
def test_bytes_that_are_not_utf8_leave_the_old_output(shell, output):
    shell.write("in.txt", LINES + b"caf\xe9\n")
    shell.write(output, "old")
    said = shell.fails("tokenize", "in.txt", "-o", output)
    place = f"in.txt, line 30001: byte {len(LINES) + 3} (0xe9) is not UTF-8"
    assert said == f"lexpool: [not-utf8] {place}\n"
    assert (shell.folder / output).read_text() == "old"
    assert shell.names() == sorted(["in.txt", output])


def test_a_missing_folder_is_named(shell):
    said = shell.fails("tokenize", "-", "-o", "absent/out.jsonl", stdin=b"one")
    assert "[file-not-found] cannot write to absent/out.jsonl" in said


def test_what_may_not_be_written_or_read_is_named(shell):
    output = shell.write("out.jsonl", "old")
    output.chmod(0o400)
    if os.access(output, os.W_OK):
        pytest.skip("nothing is forbidden to root")
    said = shell.fails("tokenize", "-", "-o", "out.jsonl", stdin=b"one")
    assert "[file-permission] cannot write to out.jsonl" in said
    assert (shell.folder / "out.jsonl").read_text() == "old"
    shell.write("in.txt", "secret").chmod(0)
    said = shell.fails("tokenize", "in.txt", "-o", "new.jsonl")
    assert "[file-permission] cannot read in.txt" in said
    assert shell.names() == ["in.txt", "out.jsonl"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", ["corpus", "arrow", "jsonl", "spacy-docbin"])
def test_a_full_disk_is_named(shell, form):
    said = shell.fails("tokenize", "-", "-o", "/dev/full", "--format", form, stdin=LINES)
    assert "[disk-full] cannot write to /dev/full: No space left on device" in said
    with open("/dev/full", "wb") as full:
        shell_out = shell.start("tokenize", "-", "--format", form, stdout=full)
        _, said = shell_out.communicate(LINES, timeout=60)
    assert shell_out.returncode == 1
    assert b"[disk-full] cannot write to the standard output" in said


@pytest.mark.parametrize("output", FORMATS)
def test_a_file_that_may_not_grow_is_removed(shell, output):
    shell.write("in.txt", LINES)
    shell.write(output, "old")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    said = shell.fails("tokenize", "in.txt", "-o", output, preexec_fn=limit)
    assert f"[file-too-large] cannot write to {output}: File too large" in said
    assert (shell.folder / output).read_text() == "old"
    assert shell.names() == sorted(["in.txt", output])


def test_ctrl_c_is_answered_at_once_and_leaves_nothing(shell):
    with shell.start("tokenize", "-", "-o", "out.jsonl") as running:
        # More than pipes and buffers hold: once it is taken, the command is at work.
        running.stdin.write(LINES)
        running.stdin.flush()
        assert [name for name in shell.names() if name.endswith(".part")]
        start = time.monotonic()
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
        # A fifth of a second is meant; the rest is for a busy machine.
        assert time.monotonic() - start < 2
        assert running.stderr.read() == b"lexpool: interrupted\n"
    assert shell.names() == []


def test_ctrl_c_is_answered_while_nobody_reads_the_output(shell):
    shell.write("in.txt", LINES)
    with shell.start("tokenize", "in.txt") as running:
        assert running.stdout.read(1) == b"{"
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130


def test_a_reader_who_has_enough_is_no_error(shell):
    shell.write("in.txt", LINES)
    with shell.start("tokenize", "in.txt") as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.wait(60) == 0
        assert running.stderr.read() == b""


def test_no_bar_is_drawn_in_a_pipe(shell):
    shell.write("in.txt", LINES)
    for args in (["tokenize", "in.txt", "-o", "out.arrow"], ["stats", "in.txt"]):
        said = shell.ok(*args).stderr
        assert b"\r" not in said
        assert b"\x1b" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_bar_without_colours_is_drawn_on_a_terminal(shell):
    terminal, end = os.openpty()
    with shell.start(
        "tokenize", "-", "-o", "out.jsonl", stderr=end, env=os.environ | {"TERM": "xterm"}
    ) as running:
        os.close(end)
        running.stdin.write(LINES * 4)
        running.stdin.flush()
        seen = b""
        while b"MB" not in seen:
            seen += os.read(terminal, 4096)
        running.stdin.close()
        assert running.wait(60) == 0
    os.close(terminal)
    assert b"\x1b[3" not in seen
    assert b"\x1b[9" not in seen


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["tokenize"], "<FILE>..."),
        (
            ["tokenize", "-", "-o", "out.csv"],
            ".corpus, .arrow, .feather, .jsonl, .spacy, .conllu or .parquet",
        ),
        (["tokenize", "-", "--lang", "tlh"], "the nearest are ta, te, "),
        (["tokenize", "-", "--threads", "many"], "--threads"),
        (["struct", "TockenC"], "TokenC"),
        (["tokenise"], "tokenize"),
    ],
)
def test_wrong_usage_is_2_and_says_what_is_right(shell, args, hint):
    assert hint in shell.fails(*args, code=2)
    assert shell.names() == []
