"""Texts in all manner of scripts: seeded at random, and as Hypothesis strategies."""

import random
import unicodedata

from hypothesis import strategies as st

RANGES = {
    "latin": [(0x41, 0x5B), (0x61, 0x7B), (0xC0, 0x250)],
    "greek": [(0x370, 0x400), (0x1F00, 0x2000)],
    "cyrillic": [(0x400, 0x530)],
    "hebrew": [(0x591, 0x5F5)],
    "arabic": [(0x600, 0x700)],
    "devanagari": [(0x900, 0x980)],
    "bengali": [(0x980, 0xA00)],
    "thai": [(0xE01, 0xE5C)],
    "ethiopic": [(0x1200, 0x1380)],
    "vietnamese": [(0x1E00, 0x1F00)],
    "punctuation": [(0x2000, 0x2070), (0x20A0, 0x20C0), (0x2190, 0x2200), (0x2600, 0x2700)],
    "kana": [(0x3000, 0x3100)],
    "han": [(0x4E00, 0x4F00)],
    "hangul": [(0xAC00, 0xAD00)],
    "fullwidth": [(0xFF01, 0xFF60)],
    "emoji": [(0x1F300, 0x1F650)],
    "deseret": [(0x10400, 0x10450)],
}


def _assigned(low: int, high: int) -> str:
    """The characters of a range, surrogates and unassigned ones left out."""
    chars = map(chr, range(low, high))
    return "".join(c for c in chars if unicodedata.category(c) not in ("Cs", "Cn"))


LETTERS = {name: "".join(_assigned(*r) for r in ranges) for name, ranges in RANGES.items()}
SEPARATORS = " \n\t\r\u00a0\u2003\u3000\u200b\u2028\x85"
MARKS = ".,;:!?'\"()[]{}-/\\%$+*^=<>@#&_~`"
MARKS += "\u2013\u2014\u2026\u20ac\u00a3\u2019\u201c\u201d\u00ab\u00bb\u00b0"
PIECES = [
    "http://", "www.", ".com", "a@b.org", ":)", ":-(", "8)", "<3", "n't", "'s", "'ll", "I'm",
    "U.S.", "e.g.", "p.m.", "10km", "$5", "1,000.5", "1/2", "C++", "...", "--", "don't", "cannot",
    "l'", "d'un", "aujourd'hui", "\u00e0-bas", "-e", "30-kor", "z.B.", "s'il", "\u0301",
]  # fmt: skip


def generated(rng: random.Random, count: int) -> list[str]:
    """Texts of one script each, mixed with marks, digits, known pieces and other scripts."""
    return [_generate(rng, rng.choice(list(LETTERS))) for _ in range(count)]


def _generate(rng: random.Random, script: str) -> str:
    sources = [
        (0.50, lambda: rng.choice(LETTERS[script])),
        (0.20, lambda: rng.choice(MARKS)),
        (0.05, lambda: rng.choice("0123456789")),
        (0.10, lambda: rng.choice(SEPARATORS)),
        (0.10, lambda: rng.choice(PIECES)),
        (0.05, lambda: rng.choice(LETTERS[rng.choice(list(LETTERS))])),
    ]
    weights = [weight for weight, _ in sources]
    drawn = rng.choices([draw for _, draw in sources], weights, k=rng.randrange(1, 40))
    return "".join(draw() for draw in drawn)


def texts(max_size: int = 60) -> st.SearchStrategy[str]:
    """Any text: all of Unicode, with what tokenizers stumble over made likely."""
    char = st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from(MARKS + SEPARATORS + "0123456789abcXYZ"),
    )
    piece = st.one_of(char, char, st.sampled_from(PIECES), st.just(" "))
    return st.lists(piece, max_size=max_size).map("".join)
