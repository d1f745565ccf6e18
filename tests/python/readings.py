"""All that can be read from a document, as plain values that two libraries can be compared by."""

import itertools
import math
import random
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

import numpy as np
from random_documents import Description

from lexpool import attrs

ATTRIBUTES = [name for name in attrs.IDS if name]
FLAGS = [number for number in attrs.IDS.values() if 0 < number < 64]

DOC = """text text_with_ws lang lang_ has_unknown_spaces tensor cats user_data sentiment ents sents
    noun_chunks has_vector vector vector_norm is_tagged is_parsed is_nered is_sentenced vocab doc
    spans user_hooks user_token_hooks user_span_hooks _context""".split()
SPAN = """doc vocab text text_with_ws orth_ lemma_ sent sents ents root noun_chunks lefts rights
    n_lefts n_rights subtree conjuncts tensor sentiment has_vector vector vector_norm start end
    start_char end_char label label_ kb_id kb_id_ id id_ ent_id ent_id_""".split()
TOKEN = """vocab doc i idx orth orth_ text text_with_ws whitespace_ lower lower_ norm norm_ shape
    shape_ prefix prefix_ suffix suffix_ lang lang_ lex lex_id rank prob sentiment cluster tensor
    has_vector vector vector_norm n_lefts n_rights lefts rights children subtree left_edge
    right_edge ancestors conjuncts sent ent_iob ent_iob_ ent_type ent_type_ ent_id ent_id_ ent_kb_id
    ent_kb_id_ lemma lemma_ pos pos_ tag tag_ dep dep_ morph head is_sent_start sent_start
    is_sent_end is_oov is_alpha is_ascii is_bracket is_currency is_digit is_left_punct is_lower
    is_punct is_quote is_right_punct is_space is_stop is_title is_upper like_email like_num
    like_url""".split()

Readings = dict[str, Any]


WALKS = {"as_doc", "subtree", "conjuncts", "root", "lemma_", "noun_chunks", "ent_id", "ent_id_"}


CHILDREN = {
    "lefts",
    "rights",
    "children",
    "n_lefts",
    "n_rights",
    "left_edge",
    "right_edge",
    "sent",
    "sents",
    "is_sent_start",
    "sent_start",
    "is_sent_end",
}


def readings(doc: Any, other: Any, seed: int, skipped: Set[str] = frozenset()) -> Readings:
    """Returns the results of all reading methods and properties of a document, its tokens and some
    of its spans.

    other: another document, for what takes two. seed: for the choice of spans and arguments.
    skipped: properties not to read, such as `unreadable` says.
    """
    reader, rng = _Reader(doc, skipped), random.Random(seed)
    reader.document(other, rng)
    for i in range(len(doc)):
        reader.token(i, rng)
    for _ in range(4):
        reader.span(other, rng)
    return reader.found


def unreadable(doc: Any, made: Description) -> Set[str]:
    """Returns the properties that cannot be read from one of spaCy's documents.

    If heads form a cycle, walks along the tree do not end, or they crash the process. If a document
    without DEP was retokenized, its children are those before the change.
    """
    parsed = any(made.annotation.get("deps", ()))
    for name, given in made.steps:
        if name in ("merge", "split") and not parsed:
            return WALKS | CHILDREN
        if name == "from_array" and "DEP" in given[0]:
            parsed = False
    offsets = doc.to_array("HEAD").astype("int64").tolist()
    for i in range(len(offsets)):
        steps, at = 0, i
        while offsets[at] and steps <= len(offsets):
            steps, at = steps + 1, at + offsets[at]
        if offsets[at]:
            return WALKS
    return frozenset()


def outcome(read: Callable[[], Any], doc: Any = None) -> tuple[Any, ...]:
    """Returns the result or exception of a call, and the codes of its warnings."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = ("gives", plain(read(), doc))
        except BaseException as error:
            result = ("raises", type(error).__name__, *_code(error))
    if warned:
        result += tuple(sorted({(w.category.__name__, *_code(w.message)) for w in warned}))
    return result


def _code(message: object) -> list[str]:
    codes = re.findall(r"\[([EW]\d+)\]", str(message))[:1]
    # spaCy tells a position just outside from one further out.
    return ["E040" if code == "E026" else code for code in codes]


def plain(value: Any, doc: Any = None) -> Any:
    """A value that compares across libraries: tokens by position, spans by all their fields."""
    if value is None or isinstance(value, str | bytes):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return Near(value)
    if isinstance(value, np.ndarray):
        items = [plain(item) for item in value.ravel().tolist()]
        return (str(value.dtype), value.shape, items)
    kind = type(value).__name__
    if kind == "Token":
        return ("token", value.i, _whose(value, doc))
    if kind == "Span":
        ids = (value.label_, value.kb_id_, value.id_)
        characters = (value.start_char, value.end_char)
        return ("span", value.start, value.end, *characters, *ids, _whose(value, doc))
    if kind == "SpanGroup":
        spans = [plain(span, doc) for span in value]
        return ("group", value.name, plain(value.attrs), spans, value.has_overlap)
    if kind == "Doc":
        return ("doc", "the same" if value is doc else value.text)
    if kind == "Vocab":
        return ("vocab", doc is not None and value is doc.vocab)
    if kind == "Lexeme":
        return ("lexeme", value.orth, value.text)
    if kind == "MorphAnalysis":
        return ("morph", str(value), value.key, value.to_dict())
    if isinstance(value, Mapping):
        return {plain(key): plain(item, doc) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return (type(value).__name__, [plain(item, doc) for item in value])
    if isinstance(value, Iterator):
        # A walk around a circle does not end.
        return ("iterator", [plain(item, doc) for item in itertools.islice(value, 1000)])
    return (kind, value if isinstance(value, int) else str(value))


class Near(float):
    """A number that equals another to three digits and more."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int | float) and math.isclose(
            self, other, rel_tol=2e-4, abs_tol=1e-9
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = float.__hash__


