# cython: language_level=3
# The examples of spaCy's "Cython structs" page, each as a function, and all that its tables name.
# Compiled for spaCy as it stands, and for lexpool with that name in the place of spaCy's.
from spacy.attrs cimport IS_ALPHA, IS_STOP, NORM, TAG, attr_id_t
from spacy.lexeme cimport Lexeme, LexemeC
from spacy.parts_of_speech cimport NOUN, univ_pos_t
from spacy.tokens.doc cimport Doc, TokenC, set_children_from_heads, token_by_end, token_by_start
from spacy.tokens.token cimport Token
from spacy.typedefs cimport attr_t, flags_t
from spacy.vocab cimport Vocab


def found():
    """token_by_start and token_by_end."""
    doc = Doc(Vocab(), words=["hello", "world"])
    assert token_by_start(doc.c, doc.length, 6) == 1
    assert token_by_start(doc.c, doc.length, 4) == -1
    assert token_by_end(doc.c, doc.length, 5) == 0
    assert token_by_end(doc.c, doc.length, 1) == -1
    return [find(doc, at) for at in range(-2, 14)]


def find(Doc doc, int at):
    return token_by_start(doc.c, doc.length, at), token_by_end(doc.c, doc.length, at)


def flags_and_tag(Doc doc):
    """Token.get_struct_attr and Token.set_struct_attr."""
    token = &doc.c[3]
    before = Token.get_struct_attr(&doc.c[3], IS_ALPHA), Token.get_struct_attr(token, TAG)
    Token.set_struct_attr(token, TAG, 0)
    return before, Token.get_struct_attr(token, TAG), token.tag


def of_lexeme(Doc doc):
    """The examples of LexemeC: a flag, a norm set to the lower form, a stop word that is none."""
    lexeme = <LexemeC *>doc.c[3].lex
    is_alpha = Lexeme.get_struct_attr(lexeme, IS_ALPHA)
    Lexeme.set_struct_attr(lexeme, NORM, lexeme.lower)
    was_stop = Lexeme.c_check_flag(lexeme, IS_STOP)
    Lexeme.c_set_flag(lexeme, IS_STOP, 0)
    is_stop = Lexeme.c_check_flag(lexeme, IS_STOP)
    assert lexeme.norm == lexeme.lower
    return is_alpha, was_stop, is_stop, lexeme.flags


def token_fields(Doc doc, int i):
    cdef const TokenC *token = &doc.c[i]
    cdef univ_pos_t pos = token.pos
    return (
        token.morph, <int>pos, token.spacy, token.tag, token.idx, token.lemma, token.norm,
        token.head, token.dep, token.l_kids, token.r_kids, token.l_edge, token.r_edge,
        token.sent_start, token.ent_iob, token.ent_type, token.ent_kb_id, token.ent_id,
    )


def lexeme_fields(Doc doc, int i):
    cdef const LexemeC *lex = doc.c[i].lex
    cdef flags_t flags = lex.flags
    return (
        flags, lex.lang, lex.id, lex.length, lex.orth, lex.lower, lex.norm, lex.shape, lex.prefix,
        lex.suffix,
    )


def attrs(Doc doc, int i, int number):
    token = Token.get_struct_attr(&doc.c[i], <attr_id_t>number)
    return token, Lexeme.get_struct_attr(doc.c[i].lex, <attr_id_t>number)


def set_attr(Doc doc, int i, int number, attr_t value):
    Token.set_struct_attr(&doc.c[i], <attr_id_t>number, value)


def set_heads(Doc doc, list heads, attr_t dep):
    """set_children_from_heads, over the whole document; what then is true of each token."""
    cdef int i
    for i in range(doc.length):
        doc.c[i].head = heads[i]
        doc.c[i].dep = dep
    set_children_from_heads(doc.c, 0, doc.length)
    return [
        (
            doc.c[i].l_kids, doc.c[i].r_kids, doc.c[i].l_edge, doc.c[i].r_edge,
            doc.c[i].sent_start,
        )
        for i in range(doc.length)
    ]


def nouns(Doc doc):
    """Makes nouns of the words that are letters, without the GIL; how many."""
    cdef TokenC *tokens = doc.c
    cdef int length = doc.length
    cdef int i
    cdef int count = 0
    with nogil:
        for i in range(length):
            if Lexeme.c_check_flag(tokens[i].lex, IS_ALPHA):
                tokens[i].pos = NOUN
                count += 1
    return count


def beyond(Doc doc):
    """What stands in the padding on either side."""
    cdef const TokenC *tokens = doc.c
    return [
        (tokens[i].lex.orth, tokens[i].lex.length, tokens[i].idx)
        for i in (*range(-5, 0), *range(doc.length, doc.length + 5))
    ]


def in_vocab(Vocab vocab, str word):
    """Vocab.get and Vocab.get_by_orth of the "Cython classes" page."""
    lexeme = vocab.get(vocab.mem, word)
    again = vocab.get_by_orth(vocab.mem, lexeme.orth)
    assert lexeme == again
    return lexeme.orth, lexeme.lower, lexeme.length


def by_orth(Vocab vocab, attr_t orth):
    return vocab.get_by_orth(vocab.mem, orth).orth
