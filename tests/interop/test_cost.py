"""Twice the input costs at most two and a half times the work, for each reader and each method.

Work is counted, not timed: the bytes that a process allocates, moves, sets and compares
(`counted.c`). What costs steps without that has counters of its own, in the tests of Rust:
comparisons in tables of ids (`seeded.rs`), the ancestors of pairs (`lca.rs`), lifted arcs
(`projective/`), walks of trees (`children.rs`), the bytes looked at for chunks (`chunks.rs`),
backtracking steps (`core/regex/src/tests`), the bytes of the chunk cache (`cache.rs`).
"""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cost_rows
import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="functions are put in the place of glibc's"
)

SIZE = 2000
MAX_TIMES = 2.5
# Work of one size for any input, as an import.
SLACK = 100_000


PACKAGE = Path(__file__).parents[2] / "py" / "lexpool"
READER = re.compile(r"from_(?:bytes|disk|json|array)|open|read_\w+")

# Each public reader: the row that counts its work.
READERS = {
    "AttributeRuler.from_bytes": "attribute_ruler_bytes",
    "BaseVectors.from_bytes": "vectors",
    "BloomFilter.from_bytes": "bloom_bytes",
    "Config.from_bytes": "config_text",
    "Corpus.open": "corpus",
    "Doc.from_array": "from_array",
    "Doc.from_bytes": "doc_bytes",
    "Doc.from_json": "doc_json",
    "DocBin.from_bytes": "docbin",
    "EntityRuler.from_bytes": "entity_ruler_bytes",
    "Language.from_bytes": "pipeline_bytes",
    "Lookups.from_bytes": "lookups",
    "PhraseMatcher.open": "phrases_file",
    "SpanGroup.from_bytes": "span_groups_bytes",
    "SpanGroups.from_bytes": "span_groups_bytes",
    "SpanRuler.from_bytes": "span_ruler_bytes",
    "StringStore.from_bytes": "strings",
    "Table.from_bytes": "table_bytes",
    "Tokenizer.from_bytes": "tokenizer_bytes",
    "TransitionSystem.from_bytes": "moves_bytes",
    "Vectors.from_bytes": "vectors",
    "Vocab.from_bytes": "vocab_bytes",
    "Vocab.open": "vocab_image",
    "read_conllu": "conllu",
}

# Each other one, with the reason for which it has no row. One of a folder reads what `from_bytes`
# reads.
WITHOUT_ROW = {
    "EditTrees.from_bytes": "a pass over the trees",
    "EditTrees.from_json": "a pass over the trees",
    "InMemoryLookupKB.from_bytes": "a pass over entities and aliases",
    "InMemoryLookupKB.read_contents": "a pass over entities and aliases",
    "KnowledgeBase.from_bytes": "abstract",
    "Lemmatizer.from_bytes": "tables alone, as Lookups.from_bytes",
    "Learner.read_state": "a copy of arrays as long as the weights",
    "Lookups.open": "maps the file, and reads its header and the names of its tables",
    "Model.from_bytes": "takes the bytes",
    "Optimizer.from_bytes": "a MessagePack map with the state of each component",
    "PackedPath.open": "checks the bytes of a part and copies them",
    "PackedPath.read_bytes": "as open",
    "PackedPath.read_text": "as open",
    "read_json": "a text of one value, in the private module for configurations and settings",
    "read_references": "DocBin.from_bytes of each file",
    "TrainablePipe.from_bytes": "takes the bytes of the network",
    "Sentencizer.from_bytes": "a short list of marks",
}


def readers() -> set[str]:
    """The readers of all public classes, and the functions that are readers."""
    found = set()
    for path in [PACKAGE / "_core.pyi", *PACKAGE.rglob("*.py")]:
        body = ast.parse(path.read_text("utf8")).body
        scopes = [(f"{node.name}.", node.body) for node in body if isinstance(node, ast.ClassDef)]
        # Functions of private files stand behind methods of public classes.
        scopes += [("", body)] if not path.name.startswith("_") or path.suffix == ".pyi" else []
        for scope, nodes in scopes:
            functions = [node.name for node in nodes if isinstance(node, ast.FunctionDef)]
            found |= {
                scope + name for name in functions if READER.fullmatch(name) and scope[:1] != "_"
            }
    return found


def test_every_public_reader_has_a_row_or_a_reason():
    found = readers()
    of_folders = {name for name in found if name.endswith(".from_disk")}
    assert found - of_folders == {*READERS, *WITHOUT_ROW}
    assert {name.replace("from_disk", "from_bytes") for name in of_folders} <= found
    assert set(READERS.values()) <= set(cost_rows.ROWS)


@pytest.fixture(scope="session")
def counted(toolchain):
    flags = ["-shared", "-fPIC", "-O2", "-fno-builtin", "-fno-tree-loop-distribute-patterns"]
    return toolchain.compile("counted.c", "counted.so", *flags)


def work(counted: Path, code: str, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, code, *args],
        env={**os.environ, "LD_PRELOAD": str(counted), "PYTHONHASHSEED": "0"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", cost_rows.ROWS)
def test_twice_the_input_is_at_most_two_and_a_half_times_the_work(counted, name):
    once, twice = json.loads(work(counted, cost_rows.__file__, name, str(SIZE)))
    assert once > SIZE, "nothing was counted"
    assert twice <= MAX_TIMES * once + SLACK, f"{once} bytes, and {twice} for twice the input"


def test_quadratic_work_is_seen(counted, tmp_path):
    code = tmp_path / "quadratic.py"
    code.write_text(
        "import cost_rows, sys\n"
        "cost_rows.ROWS['quadratic'] = lambda n: lambda: [b'x' * i for i in range(n)] and None\n"
        "cost_rows.main('quadratic', int(sys.argv[1]))\n"
    )
    paths = os.pathsep.join(
        [str(Path(cost_rows.__file__).parent), os.environ.get("PYTHONPATH", "")]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", paths)
        once, twice = json.loads(work(counted, str(code), str(SIZE)))
    assert twice > MAX_TIMES * once + SLACK
