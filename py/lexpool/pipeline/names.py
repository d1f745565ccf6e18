"""Names of components, each of which is a file or a folder in that of the pipeline, and a part of
its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["RESERVED", "check_files", "check_name", "check_saved", "check_section", "file_key"]

# The parts of a pipeline beside its components, in a folder and as bytes.
RESERVED = ("config.cfg", "meta.json", "tokenizer", "vocab")
# Windows has these in every folder, with any ending.
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³]) *(\..*)?", re.DOTALL)
# Characters that names of files cannot have on Windows; a colon leads to a stream within a file.
_NOT_IN_FILES = ':*?"<>|'
# Systems stop at 255, and components add endings.
_MOST_BYTES = 200


def file_key(name: str) -> str:
    """The key of a name, equal for two if some system has one file for both: macOS and Windows
    ignore case, macOS how accents are encoded, Windows spaces and dots at the end."""
    if not name.isascii():
        # Every `import lexpool` comes by this module, and few need the table.
        from unicodedata import normalize

        name = normalize("NFD", normalize("NFD", name).casefold())
    return name.rstrip(" .").casefold()


def check_name(name: object, others: Iterable[str] = ()) -> None:
    """Refuses a name that leads elsewhere than to a component's own part: ComponentNameError.

    others: the names of the components that there are; an equal one among them is no matter of
    this.
    """
    if not isinstance(name, str):
        raise _error(name, f"it is a {type(name).__name__}, and expected is a text")
    fault = _fault(name)
    if fault:
        raise _error(name, fault)
    _refuse_shared(
        name, file_key(name), {file_key(other): other for other in others if other != name}
    )


def check_files(names: Iterable[str]) -> None:
    """Refuses names of which two lead to one file, as components put `.json` or `.jsonl` in the
    place of an ending: ComponentNameError."""
    seen: dict[str, str] = {}
    for name in names:
        key = file_key(name.rpartition(".")[0] or name)
        _refuse_shared(name, key, seen)
        seen[key] = name


def check_saved(name: str) -> None:
    """Refuses a name that files cannot have on some system: ComponentNameError.

    A pipeline in memory may have it, and one that was saved elsewhere.
    """
    for character in _NOT_IN_FILES:
        if character in name:
            raise _error(name, f"it has {character!r} in it, which files cannot have on Windows")
    if _DEVICE.fullmatch(file_key(name)):
        raise _error(name, "it is that of a device on Windows")
    if name[-1] in " .":
        raise _error(name, "it ends in a space or a dot, which Windows leaves out")
    if len(name.encode("utf8")) > _MOST_BYTES:
        raise _error(name, f"it has more than {_MOST_BYTES} bytes in UTF-8, too many for a file")


def check_section(name: str) -> None:
    """Refuses a name that a configuration in a file would read back as another:
    ComponentNameError.
    """
    if "." in name:
        raise _error(name, "it has '.' in it, which in config.cfg makes a section within another")
    if "${" in name:
        raise _error(name, "it has '${' in it, which in config.cfg begins a reference")
    if name != name.rstrip():
        raise _error(name, "it ends in a space, which config.cfg leaves out")


def _refuse_shared(name: str, key: str, others: dict[str, str]) -> None:
    if key in others:
        raise _error(
            name, f"on some systems its part would be in the same file as that of {others[key]!r}"
        )


def _error(name: object, fault: str) -> ValueError:
    # Every `import lexpool` comes by this module, and few need the class.
    from ..errors import ComponentNameError

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
    # Some components add `.json` to their names, or have it for another ending.
    if key in RESERVED or key == "meta" or key.rpartition(".")[0] == "meta":
        return f"it is taken by another part of the folder ({', '.join(RESERVED)})"
    return ""


def _is_control(character: str) -> bool:
    """Tells if this ends a line, does something to a terminal, or is half of a character, which no
    UTF-8 has.
    """
    from unicodedata import category

    return category(character) in ("Cc", "Cs", "Zl", "Zp")
