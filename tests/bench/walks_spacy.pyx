# cython: language_level=3
# The walk of `walks.pyx` over spaCy's records: those of a document of its own, and those at an address.
from libc.stddef cimport size_t
from libc.stdint cimport uint64_t, uintptr_t

from spacy.structs cimport TokenC
from spacy.tokens.doc cimport Doc


def walk(Doc doc, size_t rounds):
    return rounds_over(doc.c, <size_t>doc.length, rounds)


def walk_address(uintptr_t address, size_t length, size_t rounds):
    return rounds_over(<const TokenC *>address, length, rounds)


cdef uint64_t rounds_over(const TokenC *tokens, size_t length, size_t rounds):
    cdef uint64_t sum = 0
    cdef size_t i
    with nogil:
        for i in range(rounds):
            sum = _walk(tokens, length, sum ^ i)
    return sum


cdef uint64_t _walk(const TokenC *tokens, size_t length, uint64_t sum) noexcept nogil:
    cdef size_t i
    for i in range(length):
        sum += <uint64_t>tokens[i].idx
        sum += <uint64_t>tokens[i].spacy
    return sum
