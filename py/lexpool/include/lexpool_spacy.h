/* lexpool_spacy.h: a document's tokens in spaCy's own layout, for code written for spaCy's
 * `TokenC`.
 *
 * Export them with the GIL: lexpool_lend_tokens(doc, &length). They stay in place as long as the
 * Doc, and may be read and written, also without the GIL. Five more on either side are padding.
 * When Python next uses the document, the tokens are validated and put back; an invalid value
 * raises ValueError there, and leaves the document unchanged. Writing after that through the same
 * address has no effect: export them again, which returns the same address with current values.
 *
 * Lexemes belong to the vocab; other documents and threads read them. Set their attributes with the
 * functions below: readers then see the old or the new value of a field.
 */
#ifndef LEXPOOL_SPACY_H
#define LEXPOOL_SPACY_H

#include "lexpool_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A token in the layout of spaCy 3.8. */
typedef struct lexpool_spacy_token {
    const LexemeC *lex;
    uint64_t morph;
    enum lexpool_pos pos;
    int32_t spacy;
    uint64_t tag;
    int32_t idx;
    uint64_t lemma;
    uint64_t norm;
    int32_t head;
    uint64_t dep;
    uint32_t l_kids;
    uint32_t r_kids;
    uint32_t l_edge;
    uint32_t r_edge;
    int32_t sent_start;
    int32_t ent_iob;
    uint64_t ent_type;
    uint64_t ent_kb_id;
    uint64_t ent_id;
} lexpool_spacy_token;

#if UINTPTR_MAX == UINT64_MAX
LEXPOOL_ASSERT(sizeof(lexpool_spacy_token) == 120, "size of lexpool_spacy_token");
LEXPOOL_ASSERT(offsetof(lexpool_spacy_token, spacy) == 20, "offset of lexpool_spacy_token.spacy");
LEXPOOL_ASSERT(offsetof(lexpool_spacy_token, head) == 56, "offset of lexpool_spacy_token.head");
LEXPOOL_ASSERT(offsetof(lexpool_spacy_token, ent_id) == 112, "offset of lexpool_spacy_token.ent_id");
#endif

/* With the GIL. The tokens of a Doc, and their number if `length` is not NULL. NULL with an
 * exception set: TypeError if it is not a Doc, BusyError while others change it or read it without
 * the GIL. */
static inline lexpool_spacy_token *lexpool_lend_tokens(PyObject *doc, int32_t *length)
{
    if (lexpool_capi == NULL && lexpool_import() < 0)
        return NULL;
    return lexpool_capi->doc_spacy(doc, length);
}

/* With the GIL. The number of tokens of a Doc, exported or not; -1 with an exception set. */
static inline int32_t lexpool_doc_length(PyObject *doc)
{
    if (lexpool_capi == NULL && lexpool_import() < 0)
        return -1;
    return lexpool_capi->doc_length(doc);
}

/* With the GIL. Computes children and edges of start..end from the heads and sets the sentence
 * starts. -1 with ValueError set, and nothing written, if the range or a head is outside. */
static inline int lexpool_spacy_set_children(lexpool_spacy_token *tokens, int32_t start, int32_t end)
{
    int32_t i;
    if (lexpool_capi == NULL && lexpool_import() < 0)
        return -1;
    if (lexpool_capi->spacy_set_children_from_heads(tokens, start, end) == 0)
        return 0;
    for (i = start; tokens != NULL && start >= 0 && i < end; i++) {
        int64_t head = (int64_t)i + tokens[i].head;
        if (head < start || head >= end) {
            PyErr_Format(PyExc_ValueError,
                "[E190] head %d of token %d is token %lld, outside of %d to %d; it is an offset from "
                "the token, not a position",
                (int)tokens[i].head, (int)i, (long long)head, (int)start, (int)end);
            return -1;
        }
    }
    PyErr_Format(PyExc_ValueError,
        "set_children_from_heads takes tokens and a range of them, not %s and %d to %d",
        tokens == NULL ? "NULL" : "tokens", (int)start, (int)end);
    return -1;
}

