"""A run of three patterns over one sentence: src/data/matchers.json.

Which patterns are under way after a token is asked of matchers as well: one for each beginning of a
pattern.
"""

from typing import Any

import lexpool
from lexpool.matcher import Matcher

TEXT = "Let's go to New York, shall we?"
PATTERNS: dict[str, list[dict[str, Any]]] = {
    "INVITE": [{"LOWER": "let"}, {"NORM": "us"}, {"LOWER": "go"}],
    "TRIP": [{"LOWER": "go"}, {"LOWER": "to"}],
    "CITY": [{"LOWER": "go"}, {"LOWER": "to"}, {"IS_TITLE": True, "OP": "+"}],
}


def data() -> dict[str, Any]:
    doc = lexpool.blank("en")(TEXT)
    rows: list[dict[str, Any]] = [
        {"token": token.text, "fulfils": [], "under_way": [], "ends": []} for token in doc
    ]
    for name, test in conditions().items():
        for _, start, _ in found(doc, [test]):
            rows[start]["fulfils"].append(name)
    for key, pattern in PATTERNS.items():
        for length in range(1, len(pattern) + 1):
            wants = pattern[length] if length < len(pattern) else repeated(pattern[-1])
            for _, start, end in found(doc, pattern[:length]):
                if length == len(pattern):
                    rows[end - 1]["ends"].append({"key": key, "from": doc[start].text})
                if wants:
                    rows[end - 1]["under_way"].append(
                        {"key": key, "from": doc[start].text, "wants": said(wants)}
                    )
    return {
        "text": TEXT,
        "patterns": [
            {"key": key, "elements": [said(element) for element in pattern]}
            for key, pattern in PATTERNS.items()
        ],
        "conditions": list(conditions()),
        "rows": rows,
    }


def conditions() -> dict[str, dict[str, Any]]:
    """The conditions of the patterns, each once."""
    tests = {}
    for pattern in PATTERNS.values():
        for element in pattern:
            test = {name: value for name, value in element.items() if name != "OP"}
            tests[said(test)] = test
    return tests


def found(doc: lexpool.Doc, pattern: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    matcher = Matcher(doc.vocab)
    matcher.add("it", [pattern])
    return matcher(doc)


def repeated(element: dict[str, Any]) -> dict[str, Any] | None:
    return element if element.get("OP") == "+" else None


def said(element: dict[str, Any]) -> str:
    """An element as the page shows it, such as `LOWER=to` or `IS_TITLE+`."""
    ((name, value),) = ((name, value) for name, value in element.items() if name != "OP")
    return (name if value is True else f"{name}={value}") + element.get("OP", "")
