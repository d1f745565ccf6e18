//! Groups of documents that go through the steps of a pipeline together.
//!
//! A network reads its weights once for a group: for sentences that takes half of the time that the
//! documents would take one after another. Results do not depend on the group. A component first
//! predicts for all documents of a group without changing them; if that fails, because one document
//! is wrong, each is annotated alone, so that the error belongs to that document.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::component::{Annotation, Groups, Step};
use super::notes::Notes;
use crate::tokens::Doc;
use crate::{Error, ErrorKind, Result, codes};

/// The number of tokens after which a group is complete: then the time to read weights is a small
/// part of the time to compute with them, and the rows of a group stay in the processor's caches.
pub(super) const GROUP_TOKENS: usize = 512;

/// A document on its way through the steps of a pipeline.
pub struct PipelineDoc<'a> {
    /// The document.
    pub doc: &'a mut Doc,
    /// The span groups that the steps read; after the run, as the steps have left them.
    pub groups: Groups,
    /// The results of the steps that the document has no place for.
    pub notes: Notes,
    /// The result of the run: the number and the error of the step that failed. `None` until the
    /// document was processed.
    pub result: Option<Result<(), (usize, Error)>>,
}

impl<'a> PipelineDoc<'a> {
    /// Returns a document that was not processed yet.
    pub fn new(doc: &'a mut Doc, groups: Groups) -> PipelineDoc<'a> {
        PipelineDoc { doc, groups, notes: Notes::new(), result: None }
    }
}

/// Returns whether a step gains by groups.
pub(super) fn prefers_groups(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.component.prefers_groups())
}

/// Divides documents into groups of about [`GROUP_TOKENS`] tokens.
pub(super) fn groups_of<'d, 'a>(
    steps: &[Step],
    docs: &'d mut [PipelineDoc<'a>],
) -> Vec<&'d mut [PipelineDoc<'a>]> {
    let most = if prefers_groups(steps) { GROUP_TOKENS } else { 0 };
    let (mut groups, mut rest) = (Vec::new(), docs);
    while !rest.is_empty() {
        let mut tokens = 0;
        let is_full = |item: &PipelineDoc<'_>| {
            tokens += item.doc.len();
            tokens >= most
        };
        let len = rest.iter().position(is_full).map_or(rest.len(), |last| last + 1);
        let (group, after) = rest.split_at_mut(len);
        groups.push(group);
        rest = after;
    }
    groups
}

/// Takes the documents of a group through all steps: together if a step prefers that, else one
/// after another. Documents with a result are left as they are. Once `stop` is set, documents fail
/// with
/// `stopped` before their next step.
pub(super) fn run_steps(steps: &[Step], docs: &mut [PipelineDoc<'_>], stop: Option<&AtomicBool>) {
    if prefers_groups(steps) {
        run_together(steps, docs, stop);
    } else {
        docs.chunks_mut(1).for_each(|alone| run_together(steps, alone, stop));
    }
}

fn run_together(steps: &[Step], docs: &mut [PipelineDoc<'_>], stop: Option<&AtomicBool>) {
    for (at, step) in steps.iter().enumerate() {
        let mut active: Vec<_> = docs.iter_mut().filter(|item| item.result.is_none()).collect();
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            for item in active {
                let text = "the work was stopped";
                let error = Error::new(ErrorKind::Interrupted, codes::STOPPED, text);
                item.result = Some(Err((at, error)));
            }
            return;
        }
        let results = apply_step(step, &mut active);
        for (item, result) in active.into_iter().zip(results) {
            item.result = result.err().map(|error| Err((at, error)));
        }
    }
    for item in docs.iter_mut().filter(|item| item.result.is_none()) {
        item.result = Some(Ok(()));
    }
}

/// Applies a step to the documents of a group; returns a result for each.
fn apply_step(step: &Step, docs: &mut [&mut PipelineDoc<'_>]) -> Vec<Result<()>> {
    if let Some(annotations) = predict(step, docs) {
        let pairs = docs.iter_mut().zip(annotations);
        return pairs.map(|(item, annotate)| change(item, annotate)).collect();
    }
    let component = &step.component;
    let alone = docs
        .iter_mut()
        .map(|item| change(item, |doc, groups, notes| component.apply_noting(doc, groups, notes)));
    alone.collect()
}

/// Predicts for all documents at once; `None` if each is to be annotated alone.
fn predict<'s>(step: &'s Step, docs: &[&mut PipelineDoc<'_>]) -> Option<Vec<Annotation<'s>>> {
    if docs.len() < 2 || !step.component.prefers_groups() {
        return None;
    }
    let docs: Vec<&Doc> = docs.iter().map(|item| &*item.doc).collect();
    // Documents are only read, so after a panic they are as they were.
    let predicted = catch_unwind(AssertUnwindSafe(|| step.component.predict(&docs)));
    let annotations = predicted.ok()?.ok()?;
    (annotations.len() == docs.len()).then_some(annotations)
}

/// Changes a document, and converts a panic to an error.
fn change(
    item: &mut PipelineDoc<'_>,
    function: impl FnOnce(&mut Doc, &mut Groups, &mut Notes) -> Result<()>,
) -> Result<()> {
    let PipelineDoc { doc, groups, notes, .. } = item;
    // Every change of a document leaves its records and tables readable, so a document may be used
    // after a component panicked.
    let applied = AssertUnwindSafe(|| function(doc, groups, notes));
    let done = catch_unwind(applied).unwrap_or_else(|payload| {
        let text =
            format!("the component panicked, which is a bug in it: {}", panic_text(&*payload));
        Err(Error::new(ErrorKind::State, codes::COMPONENT_PANIC, text))
    });
    // The component may have merged or split tokens.
    for group in groups.values_mut() {
        group.follow(doc);
    }
    done
}

/// Returns the message of a panic.
fn panic_text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests;
