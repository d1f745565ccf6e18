# cython: language_level=3
# A walk over tokens, many times over, without the GIL: the same loop for records of a document and
# for a copy of them.
from libc.stddef cimport size_t
from libc.stdint cimport uint64_t

from lexpool.structs cimport TokenC, lexpool_token_spacy


def walk(const TokenC[::1] tokens, size_t rounds):
    """The sum of the offsets and spaces, so that no round can be left out."""
    cdef const TokenC *first = &tokens[0]
    cdef size_t length = <size_t>tokens.shape[0]
    cdef uint64_t sum = 0
    cdef size_t i
    with nogil:
        for i in range(rounds):
            sum = _walk(first, length, sum ^ i)
    return sum


cdef uint64_t _walk(const TokenC *tokens, size_t length, uint64_t sum) noexcept nogil:
    cdef size_t i
    for i in range(length):
        sum += tokens[i].idx
        sum += <uint64_t>lexpool_token_spacy(&tokens[i])
    return sum
