"""The results of files, and the records of how many tests pass in each."""

import json
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from rules import Rules


@dataclass
class FileResult:
    """The outcomes of the tests in one file."""

    path: str
    seconds: float = 0.0
    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    # The number of documents whose annotation was compared.
    predictions: int = 0

    def classify(self, rules: Rules) -> None:
        """Count the outcomes and find what should not be."""
        for name, (outcome, more) in self.outcomes.items():
            full = f"{self.path}::{name}"
            excuse = rules.excuse(full, outcome, more)
            if outcome == "passed" and excuse:
                self.problems.append(f"passes, but rules.toml excuses it ({excuse}): {name}")
            elif outcome in ("failed", "borrowed", "refused") and not excuse:
                self.problems.append(f"{outcome}: {name}: {more}")
            counted = outcome in ("passed", "skipped") or not excuse
            self.counts[outcome if counted else "excused"] += 1

    def classify_predictions(self, rules: Rules, control: bool) -> None:
        """Count the tests whose predictions are equal, and find those that differ. Tests without
        predictions are not counted.

        control: whether all predictions were altered, so that none may be equal.
        """
        for name, (outcome, more) in self.outcomes.items():
            if outcome == "failed":
                self.problems.append(f"failed on spaCy: {name}: {more}")
            if outcome != "predicted":
                continue
            found = json.loads(more)
            differing, compared = found["differing"], found["compared"]
            refused = [
                text for text in found["unsupported"] if not rules.excuse("", "refused", text)
            ]
            self.predictions += compared
            if control and compared:
                self.problems.append(f"{name}: {compared} altered predictions count as equal")
            for kind, texts in (("differs", differing), ("unsupported", refused)):
                if texts and not control:
                    self.problems.append(f"{kind}: {name}: {texts[0]} ({len(texts)} in all)")
            if differing or refused:
                self.counts["failed"] += 1
            else:
                self.counts["passed" if compared else "excused"] += 1

    @property
    def predicting(self) -> list[str]:
        """The names of the tests with predictions, without parameters."""
        names = [name for name, (outcome, _) in self.outcomes.items() if outcome == "predicted"]
        return sorted({name.partition("[")[0] for name in names})

    @property
    def applicable(self) -> int:
        return sum(self.counts.values()) - self.counts["excused"] - self.counts["skipped"]


class Record:
    """A file of how many tests pass, and how many predictions are equal, by file of tests."""

    def __init__(self, path: Path) -> None:
        self.path = path
        read = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
        self._spacy: str = read.get("spacy", "")
        self.passed: dict[str, int] = read.get("passed", {})
        self.predictions: dict[str, int] = read.get("predictions", {})
        # The names of tests with predictions, without parameters.
        self.tests: dict[str, list[str]] = read.get("tests", {})

    @property
    def is_current(self) -> bool:
        """True for a record of the installed version of spaCy."""
        return self._spacy == version("spacy")

    def has_predictions(self, test: str) -> bool:
        """Returns whether a test of a file ("file::name[...]") has made predictions."""
        path, _, name = test.partition("::")
        return name.partition("[")[0] in self.tests.get(path, ())

    def write(self, results: list[FileResult]) -> None:
        """Write down how many tests pass."""
        lines = [
            "# How many of spaCy's tests pass on lexpool, by file: `run.py --record` writes it.",
            f'spacy = "{version("spacy")}"',
            "",
            "[passed]",
            *(f'"{result.path}" = {result.counts["passed"]}' for result in results),
        ]
        self.path.write_text("\n".join(lines) + "\n", "utf-8")

    def write_predictions(self, results: list[FileResult]) -> None:
        """Write down how many predictions are equal, and which tests make them."""
        results = [result for result in results if result.predicting]
        lines = [
            "# Predictions in spaCy's tests that lexpool makes as spaCy does, by file:",
            "# `run.py --predictions --record` writes it.",
            f'spacy = "{version("spacy")}"',
            "",
            "# Tests with at least one prediction.",
            "[passed]",
            *(f'"{result.path}" = {result.counts["passed"]}' for result in results),
            "",
            "# Documents with equal annotation.",
            "[predictions]",
            *(f'"{result.path}" = {result.predictions}' for result in results),
            "",
            "# The tests that are run: those that have made predictions.",
            "[tests]",
        ]
        for result in results:
            lines += [
                f'"{result.path}" = [',
                *(f'    "{name}",' for name in result.predicting),
                "]",
            ]
        self.path.write_text("\n".join(lines) + "\n", "utf-8")

    def problems(self, results: list[FileResult]) -> list[str]:
        """Returns the files in which fewer tests pass, or predictions are equal, than recorded."""
        if not self.is_current:
            print(f"{self.path.name} is of spaCy {self._spacy}, so numbers are not compared")
            return []
        found = []
        for result in results:
            pairs = [("tests pass", self.passed.get(result.path, 0), result.counts["passed"])]
            if self.predictions:
                before = self.predictions.get(result.path, 0)
                pairs.append(("predictions are equal", before, result.predictions))
            for what, before, now in pairs:
                if now < before:
                    found.append(f"{result.path}: {now} {what}, {before} did before")
                elif now > before:
                    print(f"{result.path}: {now} {what}, {before} are recorded; run with --record")
        return found


def print_table(results: list[FileResult], seconds: float) -> None:
    """Print the numbers of tests by folder."""
    print(f"\n{'folder':16} {'files':>5} {'passed':>7} {'of':>6} {'excused':>8} {'skipped':>8}")
    groups = sorted({_group_of(result.path) for result in results})
    for group in [*groups, "all"]:
        mine = [result for result in results if group in ("all", _group_of(result.path))]
        total = sum((result.counts for result in mine), Counter[str]())
        of = sum(result.applicable for result in mine)
        print(
            f"{group:16} {len(mine):5} {total['passed']:7} {of:6} "
            f"{total['excused']:8} {total['skipped']:8}"
        )
    slow = sorted(results, key=lambda result: -result.seconds)[:3]
    longest = ", ".join(f"{result.path} {result.seconds:.0f}" for result in slow)
    print(f"spaCy {version('spacy')}, {seconds:.0f} seconds; longest: {longest}")


def print_predictions(results: list[FileResult], seconds: float) -> None:
    """Print the numbers of tests and predictions by file."""
    print(f"\n{'file':40} {'tests':>6} {'of':>6} {'excused':>8} {'predictions':>12}")
    for result in results:
        if result.applicable or result.counts["excused"]:
            print(
                f"{result.path:40} {result.counts['passed']:6} {result.applicable:6} "
                f"{result.counts['excused']:8} {result.predictions:12}"
            )
    passed, of, excused, predictions = (
        sum(numbers)
        for numbers in zip(
            *(
                (r.counts["passed"], r.applicable, r.counts["excused"], r.predictions)
                for r in results
            ),
            strict=True,
        )
    )
    print(f"{'predicted':40} {passed:6} {of:6} {excused:8} {predictions:12}")
    print(f"predictions beside spaCy {version('spacy')}, {seconds:.0f} seconds")


def _group_of(path: str) -> str:
    return path.partition("/")[0] if "/" in path else "(top)"
