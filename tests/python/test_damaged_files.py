"""Files that are damaged, or made to do harm: used, or refused with a code, in a short form of the
runs of `tests/fuzz/files.py`; and what such runs find.
"""

import gzip
import importlib.util
import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import lexpool
from lexpool import Tokenizer, errors
from lexpool.errors import ConfigError
from lexpool.lookups import Lookups
from lexpool.msgpack import packb, unpackb
from lexpool.pipeline import DependencyParser
from lexpool.tokens import Doc

FUZZ = Path(__file__).parents[1] / "fuzz"

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="measures by /proc")


@on_linux
def test_damaged_files_of_every_kind_are_used_or_refused_with_a_code(tmp_path, full):
    command = [sys.executable, str(FUZZ / "files.py"), "--keep", str(tmp_path / "failed")]
    command += ["--mutants", "1000" if full else "30", "--seed", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].endswith(" kinds, 0 failed")


CONTROL = """
import os, sys, time
from pathlib import Path
import files
from file_kinds import Kind


def busy(place):
    files.SECONDS = 0.2
    end = time.process_time() + 0.4
    while time.process_time() < end:
        pass


def refused(place):
    raise ValueError("[not-utf8] a text")


def unnamed(place):
    {}["x"]


def wrong_type(place):
    raise KeyError("[not-utf8] a text")


uses = {
    "used": lambda place: None,
    "refused": refused,
    "unnamed": unnamed,
    "wrong-type": wrong_type,
    "busy": busy,
    "large": lambda place: b"x" * (400 << 20),
    "abort": lambda place: os.abort(),
    "exit": lambda place: os._exit(0),
    "still": lambda place: time.sleep(30),
}
for name, use in uses.items():
    kind = Kind(name, lambda: [{"file": b"abc"}], lambda place: None, bytes, ("",))
    kind.sample_list
    object.__setattr__(kind, "use", use)
    files.PATIENCE = 2.0 if name == "still" else 60.0
    outcome = files.batch(kind, range(1), Path(sys.argv[1]))[-1]
    print(name, "|", outcome.get("code") or outcome.get("finding") or "used")
"""


@on_linux
def test_a_run_tells_crashes_hangs_memory_time_and_exceptions_without_a_code(tmp_path):
    command = [sys.executable, "-c", CONTROL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FUZZ)
    verdicts = dict(row.split(" | ") for row in done.stdout.splitlines() if " | " in row)
    expected = {
        "used": "used",
        "refused": "not-utf8",
        "unnamed": "KeyError: ",
        "wrong-type": "KeyError: ",
        "busy": "it took 0 s",
        "large": "it took 4",
        "abort": "it ended the process (status 6)",
        "exit": "it ended the process (status 0)",
        "still": "it stood still",
    }
    assert verdicts.keys() == expected.keys(), done.stdout + done.stderr
    for name, start in expected.items():
        assert verdicts[name].startswith(start), verdicts


def component(factory: str, **settings):
    return lexpool.blank("en").add_pipe(factory, config=settings)


def group_bytes() -> bytes:
    doc = lexpool.blank("en")("a b")
    doc.spans["x"] = [doc[0:1]]
    return doc.spans["x"].to_bytes()


def read_spans(data: bytes):
    lexpool.blank("en")("a b").spans.from_bytes(data)


def read_ruler(data: bytes):
    component("entity_ruler").from_bytes(data)


def read_attributes(data: bytes):
    component("attribute_ruler").from_bytes(packb({"patterns": data}))


# A reader, and messages whose values are of other types than it expects.
MESSAGES = [
    (unpackb, [b"\x81\x90\x01", b"\x81\x80\x01", packb({b"complex": True, b"data": [1]})]),
    (Lookups().from_bytes, [1, {"a": 1}, {"a": [1]}, {"a": {-1: 1}}, None]),
    (Tokenizer.blank("en").from_bytes, [[1], {"exceptions": 5}, {"exceptions": {"a": 5}}]),
    (Tokenizer.blank("en").from_bytes, [{"exceptions": {"a": [5]}}, {"exceptions": ["a"]}]),
    (read_spans, [5, {5: ["x"]}, {group_bytes(): 5}, {group_bytes(): [5]}, [5], ["x"]]),
    (read_attributes, [b"\x05", packb([5]), packb([{"patterns": [[{"ORTH": "a"}]]}])]),
    (read_attributes, [packb([{"patterns": [], "attrs": [1]}]), packb([{"patterns": 1, "attrs": {}}])]),
    (read_attributes, [packb([{"patterns": [], "attrs": {}, "index": 1.5}])]),
    (read_ruler, [[5], {"patterns": [5]}, {"patterns": 5}, {"phrase_matcher_attr": {}}]),
    (read_ruler, [{"ent_id_sep": 5}, {"patterns": [{"label": 5, "pattern": {}}]}]),
    (component("span_ruler").from_bytes, [[1], {"patterns": 5}, {"patterns": "[5]"}]),
    (component("span_ruler").from_bytes, [{"patterns": "[" * 5000}, {"patterns": b"\xff"}]),
    (component("sentencizer").from_bytes, [[1], {"punct_chars": 5}]),
    (component("doc_cleaner").from_bytes, [[1], {"cfg": 5}, {"cfg": "5"}, {"cfg": '{"attrs": 5}'}]),
    (component("token_splitter").from_bytes, [{"cfg": '{"min_length": []}'}, {"cfg": "{"}]),
    (lexpool.Vocab().from_bytes, [{"strings": 5}, {"lookups": packb({"lexeme_norm": {"a": []}})}]),
    (component("lemmatizer", mode="lookup").from_bytes, [5, {"lookups": packb(5)}]),
]  # fmt: skip
CASES = [(reader, message) for reader, messages in MESSAGES for message in messages]


