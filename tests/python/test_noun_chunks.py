"""Noun chunks, and all walks over trees that they are made of, beside spaCy's."""

import pickle
import random

import numpy as np
import pytest
import treebank

import lexpool
from lexpool.tokens import Doc


@pytest.fixture(scope="module")
def vocabs(spacy):
    """spaCy's English vocab and lexpool's."""
    return spacy.blank("en").vocab, lexpool.blank("en").vocab


@pytest.fixture(scope="module")
def pairs(spacy, vocabs):
    """Makes of a sentence a document of each library."""
    theirs, ours = vocabs
    return lambda sentence: (spacy.tokens.Doc(theirs, **sentence), Doc(ours, **sentence))


def some(rng, texts_folder):
    """Two sentences of three of the treebanks' and as many by chance, now and then several as one
    document.
    """
    real = list(treebank.sentences(texts_folder))
    made = [treebank.random_sentence(rng) for _ in range(600)]
    for all_of in (real, made):
        yield from all_of
        for _ in range(60):
            yield treebank.joined(rng.sample(all_of, 3))


def bounds(spans):
    return [(span.start, span.end, span.label_) for span in spans]


def walks(doc, rng):
    """Returns the tree properties of all tokens and of some spans."""
    found = [
        (
            t.left_edge.i,
            t.right_edge.i,
            t.head.i,
            [u.i for u in t.subtree],
            [u.i for u in t.conjuncts],
            [u.i for u in t.lefts],
            [u.i for u in t.rights],
            [u.i for u in t.children],
            [u.i for u in t.ancestors],
            t.n_lefts,
            t.n_rights,
            t.is_sent_start,
        )
        for t in doc
    ]
    sents = [(sent.start, sent.end, sent.root.i) for sent in doc.sents]
    spans = []
    for _ in range(3):
        start = rng.randrange(len(doc))
        span = doc[start : rng.randint(start + 1, len(doc))]
        spans.append(
            (
                span.root.i,
                [t.i for t in span.subtree],
                span.n_lefts,
                span.n_rights,
                [t.i for t in span.lefts],
                [t.i for t in span.rights],
                [t.i for t in span.conjuncts],
                span.get_lca_matrix().tolist(),
                bounds(span.noun_chunks),
                [s.start for s in span.sents],
            )
        )
    return found, sents, spans, bounds(doc.noun_chunks)


def test_chunks_sentences_and_walks_are_those_of_spacy_over_treebanks_and_random_trees(
    pairs, texts_folder
):
    rng = random.Random(5)
    seen = 0
    for number, sentence in enumerate(some(rng, texts_folder)):
        theirs, ours = pairs(sentence)
        expected, given = walks(theirs, random.Random(number)), walks(ours, random.Random(number))
        assert given == expected, sentence
        assert np.array_equal(ours.get_lca_matrix(), theirs.get_lca_matrix())
        seen += len(given[3])
    assert seen > 5000


def test_chunks_of_a_span_handed_to_the_finder_are_those_of_spacy(pairs, vocabs, texts_folder):
    from spacy.lang.en.syntax_iterators import noun_chunks

    rng = random.Random(6)
    for sentence in some(rng, texts_folder):
        theirs, ours = pairs(sentence)
        start = rng.randrange(len(theirs))
        end = rng.randint(start, len(theirs))
        find = vocabs[1].get_noun_chunks
        assert find(ours[start:end]) == list(noun_chunks(theirs[start:end]))


def test_a_document_without_a_parse_is_refused_and_an_empty_one_has_none():
    nlp = lexpool.blank("en")
    with pytest.raises(ValueError, match="E029"):
        list(nlp("A cat").noun_chunks)
    assert list(nlp("").noun_chunks) == []


def test_languages_without_rules_say_so_and_a_finder_of_ones_own_is_asked():
    nlp = lexpool.blank("xx")
    assert nlp.vocab.get_noun_chunks is None
    with pytest.raises(NotImplementedError, match="E894"):
        list(nlp("A cat").noun_chunks)
    nlp.vocab.get_noun_chunks = lambda doc: [(0, len(doc), "ALL")]
    assert bounds(nlp("A cat").noun_chunks) == [(0, 2, "ALL")]


def test_the_finder_takes_documents_and_spans_only_and_can_be_pickled():
    find = lexpool.blank("en").vocab.get_noun_chunks
    with pytest.raises(TypeError, match="expected a Doc or a Span"):
        find("text")
    assert pickle.loads(pickle.dumps(find)) == find
