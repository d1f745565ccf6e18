/* Calls ops from C, with values made of Python's: what `lexpool_op_call` is for, in one
 * function. */
#include "lexpool_api.h"

/* What values are made of, until the call is over. */
typedef struct Arena {
    void *blocks[64];
    size_t used;
} Arena;

static void *take(Arena *arena, size_t size)
{
    if (arena->used == 64) {
        PyErr_SetString(PyExc_ValueError, "too many lists");
        return NULL;
    }
    return arena->blocks[arena->used++] = PyMem_Calloc(size + 1, 1);
}

/* A Python callable as a function of C's, on the stack of the call that lends it. */
typedef struct Lent {
    lexpool_function head;
    PyObject *callable;
} Lent;

static PyObject *to_python(const lexpool_value *value);
static int to_value(PyObject *object, Arena *arena, lexpool_value *out);

static int call_python(const void *context, const lexpool_value *args, size_t n,
                       lexpool_value *result)
{
    Arena arena = {{NULL}, 0};
    lexpool_value made = lexpool_none();
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *tuple = PyTuple_New((Py_ssize_t)n), *given = NULL;
    int status = 1;
    for (size_t i = 0; i < n; i++)
        PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, to_python(&args[i]));
    given = PyObject_CallObject(((const Lent *)context)->callable, tuple);
    if (given != NULL && to_value(given, &arena, &made) == 0)
        status = lexpool_keep(&made, result);
    else
        status = lexpool_fail(LEXPOOL_VALUE_ERROR, "test-raised", "the callable raised", result);
    PyErr_Clear();
    Py_XDECREF(given);
    Py_DECREF(tuple);
    while (arena.used > 0)
        PyMem_Free(arena.blocks[--arena.used]);
    PyGILState_Release(state);
    return status;
}

static void no_release(lexpool_owned *owned) { (void)owned; }
static void no_retain(const lexpool_function *function) { (void)function; }

static void drop_object(PyObject *capsule)
{
    lexpool_value *value = PyCapsule_GetPointer(capsule, "object");
    lexpool_release(value);
    PyMem_Free(value);
}

static int to_value(PyObject *object, Arena *arena, lexpool_value *out)
{
    *out = lexpool_none();
    if (object == Py_None) {
        return 0;
    } else if (PyBool_Check(object)) {
        *out = lexpool_bool(object == Py_True);
    } else if (PyLong_Check(object)) {
        *out = lexpool_int(PyLong_AsLongLong(object));
    } else if (PyFloat_Check(object)) {
        *out = lexpool_float(PyFloat_AS_DOUBLE(object));
    } else if (PyUnicode_Check(object)) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(object, &size);
        *out = lexpool_text(text, (size_t)size);
    } else if (PyList_Check(object)) {
        size_t n = (size_t)PyList_GET_SIZE(object);
        lexpool_value *items = take(arena, n * sizeof *items);
        if (items == NULL)
            return -1;
        for (size_t i = 0; i < n; i++)
            if (to_value(PyList_GET_ITEM(object, (Py_ssize_t)i), arena, &items[i]) < 0)
                return -1;
        *out = lexpool_list(items, n);
    } else if (PyCapsule_IsValid(object, "object")) {
        *out = *(lexpool_value *)PyCapsule_GetPointer(object, "object");
        out->tag &= ~LEXPOOL_OWNED;
    } else if (PyCallable_Check(object)) {
        Lent *lent = take(arena, sizeof *lent);
        if (lent == NULL)
            return -1;
        lent->head.head.release = no_release;
        lent->head.retain = no_retain;
        lent->head.call = call_python;
        lent->callable = object;
        *out = lexpool_make(LEXPOOL_TAG_FUNCTION, 0, (uint64_t)(uintptr_t)lent);
    } else {
        /* A Doc stands for its tokens. */
        lexpool_doc doc;
        lexpool_rows *records = take(arena, sizeof *records);
        if (records == NULL || lexpool_open_doc(object, &doc) < 0)
            return -1;
        records->size = sizeof *records;
        records->name = lexpool_str_of("TokenC");
        records->stride = sizeof(TokenC);
        records->data = (void *)(uintptr_t)doc.tokens;
        records->len = (size_t)doc.length;
        *out = lexpool_make(LEXPOOL_TAG_RECORDS, 0, (uint64_t)(uintptr_t)records);
    }
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *to_python(const lexpool_value *value)
{
    int truth;
    int64_t whole;
    double real;
    size_t n;
    lexpool_str text;
    const lexpool_value *items;
    if (lexpool_as_bool(value, &truth))
        return PyBool_FromLong(truth);
    if (lexpool_as_int(value, &whole))
        return PyLong_FromLongLong(whole);
    if (lexpool_as_float(value, &real))
        return PyFloat_FromDouble(real);
    if (lexpool_as_str(value, &text))
        return PyUnicode_FromStringAndSize(text.at, (Py_ssize_t)text.len);
    if ((items = lexpool_as_list(value, &n)) != NULL || n != 0) {
        PyObject *list = PyList_New((Py_ssize_t)n);
        for (size_t i = 0; i < n; i++)
            PyList_SET_ITEM(list, (Py_ssize_t)i, to_python(&items[i]));
        return list;
    }
    if (value->tag == (LEXPOOL_TAG_OBJECT | LEXPOOL_OWNED)) {
        lexpool_value *kept = PyMem_Malloc(sizeof *kept);
        *kept = *value;
        return PyCapsule_New(kept, "object", drop_object);
    }
    Py_RETURN_NONE;
}

/* call(name, *args): what the op gives; RuntimeError(kind, code, text) where it fails. */
static PyObject *call(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    Arena arena = {{NULL}, 0};
    lexpool_value values[16], result = lexpool_none();
    PyObject *given = NULL;
    const char *name = n > 0 && n <= 16 ? PyUnicode_AsUTF8(args[0]) : NULL;
    const lexpool_op *op = name == NULL ? NULL : lexpool_op_find(name);
    (void)module;
    if (op == NULL)
        return PyErr_Format(PyExc_KeyError, "no op %s", name);
    for (Py_ssize_t i = 1; i < n; i++)
        if (to_value(args[i], &arena, &values[i - 1]) < 0)
            goto done;
    if (lexpool_op_call(op, values, (size_t)n - 1, &result) == 0) {
        given = to_python(&result);
        /* The capsule has the object now. */
        if (given != NULL && PyCapsule_CheckExact(given))
            result = lexpool_none();
    } else {
        const lexpool_failure *failure = lexpool_as_failure(&result);
        given = failure == NULL ? NULL
            : Py_BuildValue("(Is#s#)", failure->kind, failure->code.at,
                            (Py_ssize_t)failure->code.len, failure->message.at,
                            (Py_ssize_t)failure->message.len);
        PyErr_SetObject(PyExc_RuntimeError, given);
        Py_CLEAR(given);
    }
    lexpool_release(&result);
done:
    while (arena.used > 0)
        PyMem_Free(arena.blocks[--arena.used]);
    return given;
}

static PyMethodDef METHODS[] = {
    {"call", (PyCFunction)(void (*)(void))call, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "ops_kernel", NULL, -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_ops_kernel(void)
{
    return lexpool_import() < 0 ? NULL : PyModule_Create(&MODULE);
}
