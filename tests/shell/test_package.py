"""`lexpool package` and `lexpool assemble`: spaCy and lexpool open what they write."""

import json
import subprocess
import sys
import zipfile

import pytest

lexpool = pytest.importorskip("lexpool")
spacy = pytest.importorskip("spacy")


@pytest.fixture
def pipeline(shell):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "GPE", "pattern": "Rome"}])
    nlp.meta["description"] = "Finds Rome."
    nlp.meta["author"] = "Ann"
    nlp.to_disk(shell.folder / "model")
    (shell.folder / "model/LICENSE").write_text("MIT", encoding="utf8")
    (shell.folder / "out").mkdir()
    return shell


ENTITIES = "print([(ent.text, ent.label_) for ent in {library}.load('en_places')('In Rome').ents])"


def test_both_libraries_open_an_installed_wheel_by_name(pipeline):
    pipeline.ok("package", "model", "out", "-n", "places", "-v", "1.2.0", "-b", "wheel,sdist")
    folder = pipeline.folder / "out/en_places-1.2.0"
    wheel = folder / "dist/en_places-1.2.0-py3-none-any.whl"
    assert (folder / "dist/en_places-1.2.0.tar.gz").exists()
    assert (folder / "LICENSE").read_text("utf8") == "MIT"
    site = pipeline.folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(site), str(wheel)], check=True, capture_output=True)
    for library in ("spacy", "lexpool"):
        code = f"import sys; sys.path.insert(0, {str(site)!r}); import {library}; "
        code += ENTITIES.format(library=library)
        done = subprocess.run(
            [sys.executable, "-c", code], check=False, capture_output=True, text=True
        )
        assert done.stdout.strip() == "[('Rome', 'GPE')]", done.stderr
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("en_places-1.2.0.dist-info/METADATA").decode()
    assert "Requires-Dist: spacy>=3" in metadata
    assert "Summary: Finds Rome." in metadata


def test_the_metadata_are_those_of_spacys_package(pipeline):
    (pipeline.folder / "theirs").mkdir()
    options = ["-n", "places", "-v", "2.0.0", "-b", "none"]
    pipeline.ok("package", "model", "out", *options)
    command = [sys.executable, "-m", "spacy", "package", "model", "theirs", *options]
    subprocess.run(command, cwd=pipeline.folder, check=True, capture_output=True)
    ours, theirs = (
        json.loads((pipeline.folder / own / "en_places-2.0.0/meta.json").read_text("utf8"))
        for own in ("out", "theirs")
    )
    ours.pop("lexpool_version", None)
    ours.get("vectors", {}).pop("mode", None)
    theirs.pop("spacy_git_version", None)
    ours.pop("spacy_git_version", None)
    assert {key: ours.get(key) for key in theirs} == theirs
    readme = (pipeline.folder / "out/en_places-2.0.0/README.md").read_text("utf8")
    assert "| **Version** | `2.0.0` |" in readme
    assert "`GPE`" in readme


def test_modules_are_copied_and_imported(pipeline):
    pipeline.write("own_code.py", "VALUE = 3\n")
    pipeline.ok("package", "model", "out", "-b", "none", "-c", "own_code.py")
    inner = pipeline.folder / "out/en_pipeline-0.0.0/en_pipeline"
    assert (inner / "own_code.py").exists()
    assert "from . import own_code" in (inner / "__init__.py").read_text("utf8")


def test_wrong_packages_are_named(pipeline):
    fails = pipeline.fails
    assert "[package-name]" in fails("package", "model", "out", "-n", "no-name")
    assert "[package-meta]" in fails("package", "model", "out", "-v", "one")
    assert "[package-files]" in fails("package", "absent", "out")
    assert "[package-files]" in fails("package", "model", "absent")
    pipeline.ok("package", "model", "out", "-b", "none")
    assert "[package-exists]" in fails("package", "model", "out")
    pipeline.ok("package", "model", "out", "-b", "none", "-f")


def test_a_package_that_replaces_another_is_the_one_that_a_new_folder_would_have(pipeline):
    options = ("-n", "places", "-b", "wheel,sdist")
    (pipeline.folder / "new").mkdir()
    pipeline.ok("package", "model", "out", *options)
    meta = pipeline.folder / "model/meta.json"
    meta.write_text(meta.read_text("utf8").replace("Finds Rome.", "Finds Paris."), encoding="utf8")
    folder = pipeline.folder / "out/en_places-0.0.0"
    (folder / "en_places/old.py").write_text("")
    own = {folder / "notes.txt": "mine", folder / "dist/older.whl": "", folder / ".git/HEAD": "ref"}
    for path, text in own.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    pipeline.ok("package", "model", "out", *options, "--force")
    pipeline.ok("package", "model", "new", *options)
    for path, text in own.items():
        assert path.read_text() == text
        path.unlink()
    found, expected = (
        {
            path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("*.*")
            if path.is_file()
        }
        for folder in (pipeline.folder / "out", pipeline.folder / "new")
    )
    assert found == expected


def test_a_configuration_is_assembled_as_by_spacy(pipeline):
    pipeline.write(
        "config.cfg",
        '[nlp]\nlang = "en"\npipeline = ["ruler","sentencizer"]\n\n[components]\n\n'
        '[components.ruler]\nsource = "model"\ncomponent = "entity_ruler"\n\n'
        '[components.sentencizer]\nfactory = "sentencizer"\n',
    )
    pipeline.ok("assemble", "config.cfg", "ours", "--nlp.batch_size", "7")
    command = [sys.executable, "-m", "spacy", "assemble", "config.cfg", "theirs"]
    subprocess.run(command, cwd=pipeline.folder, check=True, capture_output=True)
    text = "In Rome. Go to Rome!"
    found = []
    for folder in ("ours", "theirs"):
        for library in (spacy, lexpool):
            nlp = library.load(pipeline.folder / folder)
            doc = nlp(text)
            found.append(([(e.text, e.label_) for e in doc.ents], len(list(doc.sents))))
            assert nlp.batch_size == (7 if folder == "ours" else 1000)
    assert found == [([("Rome", "GPE")] * 2, 2)] * 4
