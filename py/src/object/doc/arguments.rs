//! Annotation arguments of `Doc()`: converted from Python, and validated in spaCy's order, so that
//! of two errors both libraries raise the same one.

use lexpool::tokens::{Annotations, Doc};
use pyo3::exceptions::{PyAttributeError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyString};

use crate::object::vocab::PyVocab;
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::text;

/// The arguments of `Doc()` that have one item for each word.
pub(crate) struct DocArguments<'a, 'py> {
    pub(crate) tags: Option<&'a Bound<'py, PyAny>>,
    pub(crate) pos: Option<&'a Bound<'py, PyAny>>,
    pub(crate) morphs: Option<&'a Bound<'py, PyAny>>,
    pub(crate) lemmas: Option<&'a Bound<'py, PyAny>>,
    pub(crate) heads: Option<&'a Bound<'py, PyAny>>,
    pub(crate) deps: Option<&'a Bound<'py, PyAny>>,
    pub(crate) sent_starts: Option<&'a Bound<'py, PyAny>>,
    pub(crate) ents: Option<&'a Bound<'py, PyAny>>,
}

impl<'py> DocArguments<'_, 'py> {
    /// Sets the annotation on a new document.
    ///
    /// # Errors
    ///
    /// Those that `Doc()` documents, in this order: heads that are not numbers, E1017, E1021, E177,
    /// E189, E017, heads beyond 32 bits, wrong features, E190.
    pub(crate) fn put_on(&self, doc: &mut Doc, vocab: &Bound<'py, PyVocab>) -> PyResult<()> {
        let mut lists = Annotations::default();
        // Errors that are raised only if the forms and lengths of all lists are right.
        let (mut heads_fault, mut faults) = (None, Vec::new());
        lists.heads = read(self.heads, |heads| heads_of(heads, &mut heads_fault))?;
        lists.deps = read(self.deps, |deps| Ok(names(deps, &mut faults)))?;
        lists.check_forms().or_raise()?;
        lists.sent_starts = read(self.sent_starts, |starts| starts.iter().map(start).collect())?;
        lists.pos = read(self.pos, |pos| pos.iter().map(pos_name).collect())?;
        lists.check_forms().or_raise()?;
        lists.ents = read(self.ents, ent_tags)?;
        let filled =
            |names: Vec<Option<String>>| names.into_iter().map(Option::unwrap_or_default).collect();
        lists.lemmas = read(self.lemmas, |lemmas| Ok(names(lemmas, &mut faults)))?.map(filled);
        lists.tags = read(self.tags, |tags| Ok(names(tags, &mut faults)))?.map(filled);
        let morphs = self.morphs.map(|morphs| items::read(morphs, Ok)).transpose()?;
        // Their ids are set below: adding an analysis may fail, and changes the vocab.
        lists.morphs = morphs.as_ref().map(|morphs| vec![0; morphs.len()]);
        lists.check_forms().or_raise()?;
        lists.check_lengths(doc.len()).or_raise()?;
        faults.extend(morphs.iter().flatten().find_map(|morph| check_morph(morph).err()));
        if let Some(fault) = faults.into_iter().next().or(heads_fault) {
            return Err(fault);
        }
        if let Some(morphs) = morphs {
            let morphology = vocab.getattr("morphology")?;
            let id = |morph| morphology.call_method1("add", (morph,))?.extract();
            lists.morphs = Some(morphs.into_iter().map(id).collect::<PyResult<_>>()?);
        }
        doc.annotate(&lists).or_raise()
    }
}

