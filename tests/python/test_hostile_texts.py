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
# Measurements per attempt, of which the shortest counts; busy machines need more.
REPEATS = (1, 3, 3, 5, 5, 8, 8, 12)
# The pause before the second attempt; each after it waits longer, so that a busy machine may
# finish.
PAUSE_SECONDS = 0.2


@pytest.fixture(scope="module", params=["own en", "en", "fr", "hu"])
def any_tokenizer(request, pair, english):
    return english if request.param == "own en" else pair(request.param)[1]


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_takes_twice_the_time(any_tokenizer, unit):
    unit = UNITS[unit]
    n = LEAST_BYTES // len(unit.encode()) + 1
    while cpu_time(any_tokenizer, unit * n) < LEAST_SECONDS:
        n *= 2
    texts = [unit * (n * times) for times in (1, 2, 4)]
    seen = []
    for attempt, repeats in enumerate(REPEATS):
        time.sleep(PAUSE_SECONDS * attempt)
        # The sizes take turns, so that whatever else runs is met by all three.
        rounds = [[cpu_time(any_tokenizer, text) for text in texts] for _ in range(repeats)]
        once, twice, four = map(min, zip(*rounds, strict=True))
        seen.append((twice / once, four / twice))
        # One doubling may also reach the size from which on each document's memory is fetched anew
        # from the system; two in a row do not.
        if min(seen[-1]) <= MOST:
            return
    pytest.fail(f"from {len(unit) * n} characters on, each doubling multiplies the time by {seen}")


def cpu_time(tokenizer, text: str) -> float:
    start = time.process_time()
    tokenizer(text)
    return time.process_time() - start
