/* lexpool_ops.h: lexpool's ops for native code, C11 and C++17. Part of lexpool.h; needs no Python.
 *
 * An op is found by its name and called with values:
 *
 *     lexpool_value args[2] = {lexpool_text("kitten", 6), lexpool_text("sitting", 7)};
 *     lexpool_value result;
 *     const lexpool_op *op = lexpool_op_find("text.edit_distance");
 *     if (op != NULL && lexpool_op_call(op, args, 2, &result) == 0)
 *         lexpool_as_int(&result, &distance);
 *     lexpool_release(&result);
 *
 * All functions use lexpool's table, which a plugin receives when it is
 * loaded. They may be called from any thread.
 */
/* Before the include guard, because lexpool.h includes this file itself. */
#include "lexpool.h"

#ifndef LEXPOOL_OPS_H
#define LEXPOOL_OPS_H

#include "lexpool_values.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LEXPOOL_PLUGIN_MAJOR 1
#define LEXPOOL_PLUGIN_MINOR 0
#define LEXPOOL_PLUGIN_MAGIC UINT32_C(0x706f786c)

/* The description of an object type; its address identifies the type. */
typedef struct lexpool_type {
    /* The name of its declaration. */
    lexpool_str key;
    /* Bytes of an object's data, which are zero at first and aligned to 16. */
    size_t size;
    /* Called with the data before they are freed, or NULL. */
    void (*drop)(void *data);
} lexpool_type;

/* An op of lexpool or of a plugin. Valid as long as the process. */
typedef struct lexpool_op lexpool_op;

/* The functions that lexpool provides. Use the functions below. Only grows at its end while the
 * version stays. */
typedef struct lexpool_host {
    uint32_t size;
    uint32_t magic;
    uint32_t major;
    uint32_t minor;
    uint32_t records;
    uint32_t reserved;
    const lexpool_op *(*find)(lexpool_str name);
    int (*call)(const lexpool_op *op, const lexpool_value *args, size_t n, lexpool_value *result);
    void (*release)(lexpool_value *value);
    int (*keep)(const lexpool_value *value, lexpool_value *result);
    int (*fail)(uint32_t kind, lexpool_str code, lexpool_str message, int32_t position,
                lexpool_value *result);
    void *(*object)(const lexpool_type *type, lexpool_value *result);
    void (*log)(uint32_t level, lexpool_str text);
    int (*progress)(uint64_t done, uint64_t total);
} lexpool_host;

#if UINTPTR_MAX == UINT64_MAX
LEXPOOL_ASSERT(sizeof(lexpool_type) == 32, "size of lexpool_type");
LEXPOOL_ASSERT(sizeof(lexpool_host) == 88, "size of lexpool_host");
#endif

/* The offset of the data of an object created in C. */
#define LEXPOOL_OBJECT_DATA 80

/* lexpool's table, after it was set; each file that includes this header has its own pointer.
 * Functions that need it fail without it. */
static const lexpool_host *lexpool_ops = NULL;

/* Sets lexpool's table, in files of a plugin other than the one with LEXPOOL_PLUGIN. 0, or -1 for a
 * table of another version. */
static inline int lexpool_use(const lexpool_host *host)
{
    if (host == NULL || host->magic != LEXPOOL_PLUGIN_MAGIC || host->major != LEXPOOL_PLUGIN_MAJOR
        || host->minor + 1 <= LEXPOOL_PLUGIN_MINOR
        || host->records != LEXPOOL_ABI_VERSION || host->size < sizeof(lexpool_host))
        return -1;
    lexpool_ops = host;
    return 0;
}

/* Releases an owned value, and sets it to None. */
static inline void lexpool_release(lexpool_value *value)
{
    lexpool_owned *owned;
    if (value == NULL || (value->tag & LEXPOOL_OWNED) == 0 || value->bits == 0)
        return;
    owned = (lexpool_owned *)(uintptr_t)value->bits;
    *value = lexpool_none();
    owned->release(owned);
}

/* Fails: `return lexpool_fail(LEXPOOL_VALUE_ERROR, "counts-empty", "there is nothing", result);`.
 * The code stays the same from version to version; the text is copied. */
static inline int lexpool_fail(uint32_t kind, const char *code, const char *message,
                               lexpool_value *result)
{
    if (lexpool_ops == NULL) {
        *result = lexpool_none();
        return 1;
    }
    return lexpool_ops->fail(kind, lexpool_str_of(code), lexpool_str_of(message), -1, result);
}

/* Creates an owned deep copy of a borrowed value. 0, or not 0 with a failure. */
static inline int lexpool_keep(const lexpool_value *value, lexpool_value *result)
{
    if (lexpool_ops == NULL) {
        *result = lexpool_none();
        return 1;
    }
    return lexpool_ops->keep(value, result);
}

/* Creates an object with one reference, owned by the result, and returns its data. NULL with a
 * failure. */
static inline void *lexpool_object_new(const lexpool_type *type, lexpool_value *result)
{
    if (lexpool_ops == NULL) {
        *result = lexpool_none();
        return NULL;
    }
    return lexpool_ops->object(type, result);
}

/* Calls a function value. The caller owns the result and releases it, whether or not the
 * call succeeded; a failure may be returned as the caller's own result. */
static inline int lexpool_function_call(const lexpool_function *function, const lexpool_value *args,
                                        size_t n, lexpool_value *result)
{
    *result = lexpool_none();
    if (function == NULL)
        return lexpool_fail(LEXPOOL_TYPE_ERROR, "op-null", "the function is null", result);
    return function->call(function, args, n, result);
}

/* The op of a name, such as `doc.count_by`; NULL if the name is unknown. Cost: a look-up; keep the
 * result. */
static inline const lexpool_op *lexpool_op_find(const char *name)
{
    return lexpool_ops == NULL ? NULL : lexpool_ops->find(lexpool_str_of(name));
}

/* Calls an op; arguments at the end that have defaults may be left out. As
 * lexpool_function_call. */
static inline int lexpool_op_call(const lexpool_op *op, const lexpool_value *args, size_t n,
                                  lexpool_value *result)
{
    *result = lexpool_none();
    return lexpool_ops == NULL ? 1 : lexpool_ops->call(op, args, n, result);
}

/* Logs to Python's logger `lexpool.plugins`, with its levels: 20 is for information. */
static inline void lexpool_log(uint32_t level, const char *text)
{
    if (lexpool_ops != NULL)
        lexpool_ops->log(level, lexpool_str_of(text));
}

/* Reports the progress of long work. Returns not 0 if it was interrupted, as by Ctrl-C:
 * fail then with LEXPOOL_INTERRUPTED. */
static inline int lexpool_progress(uint64_t done, uint64_t total)
{
    return lexpool_ops == NULL ? 0 : lexpool_ops->progress(done, total);
}

/* The data of an object that lexpool_object_new() created with this type. */
static inline void *lexpool_as_object(const lexpool_value *value, const lexpool_type *type)
{
    const lexpool_object *object
        = (const lexpool_object *)lexpool_target(value, LEXPOOL_TAG_OBJECT);
    if (object == NULL || object->maker != (const void *)type)
        return NULL;
    return (char *)(uintptr_t)object + LEXPOOL_OBJECT_DATA;
}

#ifdef __cplusplus
}
#endif

#include "lexpool_plugin.h"

#endif /* LEXPOOL_OPS_H */
