"""`lexpool package`: makes a Python package of a pipeline, which spaCy and lexpool open by name.

The command's arguments are parsed in Rust, in `core/cli`, which calls `run`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from .._core import write_folder
from .._errors import ConfigError
from .._narrow import is_dict, is_list
from .._saving.files import write_part, write_text_part
from .._saving.json import loads
from ..config import Config
from ..language import blank, load
from .package_archives import sdist, wheel
from .package_texts import INIT, MANIFEST, SETUP, readme
from .reports import import_file, reported, say

__all__ = ["package", "run"]

# The metadata of a pipeline whose meta.json lacks them.
_DEFAULTS: dict[str, Any] = {
    "lang": "en",
    "name": "pipeline",
    "version": "0.0.0",
    "description": "",
    "author": "",
    "email": "",
    "url": "",
    "license": "MIT",
}
_QUESTIONS = {
    "lang": "Code of the language",
    "name": "Name of the pipeline",
    "version": "Version of the package",
    "description": "Description",
    "author": "Author",
    "email": "Electronic mail of the author",
    "url": "Website",
    "license": "License",
}
# Versions of PEP 440 without epochs and local parts.
_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_]*[A-Za-z0-9])?")
_DOCUMENTS = ("LICENSE", "LICENSES_SOURCES", "README.md")
# Packages that need no requirement of their own.
_OWN = {"spacy", "spacy-legacy", "spacy-nightly", "thinc", "srsly", "lexpool"}


def run(
    *,
    input_dir: str | PathLike[str],
    output_dir: str | PathLike[str],
    code_paths: Sequence[str | PathLike[str]] = (),
    meta_path: str | PathLike[str] | None = None,
    create_meta: bool = False,
    name: str | None = None,
    version: str | None = None,
    build: Sequence[str] = ("sdist",),
    force: bool = False,
    require_parent: bool = True,
    quiet: bool = False,
) -> int:
    """Runs the command with its arguments, reports errors and returns the exit code."""

    def work() -> None:
        formats = () if "none" in build else build
        paths = package(
            input_dir,
            output_dir,
            code_paths=code_paths,
            meta_path=meta_path,
            create_meta=create_meta,
            name=name,
            version=version,
            build=formats,
            force=force,
            require_parent=require_parent,
        )
        for path in () if quiet else paths:
            say(str(path))

    return reported(work)


def package(
    input_dir: str | PathLike[str],
    output_dir: str | PathLike[str],
    *,
    code_paths: Iterable[str | PathLike[str]] = (),
    meta_path: str | PathLike[str] | None = None,
    create_meta: bool = False,
    name: str | None = None,
    version: str | None = None,
    build: Iterable[str] = ("sdist",),
    force: bool = False,
    require_parent: bool = True,
) -> list[Path]:
    """Writes the folder of a package with its archives, as a whole; returns their paths. With
    `force`, it replaces the files of an old package, and keeps others that are beside them.

    Raises OSError (package-files) for a missing file; ValueError: package-meta for wrong metadata,
    package-name for a name that no package may have, package-exists for a folder that exists.
    """
    pipeline, output = Path(input_dir), Path(output_dir)
    if not (pipeline / "config.cfg").is_file():
        raise _missing(pipeline, "has no config.cfg; expected the folder of a pipeline")
    if not output.is_dir():
        raise _missing(output, "is not a folder; make it first")
    modules = [Path(path) for path in code_paths]
    for module in modules:
        # Shows that it can be imported, and registers what the pipeline may need.
        import_file(module)
    meta = _metadata(pipeline, Path(meta_path) if meta_path is not None else None)
    _add_requirements(meta, pipeline, require_parent=require_parent)
    if name is not None:
        if not name.isidentifier() or not _NAME.fullmatch(name):
            raise _wrong_name(name)
        meta["name"] = name
    if version is not None:
        meta["version"] = version
    if create_meta:
        for key, question in _QUESTIONS.items():
            default = meta.get(key) or ""
            meta[key] = input(f"{question}{f' [{default}]' if default else ''}: ") or default
    _check(meta)
    lang = meta["lang"]
    # The folder of the data is found by both: the name has no code of the language.
    meta["name"] = meta["name"].removeprefix(f"{lang}_")
    full = f"{lang}_{meta['name']}"
    folder = output / f"{full}-{meta['version']}"
    if folder.exists() and not force:
        raise ValueError(f"[package-exists] {str(folder)!r} exists; --force replaces it")
    archives: list[Path] = []

    def fill(scratch: str) -> None:
        _write(Path(scratch), folder.name, full, pipeline, modules, meta)
        for form in dict.fromkeys(build):
            archive, content = {"sdist": sdist, "wheel": wheel}[form](Path(scratch), full, meta)
            (Path(scratch) / "dist").mkdir(exist_ok=True)
            write_part(Path(scratch) / "dist" / archive, content)
            archives.append(folder / "dist" / archive)
        if folder.exists():
            _keep(folder, Path(scratch), full)

    write_folder(folder, fill)
    return [folder, *archives]


def _write(
    folder: Path,
    shown: str,
    full: str,
    pipeline: Path,
    modules: list[Path],
    meta: dict[str, Any],
) -> None:
    """Writes the files of a package into an empty folder.

    shown: the name that the folder is to have.
    """
    inner = folder / full
    data = inner / shown
    _copy(pipeline, data)
    for document in _DOCUMENTS:
        if (pipeline / document).is_file():
            write_part(folder / document, (pipeline / document).read_bytes())
    if not (folder / "README.md").exists():
        text = readme(meta)
        write_text_part(folder / "README.md", text)
        write_text_part(data / "README.md", text)
    for module in modules:
        write_part(inner / module.name, module.read_bytes())
    for place in (folder, inner, data):
        write_text_part(place / "meta.json", _json_text(meta))
    write_text_part(folder / "setup.py", SETUP)
    write_text_part(folder / "MANIFEST.in", MANIFEST)
    imports = "".join(f"from . import {module.stem}  # noqa: F401\n" for module in modules)
    write_text_part(inner / "__init__.py", INIT.format(imports=imports))


def _keep(old: Path, new: Path, module: str) -> None:
    """Copies what an old folder has and a new one lacks, except for what the old module had."""
    for entry in old.iterdir():
        target = new / entry.name
        if entry.name == module:
            continue
        if entry.is_dir() and not entry.is_symlink():
            target.mkdir(exist_ok=True)
            _keep(entry, target, "")
        elif not target.exists():
            if entry.is_symlink():
                target.symlink_to(entry.readlink())
            else:
                write_part(target, entry.read_bytes())
                target.chmod(entry.stat().st_mode)


def _missing(path: Path, problem: str) -> FileNotFoundError:
    return FileNotFoundError(f"[package-files] {str(path)!r} {problem}")


def _wrong_name(name: str) -> ValueError:
    text = "expected letters of ASCII, digits and _, with a letter or a digit first and last"
    return ValueError(f"[package-name] {name!r}: {text}")


def _json_text(value: Any) -> str:
    import json

    return json.dumps(value, indent=2, ensure_ascii=False)


def _metadata(pipeline: Path, meta_path: Path | None) -> dict[str, Any]:
    """Returns the metadata of a file over those of the pipeline, which may be refused."""
    file = meta_path or pipeline / "meta.json"
    if not file.is_file():
        raise _missing(file, "is missing; expected the metadata of a pipeline")
    try:
        stored: Any = loads(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"[package-meta] {str(file)!r}: {error}") from None
    if not is_dict(stored):
        raise ValueError(f"[package-meta] {str(file)!r}: expected an object, not {stored!r}")
    meta = dict(_DEFAULTS)
    vectors: dict[str, Any] | None = None
    try:
        meta |= load(pipeline).meta
        vectors = meta["vectors"]
    except ConfigError:
        # A pipeline that only spaCy runs; its configuration tells the rest.
        nlp: Any = Config.from_disk(pipeline / "config.cfg")["nlp"]
        meta |= {
            "lang": nlp.get("lang", "en"),
            "spacy_version": blank("xx").meta["spacy_version"],
            "pipeline": nlp.get("pipeline", []),
            "components": nlp.get("pipeline", []),
        }
    meta |= stored
    if vectors is not None:
        meta["vectors"] = {key: vectors.get(key) for key in ("width", "vectors", "keys", "name")}
    return meta


def _add_requirements(meta: dict[str, Any], pipeline: Path, *, require_parent: bool) -> None:
    """Adds the packages to the requirements whose functions the configuration names."""
    required: Any = meta.setdefault("requirements", [])
    if not is_list(required):
        raise ValueError(f"[package-meta] 'requirements' is {required!r}; expected a list")
    names = {_requirement(str(each)) for each in required}
    config = Config.from_disk(pipeline / "config.cfg", interpolate=False)
    for name, text in _packages(config):
        if name not in names:
            names.add(name)
            required.append(text)
    if require_parent and "spacy" not in names:
        required.append(f"spacy{meta['spacy_version']}")


def _requirement(text: str) -> str:
    """Returns the name of the package that a requirement names."""
    match = re.match(r"[A-Za-z0-9._-]+", text.strip())
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else text


def _packages(config: Any) -> Iterator[tuple[str, str]]:
    """Yields the packages, with their versions, whose entry points give functions that run."""
    from importlib.metadata import entry_points

    used = {
        (f"spacy_{key.removeprefix('@')}", value)
        for section in ("nlp", "components")
        for key, value in _functions(config.get(section))
    }
    groups = sorted({group for group, _ in used})
    for point in (point for group in groups for point in entry_points(group=group)):
        if (point.group, point.name) in used and point.dist is not None:
            name = re.sub(r"[-_.]+", "-", point.dist.name).lower()
            if name not in _OWN:
                major, minor, *_ = [*point.dist.version.split("."), "0"]
                after = re.match(r"\d+", minor)
                limit = f",<{major}.{int(after[0]) + 1}.0" if after else ""
                yield name, f"{name}>={point.dist.version}{limit}"


def _functions(section: Any) -> Iterator[tuple[str, str]]:
    """Yields the registries and names of functions in a part of a configuration."""
    if not is_dict(section):
        return
    for key, value in section.items():
        if is_dict(value):
            yield from _functions(value)
        elif isinstance(value, str) and key.startswith("@"):
            yield key, value
        elif isinstance(value, str) and key == "factory":
            yield "factories", value


def _check(meta: dict[str, Any]) -> None:
    """Checks what names files and packages."""
    for key, least in (("lang", 2), ("name", 1), ("version", 1)):
        value = meta.get(key)
        if not isinstance(value, str) or len(value) < least:
            text = f"{key!r} is {value!r}; expected a string of at least {least} characters"
            raise ValueError(f"[package-meta] {text}")
    for name in (meta["lang"], meta["name"]):
        if not _NAME.fullmatch(name):
            raise _wrong_name(name)
    if not _VERSION.fullmatch(meta["version"]):
        text = f"'version' is {meta['version']!r}; expected one such as 1.0.0 or 1.2.0rc1"
        raise ValueError(f"[package-meta] {text}")


def _copy(pipeline: Path, data: Path) -> None:
    """Copies the files of a pipeline, but for hidden ones, which packages leave out."""
    files = sorted(path for path in pipeline.rglob("*") if path.is_file())
    for file in files:
        below = file.relative_to(pipeline)
        if any(part.startswith(".") for part in below.parts):
            continue
        (data / below).parent.mkdir(parents=True, exist_ok=True)
        write_part(data / below, file.read_bytes())
