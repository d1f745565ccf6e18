"""Savers in processes that are killed at random moments leave each file whole, old or new."""

import os

import pytest
from ledger import LONG
from processes import python
from savers import SAVERS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

KILLS = 200 if os.environ.get("LEXPOOL_FULL") else 4


def test_a_kill_at_any_moment_leaves_each_file_of_each_saver_whole_and_the_next_saving_succeeds(
    tmp_path,
):
    told = python(
        """
        import itertools, os, random, shutil, signal, sys, time, warnings
        from pathlib import Path
        from savers import NAME, SAVERS, WHOLE, contents, saved
        import lexpool
        from lexpool.corpus import Corpus
        from lexpool.matcher import PhraseMatcher

        warnings.simplefilter("ignore", DeprecationWarning)
        chance, kills, killed_inside = random.Random(7), int(sys.argv[1]), 0

        def named(folder):
            return {name: content for name, content in contents(folder).items() if ".lexpool-" not in name}

        def check(name, folder, states):
            found = named(folder)
            assert found.keys() == states[0].keys(), (name, sorted(found))
            assert name not in WHOLE or found in states, (name, "is a mixture")
            for key, content in found.items():
                if name == "PhraseMatcher.save" and key == NAME:
                    # It has another seed in it each time; opening it verifies its checksums.
                    assert len(PhraseMatcher.open(folder / key, lexpool.Vocab())) == 1
                elif name == "Corpus.append" and key == NAME:
                    assert len(Corpus.open(folder / key, verify="full")) % 3 == 0
                else:
                    assert content in (states[0][key], states[1][key]), (name, key, "is torn")

        for number, name in enumerate(SAVERS):
            folder = Path(sys.argv[2], str(number))
            folder.mkdir()
            states = []
            for state in (1, 0):
                saved(name, folder, state)
                states.append(named(folder))
            began = time.monotonic()
            saved(name, folder, 0)
            takes = time.monotonic() - began
            for _ in range(kills):
                pid = os.fork()
                if pid == 0:
                    # If the parent is stopped, the child ends too.
                    signal.alarm(600)
                    for state in itertools.cycle((1, 0)):
                        saved(name, folder, state)
                time.sleep(chance.uniform(0, 2 * takes))
                os.kill(pid, signal.SIGKILL)
                _, status = os.waitpid(pid, 0)
                assert os.WIFSIGNALED(status), (name, status)
                check(name, folder, states)
                left = [path for path in folder.rglob(".lexpool-*.part")]
                killed_inside += bool(left)
                if name in WHOLE:
                    # The next saving removes them.
                    continue
                for path in left:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                if name == "Corpus.append":
                    (folder / NAME).unlink()
                    saved(name, folder, 0)
            saved(name, folder, 1)
            check(name, folder, states)
            assert not [*folder.rglob(".lexpool-*.part")], name
        print(killed_inside)
        """,
        str(KILLS),
        str(tmp_path),
        timeout=100 + 100 * KILLS,
    )
    # The others met a process that was about to write or had written.
    assert int(told) > KILLS


def test_the_ledger_knows_how_many_kills_there_are():
    assert LONG["kills-savers"].count == 200 * len(SAVERS)
