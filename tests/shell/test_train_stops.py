"""`lexpool train` that is stopped by real signals, and goes on to the bytes of one that was not."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import pytest

lexpool = pytest.importorskip("lexpool")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of Unix")

KILLS = 40 if os.environ.get("LEXPOOL_FULL") else 4
ARGS = ("train", "config.cfg", "-o", "out", "--threads", "1")


@pytest.fixture
def folder(shell, tagged):
    """A folder with a corpus and a configuration that lexpool has made."""
    shell.ok(
        "init", "config", "-p", "tagger,senter", "config.cfg",
        "--paths.train", "train.spacy", "--paths.dev", "train.spacy",
        "--training.max_steps", "60", "--training.eval_frequency", "7",
        "--components.tok2vec.model.encode.width", "32",
        "--components.tok2vec.model.embed.rows", "[500, 100, 250, 250]",
    )  # fmt: skip
    return shell


def files(folder, output: str) -> dict[str, bytes]:
    """All files of an output by their names."""
    root = folder.folder / output
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def whole(folder) -> dict[str, bytes]:
    """The files of a training from its first step to its last."""
    folder.ok(*ARGS[:3], "whole", *ARGS[4:], "--quiet")
    return files(folder, "whole")


def until(running, is_there) -> None:
    """Waits for something that a running training does."""
    end = time.monotonic() + 60
    while not is_there():
        assert running.poll() is None, running.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_step_at_hand_and_saves_what_resume_goes_on_with(folder, number, code):
    expected = whole(folder)
    long = ("--training.max_steps", "100000", "--training.patience", "0")
    running = folder.start(*ARGS, *long)
    until(running, (folder.folder / "out/state").exists)
    time.sleep(0.05)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == code, said
    assert b"saved out/model-last; go on with --resume" in said
    lexpool.load(folder.folder / "out/model-last")
    assert [name for name in folder.names() if "lexpool-" in name] == []
    # A stop beyond the last step of the other training cannot be told from a longer one.
    state = files(folder, "out")
    folder.ok(*ARGS, "--resume", "--quiet")
    if json.loads(state["model-last/meta.json"])["performance"] != {}:
        assert files(folder, "out").keys() == expected.keys()


def test_a_stopped_training_goes_on_to_the_same_bytes(folder):
    expected = whole(folder)
    running = folder.start(*ARGS)
    until(running, (folder.folder / "out/state").exists)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode in (0, 130), said
    printed = folder.ok(*ARGS, "--resume").stdout.decode()
    assert running.returncode == 0 or "Going on after step" in printed
    assert files(folder, "out") == expected


def test_kill_at_any_moment_leaves_a_model_and_resume_gives_the_same_bytes(folder):
    expected = whole(folder)
    started = time.monotonic()
    folder.ok(*ARGS, "--quiet")
    duration = time.monotonic() - started
    chance = random.Random(os.environ.get("LEXPOOL_SEED"))
    kills = 0
    while kills < KILLS:
        shutil.rmtree(folder.folder / "out")
        is_done = False
        while not is_done:
            running = folder.start(*ARGS, "--resume", "--quiet")
            try:
                running.communicate(timeout=chance.uniform(0.3, 1.0) * duration)
            except subprocess.TimeoutExpired:
                running.kill()
                running.communicate(timeout=60)
            is_done = running.returncode == 0
            kills += not is_done
            assert is_done or running.returncode == -signal.SIGKILL
            for name in ("model-last", "model-best"):
                if (folder.folder / "out" / name).exists():
                    lexpool.load(folder.folder / "out" / name)
        assert files(folder, "out") == expected


def test_a_second_signal_ends_at_once(folder):
    # A training that waits for its configuration: a pipe to which nobody writes.
    os.mkfifo(folder.folder / "pipe.cfg")
    running = folder.start("train", "pipe.cfg", "-o", "out")
    with opened_for_writing(folder.folder / "pipe.cfg", running):
        for _ in range(2):
            running.send_signal(signal.SIGINT)
            # Two signals that wait for the process at the same time are one.
            time.sleep(0.1)
        _, messages = running.communicate(timeout=60)
    assert running.returncode == 130, messages


@contextmanager
def opened_for_writing(pipe, running):
    """A pipe that a process reads; it has begun to."""
    ends = []

    def is_read() -> bool:
        with suppress(OSError):
            ends.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    until(running, is_read)
    yield
    os.close(ends[0])


def test_resume_without_a_state_begins_at_the_first_step(folder):
    expected = whole(folder)
    said = folder.ok(*ARGS, "--resume").stderr.decode()
    assert "out has no state: training begins at the first step" in said
    assert files(folder, "out") == expected
    (folder.folder / "out/state").unlink()
    said = folder.fails(*ARGS, "--resume")
    assert "out/state" in said


def test_the_log_of_a_training_that_goes_on_has_the_lines_of_both_runs(folder):
    logger = ["--training.logger.@loggers", "spacy.ConsoleLogger.v3"]
    logger += [
        "--training.logger.output_file",
        "log.jsonl",
        "--training.logger.progress_bar",
        "null",
    ]
    short = (*ARGS, *logger, "--training.max_steps", "14", "--quiet")
    folder.ok(*short)
    folder.ok(*short[:-2], "28", "--quiet", "--resume")
    lines = (folder.folder / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [0, 7, 14, 21, 28]


def test_the_log_may_be_in_the_folder_of_the_training_and_outlives_a_failure(folder):
    logger = ["--training.logger.@loggers", "spacy.ConsoleLogger.v3", "--quiet"]
    logger += ["--training.logger.progress_bar", "null"]
    (folder.folder / "out").mkdir()
    log = folder.folder / "out/log.jsonl"
    folder.ok(*ARGS, *logger, "--training.logger.output_file", "out/log.jsonl")
    assert [json.loads(line)["step"] for line in log.read_text().splitlines()][:2] == [0, 7]
    log.unlink()
    rate = ("--training.optimizer.learn_rate", "1e8")
    said = folder.fails(*ARGS, *logger, *rate, "--training.logger.output_file", "out/log.jsonl")
    assert "E910" in said
    assert [json.loads(line)["step"] for line in log.read_text().splitlines()] == [0]


def test_a_crash_before_the_first_state_leaves_nothing_that_resume_refuses(folder):
    expected = whole(folder)
    (folder.folder / "out/state").mkdir(parents=True)
    assert "out/state" in folder.fails(*ARGS, "--quiet")
    (folder.folder / "out/state").rmdir()
    folder.ok(*ARGS, "--quiet", "--resume")
    assert files(folder, "out") == expected


def test_an_output_that_is_no_folder_is_found_before_the_first_step(folder):
    folder.write("out", "precious")
    said = folder.fails(*ARGS)
    assert "cannot create the folder out" in said
    assert (folder.folder / "out").read_text() == "precious"


def test_resume_refuses_another_configuration_and_a_damaged_state(folder):
    folder.ok(*ARGS, "--quiet")
    said = folder.fails(*ARGS, "--resume", "--training.dropout", "0.2")
    assert '[training] "dropout" is 0.2; there it was 0.1' in said
    state = folder.folder / "out/state"
    state.write_bytes(state.read_bytes()[:-1])
    assert "container-truncated" in folder.fails(*ARGS, "--resume")


def test_a_closed_standard_output_does_not_lose_the_model(folder):
    expected = whole(folder)
    running = folder.start(*ARGS)
    running.stdout.readline()
    running.stdout.close()
    running.stdin.close()
    with running.stderr:
        said = running.stderr.read()
    assert running.wait(60) == 0, said
    assert files(folder, "out") == expected


def test_quiet_prints_nothing_and_json_a_line_for_each_evaluation(folder):
    done = folder.ok(*ARGS, "--quiet")
    assert (done.stdout, done.stderr) == (b"", b"")
    plan, *lines = map(json.loads, folder.ok(*ARGS, "--json").stdout.splitlines())
    assert plan["memory"]["total"] > 0
    assert [line["step"] for line in lines] == list(range(0, 61, 7))


@pytest.mark.skipif(sys.platform != "linux", reason="pseudo-terminals of Linux")
def test_a_terminal_shows_a_live_line_below_the_table(folder):
    import pty

    primary, secondary = pty.openpty()
    options = {"stderr": secondary, "env": os.environ | {"TERM": "xterm", "COLUMNS": "100"}}
    running = folder.start(*ARGS, "--training.max_steps", "2000", stdin=None, **options)
    os.close(secondary)
    shown = b""
    try:
        while b"best " not in shown or b"s left" not in shown:
            shown += os.read(primary, 65536)
    finally:
        running.kill()
        running.communicate(timeout=60)
    text = shown.decode(errors="replace")
    assert "of 2001" in text
    assert "words/s" in text
