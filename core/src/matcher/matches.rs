//! Matches in many documents or texts, stored by column, and the search for them on several
//! threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::codes;
use crate::fallible;
use crate::strings::StrId;
use crate::threads::{self, InheritedGuard};
use crate::tokens::Doc;
use crate::{Error, Result};

/// Matches in many documents or texts, ordered by document.
///
/// Memory: 20 bytes for each match in a document, 28 for each match in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    keys: Vec<u64>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    docs: Vec<u32>,
    /// As long as the others, or empty.
    start_chars: Vec<u32>,
    end_chars: Vec<u32>,
}

/// A match among those of many documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocMatch {
    /// The key of the pattern.
    pub key: StrId,
    /// The first token, as a position in the document.
    pub start: u32,
    /// The position after the last token.
    pub end: u32,
    /// The number of the document.
    pub doc: u32,
}

impl Matches {
    /// Returns the number of matches.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the match at a position.
    pub fn get(&self, position: usize) -> Option<DocMatch> {
        Some(DocMatch {
            key: StrId::new(*self.keys.get(position)?),
            start: self.starts[position],
            end: self.ends[position],
            doc: self.docs[position],
        })
    }

    /// Returns the ids of the keys, in the order of the matches.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Returns the positions of the first tokens in their documents, in the order of the matches.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns the positions after the last tokens, in the order of the matches.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Returns the numbers of the documents, which ascend.
    pub fn docs(&self) -> &[u32] {
        &self.docs
    }

    /// Returns the starts and ends in characters of matches in texts, or `None` for matches in
    /// documents.
    pub fn chars(&self) -> Option<(&[u32], &[u32])> {
        let has_chars = self.start_chars.len() == self.len();
        has_chars.then_some((&self.start_chars, &self.end_chars))
    }

    /// Returns the positions of the matches of a document.
    pub fn of_doc(&self, doc: usize) -> Range<usize> {
        let start = self.docs.partition_point(|own| (*own as usize) < doc);
        let end = self.docs.partition_point(|own| *own as usize <= doc);
        start..end
    }

    /// Appends a match. Its document must not come before that of the last match.
    ///
    /// # Errors
    ///
    /// `out-of-memory`; nothing is appended then.
    pub fn push(&mut self, found: DocMatch) -> Result<()> {
        if self.docs.len() == self.docs.capacity() {
            self.reserve(1, 0)?;
        }
        self.keys.push(found.key.get());
        self.starts.push(found.start);
        self.ends.push(found.end);
        self.docs.push(found.doc);
        Ok(())
    }

    /// Appends a match in a text, with its start and end in characters. Either all matches of a
    /// list have these, or none has.
    ///
    /// # Errors
    ///
    /// As for [`push`](Matches::push).
    pub fn push_with_chars(&mut self, found: DocMatch, chars: Range<u32>) -> Result<()> {
        self.start_chars.try_reserve(1)?;
        self.end_chars.try_reserve(1)?;
        self.push(found)?;
        self.start_chars.push(chars.start);
        self.end_chars.push(chars.end);
        Ok(())
    }

    /// Makes room for matches, and for their positions in characters.
    fn reserve(&mut self, matches: usize, chars: usize) -> Result<()> {
        self.keys.try_reserve(matches)?;
        for column in [&mut self.starts, &mut self.ends] {
            column.try_reserve(matches)?;
        }
        for column in [&mut self.start_chars, &mut self.end_chars] {
            column.try_reserve(chars)?;
        }
        // The last one: `push` makes room if this one is full.
        self.docs.try_reserve(matches).map_err(Error::from)
    }

    /// Appends those matches of a list that are at some positions, within the room that
    /// [`reserve`](Matches::reserve) has made.
    fn extend(&mut self, from: &Matches, positions: Range<usize>) {
        self.keys.extend_from_slice(&from.keys[positions.clone()]);
        self.starts.extend_from_slice(&from.starts[positions.clone()]);
        self.ends.extend_from_slice(&from.ends[positions.clone()]);
        self.docs.extend_from_slice(&from.docs[positions.clone()]);
        if let Some((starts, ends)) = from.chars() {
            self.start_chars.extend_from_slice(&starts[positions.clone()]);
            self.end_chars.extend_from_slice(&ends[positions]);
        }
    }

