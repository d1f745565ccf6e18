"""Every command that writes, on a disk that is full or read-only, and with a limit of files."""

import resource
import signal
import sys

import pytest
from commands import COMMANDS
from small_disk import small_disk
from test_kills import arguments, contents, made

FULL = "disk-full"


@pytest.mark.parametrize("name", COMMANDS)
def test_an_output_that_cannot_be_written_is_named_and_the_old_one_stays(shell, name):
    command, out = COMMANDS[name], shell.folder / "out"
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


@pytest.mark.parametrize("name", COMMANDS)
def test_a_limit_of_the_size_of_files_is_named_and_the_old_output_stays(shell, name):
    command, out = COMMANDS[name], shell.folder / "out"
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
