//! Runs texts and documents through a pipeline, on one or several threads, in order.
//!
//! A thread takes a text through the tokenizer and all steps before it takes the next one. So a
//! text stays in the processor's caches, and no result returns to the caller between steps.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::component::{Groups, Step};
use super::notes::Notes;
use crate::codes;
use crate::threads::{Job, each, each_watched};
use crate::tokenizer::{Text, Tokenizer};
use crate::tokens::Doc;
use crate::vocab::VocabSnapshot;
use crate::{Error, ErrorKind, Result};

/// A tokenizer and the steps that its documents go through.
///
/// A pipeline is immutable and cheap to clone, and any number of threads can share it.
///
/// ```
/// use std::sync::Arc;
/// use lexpool::pipeline::{Component, Groups, Pipeline, Step};
/// use lexpool::tokenizer::{Text, Tokenizer};
/// use lexpool::tokens::{Doc, SpanGroup};
///
/// struct Marked;
/// impl Component for Marked {
///     fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> lexpool::Result<()> {
///         groups.insert(format!("{} tokens", doc.len()), SpanGroup::new(doc));
///         Ok(())
///     }
/// }
///
/// let step = Step { name: "marked".to_owned(), component: Arc::new(Marked) };
/// let pipeline = Pipeline::new(Arc::new(Tokenizer::blank("en")?), vec![step]);
/// let texts = ["One.", "Two, three."].map(|text| Text::Owned(text.to_owned()));
/// let done = pipeline.annotate_texts(texts.into(), 2, &Default::default())?;
/// let second = done[1].as_ref().unwrap();
/// assert!(second.groups.contains_key("4 tokens"));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct Pipeline {
    tokenizer: Arc<Tokenizer>,
    steps: Arc<[Step]>,
}

/// A document with the other results of its components.
pub struct AnnotatedDoc {
    /// The document.
    pub doc: Doc,
    /// The span groups.
    pub groups: Groups,
    /// The results that the document has no place for, such as categories.
    pub notes: Notes,
}

/// The result of one text.
pub type AnnotationResult = Result<AnnotatedDoc, Box<FailedDoc>>;

/// A document that failed: the error, the step, and the document as it was before that step.
pub struct FailedDoc {
    /// The error.
    pub error: Error,
    /// The step's position in the pipeline, and its name; `None` if the tokenizer failed.
    pub step: Option<(usize, String)>,
    /// The text's position in its batch.
    pub position: usize,
    /// The document after the steps before; after a panic, as the panicking step has left it.
    /// `None` if the tokenizer failed.
    pub annotated: Option<AnnotatedDoc>,
}

impl FailedDoc {
    /// Returns the error with the step and the position in its message.
    pub fn into_error(self) -> Error {
        let place = match &self.step {
            Some((_, name)) => format!("document {}, component '{name}'", self.position),
            None => format!("document {}", self.position),
        };
        self.error.context(place)
    }
}

impl fmt::Debug for FailedDoc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FailedDoc { error, step, position, .. } = self;
        write!(f, "FailedDoc {{ position: {position}, step: {step:?}, error: {error} }}")
    }
}

/// The minimum number of texts that a thread takes at once: few, because steps may take long.
const MIN_SHARE: usize = 2;

impl Pipeline {
    /// Returns a pipeline with the given steps in order.
    pub fn new(tokenizer: Arc<Tokenizer>, steps: Vec<Step>) -> Pipeline {
        Pipeline { tokenizer, steps: steps.into() }
    }

