"""Writes the reference files tests/files/*.vocab, which later versions have to open.

Run it once for each version of the format, and keep the files of the versions before.
"""

import sys
from pathlib import Path

import numpy

from lexpool import Tokenizer, Vocab
from lexpool.lex_attrs import LEX_ATTRS, LexAttrGetter, WordLists
from lexpool.vectors import Vectors

WORDS = (
    "Coffee tea cocoa the of a to in N.Y. 1999 12 %_ \N{HOT BEVERAGE} caf\u00e9 O'Neill PERSON nsubj VERB"
    " https://example.org me@example.org twelve third ( [ \u20ac \" ' . , ; a\u0301 \U0001f600 \t  x y z"
).split(" ")


def vocab() -> Vocab:
    lists = WordLists(
        "en", stop_words=["the", "of"], norms={"gonna": "going to"}, number_words=["twelve"]
    )
    vocab = Vocab(
        {attr: LexAttrGetter(attr, lists) for attr in LEX_ATTRS},
        writing_system={"direction": "ltr"},
    )
    for word in WORDS:
        _ = vocab[word]
    return vocab


def words() -> Vocab:
    made = vocab()
    made["Coffee"].is_stop = True
    made.strings.add("A-LABEL")
    made.morphology.add("Number=Plur|Case=Nom")
    made.morphology.add("Tense=Past")
    return made


def vectors() -> Vocab:
    made = vocab()
    data = numpy.arange(48, dtype="float32").reshape(12, 4)
    made.vectors = Vectors(data=data, keys=WORDS[:10], name="reference", strings=made.strings)
    made.vectors.add("mocha", row=3)
    return made


def floret() -> Vocab:
    made = vocab()
    Tokenizer(made, rules={"don't": [{65: "do"}, {65: "n't", 67: "not"}]})
    made.lex_attr_getters["SUFFIX"] = str.swapcase
    data = numpy.linspace(-1, 1, 80, dtype="float32").reshape(20, 4)
    made.vectors = Vectors(
        data=data, mode="floret", minn=2, maxn=4, hash_count=2, name="floret", strings=made.strings
    )
    return made


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "files")
    folder.mkdir(exist_ok=True)
    for make in (words, vectors, floret):
        path = folder / f"{make.__name__}.vocab"
        make().save(path)
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
