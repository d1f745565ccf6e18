"""One input through a pipeline of spaCy's and through one of lexpool's."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import srsly
from annotations import Annotation

from lexpool.tokens import Doc


def saved(given: Any) -> str | bytes:
    """Returns a text, or the bytes of a document before it is annotated."""
    if isinstance(given, str | bytes):
        return given
    data: bytes = given.to_bytes(exclude=["user_data"])
    return data


def text_of(given: str | bytes) -> str:
    """Returns the text of what `saved` returns."""
    text: str = given if isinstance(given, str) else srsly.msgpack_loads(given)["text"]
    return text


def annotated(ours: Any, given: str | bytes, named: Mapping[str, Any]) -> Any:
    """Returns the document that lexpool makes by a call, or the error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ours(_document(ours, given), **named)
        except Exception as error:
            return error


def run_with(ours: Any, given: Iterable[str | bytes], named: Mapping[str, Any]) -> list[Any]:
    """Returns the documents that lexpool makes in a stream, or the error, once for each."""
    given = list(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return list(ours.pipe([_document(ours, one) for one in given], **named))
        except Exception as error:
            return [error] * len(given)


def differing_component(
    theirs: Any, ours: Any, given: str | bytes, named: Mapping[str, Any]
) -> str:
    """Returns the name of the first component after which the documents differ.

    It is "pipeline" if they are equal after each, and differ in another way of calling them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            left, right = theirs._ensure_doc(given), ours._ensure_doc(given)
            if Annotation(left).difference(Annotation(right), exact=True):
                return "tokenizer"
            for name, component in theirs.pipeline:
                if name in named.get("disable", ()):
                    continue
                settings = (named.get("component_cfg") or {}).get(name, {})
                left = component(left, **settings)
                right = ours.get_pipe(name)(right, **settings)
                if Annotation(left).difference(Annotation(right), exact=True):
                    return str(name)
        except Exception as error:
            return f"pipeline ({line_of(error)})"
    return "pipeline"


def line_of(error: Exception) -> str:
    """Returns an error in one line."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:400]


def _document(ours: Any, given: str | bytes) -> Any:
    return Doc(ours.vocab).from_bytes(given) if isinstance(given, bytes) else given
