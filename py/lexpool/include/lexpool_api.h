/* lexpool_api.h: lexpool's documents and vocabs for native code, C11 and C++17.
 *
 * Call lexpool_import() once, where the module is initialized, and continue only if it returns 0.
 * Then open documents with the GIL and read them without it:
 *
 *     lexpool_doc doc;
 *     if (lexpool_open_doc(object, &doc) < 0)
 *         return NULL;
 *     Py_BEGIN_ALLOW_THREADS
 *     i = lexpool_capi->token_by_start(&doc, 6);
 *     Py_END_ALLOW_THREADS
 *
 * An opened struct is valid as long as the object it was opened from: keep a reference. While it is
 * read without the GIL, the document must not be changed; addresses stay valid even then, but
 * values may come from two states. After a change, open it again.
 *
 * Functions check their arguments: NULL, negative numbers, positions, sizes and versions. An
 * invalid argument results in -1, 0 or NULL.
 */
#ifndef LEXPOOL_API_H
#define LEXPOOL_API_H

/* Python requires this before the headers of the system. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "lexpool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A token in spaCy's layout: `lexpool_spacy.h`. */
struct lexpool_spacy_token;

/* Your own writable arrays, each NULL or of `length` records. */
typedef struct lexpool_doc_mut {
    uint32_t size;
    uint32_t abi;
    TokenC *tokens;
    int32_t length;
    uint32_t reserved;
    TagC *tags;
    SyntaxC *syntax;
    EntityC *entities;
} lexpool_doc_mut;

/* The target of a capsule named "lexpool.<record>.<version>", created by `handle.capsule()`:
 * records in memory, valid as long as the capsule. Use the full name, such as "lexpool.TokenC.1",
 * so that records of another type or version are rejected. Only grows at its end; `size` is its
 * length. */
typedef struct lexpool_records {
    /* Bytes of this struct, and the version of the records. */
    uint32_t size;
    uint32_t abi_version;
    void *data;
    /* The number of records, the bytes from one to the next, and those of one. */
    size_t len;
    ptrdiff_t stride;
    uint32_t itemsize;
    /* 1 under a lease and in a Pool; otherwise `data` is read-only. */
    uint32_t writable;
    /* The handle, to which the capsule has a reference. */
    PyObject *handle;
} lexpool_records;

/* The functions of the installed lexpool. Only grows at its end while the version stays. */
typedef struct lexpool_api {
    /* Bytes of this table, and the version of the records. */
    uint32_t size;
    uint32_t abi;

    /* With the GIL. Fills a struct of `out_size` bytes. -1 with an exception set: TypeError if the
     * object is not a Doc, ValueError if the struct is too small, BusyError during a change of the
     * Doc. */
    int (*doc_open)(PyObject *doc, lexpool_doc *out, uint32_t out_size);
    /* With the GIL. NULL with TypeError set if the object is not a Vocab. */
    const lexpool_vocab *(*vocab_open)(PyObject *vocab);

    /* The following: from any thread, with or without the GIL. */

    /* The token that begins at a character, and the one that ends before it; -1 if no token
     * does. */
    int32_t (*token_by_start)(const lexpool_doc *doc, int32_t start_char);
    int32_t (*token_by_end)(const lexpool_doc *doc, int32_t end_char);
    /* An attribute as a number: flags as 0 or 1, HEAD relative, negative numbers as two's
     * complement; 0 for unset and unknown attributes. */
    uint64_t (*token_get_attr)(const lexpool_doc *doc, int32_t i, uint32_t attr);
    /* -1, and nothing is written, for an invalid position, attribute or value, and if the
     * array is NULL. SPACY sets the bit and moves no text. */
    int (*token_set_attr)(lexpool_doc_mut *doc, int32_t i, uint32_t attr, uint64_t value);
    /* Computes children and edges of start..end from the heads and sets the sentence starts. -1,
     * and nothing is written, if a head is outside of them. */
    int (*set_children_from_heads)(TokenC *tokens, SyntaxC *syntax, int32_t start, int32_t end);
    uint64_t (*lexeme_get_attr)(const LexemeC *lex, uint32_t attr);
    int (*check_flag)(const LexemeC *lex, uint32_t attr);
    /* The lexeme of a word of `n` bytes, added permanently if it is new, even if a zone is open.
     * NULL for invalid UTF-8, if a getter of the vocab fails, and if memory runs out. */
    const LexemeC *(*vocab_get)(const lexpool_vocab *vocab, const char *utf8, size_t n);
    /* The same by the word's id; NULL if no string of the vocab has it. */
    const LexemeC *(*vocab_get_by_orth)(const lexpool_vocab *vocab, uint64_t orth);

    /* The functions behind `lexpool_spacy.h`, which is easier to use. With the GIL: the tokens of a
     * Doc in spaCy's layout, exported, and their number; NULL with an exception set. Their number
     * alone; -1 with an exception set. From any thread: as set_children_from_heads, for such
     * tokens. */
    struct lexpool_spacy_token *(*doc_spacy)(PyObject *doc, int32_t *length);
    int32_t (*doc_length)(PyObject *doc);
    int (*spacy_set_children_from_heads)(
        struct lexpool_spacy_token *tokens, int32_t start, int32_t end);
    /* The table behind lexpool_op_find and lexpool_op_call, after the import. */
    const lexpool_host *ops;
} lexpool_api;

