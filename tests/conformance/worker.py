"""One file of spaCy's tests in a process that has been patched already."""

import importlib
import json
import os
import sys
import tempfile
import unittest.mock
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from guard import Guard
from hypothesis import HealthCheck, settings

from lexpool.compat.spacy import patch

# Enough to find what is commonly wrong; the tests of our own look further.
EXAMPLES = 30


def prepare(control: bool) -> tuple[Guard, tuple[str, ...]]:
    """Patch spaCy for good and guard its own classes; gives what lexpool lacks besides.

    control: leave spaCy as it is, so that its tests run on its own core.
    """
    # spaCy's tests ask for the package that was there before the standard library had it.
    sys.modules.setdefault("mock", unittest.mock)
    if control:
        importlib.import_module("spacy")
        return Guard(()), ()
    with patch() as trial:
        names = [f"spacy.{name}" for name in trial.replaced + trial.missing]
    found = []
    for name in names:
        module, _, attribute = name.rpartition(".")
        found.append(getattr(importlib.import_module(module), attribute))
    missing = patch().missing
    return Guard(thing for thing in found if isinstance(thing, type)), missing


def run(path: Path, root: Path, plugin: "Outcomes", out: Path) -> None:
    """Run one file, write its outcomes as JSON to `out` and what it prints beside it."""
    log = os.open(out.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    # No other plugin that happens to be installed; looking for them costs, too.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pytest.main(
            [
                str(path), f"--rootdir={root}", f"--config-file={os.devnull}",
                "-q", "--tb=short", "--no-header", "--slow", "-p", "no:cacheprovider",
                "-p", "_hypothesis_pytestplugin",
                "-W", "ignore::pytest.PytestUnknownMarkWarning",
            ],
            plugins=[plugin],
        )  # fmt: skip
        os.chdir(root)
    out.write_text(json.dumps(plugin.outcomes))
    sys.stdout.flush()


class Outcomes:
    """pytest plugin that writes down each test's outcome, seen through the guard.

    Outcomes are "passed", "failed", "skipped", "refused" (a compiled component was to be made) and
    "borrowed" (spaCy's own core took part), each with a line that says more.

    deselect: returns True for a test that is not run.
    path: the file's path in spacy/tests.
    """

    def __init__(self, guard: Guard, deselect: Callable[[str], bool], path: str) -> None:
        self.outcomes: dict[str, tuple[str, str]] = {}
        self._guard = guard
        self._deselect = deselect
        self._path = path
        # Events in the set-up of a fixture or module count for all tests that use it.
        self._blame: dict[str, tuple[list[str], list[str]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Iterator[Any]:
        with _Watch(self, "<module>"):
            report = yield
        if report.failed:
            self._note("<collecting>", "failed", _last_line(str(report.longrepr)), ["<module>"])
        elif report.skipped:
            self._note("<collecting>", "skipped", _reason(report), [])
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if not self._deselect(self._name(item.nodeid))]
        # spaCy's conftest.py has loaded a profile of its own by now.
        settings.register_profile(
            "conformance",
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("conformance")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        with _Watch(self, fixturedef.argname):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[Any]:
        self._blame.pop("<test>", None)
        with _Watch(self, "<test>"):
            result = yield
        name = item.nodeid.partition("::")[2]
        if name in self.outcomes:
            outcome, more = self.outcomes[name]
            self._note(name, outcome, more, ["<test>", "<module>", *item.fixturenames])
        return result

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = report.nodeid.partition("::")[2]
        if report.failed:
            self.outcomes[name] = ("failed", _last_line(str(report.longrepr)))
        elif report.skipped:
            self.outcomes[name] = ("skipped", _reason(report))
        elif report.when == "call":
            self.outcomes[name] = ("passed", "")

    def _name(self, nodeid: str) -> str:
        return f"{self._path}::{nodeid.partition('::')[2]}"

    def _note(self, name: str, outcome: str, more: str, causes: list[str]) -> None:
        found = [self._blame[cause] for cause in causes if cause in self._blame]
        made = [name for names, _ in found for name in names]
        refused = [name for _, names in found for name in names]
        if refused and outcome != "skipped":
            outcome, more = "refused", refused[0]
        elif made and outcome == "passed":
            outcome, more = "borrowed", f"spaCy's own {made[0]} was made"
        self.outcomes[name] = (outcome, more)


class _Watch:
    """Attributes the findings of the guard in a `with` block to a cause."""

    def __init__(self, plugin: Outcomes, cause: str) -> None:
        self._plugin, self._cause = plugin, cause

    def __enter__(self) -> None:
        guard = self._plugin._guard
        self._marks = len(guard.made), len(guard.refused)

    def __exit__(self, *_: object) -> None:
        guard = self._plugin._guard
        made, refused = guard.made[self._marks[0] :], guard.refused[self._marks[1] :]
        if made or refused:
            before = self._plugin._blame.get(self._cause, ([], []))
            self._plugin._blame[self._cause] = (before[0] + made, before[1] + refused)


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E  ")]
    return (errors or lines or [""])[0 if errors else -1].removeprefix("E").strip()[:200]


def _reason(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return f"expected to fail: {report.wasxfail}"
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
