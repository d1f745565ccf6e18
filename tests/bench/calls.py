"""Writes the time of op calls in Rust, by entry point, to a file of figures.

`make measure` builds `rust/examples/calls.rs`, which measures, and runs this.
"""

import argparse
import subprocess
from pathlib import Path

import figures
from figures import Row, Table

KEYS = {
    "a function by pointer": "pointer",
    "typed handle": "typed",
    "boxed: Op::call": "boxed",
    "boxed: the entry of C": "entry",
    "the op of a name": "name",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", type=Path, required=True, help="the built example `calls`")
    parser.add_argument("--json", type=Path, help="write the figures there")
    args = parser.parse_args()
    printed = subprocess.run(
        [args.program.absolute()], capture_output=True, text=True, check=True
    ).stdout
    table = Table("A call of an op in Rust, add(1, 2)", "ns", "less", {"lexpool": "lexpool"})
    for line in printed.splitlines():
        title, _, nanoseconds = line.rpartition(" ")
        table.rows[KEYS[title.strip()]] = Row(title.strip(), {"lexpool": float(nanoseconds)})
    print(printed, end="")
    if args.json:
        figures.write(args.json, {"calls": table}, ())


if __name__ == "__main__":
    main()