    /// Returns the tokenizer.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        &self.tokenizer
    }

    /// Returns the steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Takes a text through the tokenizer and all steps, on the calling thread.
    ///
    /// `stop` is checked before each step, and repeatedly while a long text is tokenized.
    ///
    /// # Errors
    ///
    /// The error of the tokenizer or of the first step that fails; `stopped` once `stop` is set;
    /// `component-panic` for a component that panicked.
    pub fn annotate(&self, text: Text, stop: &AtomicBool) -> AnnotationResult {
        self.annotate_at(&self.tokenizer.vocab().snapshot(), 0, text, stop)
    }

    /// Takes texts through the tokenizer and all steps on `threads` threads (0: one for each core;
    /// 1: the calling thread only). Results are in the order of the texts; a failing text does not
    /// affect the others.
    ///
    /// # Errors
    ///
    /// `threads` if no thread can be started.
    pub fn annotate_texts(
        &self,
        texts: Vec<Text>,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<AnnotationResult>> {
        let texts = texts.into_iter().enumerate().collect();
        let snapshot = self.tokenizer.vocab().snapshot();
        each(texts, threads, self.share(), |(at, text)| self.annotate_at(&snapshot, at, text, stop))
    }

    /// Submits texts to a thread pool and returns at once. New words go to the memory zone that is
    /// open now, as for [`Tokenizer::submit`].
    ///
    /// # Errors
    ///
    /// `threads` if no thread can be started.
    pub fn submit(&self, texts: Vec<Text>, threads: usize) -> Result<Job<Vec<AnnotationResult>>> {
        let (pipeline, snapshot) = (self.clone(), self.tokenizer.vocab().snapshot());
        let texts = texts.into_iter().enumerate().collect();
        Job::each(texts, threads, self.share(), move |(at, text), stop| {
            pipeline.annotate_at(&snapshot, at, text, stop)
        })
    }

    fn share(&self) -> usize {
        if self.steps.is_empty() { 4 * MIN_SHARE } else { MIN_SHARE }
    }

    fn annotate_at(
        &self,
        snapshot: &VocabSnapshot,
        position: usize,
        text: Text,
        stop: &AtomicBool,
    ) -> AnnotationResult {
        let doc = match self.tokenizer.tokenize_one(snapshot, text, stop) {
            Ok(doc) => doc,
            Err(error) => {
                return Err(Box::new(FailedDoc { error, step: None, position, annotated: None }));
            }
        };
        let mut made = AnnotatedDoc { doc, groups: Groups::new(), notes: Notes::new() };
        for (at, step) in self.steps.iter().enumerate() {
            let done = if stop.load(Ordering::Relaxed) {
                Err(Error::new(ErrorKind::Interrupted, codes::STOPPED, "the work was stopped"))
            } else {
                apply_step(step, &mut made.doc, &mut made.groups, &mut made.notes)
            };
            if let Err(error) = done {
                let step = Some((at, step.name.clone()));
                return Err(Box::new(FailedDoc { error, step, position, annotated: Some(made) }));
            }
        }
        Ok(made)
    }
}

/// An existing document on its way through the steps of a pipeline.
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

/// Takes documents through steps in place, on `threads` threads (0: one for each core; 1: the
/// calling thread only).
///
/// Each document gets its own [`result`](PipelineDoc::result); a failing document does not affect
/// the others. `watch` is called on the calling thread every 50 ms. Once it fails, no further
/// document is begun, and documents that were not begun are unchanged.
///
/// # Errors
///
/// The error of `watch`; `threads` if no thread can be started.
pub fn annotate_all(
    steps: &[Step],
    docs: &mut [PipelineDoc<'_>],
    threads: usize,
    watch: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    each_watched(docs, threads, watch, |item, stop| {
        if stop.load(Ordering::Relaxed) || item.result.is_some() {
            return;
        }
        let PipelineDoc { doc, groups, notes, result } = item;
        let failed = |(at, step)| Some((at, apply_step(step, doc, groups, notes).err()?));
        let failed = steps.iter().enumerate().find_map(failed);
        *result = Some(failed.map_or(Ok(()), Err));
    })
}

/// Applies a step to a document, and converts a panic to an error.
fn apply_step(step: &Step, doc: &mut Doc, groups: &mut Groups, notes: &mut Notes) -> Result<()> {
    // Every change of a document leaves its records and tables readable, so a document may be used
    // after a component panicked.
    let applied = AssertUnwindSafe(|| step.component.apply_noting(doc, groups, notes));
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
