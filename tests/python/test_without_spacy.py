"""lexpool where neither spaCy nor NumPy is installed."""

from processes import python

BLOCKED = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("spacy", "numpy", "thinc", "catalogue", "pydantic"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


def test_texts_become_documents():
    python(
        BLOCKED
        + """
import lexpool
nlp = lexpool.blank("en")
doc = nlp("Let's go to N.Y., shall we?")
assert [token.text for token in doc] == ["Let", "'s", "go", "to", "N.Y.", ",", "shall", "we", "?"]
assert doc.text == "Let's go to N.Y., shall we?"
assert doc[1:3].text == "'s go"
assert nlp.vocab.strings["shall"] == doc[6].orth
assert [doc.text for doc in nlp.pipe(["a b", "c"])] == ["a b", "c"]
"""
    )


def test_every_module_can_be_imported():
    python(
        BLOCKED
        + """
import importlib, pkgutil
import lexpool
for info in pkgutil.walk_packages(lexpool.__path__, "lexpool."):
    if not info.name.endswith("__main__"):
        importlib.import_module(info.name)
assert "numpy" not in sys.modules and "spacy" not in sys.modules
"""
    )


def test_arrays_are_memoryviews():
    python(
        BLOCKED
        + """
import lexpool
doc = lexpool.blank("en")("one two three")
rows = doc.to_array("ORTH")
assert isinstance(rows, memoryview)
assert list(rows) == [token.orth for token in doc]
"""
    )


def test_a_patch_says_that_spacy_is_absent():
    python(
        BLOCKED
        + """
from lexpool.compat.spacy import patch
for _ in range(2):
    try:
        patch()
    except ModuleNotFoundError as error:
        assert error.name == "spacy"
    else:
        raise AssertionError("nothing was raised")
"""
    )
