"""`lexpool pretrain`: its table, its files, and real signals."""

import json
import os
import signal
import time

import pytest

lexpool = pytest.importorskip("lexpool")

ARGS = ("pretrain", "config.cfg", "out", "--paths.raw_text", "texts.jsonl")


@pytest.fixture
def folder(shell):
    """A folder with texts and a configuration that lexpool has made."""
    shell.ok(
        "init", "config", "-p", "tagger", "config.cfg", "--pretraining",
        "--components.tok2vec.model.encode.width", "16",
        "--components.tok2vec.model.encode.depth", "1",
        "--components.tok2vec.model.embed.rows", "[100, 100, 100, 100]",
    )  # fmt: skip
    lines = [
        {"text": f"The cats of text {number} sleep, and a dog barks."} for number in range(500)
    ]
    shell.write("texts.jsonl", "\n".join(map(json.dumps, lines)))
    return shell


def test_weights_are_written_and_gone_on_with(folder):
    options = ("--pretraining.max_epochs", "4", "--pretraining.objective.hidden_size", "16")
    printed = folder.ok(*ARGS, *options).stdout.decode().splitlines()
    assert printed[0].endswith("500 documents of 6,000 words; starting at epoch 0")
    assert printed[1].split() == ["#", "#", "Words", "Total", "Loss", "Loss", "w/s"]
    rows = [line.split() for line in printed if line.strip()[:1].isdigit()]
    assert [row[0] for row in rows] == ["1", "3"]
    names = sorted(path.name for path in (folder.folder / "out").iterdir())
    weights = [f"model{number}.bin" for number in ("-last", 0, 1, 2, 3)]
    assert names == sorted([*weights, "config.cfg", "log.jsonl"])
    more = ("--pretraining.max_epochs", "6", "-r", "out/model3.bin", "--quiet", "-L")
    done = folder.ok(*ARGS, *options, *more)
    assert (done.stdout, done.stderr) == (b"", b"")
    log = (folder.folder / "out/log.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in log] == [0, 1, 2, 3, 4, 4, 5]
    said = folder.fails(*ARGS, *options, "-r", "out/model-last.bin")
    assert "E1020" in said and "--epoch-resume" in said


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_batch_at_hand_and_saves_the_weights(folder, number, code):
    running = folder.start(*ARGS)
    end = time.monotonic() + 60
    while not (folder.folder / "out/model0.bin").exists():
        assert running.poll() is None, running.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.005)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == code, said
    assert (folder.folder / "out/model-last.bin").stat().st_size > 1000
