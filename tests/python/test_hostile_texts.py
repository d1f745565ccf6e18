"""Texts made to be slow take time in proportion to their length."""

import time

import pytest

UNITS = {
    "a:": "a:",
    "bracket": "(",
    "letter": "a",
    "mark": "\u0301",
    "dot": ".",
    "hyphen": "-",
    "apostrophe": "'",
    "url": "http://",
    "mail": "a.b@",
    "number": "1,",
    "smiley": ":)",
    "no-break space": "\u00a0",
    "newline": "\n",
    "space": " ",
    "han": "\u6f22",
    "zero-width space": "\u200b",
    "open and close": "()",
    "mixed": "a.b@(1,:)'-\u0301",
    "contraction": "don't",
    "spaced": "( a",
}
LEAST_BYTES = 150_000
LEAST_SECONDS = 0.01
# Linear work takes 8 times as long for 8 times the text, up to twice that where the memory of a
# larger document is fetched anew from the system; quadratic work takes 64 times as long.
TIMES = 8
MOST = 22


@pytest.fixture(scope="module", params=["own en", "en", "fr", "hu"])
def any_tokenizer(request, pair, english):
    return english if request.param == "own en" else pair(request.param)[1]


@pytest.mark.parametrize("unit", UNITS)
def test_the_time_is_in_proportion_to_the_text(any_tokenizer, unit):
    unit = UNITS[unit]
    n = LEAST_BYTES // len(unit.encode()) + 1
    while cpu_time(any_tokenizer, unit * n) < LEAST_SECONDS:
        n *= 2
    texts = [unit * n, unit * (n * TIMES)]
    # The sizes take turns, so that whatever else runs is met by both.
    rounds = [[cpu_time(any_tokenizer, text) for text in texts] for _ in range(2)]
    once, often = map(min, zip(*rounds, strict=True))
    assert often <= MOST * once, f"{TIMES} times {len(texts[0])} characters took {often / once}"


def cpu_time(tokenizer, text: str) -> float:
    start = time.process_time()
    tokenizer(text)
    return time.process_time() - start
