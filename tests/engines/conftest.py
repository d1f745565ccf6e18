"""Texts for the engines, the result of one process, and a look at what is left when all is done."""

import os
import random
import subprocess
import sys
import uuid
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil
import pytest

# The engines run on this machine only, without telemetry.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
# Addresses of this machine alone, where no token is needed, which Ray would put into the home
# folder.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
# Every process that an engine starts inherits this, by which it is found again.
MARK = "LEXPOOL_TEST_ENGINES"
os.environ[MARK] = uuid.uuid4().hex

import pyarrow as pa
import pyarrow.compute as pc

import lexpool
from lexpool.engines import Annotator

PACKAGES = ("ray", "pyspark", "dask", "distributed", "polars", "pandas", "pyarrow")

# Columns of every kind.
COLUMNS = ("tokens", "strings", "n_tokens", "lower", "norm_", "is_title")
ANNOTATION = (
    *("tag", "tag_", "pos_", "morph_", "lemma", "lemma_", "head", "dep_", "ent_iob", "ent_type_"),
    *("ent_kb_id_", "sent_start", "cats", "strings"),
)
# A pipeline with a network of each kind.
PIPELINE = Path(__file__).parents[1] / "files" / "pipelines" / "networks"


def pytest_report_header():
    own = [f"Python {sys.version.split()[0]}", f"lexpool {lexpool.__version__}"]
    return ", ".join(own + [named(package) for package in PACKAGES])


def named(package):
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"


@pytest.fixture(scope="session")
def texts():
    """A table of texts with ids: of the files that TEXT names, or made up. Some are null or
    empty.
    """
    if files := os.environ.get("TEXT", "").split():
        found = [text for file in files for text in lines(file)]
    else:
        found = made_up(random.Random(7))
    found[3::97] = [None] * len(found[3::97])
    found[5::131] = [""] * len(found[5::131])
    return pa.table(
        {"id": pa.array(range(len(found)), pa.int64()), "body": pa.array(found, pa.string())}
    )


def lines(file):
    """The lines of a file, and each hundredth time ten of them as one text."""
    parts = Path(file).read_text(encoding="utf8").splitlines()
    return ["\n".join(parts[i : i + 10]) if i % 100 == 0 else part for i, part in enumerate(parts)]


def made_up(rng):
    """Texts of words that are met once or many times, in three scripts, from one word to
    hundreds.
    """
    words = [
        "the",
        "don't",
        "U.S.",
        "caf\u00e9",
        "(well-known)",
        "10.5%",
        "\u6771\u4eac",
        "Let's",
        "x",
        "e.g.",
    ]
    words += [
        "na\u00efve,",
        "http://a.example/b?c=d",
        "\U0001f600",
        "\u043c\u0438\u0440!",
        '"So',
        'what?"',
        "nsubj",
    ]
    rare = ["".join(rng.choices("aeiounrstlk", k=rng.randint(3, 9))) for _ in range(4000)]
    spaces = [" "] * 12 + ["  ", "\n", "\t", " \n\n"]

    def text():
        length = rng.choice([1, 5, 20, 20, 60, 400])
        chosen = (rng.choice(words if rng.random() < 0.7 else rare) for _ in range(length))
        return "".join(word + rng.choice(spaces) for word in chosen)

    return [text() for _ in range(1500)]


@pytest.fixture(scope="session")
def annotator():
    return Annotator("en", text="body", columns=COLUMNS)


@pytest.fixture(scope="session")
def alone(texts, annotator):
    """Returns the result of one process for the texts, in one batch."""
    table = pa.table(annotator(texts.combine_chunks()))
    assert table.num_rows == texts.num_rows > 1000
    return table


@pytest.fixture(scope="session")
def same(alone):
    """Says that a table is what one process makes: byte for byte, put in the order of the ids."""
    return comparison(alone)


@pytest.fixture(scope="session")
def fewer(texts):
    """A part of the texts, for trained pipelines."""
    return texts.slice(0, 300)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """An annotator whose workers map one packed file."""
    packed = tmp_path_factory.mktemp("trained") / "networks.pipeline"
    command = [sys.executable, "-m", "lexpool", "model", "pack", str(PIPELINE), "-o", str(packed)]
    subprocess.run(command, check=True, capture_output=True)
    return Annotator(pipeline=packed, text="body", columns=ANNOTATION)


@pytest.fixture(scope="session")
def trained_alone(fewer):
    """Returns the annotation by one process, in one batch, with the folder of the pipeline."""
    alone = Annotator(pipeline=PIPELINE, text="body", columns=ANNOTATION)
    table = pa.table(alone(fewer.combine_chunks()))
    for name in ANNOTATION:
        values = pc.list_flatten(table[name])
        assert values.null_count < len(values), f"a test of {name} could not fail"
    return table


@pytest.fixture(scope="session")
def same_annotation(trained_alone):
    """Says that a table has the annotation of one process, as `same` does."""
    return comparison(trained_alone)


def comparison(alone):
    expected = file_of(alone, alone.schema)

    def check(table):
        # Engines give strings and lists types of their own, such as large ones.
        assert table.num_rows == alone.num_rows
        assert file_of(table, alone.schema) == expected

    return check


def file_of(table, schema):
    """A table as the bytes of Arrow's stream of one batch, in the order of its ids."""
    table = table.select(schema.names).cast(schema.remove_metadata()).combine_chunks()
    table = table.take(pc.sort_indices(table, [("id", "ascending")]))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        for batch in table.combine_chunks().to_batches():
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left():
    """No process of an engine outlives its tests."""
    yield
    _, alive = psutil.wait_procs(descendants(), timeout=20)
    assert not alive, [process.cmdline() for process in alive]


def descendants():
    found = []
    for process in psutil.process_iter():
        try:
            marked = process.environ().get(MARK) == os.environ[MARK]
            # Python's own, which ends with this process.
            marked &= not any(
                "multiprocessing.resource_tracker" in arg for arg in process.cmdline()
            )
        except psutil.Error:
            continue
        if marked and process.pid != os.getpid():
            found.append(process)
    return found
