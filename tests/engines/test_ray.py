"""Ray Data on a cluster of several processes."""

import os
import pickle
import shutil
import tempfile
import time
import warnings

import pyarrow as pa
import pytest

import lexpool
import lexpool.arrow
import lexpool.ray
from lexpool.corpus import Corpus
from lexpool.engines import Annotator
from lexpool.shards import CorpusWriter, merge

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    pytest.importorskip("ray.data", reason="Ray Data is not installed")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    # Sockets have their paths in there, which must not be long.
    folder = tempfile.mkdtemp(prefix="lexpool-")
    ray.init(
        address="local",
        num_cpus=4,
        include_dashboard=False,
        object_store_memory=200 << 20,
        log_to_driver=False,
        _temp_dir=folder,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


def collected(dataset):
    return pa.concat_tables(ray.get(dataset.to_arrow_refs()))


@pytest.mark.parametrize(("blocks", "batch_size"), [(1, None), (7, 100), (23, 64)])
def test_a_dataset_gets_what_one_process_makes(texts, annotator, same, blocks, batch_size):
    dataset = ray.data.from_arrow(texts).repartition(blocks)
    same(collected(lexpool.ray.annotate(dataset, annotator, actors=2, batch_size=batch_size)))


@pytest.mark.parametrize(("blocks", "batch_size"), [(2, None), (9, 40)])
def test_a_trained_pipeline_annotates_as_in_one_process(
    fewer, trained, same_annotation, blocks, batch_size
):
    dataset = ray.data.from_arrow(fewer).repartition(blocks)
    done = lexpool.ray.annotate(dataset, trained, actors=2, batch_size=batch_size)
    same_annotation(collected(done))
    assert len(pickle.dumps(lexpool.ray.Annotate(trained))) < 50_000


def test_several_processes_are_at_work(texts, annotator, same, tmp_path):
    here = str(tmp_path)

    # In here, so that it goes to the actors by value: they cannot import this file.
    class WithProcess(lexpool.ray.Annotate):
        def __call__(self, batch):
            # The first actor could be done with all batches before the second is up: it waits for
            # it with its first batch, and not for ever, so that this fails where there is but one.
            if not getattr(self, "met", False):
                open(os.path.join(here, str(os.getpid())), "w").close()
                end = time.monotonic() + 30
                while len(os.listdir(here)) < 2 and time.monotonic() < end:
                    time.sleep(0.02)
                self.met = True
            table = super().__call__(batch)
            return table.append_column("pid", pa.array([os.getpid()] * len(table), pa.int64()))

        def __reduce__(self):
            return WithProcess, (self.annotator,)

    dataset = ray.data.from_arrow(texts).repartition(40)
    done = dataset.map_batches(
        WithProcess,
        fn_constructor_args=[annotator],
        batch_format="pyarrow",
        batch_size=50,
        num_cpus=1,
        compute=ray.data.ActorPoolStrategy(size=2),
    )
    table = collected(done)
    pids = set(table["pid"].to_pylist())
    assert len(pids) >= 2 and os.getpid() not in pids
    same(table.drop_columns(["pid"]))


def test_the_strings_of_all_batches_are_the_vocab(texts, annotator, alone):
    dataset = ray.data.from_arrow(texts).repartition(5)
    table = collected(lexpool.ray.annotate(dataset, annotator, actors=2))
    store, expected = lexpool.StringStore(), lexpool.StringStore()
    lexpool.arrow.add_strings(store, table)
    lexpool.arrow.add_strings(expected, alone)
    assert set(store) == set(expected)
    for row in table.slice(0, 50).to_pylist():
        for token in row["tokens"] or ():
            assert store[token["orth"]] == row["body"][token["start"] : token["end"]]


def test_what_goes_to_an_actor_is_small(tmp_path):
    rules = tmp_path / "rules"
    tokenizer = lexpool.blank("en").tokenizer
    tokenizer.add_special_case("gonna", [{"ORTH": "gon"}, {"ORTH": "na"}])
    tokenizer.to_disk(rules)
    for annotator in (Annotator("en"), Annotator("en", rules=rules, columns=["tokens"])):
        # Used before, so that a tokenizer is there which must not go along.
        pa.table(annotator(pa.table({"text": ["one two three"] * 100})))
        state = pickle.dumps(lexpool.ray.Annotate(annotator))
        assert len(state) < 50_000
        assert len(ray.cloudpickle.dumps(lexpool.ray.Annotate(annotator))) < 50_000
        table = pa.table({"text": ["I'm gonna go"]})
        assert pickle.loads(state)(table).equals(pa.table(annotator(table)))


def test_actors_take_rules_from_a_file(tmp_path, texts):
    rules = tmp_path / "rules"
    tokenizer = lexpool.blank("en").tokenizer
    tokenizer.add_special_case("don't", [{"ORTH": "don't"}])
    tokenizer.to_disk(rules)
    annotator = Annotator("en", rules=rules, text="body", columns=["orth_"])
    table = collected(lexpool.ray.annotate(ray.data.from_arrow(texts.slice(0, 200)), annotator))
    words = {row["body"]: row["orth_"] for row in table.to_pylist()}
    assert all(words[text] == [token.text for token in tokenizer(text)] for text in words if text)
    assert any("don't" in (found or ()) for found in words.values())


def test_workers_write_corpora_that_become_one(texts, tmp_path):
    write = CorpusWriter(tmp_path / "shards", Annotator("en", text="body"), columns=["id"])
    given = [row for row in texts.to_pylist() if row["body"] is not None]
    dataset = ray.data.from_arrow(texts).repartition(7)
    written = collected(dataset.map_batches(write, batch_format="pyarrow", batch_size=200))
    assert written.num_rows > 1
    path = tmp_path / "all.corpus"
    assert merge(written, path, order="id") == len(given)
    corpus = Corpus.open(path, verify="full")
    assert [doc.text for doc in corpus] == [row["body"] for row in given]


def test_trainings_on_a_cluster_give_the_table_of_one_machine(tmp_path):
    config = lexpool.config.Config.from_str(TRAINING)
    docs = lexpool.tokens.DocBin(attrs=["TAG"])
    vocab = lexpool.Vocab()
    for number in range(8):
        words = ["the", ("cat", "dog")[number % 2], ("sees", "eats")[number % 3 % 2]]
        docs.add(lexpool.Doc(vocab, words=words, tags=["D", "N", "V"]))
    docs.to_disk(tmp_path / "all.spacy")
    for name in ("train", "dev"):
        config["corpora"][name]["path"] = str(tmp_path / "all.spacy")
    given = {
        "settings": {"plain": {}, "wrong": {"training.dropout": 7}},
        "seeds": [1, 2],
        "folds": 2,
    }
    told = []
    table = lexpool.ray.train_many(config, tmp_path / "ray", report=told.append, **given)
    alone = lexpool.training.train_many(config, tmp_path / "alone", **given)
    assert [run.error is None for run in table.runs] == [True] * 4 + [False] * 4
    rows = [[(run.seed, run.fold, run.scores) for run in made.runs] for made in (table, alone)]
    assert rows[0] == rows[1]
    assert table.summary() == alone.summary()
    assert sorted(run.folder for run in told) == sorted(run.folder for run in table.runs)
    again = lexpool.ray.train_many(config, tmp_path / "ray", **given)
    assert again.runs[:4] == table.runs[:4]


TRAINING = """
[nlp]
lang = "en"
pipeline = ["tagger"]

[components]

[components.tagger]
factory = "tagger"

[components.tagger.model]
@architectures = "spacy.Tagger.v2"

[components.tagger.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 16
depth = 1
embed_size = 100
window_size = 1
maxout_pieces = 2
subword_features = true

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = null

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = null

[training]
max_steps = 6
eval_frequency = 3
"""
