"""Savers leave old files or new ones on the disk, whole, and no others, wherever they fail."""

import errno
import importlib
import inspect
import os
import pkgutil
import resource
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import lexpool
from lexpool.corpus import Corpus
from lexpool.tokens import Doc, DocBin
from savers import FILES, FOLDERS

# Names are of a kind that every saver takes.
NAME = "saved.jsonl"
SAVERS = FILES | FOLDERS
# All but the one that reads what it is to write behind.
REPLACING = [name for name in FILES if name != "Corpus.append"]


@contextmanager
def no_file_longer_than(limit: int) -> Iterator[None]:
    """Inside, a write beyond that length fails, as on a full disk; Python ignores the signal."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def saved(name: str, folder: Path, state: int) -> None:
    SAVERS[name](folder / NAME, state)


def same(name: str, one: bytes, other: bytes) -> bool:
    """Compares two files; one of phrases has a seed in it, which is another one each time."""
    return len(one) == len(other) if name == "PhraseMatcher.save" else one == other


@pytest.mark.parametrize("name", SAVERS)
def test_a_write_that_fails_anywhere_leaves_each_file_whole_old_or_new_and_no_other(name, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    saved(name, old, 0)
    shutil.copytree(old, new)
    saved(name, new, 1)
    was, will_be = contents(old), contents(new)
    assert was.keys() == will_be.keys()
    changed = [key for key in was if was[key] != will_be[key]]
    assert changed, "another state leads to other files"
    sizes = {len(will_be[key]) for key in changed}
    limits = {limit for size in sizes for limit in (0, 1, size // 2, size - 1)} | {300}
    failures = 0
    for number, limit in enumerate(sorted(limits)):
        folder = shutil.copytree(old, tmp_path / f"limited{number}")
        try:
            with no_file_longer_than(limit):
                saved(name, folder, 1)
        except OSError as error:
            assert error.errno == errno.EFBIG
            failures += 1
        found = contents(folder)
        assert found.keys() == was.keys(), f"{limit} bytes: a file came, or went"
        for key, content in found.items():
            assert content in (was[key], will_be[key]), f"{limit} bytes: {key} is torn"
            assert len(content) <= limit or content == was[key]
    assert failures >= len(sizes), "too few of the writes failed"


def test_every_saver_of_the_package_is_in_the_table():
    methods = {"to_disk", "save", "to_file", "write"}
    found = set()
    for module in pkgutil.walk_packages(lexpool.__path__, "lexpool."):
        if module.name.startswith(("lexpool.compat", "lexpool.__main__")):
            continue
        try:
            loaded = importlib.import_module(module.name)
        except ImportError:
            # It is for an engine, which need not be installed.
            continue
        for _, part in inspect.getmembers(loaded):
            if not getattr(part, "__module__", "").startswith("lexpool"):
                continue
            if inspect.isclass(part):
                own = {method for method in vars(part) if method in methods}
                found |= {f"{part.__name__}.{method}" for method in own}
            elif inspect.isroutine(part) and part.__name__ in methods:
                found.add(f"{part.__module__.removeprefix('lexpool.')}.{part.__name__}")
    tabled = {name.split(",")[0] for name in SAVERS}
    # They hand everything on, to the classes that are in the table, or write nothing.
    handing_on = {"BaseVectors.to_disk", "_Configured.to_disk", "_pipeline_files.to_disk", "_vocab.to_disk", "_vocab.save"}
    assert found - tabled == handing_on


@pytest.mark.parametrize("name", FILES)
def test_behind_a_symbolic_link_the_file_is_replaced_and_the_link_stays(name, tmp_path):
    plain, folder, other = tmp_path / "plain", tmp_path / "folder", tmp_path / "other"
    for path in (plain, folder, other):
        path.mkdir()
    link, real = folder / NAME, other / "real"
    saved(name, plain, 0)
    real.write_bytes((plain / NAME).read_bytes())
    link.symlink_to(real)
    saved(name, folder, 1)
    saved(name, plain, 1)
    assert link.is_symlink()
    assert same(name, real.read_bytes(), (plain / NAME).read_bytes())
    assert [path.name for path in other.iterdir()] == ["real"]


@pytest.mark.parametrize("name", FILES)
def test_a_symbolic_link_that_leads_nowhere_is_an_error_and_makes_no_file(name, tmp_path):
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileNotFoundError):
        saved(name, tmp_path, 0)
    assert not (tmp_path / "elsewhere").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".lexpool")]


@pytest.mark.parametrize("name", REPLACING)
def test_a_folder_in_the_place_of_a_file_is_an_error_of_its_class(name, tmp_path):
    (tmp_path / NAME).mkdir()
    with pytest.raises(IsADirectoryError) as raised:
        saved(name, tmp_path, 0)
    assert raised.value.errno == errno.EISDIR
    assert NAME in str(raised.value)


@pytest.mark.parametrize("name", REPLACING)
def test_a_pipe_without_a_reader_is_an_error_and_one_with_a_reader_is_written_to(name, tmp_path):
    plain, piped = tmp_path / "plain", tmp_path / "piped"
    plain.mkdir()
    piped.mkdir()
    saved(name, plain, 0)
    os.mkfifo(piped / NAME)
    with pytest.raises(OSError, match="nobody reads from this pipe"):
        saved(name, piped, 0)
    read, done = bytearray(), threading.Event()

    def reading(pipe: int) -> None:
        """Reads until the saver has ended: before it begins, and after, the pipe is at its end."""
        while True:
            ends = done.is_set()
            part = os.read(pipe, 1 << 16)
            read.extend(part)
            if ends and not part:
                return
            if not part:
                done.wait(0.01)

    pipe = os.open(piped / NAME, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(pipe, True)
    reader = threading.Thread(target=reading, args=(pipe,), daemon=True)
    reader.start()
    try:
        saved(name, piped, 0)
    finally:
        done.set()
        reader.join(60)
        os.close(pipe)
    assert same(name, read, (plain / NAME).read_bytes())
    assert stat.S_ISFIFO((piped / NAME).stat().st_mode)


def test_the_standard_output_can_be_saved_to(tmp_path):
    code = (
        "import lexpool; from lexpool.tokens import DocBin; nlp = lexpool.blank('en');"
        "DocBin(docs=[nlp('So it goes.')]).to_disk('/dev/stdout')"
    )
    written = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    (doc,) = DocBin().from_bytes(written).get_docs(lexpool.Vocab())
    assert doc.text == "So it goes."


def test_links_that_somebody_planted_in_a_shared_folder_lead_nowhere(tmp_path):
    """Names of temporary files cannot be foreseen; those of former versions are followed no more."""
    shared, victim = tmp_path / "shared", tmp_path / "precious.txt"
    shared.mkdir()
    victim.write_text("precious")
    for number in range(50):
        for ending in ("corpus", "part"):
            (shared / f".lexpool-{os.getpid()}-{number}.{ending}").symlink_to(victim)
    planted = set(shared.iterdir())
    Doc.set_extension("saving_year", default=1, force=True)
    docs = [lexpool.blank("en")("So it goes.")]
    path = shared / "mine.corpus"
    Corpus.write(path, docs, extensions=["saving_year"])
    Corpus.append(path, docs, extensions=["saving_year"])
    assert len(Corpus.open(path)) == 2
    assert victim.read_text() == "precious"
    assert set(shared.iterdir()) == planted | {path}


def test_a_document_that_fails_on_the_way_leaves_the_old_corpus_and_nothing_else(tmp_path):
    path, docs = tmp_path / "a.corpus", [lexpool.blank("en")("So it goes.")]
    Doc.set_extension("saving_year", default=1, force=True)
    Corpus.write(path, docs)
    before = contents(tmp_path)

    def failing():
        yield from docs * 300
        raise LookupError("no more")

    for write in (Corpus.write, Corpus.append):
        for extensions in ([], ["saving_year"]):
            with pytest.raises(LookupError, match="no more"):
                write(path, failing(), extensions=extensions)
            assert contents(tmp_path) == before


def test_permissions_of_a_replaced_file_stay(tmp_path):
    path = tmp_path / "rules"
    lexpool.blank("en").tokenizer.to_disk(path)
    path.chmod(0o640)
    lexpool.blank("en").tokenizer.to_disk(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_saver_takes_what_stands_for_a_path_and_nothing_else(tmp_path):
    doc = lexpool.blank("en")("So it goes.")
    for path in (str(tmp_path / "a"), tmp_path / "b"):
        doc.to_disk(path)
        assert Doc(doc.vocab).from_disk(path).text == doc.text
    with pytest.raises(TypeError):
        doc.to_disk(3)
