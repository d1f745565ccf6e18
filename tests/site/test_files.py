"""Files on the site are real ones, laid out as their pages say."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/src/content/docs/files"
NAMES = {
    "vocab",
    "phrases",
    "lookups",
    "corpus",
    "doc",
    "docbin",
    "model",
    "moves",
    "trees",
    "knowledge",
}


@pytest.fixture(scope="module", autouse=True)
def _generators():
    sys.path.insert(0, str(ROOT / "docs/generate"))
    yield
    sys.path.remove(str(ROOT / "docs/generate"))


@pytest.fixture(scope="module")
def files():
    return importlib.import_module("files").data()


def test_parts_and_lines_fill_each_file(files):
    assert set(files) == NAMES
    for name, file in files.items():
        end = 0
        for part in file["parts"]:
            assert part["start"] == end, (name, part["name"])
            for line in part["lines"]:
                assert line["at"] == end, (name, line)
                end += len(bytes.fromhex(line["hex"])) + line["left"]
            assert part["end"] == end, (name, part["name"])
        assert end == file["size"], name


def test_every_part_that_is_not_padding_shows_some_of_its_bytes(files):
    for name, file in files.items():
        for part in file["parts"]:
            assert part["name"] in ("", *{line["name"] for line in part["lines"]}) or any(
                line["hex"] for line in part["lines"]
            ), (name, part["name"])


def test_the_sections_of_files_are_those_of_their_tables(files):
    for name in ("vocab", "phrases"):
        text = (PAGES / f"{name}.mdx").read_text()
        table = text[text.index("| section |") :].split("\n\n")[0]
        named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
        assert named == [*importlib.import_module(f"dumps.{name}").KINDS], name


def test_the_columns_of_a_corpus_are_those_of_its_table():
    text = (PAGES / "corpus.mdx").read_text()
    table = text[text.index("| column |") :].split("\n\n")[0]
    named = re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
    columns = importlib.import_module("arrow").data()["corpus"]["columns"]
    assert named == [column["name"] for column in columns]


def test_keys_of_a_docbin_are_those_of_its_table(files):
    text = (PAGES / "docbin.mdx").read_text()
    table = text[text.index("| key |") :].split("\n\n")[0]
    cells = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", table, re.MULTILINE)
    named = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    keys = {part["name"] for part in files["docbin"]["parts"]}
    assert keys - {"map", "version", "crc32"} == named - {"user_data"}


def test_the_lists_of_a_network_are_those_of_their_table(files):
    text = (PAGES / "pipeline.mdx").read_text()
    table = text[text.index("| list |") :].split("\n\n")[0]
    named = re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
    assert named == [part["name"] for part in files["model"]["parts"][1:]]


def test_the_layers_of_a_network_are_as_many_as_its_page_says(files):
    nodes, *_ = (part for part in files["model"]["parts"] if part["name"] == "nodes")
    (count,) = {line["value"] for line in nodes["lines"] if line["name"] == "list"}
    text = " ".join((PAGES / "pipeline.mdx").read_text().split())
    assert f"has {count.split()[0]} entries because the configuration describes" in text


def test_a_network_that_is_packed_otherwise_is_an_error(files):
    pipeline = importlib.import_module("dumps.pipeline")
    dump = importlib.import_module("dumps.dump")
    from lexpool import msgpack

    lists = {"nodes": [], "attrs": [], "params": [], "shims": []}
    assert pipeline.model(msgpack.packb(lists), "")["size"] > 0
    for other in (
        dict(reversed(lists.items())),
        lists | {"nodes": [{"name": "linear", "index": 0}], "attrs": [{}, {}]},
    ):
        with pytest.raises((dump.Unexpected, ValueError, KeyError)):
            pipeline.model(msgpack.packb(other), "")


def test_a_file_laid_out_otherwise_is_an_error():
    dump = importlib.import_module("dumps.dump")
    for data, read in (
        (b"\x02\0\0\0", lambda one: one.number("u32", "version", 1)),
        (b"\0\1", lambda one: one.zeros(2)),
        (b"\0\0", lambda one: one.raw(1, "half")),
    ):
        one = dump.Dump(data)
        one.part("all", len(data) if data != b"\0\0" else 1, "facts")
        with pytest.raises(dump.Unexpected):
            read(one)
            one.done("")


def test_every_file_and_table_is_on_a_page(files):
    text = "".join(page.read_text() for page in PAGES.glob("*.mdx"))
    assert set(re.findall(r'<FileBytes name="(\w+)"', text)) == set(files)
    tables = importlib.import_module("arrow").data()
    assert set(re.findall(r'<ArrowTable of="(\w+)"', text)) == set(tables)


def test_each_generator_writes_its_data_under_its_name(tmp_path):
    """In a process of its own, as `python docs/generate` is one."""
    program = (
        "import runpy, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "main = runpy.run_path(sys.argv[1] + '/__main__.py')\n"
        "for name in main['GENERATORS']: main['write'](Path(sys.argv[2]), name)"
    )
    subprocess.run([sys.executable, "-c", program, ROOT / "docs/generate", tmp_path], check=True)
    modules = {path.stem.replace("_", "-") for path in (ROOT / "docs/generate").glob("[a-z]*.py")}
    assert {path.stem for path in (tmp_path / "src/data").iterdir()} == modules - {"api"}
    assert json.loads((tmp_path / "src/data/files.json").read_text()).keys() == NAMES
    assert (tmp_path / "src/content/docs/api").is_dir()