def _whose(value: Any, doc: Any) -> str:
    return "of the doc" if value.doc is doc else "of another"


def differences(theirs: Readings, ours: Readings) -> list[str]:
    """Returns the differences of two readings, one line each."""
    found = []
    for name in theirs.keys() | ours.keys():
        a, b = theirs.get(name, "nothing"), ours.get(name, "nothing")
        if a != b:
            found.append(f"{name}: {_apart(a, b)}")
    return sorted(found)


def _apart(a: Any, b: Any, at: str = "") -> str:
    """Returns the innermost items in which two values differ."""
    if type(a) is type(b) and isinstance(a, list | tuple) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if x != y:
                return _apart(x, y, f"{at}[{i}]")
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            if a[key] != b[key]:
                return _apart(a[key], b[key], f"{at}[{key!r}]")
    return f"{at} {a!r} to spaCy, {b!r} here"


class _Reader:
    def __init__(self, doc: Any, skipped: Set[str]) -> None:
        self.doc, self.skipped = doc, skipped
        self.found: Readings = {}

    def note(self, name: str, read: Callable[[], Any]) -> None:
        self.found[name] = outcome(read, self.doc)

    def properties(self, name: str, of: Any, properties: list[str]) -> None:
        for attribute in properties:
            if attribute in self.skipped:
                continue
            self.note(f"{name}.{attribute}", lambda attribute=attribute: getattr(of, attribute))

    def document(self, other: Any, rng: random.Random) -> None:
        doc, note, n = self.doc, self.note, len(self.doc)
        self.properties("doc", doc, DOC)
        for function in (len, str, repr, bytes, list, bool):
            note(f"{function.__name__}(doc)", lambda function=function: function(doc))
        for i in (-n - 2, -n - 1, -n, -1, 0, n // 2, n - 1, n, n + 1, 2**70, None, "0", 1.5):
            note(f"doc[{i!r}]", lambda i=i: doc[i])
        for _ in range(6):
            a, b = (rng.choice([None, rng.randint(-n - 2, n + 2)]) for _ in range(2))
            step = rng.choice([None, None, 1, 2, -1])
            note(f"doc[{a}:{b}:{step}]", lambda a=a, b=b, step=step: doc[a:b:step])
        for name in [*ATTRIBUTES, "IS_SENT_START", "IS_SENT_END", "no_such", 12]:
            for complete in (False, True):
                note(
                    f"doc.has_annotation({name!r}, require_complete={complete})",
                    lambda name=name, complete=complete: doc.has_annotation(
                        name, require_complete=complete
                    ),
                )
        chars = len(doc.text)
        for _ in range(8):
            start, length = rng.randint(-1, chars + 1), rng.randint(0, 20)
            mode = rng.choice(["strict", "contract", "expand", "else"])
            given = (start, start + length, rng.choice(["", "ORG"]))
            note(
                f"doc.char_span{given} {mode}",
                lambda given=given, mode=mode: doc.char_span(*given, alignment_mode=mode),
            )
        self.arrays("doc", doc, rng)
        for attr in (attrs.ORTH, attrs.TAG, attrs.IS_ALPHA, attrs.HEAD, None):
            note(f"doc.count_by({attr})", lambda attr=attr: doc.count_by(attr))
        if "subtree" not in self.skipped:
            note("doc.get_lca_matrix()", doc.get_lca_matrix)
        for width in (-1, 1, 4, 9)[not n :]:
            note(f"doc.to_utf8_array({width})", lambda width=width: doc.to_utf8_array(width))
        note("doc._get_array_attrs()", doc._get_array_attrs)
        note("doc.to_json()", doc.to_json)
        for name, with_what in {"itself": doc, "another": other}.items():
            note(f"doc.similarity({name})", lambda with_what=with_what: doc.similarity(with_what))
        note("the copy's array", lambda: doc.copy().to_array(doc._get_array_attrs()))
        note("the copy's groups", lambda: {k: len(g) for k, g in doc.copy().spans.items()})
        note("the docs together", lambda: self.together(other))

    def together(self, other: Any) -> Any:
        both = type(self.doc).from_docs([self.doc, other])
        groups = {key: [plain(span, both) for span in group] for key, group in both.spans.items()}
        array = both.to_array(both._get_array_attrs())
        # From documents without tensors, spaCy makes a tensor without columns.
        tensor = both.tensor if both.tensor.size else None
        return [both.text, array, groups, both.user_data, tensor, both.cats]

    def arrays(self, name: str, of: Any, rng: random.Random) -> None:
        several = rng.sample(ATTRIBUTES, 5)
        asked: list[Any] = [[attrs.IDS[each] for each in several], [attrs.IDS["HEAD"]]]
        if name == "doc":
            asked += [several, ATTRIBUTES, "head", ["ORTH"], rng.choice(ATTRIBUTES), ["no_such"]]
            asked += [None, [None]]
        for given in asked:
            self.note(f"{name}.to_array({given})", lambda given=given: of.to_array(given))

    def token(self, i: int, rng: random.Random) -> None:
        doc, note = self.doc, self.note
        token, name = doc[i], f"doc[{i}]"
        self.properties(name, token, TOKEN)
        for function in (len, str, repr, bytes):
            note(f"{function.__name__}({name})", lambda function=function: function(token))
        for method in ("has_morph", "has_head", "has_dep", "iob_strings"):
            note(f"{name}.{method}()", getattr(token, method))
        for flag in (*FLAGS[:20], 63):
            note(f"{name}.check_flag({flag})", lambda flag=flag: token.check_flag(flag))
        for by in (-1, 1, rng.randint(-9, 9), 10**6):
            note(f"{name}.nbor({by})", lambda by=by: token.nbor(by))
        j = rng.randrange(len(doc))
        note(f"{name}.is_ancestor({j})", lambda: token.is_ancestor(doc[j]))
        note(f"{name}.similarity({j})", lambda: token.similarity(doc[j]))
        self.compare(name, token, {"itself": doc[i], str(j): doc[j], "None": None})

    def compare(self, name: str, one: Any, others: dict[str, Any]) -> None:
        note = self.note
        for what, other in others.items():
            note(f"{name} == {what}", lambda other=other: one == other)
            note(f"{name} != {what}", lambda other=other: one != other)
            note(f"{name} < {what}", lambda other=other: one < other)
            note(f"{name} <= {what}", lambda other=other: one <= other)
            note(f"{name} > {what}", lambda other=other: one > other)
            note(f"{name} >= {what}", lambda other=other: one >= other)

    def span(self, other: Any, rng: random.Random) -> None:
        doc, note, n = self.doc, self.note, len(self.doc)
        start = rng.randint(0, n)
        end = rng.randint(start, min(n, start + 8))
        label = rng.choice(["", "ORG", "own"])
        span = doc[start:end]
        if label:
            span.label_ = label
        name = f"doc[{start}:{end}]"
        self.properties(name, span, SPAN)
        for function in (len, str, repr, list):
            note(f"{function.__name__}({name})", lambda function=function: function(span))
        for i in (-2, -1, 0, 1, end - start, -(end - start) - 1, 2**70):
            note(f"{name}[{i}]", lambda i=i: span[i])
        for a, b, step in ((None, 1, None), (1, None, None), (-1, 9, None), (0, 2, 2)):
            note(f"{name}[{a}:{b}:{step}]", lambda a=a, b=b, step=step: span[a:b:step])
        chars = len(span.text)
        for mode in ("strict", "contract", "expand"):
            a = rng.randint(0, chars)
            b = rng.randint(a, chars + 1)
            note(
                f"{name}.char_span({a}, {b}, {mode})",
                lambda a=a, b=b, mode=mode: span.char_span(a, b, "X", alignment_mode=mode),
            )
        self.arrays(name, span, rng)
        if "subtree" not in self.skipped:
            note(f"{name}.get_lca_matrix()", span.get_lca_matrix)
        note(f"{name}.similarity(another)", lambda: span.similarity(other))
        if "as_doc" not in self.skipped:
            note(f"{name}.as_doc()", lambda: self.alone(span))
        self.compare(name, span, {"itself": doc[start:end], "the rest": doc[end:], "None": None})

    def alone(self, span: Any) -> Any:
        made = span.as_doc(copy_user_data=True)
        array = made.to_array(made._get_array_attrs())
        return [made.text, array, made.user_data, made.cats, made.tensor, made.ents]
