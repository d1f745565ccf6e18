"""The figures of docs/measured, validated and combined for the pages: src/data/measured.json.

A file has a `head` (where, when and with what it was measured) and either `tables`, as
tests/bench/figures.py writes them, or `runs`, as tests/tools/ledger.py does; records.json has
several such files by their names. An error names the place in the file, and nothing is written.
"""

import datetime
import json
import math
import re
from pathlib import Path
from typing import Any

KEY = re.compile(r"[a-z0-9_]+(-[a-z0-9_]+)*")
HEAD = {
    "date": str,
    "commit": (str, type(None)),
    "cpu": str,
    "cores": int,
    "memory_gb": (int, float),
    "system": str,
    "python": str,
    "spacy": str,
    "lexpool": str,
}


class Unfit(ValueError):
    """A file of figures that does not have the shape that pages read."""


def data() -> dict[str, Any]:
    return read(Path(__file__).parents[1] / "measured")


def read(folder: Path) -> dict[str, Any]:
    """All files of a folder by their names, without what only says how figures came about."""
    measured = {}
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        # Without a head it is a record of several files.
        files = {path.stem: content} if "head" in content else content
        for stem, figures in files.items():
            try:
                check(figures)
            except Unfit as unfit:
                raise Unfit(f"{path}, {stem}: {unfit}") from None
            measured[stem] = {name: figures[name] for name in figures if name != "raw"}
    return measured


def check(content: Any) -> None:
    """Raises `Unfit` if a file of figures does not have the shape that pages read."""
    need(isinstance(content, dict), "", "an object", content)
    check_head(content.get("head"))
    need(("tables" in content) != ("runs" in content), "", "either tables or runs", [*content])
    for key, table in items(content.get("tables", {}), "tables"):
        check_table(table, f"tables.{key}")
    for key, run in items(content.get("runs", {}), "runs"):
        check_run(run, f"runs.{key}")


def check_head(head: Any) -> None:
    need(isinstance(head, dict), "head", "an object", head)
    for name, kind in HEAD.items():
        need(isinstance(head.get(name, ...), kind), f"head.{name}", "a value", head.get(name))
    check_date(head["date"], "head.date")
    for text in head.get("texts", []):
        need(isinstance(text.get("name"), str), "head.texts", "names", text)
        need("/" not in text["name"], "head.texts", "a name without a folder", text["name"])


def check_table(table: Any, place: str) -> None:
    need(isinstance(table, dict), place, "an object", table)
    for name in ("title", "unit"):
        need(isinstance(table.get(name), str), f"{place}.{name}", "a text", table.get(name))
    need(
        table.get("better") in ("more", "less"),
        f"{place}.better",
        "more or less",
        table.get("better"),
    )
    columns = dict(items(table.get("columns"), f"{place}.columns"))
    need(bool(columns), f"{place}.columns", "a column", columns)
    baseline = table.get("baseline")
    need(baseline is None or baseline in columns, f"{place}.baseline", "a column", baseline)
    rows = dict(items(table.get("rows"), f"{place}.rows"))
    need(bool(rows), f"{place}.rows", "a row", rows)
    for key, row in rows.items():
        here = f"{place}.rows.{key}"
        need(isinstance(row.get("title"), str), f"{here}.title", "a text", row.get("title"))
        need(bool(row.get("values")), f"{here}.values", "a value", row.get("values"))
        for kind in ("values", "ratios"):
            for column, value in items(row.get(kind, {}), f"{here}.{kind}"):
                need(column in columns, f"{here}.{kind}", "columns of the table", column)
                need(is_number(value), f"{here}.{kind}.{column}", "a number", value)
        for column, ratio in row.get("ratios", {}).items():
            need(ratio > 0, f"{here}.ratios.{column}", "a ratio above zero", ratio)
            need(baseline is not None, f"{place}.baseline", "a column for the ratios", baseline)
        for bound in ("most", "least"):
            need(is_number(row.get(bound, 0)), f"{here}.{bound}", "a number", row.get(bound))
        if "bounded" in row:
            need(row["bounded"] in columns, f"{here}.bounded", "a column", row["bounded"])


def check_run(run: Any, place: str) -> None:
    need(isinstance(run, dict), place, "an object", run)
    for name in ("title", "unit", "command"):
        need(isinstance(run.get(name), str), f"{place}.{name}", "a text", run.get(name))
    if "date" not in run:
        # It has not been made yet.
        need("count" not in run, f"{place}.date", "the day of the run", None)
        return
    count, failed = run.get("count"), run.get("failed")
    need(isinstance(count, int) and count > 0, f"{place}.count", "a number above zero", count)
    need(isinstance(failed, int) and failed >= 0, f"{place}.failed", "a number", failed)
    need(is_number(run.get("seconds", 0)), f"{place}.seconds", "a number", run.get("seconds"))
    check_date(run.get("date"), f"{place}.date")


def check_date(date: Any, place: str) -> None:
    try:
        datetime.date.fromisoformat(date)
    except (TypeError, ValueError):
        raise Unfit(f"{place}: expected a date such as 2026-11-22, got {date!r}") from None


def items(table: Any, place: str) -> list[tuple[str, Any]]:
    """The items of an object; its keys are parts of the addresses that pages use."""
    need(isinstance(table, dict), place, "an object", table)
    for key in table:
        need(KEY.fullmatch(key) is not None, place, "keys such as new-words", key)
    return list(table.items())


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def need(holds: bool, place: str, expected: str, got: Any) -> None:
    if not holds:
        raise Unfit(
            f"{place or 'the file'}: expected {expected}, got {json.dumps(got, default=str)[:80]}"
        )
