//! Runs texts and documents through a pipeline, on one or several threads, in order.
//!
//! A thread takes a text, or a group of short ones, through the tokenizer and all steps before it
//! takes the next one. So a text stays in the processor's caches, and no result returns to the
//! caller between steps.

use std::fmt;
use std::iter::Peekable;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::component::{Groups, Step};
use super::group::{GROUP_TOKENS, PipelineDoc, groups_of, prefers_groups, run_steps};
use super::notes::Notes;
use crate::threads::{Job, each, each_watched};
use crate::tokenizer::{Text, TextGroup, Tokenizer, text_groups};
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

/// The number of bytes of text after which a group is complete: what a network should see at once.
/// Other components may take long for a text, and signals are checked between groups.
const GROUP_BYTES: usize = 5 * GROUP_TOKENS;
/// The number of bytes after which a group without components is complete: some 100 microseconds of
/// work.
const TOKENIZED_GROUP_BYTES: usize = 16 << 10;
/// The length in bytes up to which a thread that waits takes up a text itself, with components and
/// without. A longer one would keep it from seeing Ctrl-C.
const MAX_HELP_BYTES: usize = 8 << 10;
const MAX_TOKENIZED_HELP_BYTES: usize = 64 << 10;

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
        self.annotate_group(
            &self.tokenizer.snapshot(),
            TextGroup { first: 0, texts: vec![text] },
            stop,
        )
        .remove(0)
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
        let groups = text_groups(texts, threads, self.group_bytes());
        let snapshot = self.tokenizer.snapshot();
        let done = each(groups, threads, 1, |group| self.annotate_group(&snapshot, group, stop))?;
        Ok(done.into_iter().flatten().collect())
    }

    /// Returns whether a text takes so long that a caller who handles signals should
    /// [`submit`](Pipeline::submit) it and wait.
    pub fn is_long(&self, text: &Text) -> bool {
        self.tokenizer.is_long(text)
            || !self.steps.is_empty() && text.as_str().len() > MAX_HELP_BYTES
    }

    /// Takes the next texts of an iterator through the tokenizer and all steps, on the calling
    /// thread: as many as a network should see at once. A [long](Pipeline::is_long) text is never
    /// taken together with those before it. Positions are counted from the first of them.
    pub fn annotate_next(
        &self,
        texts: &mut Peekable<impl Iterator<Item = Text>>,
        stop: &AtomicBool,
    ) -> Vec<AnnotationResult> {
        let (mut group, mut bytes) = (TextGroup { first: 0, texts: Vec::new() }, 0);
        while bytes < self.group_bytes() {
            let may_take = |text: &Text| group.texts.is_empty() || !self.is_long(text);
            let Some(text) = texts.next_if(may_take) else { break };
            bytes += text.as_str().len();
            group.texts.push(text);
        }
        self.annotate_group(&self.tokenizer.snapshot(), group, stop)
    }

    /// Hands texts to a thread pool and returns at once. The results of the job are those of groups
    /// of consecutive texts; the caller may help with short ones. New words go to the memory zone
    /// that is open now, even if it is closed before the work ends.
    ///
    /// # Errors
    ///
    /// `threads` if no thread can be started.
    pub fn submit(&self, texts: Vec<Text>, threads: usize) -> Result<Job<Vec<AnnotationResult>>> {
        let (pipeline, snapshot) = (self.clone(), self.tokenizer.snapshot());
        let groups = text_groups(texts, threads, self.group_bytes());
        let longest = if self.steps.is_empty() { MAX_TOKENIZED_HELP_BYTES } else { MAX_HELP_BYTES };
        let is_short =
            |group: &TextGroup| group.texts.iter().all(|text| text.as_str().len() <= longest);
        Job::each(groups, threads, is_short, move |group, stop| {
            pipeline.annotate_group(&snapshot, group, stop)
        })
    }

    fn group_bytes(&self) -> usize {
        if self.steps.is_empty() { TOKENIZED_GROUP_BYTES } else { GROUP_BYTES }
    }

    fn annotate_group(
        &self,
        snapshot: &VocabSnapshot,
        group: TextGroup,
        stop: &AtomicBool,
    ) -> Vec<AnnotationResult> {
        let TextGroup { first, texts } = group;
        let mut tokenized = self.tokenizer.tokenize_group(snapshot, texts, stop);
        let mut items: Vec<PipelineDoc<'_>> = Vec::new();
        if !self.steps.is_empty() {
            let docs = tokenized.iter_mut().filter_map(|doc| doc.as_mut().ok());
            items.extend(docs.map(|doc| PipelineDoc::new(doc, Groups::new())));
            run_steps(&self.steps, &mut items, Some(stop));
        }
        let parts = items.into_iter().map(|item| (item.groups, item.notes, item.result));
        let mut parts = parts.collect::<Vec<_>>().into_iter();
        let results = (first..).zip(tokenized).map(|(position, doc)| {
            let doc = doc.map_err(|error| {
                Box::new(FailedDoc { error, step: None, position, annotated: None })
            })?;
            let (groups, notes, result) = parts.next().unwrap_or_default();
            let annotated = AnnotatedDoc { doc, groups, notes };
            match result {
                Some(Err((at, error))) => {
                    let step = Some((at, self.steps[at].name.clone()));
                    Err(Box::new(FailedDoc { error, step, position, annotated: Some(annotated) }))
                }
                _ => Ok(annotated),
            }
        });
        results.collect()
    }
}

/// Takes documents through steps in place, on `threads` threads (0: one for each core; 1: the
/// calling thread only).
///
/// Each document gets its own [`result`](PipelineDoc::result); a failing document does not affect
/// the others. `watch` is called on the calling thread every 50 ms, or between groups of documents
/// if that thread works alone. Once it fails, no further document is begun, and documents that were
/// not begun are unchanged.
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
