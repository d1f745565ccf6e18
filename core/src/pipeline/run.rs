//! Texts and documents through a whole pipeline: one, or many on threads, in order.
//!
//! A thread takes a text through the tokenizer and all steps before it takes the next, so a text is in
//! its caches from the first to the last, and nothing comes back to the caller in between.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Groups, Notes, Step};
use crate::threads::{Job, each, each_watched};
use crate::tokenizer::{Text, Tokenizer};
use crate::tokens::Doc;
use crate::vocab::VocabSnapshot;
use crate::{Error, ErrorKind, Result};

/// A tokenizer with the steps that its documents go through.
///
/// It does not change, costs little to copy, and can be shared by any number of threads.
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

/// A document, with what components have found beside its annotation.
pub struct Annotated {
    /// The document.
    pub doc: Doc,
    /// Its groups of spans.
    pub groups: Groups,
    /// What else was found.
    pub notes: Notes,
}

/// What became of one text.
pub type Outcome = Result<Annotated, Box<Failed>>;

/// Why a document is not whole: the step, the error, and the document as it was before that step.
pub struct Failed {
    /// What was wrong.
    pub error: Error,
    /// The step's position in the pipeline, and its name; none if the tokenizer failed.
    pub step: Option<(usize, String)>,
    /// The text's position in its batch.
    pub position: usize,
    /// As the steps before it have left it; after a panic, as the step has. None where there is none.
    pub annotated: Option<Annotated>,
}

impl Failed {
    /// The error, with step and position in its text.
    pub fn into_error(self) -> Error {
        let place = match &self.step {
            Some((_, name)) => format!("document {}, component '{name}'", self.position),
            None => format!("document {}", self.position),
        };
        self.error.context(place)
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failed { error, step, position, .. } = self;
        write!(f, "Failed {{ position: {position}, step: {step:?}, error: {error} }}")
    }
}

/// How many texts a thread takes at the least: few, since steps may take long.
const SHARE: usize = 2;

impl Pipeline {
    /// A pipeline of these steps, in this order.
    pub fn new(tokenizer: Arc<Tokenizer>, steps: Vec<Step>) -> Pipeline {
        Pipeline { tokenizer, steps: steps.into() }
    }

    /// What cuts the texts.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        &self.tokenizer
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Takes a text through tokenizer and steps, on this thread.
    ///
    /// `stop` is looked at before each step, and now and then within a long text.
    ///
    /// # Errors
    ///
    /// That of the tokenizer or of the first step that fails; `stopped`; `component-panic` for a
    /// component that panicked.
    pub fn annotate(&self, text: Text, stop: &AtomicBool) -> Outcome {
        self.annotate_at(&self.tokenizer.vocab().snapshot(), 0, text, stop)
    }

    /// Takes texts through tokenizer and steps on `threads` threads (0: one a core; 1: this one), in
    /// order. What is wrong with one text leaves the others as they are.
    ///
    /// # Errors
    ///
    /// `threads` when none can be started.
    pub fn annotate_texts(
        &self,
        texts: Vec<Text>,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Outcome>> {
        let texts = texts.into_iter().enumerate().collect();
        let snapshot = self.tokenizer.vocab().snapshot();
        each(texts, threads, self.share(), |(at, text)| self.annotate_at(&snapshot, at, text, stop))
    }

    /// Hands texts to a pool of threads and comes back at once. Their words go where they would go now,
    /// as those of [`Tokenizer::submit`] do.
    ///
    /// # Errors
    ///
    /// `threads` when none can be started.
    pub fn submit(&self, texts: Vec<Text>, threads: usize) -> Result<Job<Vec<Outcome>>> {
        let (pipeline, snapshot) = (self.clone(), self.tokenizer.vocab().snapshot());
        let texts = texts.into_iter().enumerate().collect();
        Job::each(texts, threads, self.share(), move |(at, text), stop| {
            pipeline.annotate_at(&snapshot, at, text, stop)
        })
    }

    fn share(&self) -> usize {
        if self.steps.is_empty() { 4 * SHARE } else { SHARE }
    }

    fn annotate_at(
        &self,
        snapshot: &VocabSnapshot,
        position: usize,
        text: Text,
        stop: &AtomicBool,
    ) -> Outcome {
        let doc = match self.tokenizer.tokenize_one(snapshot, text, stop) {
            Ok(doc) => doc,
            Err(error) => {
                return Err(Box::new(Failed { error, step: None, position, annotated: None }));
            }
        };
        let mut made = Annotated { doc, groups: Groups::new(), notes: Notes::new() };
        for (at, step) in self.steps.iter().enumerate() {
            let done = if stop.load(Ordering::Relaxed) {
                Err(Error::new(ErrorKind::Interrupted, "stopped", "the work was stopped"))
            } else {
                take(step, &mut made.doc, &mut made.groups, &mut made.notes)
            };
            if let Err(error) = done {
                let step = Some((at, step.name.clone()));
                return Err(Box::new(Failed { error, step, position, annotated: Some(made) }));
            }
        }
        Ok(made)
    }
}

/// A document that somebody holds, on its way through steps.
pub struct Subject<'a> {
    /// The document.
    pub doc: &'a mut Doc,
    /// Those of its groups of spans that the steps read, and then those they have left.
    pub groups: Groups,
    /// What the steps have found.
    pub notes: Notes,
    /// How it ended: the number of the step that failed with its error. None until it was reached.
    pub ended: Option<Result<(), (usize, Error)>>,
}

impl<'a> Subject<'a> {
    /// A document at the beginning of its way.
    pub fn new(doc: &'a mut Doc, groups: Groups) -> Subject<'a> {
        Subject { doc, groups, notes: Notes::new(), ended: None }
    }
}

/// Takes documents through steps where they lie, on `threads` threads (0: one a core; 1: this one).
///
/// How each ended stands in it: what is wrong with one leaves the others as they are. `watch` is asked
/// on this thread every 50 ms whether to go on; when it fails, no document is begun any more, and those
/// that were not reached are as they were.
///
/// # Errors
///
/// That of `watch`; `threads` when none can be started.
pub fn annotate_all(
    steps: &[Step],
    subjects: &mut [Subject<'_>],
    threads: usize,
    watch: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    each_watched(subjects, threads, watch, |subject, stop| {
        if stop.load(Ordering::Relaxed) || subject.ended.is_some() {
            return;
        }
        let Subject { doc, groups, notes, ended } = subject;
        let failed = |(at, step)| Some((at, take(step, doc, groups, notes).err()?));
        let failed = steps.iter().enumerate().find_map(failed);
        *ended = Some(failed.map_or(Ok(()), Err));
    })
}

/// Takes a document through one step. A panic ends there.
fn take(step: &Step, doc: &mut Doc, groups: &mut Groups, notes: &mut Notes) -> Result<()> {
    // A document is records and tables, each change of which leaves it readable; so what a component
    // that panicked has left can be looked at.
    let applied = AssertUnwindSafe(|| step.component.apply_noting(doc, groups, notes));
    let done = catch_unwind(applied).unwrap_or_else(|payload| {
        let text = format!("the component panicked, which is a bug of it: {}", said(&*payload));
        Err(Error::new(ErrorKind::State, "component-panic", text))
    });
    // It may have merged or split tokens.
    for group in groups.values_mut() {
        group.follow(doc);
    }
    done
}

/// What a panic said.
fn said(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("nothing")
}

#[cfg(test)]
mod tests;
