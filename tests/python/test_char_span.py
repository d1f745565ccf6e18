"""From character offsets to spans, in spaCy's three modes."""

import pytest
from scripts import PIECES

TEXTS = [
    "",
    "a",
    " ",
    "Hello, world!  It's  5 o'clock\n in N.Y. ",
    " leading, and trailing  ",
    "d\u00e9j\u00e0 vu \U0001f600\U0001f468\u200d\U0001f469 e\u0301!",
    "tabs\tand\u00a0others\u3000here",
    " ".join(PIECES[:12]),
]


def ends(doc, start: int, end: int, mode: str):
    try:
        span = doc.char_span(start, end, alignment_mode=mode)
    except IndexError:
        # spaCy's result for a range that ends before it starts; lexpool returns None.
        assert start > end
        assert type(doc).__module__.startswith("spacy")
        return None
    return None if span is None else (span.start, span.end, span.text)


@pytest.mark.parametrize("mode", ["strict", "contract", "expand"])
@pytest.mark.parametrize("text", TEXTS)
def test_every_pair_of_offsets_gives_the_span_that_spacy_gives(pair, text, mode):
    theirs, ours = (tokenizer(text) for tokenizer in pair("en"))
    offsets = range(-2, len(text) + 3)
    for start in offsets:
        for end in offsets:
            expected, given = (ends(doc, start, end, mode) for doc in (theirs, ours))
            assert given == expected, (start, end)


def test_strict_is_the_default(doc):
    assert doc.char_span(7, 12).text == "world"
    assert doc.char_span(start_idx=7, end_idx=11) is None
    assert doc.char_span(8, 11, alignment_mode="expand").text == "world"
    assert doc.char_span(4, 13, alignment_mode="contract").text == ", world!"


@pytest.mark.parametrize("mode", ["", "loose", "STRICT"])
def test_an_unknown_mode_is_refused(doc, mode):
    with pytest.raises(ValueError, match="E202"):
        doc.char_span(0, 5, alignment_mode=mode)


@pytest.mark.parametrize("arguments", [(None, 5), (0, None), ("0", 5), (0.0, 5)])
def test_offsets_of_a_wrong_type_are_refused(doc, arguments):
    with pytest.raises(TypeError):
        doc.char_span(*arguments)
