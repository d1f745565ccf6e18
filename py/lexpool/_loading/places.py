"""The places of pipelines: folders, packed files and installed packages."""

from __future__ import annotations

import os

from .._core import PackedPipeline
from .._errors import ConfigError
from .._narrow import is_dict
from .._saving.json import loads
from .._saving.packed import PackedPath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

PathLike = str | os.PathLike[str]


def place_of(path: PathLike) -> Path | PackedPath:
    """Returns the place of a pipeline: the path itself, that within a packed file, or that within
    an installed package.
    """
    # Without pathlib, which takes a tenth of the time of loading a packed file to import.
    if isinstance(path, str) and path == os.path.normpath(path) and os.path.isfile(path):
        return PackedPath(PackedPipeline(path), path)
    from pathlib import Path

    folder = Path(path)
    if folder.is_dir():
        return folder
    if folder.is_file():
        return PackedPath(PackedPipeline(folder), str(folder))
    package = installed(path)
    if package is not None:
        return package
    raise OSError(
        f"[E050] {path} is not a folder, and no package of that name is installed; expected a folder "
        "that nlp.to_disk wrote, a file of `lexpool model pack`, or the name of a package such as "
        "en_core_web_sm"
    )


def located(path: PathLike) -> Path:
    """Returns the folder or the packed file of a pipeline that `load` accepts."""
    place = place_of(path)
    return place.root if isinstance(place, PackedPath) else place


def digest(path: Path) -> str:
    """Returns a digest of the names and the contents of the files of a pipeline."""
    from hashlib import file_digest, sha256

    files = {"": path} if path.is_file() else {}
    if not files:
        paths = (file for file in path.rglob("*") if file.is_file())
        files = {file.relative_to(path).as_posix(): file for file in paths}
    of_all = sha256()
    for name in sorted(files):
        with files[name].open("rb") as data:
            of_all.update(f"{name}\0{file_digest(data, 'sha256').hexdigest()}\n".encode())
    return of_all.hexdigest()


def installed(name: PathLike) -> Path | None:
    """Returns the folder of an installed pipeline; None if no package has this name."""
    package = _package(str(name))
    if package is None:
        return None
    return package / "{lang}_{name}-{version}".format_map(json_object(package / "meta.json"))


def _package(name: str) -> Path | None:
    """Returns the folder of an installed package of a pipeline, which is not imported."""
    from importlib.util import find_spec
    from pathlib import Path

    try:
        spec = find_spec(name) if name.isidentifier() else None
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    folders = [Path(place) for place in places if (Path(place) / "meta.json").exists()]
    return folders[0] if folders else None


def json_object(path: Path | PackedPath) -> dict[str, Any]:
    """Returns the object of a JSON file. Raises ConfigError for other files."""
    try:
        read: object = loads(path.read_text(encoding="utf8"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid JSON: {error}") from None
    if not is_dict(read):
        raise ConfigError(f"{path}: expected an object, got {type(read).__name__}")
    return read
