"""Documents as pictures: entities and spans as HTML, dependencies as SVG.

`render(doc, style="ent")` returns a string, `to_file(doc, "page.html")` writes a page. The options
are displaCy's, but for `template` and the offsets of spans; the pictures are lexpool's own: they
work without scripts, style sheets and fonts, adapt to a light or dark page, and are deterministic.

Documents are read through public attributes, so lexpool's and spaCy's Doc and Span are accepted.
"""

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ._core import (
    draw_dependencies,
    draw_entities,
    draw_page,
    draw_spans,
    draw_tokens,
    parse_tokens,
)
from ._narrow import is_iterable, is_mapping
from ._saving.files import write_text_file

__all__ = ["parse_deps", "parse_ents", "parse_spans", "render", "repr_html", "to_file"]

_Style: TypeAlias = Literal["dep", "ent", "span"]

_OPTIONS = {
    "dep": {
        *("compact", "word_spacing", "arrow_spacing", "arrow_width", "arrow_stroke", "distance"),
        *("offset_x", "max_width", "color", "bg", "font"),
        *("fine_grained", "add_lemma", "collapse_punct", "collapse_phrases"),
    },
    "ent": {"ents", "colors", "kb_url_template"},
    "span": {"spans_key", "colors", "kb_url_template"},
}
# The number of tokens that a notebook shows.
_SHOWN = 400


def render(
    docs: Any,
    style: _Style = "dep",
    *,
    page: bool = False,
    minify: bool = False,
    manual: bool = False,
    options: Mapping[str, Any] = {},
    jupyter: bool | None = None,
) -> str | None:
    """Draws a document, a span, or several of them.

    docs: a Doc, a Span, or an iterable of them; with `manual` dicts in displaCy's format.
    style: "dep" for SVGs of the trees, "ent" for entities, "span" for a group of spans.
    page: whether to make a whole HTML document.
    minify: whether to leave out line breaks between elements.
    options: for "dep": compact, word_spacing, arrow_spacing, arrow_width, arrow_stroke, distance,
        offset_x, max_width (all pixels), color, bg, font (CSS), fine_grained, add_lemma,
        collapse_punct (on by default), collapse_phrases; for "ent": ents (the labels to show);
        for "span": spans_key ("sc"); for both: colors (from labels to CSS), kb_url_template.
        Options of other styles are ignored.
    jupyter: whether to display the picture in a notebook and return None; by default True in
        notebooks.

    Raises ValueError: E087 for an unknown style, E096 for an argument that is not a document, E157
    for an arc to a missing token, render-entity and render-span for invalid ranges, render-option
    for an unknown option, render-css for an invalid colour or font. TypeError: render-input and
    render-option for values of a wrong type.
    """
    parsed = _parsed(docs, style, options, manual)
    markup = _drawn(parsed, style, options, page, minify)
    if jupyter or (jupyter is None and _in_notebook()):
        notebook = import_module("IPython.display")
        # The class keeps MathJax from looking for formulas in the text.
        notebook.display(notebook.HTML(f'<div class="tex2jax_ignore">{markup}</div>'))
        return None
    return markup


def to_file(
    docs: Any,
    path: str | os.PathLike[str],
    style: _Style = "dep",
    *,
    minify: bool = False,
    manual: bool = False,
    options: Mapping[str, Any] = {},
) -> Path:
    """Draws into a file: a page, or if its name ends with `.svg`, the SVG of one document.

    Takes the arguments of `render`, and returns the path.

    Raises the errors of `render`, ValueError (render-svg) for an SVG of several documents or in
    another style than "dep", and OSError if the file cannot be written.
    """
    path = Path(path)
    parsed = _parsed(docs, style, options, manual)
    bare = path.suffix.lower() == ".svg"
    if bare and (style != "dep" or len(parsed) != 1):
        content = f"{len(parsed)} documents in the style {style!r}"
        raise ValueError(
            f"[render-svg] an SVG file holds one document in the style 'dep', not {content}"
        )
    write_text_file(path, _drawn(parsed, style, options, not bare, minify))
    return path