    /// Appends the matches of later documents, whose numbers are raised by `raised`.
    ///
    /// # Errors
    ///
    /// `too-many-docs` for a document number of 2^32 or more; `out-of-memory`. Nothing is appended
    /// then.
    pub fn append(&mut self, later: Matches, raised: usize) -> Result<()> {
        let last = later.docs.last().map_or(0, |last| *last as usize);
        if u32::try_from(last.saturating_add(raised)).is_err() {
            let text = "more than 2^32 documents or texts; match them in several calls";
            return Err(Error::value(codes::TOO_MANY_DOCS, text));
        }
        if self.is_empty() && raised == 0 {
            *self = later;
            return Ok(());
        }
        self.reserve(later.len(), later.start_chars.len())?;
        let raised = u32::try_from(raised).unwrap_or_default();
        self.keys.extend(later.keys);
        self.starts.extend(later.starts);
        self.ends.extend(later.ends);
        self.docs.extend(later.docs.into_iter().map(|doc| doc + raised));
        self.start_chars.extend(later.start_chars);
        self.end_chars.extend(later.end_chars);
        Ok(())
    }
}

/// Receives the matches of one document.
pub struct Sink<'a> {
    matches: &'a mut Matches,
    doc: u32,
}

impl Sink<'_> {
    /// Appends a match, whose tokens are counted from the start of the document.
    ///
    /// # Errors
    ///
    /// `out-of-memory`; nothing is appended then.
    pub fn push(&mut self, key: StrId, start: usize, end: usize) -> Result<()> {
        let [start, end] = [start, end].map(position);
        self.matches.push(DocMatch { key, start, end, doc: self.doc })
    }
}

/// Searches ranges of tokens of many documents on `threads` threads (0: one for each core; 1: the
/// calling thread only).
///
/// `find` is called once for each document, with the range to search. The result does not depend on
/// the number of threads.
///
/// # Errors
///
/// The error of `find` for the first document, in their order, that fails; `threads` if no thread
/// can be started; `too-many-docs` for more than 2^32 - 1 documents.
///
/// ```
/// use lexpool::matcher::find_many;
/// use lexpool::strings::StrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let docs = ["One two", "Three"].map(|text| tokenizer.tokenize(text).unwrap());
/// let docs: Vec<_> = docs.iter().map(|doc| (doc, 0..doc.len())).collect();
/// let found = find_many(&docs, 2, |_doc, tokens, sink| {
///     sink.push(StrId::of("last"), tokens.end - 1, tokens.end)
/// })?;
/// assert_eq!((found.docs(), found.starts()), (&[0, 1][..], &[1, 0][..]));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn find_many(
    docs: &[(&Doc, Range<usize>)],
    threads: usize,
    find: impl Fn(&Doc, Range<usize>, &mut Sink<'_>) -> Result<()> + Sync,
) -> Result<Matches> {
    let find = |(): &mut (), doc: &Doc, tokens, sink: &mut Sink<'_>| find(doc, tokens, sink);
    find_many_with(docs, threads, || (), |()| (), find)
}

