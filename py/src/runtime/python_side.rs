//! The one link from Rust to the Python package: every name of `lexpool` that Rust imports.
//!
//! Each row has the module, the name and the reason why that part is written in Python. No other
//! file of the binding imports a module of the package by its name, and
//! `tests/workspace/test_python_side.py` checks that every row exists.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A function or class of the Python package.
pub(crate) struct PythonName {
    module: &'static str,
    name: &'static str,
}

impl PythonName {
    /// Imports the object. Python caches modules, so that a later import costs two look-ups.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import(self.module)?.getattr(self.name)
    }

    /// Calls the object with positional arguments.
    pub(crate) fn call<'py>(
        &self,
        py: Python<'py>,
        args: impl PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.get(py)?.call1(args)
    }

    /// Calls the object with positional and keyword arguments.
    pub(crate) fn call_with<'py>(
        &self,
        py: Python<'py>,
        args: impl PyCallArgs<'py>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.get(py)?.call(args, kwargs)
    }
}

macro_rules! python_names {
    ($($(#[$reason:meta])* $id:ident = $module:literal, $name:literal;)*) => {$(
        $(#[$reason])*
        pub(crate) const $id: PythonName = PythonName { module: $module, name: $name };
    )*};
}

python_names! {
    /// Rewrites attribute names of old tag maps, a table of legacy names.
    MODERNIZE_ATTRS = "lexpool.attrs", "modernize";

    /// Sorts getters of a mapping into native ones and functions, by type checks on users' objects.
    COMPILED_GETTERS = "lexpool.lex_attrs", "compiled";
    /// Makes norms of a lookup table the first source of NORM; wraps a user's function.
    EXTEND_NORMS = "lexpool.lex_attrs", "extend_norms";
    /// Getter of an attribute that the vocab's language does not have.
    ABSENT_GETTER = "lexpool.lex_attrs", "AbsentGetter";
    /// Mapping that reports its changes to the vocab; a subclass of `dict`.
    LEX_ATTR_GETTERS = "lexpool.lex_attrs", "LexAttrGetters";
    /// Restores pickled word lists.
    WORD_LISTS = "lexpool.lex_attrs", "word_lists";

    /// The error of a language without rules: a class with two bases.
    UNKNOWN_LANGUAGE = "lexpool.errors", "UnknownLanguageError";
    /// The error of a configuration: one class for those that Rust and Python find.
    CONFIG_ERROR = "lexpool._errors", "ConfigError";
    /// The error of a component's name, likewise.
    COMPONENT_NAME_ERROR = "lexpool._errors", "ComponentNameError";

    /// Lookup tables, whose values are any objects.
    LOOKUPS = "lexpool.lookups", "Lookups";
    /// Restores a pickled Bloom filter.
    UNPICKLE_BLOOM = "lexpool.lookups", "unpickle_bloom";

    /// Restores a pickled morphology.
    UNPICKLE_MORPHOLOGY = "lexpool.morphology", "unpickle_morphology";
    /// The class of analyses, as users may have replaced it.
    MORPH_ANALYSIS = "lexpool.tokens", "MorphAnalysis";

    /// Vectors as users see them: a Python class over the native table.
    VECTORS = "lexpool.vectors", "Vectors";

    /// Gives new words their norms from a vocab's lookups.
    VOCAB_TAKE_NORMS = "lexpool._python_side.vocab", "take_norms";
    /// `Vocab.reset_vectors`, on the Python class of vectors.
    VOCAB_RESET_VECTORS = "lexpool._python_side.vocab", "reset_vectors";
    /// `Vocab.deduplicate_vectors`, on the Python class of vectors.
    VOCAB_DEDUPLICATE_VECTORS = "lexpool._python_side.vocab", "deduplicate_vectors";
    /// `Vocab.prune_vectors`, likewise.
    VOCAB_PRUNE_VECTORS = "lexpool._python_side.vocab", "prune_vectors";
    /// `Vocab.to_bytes`, which calls `to_bytes` of replaceable Python objects.
    VOCAB_TO_BYTES = "lexpool._python_side.vocab", "to_bytes";
    /// `Vocab.from_bytes`, likewise.
    VOCAB_FROM_BYTES = "lexpool._python_side.vocab", "from_bytes";
    /// `Vocab.to_disk`, likewise.
    VOCAB_TO_DISK = "lexpool._python_side.vocab", "to_disk";
    /// `Vocab.from_disk`, likewise.
    VOCAB_FROM_DISK = "lexpool._python_side.vocab", "from_disk";
    /// `Vocab.save`, whose settings are JSON of any Python objects.
    VOCAB_SAVE = "lexpool._python_side.vocab", "save";
    /// `Vocab.__reduce__`, which pickles users' functions.
    VOCAB_REDUCED = "lexpool._python_side.vocab", "reduced";

    /// `Tokenizer.from_spacy`, which reads spaCy's Python objects.
    TOKENIZER_FROM_SPACY = "lexpool._python_side.spacy_tokenizer", "from_spacy";
    /// `Tokenizer.to_bytes`, which reads the sources of `re.Pattern` objects.
    TOKENIZER_TO_BYTES = "lexpool._python_side.tokenizer", "to_bytes";
    /// `Tokenizer.from_bytes`, which compiles with `re`.
    TOKENIZER_FROM_BYTES = "lexpool._python_side.tokenizer", "from_bytes";
    /// The installed package with the data of a segmenter, found by `importlib`.
    SEGMENTER_DATA = "lexpool._python_side.segmenters", "data";
    /// `Tokenizer.to_disk` with a segmenter, which writes a folder as spaCy's classes do.
    SEGMENTER_TO_DISK = "lexpool._python_side.segmenters", "to_disk";
    /// `Tokenizer.from_disk` with a segmenter.
    SEGMENTER_FROM_DISK = "lexpool._python_side.segmenters", "from_disk";
    /// The units of tokens in `doc.user_data`, a named tuple.
    DETAILED_TOKEN = "lexpool._python_side.segmenters", "DetailedToken";
    /// `Tokenizer.score`, on `Example` objects.
    TOKENIZER_SCORE = "lexpool._python_side.tokenizer", "score";

    /// The folder of a pipeline that is an installed package.
    INSTALLED_PIPELINE = "lexpool._loading.places", "installed";
    /// The folder of the tables of an installed package.
    INSTALLED_TABLES = "lexpool.lookups", "installed_tables";
    /// `lexpool evaluate`, whose components may be written in Python.
    EVALUATE = "lexpool._command.evaluate", "run";
    /// `lexpool package`, on packages of Python.
    PACKAGE = "lexpool._command.package", "run";
    /// `lexpool assemble`, whose components may be written in Python.
    ASSEMBLE = "lexpool._command.assemble", "run";
    /// `lexpool train` by a configuration that names functions of Python.
    TRAIN = "lexpool._command.train", "run";

    /// Declares an extension attribute; the table of extensions holds users' functions.
    SET_EXTENSION = "lexpool.tokens.underscore", "set_extension";
    /// Returns the declaration of an extension attribute.
    GET_EXTENSION = "lexpool.tokens.underscore", "get_extension";
    /// Removes an extension attribute.
    REMOVE_EXTENSION = "lexpool.tokens.underscore", "remove_extension";
    /// `Doc._`, an object with dynamic attributes.
    UNDERSCORE_OF_DOC = "lexpool.tokens.underscore", "of_doc";
    /// `Span._`, likewise.
    UNDERSCORE_OF_SPAN = "lexpool.tokens.underscore", "of_span";
    /// `Token._`, likewise.
    UNDERSCORE_OF_TOKEN = "lexpool.tokens.underscore", "of_token";

    /// Copies user data, span groups and tensors into a joined document.
    CARRY_OVER = "lexpool.tokens._carry", "carry_over";
    /// Copies the same into a document made of a span.
    CUT_OUT = "lexpool.tokens._carry", "cut_out";
    /// `Doc.spans`, a dict that checks its values.
    SPAN_GROUPS = "lexpool.tokens._dict_proxies", "SpanGroups";
    /// The context manager that `Doc.retokenize` returns.
    RETOKENIZER = "lexpool.tokens._retokenize", "Retokenizer";
    /// `Doc.to_json`, which builds dicts.
    DOC_TO_JSON = "lexpool.tokens._json", "to_json";
    /// `Doc.from_json`, which reads dicts.
    DOC_FROM_JSON = "lexpool.tokens._json", "from_json";
    /// `Doc.__reduce__`, with users' data and hooks.
    DOC_REDUCED = "lexpool.tokens._pickle", "reduced";
    /// Restores a pickled `DocBin`.
    UNPICKLE_DOCBIN = "lexpool.tokens._pickle", "unpickle_bin";

    /// Noun chunks of English as the module's own function, which can be pickled by reference.

    /// Restores a pickled corpus.
    LOAD_CORPUS = "lexpool._python_side.corpus", "load";
    /// Builds a `pyarrow` table of extension attributes.
    EXTENSION_COLUMNS = "lexpool._python_side.corpus", "extension_columns";
    /// `Corpus.map`, the same function as `lexpool.ops.map`.
    MAP_OP = "lexpool.ops", "map";

    /// Raises the error that names the annotation a phrase lacks.
    REQUIRE_ANNOTATION = "lexpool.matcher._annotation", "require";

    /// `Handle.ctypes`, which makes classes of `ctypes.Structure`.
    CTYPES_ARRAY = "lexpool._python_side.foreign", "ctypes_array";
    /// HTML for notebooks, by the settings of `lexpool.render`.
    REPR_HTML = "lexpool.render", "repr_html";
}
