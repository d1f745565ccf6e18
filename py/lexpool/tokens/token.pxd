# Tokens as on spaCy's "Cython structs" page: `from lexpool.tokens.token cimport Token`.

from libc.stdint cimport uint32_t, uint64_t

from lexpool.attrs cimport attr_id_t
from lexpool.tokens.doc cimport Doc, TokenC
from lexpool.typedefs cimport attr_t
from lexpool.vocab cimport Vocab


cdef extern from "lexpool_spacy.h" nogil:
    uint64_t lexpool_spacy_get_attr(const TokenC *token, uint32_t attr) noexcept
    void lexpool_spacy_set_attr(TokenC *token, uint32_t attr, uint64_t value) noexcept


# `public` and the two names make Cython require a Python class without a struct.
cdef public class Token [object LexpoolToken, type LexpoolToken_Type, check_size ignore]:
    # Raises IndexError for an offset outside. Changes made through `doc.c` are put back first.
    @staticmethod
    cdef inline Token cinit(Vocab vocab, const TokenC *token, int offset, Doc doc):
        if offset < 0:
            raise IndexError(f"[E040] no token {offset} in a document of {doc.length} tokens")
        return doc[offset]

    @staticmethod
    cdef inline attr_t get_struct_attr(const TokenC *token, attr_id_t feat_name) noexcept nogil:
        return lexpool_spacy_get_attr(token, feat_name)

    # Attributes that tokens lack have no effect, as in spaCy.
    @staticmethod
    cdef inline attr_t set_struct_attr(
        TokenC *token, attr_id_t feat_name, attr_t value
    ) noexcept nogil:
        lexpool_spacy_set_attr(token, feat_name, value)
        return 0

    @staticmethod
    cdef inline int missing_dep(const TokenC *token) noexcept nogil:
        return token.dep == 0

    @staticmethod
    cdef inline int missing_head(const TokenC *token) noexcept nogil:
        return Token.missing_dep(token)
