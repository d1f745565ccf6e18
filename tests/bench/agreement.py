"""Where tokens agree: lexpool's own rules with spaCy's, and both with a treebank's gold tokens."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

Extents = list[tuple[int, int]]


def extents(doc: Iterable) -> Extents:
    """Start and end of each token that is not whitespace, in characters."""
    return [(token.idx, token.idx + len(token)) for token in doc if not token.is_space]


def agreement(ours: Callable, theirs: Callable, texts: Iterable[str]) -> dict[str, float]:
    """How many of their tokens we have exactly, in per cent."""
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
    """Where the words of a sentence stand in its text.

    A row such as `2-3 don't` names what is written for the words 2 and 3. If these spell it out
    (`do`, `n't`) each is a word of the text, otherwise what is written counts as one.
    """
    at, skip_to = 0, 0
    forms = dict(rows)
    for number, form in rows:
        first, _, last = number.partition("-")
        # A number such as 8.1 is a word that is not written.
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
