"""Every command that writes, on a disk that is full or read-only, with a limit of files, and with
links in its output.
"""

import resource
import shutil
import signal
import sys
from pathlib import Path

import pytest
from commands import COMMANDS, EVERY_COMMAND
from small_disk import small_disk
from test_kills import arguments, contents, made

FULL = "disk-full"


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_an_output_that_cannot_be_written_is_named_and_the_old_one_stays(shell, name):
    command, out = EVERY_COMMAND[name], shell.folder / "out"
    out.mkdir()
    with small_disk(out) as disk:
        before = made(shell, command, 0).files
        command.prepare(shell.folder, 1)
        for fault, reason in ((disk.full, FULL), (disk.read_only, "file-io")):
            with fault():
                said = shell.fails(*arguments(command, 1))
                found = contents(out)
            assert f"[{reason}]" in said and "out" in said, said
            assert {path: found[path] for path in before} == before
            assert found.keys() - before.keys() <= {"filler"}
            assert not list(out.rglob(".lexpool-*.part"))
        shell.ok(*arguments(command, 1))
        after = contents(out)
        assert after.keys() == before.keys() and after != before


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_a_limit_of_the_size_of_files_is_named_and_the_old_output_stays(shell, name):
    command, out = EVERY_COMMAND[name], shell.folder / "out"
    out.mkdir()
    before = made(shell, command, 0).files
    command.prepare(shell.folder, 1)
    least = min(map(len, before.values()))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least // 2, least // 2))

    said = shell.fails(*arguments(command, 1), preexec_fn=limit)
    assert "[file-too-large]" in said and "out" in said, said
    assert contents(out) == before
    assert not list(out.rglob(".lexpool-*.part"))
    shell.ok(*arguments(command, 1))


# A link that is itself the file to save is followed, and so is one in the place of an output of
# `run`, as SECURITY.md says.
OF_FOLDERS = [
    name
    for name, command in EVERY_COMMAND.items()
    if name != "run" and not ("out/made" in command.args and "assemble" not in command.args)
]


@pytest.mark.parametrize("name", OF_FOLDERS)
def test_nothing_outside_changes_if_there_are_links_in_the_folder_of_an_output(shell, name):
    command, out, old = EVERY_COMMAND[name], shell.folder / "out", shell.folder / "old"
    made(shell, command, 0)
    shutil.move(out, old)
    command.prepare(shell.folder, 1)
    entries = sorted(path.relative_to(old) for path in old.rglob("*") if path.name != "made")
    files = [entry for entry in entries if (old / entry).is_file()]
    # All files at once, with targets and without, then each folder, which may end the command.
    plans = [(files, True), (files, False)]
    plans += [([entry], True) for entry in entries if entry not in files]
    for number, (linked, has_targets) in enumerate(plans):
        outside = shell.folder / f"outside{number}"
        outside.mkdir()
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(old, out)
        for place, entry in enumerate(linked):
            target = outside / str(place)
            shutil.move(out / entry, target)
            (out / entry).symlink_to(target)
            if not has_targets:
                target.unlink()
        before = contents(outside)
        done = shell.run(*arguments(command, 1))
        assert contents(outside) == before, (linked, done.stderr)
        still = [entry for entry in linked if Path(out, entry).is_symlink()]
        assert done.returncode != 0 or not still, still


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
@pytest.mark.parametrize("name", ["tokenize, JSON", "tokenize, a corpus", "corpus convert", "run"])
def test_signals_that_interrupt_a_command_do_not_change_its_output(shell, name):
    command, out = COMMANDS[name], shell.folder / "out"
    out.mkdir()
    expected = made(shell, command, 1).files
    code = (
        "import signal, sys; signal.signal(signal.SIGALRM, lambda *_: None);"
        "signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001);"
        "from lexpool.__main__ import main; code = main();"
        "signal.setitimer(signal.ITIMER_REAL, 0); sys.exit(code)"
    )
    for path in out.iterdir():
        if path.is_file():
            path.unlink()
    usual, shell.command = shell.command, [sys.executable, "-c", code]
    shell.ok(*arguments(command, 1))
    shell.command = usual
    assert contents(out) == expected
