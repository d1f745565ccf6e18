/* lexpool_values.h: arguments and results of ops. Part of lexpool.h, which includes it. */
/* Before the include guard, because lexpool.h includes this file itself. */
#include "lexpool.h"

#ifndef LEXPOOL_VALUES_H
#define LEXPOOL_VALUES_H

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A vocab, to be passed to functions. Valid as long as the Vocab it was opened from. */
typedef struct lexpool_vocab lexpool_vocab;

/* The words of a document's vocab and zone; read by functions. */
typedef struct lexpool_scope lexpool_scope;

/* A document's arrays, read-only. */
typedef struct lexpool_doc {
    /* Bytes of this struct, and the version of the records. */
    uint32_t size;
    uint32_t abi;
    const TokenC *tokens;
    /* The number of tokens, and of records in each array below. */
    int32_t length;
    /* The end of the last token, in characters, without its trailing space. */
    uint32_t text_chars;
    /* NULL without annotation. */
    const TagC *tags;
    const SyntaxC *syntax;
    const EntityC *entities;
    /* Segments of the vocab's lexemes and of those of the document's zone: lexpool_doc_lexeme. */
    const LexemeC *const *lexemes;
    const LexemeC *const *zone_lexemes;
    /* Segments of the norms of special cases: lexpool_doc_norm. */
    const uint64_t *const *norms;
    const lexpool_scope *scope;
} lexpool_doc;

/* ---- Values ---- */

/* UTF-8 by address and length, without a terminating zero. */
typedef struct lexpool_str {
    const char *at;
    size_t len;
} lexpool_str;

/* A constant string for initializers; and the same as an expression. */
#define LEXPOOL_STR(text) {text, sizeof(text) - 1}
static inline lexpool_str lexpool_str_of(const char *text)
{
    lexpool_str str;
    str.at = text;
    str.len = text == NULL ? 0 : strlen(text);
    return str;
}

/* The type of a value. */
enum lexpool_tag {
    LEXPOOL_TAG_NONE = 0,
    LEXPOOL_TAG_BOOL = 1,
    LEXPOOL_TAG_INT = 2,
    LEXPOOL_TAG_FLOAT = 3,
    LEXPOOL_TAG_STR = 4,
    LEXPOOL_TAG_BYTES = 5,
    LEXPOOL_TAG_LIST = 6,
    LEXPOOL_TAG_MAP = 7,
    LEXPOOL_TAG_ARRAY = 8,
    LEXPOOL_TAG_OBJECT = 9,
    LEXPOOL_TAG_FUNCTION = 10,
    LEXPOOL_TAG_RECORDS = 11,
    LEXPOOL_TAG_DOC = 12,
    LEXPOOL_TAG_VOCAB = 13,
    LEXPOOL_TAG_FAILURE = 14
};

/* The bit of a tag that marks an owned value: its owner calls lexpool_release(). */
#define LEXPOOL_OWNED UINT32_C(0x80000000)

/* An argument or result. Use the functions below to read and create it. */
typedef struct lexpool_value {
    /* A lexpool_tag, optionally with LEXPOOL_OWNED. */
    uint32_t tag;
    /* Bytes of a string, items of a list, pairs of a map; otherwise 0. */
    uint32_t len;
    /* The number itself, or an address. */
    uint64_t bits;
} lexpool_value;

/* The beginning of every target of an owned value. */
typedef struct lexpool_owned {
    void (*release)(struct lexpool_owned *);
} lexpool_owned;

/* The target of an owned value, unless it is an object or a function. */
typedef struct lexpool_box {
    lexpool_owned head;
    lexpool_value value;
} lexpool_box;

/* The signature of all calls: returns 0, or not 0 with a failure as the result. The caller owns the
 * result; its previous value is not read. */
typedef int (*lexpool_call)(const void *context, const lexpool_value *args, size_t n,
                            lexpool_value *result);

/* The kind of a failure: Python raises the exception of the same name. */
enum lexpool_kind {
    LEXPOOL_VALUE_ERROR = 0,
    LEXPOOL_TYPE_ERROR = 1,
    LEXPOOL_KEY_ERROR = 2,
    LEXPOOL_INDEX_ERROR = 3,
    LEXPOOL_OVERFLOW_ERROR = 4,
    LEXPOOL_MEMORY_ERROR = 5,
    LEXPOOL_IO_ERROR = 6,
    LEXPOOL_INTERRUPTED = 7,
    LEXPOOL_STATE_ERROR = 8,
    LEXPOOL_PANIC = 9,
    LEXPOOL_UNKNOWN = 10
};

/* A call that failed. */
typedef struct lexpool_failure {
    uint32_t size;
    /* A lexpool_kind. */
    uint32_t kind;
    /* The wrong argument, from 0; -1 if it is not an argument. */
    int32_t position;
    uint32_t reserved;
    lexpool_str code;
    lexpool_str message;
    /* A value of the function that failed first, borrowed. */
    lexpool_value cause;
} lexpool_failure;

