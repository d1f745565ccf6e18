//! Drawings: conversion of displaCy's dicts for `lexpool::render`, and `_repr_html_` of documents.
//!
//! The dicts come from `lexpool/render.py`, or from the user.

#![expect(
    clippy::disallowed_macros,
    reason = "derives intern names of items, which runs no Python"
)]

use std::collections::BTreeMap;

use lexpool::render::{
    self, Arc, DependencyOptions, Direction, Entity, EntityOptions, Frame, LabelledSpan, Link,
    PageOptions, Palette, ParsedToken, ShownToken, SpanOptions, Towards, Word,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::object::doc::PyDoc;
use crate::object::span::PySpan;
use crate::runtime::error::OrRaise;
use crate::runtime::items::{self, Items};
use crate::runtime::python_side;

#[pymethods]
impl PyDoc {
    /// Returns the HTML that a notebook shows: the entities if there are any, else the span groups,
    /// else the tokens; of a long document its beginning.
    // stub: -> str
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        repr_html(slf)
    }
}

#[pymethods]
impl PySpan {
    /// Returns the HTML that a notebook shows: the entities if there are any, else the span groups,
    /// else the tokens; of a long span its beginning.
    // stub: -> str
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        repr_html(slf)
    }
}

fn repr_html<'py, T>(shown: &Bound<'py, T>) -> PyResult<Bound<'py, PyAny>> {
    python_side::REPR_HTML.call(shown.py(), (shown.as_any(),))
}

/// The settings that the dicts of all styles share; `text` determines the direction if the settings
/// do not.
fn frame(parsed: &Bound<'_, PyDict>, text: &str, minify: bool) -> PyResult<Frame> {
    let settings = option::<Bound<'_, PyDict>>(parsed, "settings")?;
    let settings = settings.unwrap_or_else(|| PyDict::new(parsed.py()));
    let direction = match option::<String>(&settings, "direction")?.as_deref() {
        None => Direction::of(text),
        Some("ltr") => Direction::LeftToRight,
        Some("rtl") => Direction::RightToLeft,
        Some(other) => {
            let text = format!(
                "[render-direction] direction is {other:?}; expected 'ltr' or \
                                'rtl'"
            );
            return Err(PyValueError::new_err(text));
        }
    };
    Ok(Frame {
        title: option(parsed, "title")?,
        lang: option(&settings, "lang")?,
        direction,
        left_out: option(parsed, "left_out")?.unwrap_or(0),
        minify,
    })
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct WordItem {
    text: String,
    #[pyo3(default)]
    tag: Option<String>,
    #[pyo3(default)]
    lemma: Option<String>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ArcItem {
    start: isize,
    end: isize,
    #[pyo3(default)]
    label: Option<String>,
    dir: String,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct EntityItem {
    start: isize,
    end: isize,
    label: String,
    #[pyo3(default)]
    kb_id: Option<String>,
    #[pyo3(default)]
    kb_url: Option<String>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct SpanItem {
    start_token: isize,
    end_token: isize,
    label: String,
    #[pyo3(default)]
    kb_id: Option<String>,
    #[pyo3(default)]
    kb_url: Option<String>,
}

fn link<'a>(id: Option<&'a String>, url: Option<&'a String>) -> Option<Link<'a>> {
    let id = id.filter(|id| !id.is_empty())?;
    Some(Link { id, url: url.map_or("#", String::as_str) })
}

/// The items of a list in a dict, each a dict itself; an error names the wrong one.
fn listed<'py, T>(parsed: &Bound<'py, PyDict>, key: &str) -> PyResult<Vec<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let Some(list) = parsed.get_item(key)? else {
        let text = format!("[render-input] a dict for this style must have the key {key:?}");
        return Err(PyValueError::new_err(text));
    };
    let mut position = 0..;
    items::read(&list, |item| {
        let ix = position.next().unwrap_or(usize::MAX);
        item.extract().map_err(|error: PyErr| {
            let text = format!("[render-input] item {ix} of {key:?} has missing or wrong keys");
            let raised = PyTypeError::new_err(format!("{text}: {error}"));
            raised.set_cause(parsed.py(), Some(error));
            raised
        })
    })
}

/// A position; a negative one is an error with the code of its style.
fn place(code: &str, what: &str, ix: usize, given: isize) -> PyResult<usize> {
    usize::try_from(given).map_err(|_| {
        let text = format!("[{code}] {what} {ix} is at {given}; positions must not be negative");
        PyValueError::new_err(text)
    })
}

fn palette(options: &Bound<'_, PyDict>) -> PyResult<Palette> {
    let mut palette = Palette::default();
    if let Some(colors) = option::<BTreeMap<String, String>>(options, "colors")? {
        for (label, css) in &colors {
            palette.choose(label, css).or_raise()?;
        }
    }
    Ok(palette)
}

/// An optional value of a dict; `None` counts as missing.
fn option<'py, T>(options: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<T>>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let Some(value) = options.get_item(name)?.filter(|value| !value.is_none()) else {
        return Ok(None);
    };
    value.extract::<T>().map(Some).map_err(|error| {
        let error = Into::<PyErr>::into(error);
        PyTypeError::new_err(format!("[render-option] {name}: {error}"))
    })
}

