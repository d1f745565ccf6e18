/* An extension module as a user's would be: opens documents with the GIL, reads them without it. */
#ifdef PRETEND_ABI
#include "lexpool.h"
#undef LEXPOOL_ABI_VERSION
#define LEXPOOL_ABI_VERSION PRETEND_ABI
#endif
#ifdef PRETEND_MORE
#define LEXPOOL_API_NEEDED (sizeof(lexpool_api) + PRETEND_MORE)
#endif
#include "lexpool_api.h"
#include "lexpool_api.h"

/* Example: how many sentences begin with a capital. */
static Py_ssize_t capitalised_starts(const lexpool_doc *doc)
{
    Py_ssize_t count = 0;
    for (int32_t i = 0; i < doc->length; i++) {
        if (lexpool_token_sent_start(&doc->tokens[i]) == 1)
            count += lexpool_check_flag(lexpool_doc_lexeme(doc, i), LEXPOOL_IS_TITLE);
    }
    return count;
}

/* Example: the length of the longest run of punctuation. */
static Py_ssize_t punctuation_run(const lexpool_doc *doc)
{
    Py_ssize_t run = 0, longest = 0;
    for (int32_t i = 0; i < doc->length; i++) {
        run = lexpool_check_flag(lexpool_doc_lexeme(doc, i), LEXPOOL_IS_PUNCT) ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static PyObject *examples(PyObject *self, PyObject *object)
{
    lexpool_doc doc;
    Py_ssize_t starts, run;
    (void)self;
    if (lexpool_open_doc(object, &doc) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    starts = capitalised_starts(&doc);
    run = punctuation_run(&doc);
    Py_END_ALLOW_THREADS
    return Py_BuildValue("nn", starts, run);
}

static PyObject *find(PyObject *self, PyObject *args)
{
    lexpool_doc doc;
    PyObject *object;
    int at;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &object, &at) || lexpool_open_doc(object, &doc) < 0)
        return NULL;
    return Py_BuildValue("ii", (int)lexpool_capi->token_by_start(&doc, at),
        (int)lexpool_capi->token_by_end(&doc, at));
}

static PyObject *attr(PyObject *self, PyObject *args)
{
    lexpool_doc doc;
    PyObject *object;
    int i;
    unsigned number;
    (void)self;
    if (!PyArg_ParseTuple(args, "OiI", &object, &i, &number)
        || lexpool_open_doc(object, &doc) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(lexpool_capi->token_get_attr(&doc, i, number));
}

/* Norm, start, end and ten attributes of a token's lexeme, all read without a call. */
static PyObject *inline_facts(PyObject *self, PyObject *args)
{
    static const uint32_t attrs[10] = {LEXPOOL_ID, LEXPOOL_ORTH, LEXPOOL_LOWER, LEXPOOL_NORM,
        LEXPOOL_SHAPE, LEXPOOL_PREFIX, LEXPOOL_SUFFIX, LEXPOOL_LENGTH, LEXPOOL_LANG,
        LEXPOOL_IS_PUNCT};
    lexpool_doc doc;
    PyObject *object, *list;
    int i;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &object, &i) || lexpool_open_doc(object, &doc) < 0)
        return NULL;
    list = Py_BuildValue("[KLL]", (unsigned long long)lexpool_doc_norm(&doc, i),
        (long long)lexpool_doc_token_start(&doc, i), (long long)lexpool_doc_token_end(&doc, i));
    for (int at = 0; list != NULL && at < 10; at++) {
        uint64_t value = lexpool_lexeme_attr(lexpool_doc_lexeme(&doc, i), attrs[at]);
        PyObject *number = PyLong_FromUnsignedLongLong(value);
        if (number == NULL || PyList_Append(list, number) < 0)
            Py_CLEAR(list);
        Py_XDECREF(number);
    }
    return list;
}

