"""Examples in the documentation run, and what is public is documented."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import lexpool

MODULES = sorted(
    {"lexpool"} | {f"lexpool.{m.name}" for m in pkgutil.iter_modules(lexpool.__path__)}
)


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_the_examples_of_a_module_run(name):
    module = importlib.import_module(name)
    results = doctest.testmod(module, raise_on_error=True)
    assert results.failed == 0
    assert module.__doc__


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    assert any(test.examples for test in finder.find(lexpool))


@pytest.mark.parametrize("name", lexpool.__all__)
def test_what_is_public_is_documented(name):
    value = getattr(lexpool, name)
    if not callable(value):
        return
    assert inspect.getdoc(value)
    if not inspect.isclass(value):
        return
    for member, kept in vars(value).items():
        if not member.startswith("_"):
            assert inspect.getdoc(kept), f"{name}.{member}"
