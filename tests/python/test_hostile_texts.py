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
LEAST_BYTES = 500_000
LEAST_SECONDS = 0.02
# Linear is 2, quadratic 4.
MOST = 2.3
# Of two doublings together; the square of the length would give 16.
MOST_OF_TWO = 10
# How often each time is taken, the least counting: more often where the machine was busy.
REPEATS = (1, 3, 3, 5)


@pytest.fixture(scope="module", params=["own en", "en", "fr", "hu"])
def any_tokenizer(request, pair, english):
    return english if request.param == "own en" else pair(request.param)[1]


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_takes_twice_the_time(any_tokenizer, unit):
    unit = UNITS[unit]
    n = LEAST_BYTES // len(unit.encode()) + 1
    while cpu_time(any_tokenizer, unit * n) < LEAST_SECONDS:
        n *= 2
    seen = []
    for repeats in REPEATS:
        once, twice, four = (
            min(cpu_time(any_tokenizer, unit * (n * times)) for _ in range(repeats))
            for times in (1, 2, 4)
        )
        seen.append((twice / once, four / twice))
        # One doubling may also reach the size from which on each document's memory is fetched anew
        # from the system; two in a row do not. On a busy machine both may be slow for such reasons,
        # but not as slow as the square of the length.
        if min(seen[-1]) <= MOST or four / once <= MOST_OF_TWO:
            return
    pytest.fail(f"from {len(unit) * n} characters on, each doubling multiplies the time by {seen}")


def cpu_time(tokenizer, text: str) -> float:
    start = time.process_time()
    tokenizer(text)
    return time.process_time() - start
