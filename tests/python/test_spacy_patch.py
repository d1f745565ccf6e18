"""`lexpool.compat.spacy.patch()`, in processes of its own: it changes the whole process."""

from processes import python

START = """
import sys
import catalogue
import spacy
import lexpool
import lexpool.pipeline
from lexpool.compat.spacy import CompiledComponentError, patch
"""

# All that a patch may change, as far as it can be seen: names, defaults, registered functions.
STATE = """
import types

def state():
    seen = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "spacy":
            for key, value in vars(module).items():
                seen[name, key] = value
                members = vars(value) if isinstance(value, type) else {key: value}
                for member, function in members.items():
                    if isinstance(function, types.FunctionType):
                        for place, default in enumerate(function.__defaults__ or ()):
                            seen[name, key, member, place] = default
                        for place, default in (function.__kwdefaults__ or {}).items():
                            seen[name, key, member, place] = default
    seen.update(catalogue.REGISTRY)
    for key, value in catalogue.REGISTRY.items():
        for place, annotation in getattr(value, "__annotations__", {}).items():
            seen[key, "annotations", place] = annotation
    return seen
"""


def test_names_in_all_modules_are_lexpools():
    python(
        START
        + """
with patch() as on:
    assert "tokens.doc.Doc" in on.replaced
    from spacy.tokens import Doc, Span
    from spacy.tokens.doc import Doc as same
    import spacy.language, spacy.scorer
    assert Doc is same is spacy.language.Doc is spacy.scorer.Doc is lexpool.Doc
    assert Span is lexpool.Span
    assert spacy.vocab.Vocab is spacy.Vocab is lexpool.Vocab
"""
    )


def test_nothing_that_is_looked_up_is_still_spacys():
    python(
        START
        + STATE
        + """
import importlib
with patch() as on:
    names = on.replaced
originals = {}
for name in names:
    module, _, attribute = name.rpartition(".")
    original = getattr(importlib.import_module(f"spacy.{module}"), attribute)
    originals[id(original)] = name
with patch():
    left = {place: value for place, value in state().items() if id(value) in originals}
    assert not left, left
"""
    )


def test_undoing_restores_everything():
    python(
        START
        + STATE
        + """
with patch():
    pass
before = state()
with patch():
    assert state() != before
assert state() == before
"""
    )


def test_undoing_follows_an_error():
    python(
        START
        + """
Doc = spacy.tokens.Doc
try:
    with patch():
        assert spacy.tokens.Doc is not Doc
        raise KeyError
except KeyError:
    pass
assert spacy.tokens.Doc is Doc
"""
    )


def test_patches_nest_and_are_undone_once():
    python(
        START
        + """
Doc = spacy.tokens.Doc
outer = patch()
with patch() as inner:
    assert inner.missing == outer.missing
inner.undo()
assert spacy.tokens.Doc is lexpool.Doc
outer.undo()
assert spacy.tokens.Doc is Doc
"""
    )


def test_modules_imported_meanwhile_follow():
    python(
        START
        + """
Doc = spacy.tokens.Doc
assert "spacy.lang.ja" not in sys.modules
with patch():
    import spacy.lang.ja
    assert spacy.lang.ja.Doc is lexpool.Doc
assert spacy.lang.ja.Doc is Doc
"""
    )


def test_compiled_components_say_why_they_cannot_work():
    python(
        START
        + """
with patch() as on:
    from spacy.pipeline.multitask import MultitaskObjective
    class Mine(MultitaskObjective):
        pass
    for make in (lambda: MultitaskObjective(lexpool.blank("en").vocab, None),
                 lambda: Mine(lexpool.blank("en").vocab, None)):
        try:
            make()
        except CompiledComponentError as error:
            assert isinstance(error, TypeError)
            assert error.component in on.refused
            assert error.component in str(error) and "to_spacy" in str(error)
        else:
            raise AssertionError("nothing was raised")
"""
    )


def test_spacy_is_as_before_after_an_undo():
    python(
        START
        + """
with patch():
    from spacy.pipeline import Sentencizer, Tagger
    from spacy.pipeline.multitask import MultitaskObjective
    class Mine(MultitaskObjective):
        pass
    assert Sentencizer is lexpool.pipeline.Sentencizer
nlp = spacy.blank("en")
nlp.add_pipe("sentencizer")
assert len(list(nlp("One. Two.").sents)) == 2
assert issubclass(Mine, spacy.pipeline.multitask.MultitaskObjective)
assert Tagger is lexpool.pipeline.Tagger and spacy.pipeline.Tagger is not Tagger
assert isinstance(nlp.get_pipe("sentencizer"), spacy.pipeline.Sentencizer)
assert not isinstance(nlp.get_pipe("sentencizer"), lexpool.pipeline.Sentencizer)
"""
    )
