"""A document's tokens, lent to Cython in spaCy's layout, and what becomes of what is written."""

import gc
import pickle
import threading
import time

import numpy
import pytest

import lexpool
from lexpool.errors import BusyError, StaleError


@pytest.fixture(scope="module")
def kernel(toolchain):
    return toolchain.module("lexpool_page")


@pytest.fixture
def doc():
    return lexpool.Doc(lexpool.blank("en").vocab, words=["We", "saw", "New", "York", "."])


@pytest.mark.parametrize(("start", "end"), [(2, 1), (-2, 3), (0, -2)])
def test_a_range_that_is_none_is_refused(kernel, doc, start, end):
    with pytest.raises(ValueError, match="a range of them"):
        kernel.children(doc, start, end)
    with pytest.raises(ValueError, match="not NULL and 0 to 1"):
        kernel.children_of_nothing()


def test_what_is_written_reaches_python(kernel, doc):
    tag = doc.vocab.strings.add("TAG")
    at = kernel.address(doc)
    kernel.write(at, 0, tag=tag)
    kernel.write(at, 1, tag=tag)
    assert [token.tag_ for token in doc] == ["TAG", "TAG", "", "", ""]
    kernel.address(doc)
    kernel.write(at, 2, head=1, dep=tag)
    assert doc[2].head.text == "York"
    assert [token.text for token in doc[3].lefts] == ["New"]


@pytest.mark.parametrize(
    "use",
    [
        lambda doc, token, span: token.tag_,
        lambda doc, token, span: span.root.tag_,
        lambda doc, token, span: [token.tag_ for token in doc][1],
        lambda doc, token, span: token.nbor(0).tag_,
        lambda doc, token, span: doc.vocab.strings[int(doc.to_array("TAG")[1])],
        lambda doc, token, span: pickle.loads(pickle.dumps(doc))[1].tag_,
        lambda doc, token, span: doc.copy()[1].tag_,
        lambda doc, token, span: span.as_doc()[0].tag_,
        lambda doc, token, span: lexpool.Doc(doc.vocab).from_bytes(doc.to_bytes())[1].tag_,
        lambda doc, token, span: doc.vocab.strings[doc.c.tags[1].tag],
        lambda doc, token, span: doc.vocab.strings[doc.c.as_spacy()[1].tag],
    ],
)
def test_every_way_to_the_document_sees_it(kernel, doc, use):
    token, span = doc[1], doc[1:2]
    kernel.write(kernel.address(doc), 1, tag=doc.vocab.strings.add("TAG"))
    assert use(doc, token, span) == "TAG"


def test_a_change_comes_after_what_was_written(kernel, doc):
    tag, at = doc.vocab.strings.add("TAG"), kernel.address(doc)
    kernel.write(at, 1, tag=tag)
    doc[0].tag_ = "OTHER"
    assert [token.tag_ for token in doc][:2] == ["OTHER", "TAG"]
    kernel.write(kernel.address(doc), 2, tag=tag)
    with doc.c.writable() as tokens:
        numpy.asarray(tokens.tags)["tag"][3] = tag
    assert [token.tag_ for token in doc] == ["OTHER", "TAG", "TAG", "TAG", ""]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"head": 9}, "E190"),
        ({"head": -2}, "E190"),
        ({"ent_iob": 4}, "E982"),
        ({"idx": 1}, "the offset or the space of token 1 was changed"),
        ({"lex": None}, "the word, .* of token 1 was changed"),
    ],
)
def test_what_does_not_hold_raises_once_and_leaves_the_document(kernel, doc, fault, says):
    doc[0].tag_ = "KEPT"
    at = kernel.address(doc)
    kernel.write(at, 2, tag=5)
    kernel.write(at, 1, **fault)
    with pytest.raises(ValueError, match=says):
        doc[1].text
    assert [token.text for token in doc] == ["We", "saw", "New", "York", "."]
    assert [token.tag_ for token in doc] == ["KEPT", "", "", "", ""]
    assert kernel.address(doc) == at
    kernel.write(at, 2, tag=doc.vocab.strings.add("NOW"))
    assert doc[2].tag_ == "NOW"


def test_asked_again_the_tokens_are_where_they_were(kernel, doc):
    at = kernel.address(doc)
    assert kernel.address(doc) == at
    assert len(doc) == kernel.length(doc) == 5
    doc[1].tag_ = "TAG"
    assert kernel.address(doc) == at
    assert kernel.tag(at, 1) == doc.vocab.strings["TAG"]


