# lexpool's documents and vocabs for Cython: `from lexpool.capi cimport lexpool_doc, open_doc`.
#
# The rules of `lexpool_api.h` apply: an opened document is valid as long as the Doc, which must not
# be changed while it is read without the GIL, and an invalid argument results in -1, 0 or NULL. The
# folder of the header, `lexpool.get_include()`, must be among the include folders of the C
# compiler.

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from lexpool.structs cimport LEXPOOL_ABI_VERSION, EntityC, LexemeC, SyntaxC, TagC, TokenC


cdef extern from "lexpool_api.h" nogil:
    ctypedef struct lexpool_vocab:
        pass

    ctypedef struct lexpool_scope:
        pass

    ctypedef struct lexpool_doc:
        uint32_t size
        uint32_t abi
        const TokenC *tokens
        int32_t length
        uint32_t text_chars
        const TagC *tags
        const SyntaxC *syntax
        const EntityC *entities
        const LexemeC *const *lexemes
        const LexemeC *const *zone_lexemes
        const uint64_t *const *norms
        const lexpool_scope *scope

    ctypedef struct lexpool_doc_mut:
        uint32_t size
        uint32_t abi
        TokenC *tokens
        int32_t length
        uint32_t reserved
        TagC *tags
        SyntaxC *syntax
        EntityC *entities

    # Inline functions that read records.
    bint lexpool_doc_has(const lexpool_doc *doc, int32_t i) noexcept
    const LexemeC *lexpool_doc_lexeme(const lexpool_doc *doc, int32_t i) noexcept
    uint64_t lexpool_doc_norm(const lexpool_doc *doc, int32_t i) noexcept
    int64_t lexpool_doc_token_start(const lexpool_doc *doc, int32_t i) noexcept
    int64_t lexpool_doc_token_end(const lexpool_doc *doc, int32_t i) noexcept
    bint lexpool_check_flag(const LexemeC *lex, uint32_t attr) noexcept
    uint64_t lexpool_lexeme_attr(const LexemeC *lex, uint32_t attr) noexcept
    void lexpool_set_flag(LexemeC *lex, uint32_t attr, bint value) noexcept

cdef extern from "lexpool_api.h":
    # Call this at the top of a module. Raises ImportError if it was built for another version.
    int lexpool_import() except -1


# Functions of the installed lexpool, which Cython takes from `lexpool.capi.__pyx_capi__`.
cdef int doc_open(object doc, lexpool_doc *out, uint32_t out_size) except -1
cdef const lexpool_vocab *vocab_open(object vocab) except NULL
cdef int32_t token_by_start(const lexpool_doc *doc, int32_t start_char) noexcept nogil
cdef int32_t token_by_end(const lexpool_doc *doc, int32_t end_char) noexcept nogil
cdef uint64_t token_get_attr(const lexpool_doc *doc, int32_t i, uint32_t attr) noexcept nogil
cdef int token_set_attr(
    lexpool_doc_mut *doc, int32_t i, uint32_t attr, uint64_t value
) noexcept nogil
cdef int set_children_from_heads(
    TokenC *tokens, SyntaxC *syntax, int32_t start, int32_t end
) noexcept nogil
cdef uint64_t lexeme_get_attr(const LexemeC *lex, uint32_t attr) noexcept nogil
cdef int check_flag(const LexemeC *lex, uint32_t attr) noexcept nogil
cdef const LexemeC *vocab_get(
    const lexpool_vocab *vocab, const char *utf8, size_t n
) noexcept nogil
cdef const LexemeC *vocab_get_by_orth(const lexpool_vocab *vocab, uint64_t orth) noexcept nogil


# Opens a Doc. Raises ImportError if this module was built for another version of the records.
cdef inline int open_doc(object doc, lexpool_doc *out) except -1:
    doc_open(doc, out, sizeof(lexpool_doc))
    if out.abi != LEXPOOL_ABI_VERSION:
        raise ImportError(
            f"this module was built for version {LEXPOOL_ABI_VERSION} of lexpool's ABI; "
            f"the installed lexpool has version {out.abi}"
        )
    return 0


# spaCy's names, with a document and a position instead of a token's address.

cdef inline uint64_t get_struct_attr(
    const lexpool_doc *doc, int32_t i, uint32_t attr
) noexcept nogil:
    return token_get_attr(doc, i, attr)


cdef inline int set_struct_attr(
    lexpool_doc_mut *doc, int32_t i, uint32_t attr, uint64_t value
) noexcept nogil:
    return token_set_attr(doc, i, attr, value)


cdef inline bint c_check_flag(const LexemeC *lexeme, uint32_t flag_id) noexcept nogil:
    return lexpool_check_flag(lexeme, flag_id)


cdef inline void c_set_flag(LexemeC *lex, uint32_t flag_id, bint value) noexcept nogil:
    lexpool_set_flag(lex, flag_id, value)
