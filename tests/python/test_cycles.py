"""Objects that refer to each other in a circle are collected, whatever the class and the place."""

import gc
import weakref
from functools import partial

import held
import numpy as np
import pytest

import lexpool
from lexpool import Doc, Pool, Span, Token, Vocab
from lexpool.matcher import Matcher, PhraseMatcher
from lexpool.tokens import SpanGroup


@pytest.fixture(autouse=True, scope="module")
def extension():
    for cls in (Doc, Span, Token):
        cls.set_extension("keep", default=None, force=True)
    yield
    for cls in (Doc, Span, Token):
        cls.remove_extension("keep")


def left(make, times=5):
    """The number of objects of `make` that are still there when nobody refers to them."""
    references = [weakref.ref(make()) for _ in range(times)]
    gc.collect()
    return sum(reference() is not None for reference in references)


SHAPES = {
    "the document": lambda doc: doc,
    "a list of tokens": list,
    "tokens in a dict": lambda doc: {token.text: token for token in doc},
    "a span": lambda doc: doc[0:2],
    "an iterator of tokens that was begun": lambda doc: [iter(doc), next(iter(doc))],
    "an iterator of a span's tokens": lambda doc: iter(doc[0:1]),
    "children": lambda doc: doc[0].children,
    "a slice of a handle": lambda doc: doc.c[1:],
    "a view of memory": lambda doc: memoryview(doc.c),
    "an open lease": lambda doc: (lease := doc.c.writable(), lease.__enter__()),
    "an ended lease": lambda doc: ended(doc.c.writable()),
    "records in spaCy's layout": lambda doc: doc.c.as_spacy(),
    "groups of spans": lambda doc: doc.spans,
    "what retokenizes": lambda doc: doc.retokenize(),
    "extension attributes": lambda doc: [doc._, doc[0]._, doc[0:1]._],
    "a stream that was begun": lambda doc: begun(held.NLP.pipe([doc, doc], n_threads=1)),
    "a function of a token": lambda doc: partial(held.callback, doc[0]),
    "a generator": lambda doc: (token for token in doc),
}

KINDS = held.HOLDERS | held.OF_PYTHON
SHAPES |= {f"a {kind}": hold for kind, hold in KINDS.items()}


def ended(lease):
    with lease as tokens:
        return [lease, tokens]


def begun(stream):
    next(stream)
    return stream


SLOTS = {
    "_": lambda doc, kept: setattr(doc._, "keep", kept),
    "_ of a token": lambda doc, kept: setattr(doc[0]._, "keep", kept),
    "_ of a span": lambda doc, kept: setattr(doc[0:1]._, "keep", kept),
    "user_data": lambda doc, kept: doc.user_data.update(kept=kept),
    "user_hooks": lambda doc, kept: doc.user_hooks.update(kept=partial(held.callback, kept)),
    "user_token_hooks": lambda doc, kept: setattr(doc, "user_token_hooks", {"kept": kept}),
    "user_span_hooks": lambda doc, kept: setattr(doc, "user_span_hooks", [kept]),
    "cats": lambda doc, kept: setattr(doc, "cats", kept),
    "tensor": lambda doc, kept: setattr(doc, "tensor", kept),
    "_context": lambda doc, kept: setattr(doc, "_context", kept),
    "noun_chunks_iterator": lambda doc, kept: setattr(doc, "noun_chunks_iterator", kept),
    "spans": lambda doc, kept: doc.spans.update(kept=SpanGroup(doc, attrs={"kept": kept})),
    "attrs of a group": lambda doc, kept: setattr(group(doc), "attrs", {"kept": kept}),
}


