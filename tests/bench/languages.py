"""Compares lexpool's tokenizers with spaCy's and with gold tokens, language by language.

`make bench-languages UD=folder` builds what is needed and calls this (JSON=out.json). By hand:

    python tests/bench/languages.py UD [code ...] [--json out.json] [--rules file.toml] [--show 20]

UD is a folder of treebank parts, a `<code>.conllu` each. For each code the table has the share of
spaCy's tokens that lexpool finds in the treebank's sentences and in probes (the special cases of
spaCy's rules, beside words and punctuation), and the F1 of both against the gold tokens. A word of
several syntactic words counts as these if they spell it out. `--show` lists differences, the most
frequent first; `--rules` tries a file of rules for one code.
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import figures
import spacy
from figures import Row, Table

import lexpool

# Settings with which spaCy's tokenizer needs no other package.
SETTINGS = {
    "ko": {"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}},
    "vi": {"nlp": {"tokenizer": {"use_pyvi": False}}},
}
TIMED = ("en", "de", "fr", "fi", "ru", "zh")
TURNS = 5
# Passes over the texts in a turn: one would mostly measure how the caches of the processor are
# filled again after the turn of the other tokenizer.
PASSES = 10
# The number of sentences of a text.
PARAGRAPH = 20
COLUMNS = {
    "spacy_f1": "spaCy, F1",
    "f1": "lexpool, F1",
    "share": "spaCy's tokens",
    "probes": "in probes",
}
Extents = set[tuple[int, int]]
ATTRS = (
    "like_num",
    "is_currency",
    "shape_",
    "norm_",
    "is_alpha",
    "is_digit",
    "is_punct",
    "is_title",
)


def sentences(path: Path) -> Iterator[tuple[str, Extents]]:
    """Yields the sentences of a treebank, each with the extents of its gold tokens."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = block.splitlines()
        text = next((line[9:] for line in lines if line.startswith("# text = ")), None)
        if text is not None:
            rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
            yield text, set(_places(text, _forms(rows)))


def _forms(rows: list[list[str]]) -> Iterator[str]:
    """Yields the forms of tokens as they are written."""
    behind = 0
    for number, form, *_ in rows:
        if "." in number:
            continue
        if "-" in number:
            first, last = (int(end) for end in number.split("-"))
            behind = last
            words = [row[1] for row in rows if row[0].isdigit() and first <= int(row[0]) <= last]
            yield from words if "".join(words) == form else [form]
        elif int(number) > behind:
            yield form


def _places(text: str, forms: Iterable[str]) -> Iterator[tuple[int, int]]:
    at = 0
    for form in forms:
        start = text.find(form, at)
        if start >= 0:
            at = start + len(form)
            yield start, at


def probes(cases: Iterable[str], words: list[str]) -> Iterator[str]:
    """Yields texts with special cases beside words, punctuation and in other casings."""
    choose = random.Random(0).choice
    for case in sorted(cases):
        before, behind = choose(words), choose(words)
        for form in dict.fromkeys((case, case.capitalize(), case.upper())):
            yield f"{before} {form} {behind}"
        yield f'{before} "{case}" ({case}), {behind} {case}.'
        yield f"({case} {before}-{case} {behind}/{case}"
    numbers = (
        "1",
        "12",
        "3.",
        "31.",
        "1.000,5",
        "5%",
        "5km",
        "10-15",
        "15-mund",
        "1/2",
        "2000.",
        "§5",
        "€5",
        "5€",
    )
    for number in numbers:
        yield f"{choose(words)} {number} {choose(words)}, {number}."
    for _ in range(300):
        a, b = choose(words), choose(words)
        mark = choose(
            (
                "-",
                "'",
                "’",
                ".",
                ":",
                "/",
                "!",
                "?",
                "(",
                "--",
                "–",
                ",",
                "..",
                "…",
                "=",
                "<",
                "_",
                "+",
            )
        )
        yield f"{a}{mark}{b} {mark}{a} {b}{mark} {a}."