/// draw_entities(parsed, options, minify)
///
/// Return HTML for displaCy's dict of a text and its entities.
#[pyfunction]
// stub: (parsed: dict[str, Any], options: dict[str, Any])
fn draw_entities(
    parsed: &Bound<'_, PyDict>,
    options: &Bound<'_, PyDict>,
    minify: bool,
) -> PyResult<String> {
    let text: String = text_of(parsed)?;
    let items = listed::<EntityItem>(parsed, "ents")?;
    let mut ents = Vec::with_capacity(items.len());
    for (ix, ent) in items.iter().enumerate() {
        ents.push(Entity {
            start: place("render-entity", "entity", ix, ent.start)?,
            end: place("render-entity", "entity", ix, ent.end)?,
            label: &ent.label,
            link: link(ent.kb_id.as_ref(), ent.kb_url.as_ref()),
        });
    }
    let options = EntityOptions {
        frame: frame(parsed, &text, minify)?,
        labels: option::<Items<String>>(options, "ents")?.map(|ents| ents.into_iter().collect()),
        palette: palette(options)?,
    };
    render::entities(&text, &ents, &options).or_raise()
}

fn text_of(parsed: &Bound<'_, PyDict>) -> PyResult<String> {
    match parsed.get_item("text")? {
        Some(text) => text.extract(),
        None => Err(PyValueError::new_err(
            "[render-input] a dict for this style must have the key \
                                       'text'",
        )),
    }
}

/// Words at their places in a text, or each followed by a space if the text does not contain them.
fn shown<'a>(text: Option<&'a str>, words: &'a [String]) -> Vec<ShownToken<'a>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let aligned = text.and_then(|text| render::align(text, &words));
    aligned
        .unwrap_or_else(|| words.iter().map(|text| ShownToken { text, whitespace: " " }).collect())
}

/// draw_spans(parsed, options, minify)
///
/// Return HTML for displaCy's dict of tokens and spans of them.
#[pyfunction]
// stub: (parsed: dict[str, Any], options: dict[str, Any])
fn draw_spans(
    parsed: &Bound<'_, PyDict>,
    options: &Bound<'_, PyDict>,
    minify: bool,
) -> PyResult<String> {
    let words = listed::<String>(parsed, "tokens")?;
    let text: Option<String> = option(parsed, "text")?;
    let items = listed::<SpanItem>(parsed, "spans")?;
    let mut spans = Vec::with_capacity(items.len());
    for (ix, span) in items.iter().enumerate() {
        spans.push(LabelledSpan {
            start: place("render-span", "span", ix, span.start_token)?,
            end: place("render-span", "span", ix, span.end_token)?,
            label: &span.label,
            link: link(span.kb_id.as_ref(), span.kb_url.as_ref()),
        });
    }
    let tokens = shown(text.as_deref(), &words);
    let frame = frame(parsed, text.as_deref().unwrap_or(&words.join(" ")), minify)?;
    let options = SpanOptions { frame, palette: palette(options)? };
    render::spans(&tokens, &spans, &options).or_raise()
}

/// draw_tokens(parsed, minify)
///
/// Return HTML for a dict of tokens and their text.
#[pyfunction]
// stub: (parsed: dict[str, Any])
fn draw_tokens(parsed: &Bound<'_, PyDict>, minify: bool) -> PyResult<String> {
    let words = listed::<String>(parsed, "tokens")?;
    let text = text_of(parsed)?;
    Ok(render::tokens(&shown(Some(&text), &words), &frame(parsed, &text, minify)?))
}