def group(doc):
    doc.spans["g"] = []
    return doc.spans["g"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_document_that_keeps_a_view_of_itself_is_collected(shape):
    def make():
        doc = held.document(None)
        doc.user_data["kept"] = SHAPES[shape](doc)
        return doc

    assert left(make, 2 if shape[2:] in held.HEAVIEST else 5) == 0


@pytest.mark.parametrize("slot", SLOTS)
def test_a_document_that_keeps_a_token_in_any_place_is_collected(slot):
    def make():
        doc = held.document(None)
        SLOTS[slot](doc, doc[1])
        return doc

    assert left(make) == 0


def test_two_documents_that_keep_tokens_of_each_other_are_collected():
    def make():
        one, other = held.document(None), held.document(None)
        one._.keep, other._.keep = other[0], iter(one)
        return one

    assert left(make) == 0


class Name(str):
    """A string that may refer to something."""


def held_by_text():
    text = Name("one two")
    text.kept = doc = held.NLP(text)
    return doc


def held_by_computed_vector():
    doc = held.document(None)
    span = doc[0:2]

    class Numbers(np.ndarray):
        pass

    doc.user_span_hooks["vector"] = lambda span: span
    assert span.vector is span
    return doc


def pool_in_itself():
    pool = Pool()
    pool.own(pool)
    return pool


def pool_and_its_records():
    pool = Pool()
    pool.own(pool.alloc_records("TokenC", 2))
    return pool


def vocab_in(slot):
    vocab = Vocab()
    slot(vocab)
    return vocab


def matcher_in_its_callback(cls, pattern):
    matcher = cls(held.VOCAB)
    matcher.add("KEY", pattern, on_match=lambda *found: matcher)
    return matcher


def stream_in_its_texts():
    doc = held.document(None)

    def texts():
        yield "one"
        yield stream

    stream = held.NLP.tokenizer.pipe(texts(), n_threads=1)
    doc.user_data["stream"] = [next(stream), stream]
    return doc


def stream_in_its_error():
    doc = held.document(None)

    def texts():
        own = stream
        yield "one"
        raise ValueError(own)

    stream = held.NLP.pipe(texts(), n_threads=1, batch_size=4)
    next(stream)
    doc.user_data["stream"] = stream
    return doc


def zone_in_its_mem():
    mem = [held.document(None)]
    mem.append(held.VOCAB.memory_zone(mem))
    mem[0].user_data["mem"] = mem
    return mem[0]


OTHERS = {
    "a text that refers to its document": held_by_text,
    "a vector that refers to its span": held_by_computed_vector,
    "a pool in itself": pool_in_itself,
    "a pool and its records": pool_and_its_records,
    "a vocab's settings": lambda: vocab_in(lambda vocab: vocab.cfg.update(kept=vocab["a"])),
    "a vocab's records": lambda: vocab_in(
        lambda vocab: vocab.cfg.update(kept=[vocab.c, vocab["a"].c])
    ),
    "a vocab's noun chunks": lambda: vocab_in(
        lambda vocab: setattr(vocab, "get_noun_chunks", vocab["a"])
    ),
    "a vocab's getters": lambda: vocab_in(
        lambda vocab: vocab.lex_attr_getters.update({lexpool.attrs.PREFIX: lambda text: str(vocab)})
    ),
    "a vocab's documents": lambda: vocab_in(
        lambda vocab: vocab.cfg.update(kept=list(Doc(vocab, words=["a"])))
    ),
    "a matcher": lambda: matcher_in_its_callback(Matcher, [[{"ORTH": "a"}]]),
    "a matcher of phrases": lambda: matcher_in_its_callback(PhraseMatcher, held.PHRASES),
    "a stream in its texts": stream_in_its_texts,
    "a stream in its error": stream_in_its_error,
    "a zone": zone_in_its_mem,
}


@pytest.mark.parametrize("other", OTHERS)
def test_other_circles_are_collected(other):
    assert left(OTHERS[other]) == 0


def test_every_class_that_holds_an_object_shows_it_to_the_collector():
    for kind, hold in KINDS.items():
        marked = partial(held.callback)
        reached, todo = set(), [hold(marked)]
        while todo and id(marked) not in reached:
            for found in gc.get_referents(todo.pop()):
                if id(found) not in reached and not isinstance(found, type):
                    reached.add(id(found))
                    todo.append(found)
        assert id(marked) in reached, kind


def test_views_are_used_anew_and_tracked_all_the_while():
    doc = held.NLP("one two three")
    tokens = [doc[i % 3] for i in range(1000)]
    assert all(gc.is_tracked(token) for token in tokens)
    assert any(found is doc for found in gc.get_referents(tokens[0]))
    del tokens
    gc.collect()
    again = [doc[i % 3] for i in range(1000)]
    assert [token.text for token in again] == ["one", "two", "three"] * 333 + ["one"]
    assert all(gc.is_tracked(token) for token in again)


def test_memory_at_rest_says_nothing_and_is_nobodys():
    doc = held.NLP("one two three")
    views = [list(doc), [doc.c, doc.c[1:]], [held.VOCAB["a"], held.VOCAB["b"]]]
    del views
    at_rest = [found for found in gc.get_objects() if type(found).__name__ == "Spare"]
    assert at_rest
    for found in at_rest:
        assert gc.get_referents(found) == []
        assert repr(found).startswith("<lexpool._core.Spare object")
        assert not hasattr(found, "text") and not hasattr(found, "doc")
        with pytest.raises(TypeError):
            type(found)()
        with pytest.raises(TypeError):
            found.__class__ = Token
        with pytest.raises(TypeError):
            object.__new__(type(found))
    # An object that somebody looks at stays as it is, and no view is made of it.
    numbers = {id(found) for found in at_rest}
    made = [[doc[0], doc.c, held.VOCAB["b"]] for _ in range(600)]
    assert not numbers & {id(view) for views in made for view in views}
    assert {type(found).__name__ for found in at_rest} == {"Spare"}
    del made, found, at_rest
    assert [token.text for token in doc] == ["one", "two", "three"]


def test_tokens_made_and_dropped_while_garbage_is_collected_are_themselves():
    """Finalizers and weak references run while the collector holds a list of what it will clear."""
    seen = []

    class Busy:
        def __del__(self):
            doc = held.NLP("four five six")
            kept = [[doc[i], iter(doc), doc.c[i:], held.VOCAB["four"]] for i in range(3)]
            gc.collect()
            seen.append([token.text for token, *_ in kept] + [kept[0][3].text])

    for _ in range(50):
        doc = held.document(None)
        doc._.keep = [list(doc), Busy(), [doc.c, doc.c[1:]], held.VOCAB["x"], Busy()]
        gone = weakref.ref(doc, lambda _: seen.append([held.NLP("y")[0].text]))
        del doc
        gc.collect()
        assert gone() is None
    assert len(seen) == 150
    assert all(texts in (["four", "five", "six", "four"], ["y"]) for texts in seen)


def test_collections_are_not_made_more_often_by_tokens():
    doc = held.NLP("one two three")
    gc.collect()
    before = gc.get_count()[0]
    tokens = [doc[i % 3] for i in range(300)]
    after = gc.get_count()[0]
    assert after - before < 100, (before, after)
    del tokens