def extents(doc: Any) -> Extents:
    return {(t.idx, t.idx + len(t.text)) for t in doc if not t.is_space}


class Comparison:
    """Counts the tokens of two tokenizers on texts."""

    def __init__(self) -> None:
        self.theirs = self.shared = 0
        self.differences: Counter[tuple[str, str]] = Counter()

    def add(self, text: str, theirs: Extents, own: Extents) -> None:
        self.theirs += len(theirs)
        self.shared += len(theirs & own)
        for start, end in sorted(theirs - own):
            overlap = sorted(e for e in own if e[0] < end and start < e[1])
            left, right = overlap[0][0] if overlap else start, overlap[-1][1] if overlap else end
            left, right = min(left, start), max(right, end)
            cut = [
                sorted(e for e in each if left < e[1] and e[0] < right) for each in (theirs, own)
            ]
            shown = [" ".join(text[a:b] for a, b in side) for side in cut]
            self.differences[shown[0], shown[1]] += 1

    @property
    def share(self) -> float:
        return 100 * self.shared / max(1, self.theirs)


def f1(gold: Counter[str]) -> float:
    return 200 * gold["shared"] / max(1, gold["gold"] + gold["found"])


def compare(
    code: str, path: Path | None, rules: str | None
) -> tuple[dict[str, float], Comparison, Comparison, Counter]:
    theirs = spacy.blank(code, config=SETTINGS.get(code, {})).tokenizer
    own = lexpool.Tokenizer.blank(code, rules=rules)
    texts, probing = Comparison(), Comparison()
    their_gold: Counter[str] = Counter()
    own_gold: Counter[str] = Counter()
    attrs: Counter[tuple[str, str, str, str]] = Counter()
    words: set[str] = set()
    for text, gold in sentences(path) if path else ():
        their_doc, own_doc = theirs(text), own(text)
        found, mine = extents(their_doc), extents(own_doc)
        texts.add(text, found, mine)
        for counts, tokens in ((their_gold, found), (own_gold, mine)):
            counts.update(gold=len(gold), found=len(tokens), shared=len(gold & tokens))
        words.update(t.text for t in their_doc if not t.is_space)
        norms = {(t.idx, t.text): t.norm_ for t in own_doc}
        for t in their_doc:
            norm = norms.get((t.idx, t.text))
            if norm is not None and norm != t.norm_:
                attrs["token norm", t.text, t.norm_, norm] += 1
    plain = sorted(w for w in words if w.isalpha() and len(w) > 1) or ["mund", "kost", "Haus"]
    shared = set(spacy.blank("xx").tokenizer.rules)
    for text in probes(set(getattr(theirs, "rules", None) or ()) - shared, plain):
        probing.add(text, extents(theirs(text)), extents(own(text)))
    # Some numbers are several words, which no token has.
    words.update(word for word in number_words(code) if not any(map(str.isspace, word)))
    for word in words:
        their_word, own_word = theirs.vocab[word], own.vocab[word]
        for attr in ATTRS:
            a, b = getattr(their_word, attr), getattr(own_word, attr)
            if a != b:
                attrs[attr, word, str(a), str(b)] += 1
    row = {
        "tokens": texts.theirs,
        "share": round(texts.share, 3),
        "probes": round(probing.share, 3),
        "spacy_f1": round(f1(their_gold), 3),
        "f1": round(f1(own_gold), 3),
        "attrs": round(100 * (1 - len(attrs) / max(1, len(words) * len(ATTRS))), 3),
    }
    return row, texts, probing, attrs


