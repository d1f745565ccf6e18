"""What `import lexpool` imports, which decides its time, and where it leaves names."""

import pickle
import sys

import pytest
from processes import python

# Small modules of the standard library. `typing`, `re` and `collections` together would take longer
# than a blank pipeline, as would `json`, `dataclasses` or `inspect` alone.
LIBRARIES = {"importlib", "types", "warnings"}
# Modules that a blank pipeline imports beside parts of the language and of its components.
OF_LANGUAGE = {
    "lexpool",
    "lexpool._core",
    "lexpool._errors",
    "lexpool._narrow",
    "lexpool._saving",
    "lexpool._saving.files",
    "lexpool._saving.json",
    "lexpool._saving.packed",
    "lexpool._typing",
    "lexpool.config",
    "lexpool.language",
}


def imported(statements: str) -> tuple[set[str], set[str]]:
    """Returns the modules of lexpool, and the others, that statements import."""
    printed = python(
        f"""
        import sys
        before = set(sys.modules)
        {statements}
        print(*set(sys.modules) - before)
        """,
        options=("-I",),
    ).split()
    of_lexpool = {name for name in printed if name.partition(".")[0] == "lexpool"}
    others = {name.partition(".")[0] for name in printed if not name.startswith("_")}
    return of_lexpool, others - {"lexpool"}


def test_importing_loads_the_native_module_alone():
    assert imported("import lexpool") == ({"lexpool", "lexpool._core"}, set())


def test_a_blank_pipeline_loads_the_language_and_no_component():
    of_lexpool, others = imported("import lexpool; lexpool.blank('en')")
    assert others <= LIBRARIES
    parts = ("lexpool._components", "lexpool._language")
    assert {name for name in of_lexpool if not name.startswith(parts)} == OF_LANGUAGE


def test_importing_brings_no_other_library():
    python(
        """
        import sys
        before = set(sys.modules)
        import lexpool, lexpool.attrs, lexpool.errors, lexpool.lexeme, lexpool.strings
        import lexpool.structs, lexpool.symbols, lexpool.tokenizer, lexpool.tokens, lexpool.vocab
        import lexpool.parts_of_speech, lexpool.tokens.graph, lexpool.training, lexpool.util
        lexpool.blank("en")("It isn't used before an array is asked for.")
        roots = {name.partition(".")[0] for name in set(sys.modules) - before}
        foreign = roots - set(sys.stdlib_module_names) - {"lexpool"}
        assert not foreign, foreign
        """,
        options=("-I",),
    )


def test_loading_a_trained_pipeline_brings_no_other_library(tmp_path):
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    # With one label the file of the tagger is short, and load looks for weights in it.
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
    network = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    nlp.add_pipe("tagger", config={"model": network}).add_label("X")
    nlp.initialize()
    nlp.to_disk(tmp_path)
    python(
        f"""
        import sys
        before = set(sys.modules)
        import lexpool
        assert lexpool.load({str(tmp_path)!r})("Some words").has_annotation("TAG")
        roots = {{name.partition(".")[0] for name in set(sys.modules) - before}}
        foreign = roots - set(sys.stdlib_module_names) - {{"lexpool"}}
        assert not foreign, foreign
        """,
        options=("-I",),
    )


def test_importing_starts_no_thread():
    python(
        """
        import os
        import lexpool
        if os.path.exists("/proc/self/task"):
            lexpool.blank("en")("nor does one text")
            assert len(os.listdir("/proc/self/task")) == 1
        """
    )


def test_modules_are_attributes_of_the_package_and_are_imported_when_first_used():
    python(
        """
        import importlib, pkgutil, sys
        import lexpool
        assert not {"lexpool.training", "lexpool.matcher"} & set(sys.modules)
        public = {m.name for m in pkgutil.iter_modules(lexpool.__path__) if m.name[0] != "_"}
        assert public <= set(dir(lexpool))
        for name in sorted(public):
            assert getattr(lexpool, name) is importlib.import_module(f"lexpool.{name}")
        assert lexpool.training.Example and lexpool.matcher.PhraseMatcher
        assert not hasattr(lexpool, "nothing")
        """
    )


def test_names_are_where_spacy_has_them():
    import lexpool
    from lexpool import errors, lexeme, strings, tokenizer, tokens, vocab

    assert tokens.Doc is lexpool.Doc
    assert tokens.Token is lexpool.Token
    assert tokens.Span is lexpool.Span
    assert vocab.Vocab is lexpool.Vocab
    assert lexeme.Lexeme is lexpool.Lexeme
    assert strings.StringStore is lexpool.StringStore
    assert tokenizer.Tokenizer is lexpool.Tokenizer
    for cls in (lexpool.Doc, lexpool.Vocab, lexpool.Lexeme, lexpool.StringStore, lexpool.Tokenizer):
        assert getattr(sys.modules[cls.__module__], cls.__name__) is cls
    for name in errors.__all__:
        assert getattr(errors, name).__module__ == "lexpool.errors"
    assert all(hasattr(lexpool, name) for name in lexpool.__all__)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("lexpool.errors", "ConfigError"),
        ("lexpool.pipeline.model", "Node"),
        ("lexpool.pipeline.pipe", "Pipe"),
        ("lexpool.pipeline.pipe", "raise_error"),
        ("lexpool.pipeline.registry", "FactoryMeta"),
        ("lexpool.pipeline.registry", "FunctionFactory"),
        ("lexpool.training.alignment", "Alignment"),
        ("lexpool.training.example", "Example"),
        ("lexpool.training.iob_utils", "doc_to_biluo_tags"),
        ("lexpool.util", "filter_spans"),
    ],
)
def test_pickles_find_names_in_the_public_modules_that_they_were_made_with(module, name):
    assert pickle.loads(f"c{module}\n{name}\n.".encode()).__name__ == name
