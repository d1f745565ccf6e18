"""Documents, spans and vocabs, read by other libraries through Arrow's C data interface."""

import ctypes
import gc
import subprocess
import sys
import threading

import pytest

import lexpool
import lexpool.arrow
from lexpool.tokens import Doc

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

TEXT = "Let's visit Llanfairpwllgwyngyll, said Antidisestablishmentarians."
NON_ASCII = "Caf\u00e9s \u00fcberraschenderweise ge\u00f6ffnet: \u4eca\u65e5\u306f\u3044\u3044\u5929\u6c17\u3067\u3059\u306d \U0001f600 na\u00efve"
TEXTS = [TEXT, "", "short", NON_ASCII]
READERS = ("pyarrow", "polars", "duckdb", "pandas")


@pytest.fixture(scope="module")
def nlp():
    return lexpool.blank("en")


@pytest.fixture
def annotated(nlp):
    return Doc(
        nlp.vocab,
        words=["She", "visits", "Llanfairpwllgwyngyll", "."],
        spaces=[True, True, False, False],
        lemmas=["she", "visit", "Llanfairpwllgwyngyll", ""],
        pos=["PRON", "VERB", "PROPN", ""],
        tags=["PRP", "VBZ", "NNP", "."],
        heads=[1, 1, 1, 1],
        deps=["nsubj", "ROOT", "dobj", "punct"],
        ents=["O", "O", "B-GPE", "O"],
    )


def row(token):
    """Returns the row of a token, computed from its Python properties."""
    return {
        "text": token.text,
        "start": token.idx,
        "end": token.idx + len(token),
        "orth": token.orth,
        "space": bool(token.whitespace_),
        "lemma": token.lemma_ or None,
        "pos": token.pos_ or None,
        "tag": token.tag_ or None,
        "dep": token.dep_ or None,
        "head": token.head.i if token.has_head() else None,
        "ent_type": token.ent_type_ or None,
        "ent_iob": token.ent_iob or None,
        "sent_start": sent_start(token),
    }


def sent_start(token):
    if not token.doc.has_annotation("SENT_START"):
        return None
    return {True: 1, False: -1, None: None}[token.is_sent_start]


def doc_row(doc):
    keys = ("start", "end", "orth", "space")
    tokens = [{key: row(token)[key] for key in keys} for token in doc]
    return {"text": doc.text, "n_tokens": len(doc), "tokens": tokens}


def lexeme_row(lexeme):
    keys = ("text", "orth", "lower", "norm", "shape", "prefix", "suffix", "lang")
    return {key: getattr(lexeme, key) for key in keys} | {"length": len(lexeme.text)}


def read(library, source):
    """The rows of a source as dicts, as a library reads them."""
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    if library == "pyarrow":
        return module.table(source).to_pylist()
    if library == "polars":
        return module.DataFrame(source).to_dicts()
    if library == "duckdb":
        found = module.sql("select * from source")
        return [dict(zip(found.columns, values, strict=True)) for values in found.fetchall()]
    frame = module.DataFrame.from_arrow(source)
    frame = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(frame, values, strict=True)) for values in frame.itertuples(index=False)]


