"""Code written after spaCy's "Cython structs" page, compiled for spaCy and for lexpool."""

import random
from pathlib import Path

import numpy
import pytest

import lexpool

KERNEL = Path(__file__).parent / "kernels" / "spacy_page.pyx"
TEXT = "She said the Dogs barked at 3 p.m., didn't she? Yes -- na\u00efve cats slept."


def compiled(toolchain, tmp_path_factory, package, language):
    """The page's examples, with another name in the place of spaCy's."""
    name = f"{KERNEL.stem}_{package}_{language.replace('+', 'p')}"
    folder = tmp_path_factory.mktemp(name)
    source = KERNEL.read_text()
    (folder / f"{name}.pyx").write_text(source.replace("from spacy.", f"from {package}."))
    include = (numpy.get_include(),)
    return toolchain.module(name, language=language, include=include, folder=folder)


@pytest.fixture(scope="module")
def theirs(toolchain, tmp_path_factory):
    pytest.importorskip("spacy", reason="spaCy is not installed")
    return compiled(toolchain, tmp_path_factory, "spacy", "c++")


@pytest.fixture(scope="module", params=["c", "c++"])
def ours(toolchain, tmp_path_factory, request):
    return compiled(toolchain, tmp_path_factory, "lexpool", request.param)


@pytest.fixture(scope="module")
def kernel(toolchain):
    return toolchain.module("lexpool_page")


def annotated(package, vocab, words, spaces):
    n = len(words)
    doc = package.tokens.Doc(
        vocab,
        words=words,
        spaces=spaces,
        tags=[f"TAG{i % 3}" for i in range(n)],
        pos=["NOUN" if i % 2 else "VERB" for i in range(n)],
        morphs=["Number=Sing" if i % 4 else "" for i in range(n)],
        lemmas=[word.lower() for word in words],
        heads=[max(i - 1, 0) for i in range(n)],
        deps=["ROOT" if i == 0 else "dep" for i in range(n)],
        ents=["B-PERSON" if i == 2 else "I-PERSON" if i == 3 else "O" for i in range(n)],
    )
    doc[1].norm_ = "norm"
    doc[2].ent_id_, doc[2].ent_kb_id_ = "id", "Q1"
    return doc


