//! Figures of spans.

use lexpool::structs::SpanC;
use lexpool_training::scoring::{self, ScoredSpan, SpanCounts, SpanSettings};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::example::examples_of;
use super::figures::dict_by_name;
use super::getter::Getter;
use crate::object::doc::PyDoc;
use crate::object::span::PySpan;
use crate::object::span_group::PySpanGroup;
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::user_calls::{CallUser, nested};

/// Returns the scores of the predicted spans that `getter` returns for a document and `attr`.
///
/// getter: `getattr` by default. Its spans are read without Python if they are of the document.
/// has_annotation: returns whether a document has annotation of such spans; examples with a
///     reference without it are left out.
/// labeled: whether labels are compared, and scored separately.
/// allow_overlap: whether overlapping predicted spans are all counted.
///
/// The keys are `{attr}_p`, `_r`, `_f`, and if labeled `_per_type`; scores without data are None.
#[pyfunction]
#[pyo3(signature = (examples, attr, *, getter=None, has_annotation=None, labeled=true,
                    allow_overlap=false, **_more))]
// stub: (examples: Iterable[Example], attr: str,
//     getter: Callable[[Doc, str], Iterable[Any]] | None,
//     has_annotation: Callable[[Doc], object] | None, labeled: bool, allow_overlap: bool)
//     -> dict[str, Any]
pub(super) fn score_spans<'py>(
    examples: &Bound<'py, PyAny>,
    attr: &Bound<'py, PyAny>,
    getter: Option<&Bound<'py, PyAny>>,
    has_annotation: Option<&Bound<'py, PyAny>>,
    labeled: bool,
    allow_overlap: bool,
    _more: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = examples.py();
    let getter = Getter::of(attr, getter)?;
    let is_annotated = |doc: &Bound<'py, PyDoc>| match has_annotation {
        Some(has_annotation) => has_annotation.call_user((doc,))?.is_truthy(),
        None => Ok(true),
    };
    let settings = SpanSettings { labeled, allow_overlap };
    let mut counts = SpanCounts::new(settings);
    for example in examples_of(examples)? {
        let example = example?;
        if !is_annotated(&example.reference)? {
            continue;
        }
        let gold = Spans::of(&getter, &example.reference)?;
        let mut pred = Spans::Records(Vec::new());
        if is_annotated(&example.predicted)? {
            pred = Spans::of(&getter, &example.predicted)?;
        }
        match (gold, pred) {
            (Spans::Records(gold), Spans::Records(pred)) => {
                example.with(|pair| counts.add_records(pair, &gold, &pred))?;
            }
            (gold, pred) => {
                let pred = pred.objects(&getter, &example.predicted)?;
                let aligned = example.aligned_spans(&pred, allow_overlap)?;
                let gold = gold.objects(&getter, &example.reference)?;
                let [gold, pred, aligned] = [gold, pred, aligned].map(|of| scored_spans(&of));
                let pred = pred?;
                counts.add(&gold?, pred.iter().map(|span| span.label.as_str()), &aligned?);
            }
        }
    }
    dict_by_name(py, counts.scores(&getter.attr()?))
}

/// The spans that a getter returns for a document.
enum Spans<'py> {
    /// Spans of the document itself.
    Records(Vec<SpanC>),
    /// Any objects that have the attributes of spans.
    Objects(Vec<Bound<'py, PyAny>>),
}

impl<'py> Spans<'py> {
    fn of(getter: &Getter<'py>, doc: &Bound<'py, PyDoc>) -> PyResult<Spans<'py>> {
        let py = doc.py();
        if getter.is_plain("sents") && doc.get().hook(py, "user_hooks", "sents")?.is_none() {
            return Ok(Spans::Records(scoring::sentence_spans(&*doc.get().read(py)?).or_raise()?));
        }
        if getter.is_plain("ents") {
            return Ok(Spans::Records(doc.get().read(py)?.entities().spans().or_raise()?));
        }
        let spans = getter.call(doc)?;
        if let Ok(group) = spans.cast::<PySpanGroup>() {
            if group.get().is_of(doc) {
                return Ok(Spans::Records(group.get().group_of(doc)?.spans().to_vec()));
            }
        }
        let objects = nested(py, || items::read(&spans, Ok))?;
        Ok(match records_of(doc, &objects)? {
            Some(records) => Spans::Records(records),
            None => Spans::Objects(objects),
        })
    }

    /// Returns the spans as objects, for which the getter may be called again.
    fn objects(
        self,
        getter: &Getter<'py>,
        doc: &Bound<'py, PyDoc>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        match self {
            Spans::Objects(objects) => Ok(objects),
            Spans::Records(records) if records.is_empty() => Ok(Vec::new()),
            Spans::Records(_) => {
                let spans = getter.call(doc)?;
                nested(doc.py(), || items::read(&spans, Ok))
            }
        }
    }
}

/// Returns the records of spans; `None` unless all are spans of the document.
fn records_of(doc: &Bound<'_, PyDoc>, spans: &[Bound<'_, PyAny>]) -> PyResult<Option<Vec<SpanC>>> {
    let py = doc.py();
    let mut records = Vec::with_capacity(spans.len());
    for span in spans {
        match span.cast::<PySpan>() {
            Ok(span) if span.get().owner(py).is(doc) => records.push(span.get().record(py)?),
            _ => return Ok(None),
        }
    }
    Ok(Some(records))
}

fn scored_spans(spans: &[Bound<'_, PyAny>]) -> PyResult<Vec<ScoredSpan>> {
    let scored = |span: &Bound<'_, PyAny>| {
        Ok(ScoredSpan {
            label: span.getattr("label_")?.extract()?,
            start: span.getattr("start")?.extract()?,
            end: span.getattr("end")?.extract()?,
        })
    };
    spans.iter().map(scored).collect()
}
