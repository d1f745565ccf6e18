"""Invalid input raises the right exception and leaves all objects usable."""

import pytest

import lexpool
from lexpool import Doc, Span, Tokenizer, Vocab

NOT_TEXTS = [None, 3, b"bytes", ["text"], object()]


@pytest.fixture(autouse=True)
def still_working(tokenizer):
    yield
    assert [token.text for token in tokenizer("It isn't broken.")] == [
        "It",
        "is",
        "n't",
        "broken",
        ".",
    ]


@pytest.mark.parametrize("given", NOT_TEXTS)
def test_what_is_no_text_is_refused(tokenizer, given):
    for use in (tokenizer, tokenizer.explain, tokenizer.find_prefix, tokenizer.find_suffix):
        with pytest.raises(TypeError):
            use(given)
    # As spaCy's Language, which takes documents and their bytes as well.
    with pytest.raises(ValueError):
        lexpool.blank("en")(given)


@pytest.mark.parametrize(
    "text", ["\ud800", "abc\udfff", "\u00e9\ud83d\ude00", "x" * 500 + "\ud800"]
)
def test_a_lone_surrogate_is_refused_with_its_position(tokenizer, text):
    position = next(i for i, char in enumerate(text) if "\ud800" <= char <= "\udfff")
    for use in (tokenizer, tokenizer.explain, tokenizer.find_prefix, tokenizer.find_suffix):
        with pytest.raises(UnicodeEncodeError) as caught:
            use(text)
        assert caught.value.start == position


@pytest.mark.parametrize("lang", ["qq", "", "EN", "en\0", "../en"])
def test_an_unknown_language_is_refused_with_the_nearest(lang):
    for make in (lexpool.blank, Tokenizer.blank):
        with pytest.raises(ValueError, match="the nearest codes are .*en, "):
            make(lang)


@pytest.mark.parametrize("given", [None, 3, b"en"])
def test_a_language_of_a_wrong_type_is_refused(given):
    for make in (lexpool.blank, Tokenizer.blank):
        with pytest.raises(TypeError):
            make(given)


@pytest.mark.parametrize("given", [None, 3, "en", {}])
def test_a_vocab_of_a_wrong_type_is_refused(given):
    for make in (Tokenizer, Doc):
        with pytest.raises(TypeError, match="Vocab"):
            make(given)


@pytest.mark.parametrize("given", [None, 3, "text"])
def test_a_document_of_a_wrong_type_is_refused(given):
    with pytest.raises(TypeError, match="Doc"):
        Span(given, 0, 1)


@pytest.mark.parametrize("given", [3, "x", ["x"]])
def test_special_cases_of_a_wrong_type_are_refused(given):
    with pytest.raises(TypeError):
        Tokenizer(Vocab(), given)


@pytest.mark.parametrize("size", [2**64, None, "10"])
def test_a_cache_size_that_is_no_size_is_refused(size):
    with pytest.raises((TypeError, OverflowError)):
        Tokenizer(Vocab(), max_cache_size=size)


@pytest.mark.parametrize("size", [-1, 0, 1, 3])
def test_the_smallest_caches_change_no_token(english, sample, size):
    vocab = Vocab()
    tokenizer = Tokenizer(vocab, suffix_search=r"[.,;]$", max_cache_size=size)
    other = Tokenizer(vocab, suffix_search=r"[.,;]$")
    for text in sample[:100]:
        assert [t.text for t in tokenizer(text)] == [t.text for t in other(text)]


def test_only_spacys_tokenizers_are_taken_over(spacy):
    for given in (None, 3, spacy.blank("en"), object()):
        with pytest.raises(TypeError, match="Tokenizer"):
            Tokenizer.from_spacy(given)


def test_unknown_arguments_are_refused(tokenizer):
    for use in (
        lambda: Tokenizer(Vocab(), no_such=1),
        lambda: Tokenizer(Vocab(), None, *[None] * 5, True, 10, "more"),
        lambda: tokenizer("x", 3),
        lambda: tokenizer.pipe([], no_such=1),
        lambda: Doc(Vocab(), no_such=1),
    ):
        with pytest.raises(TypeError):
            use()


def test_a_text_over_the_size_limit_is_refused(tokenizer, full):
    if not full:
        pytest.skip("needs gigabytes of memory: LEXPOOL_FULL=1")
    text = "a" * 2**30
    with pytest.raises(ValueError, match="E025"):
        tokenizer(text)
    pipe = tokenizer.pipe(["before", text, "after"], n_threads=2)
    assert next(pipe).text == "before"
    with pytest.raises(ValueError, match="E025"):
        next(pipe)
    assert next(pipe).text == "after"
    assert len(tokenizer(text[1:])) == 1


def test_an_iteration_that_fails_ends_the_joining_of_documents():
    doc = Doc(lexpool.blank("en").vocab, words=["a"])

    class Endless:
        def __getitem__(self, key):
            raise OSError("by the object")

    with pytest.raises(OSError, match="by the object"):
        Doc.from_docs([doc], attrs=Endless())
