"""A component that fails: what its error handler decides, and what becomes of the other
documents.
"""

import pytest
from hypothesis import given, settings, strategies as st

import lexpool
from lexpool.errors import ConfigError
from lexpool.pipeline import Pipe
from lexpool.util import ignore_error, raise_error

THREADS = pytest.mark.parametrize("n_threads", [0, 1, 2])
TEXTS = ["one", "two", "three fails", "four", "five"]


def failing(doc):
    """Fails where the text says so."""
    if "fails" in doc.text:
        raise LookupError("told to fail")
    return doc


class ByDoc:
    """A component without a pipe of its own."""

    def __call__(self, doc):
        return failing(doc)


class ByStream(ByDoc):
    """One that takes the documents of a batch as a stream."""

    def pipe(self, stream, *, batch_size):
        for doc in stream:
            yield failing(doc)


class Handling(Pipe):
    """One with an error handler, as lexpool's own have."""

    def __call__(self, doc):
        return failing(doc)


KINDS = pytest.mark.parametrize("kind", [ByDoc, ByStream, Handling])


def pipeline(component, *after):
    nlp = lexpool.blank("en")
    nlp.add_pipe(component, name="failing")
    for i, other in enumerate(after):
        nlp.add_pipe(other, name=f"after{i}")
    return nlp


@THREADS
@KINDS
@pytest.mark.parametrize("batch_size", [1, 2, 5, 100])
def test_an_error_comes_after_the_documents_before_it_and_says_where(kind, batch_size, n_threads):
    stream = pipeline(kind()).pipe(TEXTS, batch_size=batch_size, n_threads=n_threads)
    assert [next(stream).text for _ in range(2)] == TEXTS[:2]
    with pytest.raises(LookupError, match="told to fail") as caught:
        next(stream)
    (note,) = caught.value.__notes__
    assert "'failing'" in note and "document 2" in note and "three fails" in note
    # The stream goes on with the documents after it.
    assert [doc.text for doc in stream] == TEXTS[3:]


@THREADS
@pytest.mark.parametrize("kind", [ByDoc, Handling])
def test_a_handler_that_raises_nothing_leaves_the_document_out(kind, n_threads):
    nlp = pipeline(kind())
    seen = []

    def handler(name, component, docs, error):
        seen.append((name, component, [doc.text for doc in docs], str(error)))

    nlp.set_error_handler(handler)
    for _ in range(2):
        docs = nlp.pipe(TEXTS, batch_size=2, n_threads=n_threads)
        assert [doc.text for doc in docs] == ["one", "two", "four", "five"]
    assert seen == [("failing", nlp.get_pipe("failing"), ["three fails"], "told to fail")] * 2


def test_ignore_error_and_raise_error_are_handlers():
    nlp = pipeline(Handling())
    nlp.set_error_handler(ignore_error)
    assert len(list(nlp.pipe(TEXTS))) == 4
    assert nlp("three fails").text == "three fails"
    nlp.set_error_handler(raise_error)
    with pytest.raises(LookupError):
        list(nlp.pipe(TEXTS))
    with pytest.raises(ValueError, match="E109"):
        pipeline(lambda doc: {}[doc])("one")


def test_a_components_own_handler_goes_before_the_pipelines():
    component = Handling()
    nlp = pipeline(component)
    nlp.default_error_handler = ignore_error
    with pytest.raises(LookupError):
        list(nlp.pipe(TEXTS))
    component.set_error_handler(ignore_error)
    nlp.default_error_handler = raise_error
    assert len(list(nlp.pipe(TEXTS))) == 4


def test_what_a_handler_raises_takes_the_errors_place():
    def handler(name, component, docs, error):
        raise KeyError(name) from error

    nlp = pipeline(ByDoc())
    nlp.set_error_handler(handler)
    with pytest.raises(KeyError) as caught:
        list(nlp.pipe(TEXTS))
    assert isinstance(caught.value.__cause__, LookupError)
    assert "document 2" in caught.value.__notes__[0]