def parse_deps(doc: Any, options: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Returns words and arcs of a Doc or Span as displaCy's dict; heads outside of a span have no
    arc.

    options: fine_grained, add_lemma, collapse_punct, collapse_phrases. Warns (W005) if the document
    has no dependencies. Raises NotImplementedError (E894) for collapse_phrases in a language
    without rules for noun chunks.
    """
    document = doc.doc if _is_span(doc) else doc
    if not document.has_annotation("DEP"):
        warnings.warn("[W005] the document has no dependencies, so there are no arcs", stacklevel=2)
    first, length = (doc.start if _is_span(doc) else 0), len(doc)
    rows: list[tuple[str, str, str, str | None, int, str, bool]] = []
    for i, token in enumerate(doc):
        head = token.head.i - first
        tag = token.tag_ if options.get("fine_grained") else token.pos_
        lemma = token.lemma_ if options.get("add_lemma") else None
        head = head if 0 <= head < length else i
        rows.append(
            (token.text, token.whitespace_, tag, lemma, head, token.dep_, bool(token.is_punct))
        )
    phrases: list[tuple[int, int]] = []
    if options.get("collapse_phrases"):
        phrases = [(chunk.start - first, chunk.end - first) for chunk in doc.noun_chunks]
    collapse_punct = options.get("collapse_punct")
    parsed = parse_tokens(rows, phrases, collapse_punct is None or bool(collapse_punct))
    return parsed | _about(doc)


def parse_ents(doc: Any, options: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Returns text and entities of a Doc or Span as displaCy's dict.

    options: kb_url_template. Warns (W006) if there are no entities.
    """
    first = doc.start_char if _is_span(doc) else 0
    ents = [
        {"start": ent.start_char - first, "end": ent.end_char - first, **_named(ent, options)}
        for ent in doc.ents
    ]
    if not ents:
        warnings.warn("[W006] the document has no entities to show", stacklevel=2)
    return {"text": doc.text, "ents": ents, **_about(doc)}


def parse_spans(doc: Any, options: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Returns tokens and a group of spans of a Doc or Span as displaCy's dict.

    options: spans_key, the group's name, "sc" by default; kb_url_template. For a Span only the
        spans within it are returned. Warns (W117) if there are none.
    """
    key = options.get("spans_key") or "sc"
    groups = (doc.doc if _is_span(doc) else doc).spans
    spans = _group(doc, groups[key] if key in groups else (), options)  # noqa: SIM401
    if not spans:
        warnings.warn(
            f"[W117] no spans to show in the group {key!r}; the groups are {list(groups)}",
            stacklevel=2,
        )
    return {**_tokens(doc), "spans": spans}


def repr_html(doc: Any) -> str:
    """Returns the HTML that a notebook shows for a Doc or Span: entities, else span groups, else
    tokens.

    It shows the first 400 tokens.
    """
    left_out = max(0, len(doc) - _SHOWN)
    excerpt = doc[:_SHOWN] if left_out else doc
    more = {"left_out": left_out}
    if getattr(excerpt, "ents", ()):
        return draw_entities(parse_ents(excerpt) | more, {}, False)
    groups = getattr(doc.doc if _is_span(doc) else doc, "spans", {})
    parts: list[dict[str, Any]] = []
    for key in groups:
        if spans := _group(excerpt, groups[key], {}):
            parts.append({**_tokens(excerpt), "spans": spans, "title": key} | more)
    if parts:
        return "".join(draw_spans(part, {}, False) for part in parts)
    return draw_tokens(_tokens(excerpt) | more, False)


_PARSERS = {"dep": parse_deps, "ent": parse_ents, "span": parse_spans}
_DRAWERS = {"dep": draw_dependencies, "ent": draw_entities, "span": draw_spans}


def _parsed(
    docs: Any, style: str, options: Mapping[str, Any], manual: bool
) -> list[dict[str, Any]]:
    if style not in _PARSERS:
        raise ValueError(
            f"[E087] unknown style {style!r}; expected {', '.join(map(repr, _PARSERS))}"
        )
    names = {option for options_of in _OPTIONS.values() for option in options_of}
    if unknown := sorted(set(options) - names):
        raise ValueError(
            f"[render-option] no option {', '.join(map(repr, unknown))}; there are "
            f"{', '.join(sorted(names))}"
        )
    parsed: list[dict[str, Any]] = []
    for doc in _each(docs, manual):
        as_dict = manual and is_mapping(doc)
        parsed.append(dict(doc) if as_dict else _PARSERS[style](doc, options))
    return parsed


def _drawn(
    parsed: list[dict[str, Any]], style: str, options: Mapping[str, Any], page: bool, minify: bool
) -> str:
    parts = [_DRAWERS[style](each, dict(options), minify) for each in parsed]
    if not page:
        return "".join(parts).strip()
    first = parsed[0] if parsed else {}
    about: dict[str, Any] = {key: first[key] for key in ("title", "settings") if key in first}
    return draw_page(parts, about, minify)


def _each(docs: Any, manual: bool) -> Iterator[Any]:
    """Yields one or many documents; accepts dicts only if `manual` is set."""
    one = is_mapping(docs) or _is_doc(docs)
    if not one and (isinstance(docs, (str, bytes)) or not is_iterable(docs)):
        raise ValueError(f"[E096] expected a Doc, a Span or several of them, not {type(docs)!r}")
    for i, doc in enumerate([docs] if one else docs):
        if not (_is_doc(doc) or (manual and is_mapping(doc))):
            hint = "; dicts are for manual=True" if is_mapping(doc) else ""
            raise ValueError(f"[E096] item {i} is {type(doc)!r}, not a Doc or a Span{hint}")
        yield doc


def _is_doc(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("vocab", "text", "__getitem__"))


def _is_span(value: Any) -> bool:
    return hasattr(value, "start_char")


def _about(doc: Any) -> dict[str, Any]:
    """Returns the user's title of a document, its language and the direction of its text."""
    document = doc.doc if _is_span(doc) else doc
    title = getattr(document, "user_data", {}).get("title")
    lang = getattr(document, "lang_", "")
    direction = getattr(document.vocab, "writing_system", {}).get("direction")
    # A vocab without a particular language has no direction; it is then detected from the text.
    has_language = lang not in ("", "xx")
    settings = {"lang": lang or None, "direction": direction if has_language else None}
    return {"title": None if title is None else str(title), "settings": settings}


def _tokens(doc: Any) -> dict[str, Any]:
    text = doc.text_with_ws if _is_span(doc) else doc.text
    return {"text": text, "tokens": [token.text for token in doc], **_about(doc)}


def _named(span: Any, options: Mapping[str, Any]) -> dict[str, str]:
    """Returns label and link of a span."""
    kb_id = span.kb_id_ or ""
    template = options.get("kb_url_template")
    url = template.format(kb_id) if template else "#"
    return {"label": span.label_, "kb_id": kb_id, "kb_url": url}


def _group(doc: Any, spans: Iterable[Any], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the spans of a group within a Doc or Span, relative to its start, without empty
    ones.
    """
    first, length = (doc.start if _is_span(doc) else 0), len(doc)
    first_char = doc.start_char if _is_span(doc) else 0
    return [
        {
            "start": span.start_char - first_char,
            "end": span.end_char - first_char,
            "start_token": span.start - first,
            "end_token": span.end - first,
            **_named(span, options),
        }
        for span in spans
        if first <= span.start < span.end <= first + length
    ]


def _in_notebook() -> bool:
    # A notebook has imported IPython already; other programs should not import it.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ in ("ZMQInteractiveShell", "Shell")
