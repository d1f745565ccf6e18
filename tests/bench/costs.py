"""Measures what single calls cost: spaCy, lexpool, and a lower bound of each call.

`make bench-costs` builds what is needed and calls this (TEXT="a.txt b.txt", JSON=out.json). The
bound is measured in the same run wherever there is one: the least that CPython, NumPy, zlib or the
machine take for what a call has to read, to make or to return. A row's title says which it is.
Times are of the processor, but for vectors and threads. What `turns.py` says holds for all rows.
"""

import argparse
import tempfile
from pathlib import Path

import figures
from bench import paragraphs
from costs_documents import Documents, document_costs, phrase_costs, token_costs
from costs_machine import growth_costs, memory_costs, thread_costs
from costs_stores import file_costs, string_costs, strings_of, vector_costs
from turns import Costs

MEGABYTES = 1


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", nargs="*", type=Path, help="UTF-8, a paragraph a line")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--mb", type=float, default=MEGABYTES, help="how much text to take")
    args = parser.parse_args()
    docs = Documents.of(paragraphs(args.texts, args.mb))
    strings = strings_of(docs.texts)
    costs = Costs()
    with tempfile.TemporaryDirectory() as folder:
        # First, before this process has grown.
        memory_costs(costs, docs, Path(folder))
        document_costs(costs, docs)
        token_costs(costs, docs)
        phrase_costs(costs, docs)
        string_costs(costs, strings)
        file_costs(costs, docs, strings, Path(folder))
    vector_costs(costs)
    thread_costs(costs, docs)
    growth_costs(costs, docs)
    if args.json:
        taken = {
            "paragraphs": len(docs.texts),
            "bytes": sum(len(text.encode()) for text in docs.texts),
            "tokens": docs.tokens,
        }
        figures.write(args.json, costs.tables, args.texts, taken=taken)


if __name__ == "__main__":
    main()
