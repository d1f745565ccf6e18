# cython: language_level=3
# Walks an array of tokens from Cython, without the GIL.
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t, uintptr_t

from lexpool.structs cimport LEXPOOL_ABI_VERSION, TokenC, lexpool_token_spacy


def abi_version():
    return LEXPOOL_ABI_VERSION


def walk_address(uintptr_t address, size_t length):
    """The sum of the offsets and the number of spaces, of an array at an address."""
    return _walk(<const TokenC *>address, length)


def walk_buffer(const TokenC[::1] tokens):
    """The same, of any object with a buffer of the records."""
    return _walk(&tokens[0], <size_t>tokens.shape[0])


cdef object _walk(const TokenC *tokens, size_t length):
    cdef uint64_t idx = 0
    cdef uint64_t spaces = 0
    cdef size_t i
    with nogil:
        for i in range(length):
            idx += tokens[i].idx
            spaces += lexpool_token_spacy(&tokens[i])
    return idx, spaces