#if UINTPTR_MAX == UINT64_MAX
LEXPOOL_ASSERT(sizeof(lexpool_doc_mut) == 48, "size of lexpool_doc_mut");
LEXPOOL_ASSERT(sizeof(lexpool_records) == 48, "size of lexpool_records");
LEXPOOL_ASSERT(offsetof(lexpool_records, handle) == 40, "offset of lexpool_records.handle");
LEXPOOL_ASSERT(sizeof(lexpool_api) == 128, "size of lexpool_api");
#endif

/* The table, after the import; each file that includes this header has its own pointer. */
static const lexpool_api *lexpool_capi = NULL;

/* The required size of the table. Define it before the include, as the offset of the first function
 * that you do not use, to run with older versions of lexpool that have the functions before it. */
#ifndef LEXPOOL_API_NEEDED
#define LEXPOOL_API_NEEDED sizeof(lexpool_api)
#endif

/* With the GIL. Imports the table: 0, or -1 with ImportError set. */
static inline int lexpool_import(void)
{
    const char *name = "lexpool._core._C_API";
    const lexpool_api *api = (const lexpool_api *)PyCapsule_Import(name, 0);
    if (api == NULL) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_Format(PyExc_ImportError,
                "the installed lexpool has no C API; this module was built for version %u of it",
                (unsigned)LEXPOOL_ABI_VERSION);
        }
        return -1;
    }
    if (api->abi != LEXPOOL_ABI_VERSION || api->size < LEXPOOL_API_NEEDED) {
        PyErr_Format(PyExc_ImportError,
            "this module was built for version %u of lexpool's ABI and needs %u bytes of its table "
            "of functions; the installed lexpool has version %u and %u bytes: %s",
            (unsigned)LEXPOOL_ABI_VERSION, (unsigned)LEXPOOL_API_NEEDED,
            (unsigned)api->abi, (unsigned)api->size,
            api->abi > LEXPOOL_ABI_VERSION ? "build the module anew" : "install a newer lexpool");
        return -1;
    }
    lexpool_capi = api;
    if (api->size >= offsetof(lexpool_api, ops) + sizeof(api->ops))
        lexpool_use(api->ops);
    return 0;
}

/* With the GIL. Opens a Doc: 0, or -1 with an exception set. */
static inline int lexpool_open_doc(PyObject *doc, lexpool_doc *out)
{
    if (lexpool_capi == NULL && lexpool_import() < 0)
        return -1;
    return lexpool_capi->doc_open(doc, out, (uint32_t)sizeof(lexpool_doc));
}

/* With the GIL. Opens a Vocab: NULL with an exception set if the object is not one. */
static inline const lexpool_vocab *lexpool_open_vocab(PyObject *vocab)
{
    if (lexpool_capi == NULL && lexpool_import() < 0)
        return NULL;
    return lexpool_capi->vocab_open(vocab);
}

/* The following functions read records without a call. Positions are checked; records are trusted,
 * so `doc` must come from lexpool_open_doc, or have NULL for the tables of segments. */

/* The segment of an item and its position in it: segment k has 64 << k items. */
static inline unsigned lexpool_segment(uint32_t ix, uint64_t *at)
{
    uint64_t place = (uint64_t)ix + 64;
    unsigned segment = 0;
#if defined(__GNUC__) || defined(__clang__)
    segment = 57u - (unsigned)__builtin_clzll(place);
#else
    while (place >> (segment + 7) != 0)
        segment++;
#endif
    *at = place - ((uint64_t)64 << segment);
    return segment;
}

