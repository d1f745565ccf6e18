"""Writes the README's table of figures from docs/measured: `python tests/tools/readme_figures.py`.

The table stands between two marks. A test compares, so that the README shows the latest
measurement.
"""

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "docs/generate"), str(ROOT / "tests/bench")]

import measured
from rounding import share, short

BEGIN, END = "<!-- figures of docs/measured: make measure -->\n", "<!-- end of figures -->\n"


def versus(row: dict[str, Any], unit: str, lexpool: str = "lexpool", spacy: str = "spacy") -> str:
    """Cells of a row of figures: spaCy's, lexpool's, and how many times as good lexpool's is."""
    ours, theirs = row["values"][lexpool], row["values"][spacy]
    ratio = row["ratios"][lexpool] / row["ratios"][spacy]
    return f"{short(theirs)} {unit} | {short(ours)} {unit} | {short(ratio)}x"


def figures(of: dict[str, Any]) -> str:
    """Returns the README's table of figures, with the texts, the day and the machine."""
    bench, matching, pipelines, files = (
        of[name] for name in ("bench", "matching", "pipelines", "files")
    )
    speed = bench["tables"]["speed"]["rows"]
    patterns, phrases = (matching["tables"][name]["rows"] for name in ("patterns", "phrases"))
    stages = pipelines["tables"]["speed"]["rows"]
    corpus, vocab = (files["tables"][name]["rows"] for name in ("corpus", "vocab"))
    rows = [
        ("tokenize new words, one thread", versus(speed["new-words"], "MB/s")),
        (
            "the same, spaCy's cache unlimited [^1]",
            versus(speed["new-words"], "MB/s", spacy="unbound"),
        ),
        (
            "tokenize known words, spaCy's cache unlimited",
            versus(speed["known-words"], "MB/s", spacy="unbound"),
        ),
        ("the same with the Rust crate", versus(speed["known-words"], "MB/s", "rust", "unbound")),
        ("match 10 token patterns, a token", versus(patterns["10"], "ns")),
        ("match 10,000 token patterns, a token", versus(patterns["10000"], "ns")),
        ("match 10,000 phrases, a token", versus(phrases["10000"], "ns")),
        ("pipeline: tokenizer and sentencizer, all cores", versus(stages["sentencizer"], "MB/s")),
        (
            "the same with a ruler of 10,000 phrases and a lookup lemmatizer",
            versus(stages["phrases"], "MB/s"),
        ),
        ("count the words of a corpus file (spaCy: `DocBin`)", versus(corpus["count"], "ms")),
        ("size of a compressed corpus (spaCy: `DocBin`)", versus(corpus["packed"], "MB")),
        (
            f"open a vocab file of a million words ({short(vocab['size']['values']['large'])} MB)",
            f"| {short(vocab['open']['values']['large'])} ms |",
        ),
    ]
    table = "\n".join(f"| {title} | {cells} |" for title, cells in rows)
    head, taken = bench["head"], bench["head"]["taken"]
    agreed = bench["tables"]["agreement"]["rows"]
    own, theirs = (agreed[key]["values"]["lexpool"] for key in ("own", "spacy"))
    days = sorted({content["head"]["date"] for content in (bench, matching, pipelines, files)})
    return f"""\
| task | spaCy {head["spacy"]} | lexpool | |
| --- | --- | --- | --- |
{table}

{len(head["texts"])} novels ({taken["bytes"] / 1e6:.0f} MB, {taken["tokens"]:,} tokens); {" and ".join(days)}; \
{head["cores"]} cores of an {head["cpu"]}; Python {head["python"]}.
With spaCy's rules (`Tokenizer.from_spacy`) {share(theirs)} % of the tokens are the same, with lexpool's own rules \
{share(own)} %.

[^1]: spaCy with its `max_cache_size` raised, which takes one line and is the fairer comparison.
"""


def with_figures(readme: str, section: str) -> str:
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{section}\n{END}{after}"


def main() -> None:
    path = ROOT / "README.md"
    section = figures(measured.read(ROOT / "docs/measured"))
    path.write_text(with_figures(path.read_text(encoding="utf-8"), section), encoding="utf-8")


if __name__ == "__main__":
    main()
