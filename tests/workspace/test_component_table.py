"""The names of factories stand in one table, from which loaders, trainers and Python's are made."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "core" / "src" / "components" / "table.rs"
FACTORIES = re.findall(r'ComponentKind::\w+,\s*"(\w+)"', TABLE.read_text("utf8"))
# Converters of CoNLL files and the states of parsers have such names of their own.
OTHER_NAMES = re.compile(r"core/cli/src/convert\.rs|core/nn/|py/src/parser/")
# Python's factories name the places of classes, and the package its modules.
PLACES = ("py/lexpool/_components/factories.py", "py/lexpool/pipeline/__init__.py")


def product_files(suffix: str, *folders: str) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob(f"*{suffix}")):
            name = path.relative_to(ROOT).as_posix()
            if not re.search(r"tests?(/|\.rs)|/examples/|/target/", name):
                yield name, path.read_text("utf8")


def test_the_table_has_the_factories_of_spacy():
    assert len(FACTORIES) == 27
    assert {"tagger", "span_finder", "token_splitter"} <= set(FACTORIES)


def test_no_rust_but_the_table_compares_with_the_name_of_a_factory():
    names = "|".join(FACTORIES)
    pattern = re.compile(rf'"({names})"\s*(?:if [^\n]*)?(?:=>|\|)|[=!]=\s*"({names})"')
    comparisons = {
        name: comparison[0]
        for name, text in product_files(".rs", "core", "py/src")
        if not OTHER_NAMES.match(name)
        for comparison in pattern.finditer(re.sub(r"//[^\n]*", "", text.split("#[cfg(test)]")[0]))
    }
    assert comparisons == {}


def test_python_names_a_factory_where_its_class_is():
    # Names of one word are also those of attributes.
    literal = re.compile(rf'"({"|".join(name for name in FACTORIES if "_" in name)})"')
    for name, text in product_files(".py", "py/lexpool"):
        if name not in PLACES and literal.search(text):
            assert re.match(r"py/lexpool/pipeline/", name), (name, literal.findall(text))
