"""Tables of texts get columns of the annotation of pipelines."""

import pickle
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from processes import environment, python

import lexpool
import lexpool.arrow
from lexpool.corpus import Corpus
from lexpool.engines import Annotator, altered
from lexpool.shards import CorpusWriter, merge

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

# The rule lemmatizer of the pipeline `rules` sees words without a part of speech.
pytestmark = pytest.mark.filterwarnings("ignore:.*W108")

SAVED = Path(__file__).parents[1] / "files" / "pipelines"
TEXTS = [
    "Apple bought some company. They went to the U.S. in 1990, for 2 3 words!",
    None,
    "",
    "  two  spaces ",
    "caf\u00e9 \u6771\u4eac \U0001f600 don't",
    "supercalifragilistic words, and extraordinarily long ones",
    "nsubj NOUN",
]
IDS = ["tag", "pos", "morph", "lemma", "dep", "ent_type", "ent_kb_id"]
NUMBERS = ["head", "ent_iob", "sent_start"]
# The columns that the components of each pipeline set.
COLUMNS = {
    "networks": [*IDS, *NUMBERS, "cats"],
    "merges": ["lemma", "dep", "head", "ent_type", "ent_iob"],
    "rules": ["lemma", "ent_type", "ent_iob", "sent_start"],
}


@pytest.fixture(scope="module", params=COLUMNS)
def pipeline(request):
    return lexpool.load(SAVED / request.param), COLUMNS[request.param]


@pytest.fixture(scope="module")
def networks():
    return lexpool.load(SAVED / "networks")


def texts(count=1):
    rng = random.Random(5)
    words = " ".join(text for text in TEXTS if text).split()
    more = [" ".join(rng.choices(words, k=rng.randrange(60))) for _ in range(count - 1)]
    return pa.table({"text": [*TEXTS, *more]})


def with_strings(columns):
    return [*columns, *(f"{name}_" for name in columns if name in IDS)]


def value(token, name):
    """The attribute of a token as a column has it: None where nothing is set."""
    if name == "head":
        return token.head.i if token.has_head() else None
    if name == "sent_start":
        is_set = token.doc.has_annotation("SENT_START")
        return {True: 1, False: -1, None: None}[token.is_sent_start] if is_set else None
    if name == "morph":
        return token.morph.key or None
    if name == "morph_":
        return token.vocab.strings[token.morph.key] or None
    return getattr(token, name) or None


def test_rows_have_what_the_documents_of_the_pipeline_have(pipeline):
    nlp, columns = pipeline
    columns = with_strings(columns)
    done = lexpool.arrow.annotate(
        texts(50), nlp, columns=["n_tokens", "tokens", "orth_", "norm_", *columns]
    )
    seen = set()
    for row in pa.table(done).to_pylist():
        if row["text"] is None:
            assert {row[name] for name in columns} == {None}
            continue
        doc = nlp(row["text"])
        assert row["n_tokens"] == len(doc)
        assert row["orth_"] == [token.text for token in doc]
        assert row["norm_"] == [token.norm_ for token in doc]
        assert [token["start"] for token in row["tokens"]] == [token.idx for token in doc]
        for name in columns:
            if name == "cats":
                assert {cat["label"]: cat["score"] for cat in row["cats"]} == doc.cats
            else:
                assert row[name] == [value(token, name) for token in doc], (name, row["text"])
            if any(found is not None for found in row[name]):
                seen.add(name)
    # A test of columns that are all null would not fail.
    assert len(seen) > len(columns) // 2, set(columns) - seen


def test_columns_have_the_names_and_types_of_the_annotated_files(networks):
    columns = with_strings(COLUMNS["networks"])
    table = pa.table(lexpool.arrow.annotate(texts(), networks, columns=columns))
    types = {field.name: field.type for field in table.schema}
    assert types["cats"] == pa.list_(
        pa.field(
            "item",
            pa.struct(
                [
                    pa.field("label", pa.large_string(), nullable=False),
                    pa.field("score", pa.float64(), nullable=False),
                ]
            ),
            nullable=False,
        )
    )
    kinds = {"head": pa.uint32(), "ent_iob": pa.uint8(), "sent_start": pa.int8()}
    kinds |= {name: pa.uint64() for name in IDS} | {f"{name}_": pa.string() for name in IDS}
    for name, kind in kinds.items():
        assert types[name].value_type == kind and types[name].value_field.nullable, name


def test_strings_are_those_of_the_ids_of_words_and_annotation(networks):
    columns = ["orth", "tag", "pos", "lemma", "dep", "strings"]
    for row in pa.table(lexpool.arrow.annotate(texts(), networks, columns=columns)).to_pylist():
        if row["text"] is None:
            continue
        ids = {id for name in columns[:-1] for id in row[name] if id is not None}
        assert {networks.vocab.strings[string] for string in row["strings"]} == ids
        assert len(row["strings"]) == len(ids)


