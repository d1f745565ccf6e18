"""Documents as dicts of JSON types. Called by `Doc.to_json` and `Doc.from_json`."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .._core import Doc, Span, Token
from .._narrow import is_list, is_mapping
from .underscore import is_key

# Annotation of tokens: the key, the name of the attribute, the parameter of Doc that takes it.
_TOKEN_KEYS = {
    "tag": ("TAG", "tags"),
    "pos": ("POS", "pos"),
    "morph": ("MORPH", "morphs"),
    "lemma": ("LEMMA", "lemmas"),
    "dep": ("DEP", "deps"),
    "head": ("HEAD", "heads"),
}
# The keys of positions of tokens and characters.
_POSITIONS = ("start", "end", "head")


def to_json(doc: Any, underscore: Iterable[str] | None) -> dict[str, Any]:
    data: dict[str, Any] = {"text": doc.text}
    if doc.has_annotation("ENT_IOB"):
        data["ents"] = [{**_place(ent), "label": ent.label_} for ent in doc.ents]
    if doc.has_annotation("SENT_START"):
        data["sents"] = [_place(sent) for sent in doc.sents]
    if doc.cats:
        data["cats"] = doc.cats
    annotated = {key for key, (attr, _) in _TOKEN_KEYS.items() if doc.has_annotation(attr)}
    data["tokens"] = [_token(token, annotated) for token in doc]
    if doc.spans:
        data["spans"] = {
            name: [{**_place(span), "label": span.label_, "kb_id": span.kb_id_} for span in group]
            for name, group in doc.spans.items()
        }
    if underscore:
        _put_extensions(doc, data, list(underscore))
    return data


def _place(span: Any) -> dict[str, Any]:
    return {"start": span.start_char, "end": span.end_char}


def _token(token: Any, annotated: set[str]) -> dict[str, Any]:
    out: dict[str, Any] = {"id": token.i, "start": token.idx, "end": token.idx + len(token)}
    for key in ("tag", "pos", "lemma", "dep"):
        if key in annotated:
            out[key] = getattr(token, f"{key}_")
    if "morph" in annotated:
        out["morph"] = token.morph.to_json()
    if "dep" in annotated:
        out["head"] = token.head.i
    return out


def _put_extensions(doc: Any, data: dict[str, Any], names: list[str]) -> None:
    """Adds extension attributes: of the document with those of getters, of tokens and spans with
    set values.
    """
    present_names: set[str] = set()
    for name in names:
        if doc.has_extension(name):
            data.setdefault("_", {})[name] = _checked(name, doc._.get(name))
            present_names.add(name)
    for key, value in list(doc.user_data.items()):
        if not is_key(key) or key[1] not in names:
            continue
        _, name, start, end = key[:4]
        present_names.add(name)
        value = _checked(name, value)
        if start is not None and end is None:
            of_tokens = data.setdefault("underscore_token", {}).setdefault(name, [])
            of_tokens.append({"start": start, "value": value})
        elif start is not None:
            of_spans = data.setdefault("underscore_span", {}).setdefault(name, [])
            of_spans.append({"start": start, "end": end, "value": value})
    for name in names:
        if name not in present_names:
            raise ValueError(
                f"[E106] no extension attribute of Doc is named {name!r}; requested: {names}"
            )


def _checked(name: str, value: Any) -> Any:
    try:
        json.dumps(value)
    except (TypeError, ValueError) as error:
        text = f"[E107] the value of the attribute {name!r} has no form in JSON: {value!r}"
        raise ValueError(text) from error
    return value


def from_json(doc: Any, data: Mapping[str, Any], validate: bool) -> None:
    if validate:
        _check(data)
    try:
        _take(doc, data)
    except (TypeError, LookupError, AttributeError):
        # An exception of callers' own mappings, or of values of other types.
        _check(data)
        raise
    except OverflowError as error:
        raise ValueError(f"[E1038] this is not the form of Doc.to_json: {error}") from error


def _check(data: Any) -> None:
    faults = list(_faults(data))
    if faults:
        raise ValueError(f"[E1038] this is not the form of Doc.to_json: {'; '.join(faults)}")


def _take(doc: Any, data: Mapping[str, Any]) -> None:
    tokens: list[Any] = data["tokens"]
    places = _Places(tokens, data["text"])
    parameters: dict[str, Any] = {
        parameter: [token[key] for token in tokens]
        for key, (_, parameter) in _TOKEN_KEYS.items()
        if _is_on_all(tokens, key)
    }
    if "deps" not in parameters and data.get("sents") is not None:
        parameters["sent_starts"] = _sent_starts(places, data["sents"])
    new_doc: Any = Doc(doc.vocab, words=places.words, spaces=places.spaces, **parameters)
    if data.get("ents") is not None:
        new_doc.ents = [
            Span(new_doc, *places.tokens("entity", ent), label=ent["label"]) for ent in data["ents"]
        ]
    spans_of: dict[str, list[Any]] = data.get("spans") or {}
    groups = {
        name: [(places.tokens("span", span), span["label"], span.get("kb_id", 0)) for span in spans]
        for name, spans in spans_of.items()
    }
    # Looked up before any change, so that the document is unchanged if a position is invalid.
    of_tokens = _extensions(places, data.get("underscore_token"), "token")
    of_spans = _extensions(places, data.get("underscore_span"), "span")
    doc._take(new_doc)
    doc.cats = data.get("cats") or {}
    for name, spans in groups.items():
        doc.spans[name] = [Span(doc, *at, label=label, kb_id=kb_id) for at, label, kb_id in spans]
    of_doc: dict[str, Any] = data.get("_") or {}
    for name, value in of_doc.items():
        _registered(Doc, name)
        doc._.set(name, value)
    for name, (start, _), value in of_tokens:
        _registered(Token, name)
        doc[start]._.set(name, value)
    for name, (start, end), value in of_spans:
        _registered(Span, name)
        doc[start:end]._.set(name, value)


class _Places:
    """The tokens of a text, found by their characters."""

    def __init__(self, tokens: list[Any], text: str) -> None:
        self.words: list[str] = []
        self.spaces: list[bool] = []
        self._starts = {token["start"]: i for i, token in enumerate(tokens)}
        self._ends = {token["end"]: i + 1 for i, token in enumerate(tokens)}
        end = 0
        for i, token in enumerate(tokens):
            self._follow(end, token["start"], text, f"token {i}")
            end = token["end"]
            self.words.append(text[token["start"] : end])
        self._follow(end, len(text), text, "the end of the text")

    def _follow(self, end: int, start: int, text: str, what: str) -> None:
        between = text[end:start]
        if end > start or between not in ("", " ") or (between and not self.words):
            raise ValueError(
                f"[E1039] {what} begins at character {start}, after {end}; "
                "between two tokens there is nothing or one space"
            )
        if self.words:
            self.spaces.append(between == " ")

    def tokens(self, what: str, place: Mapping[str, Any]) -> tuple[int, int]:
        """Returns the range of tokens of an item given by its characters."""
        start = self._starts.get(place["start"])
        end = self._ends.get(place["end"]) if "end" in place else start
        if start is None or end is None or end < start:
            at = f"{place['start']}..{place.get('end', '')}"
            raise ValueError(f"[E1039] {what} at the characters {at} does not fit tokens")
        return start, end


def _is_on_all(tokens: list[Any], key: str) -> bool:
    count = sum(key in token for token in tokens)
    if count and count < len(tokens):
        text = f"[E1040] {count} of {len(tokens)} tokens have {key!r}; all have to, or none"
        raise ValueError(text)
    return count > 0


def _sent_starts(places: _Places, sents: Iterable[Any]) -> list[bool | None]:
    starts: list[bool | None] = [None] * len(places.words)
    for sent in sents:
        start, end = places.tokens("sentence", sent)
        starts[start:end] = [True] + [False] * (end - start - 1)
    return starts


def _extensions(
    places: _Places, values_by_name: Mapping[str, Any] | None, what: str
) -> list[tuple[str, tuple[int, int], Any]]:
    return [
        (name, places.tokens(what, place), place["value"])
        for name, values in (values_by_name or {}).items()
        for place in values
    ]


def _registered(cls: Any, name: str) -> None:
    if not cls.has_extension(name):
        cls.set_extension(name, default=None)


def _faults(data: Any) -> Iterable[str]:
    """Yields the reasons why a value is not a valid JSON form of a document."""
    if not is_mapping(data):
        yield f"expected a dict, not {type(data).__name__}"
        return
    if not isinstance(data.get("text"), str):
        yield "'text' is not a str"
    yield from _list_faults("tokens", data.get("tokens"), ("id", "start", "end"), (int, str))
    for name, keys, types in (
        ("ents", ("start", "end", "label"), (int, str)),
        ("sents", ("start", "end"), (int,)),
    ):
        if data.get(name) is not None:
            yield from _list_faults(name, data[name], keys, types)
    cats = data.get("cats")
    if cats is not None and not _is_dict(cats, (float, int)):
        yield "'cats' is not a dict from str to float"
    kinds: tuple[tuple[str, tuple[str, ...], tuple[type, ...]], ...] = (
        ("spans", ("start", "label"), (int, str)),
        ("underscore_token", ("start",), (object,)),
        ("underscore_span", ("start",), (object,)),
    )
    for name, needed, allowed in kinds:
        groups = data.get(name)
        if groups is not None and not _is_dict(groups, (list,)):
            yield f"{name!r} is not a dict from str to list"
        elif groups:
            for key, items in groups.items():
                yield from _list_faults(f"{name}.{key}", items, needed, allowed)
    if data.get("_") is not None and not _is_dict(data["_"], (object,)):
        yield "'_' is not a dict with str as keys"


def _list_faults(
    name: str, items: Any, keys: tuple[str, ...], types: tuple[type, ...]
) -> Iterable[str]:
    if not is_list(items):
        yield f"{name!r} is not a list"
        return
    for i, item in enumerate(items):
        if not _is_dict(item, types):
            names = " or ".join(one.__name__ for one in types)
            yield f"{name}[{i}] is not a dict from str to {names}"
        elif missing := [key for key in keys if key not in item]:
            yield f"{name}[{i}] has no {', '.join(missing)}"
        elif wrong := [key for key in _POSITIONS if not isinstance(item.get(key, 0), int)]:
            yield f"{name}[{i}] has {' and '.join(wrong)} that are no int"


def _is_dict(value: Any, types: tuple[type, ...]) -> bool:
    return is_mapping(value) and all(
        isinstance(key, str)
        and isinstance(item, types)
        and (object in types or not isinstance(item, bool))
        for key, item in value.items()
    )