/// Searches as [`find_many`] does, with a searcher that `take` returns for each share of the
/// documents and `put_back` receives afterwards: the lock of the idle searchers is taken once for a
/// share, not once for a document.
pub(super) fn find_many_with<S>(
    docs: &[(&Doc, Range<usize>)],
    threads: usize,
    take: impl Fn() -> S + Sync,
    put_back: impl Fn(S) + Sync,
    find: impl Fn(&mut S, &Doc, Range<usize>, &mut Sink<'_>) -> Result<()> + Sync,
) -> Result<Matches> {
    in_shares(docs.len(), threads, &mut || (), |share, matches| {
        let first = share.start;
        let mut searcher = take();
        for ((doc, tokens), number) in docs[share].iter().zip(first..) {
            let sink = &mut Sink { matches: &mut *matches, doc: position(number) };
            find(&mut searcher, doc, tokens.clone(), sink)
                .map_err(|error| error.context(format_args!("document {number}")))?;
        }
        put_back(searcher);
        Ok(())
    })
}

/// Searches `len` items, numbered from 0, in shares on several threads, of which the calling one is
/// the last to begin: it calls `meanwhile` before, unless it is the only one. `find` searches one
/// share.
///
/// # Errors
///
/// As for [`find_many`].
pub(super) fn in_shares(
    len: usize,
    threads: usize,
    meanwhile: &mut dyn FnMut(),
    find: impl Fn(Range<usize>, &mut Matches) -> Result<()> + Sync,
) -> Result<Matches> {
    if u32::try_from(len).is_err() {
        let text = format!("{len} documents or texts in one call; expected at most 2^32 - 1");
        return Err(Error::value(codes::TOO_MANY_DOCS, text));
    }
    let within = InheritedGuard::this_thread();
    if threads::alone(threads) || len <= 1 {
        let _busy = within.enter();
        let mut matches = Matches::default();
        return find(0..len, &mut matches).map(|()| matches);
    }
    let share = (len / (threads::size(threads) * 8)).clamp(1, 64);
    let (next, end) = (AtomicUsize::new(0), AtomicUsize::new(len));
    let done: Mutex<Vec<ThreadMatches>> = Mutex::default();
    // Shares are taken in order, and a failure ends only the shares after it. So all shares before
    // the first failure are searched, and that failure is the same on any number of threads.
    let work = || {
        let mut own = ThreadMatches::default();
        loop {
            let start = next.fetch_add(share, Ordering::Relaxed);
            if start >= end.load(Ordering::Relaxed) {
                break;
            }
            let _busy = within.enter();
            let first = own.matches.len();
            match find(start..len.min(start + share), &mut own.matches) {
                Ok(()) => own.shares.push((start, first..own.matches.len())),
                Err(error) => {
                    end.fetch_min(start, Ordering::Relaxed);
                    own.failure = Some((start, error));
                    break;
                }
            }
        }
        // A fork waits until the lock is free.
        let _busy = within.enter();
        done.lock().unwrap_or_else(PoisonError::into_inner).push(own);
    };
    threads::on_all(threads, meanwhile, work)?;
    ThreadMatches::join(done.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The matches that one thread has found: one list for all its shares, since memory that threads
/// allocate and free share by share makes them wait for each other.
#[derive(Default)]
struct ThreadMatches {
    matches: Matches,
    /// The first item of each share, and the positions of its matches.
    shares: Vec<(usize, Range<usize>)>,
    /// The share that failed, after which the thread took no other.
    failure: Option<(usize, Error)>,
}

impl ThreadMatches {
    /// Returns the matches of all threads in the order of the items.
    ///
    /// # Errors
    ///
    /// The failure of the first share that failed.
    fn join(mut threads: Vec<ThreadMatches>) -> Result<Matches> {
        let failures = threads.iter_mut().filter_map(|own| own.failure.take());
        if let Some((_, error)) = failures.min_by_key(|(start, _)| *start) {
            return Err(error);
        }
        let shares = threads.iter().flat_map(|own| {
            own.shares.iter().map(|(start, range)| (*start, &own.matches, range.clone()))
        });
        let mut sorted = fallible::list(threads.iter().map(|own| own.shares.len()).sum())?;
        sorted.extend(shares);
        sorted.sort_unstable_by_key(|(start, ..)| *start);
        let mut all = Matches::default();
        let len = threads.iter().map(|own| own.matches.len()).sum();
        let chars = threads.iter().map(|own| own.matches.start_chars.len()).sum();
        all.reserve(len, chars)?;
        for (_, matches, range) in sorted {
            all.extend(matches, range);
        }
        Ok(all)
    }
}

/// Converts a position in a document, or the number of a document; [`in_shares`] has checked the
/// latter.
pub(super) fn position(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2^32")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Tokenizer;

    #[test]
    fn shares_come_in_order_on_any_number_of_threads() {
        let find = |share: Range<usize>, matches: &mut Matches| {
            for number in share.filter(|number| number % 3 == 0) {
                let doc = position(number);
                let found = DocMatch { key: StrId::of("key"), start: doc, end: doc + 1, doc };
                matches.push(found)?;
            }
            Ok(())
        };
        let one = in_shares(1000, 1, &mut || (), find).unwrap();
        assert_eq!(one.len(), 334);
        for threads in [0, 2, 5] {
            let mut called = 0;
            assert_eq!(in_shares(1000, threads, &mut || called += 1, find).unwrap(), one);
            assert_eq!(called, 1);
        }
        assert_eq!(one.of_doc(999), 333..334);
        assert_eq!(one.of_doc(998), 333..333);
        assert!(one.chars().is_none());
    }

    #[test]
    fn the_first_failure_is_the_same_on_any_number_of_threads() {
        let doc = Tokenizer::blank("en").unwrap().tokenize("a b").unwrap();
        let docs: Vec<_> = (0..500).map(|i| (&doc, i..i)).collect();
        for threads in [1, 3] {
            let error = find_many(&docs, threads, |doc, tokens, _| {
                doc.span(tokens.start, tokens.end).map(|_| ())
            });
            let error = error.unwrap_err();
            assert!(error.message().starts_with("document 3: "), "{error}");
        }
    }

    #[test]
    fn appended_matches_get_raised_document_numbers() {
        let found = |doc| DocMatch { key: StrId::EMPTY, start: 0, end: 1, doc };
        let (mut all, mut later) = (Matches::default(), Matches::default());
        later.push_with_chars(found(1), 3..4).unwrap();
        all.append(later.clone(), 0).unwrap();
        all.append(later.clone(), 10).unwrap();
        assert_eq!(all.docs(), [1, 11]);
        assert_eq!(all.chars().unwrap(), (&[3, 3][..], &[4, 4][..]));
        let error = all.append(later, u32::MAX as usize).unwrap_err();
        assert_eq!((error.code(), all.len()), ("too-many-docs", 2));
    }
}
