"""The catalogue of errors, as Python has it."""

import builtins

import pytest

import lexpool
from lexpool import errors


def test_each_row_names_exceptions_and_says_what_to_do():
    rows = errors.codes()
    assert list(rows) == sorted(rows) and len(rows) > 350
    for code, row in rows.items():
        assert row.code == code and row.form and row.remedy
        for name in row.raised:
            assert issubclass(getattr(builtins, name), BaseException), row
        assert ("UserWarning" in row.raised) == (code[0] == "W"), row


def test_an_exception_is_explained_by_its_code():
    with pytest.raises(KeyError) as raised:
        lexpool.Vocab().strings[12345]
    row = errors.explain(raised.value)
    assert row == errors.explain("E018")
    assert "KeyError" in row.raised


@pytest.mark.parametrize("given", ["no code", "[a-z]", "", ValueError("[x] y"), KeyError(3)])
def test_what_has_no_code_has_no_explanation(given):
    assert errors.explain(given) is None
