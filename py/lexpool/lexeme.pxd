# Lexemes as on spaCy's "Cython structs" page: `from lexpool.lexeme cimport Lexeme`.
#
# `lex` is the vocab's own record, which all its documents share: a value that is set here applies
# to the word everywhere, and other threads see it field by field.

from libc.stdint cimport uint32_t, uint64_t

from lexpool.attrs cimport attr_id_t
from lexpool.structs cimport LexemeC
from lexpool.typedefs cimport attr_t
from lexpool.vocab cimport Vocab


cdef extern from "lexpool_spacy.h" nogil:
    bint lexpool_check_flag(const LexemeC *lex, uint32_t attr) noexcept
    uint64_t lexpool_lexeme_attr(const LexemeC *lex, uint32_t attr) noexcept
    void lexpool_shared_set_flag(const LexemeC *lex, uint32_t attr, bint value) noexcept
    void lexpool_shared_set_attr(const LexemeC *lex, uint32_t attr, uint64_t value) noexcept


# `public` and the two names make Cython require a Python class without a struct.
cdef public class Lexeme [object LexpoolLexeme, type LexpoolLexeme_Type, check_size ignore]:
    @staticmethod
    cdef inline Lexeme from_ptr(const LexemeC *lex, Vocab vocab):
        return vocab[lex.orth]

    @staticmethod
    cdef inline attr_t get_struct_attr(const LexemeC *lex, attr_id_t feat_name) noexcept nogil:
        return lexpool_lexeme_attr(lex, feat_name)

    # ORTH and LENGTH identify the word; setting them has no effect, as in spaCy.
    @staticmethod
    cdef inline void set_struct_attr(
        const LexemeC *lex, attr_id_t name, attr_t value
    ) noexcept nogil:
        lexpool_shared_set_attr(lex, name, value)

    @staticmethod
    cdef inline bint c_check_flag(const LexemeC *lexeme, attr_id_t flag_id) noexcept nogil:
        return lexpool_check_flag(lexeme, flag_id)

    @staticmethod
    cdef inline bint c_set_flag(
        const LexemeC *lex, attr_id_t flag_id, bint value
    ) noexcept nogil:
        lexpool_shared_set_flag(lex, flag_id, value)
        return value
