"""Agreement of tokens: lexpool's own rules with spaCy's, and both with gold tokens of a
treebank.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

Extents = list[tuple[int, int]]


def extents(doc: Iterable) -> Extents:
    """Returns start and end, in characters, of each token except whitespace."""
    return [(token.idx, token.idx + len(token)) for token in doc if not token.is_space]


def agreement(ours: Callable, theirs: Callable, texts: Iterable[str]) -> dict[str, float]:
    """Returns the percentage of their tokens that our tokenizer finds exactly."""
    tokens = same = 0
    for text in texts:
        expected = extents(theirs(text))
        tokens += len(expected)
        same += len(set(expected) & set(extents(ours(text))))
    return {"tokens": tokens, "percent": 100 * same / max(tokens, 1)}


def against_gold(tokenize: Callable, sentences: Sequence[tuple[str, Extents]]) -> dict[str, float]:
    """Precision, recall and their harmonic mean over gold tokens, in per cent."""
    gold = found = same = 0
    for text, expected in sentences:
        got = extents(tokenize(text))
        gold += len(expected)
        found += len(got)
        same += len(set(expected) & set(got))
    precision, recall = same / max(found, 1), same / max(gold, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {"precision": 100 * precision, "recall": 100 * recall, "f1": 100 * f1, "tokens": gold}


def read_conllu(path: Path) -> Iterator[tuple[str, Extents]]:
    """The sentences of a CoNLL-U file, each with the extents of its words."""
    text, rows = None, []
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        if line.startswith("# text = "):
            text = line.removeprefix("# text = ")
        elif line and not line.startswith("#"):
            rows.append(line.split("\t")[:2])
        elif not line and rows:
            if text is None:
                raise ValueError(f"{path}: a sentence without a line `# text = `")
            yield text, list(words(text, rows))
            text, rows = None, []


def words(text: str, rows: list[list[str]]) -> Iterator[tuple[int, int]]:
    """Yields the character ranges of a sentence's words in its text.

    A row such as `2-3 don't` has the surface form of the words 2 and 3. If their forms joined are
    the surface form (`do`, `n't`), each is a word of the text, otherwise the surface form is one.
    """
    at, skip_to = 0, 0
    forms = dict(rows)
    for number, form in rows:
        first, _, last = number.partition("-")
        # A number such as 8.1 marks an empty node, which has no text.
        if "." in number or (int(first) <= skip_to and not last):
            continue
        parts = [form]
        if last:
            skip_to = int(last)
            spelled = [forms[str(i)] for i in range(int(first), skip_to + 1)]
            parts = spelled if "".join(spelled) == form else [form]
        at = text.index(form, at)
        for part in parts:
            yield at, at + len(part)
            at += len(part)
