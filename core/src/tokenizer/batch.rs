//! Many texts at once: on all cores, in order, in bounded memory, and to be stopped at any time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Tokenizer;
use crate::threads::{Job, each};
use crate::tokens::{Doc, ForeignText};
use crate::vocab::VocabSnapshot;
use crate::{Error, ErrorKind, Result};

/// A text on its way to becoming a document.
#[derive(Debug)]
pub enum Text {
    /// The document gets a copy.
    Owned(String),
    /// The document keeps the owner.
    Foreign(ForeignText),
}

impl Text {
    /// The text.
    pub fn as_str(&self) -> &str {
        match self {
            Text::Owned(text) => text,
            Text::Foreign(text) => text.as_str(),
        }
    }
}

/// How many texts a thread takes at the least: short ones cost less than to hand them over.
const SHARE: usize = 8;

impl Tokenizer {
    /// Tokenizes texts on `threads` threads (0: one a core; 1: this one), in order.
    ///
    /// One text's error leaves the other documents as they are.
    ///
    /// ```
    /// use lexpool::tokenizer::{Text, Tokenizer};
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let texts = ["One.", "Two, three."].map(|text| Text::Owned(text.to_owned()));
    /// let docs = tokenizer.tokenize_all(texts.into(), 0, &Default::default())?;
    /// assert_eq!(docs[1].as_ref().unwrap().len(), 4);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `threads` when none can be started.
    pub fn tokenize_all(
        &self,
        texts: Vec<Text>,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Result<Doc>>> {
        let snapshot = self.vocab().snapshot();
        each(texts, threads, SHARE, |text| self.tokenize_one(&snapshot, text, stop))
    }

    /// Hands texts to the pool and comes back at once. Their words go where they would go now: into the
    /// zone that is open, though it may be closed before the work is done.
    ///
    /// # Errors
    ///
    /// `threads` when none can be started.
    pub fn submit(
        self: &Arc<Tokenizer>,
        texts: Vec<Text>,
        threads: usize,
    ) -> Result<Job<Vec<Result<Doc>>>> {
        let (tokenizer, snapshot) = (Arc::clone(self), self.vocab().snapshot());
        Job::each(texts, threads, SHARE, move |text, stop| {
            tokenizer.tokenize_one(&snapshot, text, stop)
        })
    }

    /// Tokenizes a text unless the work was stopped, and looks at that as it goes on.
    pub(crate) fn tokenize_one(
        &self,
        snapshot: &VocabSnapshot,
        text: Text,
        stop: &AtomicBool,
    ) -> Result<Doc> {
        let mut check = || {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorKind::Interrupted, "stopped", "the work was stopped"));
            }
            Ok(())
        };
        check()?;
        self.tokenize_in(snapshot.clone(), text, &mut check)
    }
}
