"""Tokenizes real text, tells what was found, and writes it as an Arrow file.

`make demo` calls this on the texts given as TEXT, a document a line, or else on prose that comes
with every CPython.
"""

import argparse
import itertools
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow.ipc

import lexpool
from lexpool.structs import TokenC

SENTENCE = "Dr. Strauss can't (yet) e-mail 5km-maps to www.example.com, U.K.!"


def documents(paths: list[Path]) -> list[str]:
    """The lines of the files that are not empty, or the paragraphs of CPython's help topics."""
    if paths:
        lines = itertools.chain(*(path.read_text("utf-8").split("\n") for path in paths))
        return [line for line in lines if line.strip()]
    from pydoc_data.topics import topics

    parts = itertools.chain(*(topics[name].split("\n\n") for name in sorted(topics)))
    return [" ".join(part.split()) for part in parts if part.strip()]


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def tokenize(nlp: lexpool.Language, texts: list[str]) -> list[lexpool.Doc]:
    heading("Tokenizing")
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    docs: list[lexpool.Doc] = []
    for what in ("every word new", "every word known"):
        start = time.perf_counter()
        docs = list(nlp.pipe(texts))
        speed = megabytes / (time.perf_counter() - start)
        print(f"{what:17} {speed:6.0f} MB/s, all cores, {len(docs):,} documents in Python's hands")
    tokens, vocab = sum(map(len, docs)), nlp.vocab.stats()
    print(f"{tokens:,} tokens of {TokenC.size} bytes, {len(nlp.vocab):,} different words")
    print(f"{vocab['used_bytes'] / 1e6:.1f} MB of strings and word types, all attributes computed")
    if all(doc.text == text for doc, text in zip(docs, texts, strict=True)):
        print("the tokens give back every text, character for character")
    return docs


def frequent(nlp: lexpool.Language, docs: list[lexpool.Doc]) -> None:
    heading("Most frequent words that are no stop words")
    counts: Counter[int] = Counter()
    for doc in docs:
        counts.update(doc.count_by("LOWER"))
    ranked = ((nlp.vocab[lower], n) for lower, n in counts.most_common())
    words = (f"{word.text} {n:,}" for word, n in ranked if word.is_alpha and not word.is_stop)
    print(", ".join(itertools.islice(words, 10)))


def reasons(nlp: lexpool.Language) -> None:
    heading("Why it is cut like that")
    print(SENTENCE)
    for rule, token in nlp.tokenizer.explain(SENTENCE):
        print(f"  {token:18} {rule}")


def layout() -> None:
    heading("What a token is in memory, for kernels in C, Cython, NumPy and Rust")
    print(TokenC)


def write_arrow(texts: list[str], out: Path) -> None:
    """Lets the shell command write the file, and reads it as anyone would."""
    heading("The same as a file, by the shell command")
    out.mkdir(parents=True, exist_ok=True)
    source, target = out / "demo.txt", out / "demo.arrow"
    source.write_text("\n".join(texts) + "\n", encoding="utf-8")
    words = ["lexpool", "tokenize", str(source), "-o", str(target)]
    print(f"$ {' '.join(words)}", flush=True)
    subprocess.run([sys.executable, "-m", *words], check=True)
    with pyarrow.memory_map(str(target)) as mapped:
        table = pyarrow.ipc.open_file(mapped).read_all()
        print(f"\npyarrow reads {table.num_rows:,} rows from {target}, for example:")
        row = next(row for row in table.to_pylist() if row["tokens"])
        print(f"  text    {row['text']!r}")
        for token in row["tokens"][:3]:
            print(f"  token   {token}")


def builds() -> None:
    heading("For use and for figures")
    print("`make demo` and `make build` compile quickly. `make release` optimizes the package as a")
    print("whole: it tokenizes about 1.5 times as fast. `make dist` makes wheels of that build.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("texts", nargs="*", type=Path, help="UTF-8, a document a line")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the Arrow file")
    args = parser.parse_args()
    texts = documents(args.texts)
    nlp = lexpool.blank("en")
    frequent(nlp, tokenize(nlp, texts))
    reasons(nlp)
    layout()
    write_arrow(texts, args.out)
    builds()


if __name__ == "__main__":
    main()