/* The token of a character, including its trailing space; -1 if no token has it. */
static inline int lexpool_spacy_token_by_char(
    const lexpool_spacy_token *tokens, int length, int64_t at)
{
    int start = 0, end = length;
    while (tokens != NULL && start < end) {
        int i = start + (end - start) / 2;
        int64_t first = tokens[i].idx;
        if (at < first)
            end = i;
        else if (at >= first + (int64_t)tokens[i].lex->length + tokens[i].spacy)
            start = i + 1;
        else
            return i;
    }
    return -1;
}

/* The token that begins at a character, and the one that ends before it; -1 if no token does. */
static inline int lexpool_spacy_token_by_start(
    const lexpool_spacy_token *tokens, int length, int start_char)
{
    int i = lexpool_spacy_token_by_char(tokens, length, start_char);
    return i >= 0 && tokens[i].idx == start_char ? i : -1;
}

static inline int lexpool_spacy_token_by_end(
    const lexpool_spacy_token *tokens, int length, int end_char)
{
    int i = lexpool_spacy_token_by_char(tokens, length, (int64_t)end_char - 1);
    return i >= 0 && tokens[i].idx + (int64_t)tokens[i].lex->length == end_char ? i : -1;
}

/* An attribute of a token, as spaCy's Token.get_struct_attr: flags as 0 or 1, negative numbers as
 * two's complement; 0 for attributes that a token lacks. */
static inline uint64_t lexpool_spacy_get_attr(const lexpool_spacy_token *token, uint32_t attr)
{
    switch (attr) {
    case LEXPOOL_LEMMA: return token->lemma;
    case LEXPOOL_NORM: return token->norm != 0 ? token->norm : token->lex->norm;
    case LEXPOOL_POS: return (uint64_t)token->pos;
    case LEXPOOL_TAG: return token->tag;
    case LEXPOOL_MORPH: return token->morph;
    case LEXPOOL_DEP: return token->dep;
    case LEXPOOL_HEAD: return (uint64_t)(int64_t)token->head;
    case LEXPOOL_SPACY: return (uint64_t)(int64_t)token->spacy;
    case LEXPOOL_ENT_IOB: return (uint64_t)(int64_t)token->ent_iob;
    case LEXPOOL_ENT_TYPE: return token->ent_type;
    case LEXPOOL_ENT_ID: return token->ent_id;
    case LEXPOOL_ENT_KB_ID: return token->ent_kb_id;
    case LEXPOOL_SENT_START: return (uint64_t)(int64_t)token->sent_start;
    default: return lexpool_lexeme_attr(token->lex, attr);
    }
}

/* Sets an attribute of a token; attributes that tokens lack have no effect. */
static inline void lexpool_spacy_set_attr(lexpool_spacy_token *token, uint32_t attr, uint64_t value)
{
    switch (attr) {
    case LEXPOOL_LEMMA: token->lemma = value; break;
    case LEXPOOL_NORM: token->norm = value; break;
    case LEXPOOL_POS: token->pos = (enum lexpool_pos)value; break;
    case LEXPOOL_TAG: token->tag = value; break;
    case LEXPOOL_MORPH: token->morph = value; break;
    case LEXPOOL_DEP: token->dep = value; break;
    case LEXPOOL_HEAD: token->head = (int32_t)value; break;
    case LEXPOOL_SPACY: token->spacy = (int32_t)value; break;
    case LEXPOOL_ENT_IOB: token->ent_iob = (int32_t)value; break;
    case LEXPOOL_ENT_TYPE: token->ent_type = value; break;
    case LEXPOOL_ENT_ID: token->ent_id = value; break;
    case LEXPOOL_ENT_KB_ID: token->ent_kb_id = value; break;
    case LEXPOOL_SENT_START: token->sent_start = (int32_t)value; break;
    default: break;
    }
}

