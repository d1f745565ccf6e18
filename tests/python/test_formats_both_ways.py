"""Random documents through every form of bytes, to spaCy and back: equal after the round trip."""

import pickle

import pytest
from random_documents import Library, describe
from readings import outcome, plain

import lexpool
from lexpool.tokens import DocBin

FACTS = ["text", "has_unknown_spaces", "cats", "user_data", "tensor", "sentiment"]


@pytest.fixture(scope="module")
def libraries(spacy):
    import spacy.tokens

    import lexpool.tokens

    return (
        Library(spacy.tokens, spacy.blank("en").vocab, remakes=True),
        Library(lexpool.tokens, lexpool.blank("en").vocab, remakes=False),
    )


@pytest.fixture(scope="module")
def pairs(libraries):
    """The same documents in both libraries."""
    made = []
    for seed in range(150):
        theirs, ours = (each.build(describe(seed), outcome)[0] for each in libraries)
        if theirs is not None and ours is not None:
            made.append((theirs, ours))
    assert len(made) > 100
    return made


def contents(doc, facts=FACTS):
    """Returns the parts of a document that its serialized forms hold."""
    # With a tree, the sentence starts, which come last, follow from it when a document is loaded.
    attrs = doc._get_array_attrs()[: -1 if doc.has_annotation("DEP") else None]
    array = doc.to_array(attrs)
    strings = [(t.text, t.tag_, t.lemma_, t.dep_, t.ent_type_, str(t.morph)) for t in doc]
    groups = {key: plain(group, doc) for key, group in doc.spans.items()}
    return array.tolist(), strings, groups, [plain(getattr(doc, name)) for name in facts]


def empty(like):
    """An empty document of the same library, with a vocab that knows nothing yet."""
    if isinstance(like, lexpool.Doc):
        return lexpool.Doc(lexpool.Vocab())
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    return Doc(Vocab())


def is_saved_whole(doc):
    """Returns whether spaCy restores the document from its bytes; it loses some strings."""
    return outcome(lambda: contents(empty(doc).from_bytes(doc.to_bytes())))[0] == "gives"


def test_bytes_and_dicts_both_ways(pairs):
    for theirs, ours in pairs:
        expected = contents(ours)
        assert contents(empty(ours).from_bytes(ours.to_bytes())) == expected
        assert contents(empty(ours).from_dict(ours.to_dict())) == expected
        if is_saved_whole(theirs):
            assert contents(empty(theirs).from_bytes(ours.to_bytes())) == contents(theirs)
            assert contents(empty(ours).from_bytes(theirs.to_bytes())) == expected
            assert (
                contents(
                    empty(ours).from_bytes(empty(theirs).from_bytes(ours.to_bytes()).to_bytes())
                )
                == expected
            )


def test_pickles(pairs):
    ours = [doc for _, doc in pairs]
    for doc, again in zip(ours, pickle.loads(pickle.dumps(ours)), strict=True):
        assert contents(again) == contents(doc)


def test_docbins_both_ways(spacy, pairs):
    from spacy.tokens import DocBin as TheirBin

    facts = ["text", "has_unknown_spaces", "cats", "user_data"]
    # In a bin, unknown spaces are spaces.
    good = [pair for pair in pairs if is_saved_whole(pair[0]) and not pair[1].has_unknown_spaces]
    for make, read, vocab, side in (
        (DocBin, DocBin, lexpool.Vocab, 1),
        (DocBin, TheirBin, spacy.vocab.Vocab, 1),
        (TheirBin, DocBin, lexpool.Vocab, 0),
    ):
        data = make(docs=[pair[side] for pair in good], store_user_data=True).to_bytes()
        docs = list(read().from_bytes(data).get_docs(vocab()))
        assert len(docs) == len(good)
        for again, pair in zip(docs, good, strict=True):
            assert contents(again, facts) == contents(pair[side], facts)


@pytest.mark.parametrize("words", [0, 200_000])
def test_a_pickled_document_of_500_tokens_is_small_whatever_the_vocab(words):
    nlp = lexpool.blank("en")
    for i in range(words):
        nlp.vocab.strings.add(f"word{i}")
    rows = [describe(seed).words for seed in range(200)]
    tokens = [word for row in rows for word in row][:500]
    assert len(tokens) == 500
    doc = lexpool.Doc(
        nlp.vocab,
        tokens,
        tags=["NN"] * 500,
        pos=["NOUN"] * 500,
        lemmas=[word.lower() for word in tokens],
        heads=[max(0, i - 1) for i in range(500)],
        deps=["dep"] * 500,
    )
    assert len(pickle.dumps(doc)) <= 40_000