def test_asking_for_the_length_ends_no_loan(kernel, doc):
    at = kernel.address(doc)
    kernel.write(at, 1, tag=5)
    assert kernel.length(doc) == 5
    kernel.write(at, 2, tag=6)
    assert [token.tag for token in doc] == [0, 5, 6, 0, 0]


def test_an_address_outlives_a_merge_and_another_is_given(kernel, doc):
    at = kernel.address(doc)
    kernel.write(at, 2, tag=5)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    assert [token.text for token in doc] == ["We", "saw", "New York", "."]
    assert doc[2].tag == 5
    assert kernel.tag(at, 2) == 5
    now = kernel.address(doc)
    assert now != at and kernel.length(doc) == 4
    assert kernel.tag(now, 2) == 5
    kernel.write(at, 4, tag=9)
    assert [token.tag for token in doc] == [0, 0, 5, 0]
    assert kernel.address(doc) == now


def test_what_is_written_after_a_use_from_python_is_lost_and_that_is_said(kernel, doc):
    at = kernel.address(doc)
    assert doc[2].tag == 0
    kernel.write(at, 2, tag=5)
    assert doc[2].tag == 0
    with pytest.raises(StaleError, match=r"token 2 was written .* take doc\.c again"):
        kernel.address(doc)
    assert kernel.address(doc) == at
    kernel.write(at, 2, tag=5)
    assert doc[2].tag == 5


def test_a_merge_under_a_loan_of_a_held_token_is_still_stale(kernel, doc):
    token = doc[3]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
        kernel.address(doc)
    with pytest.raises(StaleError):
        token.text


def test_a_document_goes_with_what_it_lent(kernel, doc):
    for _ in range(3):
        made = doc.copy()
        kernel.write(kernel.address(made), 0, tag=3)
        del made
    gc.collect()
    kernel.address(doc)
    vocab = doc.vocab
    del doc
    gc.collect()
    assert vocab["We"].text == "We"


def test_under_a_lease_the_tokens_are_not_lent(kernel, doc):
    with doc.c.writable():
        for use in (kernel.address, kernel.length):
            with pytest.raises(BusyError, match="under a lease"):
                use(doc)
    assert kernel.length(doc) == 5 and kernel.address(doc)


def test_a_document_that_is_read_without_the_gil_is_not_lent(kernel):
    nlp = lexpool.blank("en")
    doc = nlp("so it goes, " * 200_000)
    met, done = [], threading.Event()

    def read():
        while not done.is_set():
            doc.to_array(["LOWER", "SHAPE", "NORM"])

    reading = threading.Thread(target=read)
    reading.start()
    end = time.monotonic() + 20
    while not met and time.monotonic() < end:
        try:
            kernel.address(doc)
        except BusyError as error:
            met.append(str(error))
    done.set()
    reading.join()
    assert met and "being read" in met[0]


@pytest.mark.parametrize("given", [None, 3, "text"])
def test_another_object_is_a_type_error(kernel, doc, given):
    with pytest.raises(TypeError):
        kernel.length(given)
    with pytest.raises(TypeError):
        kernel.address_of_any(given)
    with pytest.raises(TypeError):
        kernel.address_of_any(doc.vocab)


def test_what_was_not_written_makes_no_arrays(kernel, doc):
    assert kernel.address(doc) and doc[0].text == "We"
    assert doc.c.tags is doc.c.syntax is doc.c.entities is None


def test_a_token_and_a_lexeme_are_had_from_their_records(kernel, doc):
    token, lexeme = kernel.as_objects(doc, 2)
    assert (token.i, token.text, lexeme.text) == (2, "New", "We")
    for i in (-1, 5):
        with pytest.raises(IndexError, match="E040"):
            kernel.as_objects(doc, i)


def test_threads_that_borrow_and_read_one_document_see_whole_states(kernel, doc):
    together, tag = threading.Barrier(4), doc.vocab.strings.add("TAG")
    failures = []

    def work(part):
        together.wait()
        try:
            for i in range(400):
                kernel.put_tag(doc, (part + i) % 5, tag)
                assert doc[i % 5].tag in (0, tag)
                assert doc.text == "We saw New York . "
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(failure) for failure in failures if not isinstance(failure, BusyError)] == []
    assert {token.tag_ for token in doc} == {"TAG"}