@pytest.mark.parametrize(("reader", "message"), CASES)
def test_values_of_other_types_are_refused_with_a_code(reader, message):
    with pytest.raises(ValueError) as refused:
        reader(message if isinstance(message, bytes) else packb(message))
    row = errors.explain(refused.value)
    assert row is not None and "ValueError" in row.raised, refused.value


@pytest.mark.parametrize("content", [b"\xff\xfe\xff", b"{", b"[" * 100_000, b"5"])
@pytest.mark.parametrize(
    ("factory", "file"),
    [
        ("sentencizer", "part.json"),
        ("entity_ruler", "part/cfg"),
        ("entity_ruler", "part/patterns.jsonl"),
        ("span_ruler", "part/patterns"),
        ("doc_cleaner", "part/cfg"),
        ("token_splitter", "part/cfg"),
    ],
)
def test_a_file_that_is_no_json_is_refused_with_a_code(factory, file, content, tmp_path):
    settings = {"attrs": {}} if factory == "doc_cleaner" else {}
    part = component(factory, **settings)
    part.to_disk(tmp_path / "part")
    (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError) as refused:
        component(factory, **settings).from_disk(tmp_path / "part")
    assert errors.explain(refused.value) is not None, refused.value


def test_a_document_of_another_form_of_json_is_refused_with_a_code():
    doc_json = lexpool.blank("en")("a b").to_json()
    for key, value in [
        ("tokens", 5), ("tokens", [5]), ("tokens", [{"id": 0}]), ("text", None), ("ents", 5),
        ("ents", [{"start": [], "end": 1, "label": "X"}]), ("spans", {"x": 5}), ("sents", [5]),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="E1038"):
            Doc(lexpool.Vocab()).from_json({**doc_json, key: value})
    with pytest.raises(ValueError, match="E1038"):
        Doc(lexpool.Vocab()).from_json({})
    for token in doc_json["tokens"]:
        token["head"], token["dep"] = -(2**40), "x"
    with pytest.raises(ValueError, match="E1038"):
        Doc(lexpool.Vocab()).from_json(doc_json)
    doc_json = lexpool.blank("en")("a b").to_json()
    without = {**doc_json, "ents": None, "sents": None, "spans": None}
    for value in (doc_json, without):
        assert Doc(lexpool.Vocab()).from_json(json.loads(json.dumps(value))).text == "a b"


def test_a_configuration_without_its_section_is_refused_with_a_code(tmp_path):
    lexpool.blank("en").to_disk(tmp_path / "model")
    config = tmp_path / "model/config.cfg"
    config.write_text(config.read_text().replace("[nlp]", "[nl]").replace("[nlp.", "[nl."))
    with pytest.raises(ValueError, match="E985"):
        lexpool.load(tmp_path / "model")


def test_a_table_in_gzip_inflates_to_a_limit_and_is_refused_if_it_is_damaged(tmp_path):
    def read(content: bytes):
        (tmp_path / "xx_t.json.gz").write_bytes(content)
        return lexpool.lookups._in_folder(tmp_path, "xx")("t")

    table_bytes = gzip.compress(b'{"went": "go"}')
    assert dict(read(table_bytes).items()) == dict(
        lexpool.lookups.Table("t", {"went": "go"}).items()
    )
    spaces = gzip.compress(b'{"went": "go"}' + b" " * (65 << 20))
    for content in (spaces, table_bytes[:-9], b"\x1f\x8b", b"x", gzip.compress(b"[1]")):
        with pytest.raises(ValueError) as refused:
            read(content)
        assert errors.explain(refused.value) is not None, refused.value


def test_a_key_whose_row_is_not_there_is_refused_with_a_code(tmp_path):
    spec = importlib.util.spec_from_file_location("checksums", FUZZ / "checksums.py")
    checksums = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checksums)
    image = bytearray((FUZZ.parent / "files/vectors.vocab").read_bytes())
    # The eleventh section has the rows of keys.
    (table,) = struct.unpack_from("<Q", image, 32)
    start, length = struct.unpack_from("<QQ", image, table + 32 * 10)
    for at in range(start, start + length, 4):
        struct.pack_into("<I", image, at, 1_000_000)
    (tmp_path / "a.vocab").write_bytes(checksums.container(bytes(image)))
    vectors = lexpool.Vocab.open(tmp_path / "a.vocab").vectors
    for key in vectors:
        with pytest.raises(IndexError) as refused:
            vectors[key]
        assert errors.explain(refused.value).code == "vectors-row"


def test_settings_of_trained_components_are_refused_with_a_code():
    nlp = lexpool.blank("en")
    with pytest.raises((TypeError, ValueError), match="E972"):
        nlp.add_pipe("parser", config={"moves": "x"})
    assert isinstance(nlp.add_pipe("parser"), DependencyParser)
    suggester = {"@misc": "spacy.ngram_suggester.v1", "sizes": [1], "@scorers": "x"}
    with pytest.raises(ConfigError, match="@scorers"):
        nlp.add_pipe("spancat", config={"suggester": suggester})
    for sizes in (3, None, ["3"], [1.5], [True]):
        with pytest.raises(ConfigError, match="'sizes' is .*list of int"):
            nlp.add_pipe("spancat", config={"suggester": suggester | {"sizes": sizes}})
    for count in (-1, 2**64):
        with pytest.raises(ValueError, match="(config-value|number-limit|E961).*n_sents"):
            nlp.add_pipe("entity_linker", config={"n_sents": count})
