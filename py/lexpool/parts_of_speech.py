"""The universal parts of speech, as spaCy's: `parts_of_speech.NOUN` is 92, and a symbol too."""

from __future__ import annotations

from enum import IntEnum

from ._core import PARTS_OF_SPEECH as _NUMBERS


class univ_pos_t(IntEnum):
    """A part of speech; equal to its number, which is also the number of its symbol."""

    NO_TAG = _NUMBERS[""]
    ADJ = _NUMBERS["ADJ"]
    ADP = _NUMBERS["ADP"]
    ADV = _NUMBERS["ADV"]
    AUX = _NUMBERS["AUX"]
    CONJ = _NUMBERS["CONJ"]
    CCONJ = _NUMBERS["CCONJ"]
    DET = _NUMBERS["DET"]
    INTJ = _NUMBERS["INTJ"]
    NOUN = _NUMBERS["NOUN"]
    NUM = _NUMBERS["NUM"]
    PART = _NUMBERS["PART"]
    PRON = _NUMBERS["PRON"]
    PROPN = _NUMBERS["PROPN"]
    PUNCT = _NUMBERS["PUNCT"]
    SCONJ = _NUMBERS["SCONJ"]
    SYM = _NUMBERS["SYM"]
    VERB = _NUMBERS["VERB"]
    X = _NUMBERS["X"]
    EOL = _NUMBERS["EOL"]
    SPACE = _NUMBERS["SPACE"]


IDS: dict[str, univ_pos_t] = {name: univ_pos_t(number) for name, number in _NUMBERS.items()}
NAMES: dict[univ_pos_t, str] = {member: name for name, member in IDS.items()}

globals().update(univ_pos_t.__members__)


def __getattr__(name: str) -> univ_pos_t:
    # Raises for names that are not in the enum. Type checkers take the types of the others from it.
    raise AttributeError(f"no part of speech {name!r}; they stand in lexpool.parts_of_speech.IDS")