/* The type of an array's items. */
enum lexpool_dtype {
    LEXPOOL_DTYPE_BOOL = 0,
    LEXPOOL_INT8 = 1,
    LEXPOOL_INT16 = 2,
    LEXPOOL_INT32 = 3,
    LEXPOOL_INT64 = 4,
    LEXPOOL_UINT8 = 5,
    LEXPOOL_UINT16 = 6,
    LEXPOOL_UINT32 = 7,
    LEXPOOL_UINT64 = 8,
    LEXPOOL_FLOAT32 = 9,
    LEXPOOL_FLOAT64 = 10
};

/* An array of numbers. As an argument it is contiguous, in row-major order. */
typedef struct lexpool_array {
    uint32_t size;
    /* A lexpool_dtype. */
    uint32_t dtype;
    void *data;
    uint32_t ndim;
    /* 1 if the items may be written. */
    uint32_t writable;
    /* The number of items along each dimension. */
    const intptr_t *shape;
    /* Bytes from one item to the next; NULL for a contiguous array. */
    const intptr_t *strides;
} lexpool_array;

/* An array of records. */
typedef struct lexpool_rows {
    uint32_t size;
    /* 1 if the records are those of a lease and may be written. */
    uint32_t writable;
    /* The record's name, such as TokenC. */
    lexpool_str name;
    /* Bytes of a record. */
    size_t stride;
    void *data;
    size_t len;
} lexpool_rows;

/* An object of a registered type; the data after the header belong to its maker. */
typedef struct lexpool_object {
    lexpool_owned head;
    void (*retain)(const struct lexpool_object *);
    /* The name of its type. */
    lexpool_str key;
    /* The address of its lexpool_type, if it was created in C. */
    const void *maker;
    uint64_t type_id[2];
} lexpool_object;

/* A function; the data after the header belong to its maker. */
typedef struct lexpool_function {
    lexpool_owned head;
    void (*retain)(const struct lexpool_function *);
    /* Its context is the function itself. */
    lexpool_call call;
    /* Such as `(int, str) -> list[int]`; empty if unknown. */
    lexpool_str signature;
} lexpool_function;

#if UINTPTR_MAX == UINT64_MAX
LEXPOOL_ASSERT(sizeof(lexpool_doc) == 80, "size of lexpool_doc");
LEXPOOL_ASSERT(offsetof(lexpool_doc, text_chars) == 20, "offset of lexpool_doc.text_chars");
LEXPOOL_ASSERT(offsetof(lexpool_doc, scope) == 72, "offset of lexpool_doc.scope");
LEXPOOL_ASSERT(sizeof(lexpool_value) == 16, "size of lexpool_value");
LEXPOOL_ASSERT(sizeof(lexpool_failure) == 64, "size of lexpool_failure");
LEXPOOL_ASSERT(sizeof(lexpool_array) == 40, "size of lexpool_array");
LEXPOOL_ASSERT(sizeof(lexpool_rows) == 48, "size of lexpool_rows");
LEXPOOL_ASSERT(sizeof(lexpool_object) == 56, "size of lexpool_object");
LEXPOOL_ASSERT(sizeof(lexpool_function) == 40, "size of lexpool_function");
#endif

/* ---- Creating values: borrowed ones, valid as long as the data they refer to ---- */

static inline lexpool_value lexpool_make(uint32_t tag, size_t len, uint64_t bits)
{
    lexpool_value value;
    value.tag = tag;
    value.len = (uint32_t)len;
    value.bits = bits;
    return value;
}

static inline lexpool_value lexpool_none(void) { return lexpool_make(LEXPOOL_TAG_NONE, 0, 0); }

static inline lexpool_value lexpool_bool(int value)
{
    return lexpool_make(LEXPOOL_TAG_BOOL, 0, value != 0);
}

static inline lexpool_value lexpool_int(int64_t value)
{
    return lexpool_make(LEXPOOL_TAG_INT, 0, (uint64_t)value);
}

static inline lexpool_value lexpool_float(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return lexpool_make(LEXPOOL_TAG_FLOAT, 0, bits);
}

/* UTF-8; less than 4 GiB. */
static inline lexpool_value lexpool_text(const char *at, size_t len)
{
    return lexpool_make(LEXPOOL_TAG_STR, len, (uint64_t)(uintptr_t)at);
}

static inline lexpool_value lexpool_bytes(const void *at, size_t len)
{
    return lexpool_make(LEXPOOL_TAG_BYTES, len, (uint64_t)(uintptr_t)at);
}

static inline lexpool_value lexpool_list(const lexpool_value *items, size_t n)
{
    return lexpool_make(LEXPOOL_TAG_LIST, n, (uint64_t)(uintptr_t)items);
}

/* `2 * n` values: a key, its value, and so on. */
static inline lexpool_value lexpool_map(const lexpool_value *pairs, size_t n)
{
    return lexpool_make(LEXPOOL_TAG_MAP, n, (uint64_t)(uintptr_t)pairs);
}

static inline lexpool_value lexpool_array_value(const lexpool_array *array)
{
    return lexpool_make(LEXPOOL_TAG_ARRAY, 0, (uint64_t)(uintptr_t)array);
}