def plain(value):
    """Without the types of NumPy that a reader may wrap values in."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(item) for item in value] if isinstance(value, list) else value


def buffers(array):
    """The addresses and bytes of the buffers that views point into."""
    kept = array.buffers()[2:]
    return [(buffer.address, buffer.size) for buffer in kept]


@pytest.mark.parametrize("library", READERS)
@pytest.mark.parametrize("text", TEXTS)
def test_a_document_is_read_as_it_is(nlp, library, text):
    doc = nlp(text)
    assert plain(read(library, doc)) == [row(token) for token in doc]


@pytest.mark.parametrize("library", READERS)
def test_annotation_is_read_as_it_is(annotated, library):
    assert plain(read(library, annotated)) == [row(token) for token in annotated]


@pytest.mark.parametrize("library", READERS)
def test_a_span_is_read_as_the_tokens_it_has(annotated, library):
    span = annotated[1:3]
    assert plain(read(library, span)) == [row(token) for token in span]


@pytest.mark.parametrize("library", READERS)
def test_a_list_of_documents_is_read_as_it_is(nlp, library):
    docs = [nlp(text) for text in TEXTS]
    table = lexpool.arrow.docs(docs)
    assert len(table) == len(docs)
    assert plain(read(library, table)) == [doc_row(doc) for doc in docs]


@pytest.mark.parametrize("library", READERS)
def test_the_tokens_of_documents_are_read_with_their_documents(nlp, annotated, library):
    docs = [*(nlp(text) for text in TEXTS), annotated]
    table = lexpool.arrow.tokens(docs)
    expected = [{"doc": i} | row(token) for i, doc in enumerate(docs) for token in doc]
    assert len(table) == len(expected)
    assert plain(read(library, table)) == expected


@pytest.mark.parametrize("library", READERS)
def test_a_vocab_is_read_as_it_is(library):
    nlp = lexpool.blank("en")
    nlp(TEXT + NON_ASCII)
    rows = plain(read(library, nlp.vocab))
    expected = [lexeme_row(lexeme) for lexeme in nlp.vocab]
    assert [{key: found[key] for key in expected[0]} for found in rows] == expected
    flag = lexpool.attrs.IDS["IS_ALPHA"]
    alpha = {found["text"]: bool(found["flags"] >> flag & 1) for found in rows}
    assert alpha == {lexeme.text: lexeme.is_alpha for lexeme in nlp.vocab}


def test_an_array_and_a_stream_hold_the_same(annotated):
    assert pa.record_batch(annotated).equals(pa.table(annotated).to_batches()[0])
    assert pa.array(annotated[1:2]).to_pylist() == [row(annotated[1])]


def test_no_documents_are_a_table_with_columns():
    table = pa.table(lexpool.arrow.docs([]))
    assert (table.num_rows, table.column_names) == (0, ["text", "n_tokens", "tokens"])
    assert pa.table(lexpool.arrow.tokens([])).column_names[0] == "doc"


def test_the_text_is_that_of_the_document_and_no_copy(nlp):
    text = "".join([TEXT, " it was"])
    doc = nlp(text)
    # CPython keeps the characters of an ASCII string behind its header.
    address = id(text) + sys.getsizeof("") - 1
    assert ctypes.string_at(address, len(text)).decode() == text
    for source in (doc, doc[2:4]):
        assert buffers(pa.record_batch(source)["text"]) == [(address, len(text))]
    for table in (lexpool.arrow.docs([doc]), lexpool.arrow.tokens([doc])):
        assert buffers(pa.table(table)["text"].chunk(0)) == [(address, len(text))]


def test_a_text_that_is_no_ascii_lies_in_the_document_once(nlp):
    doc = nlp(NON_ASCII)
    found = [buffers(pa.record_batch(source)["text"]) for source in (doc, doc[1:3], doc)]
    assert found[0] == found[1] == found[2]
    assert ctypes.string_at(*found[0][0]).decode() == NON_ASCII


@pytest.mark.parametrize("text", [TEXT, NON_ASCII])
def test_arrays_outlive_the_document(text):
    nlp = lexpool.blank("en")
    doc = nlp("".join(text))
    expected = [row(token) for token in doc]
    batch, table = pa.record_batch(doc), pa.table(lexpool.arrow.docs([doc]))
    del doc, nlp
    gc.collect()
    # An allocation that reuses freed memory overwrites it.
    other = [lexpool.blank("en")("x" * len(text)) for _ in range(3)]
    assert batch.to_pylist() == expected
    assert table["text"].to_pylist() == [text]
    assert len(other) == 3


@pytest.mark.parametrize("text", [TEXT, NON_ASCII])
def test_arrays_show_the_document_as_it_was_before_an_edit(nlp, text):
    doc = nlp(text)
    expected = [row(token) for token in doc]
    batch = pa.record_batch(doc)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    # Spaces are part of the text, so it is written anew.
    attrs = [lexpool.attrs.IDS["SPACY"]]
    doc.from_array(attrs, [[1]] * len(doc))
    gc.collect()
    assert doc.text != text
    assert batch.to_pylist() == expected
    assert pa.record_batch(doc).to_pylist() == [row(token) for token in doc]


def test_arrays_outlive_a_memory_zone():
    nlp = lexpool.blank("en")
    with nlp.vocab.memory_zone():
        doc = nlp(TEXT)
        expected = [row(token) for token in doc]
        batch = pa.record_batch(doc)
        in_zone = pa.table(nlp.vocab)
        words = [lexeme.text for lexeme in nlp.vocab]
        del doc
    gc.collect()
    assert batch.to_pylist() == expected
    assert in_zone["text"].to_pylist() == words
    assert pa.table(nlp.vocab).num_rows < in_zone.num_rows


def test_capsules_that_nobody_takes_leak_nothing(nlp):
    text = "".join([TEXT, " again"])
    doc = nlp(text)
    tables = [lexpool.arrow.docs([doc]), lexpool.arrow.tokens([doc])]
    gc.collect()
    before = sys.getrefcount(text), sys.getrefcount(doc)
    for _ in range(10):
        schema, array = doc.__arrow_c_array__()
        streams = [doc.__arrow_c_stream__(), *(table.__arrow_c_stream__() for table in tables)]
        assert sys.getrefcount(text) > before[0]
        del schema, array, streams
    assert (sys.getrefcount(text), sys.getrefcount(doc)) == before
    taken = [pa.record_batch(doc), *map(pa.table, tables)]
    del taken
    gc.collect()
    assert (sys.getrefcount(text), sys.getrefcount(doc)) == before


def test_memory_stays_where_it_is_when_capsules_are_dropped(nlp):
    resource = pytest.importorskip("resource")
    doc = nlp(f"{NON_ASCII} " * 5000)
    rounds = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]
    for _ in range(3):
        for _ in range(10):
            doc.__arrow_c_array__()
            doc.__arrow_c_stream__()
        rounds.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    # A leak would be of twenty tables a round, some megabytes each.
    assert rounds[3] - rounds[1] < (rounds[1] - rounds[0]) + 8192


def test_arrays_may_be_released_by_another_thread(nlp):
    text = "".join([TEXT, " elsewhere"])
    doc = nlp(text)
    before = sys.getrefcount(text)
    held = [pa.record_batch(doc)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert sys.getrefcount(text) == before


def test_arrays_may_outlive_the_interpreter():
    code = (
        "import ctypes, lexpool, pyarrow\n"
        f"kept = pyarrow.record_batch(lexpool.blank('en')({TEXT!r} * 2))\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_strings_are_given_as_they_are_asked_for(annotated, kind):
    own = pa.record_batch(annotated).schema
    asked = own.set(0, pa.field("text", kind)).set(5, pa.field("lemma", kind))
    with_doc = asked.insert(0, pa.field("doc", pa.uint32()))
    rows = lexpool.arrow.tokens([annotated])
    for source, schema in ((annotated, asked), (annotated[1:], asked), (rows, with_doc)):
        capsule = source.__arrow_c_stream__(schema.__arrow_c_schema__())
        table = pa.RecordBatchReader._import_from_c_capsule(capsule).read_all()
        assert (table.schema.field("text").type, table.schema.field("lemma").type) == (kind, kind)
        assert table["text"].to_pylist() == pa.table(source)["text"].to_pylist()
        assert table["lemma"].to_pylist() == pa.table(source)["lemma"].to_pylist()


def test_a_schema_that_cannot_be_given_is_an_error(nlp):
    doc = nlp(TEXT)
    own = pa.record_batch(doc).schema
    refused = [
        (own.remove(0), "has the columns start, end"),
        (own.set(0, pa.field("title", pa.string())), "has the columns title"),
        (own.set(0, pa.field("text", pa.int32())), '"text" is requested as Int32'),
    ]
    for schema, words in refused:
        for ask in (doc.__arrow_c_array__, doc[1:].__arrow_c_stream__):
            with pytest.raises(ValueError, match=words):
                ask(schema.__arrow_c_schema__())
    with pytest.raises(ValueError, match="not a struct of columns"):
        doc.__arrow_c_array__(pa.int32().__arrow_c_schema__())
    taken = own.__arrow_c_schema__()
    pa.Schema._import_from_c_capsule(taken)
    with pytest.raises(ValueError, match="released"):
        doc.__arrow_c_array__(taken)
    with pytest.raises(ValueError):
        doc.__arrow_c_array__(nlp.vocab.__arrow_c_stream__())
    with pytest.raises(TypeError, match="not str"):
        doc.__arrow_c_array__("schema")


def test_a_number_of_another_width_is_given_as_it_is(nlp):
    """The protocol lets a producer keep its own form where it has no other."""
    doc = nlp(TEXT)
    asked = pa.record_batch(doc).schema.set(1, pa.field("start", pa.int64()))
    schema, _ = doc.__arrow_c_array__(asked.__arrow_c_schema__())
    assert pa.Schema._import_from_c_capsule(schema).field("start").type == pa.uint32()


def test_what_is_no_document_is_refused(nlp):
    with pytest.raises(TypeError, match="item 1 is <class 'str'>"):
        lexpool.arrow.docs([nlp("one"), "two"])
    with pytest.raises(TypeError):
        lexpool.arrow.tokens(3)