@THREADS
def test_an_op_that_fails_is_dealt_with_like_any_component(n_threads):
    def refuse(*_args):
        raise LookupError("told to fail")

    nlp = lexpool.blank("en")
    nlp.add_pipe(lexpool.ops.doc.words, name="words")
    nlp.add_pipe(ByDoc(), name="failing")
    with lexpool.ops.override("doc.words", refuse):
        with pytest.raises(LookupError) as caught:
            list(nlp.pipe(TEXTS, n_threads=n_threads))
        assert any("'words'" in note and "document 0" in note for note in caught.value.__notes__)
        nlp.set_error_handler(ignore_error)
        assert list(nlp.pipe(TEXTS, n_threads=n_threads)) == []
    assert len(list(nlp.pipe(TEXTS, n_threads=n_threads))) == 4


@KINDS
@settings(max_examples=40, deadline=None)
@given(
    flags=st.lists(st.booleans(), max_size=30),
    batch_size=st.integers(1, 12),
    n_threads=st.sampled_from([0, 1, 2]),
    as_docs=st.booleans(),
)
def test_no_document_and_no_context_is_lost_or_doubled(kind, flags, batch_size, n_threads, as_docs):
    nlp = pipeline(kind(), lambda doc: doc)
    texts = [f"{i} fails" if flag else f"{i}" for i, flag in enumerate(flags)]
    pairs = [(nlp.make_doc(text) if as_docs else text, text) for text in texts]
    stream = nlp.pipe(pairs, as_tuples=True, batch_size=batch_size, n_threads=n_threads)
    seen = []
    while True:
        try:
            doc, context = next(stream)
        except StopIteration:
            break
        except LookupError as error:
            seen.append(texts[len(seen)])
            assert f"document {len(seen) - 1} " in error.__notes__[0]
        else:
            assert doc.text == context
            seen.append(context)
    assert seen == texts


def test_a_component_that_gives_no_document_is_told_so():
    for given_back in (None, "text", 3):
        nlp = pipeline(lambda doc, given_back=given_back: given_back)
        with pytest.raises(ValueError, match="E005.*failing"):
            nlp("one")
        with pytest.raises(ValueError, match="E005.*failing"):
            list(nlp.pipe(["one"]))


def test_a_text_that_cannot_be_tokenized_is_refused_in_its_turn():
    nlp = pipeline(ByStream())
    nlp.max_length = 10
    stream = nlp.pipe(["one", "a text that is too long", "two", 3, "four"])
    assert next(stream).text == "one"
    with pytest.raises(ValueError, match="E088"):
        next(stream)
    assert next(stream).text == "two"
    with pytest.raises(ValueError, match="E1041"):
        next(stream)
    assert [doc.text for doc in stream] == ["four"]
    with pytest.raises(ValueError, match="E088"):
        nlp("a text that is too long")


def test_what_is_no_exception_goes_past_all_handlers():
    def interrupt(doc):
        raise KeyboardInterrupt

    nlp = pipeline(interrupt)
    nlp.set_error_handler(ignore_error)
    stream = nlp.pipe(["one", "two"])
    with pytest.raises(KeyboardInterrupt):
        next(stream)


def test_a_component_that_reads_its_own_stream_is_told_so():
    def read(doc):
        next(stream)
        return doc

    stream = pipeline(read).pipe(["one", "two"])
    with pytest.raises(RuntimeError, match="read"):
        next(stream)


def test_a_function_without_a_factory_is_not_saved(tmp_path):
    nlp = pipeline(ByDoc())
    for save in (lambda: nlp.to_disk(tmp_path / "a"), nlp.to_bytes):
        with pytest.raises(ConfigError, match="failing.*component"):
            save()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_stop_iteration_of_a_component_is_no_end_of_the_stream(n_threads):
    def first_of_none(doc):
        return next(iter([])) if doc.text == "b" else doc

    nlp = lexpool.blank("en")
    nlp.add_pipe(first_of_none)
    stream = nlp.pipe(["a", "b", "c"], n_threads=n_threads)
    assert next(stream).text == "a"
    with pytest.raises(RuntimeError, match="StopIteration") as raised:
        next(stream)
    assert isinstance(raised.value.__cause__, StopIteration)
    assert [doc.text for doc in stream] == ["c"]
