"""Writes the transitions per second of parser states to a file of figures.

`make measure` builds `rust/examples/transitions.rs`, which measures, and runs this with a treebank
in CoNLL-U.
"""

import argparse
import re
import subprocess
from pathlib import Path

import figures
from figures import Row, Table

TITLES = {
    "oracle": "an oracle: all costs at each step, then the move",
    "scored": "features, scores and the best valid class",
    "replayed": "known classes, checked and made",
    "beam 4": "a beam of four parses, a step of each counted",
}
# The goals: millions of transitions per second on one thread, and the ratio of two threads to one.
ORACLE, GAIN = 5.0, 1.9
LINE = re.compile(r"(?P<name>.+?) *(?P<threads>\d) threads +\d+ steps +(?P<wall>[\d.]+) million")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("gold", nargs="+", type=Path, help="a treebank's files, b.conllu")
    parser.add_argument(
        "--program", type=Path, required=True, help="the built example `transitions`"
    )
    parser.add_argument("--json", type=Path, help="write the figures there")
    args = parser.parse_args()
    command = [args.program.absolute(), *args.gold]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    print(printed, end="")
    columns = {"one": "one thread", "two": "two threads"}
    speeds = Table("Millions of transitions a second, by the clock", "M/s", "more", columns)
    gains = Table("Two threads beside one", "x", "more", {"lexpool": "lexpool"})
    found: dict[str, dict[str, float]] = {}
    for line in map(LINE.match, printed.splitlines()):
        if line:
            column = "one" if line["threads"] == "1" else "two"
            found.setdefault(line["name"], {})[column] = float(line["wall"])
    for name, values in found.items():
        key = name.replace(" ", "-")
        speeds.rows[key] = Row(TITLES[name], values)
        gains.rows[key] = Row(TITLES[name], {"lexpool": values["two"] / values["one"]})
    speeds.rows["oracle"].least = ORACLE
    gains.rows["oracle"].least = GAIN
    if args.json:
        figures.write(args.json, {"speeds": speeds, "gains": gains}, args.gold)


if __name__ == "__main__":
    main()
