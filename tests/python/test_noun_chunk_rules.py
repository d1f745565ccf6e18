"""The noun chunks of each language with rules are those of spaCy's functions, on random trees."""

import importlib
import random

import pytest
import spacy

from lexpool._core import NounChunks
from lexpool.tokens import Doc
from lexpool.vocab import Vocab

LANGUAGES = "ca da de el en es fa fi fr ht id it ja la ms nb nl nn pt sv tr".split()
POS = "NOUN NOUN NOUN PROPN PRON VERB AUX ADJ DET ADP CCONJ PUNCT NUM".split()
# Relations of the languages' chunks, and others.
DEPS = """nsubj nsubj:pass obj iobj obl obl:agent obl:arg obl:mod nmod nmod:poss nmod:gobj nmod:gsubj
appos ROOT conj cc amod det det:poss nummod flat flat:name flat:foreign fixed compound compound:nn
goeswith punct sb oa da nk mo ag root cj pd og app oprd nsubjpass pcomp dative attr orphan
dislocated nsubj:cop advmod""".split()
# spaCy's table for Japanese has other names for the objects, which its parsers never give.
OBJECTS = ("dobj", "pobj")
TREES = 400


def tree(rng: random.Random, lang: str) -> tuple[list[str], list[int], list[str], list[str]]:
    n = rng.randint(1, 14)
    deps = [d for d in DEPS if lang != "ja" or d != "obj"]
    deps += [] if lang == "ja" else OBJECTS
    own = rng.sample(deps, min(len(deps), rng.randint(4, 12))) + ["conj", "nsubj", "ROOT"]
    order = list(range(n))
    rng.shuffle(order)
    heads = [0] * n
    for at, word in enumerate(order):
        near = [w for w in order[:at] if abs(w - word) <= 4]
        heads[word] = word if at == 0 else rng.choice(near or order[:at])
    words = [f"w{i}" for i in range(n)]
    found = [rng.choice(own) for _ in range(n)]
    return words, heads, found, [rng.choice(POS) for _ in range(n)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_chunks_are_those_of_spacy_on_random_trees(lang):
    package = importlib.import_module(
        f"spacy.lang.{'nb' if lang == 'nn' else lang}.syntax_iterators"
    )
    ours, theirs = Vocab(), spacy.vocab.Vocab()
    find, rng, seen = NounChunks(lang), random.Random(lang), 0
    for _ in range(TREES):
        words, heads, deps, pos = tree(rng, lang)
        given = {"words": words, "heads": heads, "deps": deps, "pos": pos}
        their_doc = spacy.tokens.Doc(theirs, **given)
        expected = [chunk[:2] for chunk in package.noun_chunks(their_doc) if chunk[0] < chunk[1]]
        assert [chunk[:2] for chunk in find(Doc(ours, **given))] == expected, given
        seen += len(expected)
    assert seen > TREES / 4


def test_a_language_has_the_chunks_of_spacy_or_none():
    for lang in LANGUAGES:
        assert NounChunks(lang).lang == lang
    with pytest.raises(ValueError, match='no noun chunks for "hu"; they exist for en, '):
        NounChunks("hu")


def test_japanese_objects_are_chunks():
    doc = Doc(Vocab(), words=["本", "を", "読む"], heads=[2, 0, 2], deps=["obj", "case", "ROOT"])
    for token, pos in zip(doc, ["NOUN", "ADP", "VERB"], strict=True):
        token.pos_ = pos
    assert [chunk[:2] for chunk in NounChunks("ja")(doc)] == [(0, 1)]


def test_dutch_chunks_need_parts_of_speech():
    doc = Doc(Vocab(), words=["een", "huis"], heads=[1, 1], deps=["det", "ROOT"])
    with pytest.raises(ValueError, match="E1019"):
        NounChunks("nl")(doc)
