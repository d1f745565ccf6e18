# cython: language_level=3
# What code compiled against spaCy does with tokens: walks them, asks for flags, climbs the tree,
# writes tags and heads. It knows nothing of lexpool but an address.
from libc.stdint cimport uintptr_t

from spacy.attrs cimport IS_ALPHA, LOWER, TAG
from spacy.structs cimport TokenC
from spacy.tokens.token cimport Token
from spacy.typedefs cimport attr_t


def walk(uintptr_t address, int length):
    """For each token: offset, lower-cased form, whether it is letters, root, size of the subtree."""
    cdef const TokenC* tokens = <const TokenC*>address
    cdef const TokenC* at
    found = []
    for i in range(length):
        at = &tokens[i]
        while at.head != 0:
            at += at.head
        found.append((
            tokens[i].idx,
            Token.get_struct_attr(&tokens[i], LOWER),
            Token.get_struct_attr(&tokens[i], IS_ALPHA),
            at - tokens,
            tokens[i].r_edge - tokens[i].l_edge + 1,
        ))
    return found


def beyond(uintptr_t address, int length):
    """What stands in the padding on either side."""
    cdef const TokenC* tokens = <const TokenC*>address
    return [
        (tokens[i].lex.orth, tokens[i].lex.length, tokens[i].idx)
        for i in (*range(-5, 0), *range(length, length + 5))
    ]


def chain(uintptr_t address, int length, attr_t tag):
    """Make each token depend on the one before it, and give all one tag; without the GIL."""
    cdef TokenC* tokens = <TokenC*>address
    cdef int i
    with nogil:
        for i in range(length):
            Token.set_struct_attr(&tokens[i], TAG, tag)
            tokens[i].head = -1 if i else 0
            tokens[i].dep = tag
