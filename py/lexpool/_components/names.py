"""Names of components, each of which is also a file or folder of the pipeline, and a part of its
bytes.
"""

from __future__ import annotations

from .._errors import ComponentNameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


__all__ = [
    "RESERVED",
    "check_files",
    "check_name",
    "check_saved",
    "check_section",
    "file_key",
    "file_keys",
]

# The parts of a pipeline other than components, in folders and bytes.
RESERVED = ("config.cfg", "meta.json", "tokenizer", "vocab", "written-together")
# Windows reserves these names in every folder, with any extension.
_DEVICE = r"(?s)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³]) *(\..*)?"
# Characters that are invalid in file names on Windows, where a colon separates the name of a
# stream.
_NOT_IN_FILES = ':*?"<>|'
# File systems allow 255, and components add extensions.
_MOST_BYTES = 200


def file_key(name: str) -> str:
    """Returns a key that is equal for two names if some system has one file for both: macOS and
    Windows ignore case, macOS the encoding of accents, Windows trailing spaces and dots.
    """
    if not name.isascii():
        # Any pipeline imports this module, and few programs need the table.
        from unicodedata import normalize

        name = normalize("NFD", normalize("NFD", name).casefold())
    return name.rstrip(" .").casefold()


def file_keys(names: Iterable[str]) -> dict[str, str]:
    """Returns names by their file keys."""
    return {file_key(name): name for name in names}


def check_name(name: object, others: Mapping[str, str] | None = None) -> None:
    """Raises ComponentNameError for a name whose path is not a separate part of the pipeline.

    others: the existing components, as `file_keys` returns them; an equal name among them is
        accepted here.
    """
    if not isinstance(name, str):
        raise _error(name, f"it is a {type(name).__name__}, and expected is a text")
    fault = _fault(name)
    if fault:
        raise _error(name, fault)
    key = file_key(name)
    if others and others.get(key) != name:
        _refuse_shared(name, key, others)


def check_files(names: Iterable[str]) -> None:
    """Raises ComponentNameError if two names have the same file, since components replace
    extensions by `.json` or `.jsonl`.
    """
    seen: dict[str, str] = {}
    for name in names:
        key = file_key(name.rpartition(".")[0] or name)
        _refuse_shared(name, key, seen)
        seen[key] = name


def check_saved(name: str) -> None:
    """Raises ComponentNameError for a name that is invalid for files on some system.

    Pipelines in memory, and pipelines saved by other programs, may have such names.
    """
    for character in _NOT_IN_FILES:
        if character in name:
            raise _error(name, f"it has {character!r} in it, which files cannot have on Windows")
    # Any pipeline imports this module, and `re` takes as long as half of that.
    import re

    if re.fullmatch(_DEVICE, file_key(name)):
        raise _error(name, "it is that of a device on Windows")
    if name[-1] in " .":
        raise _error(name, "it ends in a space or a dot, which Windows leaves out")
    if len(name.encode("utf8")) > _MOST_BYTES:
        raise _error(name, f"it has more than {_MOST_BYTES} bytes in UTF-8, too many for a file")


def check_section(name: str) -> None:
    """Raises ComponentNameError for a name that would change when a configuration file is read."""
    if "." in name:
        raise _error(name, "it has '.' in it, which in config.cfg makes a section within another")
    if "${" in name:
        raise _error(name, "it has '${' in it, which in config.cfg begins a reference")
    if name != name.rstrip():
        raise _error(name, "it ends in a space, which config.cfg leaves out")


def _refuse_shared(name: str, key: str, others: Mapping[str, str]) -> None:
    if key in others:
        raise _error(
            name, f"on some systems its part would be in the same file as that of {others[key]!r}"
        )


def _error(name: object, fault: str) -> ValueError:
    given = repr(name)
    shown = given if len(given) <= 2 * _MOST_BYTES else f"{given[:_MOST_BYTES]}..."
    return ComponentNameError(
        f"[component-name] a component cannot be called {shown}: {fault}. Its name is that of its part in "
        "the pipeline's folder; give it another one, by name=, rename_pipe or in the configuration"
    )


def _fault(name: str) -> str:
    key = file_key(name)
    if not name:
        return "it is empty"
    if not key:
        return "it has nothing but dots and spaces"
    for character in name:
        if character in "/\\\0":
            return f"it has {character!r} in it, and a part is not a path"
        if not character.isprintable() and _is_control(character):
            return f"it has {character!r} in it, which is no character of a text on one line"
    if name[1:2] == ":" and name[0].isascii() and name[0].isalpha():
        return "it begins with a drive letter"
    # Some components add `.json` to their names, or replace the extension by it.
    if key in RESERVED or key == "meta" or key.rpartition(".")[0] == "meta":
        return f"it is taken by another part of the folder ({', '.join(RESERVED)})"
    return ""


def _is_control(character: str) -> bool:
    """Returns whether a character ends a line, controls a terminal, or is a lone surrogate, which
    UTF-8 cannot encode.
    """
    from unicodedata import category

    return category(character) in ("Cc", "Cs", "Zl", "Zp")
