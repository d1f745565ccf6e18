"""`lexpool run` with saved pipelines: shards of texts into shards of annotated documents."""

import json
import random
import shutil
import time
from pathlib import Path

import pytest

lexpool = pytest.importorskip("lexpool")

SAVED = Path(__file__).parents[1] / "files" / "pipelines"
WORDS = "Apple bought some company in the U.S. , for 2 3 words ! caf\u00e9 don't nsubj".split()


@pytest.fixture
def model(shell):
    """A copy of a pipeline with a network of each kind, which tests may change."""
    shutil.copytree(SAVED / "networks", shell.folder / "model")
    return shell.folder / "model"


def texts(count, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randrange(40))) for _ in range(count)]


def shards(shell, count=3, size=60):
    """A folder `in` of text files and JSON lines; returns their texts by name."""
    found = {f"shard-{n}": texts(size, n) for n in range(count)}
    for n, (name, own) in enumerate(found.items()):
        if n % 2:
            lines = [json.dumps({"id": i, "text": text}) for i, text in enumerate(own)]
            shell.write(f"in/{name}.jsonl", "\n".join(lines) + "\n")
        else:
            shell.write(f"in/{name}.txt", "\n".join(own) + "\n")
    return found


def outputs(shell, folder="out"):
    files = (shell.folder / folder).glob("*.*")
    return {path.name: path.read_bytes() for path in files if path.is_file()}


def run(shell, *args, out="out", to="jsonl"):
    done = shell.ok("run", "in", "-o", out, "-p", "model", "--to", to, "--json", "-q", *args)
    return json.loads(done.stdout)


@pytest.fixture
def inputs(shell, model):
    (shell.folder / "in").mkdir(exist_ok=True)
    return shards(shell)


def test_outputs_are_those_of_annotate(shell, inputs):
    for to, ending in [("jsonl", "jsonl"), ("arrow", "arrow"), ("conllu", "conllu")]:
        assert run(shell, to=to)["made"] == 3
        for name in inputs:
            [source] = (shell.folder / "in").glob(f"{name}.*")
            field = ["--field", "text"] if source.suffix == ".jsonl" else []
            shell.ok("annotate", "-p", "model", str(source), "-o", f"one.{ending}", "-q", *field)
            one = (shell.folder / f"one.{ending}").read_bytes()
            assert outputs(shell)[f"{name}.{ending}"] == one, (to, name)


def test_documents_have_the_annotation_that_python_gives(shell, inputs, model):
    nlp = lexpool.load(model)
    run(shell, to="corpus")
    for name, own in inputs.items():
        corpus = lexpool.corpus.Corpus.open(shell.folder / "out" / f"{name}.corpus")
        for text, found in zip(own, corpus, strict=True):
            doc = nlp(text)
            assert found.text == text and found.cats == doc.cats
            for attr in ("tag_", "pos_", "lemma_", "dep_", "ent_type_", "ent_kb_id_"):
                assert [getattr(t, attr) for t in found] == [getattr(t, attr) for t in doc], attr
            assert [t.head.i for t in found] == [t.head.i for t in doc]


@pytest.mark.parametrize("to", ["corpus", "arrow", "jsonl", "spacy-docbin"])
def test_threads_do_not_change_a_byte(shell, inputs, to):
    run(shell, "--threads", "1", out="one", to=to)
    run(shell, "--threads", "3", out="three", to=to)
    assert outputs(shell, "one") == outputs(shell, "three") != {}


def test_a_second_run_goes_on_and_a_changed_pipeline_begins_anew(shell, inputs, model):
    run(shell)
    before = outputs(shell)
    (shell.folder / "out" / "shard-1.jsonl").unlink()
    done = run(shell)
    assert (done["made"], done["kept"]) == (1, 2) and outputs(shell) == before
    assert run(shell, "--disable", "tagger")["made"] == 3
    assert run(shell, "--disable", "tagger")["kept"] == 3
    assert outputs(shell) != before
    assert run(shell)["made"] == 3 and outputs(shell) == before
    assert run(shell, "--numerics", "blis-generic")["made"] == 3
    assert run(shell, "--numerics", "blis-generic")["kept"] == 3
    meta = model / "meta.json"
    meta.write_text(meta.read_text() + " ")
    assert run(shell)["made"] == 3
    # The place of the pipeline does not matter, only its files do.
    shutil.move(model, shell.folder / "moved")
    done = shell.ok("run", "in", "-o", "out", "-p", "moved", "--to", "jsonl", "--json", "-q")
    assert json.loads(done.stdout)["kept"] == 3


def test_a_packed_file_gives_what_its_folder_does(shell, inputs):
    shell.ok("model", "pack", "model", "-o", "packed.pipeline")
    run(shell)
    done = shell.ok("run", "in", "-o", "packed", "-p", "packed.pipeline", "--to", "jsonl", "--json")
    assert json.loads(done.stdout)["made"] == 3
    assert outputs(shell, "packed") == outputs(shell)
    done = shell.ok("run", "in", "-o", "packed", "-p", "packed.pipeline", "--to", "jsonl", "--json")
    assert json.loads(done.stdout)["kept"] == 3


def test_options_that_do_not_fit_are_refused(shell, inputs):
    def refused(*args, code=2):
        return shell.fails("run", "in", "-o", "out", *args, code=code)

    assert "has its own language" in refused("-p", "model", "--lang", "en")
    assert "--to arrow" in refused("-p", "model", "--to", "parquet")
    assert "--pipeline" in refused("--disable", "tagger")
    wrong = refused("-p", "model", "--numerics", "half")
    assert all(name in wrong for name in ("half", "fast", "blis-generic"))
    assert "E050" in refused("-p", "no_such_model", code=1)
    assert not (shell.folder / "out").exists()


def test_a_pipeline_that_lexpool_cannot_run_is_refused_before_anything_is_written(
    shell, inputs, model
):
    config = model / "config.cfg"
    config.write_text(config.read_text().replace('factory = "tagger"', 'factory = "mine"'))
    assert "mine" in shell.fails("run", "in", "-o", "out", "-p", "model")
    assert not (shell.folder / "out").exists()


def test_a_run_that_was_killed_is_finished_by_the_next_one(shell, model):
    (shell.folder / "in").mkdir()
    shards(shell, count=4, size=400)
    start = time.monotonic()
    run(shell, out="whole")
    took = time.monotonic() - start
    for part in (0.4, 0.7, 0.9):
        started = shell.start("run", "in", "-o", "out", "-p", "model", "--to", "jsonl", "-q")
        time.sleep(took * part)
        started.kill()
        started.communicate()
    run(shell)
    assert outputs(shell) == outputs(shell, "whole")