/* Length, flag and id of a word, entered without the GIL; None if it cannot be. */
static PyObject *word(PyObject *self, PyObject *args)
{
    const lexpool_vocab *vocab;
    const LexemeC *lex, *again;
    PyObject *object;
    const char *utf8;
    Py_ssize_t n;
    uint64_t length = 0;
    int title = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oy#", &object, &utf8, &n))
        return NULL;
    vocab = lexpool_open_vocab(object);
    if (vocab == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    lex = lexpool_capi->vocab_get(vocab, utf8, (size_t)n);
    again = lex == NULL ? NULL : lexpool_capi->vocab_get_by_orth(vocab, lex->orth);
    length = lexpool_capi->lexeme_get_attr(lex, LEXPOOL_LENGTH);
    title = lexpool_capi->check_flag(lex, LEXPOOL_IS_TITLE);
    Py_END_ALLOW_THREADS
    if (lex == NULL)
        Py_RETURN_NONE;
    if (lex != again) {
        PyErr_SetString(PyExc_AssertionError, "another lexeme by its id");
        return NULL;
    }
    return Py_BuildValue("KiK", (unsigned long long)length, title, (unsigned long long)lex->orth);
}

/* What each function answers to what is wrong with its arguments; a list of names that accept
 * it. */
static PyObject *wrong(PyObject *self, PyObject *object)
{
    const lexpool_api *api = lexpool_capi;
    const char *accepts = "";
    lexpool_doc doc, bad;
    TokenC tokens[2] = {{0, 0, 0, 0}, {0, 1, 1, 0}};
    SyntaxC syntax[2] = {{0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0}};
    lexpool_doc_mut own = {sizeof(own), LEXPOOL_ABI_VERSION, tokens, 2, 0, NULL, syntax, NULL};
    (void)self;
    if (lexpool_open_doc(object, &doc) < 0)
        return NULL;
    if (api->token_by_start(NULL, 0) != -1 || api->token_by_end(NULL, 0) != -1)
        accepts = "NULL";
    bad = doc;
    bad.length = -5;
    if (api->token_by_start(&bad, 0) != -1 || api->token_get_attr(&bad, 0, LEXPOOL_ORTH) != 0)
        accepts = "a negative length";
    bad = doc;
    bad.abi++;
    if (api->token_by_start(&bad, 0) != -1)
        accepts = "another version";
    bad = doc;
    bad.size -= 8;
    if (api->token_by_start(&bad, 0) != -1)
        accepts = "a smaller struct";
    if (api->token_get_attr(&doc, -1, LEXPOOL_ORTH) != 0
        || api->token_get_attr(&doc, doc.length, LEXPOOL_ORTH) != 0
        || lexpool_doc_lexeme(&doc, -1) != NULL || lexpool_doc_lexeme(&doc, doc.length) != NULL
        || lexpool_doc_lexeme(NULL, 0) != NULL || lexpool_doc_norm(&doc, doc.length) != 0
        || lexpool_doc_token_start(&doc, -1) != -1 || lexpool_doc_token_end(NULL, 0) != -1)
        accepts = "a position outside";
    if (api->token_set_attr(NULL, 0, LEXPOOL_DEP, 1) != -1
        || api->token_set_attr(&own, 2, LEXPOOL_DEP, 1) != -1
        || api->token_set_attr(&own, 0, LEXPOOL_TAG, 1) != -1
        || api->token_set_attr(&own, 0, LEXPOOL_HEAD, 2) != -1
        || api->token_set_attr(&own, 0, LEXPOOL_ORTH, 2) != -1)
        accepts = "what cannot be set";
    if (api->set_children_from_heads(tokens, syntax, 0, 2) != -1
        || api->set_children_from_heads(NULL, syntax, 0, 2) != -1
        || api->set_children_from_heads(tokens, syntax, 2, 0) != -1
        || api->set_children_from_heads(tokens, syntax, -1, 1) != -1)
        accepts = "a head outside";
    if (api->lexeme_get_attr(NULL, 65) != 0 || api->check_flag(NULL, 1) != 0
        || api->vocab_get(NULL, "a", 1) != NULL || api->vocab_get_by_orth(NULL, 1) != NULL)
        accepts = "no lexeme";
    return PyUnicode_FromString(accepts);
}

/* Opens with a struct of another size; what comes back is the size that was filled. */
static PyObject *open_sized(PyObject *self, PyObject *args)
{
    struct { lexpool_doc doc; uint64_t more; } later;
    PyObject *object;
    unsigned size;
    (void)self;
    later.more = 1;
    if (!PyArg_ParseTuple(args, "OI", &object, &size))
        return NULL;
    if (lexpool_capi->doc_open(object, size == 0 ? NULL : &later.doc, size) < 0)
        return NULL;
    return Py_BuildValue("IK", (unsigned)later.doc.size, (unsigned long long)later.more);
}

static PyObject *open_null(PyObject *self, PyObject *none)
{
    lexpool_doc doc;
    (void)self, (void)none;
    if (lexpool_capi->doc_open(NULL, &doc, sizeof doc) != -1)
        Py_RETURN_NONE;
    return NULL;
}

/* The ids of all words, read from one opened struct before a function of Python's runs and
 * after. */
static PyObject *around(PyObject *self, PyObject *args)
{
    lexpool_doc doc;
    PyObject *object, *function, *result, *list;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &object, &function) || lexpool_open_doc(object, &doc) < 0)
        return NULL;
    list = PyList_New(0);
    for (int round = 0; list != NULL && round < 2; round++) {
        for (int32_t i = 0; list != NULL && i < doc.length; i++) {
            const LexemeC *lex = lexpool_doc_lexeme(&doc, i);
            uint64_t orth = lexpool_capi->token_get_attr(&doc, i, LEXPOOL_ORTH);
            PyObject *id = PyLong_FromUnsignedLongLong(lex->orth == orth ? orth : 0);
            if (id == NULL || PyList_Append(list, id) < 0)
                Py_CLEAR(list);
            Py_XDECREF(id);
        }
        result = list == NULL || round == 1 ? NULL : PyObject_CallNoArgs(function);
        if (result == NULL && round == 0)
            Py_CLEAR(list);
        Py_XDECREF(result);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"examples", examples, METH_O, NULL},
    {"around", around, METH_VARARGS, NULL},
    {"find", find, METH_VARARGS, NULL},
    {"attr", attr, METH_VARARGS, NULL},
    {"inline_facts", inline_facts, METH_VARARGS, NULL},
    {"word", word, METH_VARARGS, NULL},
    {"wrong", wrong, METH_O, NULL},
    {"open_sized", open_sized, METH_VARARGS, NULL},
    {"open_null", open_null, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "api_kernel", NULL, -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_api_kernel(void)
{
    if (lexpool_import() < 0)
        return NULL;
    return PyModule_Create(&module);
}
