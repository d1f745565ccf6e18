"""Documents of lexpool's beside spaCy's."""

import itertools

import numpy as np

from lexpool import attrs

FLAGS = [name for name, number in attrs.IDS.items() if 0 < number < 64]
IDS = ["ORTH", "SPACY", "IDX", "NORM", "LOWER", "SHAPE", "PREFIX", "SUFFIX", "LENGTH", "LANG", "ID"]
ATTRS = [*IDS, "ENT_IOB", "SENT_START", *FLAGS]
SENT_START = ATTRS.index("SENT_START")


def difference(theirs, ours, text: str) -> str | None:
    """The first difference between the two tokenizers' documents of a text.

    One is known and left out: spaCy does not mark the first token as the start of a sentence where
    it put a special case there after the affixes were cut.
    """
    expected, given = theirs(text), ours(text)
    if given.text != text:
        return f"{text!r}: the document's text is {given.text!r}"
    a, b = expected.to_array(ATTRS), given.to_array(ATTRS)
    if len(a) and a[0, SENT_START] == 0:
        a[0, SENT_START] = 1
    if np.array_equal(a, b):
        return None
    tokens = itertools.zip_longest((t.text for t in expected), (t.text for t in given))
    for i, (their, our) in enumerate(tokens):
        if their != our:
            return f"{text!r}: token {i} is {their!r} to spaCy and {our!r} here"
    token, attr = np.argwhere(a != b)[0]
    values = f"{a[token, attr]} to spaCy and {b[token, attr]} here"
    return f"{text!r}: {ATTRS[attr]} of {given[int(token)].text!r} is {values}"


def differences(theirs, ours, texts) -> list[str]:
    """The first ten differences over many texts."""
    found = filter(None, (difference(theirs, ours, text) for text in texts))
    return list(itertools.islice(found, 10))


def words(doc) -> np.ndarray:
    """Returns offset and length of each token except whitespace, combined into one number."""
    columns = doc.to_array(["IDX", "LENGTH", "IS_SPACE"])
    return (columns[:, 0] << np.uint64(24) | columns[:, 1])[columns[:, 2] == 0]