/* 1 if the position is that of a token. */
static inline int lexpool_doc_has(const lexpool_doc *doc, int32_t i)
{
    return doc != NULL && doc->tokens != NULL && i >= 0 && i < doc->length;
}

/* The lexeme of a token; NULL beyond the ends. */
static inline const LexemeC *lexpool_doc_lexeme(const lexpool_doc *doc, int32_t i)
{
    const LexemeC *const *segments;
    const LexemeC *items;
    unsigned segment;
    uint64_t at;
    if (!lexpool_doc_has(doc, i))
        return NULL;
    segments = lexpool_token_in_zone(&doc->tokens[i]) ? doc->zone_lexemes : doc->lexemes;
    if (segments == NULL)
        return NULL;
    segment = lexpool_segment(lexpool_token_lex_index(&doc->tokens[i]), &at);
    items = segments[segment];
    return items == NULL ? NULL : &items[at];
}

/* The id of a token's norm: its own, that of a special case, or its lexeme's; 0 beyond the ends. */
static inline uint64_t lexpool_doc_norm(const lexpool_doc *doc, int32_t i)
{
    const LexemeC *lex;
    const uint64_t *items;
    unsigned segment;
    uint64_t at;
    uint32_t number;
    if (!lexpool_doc_has(doc, i))
        return 0;
    if (doc->tags != NULL && doc->tags[i].norm != 0)
        return doc->tags[i].norm;
    number = lexpool_token_norm_ix(&doc->tokens[i]);
    if (number != 0 && doc->norms != NULL) {
        segment = lexpool_segment(number - 1, &at);
        items = doc->norms[segment];
        if (items != NULL)
            return items[at];
    }
    lex = lexpool_doc_lexeme(doc, i);
    return lex == NULL ? 0 : lex->norm;
}

/* The start of a token, in characters; -1 beyond the ends. */
static inline int64_t lexpool_doc_token_start(const lexpool_doc *doc, int32_t i)
{
    return lexpool_doc_has(doc, i) ? (int64_t)doc->tokens[i].idx : -1;
}

/* The end of a token, in characters, without its trailing space; -1 beyond the ends. */
static inline int64_t lexpool_doc_token_end(const lexpool_doc *doc, int32_t i)
{
    if (!lexpool_doc_has(doc, i))
        return -1;
    if (i + 1 == doc->length)
        return (int64_t)doc->text_chars;
    return (int64_t)doc->tokens[i + 1].idx - lexpool_token_spacy(&doc->tokens[i]);
}

/* 1 if the flag of a word is set; 0 if not, and for an attribute other than a flag. */
static inline int lexpool_check_flag(const LexemeC *lex, uint32_t attr)
{
    return lex == NULL ? 0 : lexpool_lexeme_flag(lex, attr);
}

/* An attribute of a word, flags as 0 or 1; 0 for attributes of tokens only. */
static inline uint64_t lexpool_lexeme_attr(const LexemeC *lex, uint32_t attr)
{
    if (lex == NULL)
        return 0;
    switch (attr) {
    case LEXPOOL_ID: return lex->id;
    case LEXPOOL_ORTH: return lex->orth;
    case LEXPOOL_LOWER: return lex->lower;
    case LEXPOOL_NORM: return lex->norm;
    case LEXPOOL_SHAPE: return lex->shape;
    case LEXPOOL_PREFIX: return lex->prefix;
    case LEXPOOL_SUFFIX: return lex->suffix;
    case LEXPOOL_LENGTH: return lex->length;
    case LEXPOOL_LANG: return lex->lang;
    default: return (uint64_t)lexpool_lexeme_flag(lex, attr);
    }
}

/* Sets or clears a flag in your own record; other attributes have no effect. */
static inline void lexpool_set_flag(LexemeC *lex, uint32_t attr, int value)
{
    if (lex == NULL || attr >= 64)
        return;
    if (value)
        lex->flags |= UINT64_C(1) << attr;
    else
        lex->flags &= ~(UINT64_C(1) << attr);
}

#ifdef __cplusplus
}
#endif

#endif /* LEXPOOL_API_H */
