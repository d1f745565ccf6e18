//! Many texts at once: on all cores, in order, in bounded memory, and to be stopped at any time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use rayon::prelude::*;

use super::Tokenizer;
use crate::threads::{self, Busy};
use crate::tokens::{Doc, ForeignText};
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

/// A batch that other threads are at work on; dropping it stops them at the next document.
pub struct Job {
    done: Receiver<Vec<Result<Doc>>>,
    /// The process whose threads are at work; a child has inherited the job without them.
    process: u32,
    stop: Arc<AtomicBool>,
}

impl Job {
    /// The documents in the order of the texts, or nothing if they are not there in time.
    pub fn wait(&mut self, time: Duration) -> Option<Vec<Result<Doc>>> {
        if self.process != threads::process() {
            let text = "this batch was begun before the process forked, on threads that the child \
                        does not have; begin it anew in the child";
            return Some(vec![Err(Error::new(ErrorKind::State, "forked", text))]);
        }
        match self.done.recv_timeout(time) {
            Ok(docs) => Some(docs),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let text = "a worker ended before its batch was done; this is a bug in lexpool";
                Some(vec![Err(Error::new(ErrorKind::State, "worker-lost", text))])
            }
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

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
        if threads == 1 || texts.len() == 1 {
            let _busy = Busy::enter();
            return Ok(texts.into_iter().map(|text| self.tokenize_one(text, stop)).collect());
        }
        let pool = threads::pool(threads)?;
        Ok(pool.install(|| self.tokenize_here(texts, stop)))
    }

    /// Hands texts to the pool and comes back at once.
    ///
    /// # Errors
    ///
    /// `threads` when none can be started.
    pub fn submit(self: &Arc<Tokenizer>, texts: Vec<Text>, threads: usize) -> Result<Job> {
        let (send, done) = mpsc::sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let (tokenizer, stopped) = (Arc::clone(self), Arc::clone(&stop));
        threads::pool(threads)?.spawn(move || {
            let docs = tokenizer.tokenize_here(texts, &stopped);
            // Nobody waits any more if the job was dropped.
            let _ = send.send(docs);
        });
        Ok(Job { done, process: threads::process(), stop })
    }

    /// Tokenizes on the pool that this thread belongs to.
    fn tokenize_here(&self, texts: Vec<Text>, stop: &AtomicBool) -> Vec<Result<Doc>> {
        let each = |text| {
            let _busy = Busy::enter();
            self.tokenize_one(text, stop)
        };
        texts.into_par_iter().with_min_len(8).map(each).collect()
    }

    fn tokenize_one(&self, text: Text, stop: &AtomicBool) -> Result<Doc> {
        let mut check = || {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorKind::Interrupted, "stopped", "the work was stopped"));
            }
            Ok(())
        };
        check()?;
        self.tokenize_text(text, &mut check)
    }
}