@pytest.fixture(scope="module")
def pipelines():
    """A pipeline of spaCy's, and lexpool's tokenizer that was made from it."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    nlp = spacy.blank("en")
    return nlp, lexpool.Tokenizer.from_spacy(nlp.tokenizer)


@pytest.fixture
def both(pipelines):
    """The same document, of spaCy's class and of lexpool's."""
    import spacy

    nlp, tokenizer = pipelines
    plain = nlp(TEXT)
    words, spaces = [token.text for token in plain], [bool(token.whitespace_) for token in plain]
    of_spacy = annotated(spacy, nlp.vocab, words, spaces)
    return of_spacy, annotated(lexpool, tokenizer.vocab, words, spaces)


@pytest.fixture
def doc():
    return lexpool.Doc(lexpool.blank("en").vocab, words=["We", "saw", "New", "York", "."])


def test_the_pages_examples_hold(ours, doc):
    assert [at for at, (start, _) in enumerate(ours.found(), -2) if start >= 0] == [0, 6]
    assert [at for at, (_, end) in enumerate(ours.found(), -2) if end >= 0] == [5, 11]
    doc[3].tag_ = "NNP"
    number = doc[3].tag
    assert ours.flags_and_tag(doc) == ((1, number), 0, 0)
    assert doc[3].tag == 0
    doc.vocab["York"].is_stop, doc.vocab["York"].norm_ = True, "city"
    assert ours.of_lexeme(doc)[:3] == (1, 1, 0)
    assert not doc.vocab["York"].is_stop
    assert doc.vocab["York"].norm_ == "york"


def test_the_pages_examples_give_what_they_give_with_spacy(theirs, ours, both):
    spacys, ourselves = both
    assert ours.found() == theirs.found()
    assert ours.flags_and_tag(ourselves) == theirs.flags_and_tag(spacys)
    assert ours.of_lexeme(ourselves) == theirs.of_lexeme(spacys)
    assert ours.beyond(ourselves) == theirs.beyond(spacys)


def test_every_field_and_attribute_is_spacys(theirs, ours, both):
    spacys, ourselves = both
    for i in range(len(spacys)):
        assert ours.token_fields(ourselves, i) == theirs.token_fields(spacys, i)
        assert ours.lexeme_fields(ourselves, i) == theirs.lexeme_fields(spacys, i)
        for number in range(460):
            assert ours.attrs(ourselves, i, number) == theirs.attrs(spacys, i, number), number
    for at in [-(2**31), *range(-2, len(TEXT) + 3), 2**31 - 1]:
        if at != -(2**31):  # One less than that is a number that spaCy has not.
            assert ours.find(ourselves, at) == theirs.find(spacys, at)
    assert ours.find(ourselves, -(2**31)) == (-1, -1)


def test_attributes_that_are_set_are_the_documents_in_both(theirs, ours, both):
    import spacy.attrs

    values = {
        "LEMMA": 7,
        "NORM": 8,
        "POS": 92,
        "TAG": 9,
        "MORPH": 10,
        "ENT_ID": 11,
        "ENT_KB_ID": 12,
    }
    for module, doc in zip((theirs, ours), both, strict=True):
        for name, value in values.items():
            module.set_attr(doc, 4, spacy.attrs.IDS[name], value)
    for doc in both:
        token = doc[4]
        assert (token.lemma, token.norm, token.pos, token.tag) == (7, 8, 92, 9)
        assert (token.morph.key, token.ent_id, token.ent_kb_id) == (10, 11, 12)
    assert theirs.nouns(both[0]) == ours.nouns(both[1]) > 5
    assert [token.pos_ for token in both[0]] == [token.pos_ for token in both[1]]


def test_words_are_had_from_the_vocab_as_from_spacys(theirs, ours, both):
    for word in ("Dogs", "na\u00efve", "neverseen"):
        assert ours.in_vocab(both[1].vocab, word) == theirs.in_vocab(both[0].vocab, word)
    assert "neverseen" in both[1].vocab
    for module, doc in zip((theirs, ours), both, strict=True):
        assert module.by_orth(doc.vocab, doc[0].orth) == doc[0].orth
        with pytest.raises(KeyError, match="E018"):
            module.by_orth(doc.vocab, 12345678901234567890)


def test_a_word_that_a_vocab_cannot_enter_raises(ours):
    def getter(text):
        raise ValueError("no such word")

    vocab = lexpool.Vocab(lex_attr_getters={"NORM": getter})
    with pytest.raises(ValueError, match="cannot be entered"):
        ours.in_vocab(vocab, "word")
    with pytest.raises(UnicodeEncodeError):
        ours.in_vocab(lexpool.Vocab(), "\ud800")
    with pytest.raises(AttributeError):
        ours.in_vocab(None, "word")
    with pytest.raises(AttributeError):
        ours.in_vocab(lexpool.Vocab(), None)


def test_random_trees_are_counted_as_spacy_counts_them(theirs, ours, both):
    chance = random.Random(7)
    spacys, ourselves = both
    n = len(spacys)
    for _ in range(50):
        near = [max(0, min(n - 1, i + chance.randint(-4, 4))) for i in range(n)]
        heads = [head - i for i, head in enumerate(near)]
        dep = chance.choice((spacys[1].dep, 0))
        assert ours.set_heads(ourselves, heads, dep) == theirs.set_heads(spacys, heads, dep)
        assert [token.head.i for token in ourselves] == [token.head.i for token in spacys]
        if dep:
            assert [token.head.i for token in ourselves] == near
            kids = [(token.n_lefts, token.n_rights) for token in ourselves]
            assert kids == [(token.n_lefts, token.n_rights) for token in spacys]


def test_the_pages_heads_are_offsets_and_those_that_lead_outside_are_refused(kernel):
    assert kernel.baileys([0, -1, 1, -2]) == 1
    with pytest.raises(ValueError, match=r"E190.* head 3 of token 2 is token 5, outside of 0 to 4"):
        kernel.baileys([0, 0, 3, 1])


def test_the_pages_lexeme_may_be_a_const(kernel, doc):
    assert kernel.of_const_lexeme(doc) == (1, 1)
    assert doc.vocab["York"].is_stop and doc.vocab["York"].norm_ == "york"


def test_a_document_of_a_zone_that_has_ended_is_lent(kernel, ours):
    vocab = lexpool.blank("en").vocab
    with vocab.memory_zone():
        doc = lexpool.Doc(vocab, words=["fleeting", "word"])
    assert ours.lexeme_fields(doc, 0)[3:5] == (8, doc[0].orth)
    assert kernel.tag(kernel.address(doc), 0) == 0


def test_an_empty_document_has_padding_alone(ours, kernel):
    empty = lexpool.Doc(lexpool.Vocab())
    assert ours.beyond(empty) == [(0, 0, 0)] * 10
    assert ours.find(empty, 0) == (-1, -1)
    assert kernel.length(empty) == len(empty) == 0
    kernel.children(empty, 0, 0)
