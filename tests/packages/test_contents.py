"""Contents of the packages: licences, a bill of materials, no names of the building machine."""

import base64
import hashlib
import json
import os
import platform
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from packages import ROOT, time

from conftest import CLEAN, PROFILE, WHEELS, run, version

wheels = pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)


def members(package: Path) -> dict[str, bytes]:
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(package) as archive:
        files = [each for each in archive.getmembers() if each.isfile()]
        return {each.name: archive.extractfile(each).read() for each in files}


@wheels
def test_a_wheel_names_no_folder_of_the_machine_that_built_it(wheel):
    folders = {str(ROOT), str(Path.home()), os.environ.get("CARGO_HOME", str(ROOT))}
    named = {
        (name, folder)
        for name, content in members(wheel).items()
        for folder in folders
        if folder.encode() in content
    }
    assert named == set()


@wheels
def test_the_record_of_a_wheel_has_the_hash_of_each_file(wheel):
    contents = members(wheel)
    (record,) = (content for name, content in contents.items() if name.endswith("/RECORD"))
    rows = [line.split(",") for line in record.decode().splitlines()]
    assert sorted(name for name, _, _ in rows) == sorted(contents)
    for name, hashed, size in rows:
        if not name.endswith("/RECORD"):
            digest = hashlib.sha256(contents[name]).digest()
            encoded = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            assert (hashed, int(size)) == (f"sha256={encoded}", len(contents[name])), name


@wheels
def test_a_wheel_has_the_texts_of_its_licences(wheel):
    texts = {Path(name).name: content for name, content in members(wheel).items()}
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert texts[name] == (ROOT / name).read_bytes()


@wheels
def test_a_wheel_lists_each_crate_that_is_linked_into_it(wheel):
    (text,) = (content for name, content in members(wheel).items() if "/sboms/" in name)
    bill = json.loads(text)
    listed = {(each["name"], each["version"]) for each in bill["components"]}
    options = ["--edges=normal", "--prefix=none", "--format={p}", "--all-features", "--locked"]
    printed = run("cargo", "tree", "-p", "lexpool-py", *options, cwd=ROOT)
    linked = {tuple(line.split()[:2]) for line in printed.splitlines()}
    missing = {(name, number) for name, number in linked if (name, number[1:]) not in listed}
    assert bill["bomFormat"] == "CycloneDX"
    assert missing <= {("lexpool-py", f"v{bill['metadata']['component']['version']}")}


@pytest.mark.skipif(platform.system() != "Linux", reason="only Linux has many C libraries")
@wheels
def test_a_wheel_for_linux_runs_with_a_glibc_of_2012(wheel):
    printed = run(sys.executable, "-m", "auditwheel", "show", wheel)
    tags = wheel.stem.split("-")[-1].split(".")
    assert any(f'following platform tag:\n"{tag}"' in printed for tag in tags), printed
    assert "manylinux_2_17" in printed


def test_a_registry_shows_the_description_of_each_package(sources):
    run(sys.executable, "-m", "twine", "check", "--strict", *WHEELS, sources)


def test_the_sources_have_all_that_a_build_reads(sources):
    names = {name.split("/", 1)[1] for name in members(sources)}
    assert {"Cargo.lock", "LICENSE-MIT", "LICENSE-APACHE", "README.md"} <= names
    # These folders are for development alone.
    assert not any(name.startswith(("docs/", "tests/", "target/")) for name in names)


@pytest.mark.skipif(platform.system() != "Linux", reason="other linkers write times and folders")
def test_a_build_in_another_folder_gives_the_same_bytes(sources, tmp_path):
    copy = tmp_path / "a folder with another name"
    listed = run("git", "ls-files", "-z", cwd=ROOT)
    for name in listed.rstrip("\0").split("\0"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    wheel = WHEELS[0]
    variables = {"SOURCE_DATE_EPOCH": time(), "CARGO_TARGET_DIR": str(copy / "built")}
    tool = [sys.executable, copy / "tests/tools/packages.py", "--profile", PROFILE]
    run(*tool, version(wheel), cwd=copy, env=CLEAN | variables)
    for package in (wheel, sources):
        again = copy / "dist" / package.name
        first, second = members(package), members(again)
        assert [name for name in first if first[name] != second.get(name)] == []
        assert again.read_bytes() == package.read_bytes()
