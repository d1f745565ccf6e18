"""Savers leave old files or new ones on the disk, whole, and no others, wherever they fail."""

import errno
import importlib
import inspect
import pkgutil
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from savers import SAVERS, WHOLE, contents, saved

import lexpool
from lexpool.corpus import Corpus
from lexpool.tokens import Doc


@contextmanager
def no_file_longer_than(limit: int) -> Iterator[None]:
    """Inside, a write beyond that length fails, as on a full disk; Python ignores the signal."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


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
    for number, limit in enumerate(sorted(limits)):
        folder = shutil.copytree(old, tmp_path / f"limited{number}")
        failed = False
        try:
            with no_file_longer_than(limit):
                saved(name, folder, 1)
        except OSError as error:
            assert error.errno == errno.EFBIG
            failed = True
        assert failed or limit >= max(sizes), f"{limit} bytes: nothing failed"
        found = contents(folder)
        assert found.keys() == was.keys(), f"{limit} bytes: a file came, or went"
        assert name not in WHOLE or not failed or found == was
        for key, content in found.items():
            assert content in (was[key], will_be[key]), f"{limit} bytes: {key} is torn"
            assert len(content) <= limit or content == was[key]


# Methods that read by what their names say, and other callables that take a path, with the reason.
READING = {"from_disk", "open"}
OTHERS = {
    "load": "reads a pipeline",
    "load_config": "reads a configuration",
    "ensure_path": "opens nothing",
    "read_conllu": "reads a treebank",
    "load_library": "reads a library of ops",
    "BaseVectors.to_disk": "writes nothing",
    "KnowledgeBase.to_disk": "is abstract",
    "docbin_files": "lists files",
    "TrainingLoop.save": "is Language.to_disk",
    "merge": "puts shards together by Corpus.merge",
}


def takers_of_paths() -> set[str]:
    """All public functions and methods of the package with a parameter `path`, but those for
    reading.
    """
    found = set()
    for module in pkgutil.walk_packages(lexpool.__path__, "lexpool."):
        if "._" in module.name or module.name.startswith("lexpool.compat"):
            continue
        try:
            loaded = importlib.import_module(module.name)
        except ImportError:
            # It is for an engine, which need not be installed.
            continue
        for name in getattr(loaded, "__all__", list(vars(loaded))):
            part = getattr(loaded, name)
            if not name.startswith("_") and getattr(part, "__module__", "").startswith("lexpool"):
                found |= takers_among(part, name)
    return found


def takers_among(part: object, name: str) -> set[str]:
    if not inspect.isclass(part):
        return {name} if takes_path(part) else set()
    methods = {
        method
        for method in dir(part)
        if not method.startswith("_") and takes_path(getattr(part, method))
    }
    return {f"{owner_of(part, method)}.{method}" for method in methods - READING}


def owner_of(part: type, method: str) -> str:
    """The public class that a method is of, or else the class that has it from a private one."""
    owners = [
        owner
        for owner in part.__mro__
        if method in vars(owner) and not owner.__name__.startswith("_")
    ]
    return (owners or [part])[0].__name__


def takes_path(part: object) -> bool:
    try:
        return callable(part) and "path" in inspect.signature(part).parameters
    except (TypeError, ValueError):
        # It says nothing of its parameters.
        return False


def test_every_saver_of_the_package_is_in_the_table():
    tabled = {name.split(",")[0].removeprefix("render.") for name in SAVERS}
    # The class of profiles is in a private module.
    assert takers_of_paths() == {*tabled, *OTHERS} - {"Profile.save"}


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


def test_a_saver_takes_what_stands_for_a_path_and_nothing_else(tmp_path):
    doc = lexpool.blank("en")("So it goes.")
    for path in (str(tmp_path / "a"), tmp_path / "b"):
        doc.to_disk(path)
        assert Doc(doc.vocab).from_disk(path).text == doc.text
    with pytest.raises(TypeError):
        doc.to_disk(3)
