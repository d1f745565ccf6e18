# cython: language_level=3
# What holds for lexpool alone when its tokens are written in spaCy's layout.
from libc.stdint cimport uint64_t, uintptr_t

from lexpool.attrs cimport IS_ALPHA, IS_STOP, NORM
from lexpool.lexeme cimport Lexeme
from lexpool.tokens cimport Doc, Token
from lexpool.tokens.doc cimport TokenC, set_children_from_heads
from lexpool.vocab cimport Vocab


def baileys(heads):
    """The page's example of set_children_from_heads, which leaves out the start."""
    doc = Doc(Vocab(), words=["Baileys", "from", "a", "shoe"])
    doc.c[0].head = heads[0]
    doc.c[1].head = heads[1]
    doc.c[2].head = heads[2]
    doc.c[3].head = heads[3]
    set_children_from_heads(doc.c, doc.length)
    return doc.c[3].l_kids


def of_const_lexeme(Doc doc):
    """The page's examples of LexemeC by the pointer that a token has, which is to a const."""
    lexeme = doc.c[3].lex
    Lexeme.set_struct_attr(lexeme, NORM, lexeme.lower)
    Lexeme.c_set_flag(lexeme, IS_STOP, 1)
    return Token.get_struct_attr(&doc.c[3], IS_ALPHA), Lexeme.c_check_flag(lexeme, IS_STOP)


def children(Doc doc, int start, int end):
    set_children_from_heads(doc.c, start, end)


def children_of_nothing():
    set_children_from_heads(NULL, 0, 1)


def address(doc):
    cdef Doc given = doc
    return <uintptr_t>given.c


def address_of_any(doc):
    """What C may do: call the property with any object."""
    return <uintptr_t>(<Doc>doc).c


def length(Doc doc):
    return doc.length


def write(uintptr_t at, int i, **fields):
    """Writes fields through an address that was taken before."""
    cdef TokenC *token = &(<TokenC *>at)[i]
    for name, value in fields.items():
        if name == "tag":
            token.tag = value
        elif name == "head":
            token.head = value
        elif name == "dep":
            token.dep = value
        elif name == "idx":
            token.idx = value
        elif name == "ent_iob":
            token.ent_iob = value
        elif name == "lex":
            token.lex = NULL
        else:
            raise KeyError(name)


def put_tag(Doc doc, int i, uint64_t value):
    """Borrows and writes with no other thread between."""
    doc.c[i].tag = value


def tag(uintptr_t at, int i):
    return (<TokenC *>at)[i].tag


def as_objects(Doc doc, int i):
    """The token and the lexeme as Python has them."""
    lexeme = Lexeme.from_ptr(doc.c[0].lex, doc.vocab)
    return Token.cinit(doc.vocab, &doc.c[0], i, doc), lexeme
