//! Tokenizing of many texts on all cores, in order, in bounded memory, with cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Tokenizer;
use super::text::Text;
use super::worker::TextSource;
use crate::codes;
use crate::threads::{Job, each, size};
use crate::tokens::Doc;
use crate::vocab::VocabSnapshot;
use crate::{Error, ErrorKind, Result};

/// Consecutive texts that one thread takes together.
pub(crate) struct TextGroup {
    /// The position of the first text among all texts.
    pub(crate) first: usize,
    pub(crate) texts: Vec<Text>,
}

/// The number of bytes after which a group is complete: some 100 microseconds of work, a hundred
/// times the cost of taking a group.
const GROUP_BYTES: usize = 16 << 10;
/// The minimum number of groups for each thread, so that the last ones do not wait for long.
const GROUPS_PER_THREAD: usize = 4;
/// The length in bytes from which a text is long: some 20 milliseconds of work. Handing it to
/// another thread costs less than a hundredth of that.
const LONG_BYTES: usize = 1 << 20;

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
        let snapshot = self.snapshot();
        let groups = text_groups(texts, threads, GROUP_BYTES);
        let docs = |group: TextGroup| self.tokenize_group(&snapshot, group.texts, stop);
        Ok(each(groups, threads, 1, docs)?.into_iter().flatten().collect())
    }

    /// Tokenizes borrowed texts one after another on this thread, in order. The error of one text
    /// does not affect the others; once `stop` is set, which is checked before each text and every
    /// megabyte, the rest fail (`stopped`).
    ///
    /// ```
    /// use lexpool::tokenizer::Tokenizer;
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let docs = tokenizer.tokenize_borrowed(["One.", "Two, three."], &Default::default());
    /// assert_eq!(docs[1].as_ref().unwrap().len(), 4);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn tokenize_borrowed<'t>(
        &self,
        texts: impl IntoIterator<Item = &'t str>,
        stop: &AtomicBool,
    ) -> Vec<Result<Doc>> {
        let texts = texts.into_iter().map(TextSource::Borrowed);
        self.tokenize_sources(&self.snapshot(), texts, stop)
    }

    /// Returns whether a text takes so long that a caller who handles signals should
    /// [`submit`](Tokenizer::submit) it and wait: a single chunk may take seconds, during which
    /// nothing checks for cancellation.
    pub fn is_long(&self, text: &Text) -> bool {
        text.as_str().len() >= LONG_BYTES
    }

    /// Hands a text to the thread pool and returns at once, so that the caller may stop the work.
    /// New words are added to the zone that is open now, even if it is closed before the work ends.
    ///
    /// # Errors
    ///
    /// `threads` if a thread cannot be started.
    pub fn submit(self: &Arc<Tokenizer>, text: Text) -> Result<Job<Result<Doc>>> {
        let (tokenizer, snapshot) = (Arc::clone(self), self.snapshot());
        Job::each(
            vec![text],
            0,
            |_| false,
            move |text, stop| {
                let mut check = || check(stop);
                tokenizer.with_worker(|worker| {
                    worker.tokenize(Arc::clone(&snapshot), text.into(), &mut check)
                })
            },
        )
    }

    /// Tokenizes texts one after another on this thread, each unless `stop` is set, which is
    /// checked before each text and every megabyte.
    ///
    /// The documents share a reference count that no other group has: a thread that makes documents
    /// and one that drops those of an earlier group write no cache line in turn.
    pub(crate) fn tokenize_group(
        &self,
        snapshot: &VocabSnapshot,
        texts: impl IntoIterator<Item = Text>,
        stop: &AtomicBool,
    ) -> Vec<Result<Doc>> {
        self.tokenize_sources(snapshot, texts.into_iter().map(TextSource::from), stop)
    }

    fn tokenize_sources<'t>(
        &self,
        snapshot: &VocabSnapshot,
        texts: impl Iterator<Item = TextSource<'t>>,
        stop: &AtomicBool,
    ) -> Vec<Result<Doc>> {
        let snapshot = Arc::new(snapshot.clone());
        let mut check = || check(stop);
        let mut borrowed = self.borrow_worker();
        let tokenize = |text: TextSource<'t>| {
            check()?;
            borrowed.get()?.tokenize(Arc::clone(&snapshot), text, &mut check)
        };
        texts.map(tokenize).collect()
    }
}

/// Divides texts into groups of about `most` bytes, smaller ones if there are too few for all
/// threads.
pub(crate) fn text_groups(texts: Vec<Text>, threads: usize, most: usize) -> Vec<TextGroup> {
    let bytes: usize = texts.iter().map(|text| text.as_str().len()).sum();
    let share = bytes / size(threads).saturating_mul(GROUPS_PER_THREAD);
    // Texts may all be empty.
    let most = most.min(share).max(1);
    let (mut groups, mut group, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut first = 0;
    for text in texts {
        bytes += text.as_str().len();
        group.push(text);
        if bytes >= most {
            let texts = std::mem::take(&mut group);
            let next = first + texts.len();
            groups.push(TextGroup { first, texts });
            (first, bytes) = (next, 0);
        }
    }
    groups.extend((!group.is_empty()).then_some(TextGroup { first, texts: group }));
    groups
}

/// Returns an error if the work is to stop.
fn check(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) {
        return Err(Error::new(ErrorKind::Interrupted, codes::STOPPED, "the work was stopped"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrowed_texts_have_the_tokens_of_owned_ones_until_the_work_is_stopped() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let (texts, stop) = (["Let's go!", "", "zwei B\u{fc}cher "], AtomicBool::new(false));
        let owned = texts.map(|text| Text::Owned(text.to_owned()));
        let owned = tokenizer.tokenize_all(owned.into(), 1, &stop).unwrap();
        for (borrowed, owned) in tokenizer.tokenize_borrowed(texts, &stop).iter().zip(owned) {
            let (borrowed, owned) = (borrowed.as_ref().unwrap(), owned.unwrap());
            assert_eq!((borrowed.text(), borrowed.tokens()), (owned.text(), owned.tokens()));
        }
        stop.store(true, Ordering::Relaxed);
        for stopped in tokenizer.tokenize_borrowed(texts, &stop) {
            assert_eq!(stopped.unwrap_err().code(), "stopped");
        }
    }

    #[test]
    fn groups_hold_all_texts_in_order_and_are_as_long_as_threads_need() {
        let lengths = [1, 0, 5000, 20, 20_000, 3, 900, 900, 900, 0];
        let texts = || lengths.map(|length| Text::Owned("x".repeat(length))).into();
        for (threads, most, n_groups) in [(1, usize::MAX, 2), (2, 1 << 10, 4), (2, 1 << 20, 3)] {
            let groups = text_groups(texts(), threads, most);
            assert_eq!(groups.len(), n_groups, "{threads} threads, {most} bytes");
            let mut next = 0;
            for group in groups {
                assert_eq!(group.first, next);
                for text in group.texts {
                    assert_eq!(text.as_str().len(), lengths[next]);
                    next += 1;
                }
            }
            assert_eq!(next, lengths.len());
        }
        assert!(text_groups(Vec::new(), 2, 1).is_empty());
        let empty = (0..1000).map(|_| Text::Owned(String::new())).collect();
        assert_eq!(text_groups(empty, 2, 1 << 20).len(), 1);
    }
}
