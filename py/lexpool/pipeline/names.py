"""Names of components, each of which is a file or a folder in that of the pipeline, and a part of its bytes."""

from __future__ import annotations

__all__ = ["RESERVED", "check_name"]

# The parts of a pipeline beside its components, in a folder and as bytes.
RESERVED = ("config.cfg", "meta.json", "tokenizer", "vocab")


def check_name(name: str) -> None:
    """Refuse a name under which a component could not be saved: ComponentNameError.

    Names are compared as systems do that ignore case, and spaces and dots at the end.
    """
    fault = _fault(name)
    if fault:
        # Every `import lexpool` comes by this module, and few need the class.
        from ..errors import ComponentNameError

        raise ComponentNameError(
            f"[component-name] a component cannot be called {name!r}: {fault}. Its name is that of its part in "
            "the pipeline's folder; give it another one, by name= or in the configuration"
        )


def _fault(name: str) -> str:
    bare = name.rstrip(" .").casefold()
    if not name:
        return "it is empty"
    if not bare:
        return "it has nothing but dots and spaces"
    for character in "/\\\0":
        if character in name:
            return f"it has {character!r} in it, and a part is not a path"
    if name[1:2] == ":" and name[0].isascii() and name[0].isalpha():
        return "it begins with a drive letter"
    # Some components add `.json` to their names, or have it for another ending.
    if bare in RESERVED or bare == "meta" or bare.rpartition(".")[0] == "meta":
        return f"it is taken by another part of the folder ({', '.join(RESERVED)})"
    return ""
