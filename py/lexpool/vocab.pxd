# The class Vocab for Cython, as spaCy's "Cython classes" page has it: `from lexpool.vocab cimport
# Vocab`.
#
# Without the GIL use `vocab_get` and `vocab_get_by_orth` of `lexpool.capi`.

cimport cython

from lexpool.structs cimport LexemeC
from lexpool.typedefs cimport attr_t


cdef extern from "lexpool_spacy.h":
    const LexemeC *lexpool_get_lexeme(object vocab, const char *utf8, size_t n) except NULL
    const LexemeC *lexpool_get_lexeme_by_orth(object vocab, attr_t orth) except NULL


# `public` and the two names make Cython require a Python class without a struct.
# `final` makes it call these functions directly, without a table of methods in the object.
@cython.final
cdef public class Vocab [object LexpoolVocab, type LexpoolVocab_Type, check_size ignore]:
    # The lexeme of a word, added permanently if it is new, even if a zone is open: `mem` is not
    # used.
    cdef inline const LexemeC *get(self, object mem, str string) except NULL:
        cdef bytes utf8 = string.encode()
        return lexpool_get_lexeme(self, utf8, len(utf8))

    # The lexeme of a word by the id of the word. Raises KeyError for an id without a string.
    cdef inline const LexemeC *get_by_orth(self, object mem, attr_t orth) except NULL:
        return lexpool_get_lexeme_by_orth(self, orth)