/// draw_dependencies(parsed, options, minify)
///
/// Return SVG for displaCy's dict of words and arcs.
#[pyfunction]
// stub: (parsed: dict[str, Any], options: dict[str, Any])
fn draw_dependencies(
    parsed: &Bound<'_, PyDict>,
    options: &Bound<'_, PyDict>,
    minify: bool,
) -> PyResult<String> {
    let given_words = listed::<WordItem>(parsed, "words")?;
    let given_arcs = listed::<ArcItem>(parsed, "arcs")?;
    let words: Vec<Word<'_>> = given_words
        .iter()
        .map(|word| Word {
            text: word.text.as_str().into(),
            tag: word.tag.as_deref().unwrap_or(""),
            lemma: word.lemma.as_deref(),
        })
        .collect();
    let mut arcs = Vec::with_capacity(given_arcs.len());
    for (ix, arc) in given_arcs.iter().enumerate() {
        let towards = match arc.dir.as_str() {
            "left" => Towards::Start,
            "right" => Towards::End,
            other => {
                let text = format!(
                    "[E157] arc {ix} has the dir {other:?}; expected 'left' or \
                                    'right'"
                );
                return Err(PyValueError::new_err(text));
            }
        };
        arcs.push(Arc {
            start: place("E157", "arc", ix, arc.start)?,
            end: place("E157", "arc", ix, arc.end)?,
            label: arc.label.as_deref().unwrap_or(""),
            towards,
        });
    }
    let text: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    let frame = frame(parsed, &text.join(" "), minify)?;
    render::dependencies(&words, &arcs, &dependency_options(options, frame)?).or_raise()
}

fn dependency_options(options: &Bound<'_, PyDict>, frame: Frame) -> PyResult<DependencyOptions> {
    let compact = option::<bool>(options, "compact")?.unwrap_or(false);
    let usual = DependencyOptions::default();
    let length = |name: &str, usual: f64| option(options, name).map(|given| given.unwrap_or(usual));
    Ok(DependencyOptions {
        frame,
        compact,
        word_spacing: length("word_spacing", usual.word_spacing)?,
        arrow_spacing: length("arrow_spacing", if compact { 7.0 } else { usual.arrow_spacing })?,
        arrow_width: length("arrow_width", if compact { 6.0 } else { usual.arrow_width })?,
        arrow_stroke: length("arrow_stroke", usual.arrow_stroke)?,
        distance: length("distance", usual.distance)?,
        margin: length("offset_x", usual.margin)?,
        max_width: length("max_width", usual.max_width)?,
        color: option(options, "color")?,
        bg: option(options, "bg")?,
        font: option(options, "font")?,
    })
}

/// A row of `parse_tokens`: text, whitespace, tag, lemma, head, dep, is_punct.
type Row = (String, String, String, Option<String>, usize, String, bool);

/// parse_tokens(rows, phrases, collapse_punct)
///
/// Return words and arcs in displaCy's form.
///
/// rows: for each token its text, whitespace, tag, lemma or None, position of its head, dependency
///     label, and True for punctuation.
/// phrases: pairs of start and end.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments are made for this call")]
// stub: (rows: list[tuple[str, str, str, str | None, int, str, bool]]) -> dict[str, Any]
fn parse_tokens(
    py: Python<'_>,
    rows: Items<Row>,
    phrases: Items<(usize, usize)>,
    collapse_punct: bool,
) -> PyResult<Bound<'_, PyDict>> {
    let tokens: Vec<ParsedToken<'_>> = rows
        .iter()
        .map(|(text, whitespace, tag, lemma, head, dep, is_punct)| ParsedToken {
            text,
            whitespace,
            tag,
            lemma: lemma.as_deref(),
            head: *head,
            dep,
            is_punct: *is_punct,
        })
        .collect();
    let parse = render::parse(&tokens, &phrases, collapse_punct).or_raise()?;
    let words = PyList::empty(py);
    for word in &parse.words {
        let dict = PyDict::new(py);
        dict.set_item("text", &*word.text)?;
        dict.set_item("tag", word.tag)?;
        dict.set_item("lemma", word.lemma)?;
        words.append(dict)?;
    }
    let arcs = PyList::empty(py);
    for arc in &parse.arcs {
        let dict = PyDict::new(py);
        dict.set_item("start", arc.start)?;
        dict.set_item("end", arc.end)?;
        dict.set_item("label", arc.label)?;
        dict.set_item("dir", if arc.towards == Towards::Start { "left" } else { "right" })?;
        arcs.append(dict)?;
    }
    let parsed = PyDict::new(py);
    parsed.set_item("words", words)?;
    parsed.set_item("arcs", arcs)?;
    Ok(parsed)
}

/// draw_page(parts, parsed, minify)
///
/// Return an HTML document around drawings, with title, language and direction of a parsed dict.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments are made for this call")]
// stub: (parsed: dict[str, Any])
fn draw_page(parts: Items<String>, parsed: &Bound<'_, PyDict>, minify: bool) -> PyResult<String> {
    Ok(render::page(&parts, &PageOptions { frame: frame(parsed, "", minify)? }))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(draw_entities, module)?)?;
    module.add_function(wrap_pyfunction!(draw_spans, module)?)?;
    module.add_function(wrap_pyfunction!(draw_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(draw_dependencies, module)?)?;
    module.add_function(wrap_pyfunction!(draw_page, module)?)?;
    module.add_function(wrap_pyfunction!(parse_tokens, module)?)
}
