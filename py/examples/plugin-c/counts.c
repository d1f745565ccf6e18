/* A plugin in C: an op over tokens, one that takes a callback, and a type of objects.
 *
 * Take it as a start: rename `counts`, which is the namespace of all names, and keep the last
 * line. */
#include <stdatomic.h>

#include "lexpool.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* counts.spaces(tokens): the number of tokens that a space follows. lexpool passes only tokens. */
static int spaces(const void *context, const lexpool_value *args, size_t n, lexpool_value *result)
{
    size_t i, length;
    int64_t found = 0;
    const TokenC *tokens = lexpool_as_tokens(&args[0], &length);
    (void)context, (void)n;
    for (i = 0; i < length; i++)
        found += lexpool_token_spacy(&tokens[i]);
    *result = lexpool_int(found);
    return 0;
}

static const lexpool_param SPACES[] = {
    {.name = LEXPOOL_STR("tokens"), .type = LEXPOOL_STR("records[TokenC]")},
};

/* counts.sum_of(items, weigh): the sum of the results of a function for each item. */
static int sum_of(const void *context, const lexpool_value *args, size_t n, lexpool_value *result)
{
    size_t i, length;
    int64_t weight, sum = 0;
    const lexpool_value *items = lexpool_as_list(&args[0], &length);
    const lexpool_function *weigh = lexpool_as_function(&args[1]);
    (void)context, (void)n;
    for (i = 0; i < length; i++) {
        lexpool_value given;
        /* The error of the callback is also the error of this op. */
        if (lexpool_function_call(weigh, &items[i], 1, &given) != 0) {
            *result = given;
            return 1;
        }
        if (!lexpool_as_int(&given, &weight)) {
            lexpool_release(&given);
            return lexpool_fail(LEXPOOL_TYPE_ERROR, "counts-weight", "a weight is an int", result);
        }
        lexpool_release(&given);
        sum = (int64_t)((uint64_t)sum + (uint64_t)weight);
    }
    *result = lexpool_int(sum);
    return 0;
}

static const lexpool_param SUM_OF[] = {
    {.name = LEXPOOL_STR("items"), .type = LEXPOOL_STR("list[Any]")},
    {.name = LEXPOOL_STR("weigh"), .type = LEXPOOL_STR("Callable")},
};

/* counts.Counter: a number that threads add to. */
typedef struct counter {
    _Atomic int64_t value;
} counter;

static const lexpool_type COUNTER = {
    .key = LEXPOOL_STR("counts.Counter"),
    .size = sizeof(counter),
};

static int counter_new(const void *context, const lexpool_value *args, size_t n,
                       lexpool_value *result)
{
    int64_t start = 0;
    counter *made = lexpool_object_new(&COUNTER, result);
    (void)context, (void)n;
    if (made == NULL)
        return 1;
    lexpool_as_int(&args[0], &start);
    atomic_init(&made->value, start);
    return 0;
}

/* The counter of a call; NULL, with the failure, if another library made an object of that name. */
static counter *self(const lexpool_value *args, lexpool_value *result)
{
    counter *found = lexpool_as_object(&args[0], &COUNTER);
    if (found == NULL)
        lexpool_fail(LEXPOOL_TYPE_ERROR, "counts-other", "a Counter of another library", result);
    return found;
}

static int counter_get(const void *context, const lexpool_value *args, size_t n,
                       lexpool_value *result)
{
    counter *found = self(args, result);
    (void)context, (void)n;
    if (found == NULL)
        return 1;
    *result = lexpool_int(atomic_load(&found->value));
    return 0;
}

static int counter_set(const void *context, const lexpool_value *args, size_t n,
                       lexpool_value *result)
{
    int64_t value = 0;
    counter *found = self(args, result);
    (void)context, (void)n;
    if (found == NULL)
        return 1;
    lexpool_as_int(&args[1], &value);
    atomic_store(&found->value, value);
    *result = lexpool_none();
    return 0;
}

static int counter_add(const void *context, const lexpool_value *args, size_t n,
                       lexpool_value *result)
{
    int64_t k = 0;
    counter *found = self(args, result);
    (void)context, (void)n;
    if (found == NULL)
        return 1;
    lexpool_as_int(&args[1], &k);
    *result = lexpool_int((int64_t)((uint64_t)atomic_fetch_add(&found->value, k) + (uint64_t)k));
    return 0;
}

static const lexpool_param NEW[] = {
    {.name = LEXPOOL_STR("start"), .type = LEXPOOL_STR("int"),
     .default_value = {LEXPOOL_TAG_INT, 0, 0}, .has_default = 1},
};
static const lexpool_param ADD[] = {
    {.name = LEXPOOL_STR("self"), .type = LEXPOOL_STR("counts.Counter")},
    {.name = LEXPOOL_STR("k"), .type = LEXPOOL_STR("int"),
     .default_value = {LEXPOOL_TAG_INT, 0, 1}, .has_default = 1},
};
static const lexpool_op_def CONSTRUCTOR = {
    .params = NEW, .n_params = COUNT(NEW), .result = LEXPOOL_STR("counts.Counter"),
    .doc = LEXPOOL_STR("Makes a counter that starts at a number."), .call = counter_new,
};
static const lexpool_field_def FIELDS[] = {
    {.name = LEXPOOL_STR("value"), .type = LEXPOOL_STR("int"),
     .doc = LEXPOOL_STR("The current value."), .get = counter_get, .set = counter_set},
};
static const lexpool_op_def METHODS[] = {
    {.name = LEXPOOL_STR("add"), .params = ADD, .n_params = COUNT(ADD), .result = LEXPOOL_STR("int"),
     .doc = LEXPOOL_STR("Adds a number, and returns the sum."), .call = counter_add},
};

static const lexpool_op_def OPS[] = {
    {.name = LEXPOOL_STR("counts.spaces"), .params = SPACES, .n_params = COUNT(SPACES),
     .result = LEXPOOL_STR("int"),
     .doc = LEXPOOL_STR("Returns the number of tokens that a space follows."),
     .gil = LEXPOOL_GIL_BY_SIZE, .gil_size = 4096, .call = spaces},
    {.name = LEXPOOL_STR("counts.sum_of"), .params = SUM_OF, .n_params = COUNT(SUM_OF),
     .result = LEXPOOL_STR("int"),
     .doc = LEXPOOL_STR("Returns the sum of the results of a function."),
     .call = sum_of},
};
static const lexpool_class_def CLASSES[] = {
    {.key = LEXPOOL_STR("counts.Counter"), .doc = LEXPOOL_STR("A number that threads add to."),
     .constructor = &CONSTRUCTOR, .fields = FIELDS, .n_fields = COUNT(FIELDS),
     .methods = METHODS, .n_methods = COUNT(METHODS)},
};

LEXPOOL_PLUGIN("counts", "1.0", OPS, COUNT(OPS), CLASSES, COUNT(CLASSES))