def number_words(code: str) -> list[str]:
    import importlib

    try:
        module = importlib.import_module(f"spacy.lang.{code}.lex_attrs")
    except ImportError:
        return []
    lists = [v for k, v in vars(module).items() if "num" in k or "ord" in k]
    return [w for v in lists if isinstance(v, list | set | tuple) for w in v if isinstance(w, str)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ud", type=Path, help="the folder of treebank parts")
    parser.add_argument("codes", nargs="*", help="codes; by default all that have a part and rules")
    parser.add_argument("--rules", type=Path, help="a file of rules to try, for one code")
    parser.add_argument("--show", type=int, default=0, help="the number of differences to list")
    parser.add_argument("--json", type=Path, help="a file for the table")
    args = parser.parse_args()
    codes = args.codes or lexpool.languages()
    rules = args.rules.read_text(encoding="utf-8") if args.rules else None
    rows: dict[str, Any] = {}
    print(
        f"{'code':5}{'tokens':>9}{'texts %':>10}{'probes %':>10}{'F1 spaCy':>10}{'F1':>9}{'attrs %':>10}"
    )
    for code in codes:
        path = args.ud / f"{code}.conllu"
        try:
            row, texts, probing, attrs = compare(code, path if path.exists() else None, rules)
        except (ImportError, ValueError) as error:
            print(f"{code:5}skipped: {str(error).splitlines()[0]}")
            continue
        rows[code] = row
        print(
            f"{code:5}{row['tokens']:>9,}{row['share']:>10.3f}{row['probes']:>10.3f}{row['spacy_f1']:>10.2f}"
            f"{row['f1']:>9.2f}{row['attrs']:>10.3f}",
            flush=True,
        )
        for title, comparison in (("texts", texts), ("probes", probing)):
            for (a, b), n in comparison.differences.most_common(args.show):
                print(f"   {title:7}{n:>5}  spaCy: {a}   lexpool: {b}")
        for (attr, word, a, b), n in attrs.most_common(args.show):
            print(f"   {attr:12}{n:>4} {word!r}: spaCy {a!r}, lexpool {b!r}")
    if args.json:
        agreement = Table("Tokens of treebanks", "%", "more", COLUMNS)
        for code, row in rows.items():
            title = lexpool_title(code)
            values = {
                column: row[column] for column in COLUMNS if row["tokens"] or column == "probes"
            }
            agreement.rows[code] = Row(f"{title} ({code})", values)
        files = [path for code in rows if (path := args.ud / f"{code}.conllu").exists()]
        figures.write(args.json, {"agreement": agreement, "speed": speed(args.ud)}, files)


def lexpool_title(code: str) -> str:
    """Returns the name of a language from its file of rules."""
    import tomllib

    rules = figures.ROOT / "core/src/tokenizer/lang/rules" / f"{code}.toml"
    return str(tomllib.loads(rules.read_text(encoding="utf-8"))["language"]["title"])


def speed(folder: Path) -> Table:
    """Times both tokenizers on texts of treebanks, with warm caches, also of the processor."""
    table = Table(
        "Texts of twenty sentences, one thread",
        "tokens/s",
        "more",
        {"spacy": "spaCy", "lexpool": "lexpool"},
        baseline="spacy",
    )
    for code in TIMED:
        path = folder / f"{code}.conllu"
        if not path.exists():
            continue
        lines = [text for text, _ in sentences(path)]
        texts = [" ".join(lines[at : at + PARAGRAPH]) for at in range(0, len(lines), PARAGRAPH)]
        theirs, own = spacy.blank(code).tokenizer, lexpool.Tokenizer.blank(code)
        n_tokens = sum(len(theirs(text)) for text in texts)
        best = {"spacy": 0.0, "lexpool": 0.0}
        for _ in range(TURNS):
            for name, tokenize in (("spacy", theirs), ("lexpool", own)):
                _time(tokenize, texts)
                seconds = _time(tokenize, texts * PASSES)
                best[name] = max(best[name], n_tokens * PASSES / seconds)
        ratios = {name: value / best["spacy"] for name, value in best.items()}
        table.rows[code] = Row(lexpool_title(code), best, ratios)
    return table


def _time(tokenize: Callable[[str], Any], texts: list[str]) -> float:
    start = process_time()
    for text in texts:
        tokenize(text)
    return process_time() - start


if __name__ == "__main__":
    main()
