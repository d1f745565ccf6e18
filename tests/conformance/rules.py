"""Rules that excuse tests of spaCy's from passing on lexpool, with reasons."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class _Rule:
    reason: str
    patterns: tuple[str, ...]

    def matches(self, name: str) -> bool:
        return any(_matches(pattern, name) for pattern in self.patterns)


@dataclass(frozen=True)
class Rules:
    """The rules of rules.toml.

    refused: by component that lexpool refuses to be made, or by message if it cannot make a
        prediction; a test that asks for one is excused.
    failing: tests that run and cannot pass.
    left_out: tests that are not run.
    """

    refused: tuple[_Rule, ...]
    failing: tuple[_Rule, ...]
    left_out: tuple[_Rule, ...]

    @classmethod
    def read(cls, path: Path) -> "Rules":
        tables = tomllib.loads(path.read_text("utf-8"))

        def rules(section: str) -> tuple[_Rule, ...]:
            rows: list[dict[str, Any]] = tables.get(section, [])
            keys = ("components", "messages", "tests")
            return tuple(
                _Rule(row["reason"], tuple(row[key])) for row in rows for key in keys if key in row
            )

        return cls(rules("refused"), rules("failing"), rules("left_out"))

    def excuse(self, test: str, outcome: str, more: str) -> str | None:
        """Returns the reason that excuses a test, or None.

        test: the file's path in spacy/tests, "::" and the test's name.
        more: the component's name, or the message, for the outcome "refused".
        """
        if outcome == "refused":
            for rule in self.refused:
                if rule.matches(more):
                    return rule.reason
        return next((rule.reason for rule in self.failing if rule.matches(test)), None)

    def deselected(self, test: str) -> bool:
        """Returns whether a test is not run at all."""
        return any(rule.matches(test) for rule in self.left_out)

    def unused(self, tests: Iterable[str]) -> list[str]:
        """Complaints about patterns that no test has matched."""
        names = list(tests)
        return [
            f"rules.toml: no test is called {pattern}"
            for rule in self.failing
            for pattern in rule.patterns
            if not any(_matches(pattern, name) for name in names)
        ]


def _matches(pattern: str, name: str) -> bool:
    """Returns whether a pattern with wildcards (`*`) fits the name, with or without its `[...]`."""
    regex = re.escape(pattern).replace(r"\*", ".*")
    return re.fullmatch(rf"{regex}(\[.*\])?", name, re.DOTALL) is not None
