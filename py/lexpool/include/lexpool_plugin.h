/* lexpool_plugin.h: how a library becomes a plugin. Part of lexpool.h, which includes it.
 *
 * A plugin is a shared library with ops and types of objects. It declares them in tables and ends
 * with one line:
 *
 *     static int count(const void *context, const lexpool_value *args, size_t n,
 *                      lexpool_value *result)
 *     {
 *         size_t length;
 *         lexpool_as_tokens(&args[0], &length);
 *         *result = lexpool_int((int64_t)length);
 *         return 0;
 *     }
 *
 *     static const lexpool_param COUNT[] = {
 *         {.name = LEXPOOL_STR("tokens"), .type = LEXPOOL_STR("records[TokenC]")},
 *     };
 *     static const lexpool_op_def OPS[] = {
 *         {.name = LEXPOOL_STR("counts.count"), .params = COUNT, .n_params = 1,
 *          .result = LEXPOOL_STR("int"), .call = count},
 *     };
 *     LEXPOOL_PLUGIN("counts", "1.0", OPS, sizeof OPS / sizeof *OPS, NULL, 0)
 *
 * Python then has `lexpool.ops.counts.count` after `lexpool.ops.load_library(path)`.
 *
 * lexpool passes arguments of the declared types, and validates the result of a call. A result
 * that is borrowed is copied after the call: it may refer to the arguments' memory, but not to
 * the call's own stack; use lexpool_keep() for that. Calls come from any thread, several at once.
 */
/* Before the include guard, because lexpool.h includes this file itself. */
#include "lexpool.h"

#ifndef LEXPOOL_PLUGIN_H
#define LEXPOOL_PLUGIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* The following structs must live as long as the library. */

/* An argument. Types are such as `int`, `str`, `list[float] | None`, `dict[str, int]`,
 * `array[float32, 2]`, `records[TokenC]`, `lease[TokenC]`, `Doc`, `Vocab`, `Callable`, `Any`, and
 * `namespace.Name` for objects. */
typedef struct lexpool_param {
    lexpool_str name;
    lexpool_str type;
    /* None, a bool, a number or a string, if it is optional. */
    lexpool_value default_value;
    uint32_t has_default;
    /* 1 if it is keyword-only. */
    uint32_t keyword_only;
} lexpool_param;

/* The GIL during a call. */
enum lexpool_gil {
    LEXPOOL_GIL_HOLD = 0,
    LEXPOOL_GIL_RELEASE = 1,
    /* Released if the arguments have at least `gil_size` bytes, items, numbers or tokens in
     * total. */
    LEXPOOL_GIL_BY_SIZE = 2
};

/* The CPU features a kernel needs; several ops of one name and type are kernels of one op. */
enum lexpool_key {
    LEXPOOL_KEY_SCALAR = 0,
    LEXPOOL_KEY_NEON = 1,
    LEXPOOL_KEY_SSE42 = 2,
    LEXPOOL_KEY_AVX2 = 3,
    LEXPOOL_KEY_AVX512 = 4,
    LEXPOOL_KEY_PARALLEL = 5
};

/* An op, a method or a constructor. */
typedef struct lexpool_op_def {
    /* `namespace.name`; the name alone for a method, empty for a constructor. */
    lexpool_str name;
    lexpool_str doc;
    /* File and line, or empty. */
    lexpool_str place;
    const lexpool_param *params;
    size_t n_params;
    /* The type of the result. */
    lexpool_str result;
    /* A lexpool_gil and a lexpool_key. */
    uint32_t gil;
    uint32_t key;
    size_t gil_size;
    lexpool_call call;
    /* Passed to the call. */
    const void *context;
} lexpool_op_def;

/* An attribute of a type of objects. */
typedef struct lexpool_field_def {
    lexpool_str name;
    lexpool_str type;
    lexpool_str doc;
    /* 1 if it never changes, so that it is read once. */
    uint32_t fixed;
    uint32_t reserved;
    /* Called with the object. */
    lexpool_call get;
    const void *get_context;
    /* Called with the object and the value; returns None. NULL if it is read-only. */
    lexpool_call set;
    const void *set_context;
} lexpool_field_def;

/* A type of objects. */
typedef struct lexpool_class_def {
    /* `namespace.Name`. */
    lexpool_str key;
    lexpool_str doc;
    lexpool_str place;
    /* Returns an object; NULL if Python cannot create one. */
    const lexpool_op_def *constructor;
    const lexpool_field_def *fields;
    size_t n_fields;
    /* Their first argument is the object, named `self`, of type `namespace.Name`. */
    const lexpool_op_def *methods;
    size_t n_methods;
} lexpool_class_def;