/// Applies `f` to the items, if an argument was given.
fn read<'py, T>(
    given: Option<&Bound<'py, PyAny>>,
    f: impl FnOnce(&[Bound<'py, PyAny>]) -> PyResult<T>,
) -> PyResult<Option<T>> {
    given.map(|given| f(&items::read(given, Ok)?)).transpose()
}

/// The names in a list; the error for the first other item is pushed to `faults`.
fn names(items: &[Bound<'_, PyAny>], faults: &mut Vec<PyErr>) -> Vec<Option<String>> {
    let mut first = None;
    let mut name = |item: &Bound<'_, PyAny>| {
        name_of(item).unwrap_or_else(|fault| {
            first.get_or_insert(fault);
            None
        })
    };
    let names = items.iter().map(&mut name).collect();
    faults.extend(first);
    names
}

/// A name or `None`; bytes of UTF-8 are accepted, as in a string store.
fn name_of(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if object.is_none() {
        return Ok(None);
    }
    if let Ok(name) = object.cast::<PyString>() {
        return Ok(Some(text::utf8(name)?.into_owned()));
    }
    if let Ok(name) = object.cast::<PyBytes>() {
        return Ok(Some(String::from_utf8(name.as_bytes().to_vec())?));
    }
    let text = format!("[E017] annotation must be strings, not {object:?}");
    Err(PyTypeError::new_err(text))
}

fn pos_name(object: &Bound<'_, PyAny>) -> PyResult<String> {
    match object.cast::<PyString>() {
        Ok(name) => Ok(text::utf8(name)?.into_owned()),
        Err(_) if object.is_none() => Ok(String::new()),
        Err(_) => {
            let text = "not a part of speech; parts_of_speech.IDS has all of them";
            Err(PyValueError::new_err(format!("[E1021] {object:?} is {text}")))
        }
    }
}

/// Checks that features are text; an empty value is added with a warning.
fn check_morph(morph: &Bound<'_, PyAny>) -> PyResult<()> {
    if morph.is_instance_of::<PyString>()
        || morph.is_instance_of::<PyBytes>()
        || !morph.is_truthy()?
    {
        return Ok(());
    }
    let text = format!("[E017] morphs must be strings such as \"Number=Sing\", not {morph:?}");
    Err(PyTypeError::new_err(text))
}

/// Heads as positions. For a fraction, the integer part of its distance from the token is used.
///
/// The error for the first distance beyond 32 bits is stored in `fault`.
///
/// # Errors
///
/// `TypeError` for an object that a position cannot be subtracted from.
fn heads_of(heads: &[Bound<'_, PyAny>], fault: &mut Option<PyErr>) -> PyResult<Vec<Option<i64>>> {
    let mut head_of = |(i, head): (i64, &Bound<'_, PyAny>)| {
        if head.is_none() {
            return Ok(None);
        }
        let distance = match head.extract::<i64>() {
            Ok(head) => Ok(head.checked_sub(i)),
            Err(_) if head.is_instance_of::<PyInt>() => Ok(None),
            Err(_) => whole(&head.sub(i).map_err(|error| no_position(error, head, i))?),
        };
        let distance = distance.map(|it| it.filter(|it| i32::try_from(*it).is_ok()));
        match distance {
            Ok(Some(distance)) => return Ok(Some(i + distance)),
            Ok(None) => fault.get_or_insert_with(|| {
                let text = "is farther away than 32 bits can represent";
                PyOverflowError::new_err(format!("head {head:?} of token {i} {text}"))
            }),
            Err(error) => fault.get_or_insert_with(|| no_position(error, head, i)),
        };
        Ok(None)
    };
    (0..).zip(heads).map(&mut head_of).collect()
}

/// The integer part of a number; `None` beyond 64 bits.
fn whole(number: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    let py = number.py();
    match py.get_type::<PyInt>().call1((number,)).and_then(|whole| whole.extract()) {
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => Ok(None),
        whole => whole.map(Some),
    }
}

/// The error for an invalid head, of the class that Python raised when calculating with it.
fn no_position(error: PyErr, head: &Bound<'_, PyAny>, i: i64) -> PyErr {
    let py = head.py();
    let text = format!("head {head:?} of token {i} is not the position of a token: {error}");
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(text)
    } else if error.is_instance_of::<PyValueError>(py) {
        PyValueError::new_err(text)
    } else {
        error
    }
}

/// A sentence start: 1 for True, -1 for False, 0 for any other value.
fn start(object: &Bound<'_, PyAny>) -> PyResult<i8> {
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(if flag.is_true() { 1 } else { -1 });
    }
    for number in [-1, 1] {
        if object.eq(number)? {
            return Ok(number);
        }
    }
    Ok(0)
}

/// Entity tags; the core checks their form.
fn ent_tags(tags: &[Bound<'_, PyAny>]) -> PyResult<Vec<Option<String>>> {
    let mut read: Vec<Option<String>> = Vec::with_capacity(tags.len());
    for tag in tags {
        if tag.is_none() {
            read.push(None);
        } else if let Ok(tag) = tag.cast::<PyString>() {
            read.push(Some(text::utf8(tag)?.into_owned()));
        } else {
            let text =
                "[E177] expected \"B-TYPE\", \"I-TYPE\", \"O\" or None as an entity tag, not";
            let text = format!("{text} {tag:?} of token {}", read.len());
            // After such a tag spaCy already reads the next one, as a string, to see whether the
            // entity continues.
            let is_asked = |before: &Option<String>| {
                let before = before.as_deref().unwrap_or_default();
                before.is_empty() || before.starts_with(['O', 'B', 'I'])
            };
            return Err(if read.last().is_some_and(is_asked) {
                PyAttributeError::new_err(text)
            } else {
                PyValueError::new_err(text)
            });
        }
    }
    Ok(read)
}
