//! Tokenizing of many texts on all cores, in order, in bounded memory, with cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Tokenizer;
use super::text::Text;
use crate::codes;
use crate::threads::{Job, each};
use crate::tokens::Doc;
use crate::vocab::VocabSnapshot;
use crate::{Error, ErrorKind, Result};

/// The least number of texts that a thread takes at once: a short text costs less than its
/// handover.
const MIN_SHARE: usize = 8;

impl Tokenizer {
    /// Tokenizes texts on `threads` threads (0: one per core; 1: the calling thread), in order. The
    /// error of one text does not affect the others.
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
    /// `threads` if a thread cannot be started.
    pub fn tokenize_all(
        &self,
        texts: Vec<Text>,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Result<Doc>>> {
        let snapshot = self.vocab().snapshot();
        each(texts, threads, MIN_SHARE, |text| self.tokenize_one(&snapshot, text, stop))
    }

    /// Submits texts to the thread pool and returns at once. New words are added to the zone that
    /// is open now, even if it is closed before the work ends.
    ///
    /// # Errors
    ///
    /// `threads` if a thread cannot be started.
    pub fn submit(
        self: &Arc<Tokenizer>,
        texts: Vec<Text>,
        threads: usize,
    ) -> Result<Job<Vec<Result<Doc>>>> {
        let (tokenizer, snapshot) = (Arc::clone(self), self.vocab().snapshot());
        Job::each(texts, threads, MIN_SHARE, move |text, stop| {
            tokenizer.tokenize_one(&snapshot, text, stop)
        })
    }

    /// Tokenizes a text unless `stop` is set, which is checked every megabyte.
    pub(crate) fn tokenize_one(
        &self,
        snapshot: &VocabSnapshot,
        text: Text,
        stop: &AtomicBool,
    ) -> Result<Doc> {
        let mut check = || {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::new(
                    ErrorKind::Interrupted,
                    codes::STOPPED,
                    "the work was stopped",
                ));
            }
            Ok(())
        };
        check()?;
        self.tokenize_in(snapshot.clone(), text, &mut check)
    }
}
