"""Writes the README's figures from docs/measured, between its two marks: `python tests/tools/readme_figures.py`.

A test compares, so that the README says what was measured last.
"""

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "docs/generate"), str(ROOT / "tests/bench")]

import measured  # noqa: E402
from rounding import share, short  # noqa: E402

BEGIN, END = "<!-- figures of docs/measured: make measure -->\n", "<!-- end of figures -->\n"


def cell(row: dict[str, Any], column: str) -> str:
    """A figure, and in brackets how many times as good as spaCy's it is."""
    if column not in row["values"]:
        return ""
    value = short(row["values"][column])
    return value if column == "spacy" else f"{value} ({short(row['ratios'][column])}x)"


def many(table: dict[str, Any], keys: list[str], ratios: bool = False) -> str:
    """One column of several rows: `9 / 46 / 124`."""
    pick, after = ("ratios", "x") if ratios else ("values", "")
    return " / ".join(f"{short(table['rows'][key][pick]['lexpool'])}{after}" for key in keys)


def figures(of: dict[str, Any]) -> str:
    """The section of the README."""
    bench, matching, files = (of[name] for name in ("bench", "matching", "files"))
    speed = bench["tables"]["speed"]["rows"]
    columns = ["spacy", "unbound", "lexpool", "rust"]
    lines = [
        f"| {title} | {' | '.join(cell(speed[key], column) for column in columns)} |"
        f" {short(speed[key]['values']['scan'])} |"
        for key, title in (
            ("new-words", "new words"),
            ("known-words", "known words"),
            ("one-text", "all as one text, known words"),
        )
    ]
    head, taken = bench["head"], bench["head"]["taken"]
    agreed = bench["tables"]["agreement"]["rows"]
    own, theirs = (agreed[key]["values"]["lexpool"] for key in ("own", "spacy"))
    gold = next(iter(bench["tables"]["gold"]["rows"].values()))
    patterns, phrases, texts = (
        matching["tables"][name] for name in ("patterns", "phrases", "texts")
    )
    some, words = ["10", "1000", "10000"], ["1000", "10000", "100000"]
    corpus, vocab = files["tables"]["corpus"]["rows"], files["tables"]["vocab"]["rows"]
    count, packed = corpus["count"], corpus["packed"]
    opened, size = vocab["open"]["values"], vocab["size"]["values"]
    taken_files = files["head"]["taken"]
    pipelines, transitions = (of[name]["tables"] for name in ("pipelines", "transitions"))
    stages, steps = pipelines["speed"]["rows"], transitions["speeds"]["rows"]["oracle"]["values"]
    days = sorted(
        {of[name]["head"]["date"] for name in ("bench", "matching", "pipelines", "files")}
    )
    cores = f"{head['cores']} cores of an {head['cpu']}"
    return f"""\
{len(head["texts"])} texts, {taken["bytes"] / 1e6:.0f} MB in {taken["paragraphs"]:,} paragraphs, beside spaCy \
{head["spacy"]}; one thread, CPU time, MB/s, and in
brackets how many times as fast as spaCy. "Cache unbound" is spaCy with its `max_cache_size` raised,
which is one line and the fairer comparison. "Scan" reads every byte once and does nothing else.

| tokenize | spaCy | spaCy, cache unbound | lexpool from Python | lexpool from Rust | scan |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(lines)}

With spaCy's rules, taken over by `from_spacy`, {share(theirs)} % of spaCy's {taken["tokens"]:,} tokens
are the same; with lexpool's own English rules {share(own)} %. Against the gold tokens of the English Web
Treebank (test part) spaCy has an F1 of {share(gold["values"]["spacy"])} %, lexpool {share(gold["values"]["lexpool"])} %.

Matchers over the same texts, each figure beside spaCy's on the same documents (`make bench-matching`):

| | lexpool | beside spaCy |
| --- | --- | --- |
| 10 / 1,000 / 10,000 token patterns | {many(patterns, some)} ns a token | {many(patterns, some, True)} |
| 1,000 / 10,000 / 100,000 phrases in documents | {many(phrases, words)} ns a token | {many(phrases, words, True)} |
| the same in texts, without documents | {many(texts, words)} MB/s | {many(texts, words, True)} |

Pipelines as streams, on all cores, by the clock (`make bench-pipelines`):

| | spaCy | lexpool | |
| --- | --- | --- | --- |
| tokenizer and sentencizer | {short(stages["sentencizer"]["values"]["spacy"])} MB/s | \
{short(stages["sentencizer"]["values"]["lexpool"])} MB/s | {short(stages["sentencizer"]["ratios"]["lexpool"])}x |
| the same, a ruler of 10,000 phrases, a lookup lemmatizer | {short(stages["phrases"]["values"]["spacy"])} MB/s | \
{short(stages["phrases"]["values"]["lexpool"])} MB/s | {short(stages["phrases"]["ratios"]["lexpool"])}x |
| half of its patterns of tokens | {short(stages["lemmatizer"]["values"]["spacy"])} MB/s | \
{short(stages["lemmatizer"]["values"]["lexpool"])} MB/s | {short(stages["lemmatizer"]["ratios"]["lexpool"])}x |

A parse by an oracle makes {short(steps["one"])} million transitions a second on one thread, {short(steps["two"])} on two.

Files of the same texts, uncut ({taken_files["text_bytes"] / 1e6:.1f} MB in {taken_files["docs"]:,} paragraphs, \
{taken_files["tokens"] / 1e6:.1f} million tokens; `make bench-files`):

| | lexpool | beside |
| --- | --- | --- |
| open a corpus | {short(corpus["open"]["values"]["lexpool"])} ms | |
| count its words by lower-cased form | {short(count["values"]["lexpool"])} ms | {short(count["ratios"]["lexpool"])}x \
spaCy's `DocBin`, read and counted; {short(count["values"]["lexpool"] / count["values"]["numpy"])} times a NumPy sum \
over the same records |
| size of a corpus, mapped | {short(corpus["token"]["values"]["lexpool"])} bytes a token and the text | |
| size of one that is compressed | {short(packed["values"]["lexpool"])} MB | spaCy's `DocBin` \
{short(packed["values"]["spacy"])} MB |
| open a vocab of a million words ({short(size["large"])} MB) | {short(opened["large"])} ms | \
{short(opened["large"] / opened["small"])} times one of ten thousand |

Measured on {" and ".join(days)} on {cores}, Python {head["python"]}. MB/s depend on the machine and on what else
it does, ratios far less. `make bench TEXT="your.txt"` measures your texts on your machine, threads as well.
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
