"""The strings with small fixed ids, as spaCy's: `symbols.nsubj` is 429."""

from ._core import SYMBOLS as _SYMBOLS

IDS: dict[str, int] = {name: number for number, name in enumerate(_SYMBOLS)}
NAMES: list[str] = list(_SYMBOLS)

globals().update({name: number for name, number in IDS.items() if name.isidentifier()})


def __getattr__(name: str) -> int:
    # Raises for names that are not in IDS. Type checkers take the types of the others from it.
    raise AttributeError(f"no symbol {name!r}; those there are stand in lexpool.symbols.IDS")