/* The description of a plugin. Its first 48 bytes are the same in every version. */
typedef struct lexpool_plugin {
    uint32_t size;
    uint32_t magic;
    uint32_t major;
    uint32_t minor;
    uint32_t records;
    /* LEXPOOL_PLUGIN_CHECKED or 0. */
    uint32_t flags;
    uint32_t op_size;
    uint32_t param_size;
    uint32_t class_size;
    uint32_t field_size;
    uint32_t host_size;
    uint32_t reserved;
    /* The namespace of all its names. */
    lexpool_str name;
    lexpool_str version;
    const lexpool_op_def *ops;
    size_t n_ops;
    const lexpool_class_def *classes;
    size_t n_classes;
    lexpool_value failure;
} lexpool_plugin;

/* A plugin whose calls validate all their arguments themselves, so that lexpool does not: their
 * number, their types, and that a written argument overlaps no other. Their results are owned or
 * plain, and of the declared type. */
#define LEXPOOL_PLUGIN_CHECKED 1u

#if UINTPTR_MAX == UINT64_MAX
LEXPOOL_ASSERT(sizeof(lexpool_param) == 56, "size of lexpool_param");
LEXPOOL_ASSERT(sizeof(lexpool_op_def) == 112, "size of lexpool_op_def");
LEXPOOL_ASSERT(sizeof(lexpool_field_def) == 88, "size of lexpool_field_def");
LEXPOOL_ASSERT(sizeof(lexpool_class_def) == 88, "size of lexpool_class_def");
LEXPOOL_ASSERT(sizeof(lexpool_plugin) == 128, "size of lexpool_plugin");
LEXPOOL_ASSERT(offsetof(lexpool_plugin, name) == 48, "the head of lexpool_plugin");
#endif

/* Fills in the plugin's identity. 0; 1 if this lexpool is incompatible, which the entry then
 * returns. */
static inline int lexpool_plugin_begin(const lexpool_host *host, lexpool_plugin *plugin,
                                       lexpool_str name, lexpool_str version)
{
    uint32_t place;
    if (host == NULL || plugin == NULL || host->magic != LEXPOOL_PLUGIN_MAGIC
        || plugin->size < offsetof(lexpool_plugin, name))
        return 1;
    place = plugin->size;
    plugin->size = (uint32_t)sizeof(lexpool_plugin);
    plugin->magic = LEXPOOL_PLUGIN_MAGIC;
    plugin->major = LEXPOOL_PLUGIN_MAJOR;
    plugin->minor = LEXPOOL_PLUGIN_MINOR;
    plugin->records = LEXPOOL_ABI_VERSION;
    plugin->flags = 0;
    plugin->op_size = (uint32_t)sizeof(lexpool_op_def);
    plugin->param_size = (uint32_t)sizeof(lexpool_param);
    plugin->class_size = (uint32_t)sizeof(lexpool_class_def);
    plugin->field_size = (uint32_t)sizeof(lexpool_field_def);
    plugin->host_size = (uint32_t)sizeof(lexpool_host);
    if (place < sizeof(lexpool_plugin) || lexpool_use(host) != 0)
        return 1;
    plugin->name = name;
    plugin->version = version;
    return 0;
}

#if defined(_WIN32)
#define LEXPOOL_EXPORT __declspec(dllexport)
#else
#define LEXPOOL_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define LEXPOOL_C_LINKAGE extern "C"
#else
#define LEXPOOL_C_LINKAGE
#endif

/* Ends a plugin: its name and version, its ops and its types, each with their number. */
#define LEXPOOL_PLUGIN(its_name, its_version, its_ops, its_n_ops, its_classes, its_n_classes) \
    LEXPOOL_C_LINKAGE LEXPOOL_EXPORT int lexpool_plugin_v1( \
        const lexpool_host *host, lexpool_plugin *plugin); \
    LEXPOOL_C_LINKAGE LEXPOOL_EXPORT int lexpool_plugin_v1( \
        const lexpool_host *host, lexpool_plugin *plugin) \
    { \
        if (lexpool_plugin_begin(host, plugin, lexpool_str_of(its_name), \
                                 lexpool_str_of(its_version)) != 0) \
            return 1; \
        plugin->ops = its_ops; \
        plugin->n_ops = its_n_ops; \
        plugin->classes = its_classes; \
        plugin->n_classes = its_n_classes; \
        return 0; \
    }

#ifdef __cplusplus
}
#endif

#endif /* LEXPOOL_PLUGIN_H */
