# cython: language_level=3
# Reads records through spaCy's own declarations, as code compiled against spaCy does.
from libc.stdint cimport uintptr_t

from spacy.structs cimport LexemeC, SpanC


def sizes():
    return {"LexemeC": sizeof(LexemeC), "SpanC": sizeof(SpanC)}


def lexeme(uintptr_t address):
    return (<LexemeC *>address)[0]


def span(uintptr_t address):
    return (<SpanC *>address)[0]
