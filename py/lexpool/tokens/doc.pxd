# Documents as on spaCy's "Cython structs" page: `from lexpool.tokens.doc cimport Doc, TokenC`.
#
# `TokenC` is spaCy's record of 120 bytes; that of `lexpool.structs` is lexpool's own of 16, which
# `lexpool.capi` reads without a copy. `doc.c` exports the tokens as `lexpool_spacy.h` does: with
# the GIL, until Python next uses the document, which puts the tokens back or raises an error. So
# take `doc.c` again after a use from Python; the address stays the same, and is valid as long as
# the Doc. The folder of the header, `lexpool.get_include()`, must be among the include folders of
# the C compiler.

from libc.stdint cimport int32_t, uint32_t, uint64_t

from lexpool.parts_of_speech cimport univ_pos_t
from lexpool.structs cimport LexemeC
from lexpool.typedefs cimport attr_t, hash_t


cdef extern from "lexpool_spacy.h":
    ctypedef struct TokenC "lexpool_spacy_token":
        const LexemeC *lex
        uint64_t morph
        univ_pos_t pos
        bint spacy
        attr_t tag
        int idx
        attr_t lemma
        attr_t norm
        int head
        attr_t dep
        uint32_t l_kids
        uint32_t r_kids
        uint32_t l_edge
        uint32_t r_edge
        int sent_start
        int ent_iob
        attr_t ent_type
        attr_t ent_kb_id
        hash_t ent_id

    TokenC *lexpool_lend_tokens(object doc, int32_t *length) except NULL
    int32_t lexpool_doc_length(object doc) except -1
    int lexpool_spacy_set_children(TokenC *tokens, int32_t start, int32_t end) except -1

    # The token that begins at a character, or that ends before it; -1 if no token does.
    int token_by_start "lexpool_spacy_token_by_start"(
        const TokenC *tokens, int length, int start_char
    ) noexcept nogil
    int token_by_end "lexpool_spacy_token_by_end"(
        const TokenC *tokens, int length, int end_char
    ) noexcept nogil

    ctypedef class lexpool._core.Doc [object PyObject, check_size ignore]:
        # Raises BusyError while others read the document without the GIL, or hold a lease of it.
        @property
        cdef inline TokenC *c(self) except NULL:
            return lexpool_lend_tokens(self, NULL)

        @property
        cdef inline int length(self) except -1:
            return lexpool_doc_length(self)


# Computes children and edges from the heads and sets the sentence starts: of the first `length`
# tokens, `set_children_from_heads(tokens, length)`, or of a range, `set_children_from_heads(tokens,
# start, end)`. Raises ValueError, and writes nothing, if a head is outside of the tokens.
cdef inline int set_children_from_heads(TokenC *tokens, int start, int end=-1) except -1:
    if end == -1:
        return lexpool_spacy_set_children(tokens, 0, start)
    return lexpool_spacy_set_children(tokens, start, end)
