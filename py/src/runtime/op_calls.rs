//! Ops that lexpool's own classes call: overriding one of them changes what these classes do.
//!
//! They are called by their typed entries. An op whose kernel was registered through C has no typed
//! entry, for example if a Python function overrides it; then it is called with boxed values.
//! Results that describe a document are validated, since an override may return anything.

use std::ops::Range;
use std::sync::LazyLock;

use lexpool::structs::{AttrId, SpanC};
use lexpool::tokens::Doc;
use lexpool_ops::plugin::{FromOwned, Numbers, RecordsC};
use lexpool_ops::{
    Counts, Failure, FailureKind, Handle, IntoOwned, Op, Ranges, Value, global, lend_doc,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::runtime::error::OrRaise;

type Fallible<T> = lexpool::Result<T>;
type Heads = Vec<Option<usize>>;

/// Defines the typed handles, each resolved on first use.
macro_rules! handles {
    ($($name:ident: $marker:ty = $op:literal;)*) => {$(
        static $name: LazyLock<Handle<$marker>> =
            LazyLock::new(|| global().handle($op).expect("one of lexpool's own ops"));
    )*

    /// Resolves all handles. Called when the module is initialised, so that no thread does it while
    /// another one forks.
    pub(crate) fn prepare() {
        $(LazyLock::force(&$name);)*
    }};
}

handles! {
    COUNT_BY: fn(&'static Doc, u32) -> Fallible<Counts> = "doc.count_by";
    SENTENCES: fn(&'static Doc) -> Fallible<Ranges> = "doc.sentences";
    LCA_MATRIX: fn(&'static Doc, usize, Option<usize>) -> Fallible<Numbers<i32>> = "doc.lca_matrix";
    EDIT_DISTANCE: fn(&'static str, &'static str, Option<usize>) -> Fallible<usize> =
        "text.edit_distance";
    IS_SIMILAR: fn(&'static str, &'static str, Option<usize>) -> Fallible<bool> = "text.is_similar";
    DOT: fn(&'static [f32], &'static [f32]) -> Fallible<f32> = "vectors.dot";
    OVERLAP: fn(&'static [SpanC]) -> bool = "spans.overlap";
    TO_BILUO: fn(Vec<&'static str>) -> Fallible<Vec<String>> = "iob.to_biluo";
    FROM_BILUO: fn(Vec<Option<&'static str>>) -> Vec<Option<String>> = "iob.from_biluo";
    PROJECTIVIZE: fn(Heads) -> Fallible<Heads> = "tree.projectivize";
}

/// `doc.count_by`: the number of occurrences of each value of an attribute.
pub(crate) fn count_by(doc: &Doc, attr: AttrId) -> PyResult<Vec<(u64, u64)>> {
    let attr = attr.number();
    let counts = call_fallible(COUNT_BY.call(doc, attr), || {
        boxed(COUNT_BY.op(), &[lend_doc(doc).value(), Value::int(attr.into())])
    })?;
    Ok(counts.0)
}

/// `doc.sentences`: the sentences of a document; ranges outside of it are an error.
pub(crate) fn sentences(doc: &Doc) -> PyResult<Vec<Range<usize>>> {
    let ranges =
        call_fallible(SENTENCES.call(doc), || boxed(SENTENCES.op(), &[lend_doc(doc).value()]))?;
    let outside = |range: &&Range<usize>| range.start > range.end || range.end > doc.len();
    if let Some(range) = ranges.0.iter().find(outside) {
        let text = format!("the sentence {range:?} in a document of {} tokens", doc.len());
        return Err(invalid_result(SENTENCES.op(), &text));
    }
    Ok(ranges.0)
}

/// `doc.lca_matrix`: `n x n` numbers for a range of `n` tokens.
pub(crate) fn lca_matrix(doc: &Doc, start: usize, end: usize) -> PyResult<Vec<i32>> {
    let matrix = call_fallible(LCA_MATRIX.call(doc, start, Some(end)), || {
        let doc_arg = lend_doc(doc);
        let owned = LCA_MATRIX.op().call(&[doc_arg.value(), position(start), position(end)])?;
        let items = owned.get().as_array().and_then(|array| array.as_slice::<i32>());
        items.map(|items| items.to_vec().into()).ok_or_else(|| {
            let text = format!("returned {}, not an array of int32", owned.get().type_name());
            LCA_MATRIX.op().explain(Failure::new(FailureKind::Type, "op-result", text))
        })
    })?;
    let (items, n) = (matrix.items, end.saturating_sub(start));
    if items.len() != n * n {
        return Err(invalid_result(
            LCA_MATRIX.op(),
            &format!("{} numbers for {n} tokens", items.len()),
        ));
    }
    Ok(items)
}

/// `text.edit_distance`.
pub(crate) fn edit_distance(a: &str, b: &str, bound: Option<usize>) -> PyResult<usize> {
    call_fallible(EDIT_DISTANCE.call(a, b, bound), || {
        boxed(EDIT_DISTANCE.op(), &[text(a)?, text(b)?, optional(bound)])
    })
}

/// `text.is_similar`.
pub(crate) fn is_similar(a: &str, pattern: &str, most: Option<usize>) -> PyResult<bool> {
    call_fallible(IS_SIMILAR.call(a, pattern, most), || {
        boxed(IS_SIMILAR.op(), &[text(a)?, text(pattern)?, optional(most)])
    })
}

/// `vectors.dot`: the dot product of two vectors of equal width.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> PyResult<f32> {
    call_fallible(DOT.call(a, b), || {
        let owned = |vector: &[f32]| Numbers::from(vector.to_vec()).into_owned();
        let (a, b) = (owned(a)?, owned(b)?);
        boxed(DOT.op(), &[a.get(), b.get()])
    })
}

/// `spans.overlap`: true if two of the spans share a token.
pub(crate) fn spans_overlap(spans: &[SpanC]) -> PyResult<bool> {
    call_infallible(OVERLAP.call(spans), || boxed(OVERLAP.op(), &[RecordsC::of(spans).value()]))
}

/// `iob.to_biluo`.
pub(crate) fn biluo_from_iob(tags: &[&str]) -> PyResult<Vec<String>> {
    call_fallible(TO_BILUO.call(tags.to_vec()), || {
        let tags = tags.iter().map(|tag| text(tag)).collect::<Result<Vec<_>, _>>()?;
        boxed(TO_BILUO.op(), &[list(&tags)?])
    })
}

/// `iob.from_biluo`.
pub(crate) fn iob_from_biluo(tags: &[Option<&str>]) -> PyResult<Vec<Option<String>>> {
    call_infallible(FROM_BILUO.call(tags.to_vec()), || {
        let values = tags.iter().map(|tag| tag.map_or(Ok(Value::NONE), text));
        let tags = values.collect::<Result<Vec<_>, _>>()?;
        boxed(FROM_BILUO.op(), &[list(&tags)?])
    })
}

/// `tree.projectivize`: the lifted heads, as many as given.
pub(crate) fn projectivize(heads: &Heads) -> PyResult<Heads> {
    let lifted = call_fallible(PROJECTIVIZE.call(heads.clone()), || {
        let heads: Vec<_> = heads.iter().map(|head| optional(*head)).collect();
        boxed(PROJECTIVIZE.op(), &[list(&heads)?])
    })?;
    if lifted.len() != heads.len() {
        let text = format!("{} heads for {} tokens", lifted.len(), heads.len());
        return Err(invalid_result(PROJECTIVIZE.op(), &text));
    }
    Ok(lifted)
}

/// The result of a typed call, or of a call with boxed values if the op has no typed entry.
#[inline]
fn call_infallible<T>(
    called: Result<T, Failure>,
    boxed: impl FnOnce() -> Result<T, Failure>,
) -> PyResult<T> {
    match called {
        Ok(found) => Ok(found),
        Err(failure) if failure.code() == "op-untyped" => boxed().map_err(to_exception),
        Err(failure) => Err(to_exception(failure)),
    }
}

/// As [`call_infallible`], for an op that may fail itself; its error is raised unchanged.
#[inline]
fn call_fallible<T>(
    called: Result<Fallible<T>, Failure>,
    boxed: impl FnOnce() -> Result<T, Failure>,
) -> PyResult<T> {
    match called {
        Ok(found) => found.or_raise(),
        Err(failure) => call_infallible(Err(failure), boxed),
    }
}

fn boxed<T: FromOwned>(op: &Op, args: &[Value<'_>]) -> Result<T, Failure> {
    T::from_owned(&op.call(args)?)
}

fn text(text: &str) -> Result<Value<'_>, Failure> {
    Value::str(text).ok_or_else(too_large)
}

fn list<'a>(values: &'a [Value<'a>]) -> Result<Value<'a>, Failure> {
    Value::list(values).ok_or_else(too_large)
}

fn too_large() -> Failure {
    Failure::new(FailureKind::Overflow, "op-size", "a value has at most 4 GiB or 2^32 items")
}

/// A position or a number of edits as a value; larger ones are clamped to `i64::MAX`.
fn position(at: usize) -> Value<'static> {
    Value::int(i64::try_from(at).unwrap_or(i64::MAX))
}

fn optional(number: Option<usize>) -> Value<'static> {
    number.map_or(Value::NONE, position)
}

/// The error for an override whose result does not fit its arguments.
fn invalid_result(op: &Op, text: &str) -> PyErr {
    PyValueError::new_err(format!("[op-result] {}() returned {text}", op.name()))
}

/// A failed call as an exception; a Python exception comes back unchanged.
fn to_exception(failure: Failure) -> PyErr {
    Python::attach(|py| crate::runtime::op_failure::raise(py, failure))
}
