# cython: language_level=3
# A kernel over `lexpool.capi`: opens documents with the GIL, reads them without it.
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy

from lexpool.capi cimport (
    c_check_flag,
    c_set_flag,
    check_flag,
    get_struct_attr,
    lexeme_get_attr,
    lexpool_doc,
    lexpool_doc_lexeme,
    lexpool_doc_mut,
    lexpool_import,
    open_doc,
    set_children_from_heads,
    set_struct_attr,
    token_by_end,
    token_by_start,
    vocab_get,
    vocab_get_by_orth,
    vocab_open,
)
from lexpool.structs cimport (
    LEXPOOL_ABI_VERSION,
    LEXPOOL_DEP,
    LEXPOOL_HEAD,
    LEXPOOL_IS_ALPHA,
    LEXPOOL_IS_PUNCT,
    LEXPOOL_IS_TITLE,
    LEXPOOL_LOWER,
    LexemeC,
    SyntaxC,
    TokenC,
    lexpool_token_sent_start,
)


lexpool_import()


cdef Py_ssize_t _capitalised_starts(const lexpool_doc *doc) noexcept nogil:
    """Example: how many sentences begin with a capital."""
    cdef Py_ssize_t count = 0
    cdef int32_t i
    for i in range(doc.length):
        if lexpool_token_sent_start(&doc.tokens[i]) == 1:
            count += c_check_flag(lexpool_doc_lexeme(doc, i), LEXPOOL_IS_TITLE)
    return count


cdef Py_ssize_t _punctuation_run(const lexpool_doc *doc) noexcept nogil:
    """Example: the length of the longest run of punctuation."""
    cdef Py_ssize_t run = 0
    cdef Py_ssize_t longest = 0
    cdef int32_t i
    for i in range(doc.length):
        run = run + 1 if c_check_flag(lexpool_doc_lexeme(doc, i), LEXPOOL_IS_PUNCT) else 0
        longest = max(run, longest)
    return longest


def examples(object given):
    cdef lexpool_doc doc
    cdef Py_ssize_t starts
    cdef Py_ssize_t run
    open_doc(given, &doc)
    with nogil:
        starts = _capitalised_starts(&doc)
        run = _punctuation_run(&doc)
    return starts, run


def find(object given, int32_t at):
    cdef lexpool_doc doc
    open_doc(given, &doc)
    return token_by_start(&doc, at), token_by_end(&doc, at)


def attr(object given, int32_t i, uint32_t number):
    cdef lexpool_doc doc
    open_doc(given, &doc)
    return get_struct_attr(&doc, i, number)


def tree(list heads, uint64_t dep):
    """Children, edges and sentence starts that follow from relative heads; None if one is outside."""
    cdef TokenC tokens[16]
    cdef SyntaxC syntax[16]
    cdef lexpool_doc_mut doc
    cdef int32_t n = len(heads)
    cdef int32_t i
    assert n <= 16
    doc.size, doc.abi, doc.length = sizeof(doc), LEXPOOL_ABI_VERSION, n
    doc.tokens, doc.syntax, doc.tags, doc.entities = tokens, syntax, NULL, NULL
    for i in range(n):
        tokens[i].lex = tokens[i].idx = tokens[i].byte = tokens[i].facts = 0
        syntax[i].dep = syntax[i].flags = 0
        if set_struct_attr(&doc, i, LEXPOOL_HEAD, <uint64_t><int32_t>heads[i]) < 0:
            return None
        assert set_struct_attr(&doc, i, LEXPOOL_DEP, dep) == 0
    if set_children_from_heads(tokens, syntax, 0, n) < 0:
        return None
    return [
        (
            syntax[i].l_kids,
            syntax[i].r_kids,
            syntax[i].l_edge,
            syntax[i].r_edge,
            lexpool_token_sent_start(&tokens[i]),
        )
        for i in range(n)
    ]


def flags_and_lower(object vocab, bytes word):
    """The flag of a word, that of a copy in which it is cleared, and the id of its lower form."""
    cdef const LexemeC *lex = vocab_get(vocab_open(vocab), word, len(word))
    cdef LexemeC copy
    if lex == NULL:
        return None
    assert vocab_get_by_orth(vocab_open(vocab), lex.orth) == lex
    memcpy(&copy, lex, sizeof(copy))
    c_set_flag(&copy, LEXPOOL_IS_ALPHA, False)
    return (
        check_flag(lex, LEXPOOL_IS_ALPHA),
        check_flag(&copy, LEXPOOL_IS_ALPHA),
        lexeme_get_attr(lex, LEXPOOL_LOWER),
    )
