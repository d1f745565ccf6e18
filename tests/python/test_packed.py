"""Packed pipelines: one mapped file annotates as the folder does."""

import json
import pickle
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from processes import python

import lexpool

# The pipelines of rules have no parts of speech.
pytestmark = pytest.mark.filterwarnings("ignore:.*W108")

PIPELINES = Path(__file__).parents[1] / "files/pipelines"
NAMES = ["layers", "merges", "networks", "rules"]
TEXTS = ["", " ", "Ann Lee moved to London in 2024. Why? It rains.", "They didn't know\n\nher."]


def pack(folder: Path, file: Path) -> Path:
    command = [sys.executable, "-m", "lexpool", "model", "pack", str(folder), "-o", str(file)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return file


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    place = tmp_path_factory.mktemp("packed")
    return {name: pack(PIPELINES / name, place / f"{name}.pipeline") for name in NAMES}


def annotation(nlp):
    return [
        (
            json.dumps(doc.to_json()),
            None if doc.tensor is None else doc.tensor.tobytes(),
            [token.norm_ for token in doc],
        )
        for doc in nlp.pipe(TEXTS)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_packed_pipeline_annotates_as_its_folder_does(packed, name):
    folder, file = lexpool.load(PIPELINES / name), lexpool.load(packed[name])
    assert annotation(file) == annotation(folder)
    assert (file.meta, file.config, file.lang) == (folder.meta, folder.config, folder.lang)
    assert file.path == packed[name]
    assert set(file.vocab.strings) == set(folder.vocab.strings)
    assert file.vocab.vectors.shape == folder.vocab.vectors.shape
    assert file.vocab.vectors.name == folder.vocab.vectors.name


def test_loading_packed_networks_imports_no_slow_module(packed):
    printed = python(
        """
        import sys
        import lexpool
        nlp = lexpool.load(sys.argv[1])
        # Each took a tenth or more of the time of loading.
        slow = {"contextlib", "copy", "inspect", "json", "pathlib", "re", "threading", "typing"}
        print(*slow & set(sys.modules))
        """,
        str(packed["layers"]),
        options=("-I",),
    )
    assert printed.split() == []


def test_a_packed_pipeline_is_saved_and_copied_like_others(packed, tmp_path):
    nlp = lexpool.load(packed["networks"])
    expected = annotation(nlp)
    nlp.to_disk(tmp_path / "again")
    assert annotation(lexpool.load(tmp_path / "again")) == expected
    assert annotation(pickle.loads(pickle.dumps(nlp))) == expected
    blank = lexpool.load(PIPELINES / "networks")
    assert annotation(blank.from_bytes(nlp.to_bytes())) == expected
    twice = pack(packed["networks"], tmp_path / "twice.pipeline")
    assert twice.read_bytes() == packed["networks"].read_bytes()


def test_parts_are_left_out_as_with_a_folder(packed):
    for left_out in (["vocab"], ["tokenizer"], ["lookups"], ["meta.json"]):
        kept = ["textcat", "spancat"]
        loaded = [
            lexpool.load(path, exclude=[*left_out, "entity_linker"], enable=kept)
            for path in (PIPELINES / "networks", packed["networks"])
        ]
        assert (
            loaded[0].pipe_names
            == loaded[1].pipe_names
            == [name for name in loaded[0].pipe_names if name in kept]
        )
        assert annotation(loaded[0]) == annotation(loaded[1]), left_out
    nlp = lexpool.load(
        packed["networks"], exclude=[*lexpool.load(packed["networks"]).pipe_names, "vectors"]
    )
    assert nlp.vocab.vectors.shape[0] == 0


def test_another_vocab_beside_that_of_the_file_is_refused(packed):
    with pytest.raises(ValueError, match=r"\[pack-vocab\].*networks\.pipeline"):
        lexpool.load(packed["networks"], vocab=lexpool.Vocab())
    nlp = lexpool.load(packed["rules"], vocab=True)
    assert len(nlp("A text"))


def test_a_file_that_is_replaced_stays_open_for_those_who_loaded_it(tmp_path):
    file = pack(PIPELINES / "networks", tmp_path / "p.pipeline")
    nlp = lexpool.load(file)
    pack(PIPELINES / "rules", file)
    assert annotation(nlp) == annotation(lexpool.load(PIPELINES / "networks"))
    assert annotation(lexpool.load(file)) == annotation(lexpool.load(PIPELINES / "rules"))


def test_missing_and_foreign_files_are_refused_with_their_path(packed, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("no pipeline")
    with pytest.raises(ValueError, match=r"text\.txt: .*no packed pipeline"):
        lexpool.load(text)
    with pytest.raises(OSError, match="E050"):
        lexpool.load(tmp_path / "none.pipeline")
    short = tmp_path / "short.pipeline"
    short.write_bytes(packed["networks"].read_bytes()[:-1])
    with pytest.raises(ValueError, match="pipeline has .* bytes; expected"):
        lexpool.load(short)


def test_damaged_files_are_refused_or_run(packed, tmp_path):
    whole, chance = packed["networks"].read_bytes(), random.Random(7)
    file = tmp_path / "damaged.pipeline"
    refused = 0
    for number in range(60):
        data = bytearray(whole)
        for _ in range(1 + number % 3):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        file.unlink(missing_ok=True)
        file.write_bytes(data)
        try:
            annotation(lexpool.load(file))
        except (ValueError, KeyError, OSError, RuntimeError):
            refused += 1
    assert refused > 30


def test_processes_share_a_packed_file(packed):
    nlp = lexpool.load(packed["networks"])
    docs = [json.dumps(doc.to_json()) for doc in nlp.pipe(TEXTS * 5, n_process=2, batch_size=3)]
    assert docs == [json.dumps(doc.to_json()) for doc in nlp.pipe(TEXTS * 5)]


def test_components_of_users_read_their_files(packed, tmp_path):
    folder = tmp_path / "with_own"
    shutil.copytree(PIPELINES / "rules", folder)

    class FileReader:
        def __call__(self, doc):
            doc.user_data["own"] = self.text
            return doc

        def to_disk(self, path, exclude=()):
            raise AssertionError("not saved here")

        def from_disk(self, path, exclude=()):
            self.text = (path / "own.txt").read_text()
            with (path / "own.txt").open("rb") as file:
                assert file.read() == self.text.encode()
            return self

    lexpool.Language.factory("packed_own", func=lambda nlp, name: FileReader())
    config = (folder / "config.cfg").read_text()
    pipeline = json.dumps([*lexpool.load(folder).pipe_names, "own"])
    lines = [
        f"pipeline = {pipeline}" if line.startswith("pipeline =") else line
        for line in config.splitlines()
    ]
    lines += ["", "[components.own]", 'factory = "packed_own"']
    (folder / "config.cfg").write_text("\n".join(lines))
    (folder / "own").mkdir()
    (folder / "own/own.txt").write_text("mine")
    nlp = lexpool.load(pack(folder, tmp_path / "own.pipeline"))
    assert nlp("A text.").user_data["own"] == "mine"