def test_a_table_gets_the_same_bytes_in_any_batches_on_any_threads(networks):
    whole = texts(400).combine_chunks()
    columns = [*with_strings(COLUMNS["networks"]), "strings", "tokens"]
    expected = pa.table(lexpool.arrow.annotate(whole, networks, columns=columns, threads=1))
    for size, threads in [(1, 1), (7, 2), (100, 0), (1000, 3)]:
        cut = pa.Table.from_batches(whole.to_batches(max_chunksize=size))
        done = pa.table(lexpool.arrow.annotate(cut, networks, columns=columns, threads=threads))
        assert done.combine_chunks().equals(expected.combine_chunks()), (size, threads)
    nothing = pa.table(lexpool.arrow.annotate(whole.slice(0, 0), networks, columns=columns))
    assert (nothing.num_rows, nothing.num_columns) == (0, len(columns) + 1)


def test_a_column_that_no_component_sets_is_an_error_that_names_one_that_would(networks):
    def error(nlp, *columns):
        with pytest.raises(ValueError) as raised:
            lexpool.arrow.annotate(texts(), nlp, columns=columns)
        return str(raised.value)

    blank = lexpool.blank("en")
    assert '"tag_" needs a component that sets it, such as a tagger' in error(blank, "tag_")
    assert "the components are: none" in error(blank.tokenizer, "cats")
    with networks.select_pipes(enable=["tok2vec", "tagger"]):
        text = error(networks, "tag", "ent_type_")
        assert '"ent_type_"' in text and "an ner" in text and "tok2vec, tagger" in text
    assert "unknown column" in error(networks, "tags") and "ent_kb_id_" in error(networks, "tags")
    assert "unknown column" in error(networks, "head_")


def test_components_in_python_are_named_in_an_error_and_tokens_need_none_of_them():
    nlp = lexpool.load(SAVED / "merges")

    @nlp.component("own")
    def own(doc):
        return doc

    nlp.add_pipe("own")
    with pytest.raises(ValueError, match=r'\[pipeline-unsupported\].*: "own"; disable them'):
        lexpool.arrow.annotate(texts(), nlp, columns=["lemma"])
    tokens = pa.table(lexpool.arrow.annotate(texts(), nlp, columns=["n_tokens"]))
    assert tokens["n_tokens"].to_pylist()[0] == len(nlp.tokenizer(TEXTS[0]))
    with nlp.select_pipes(disable=["own"]):
        assert pa.table(lexpool.arrow.annotate(texts(), nlp, columns=["lemma"])).num_rows


def test_a_cleaner_of_what_tables_do_not_have_may_run_in_python(networks):
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("doc_cleaner", config={"attrs": {"tensor": None, "_.own": None}})
    assert pa.table(lexpool.arrow.annotate(texts(), nlp, columns=["sent_start"])).num_rows
    nlp.add_pipe("doc_cleaner", "other", config={"attrs": {"cats": {}}})
    with pytest.raises(ValueError, match='"other"'):
        lexpool.arrow.annotate(texts(), nlp, columns=["sent_start"])


def test_the_error_of_a_component_names_it_and_the_row():
    nlp = lexpool.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "b"}]], {"TAG": "X"}, index=3)
    table = pa.table({"text": ["a", "a b", "a"]})
    with pytest.raises(ValueError, match=r"text 1, component .*attribute_ruler"):
        pa.record_batch(lexpool.arrow.annotate(table.to_batches()[0], nlp, columns=["tag"]))


@pytest.mark.skipif(sys.platform == "win32", reason="signals work otherwise there")
@pytest.mark.parametrize("kind", ["record_batch", "table"])
def test_an_interrupt_stops_a_batch(kind):
    python(
        f"""
import os, signal, threading
import pyarrow as pa
import lexpool, lexpool.arrow

nlp = lexpool.load({str(SAVED / "networks")!r})
texts = ["A text of some words, which is repeated. " * 20] * 200_000
data = pa.{kind}({{"text": texts}})
threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
raised = []
try:
    try:
        pa.{kind}(lexpool.arrow.annotate(data, nlp, columns=["tag"]))
    except Exception as error:
        # A program that handles errors of the data gets the interrupt after them.
        raised.append(str(error))
        for _ in range(1000):
            pass
    raise AssertionError("the work was not stopped")
except KeyboardInterrupt:
    pass
assert all("stopped by a signal" in text for text in raised), raised
"""
    )


