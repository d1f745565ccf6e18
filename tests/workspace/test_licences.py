"""Every Rust dependency has a licence that deny.toml allows; `make audit` checks the same."""

import re
import tomllib
from pathlib import Path

import pytest
from test_crates import metadata

ALLOWED = set(
    tomllib.loads((Path(__file__).parents[2] / "deny.toml").read_text())["licenses"]["allow"]
)


def is_allowed(expression: str) -> bool:
    """Tells if the licences of an SPDX expression that apply together are all allowed."""
    alternatives = re.split(r" OR |\s*/\s*", re.sub(r"\(([^()]*)\)", r"\1", expression))
    if "(" in expression:
        # The only form with parentheses is `(A OR B) AND C`.
        either, rest = re.fullmatch(r"\(([^()]*)\) AND ([\w.-]+)", expression).groups()
        return is_allowed(either) and rest in ALLOWED
    return any(all(part in ALLOWED for part in one.split(" AND ")) for one in alternatives)


def test_every_dependency_has_an_allowed_licence():
    refused = {
        package["name"]: package["license"]
        for package in metadata()["packages"]
        if not is_allowed(package["license"] or "none")
    }
    assert refused == {}


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT OR Apache-2.0", True),
        ("MIT/Apache-2.0", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("Apache-2.0 AND MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
    ],
)
def test_an_expression_is_read_as_cargo_deny_reads_it(expression, allowed):
    assert is_allowed(expression) is allowed