/* With the GIL. The lexeme of a word, added permanently if it is new, or of an id. Valid as long as
 * the Vocab. NULL with an exception set: TypeError if it is not a Vocab, KeyError for an id without
 * a string, ValueError for invalid UTF-8 or if a getter of the vocab fails. */
static inline const LexemeC *lexpool_get_lexeme(PyObject *vocab, const char *utf8, size_t n)
{
    const lexpool_vocab *opened = lexpool_open_vocab(vocab);
    const LexemeC *lex = opened == NULL ? NULL : lexpool_capi->vocab_get(opened, utf8, n);
    if (opened != NULL && lex == NULL)
        PyErr_SetString(PyExc_ValueError, "the word cannot be entered into the vocab");
    return lex;
}

static inline const LexemeC *lexpool_get_lexeme_by_orth(PyObject *vocab, uint64_t orth)
{
    const lexpool_vocab *opened = lexpool_open_vocab(vocab);
    const LexemeC *lex = opened == NULL ? NULL : lexpool_capi->vocab_get_by_orth(opened, orth);
    if (opened != NULL && lex == NULL)
        PyErr_Format(PyExc_KeyError, "[E018] no string has the id %llu", (unsigned long long)orth);
    return lex;
}

/* Fields of a shared lexeme are written atomically, in no defined order. */
#if defined(__GNUC__) || defined(__clang__)
#define LEXPOOL_STORE(place, value) __atomic_store_n((uint64_t *)(place), (value), __ATOMIC_RELAXED)
#define LEXPOOL_SET_BITS(place, bits) \
    ((void)__atomic_fetch_or((uint64_t *)(place), (bits), __ATOMIC_RELAXED))
#define LEXPOOL_CLEAR_BITS(place, bits) \
    ((void)__atomic_fetch_and((uint64_t *)(place), ~(bits), __ATOMIC_RELAXED))
#else
#define LEXPOOL_STORE(place, value) ((void)(*(volatile uint64_t *)(place) = (value)))
#define LEXPOOL_SET_BITS(place, bits) ((void)(*(volatile uint64_t *)(place) |= (bits)))
#define LEXPOOL_CLEAR_BITS(place, bits) ((void)(*(volatile uint64_t *)(place) &= ~(bits)))
#endif

/* Sets or clears a flag of a shared lexeme; other attributes have no effect. */
static inline void lexpool_shared_set_flag(const LexemeC *lex, uint32_t attr, int value)
{
    if (lex == NULL || attr >= 64)
        return;
    if (value)
        LEXPOOL_SET_BITS(&lex->flags, UINT64_C(1) << attr);
    else
        LEXPOOL_CLEAR_BITS(&lex->flags, UINT64_C(1) << attr);
}

/* Sets an attribute of a shared lexeme. ORTH and LENGTH identify the word and never change. */
static inline void lexpool_shared_set_attr(const LexemeC *lex, uint32_t attr, uint64_t value)
{
    if (lex == NULL)
        return;
    switch (attr) {
    case LEXPOOL_ID: LEXPOOL_STORE(&lex->id, value); break;
    case LEXPOOL_LOWER: LEXPOOL_STORE(&lex->lower, value); break;
    case LEXPOOL_NORM: LEXPOOL_STORE(&lex->norm, value); break;
    case LEXPOOL_SHAPE: LEXPOOL_STORE(&lex->shape, value); break;
    case LEXPOOL_PREFIX: LEXPOOL_STORE(&lex->prefix, value); break;
    case LEXPOOL_SUFFIX: LEXPOOL_STORE(&lex->suffix, value); break;
    case LEXPOOL_LANG: LEXPOOL_STORE(&lex->lang, value); break;
    default: lexpool_shared_set_flag(lex, attr, value != 0); break;
    }
}

#ifdef __cplusplus
}
#endif

#endif /* LEXPOOL_SPACY_H */