def test_a_configuration_with_a_pipeline_is_a_small_value(networks):
    given = {"pipeline": SAVED / "networks", "text": "text", "columns": ["tag_", "cats"]}
    first = Annotator(**given)
    assert first == Annotator(**given) != Annotator(**given, exclude=["parser"])
    assert first.lang == "xx" and len(pickle.dumps(first)) < 1000
    assert pickle.loads(pickle.dumps(first)) == first and "pipeline=" in repr(first)
    done = pa.table(first(texts(30)))
    expected = lexpool.arrow.annotate(texts(30), networks, columns=["tag_", "cats"])
    assert done.equals(pa.table(expected))
    assert altered(first, columns=("lemma",)).digest == first.digest
    exact = lexpool.load(SAVED / "networks", numerics="blis-generic")
    expected = lexpool.arrow.annotate(texts(30), exact, columns=["tag_", "cats"])
    assert pa.table(Annotator(**given, numerics="blis-generic")(texts(30))).equals(
        pa.table(expected)
    )
    assert next(str(field.type) for field in first.fields()).startswith("list<item: string")


def test_a_configuration_that_does_not_fit_its_pipeline_is_refused_where_it_is_made(tmp_path):
    networks = SAVED / "networks"
    for wrong, why in [
        ({"columns": ["tag"]}, "such as a tagger"),
        ({"pipeline": networks, "columns": ["tag"], "exclude": ["tagger"]}, "such as a tagger"),
        ({"pipeline": networks, "rules": tmp_path}, "not both"),
        ({"exclude": ["tagger"]}, "none is given"),
        ({"numerics": "blis-generic"}, "none is given"),
        ({"pipeline": networks, "numerics": "half"}, "expected one of fast"),
    ]:
        with pytest.raises(ValueError, match=why):
            Annotator(**wrong)
    with pytest.raises(TypeError, match="list of names"):
        Annotator(pipeline=networks, exclude="tagger")
    with pytest.raises(OSError, match="E050"):
        Annotator(pipeline=tmp_path / "none")


def test_a_pipeline_that_has_changed_since_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "pipeline"
    shutil.copytree(SAVED / "rules", path)
    before = Annotator(pipeline=path, columns=["lemma"])
    copied = tmp_path / "copy"
    shutil.copytree(path, copied)
    assert Annotator(pipeline=copied, columns=["lemma"]).digest == before.digest
    (path / "meta.json").write_text((path / "meta.json").read_text() + " ")
    assert Annotator(pipeline=path, columns=["lemma"]).digest != before.digest
    # As on a worker, which has nothing but the files.
    monkeypatch.setattr("lexpool.engines._known", {})
    for refused in (lambda: before(texts()), lambda: altered(before, text="text")):
        with pytest.raises(ValueError, match="is not the one"):
            refused()


def test_a_packed_file_gives_what_its_folder_does(tmp_path, monkeypatch):
    def pack(name):
        folder, file = str(SAVED / name), tmp_path / "packed.pipeline"
        command = [sys.executable, "-m", "lexpool", "model", "pack", folder, "-o", str(file)]
        subprocess.run(command, check=True, capture_output=True, env=environment())
        return file

    columns = [*with_strings(COLUMNS["networks"]), "strings", "tokens"]
    packed = Annotator(pipeline=pack("networks"), columns=columns)
    done = pa.table(packed(texts(100)))
    assert done.equals(
        pa.table(Annotator(pipeline=SAVED / "networks", columns=columns)(texts(100)))
    )
    assert pickle.loads(pickle.dumps(packed)) == packed
    pack("rules")
    monkeypatch.setattr("lexpool.engines._known", {})
    with pytest.raises(ValueError, match="is not the one"):
        packed(texts())


def test_annotators_of_one_pipeline_share_it(monkeypatch):
    known = {}
    monkeypatch.setattr("lexpool.engines._known", known)
    for columns in (["tag"], ["lemma_"], ["cats"]):
        pa.table(Annotator(pipeline=SAVED / "networks", columns=columns)(texts()))
    assert len(known) == 1
    pa.table(
        Annotator(pipeline=SAVED / "networks", columns=["tag"], exclude=["entity_linker"])(texts())
    )
    assert len(known) == 2


def test_a_writer_of_corpora_writes_the_annotation_of_a_pipeline(tmp_path, networks):
    write = CorpusWriter(tmp_path / "shards", Annotator(pipeline=SAVED / "networks", text="text"))
    table = texts(20)
    written = pa.concat_tables([write(table.slice(0, 9)), write(table.slice(9))])
    merge(written, tmp_path / "all.corpus")
    found = {doc.text: doc for doc in Corpus.open(tmp_path / "all.corpus")}
    for text in table["text"].to_pylist():
        if text is not None:
            doc = networks(text)
            assert [t.tag_ for t in found[text]] == [t.tag_ for t in doc]
            assert [t.head.i for t in found[text]] == [t.head.i for t in doc]
