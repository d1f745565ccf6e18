"""Files of measured figures: tables under a head with machine, date and versions.

`docs/measured` has these files, which pages of the site show; `docs/generate/measured.py` validates
their shape. A figure is addressed by table, row and column, each with a key that does not depend on
its title.
"""

import datetime
import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spacy

import lexpool

ROOT = Path(__file__).parents[2]
# The default text: prose that every CPython installation contains.
OWN_PROSE = "the help texts of CPython (pydoc_data.topics)"


@dataclass
class Row:
    """A thing that was measured: a figure for each column, and how often it is better than the
    baseline's.
    """

    title: str
    values: dict[str, float]
    ratios: dict[str, float] = field(default_factory=dict)
    # Only if it differs from the table's.
    unit: str | None = None
    # The goal: a figure above the maximum or below the minimum misses it.
    most: float | None = None
    least: float | None = None
    # The only column that the goal is about; without one, it is about all of lexpool's.
    bounded: str | None = None


@dataclass
class Table:
    """Rows of one kind. `better` is "more" or "less"; `baseline` the column that ratios are taken
    to.
    """

    title: str
    unit: str
    better: str
    columns: dict[str, str]
    rows: dict[str, Row] = field(default_factory=dict)
    baseline: str | None = None

    def told(self) -> dict[str, Any]:
        rows = {
            key: {name: value for name, value in vars(row).items() if value not in (None, {})}
            for key, row in self.rows.items()
        }
        told = {name: value for name, value in vars(self).items() if value is not None}
        return told | {"rows": rows}


def write(
    path: Path,
    tables: Mapping[str, Table],
    texts: Sequence[Path],
    *,
    taken: Mapping[str, Any] | None = None,
    raw: Any = None,
) -> None:
    """Writes a file of figures. `taken` says how much was taken of the texts, `raw` is all that was
    timed.
    """
    content = {"head": head(texts) | ({"taken": taken} if taken else {})}
    content["tables"] = {key: table.told() for key, table in tables.items()}
    if raw is not None:
        content["raw"] = raw
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def head(texts: Sequence[Path] = ()) -> dict[str, Any]:
    """Returns the head of a file: machine, date, versions and texts."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 2**30, 1),
        "load": round(os.getloadavg()[0], 1),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "spacy": spacy.__version__,
        "lexpool": lexpool.__version__,
        "texts": [{"name": path.name, "bytes": path.stat().st_size} for path in texts]
        or [{"name": OWN_PROSE}],
    }


def commit() -> str | None:
    """The commit that is checked out, with a `+` where tracked files were changed since."""
    try:
        told = [
            subprocess.run(
                ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
            ).stdout
            for words in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "-uno"])
        ]
    except (OSError, subprocess.CalledProcessError):
        return None
    # The measured files themselves change in the checkout, one after another.
    changed = [line for line in told[1].splitlines() if "docs/measured/" not in line]
    return told[0].strip() + ("+" if changed else "")


def cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().split("\n"):
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