/* ---- Reading values: 1 or an address if the type matches, 0 or NULL if not; owned ones as well
 * ---- */

static inline const lexpool_value *lexpool_read(const lexpool_value *value, uint32_t tag)
{
    if (value == NULL || (value->tag & ~LEXPOOL_OWNED) != tag)
        return NULL;
    if ((value->tag & LEXPOOL_OWNED) == 0 || tag == LEXPOOL_TAG_OBJECT || tag == LEXPOOL_TAG_FUNCTION)
        return value;
    return value->bits == 0 ? NULL : &((const lexpool_box *)(uintptr_t)value->bits)->value;
}

static inline const void *lexpool_target(const lexpool_value *value, uint32_t tag)
{
    value = lexpool_read(value, tag);
    return value == NULL ? NULL : (const void *)(uintptr_t)value->bits;
}

static inline int lexpool_is_none(const lexpool_value *value)
{
    return lexpool_read(value, LEXPOOL_TAG_NONE) != NULL;
}

static inline int lexpool_as_bool(const lexpool_value *value, int *out)
{
    value = lexpool_read(value, LEXPOOL_TAG_BOOL);
    if (value != NULL)
        *out = value->bits != 0;
    return value != NULL;
}

static inline int lexpool_as_int(const lexpool_value *value, int64_t *out)
{
    value = lexpool_read(value, LEXPOOL_TAG_INT);
    if (value != NULL)
        *out = (int64_t)value->bits;
    return value != NULL;
}

/* An integer is accepted too. */
static inline int lexpool_as_float(const lexpool_value *value, double *out)
{
    int64_t whole;
    if (lexpool_as_int(value, &whole)) {
        *out = (double)whole;
        return 1;
    }
    value = lexpool_read(value, LEXPOOL_TAG_FLOAT);
    if (value != NULL)
        memcpy(out, &value->bits, sizeof *out);
    return value != NULL;
}

static inline int lexpool_as_str(const lexpool_value *value, lexpool_str *out)
{
    value = lexpool_read(value, LEXPOOL_TAG_STR);
    if (value != NULL) {
        out->at = (const char *)(uintptr_t)value->bits;
        out->len = value->len;
    }
    return value != NULL;
}

static inline int lexpool_as_bytes(const lexpool_value *value, lexpool_str *out)
{
    value = lexpool_read(value, LEXPOOL_TAG_BYTES);
    if (value != NULL) {
        out->at = (const char *)(uintptr_t)value->bits;
        out->len = value->len;
    }
    return value != NULL;
}

/* The items of a list, `*n` of them; NULL with 0 if it is not a list. */
static inline const lexpool_value *lexpool_as_list(const lexpool_value *value, size_t *n)
{
    value = lexpool_read(value, LEXPOOL_TAG_LIST);
    *n = value == NULL ? 0 : value->len;
    return value == NULL ? NULL : (const lexpool_value *)(uintptr_t)value->bits;
}

/* The `*n` pairs of a map, in `2 * n` values. */
static inline const lexpool_value *lexpool_as_map(const lexpool_value *value, size_t *n)
{
    value = lexpool_read(value, LEXPOOL_TAG_MAP);
    *n = value == NULL ? 0 : value->len;
    return value == NULL ? NULL : (const lexpool_value *)(uintptr_t)value->bits;
}

static inline const lexpool_array *lexpool_as_array(const lexpool_value *value)
{
    return (const lexpool_array *)lexpool_target(value, LEXPOOL_TAG_ARRAY);
}

static inline const lexpool_rows *lexpool_as_rows(const lexpool_value *value)
{
    return (const lexpool_rows *)lexpool_target(value, LEXPOOL_TAG_RECORDS);
}

/* The `*n` tokens; NULL with 0 for other records. */
static inline const TokenC *lexpool_as_tokens(const lexpool_value *value, size_t *n)
{
    const lexpool_rows *records = lexpool_as_rows(value);
    *n = 0;
    if (records == NULL || records->stride != sizeof(TokenC) || records->name.len != 6
        || memcmp(records->name.at, "TokenC", 6) != 0)
        return NULL;
    *n = records->len;
    return (const TokenC *)records->data;
}

static inline const lexpool_doc *lexpool_as_doc(const lexpool_value *value)
{
    return (const lexpool_doc *)lexpool_target(value, LEXPOOL_TAG_DOC);
}

static inline const lexpool_vocab *lexpool_as_vocab(const lexpool_value *value)
{
    return (const lexpool_vocab *)lexpool_target(value, LEXPOOL_TAG_VOCAB);
}

static inline const lexpool_function *lexpool_as_function(const lexpool_value *value)
{
    return (const lexpool_function *)lexpool_target(value, LEXPOOL_TAG_FUNCTION);
}

static inline const lexpool_failure *lexpool_as_failure(const lexpool_value *value)
{
    return (const lexpool_failure *)lexpool_target(value, LEXPOOL_TAG_FAILURE);
}

#ifdef __cplusplus
}
#endif

#endif /* LEXPOOL_VALUES_H */
