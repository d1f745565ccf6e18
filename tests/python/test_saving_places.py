"""Savers follow the links that they were told of, and no others; nobody else reads what is not
saved yet.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from savers import FILES, FOLDERS, NAME, REPLACING, contents, same, saved

import lexpool
from lexpool.corpus import Corpus
from lexpool.tokens import Doc
from lexpool.training import write_conllu


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


@pytest.mark.parametrize("name", FOLDERS)
def test_links_in_a_folder_that_was_named_are_not_followed(name, tmp_path):
    """Each file of the folder is made a link, then each folder in it."""
    first, elsewhere = tmp_path / "first", tmp_path / "elsewhere"
    first.mkdir()
    saved(name, first, 0)
    parts = [path.relative_to(first) for path in first.rglob("*")]
    assert parts
    # The table itself names these: the folder, and that of a component which is saved alone.
    named = {Path(NAME), Path(NAME, "part")}
    for number, part in enumerate(sorted(set(parts) - named)):
        folder = shutil.copytree(first, tmp_path / f"linked{number}")
        target = elsewhere / str(number)
        target.parent.mkdir(exist_ok=True)
        (folder / part).rename(target)
        (folder / part).symlink_to(target)
        before = contents(elsewhere)
        try:
            saved(name, folder, 1)
        except OSError as error:
            assert "[folder-link]" in str(error) and str(folder / part) in str(error)
            assert error.errno == errno.ELOOP
            assert (folder / part).is_symlink()
        else:
            assert not any(path.is_symlink() for path in folder.rglob("*"))
        assert contents(elsewhere) == before, part


def test_a_folder_that_is_a_link_itself_is_saved_to(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    lexpool.blank("en").to_disk(tmp_path / "link")
    assert lexpool.load(tmp_path / "real").lang == "en"


def test_a_link_in_a_folder_is_noticed_before_anything_is_written(tmp_path):
    nlp = lexpool.blank("en")
    nlp.add_pipe("entity_ruler", name="r")
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "model/r").rename(tmp_path / "elsewhere")
    (tmp_path / "model/r").symlink_to("../elsewhere")
    before = contents(tmp_path)
    nlp.meta["description"] = "changed"
    with pytest.raises(OSError, match="model/r is a symbolic link"):
        nlp.to_disk(tmp_path / "model")
    assert contents(tmp_path) == before


def test_links_that_somebody_planted_in_a_shared_folder_lead_nowhere(tmp_path):
    """Names of temporary files cannot be foreseen; those of former versions are followed no
    more.
    """
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


def test_permissions_of_a_replaced_file_stay(tmp_path):
    path = tmp_path / "rules"
    lexpool.blank("en").tokenizer.to_disk(path)
    path.chmod(0o640)
    lexpool.blank("en").tokenizer.to_disk(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def modes(folder: Path) -> dict[str, str]:
    """The modes of the files in a folder, those without a name of their own under the ending of
    theirs.
    """
    return {path.suffix: oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()}


@pytest.fixture
def umask_022() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize("mode", [0o600, 0o644])
@pytest.mark.parametrize("extensions", [[], ["saving_year"]])
@pytest.mark.parametrize("write", [Corpus.write, Corpus.append, write_conllu])
def test_nobody_else_may_read_what_is_not_saved_yet(write, extensions, mode, umask_022, tmp_path):
    path, nlp = tmp_path / "secret.corpus", lexpool.blank("en")
    Doc.set_extension("saving_year", default=1, force=True)
    Corpus.write(path, [nlp("secret words")])
    path.chmod(mode)
    seen = []

    def docs():
        for _ in range(600):
            yield nlp("secret words")
        seen.append(modes(tmp_path))
        yield nlp("secret words")

    options = {} if write is write_conllu else {"extensions": extensions}
    write(path, docs(), **options)
    assert seen == [{".corpus": oct(mode), ".part": "0o600"}]
    assert modes(tmp_path) == {".corpus": oct(mode)}


@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077, 0])
def test_a_new_file_has_the_mode_of_any_new_file(umask, umask_022, tmp_path):
    os.umask(umask)
    lexpool.blank("en").tokenizer.to_disk(tmp_path / "rules")
    assert stat.S_IMODE((tmp_path / "rules").stat().st_mode) == 0o666 & ~umask
