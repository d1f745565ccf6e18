"""The record of what runs of the tests have shown: docs/measured/records.json.

It has a part for each tool that writes it: "reliability" (ledger.py), "fuzzing" (fuzz.py),
"mutants" (mutants.py) and "coverage" (line_coverage.py). Each is a file of figures by itself, as
docs/generate/measured.py describes them. A release renews the file in one commit.
"""

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "docs/measured/records.json"


def read(path: Path, part: str) -> dict[str, Any]:
    """Returns a part; empty if nothing was written yet."""
    return _read_all(path).get(part, {})


def write(path: Path, part: str, content: dict[str, Any]) -> None:
    """Replaces a part by new content, under a head with machine, date and versions."""
    sys.path.insert(0, str(ROOT / "tests/bench"))
    from figures import head

    about = {name: value for name, value in head().items() if name != "texts"}
    parts = _read_all(path) | {part: {"head": about} | content}
    text = json.dumps(dict(sorted(parts.items())), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _read_all(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
