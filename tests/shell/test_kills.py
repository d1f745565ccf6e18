"""Commands that are killed at random moments leave each output as it was, or whole and new."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import COMMANDS, Command
from ledger import LONG

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of Unix")

# Names in a list of commands, and what stands in the help of one with an output.
OF_LIST = re.compile(r"^  ([a-z-]+)(?<!help)\b", re.MULTILINE)
WRITES = re.compile(r"--output|[<\[](?:OUT|FOLDER)[>\]]")

IS_FULL = "LEXPOOL_FULL" in os.environ
FAST, SLOW, SAMPLE = 200, 40, 3
"""Kills of a command in the full run, and in any other."""


@dataclass
class UnbrokenRun:
    """A run that nobody killed: what it wrote, how long it took, how often its output changed."""

    files: dict[str, bytes]
    seconds: float
    changes: int


@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_at_any_moment_leaves_the_old_output_or_the_new_one_and_the_next_run_succeeds(
    shell, name
):
    command, out, saved = COMMANDS[name], shell.folder / "out", shell.folder / "old"
    old = made(shell, command, 0)
    out.rename(saved)
    new = made(shell, command, 1)
    assert old.files.keys() == new.files.keys() and old.files != new.files
    chance, killed = random.Random(name), 0
    kills = in_full(command) if IS_FULL else SAMPLE
    for number in range(kills):
        before = old.files if number // 2 % 2 else {}
        shutil.rmtree(out)
        shutil.copytree(saved, out) if before else out.mkdir()
        # Writing takes a small part of a run: every second kill waits for a step of it.
        changes = chance.randint(1, new.changes) if number % 2 else None
        with start(shell, command, 1) as running:
            wait(running, out, chance.uniform(0, new.seconds), changes)
            running.kill()
        killed += running.returncode == -signal.SIGKILL
        found = contents(out)
        assert_whole(command, found, before, new.files)
        if number % 5 == 4 or number == kills - 1:
            shell.ok(*arguments(command, 1))
            assert contents(out) == new.files
            assert not command.is_one or not list(out.rglob(".lexpool-*"))
    assert killed >= kills // 10


def test_every_command_that_writes_is_in_the_table(shell):
    def names(*above: str) -> set[str]:
        text = shell.ok(*above, "--help").stdout.decode()
        inner = re.search(r"^Commands:\n((?: .*\n)+)", text, re.MULTILINE)
        if inner:
            return set().union(*(names(*above, name) for name in OF_LIST.findall(inner[1])))
        return {" ".join(above)} if WRITES.search(text) else set()

    # `train` is killed in test_train_stops.py.
    tabled = {name.split(",")[0] for name in COMMANDS} | {"train"}
    assert names() == tabled


def test_the_ledger_knows_how_many_kills_there_are():
    elsewhere = 50 + 40  # in test_run.py and test_train_stops.py
    assert LONG["kills"].count == sum(map(in_full, COMMANDS.values())) + elsewhere


def in_full(command: Command) -> int:
    return SLOW if command.is_slow else FAST


def made(shell, command: Command, state: int) -> UnbrokenRun:
    """Prepares the inputs of a state, and runs the command into a folder that is empty."""
    out = shell.folder / "out"
    out.mkdir(exist_ok=True)
    command.prepare(shell.folder, state)
    began = time.monotonic()
    with start(shell, command, state) as running:
        changes = wait(running, out, 60, 1_000_000)
        assert running.wait(60) == 0
    return UnbrokenRun(contents(out), time.monotonic() - began, changes)


def arguments(command: Command, state: int) -> list[str]:
    return command.args.format(state=state).split()


def start(shell, command: Command, state: int) -> subprocess.Popen:
    nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    return shell.start(*arguments(command, state), **nowhere)


def wait(running: subprocess.Popen, out: Path, seconds: float, changes: int | None) -> int:
    """Waits for a time; or until the output has changed so often, and no longer than the process
    runs. Returns how often it has.
    """
    if changes is None:
        time.sleep(seconds)
        return 0
    before, seen = look(out), 0
    while seen < changes and running.poll() is None:
        now = look(out)
        seen += now != before
        before = now
    return seen


def assert_whole(
    command: Command, found: dict[str, bytes], before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    if command.is_one:
        assert found in (before, after), sorted(found)
        return
    assert before.keys() <= found.keys() <= after.keys(), sorted(found)
    for path, content in found.items():
        assert content in (before.get(path), after[path]), f"{path} is torn"


def contents(folder: Path) -> dict[str, bytes]:
    """All files but temporary ones and those that runs keep for themselves."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    named = ((str(path.relative_to(folder)), path) for path in files)
    return {name: comparable(path) for name, path in named if ".lexpool-" not in name}


def comparable(path: Path) -> bytes:
    """Returns the bytes of a file, without what no two runs have in common."""
    content = path.read_bytes()
    match path.name:
        case "log.jsonl":
            # Each run adds lines; all are whole.
            for line in content.splitlines():
                json.loads(line)
            return b""
        case "made.json":
            return re.sub(rb'"speed": [\d.]+', b"", content)
    return content


def look(folder: Path) -> list[tuple[str, int, int, int]]:
    """Returns the state of all entries of a folder, which changes with each step of writing."""
    found, folders = [], [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    found.append((entry.path, status.st_ino, status.st_size, status.st_mtime_ns))
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except FileNotFoundError:
            # It has gone since it was listed.
            continue
    return found
