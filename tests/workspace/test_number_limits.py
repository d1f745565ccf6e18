"""Whole numbers of files and configurations are read with a row of the table of limits.

The readers of the modules that read models, settings and trainings take a `Limit` as an argument.
The sources are searched for other places where such a number is taken from a value: each file that
has one is listed, with how many it has and why none of them is counted up to or allocated.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "core/error/src/limits.rs").read_text("utf8")
ROWS = re.findall(r'^    ([A-Z_]+) = "[a-z]+\.[a-z]+" [\d_]+ codes::', TABLE, re.MULTILINE)
FOLDERS = [
    "core/nn/src",
    "core/parse/src",
    "core/src/edit_trees",
    "core/src/knowledge",
    "core/src/loading",
    "core/src/pipeline",
    "core/src/trained",
    "core/training/src",
    "core/src/vectors",
]
TAKEN = re.compile(r"\bas_(?:int|u64|i64)\(\)|\bConfigView::Count\(|\bUInt\(|\.uint\(\)")
MAXIMUM = re.compile(r"\bconst (MAX_[A-Z_]+):")

# Files whose numbers go to `Limit::check`, by the names of the functions that read them.
READERS = {
    "core/nn/src/describe/attributes.rs": ["count"],
    "core/nn/src/describe/settings.rs": [
        "count",
        "size",
        "optional_size",
        "sizes",
        "checked_size",
    ],
    "core/src/pipeline/source.rs": ["count"],
    "core/src/trained/cfg.rs": ["count"],
    "core/training/src/settings/fields.rs": [
        "count",
        "whole",
        "optional_count",
        "at_least_one",
        "within",
    ],
}
# By file, how often a number is taken there in other ways, and why it needs no limit.
REASONS = {
    "core/nn/src/describe/array.rs": (1, "the shape of an array, whose bytes the file has"),
    "core/nn/src/describe/attributes.rs": (
        4,
        "a number with its limit, a seed, a temperature and the number of an attribute",
    ),
    "core/nn/src/describe/combinators.rs": (3, "values that are written"),
    "core/nn/src/describe/config_value.rs": (2, "the view of a JSON value"),
    "core/nn/src/describe/first_ensemble.rs": (1, "a value that is written"),
    "core/nn/src/describe/leaves.rs": (4, "values that are written"),
    "core/nn/src/describe/model_file.rs": (1, "a dimension, compared with an array's"),
    "core/nn/src/describe/settings.rs": (3, "numbers with their limits, and a rate"),
    "core/nn/src/describe/spans.rs": (1, "a value that is written"),
    "core/nn/src/describe/textcat.rs": (2, "values that are written"),
    "core/nn/src/describe/tok2vec.rs": (5, "the number of an attribute, and values written"),
    "core/nn/src/learn/optimizer.rs": (1, "steps, with their limit"),
    "core/nn/src/learn/parameters_state.rs": (1, "a number of tensors, which is compared"),
    "core/src/edit_trees/bytes.rs": (1, "lengths, compared with those of the tree"),
    "core/src/loading/attribute_rules.rs": (4, "ids, and an index that is looked up"),
    "core/src/loading/patterns.rs": (2, "values of attributes"),
    "core/src/loading/summary.rs": (1, "counts that are printed"),
    "core/src/pipeline/lemmatizer/saved.rs": (1, "ids of strings"),
    "core/src/trained/cfg.rs": (2, "ids of edit trees"),
    "core/src/trained/saved.rs": (2, "the number of a part of speech; a frequency, for sorting"),
    "core/src/trained/suggester.rs": (1, "a size, with its limit"),
    "core/training/src/components/lemmatizer.rs": (3, "ids and labels of edit trees"),
    "core/training/src/components/states/component.rs": (1, "the number of a move, of 8 bits"),
    "core/training/src/components/states/labels.rs": (1, "a frequency, for sorting"),
    "core/training/src/run/labels_file.rs": (1, "a frequency, for sorting"),
    "core/training/src/run/progress.rs": (2, "steps, with their limit"),
    "core/src/vectors/files.rs": (4, "keys, rows and shapes, checked with the table; 32 bits"),
}
# Constants that bound no number of a file or a caller.
TUNING = {
    "core/nn/src/infer/gemm.rs": {"MAX_INNER", "MAX_COLUMNS", "MAX_ROWS"},
    "core/nn/src/infer/scratch.rs": {"MAX_BUFFERS", "MAX_NUMBERS"},
    "core/nn/src/infer/sums.rs": {"MAX_BLOCK"},
    "core/nn/src/infer/token_products.rs": {"MAX_BYTES"},
    "core/src/edit_trees/apply.rs": {"MAX_BYTES"},
    "core/src/edit_trees/script.rs": {"MAX_CHARS", "MAX_NODES"},
    "core/src/knowledge/base.rs": {"MAX_PRIOR_SUM"},
    "core/src/loading/loaded_pipeline.rs": {"MAX_LOADS"},
    "core/src/loading/patterns.rs": {"MAX_DEPTH"},
    "core/src/pipeline/lemmatizer/spanish.rs": {"MAX_CLITICS"},
    "core/src/pipeline/run.rs": {"MAX_HELP_BYTES", "MAX_TOKENIZED_HELP_BYTES"},
    "core/training/src/components/states/overfitting.rs": {"MAX_UPDATES"},
    "core/training/src/run/console.rs": {"MAX_WIDTH"},
    "core/training/src/corpora/example_stream.rs": {"MAX_FAULTS"},
    "core/training/src/run/origin.rs": {"MAX_DIFFERENCES"},
    "core/training/src/run/pipeline.rs": {"MAX_FAULTS"},
    "core/training/src/run/saved_weights.rs": {"MAX_LABELS"},
    "core/src/vectors/similar.rs": {"MAX_BLOCK"},
}


def sources() -> dict[str, str]:
    """Returns the sources of the folders without comments and tests, by path."""
    texts = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.rs")):
            if "tests" not in path.stem and "tests" not in path.parent.parts:
                text = re.sub(r"(?m)^\s*//.*$", "", path.read_text("utf8"))
                texts[path.relative_to(ROOT).as_posix()] = text.split("#[cfg(test)]")[0]
    return texts


def test_each_row_is_used_by_a_reader():
    rows = TABLE.split("\nlimits! {\n")[1].split("\n}\n")[0]
    assert len(ROWS) > 25 and rows.count(" codes::") == len(ROWS)
    used = "\n".join(
        path.read_text("utf8")
        for folder in ("core", "py/src")
        for path in (ROOT / folder).rglob("*.rs")
        if path.name != "limits.rs"
    )
    assert [row for row in ROWS if not re.search(rf"\blimits::{row}\b", used)] == []


@pytest.mark.parametrize("path", READERS)
def test_a_reader_of_whole_numbers_takes_a_limit(path):
    text = (ROOT / path).read_text("utf8")
    for name in READERS[path]:
        signatures = re.findall(rf"\bfn {name}\b[^(]*\(([^)]*)\)", text)
        assert signatures and all("limit: Limit" in each for each in signatures), name


def test_no_number_is_taken_from_a_value_beside_the_readers():
    counts = {}
    for path, text in sources().items():
        count = len(TAKEN.findall(text))
        if count and not (path in READERS and path not in REASONS):
            counts[path] = count
    expected = {path: count for path, (count, _) in REASONS.items()}
    assert counts == expected


def test_no_limit_stands_beside_the_table():
    beside = {path: set(MAXIMUM.findall(text)) for path, text in sources().items()}
    assert {path: names for path, names in beside.items() if names} == TUNING
