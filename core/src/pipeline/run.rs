//! Runs texts and documents through a pipeline, on one or several threads, in order.
//!
//! A thread takes a text, or a group of short ones, through the tokenizer and all steps before it
//! takes the next one. So a text stays in the processor's caches, and no result returns to the
//! caller between steps.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::component::{Groups, Step};
use super::group::{GROUP_TOKENS, PipelineDoc, groups_of, prefers_groups, run_steps};
use super::notes::Notes;
use crate::threads::{Job, all_cores, each, each_watched};
use crate::tokenizer::{Text, Tokenizer};
use crate::tokens::Doc;
use crate::vocab::VocabSnapshot;
use crate::{Error, Result};

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

/// The number of bytes of text after which a group is complete.
const GROUP_BYTES: usize = 5 * GROUP_TOKENS;
/// The minimum number of groups for each thread, so that the last ones do not wait for long.
const GROUPS_PER_THREAD: usize = 4;

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

    /// Returns whether a step takes less time for several documents at once.
    pub fn prefers_groups(&self) -> bool {
        prefers_groups(&self.steps)
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
        let snapshot = self.tokenizer.vocab().snapshot();
        self.annotate_group(&snapshot, vec![(0, text)], stop).remove(0)
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
        let groups = text_groups(texts, threads);
        let snapshot = self.tokenizer.vocab().snapshot();
        let done = each(groups, threads, 1, |group| self.annotate_group(&snapshot, group, stop))?;
        Ok(done.into_iter().flatten().collect())
    }

    /// Takes the next texts of an iterator through the tokenizer and all steps, on the calling
    /// thread: as many as a network should see at once. Positions are counted from the first of
    /// them.
    pub fn annotate_next(
        &self,
        texts: &mut impl Iterator<Item = Text>,
        stop: &AtomicBool,
    ) -> Vec<AnnotationResult> {
        let (mut group, mut bytes) = (Vec::new(), 0);
        for text in texts.by_ref() {
            bytes += text.as_str().len();
            group.push((group.len(), text));
            if bytes >= GROUP_BYTES {
                break;
            }
        }
        self.annotate_group(&self.tokenizer.vocab().snapshot(), group, stop)
    }

    /// Submits texts to a thread pool and returns at once. New words go to the memory zone that is
    /// open now, as for [`Tokenizer::submit`].
    ///
    /// # Errors
    ///
    /// `threads` if no thread can be started.
    pub fn submit(&self, texts: Vec<Text>, threads: usize) -> Result<Job<Vec<AnnotationResult>>> {
        let (pipeline, snapshot) = (self.clone(), self.tokenizer.vocab().snapshot());
        Job::each_flat(text_groups(texts, threads), threads, move |group, stop| {
            pipeline.annotate_group(&snapshot, group, stop)
        })
    }

    fn annotate_group(
        &self,
        snapshot: &VocabSnapshot,
        texts: Vec<(usize, Text)>,
        stop: &AtomicBool,
    ) -> Vec<AnnotationResult> {
        let mut tokenized: Vec<Result<Doc>> = Vec::with_capacity(texts.len());
        let mut positions = Vec::with_capacity(texts.len());
        for (position, text) in texts {
            positions.push(position);
            tokenized.push(self.tokenizer.tokenize_one(snapshot, text, stop));
        }
        let docs = tokenized.iter_mut().filter_map(|doc| doc.as_mut().ok());
        let mut items: Vec<_> = docs.map(|doc| PipelineDoc::new(doc, Groups::new())).collect();
        run_steps(&self.steps, &mut items, Some(stop));
        let parts = items.into_iter().map(|item| (item.groups, item.notes, item.result));
        let mut parts = parts.collect::<Vec<_>>().into_iter();
        let results = positions.into_iter().zip(tokenized).map(|(position, doc)| {
            let doc = doc.map_err(|error| {
                Box::new(FailedDoc { error, step: None, position, annotated: None })
            })?;
            let (groups, notes, result) = parts.next().unwrap_or_default();
            let made = AnnotatedDoc { doc, groups, notes };
            match result {
                Some(Err((at, error))) => {
                    let step = Some((at, self.steps[at].name.clone()));
                    Err(Box::new(FailedDoc { error, step, position, annotated: Some(made) }))
                }
                _ => Ok(made),
            }
        });
        results.collect()
    }
}

/// Divides texts into groups, smaller ones if there are too few for all threads.
fn text_groups(texts: Vec<Text>, threads: usize) -> Vec<Vec<(usize, Text)>> {
    let bytes: usize = texts.iter().map(|text| text.as_str().len()).sum();
    let n_threads = if threads == 0 { all_cores() } else { threads };
    let most = GROUP_BYTES.min(bytes / n_threads.saturating_mul(GROUPS_PER_THREAD));
    let (mut groups, mut group, mut bytes) = (Vec::new(), Vec::new(), 0);
    for (position, text) in texts.into_iter().enumerate() {
        bytes += text.as_str().len();
        group.push((position, text));
        if bytes >= most {
            groups.push(std::mem::take(&mut group));
            bytes = 0;
        }
    }
    groups.extend((!group.is_empty()).then_some(group));
    groups
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
    let mut groups = groups_of(steps, docs);
    each_watched(&mut groups, threads, watch, |group, stop| {
        if !stop.load(Ordering::Relaxed) {
            run_steps(steps, group, None);
        }
    })
}

#[cfg(test)]
mod tests;
