//! One worker: the state with which a thread tokenizes text after text.

use std::borrow::Cow;
use std::sync::Arc;

use lexpool_pool::{ChunkArena, RecordBuffer};
use lexpool_structs::TokenC;

use super::cache::{ChunkCache, Key, Tokens};
use super::chunks::{chunk_end, space_end, space_len};
use super::rules::Rules;
use super::split::Splitter;
use crate::Result;
use crate::tokens::{Doc, ForeignText, MAX_CHARS, text_too_long};
use crate::vocab::{SnapshotId, VocabSnapshot};

/// Between two checks for a wish to stop, this many bytes are tokenized.
const STRIDE: usize = 1 << 20;

/// Documents of more tokens than this (16 MiB) take the buffer they were made in along, so that a
/// worker does not keep it. Below, a copy is cheaper than growing a new buffer for the next one.
const ADOPTED: usize = 1 << 20;

/// Scratch memory, caches and a arena; owned by one thread at a time.
pub(super) struct Worker {
    rules: Arc<Rules>,
    splitter: Splitter,
    cache: ChunkCache,
    /// Chunks with words that live in a zone only.
    zone_cache: ChunkCache,
    /// Of which zone.
    zone: SnapshotId,
    arena: ChunkArena,
    tokens: Vec<TokenC>,
    spare: Vec<TokenC>,
    candidates: Vec<u32>,
}

/// The text to tokenize, and who keeps it.
pub(super) enum Input<'a> {
    /// The document gets a copy.
    Copied(&'a str),
    /// The document gets the text, or a copy if it is small.
    Owned(String),
    /// The document keeps the owner.
    Foreign(ForeignText),
}

impl Input<'_> {
    fn as_str(&self) -> &str {
        match self {
            Input::Copied(text) => text,
            Input::Owned(text) => text,
            Input::Foreign(text) => text.as_str(),
        }
    }
}

impl Worker {
    pub(super) fn new(rules: Arc<Rules>, most_chunks: usize) -> Worker {
        Worker {
            splitter: Splitter::new(&rules),
            rules,
            cache: ChunkCache::new(most_chunks),
            zone_cache: ChunkCache::new(most_chunks),
            zone: SnapshotId::default(),
            arena: ChunkArena::new(),
            tokens: Vec::new(),
            spare: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Whether this worker follows these rules, and not older ones.
    pub(super) fn follows(&self, rules: &Arc<Rules>) -> bool {
        Arc::ptr_eq(&self.rules, rules)
    }

    /// Makes a document. `check` is asked now and then whether to go on.
    pub(super) fn tokenize(
        &mut self,
        snapshot: VocabSnapshot,
        input: Input<'_>,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Doc> {
        self.cut(&snapshot, input.as_str(), check)?;
        self.finish(snapshot, input)
    }

    /// Cuts a text; its tokens are there until the next one.
    pub(super) fn cut(
        &mut self,
        snapshot: &VocabSnapshot,
        text: &str,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<&[TokenC]> {
        check_length(text)?;
        // By the snapshot and not by what is open now: a batch may have been begun in a zone before.
        if !self.zone.has_zone_of(snapshot) {
            self.zone = snapshot.origin();
            self.zone_cache.clear();
        }
        self.tokens.clear();
        self.candidates.clear();
        let mut run = Run { worker: self, snapshot, text, byte: 0, idx: 0 };
        while run.byte < text.len() {
            let until = run.byte.saturating_add(STRIDE);
            run.advance(until)?;
            if run.byte < text.len() {
                check()?;
            }
        }
        if !self.candidates.is_empty() {
            let Worker { tokens, spare, candidates, .. } = self;
            self.rules.specials.apply(text, tokens, spare, candidates);
        }
        if let Some(first) = self.tokens.first_mut() {
            first.set_sent_start(1);
        }
        Ok(&self.tokens)
    }

    /// Gives back the memory of a text much longer than most.
    pub(super) fn shrink(&mut self) {
        if self.tokens.capacity() > 2 * ADOPTED {
            (self.tokens, self.spare, self.candidates) = (Vec::new(), Vec::new(), Vec::new());
        }
    }

    /// Lays the tokens down for good, with the text unless that is borrowed.
    fn finish(&mut self, snapshot: VocabSnapshot, input: Input<'_>) -> Result<Doc> {
        let is_large = self.tokens.len() > ADOPTED;
        let (bytes, foreign) = match input {
            Input::Foreign(text) => (Cow::default(), Some(text)),
            Input::Owned(text) => (Cow::Owned(text.into_bytes()), None),
            Input::Copied(text) => (Cow::Borrowed(text.as_bytes()), None),
        };
        let buffer = if is_large {
            self.spare = Vec::new();
            RecordBuffer::adopt(std::mem::take(&mut self.tokens), bytes.into_owned())?
        } else {
            self.arena.place(&self.tokens, &bytes)?
        };
        Ok(Doc::from_buffer(snapshot, buffer, foreign))
    }
}

fn check_length(text: &str) -> Result<()> {
    if text.len() <= MAX_CHARS {
        return Ok(());
    }
    let chars = text.chars().count();
    if chars > MAX_CHARS || u32::try_from(text.len()).is_err() {
        return Err(text_too_long(chars));
    }
    Ok(())
}

/// One pass over a text.
struct Run<'w> {
    worker: &'w mut Worker,
    snapshot: &'w VocabSnapshot,
    text: &'w str,
    /// How far the text is done, in bytes and in characters.
    byte: usize,
    idx: u32,
}

impl Run<'_> {
    /// Tokenizes to the end of the first run that ends at or after `until`.
    fn advance(&mut self, until: usize) -> Result<()> {
        let bytes = self.text.as_bytes();
        while self.byte < until && self.byte < bytes.len() {
            if space_len(self.text, self.byte).is_some() {
                self.spaces()?;
                continue;
            }
            let chunk = chunk_end(self.text, self.byte);
            self.chunk(chunk.end)?;
            // A single space between words, by far the most frequent whitespace.
            if bytes.get(chunk.end) == Some(&b' ')
                && bytes.get(chunk.end + 1).is_some_and(u8::is_ascii_graphic)
            {
                self.take_space();
            }
        }
        Ok(())
    }

    /// A run of whitespace: one leading space goes to the token before, the rest is a chunk.
    fn spaces(&mut self) -> Result<()> {
        let (end, _) = space_end(self.text, self.byte);
        if self.text.as_bytes()[self.byte] == b' ' && self.byte > 0 {
            self.take_space();
        }
        if self.byte < end { self.chunk(end) } else { Ok(()) }
    }

    /// Gives the space that comes next to the last token.
    #[inline]
    fn take_space(&mut self) {
        if let Some(token) = self.worker.tokens.last_mut() {
            token.set_spacy(true);
        }
        self.byte += 1;
        self.idx += 1;
    }

    /// Tokenizes the chunk from here to `end`.
    #[inline]
    fn chunk(&mut self, end: usize) -> Result<()> {
        let Some(key) = Key::new(self.text.as_bytes(), self.byte, end) else {
            return self.miss(None, end);
        };
        let worker = &mut *self.worker;
        let mut hit = worker.cache.find(key);
        if hit.is_none() && self.snapshot.has_zone() {
            hit = worker.zone_cache.find(key);
        }
        let Some(hit) = hit else { return self.miss(Some(key), end) };
        let first = worker.tokens.len();
        let (byte, idx) = (offset(self.byte), self.idx);
        match hit.tokens {
            Tokens::One { lex, facts } => worker.tokens.push(TokenC { lex, idx, byte, facts }),
            Tokens::Many(tokens) => worker.tokens.extend(tokens.iter().map(|token| TokenC {
                idx: idx + token.idx,
                byte: byte + token.byte,
                ..*token
            })),
        }
        if hit.starts {
            worker.candidates.extend(position(first)..position(worker.tokens.len()));
        }
        self.byte = end;
        self.idx += hit.chars;
        Ok(())
    }

    /// Cuts a chunk that the cache does not know, and remembers it.
    #[cold]
    fn miss(&mut self, key: Option<Key<'_>>, end: usize) -> Result<()> {
        let worker = &mut *self.worker;
        let chunk = &self.text[self.byte..end];
        worker.splitter.split(&worker.rules, chunk, true)?;
        let first = worker.tokens.len();
        let (mut starts, mut in_zone) = (false, false);
        let mut chars = 0;
        for piece in &worker.splitter.pieces {
            let word = &chunk[piece.start..piece.end];
            let lex = self.snapshot.enter(word)?;
            starts |= worker.rules.specials.starts(lex.to_raw());
            in_zone |= lex.is_in_zone();
            let token =
                TokenC { lex: lex.to_raw(), idx: chars, byte: offset(piece.start), facts: 0 };
            worker.tokens.push(token.with_norm_ix(piece.norm_ix));
            chars += offset(word.chars().count());
        }
        let tokens = &mut worker.tokens[first..];
        if let Some(key) = key {
            let cache = if in_zone { &mut worker.zone_cache } else { &mut worker.cache };
            cache.insert(key, chars, starts, tokens);
        }
        if starts {
            worker.candidates.extend(position(first)..position(first + tokens.len()));
        }
        let byte = offset(self.byte);
        for token in tokens {
            token.idx += self.idx;
            token.byte += byte;
        }
        self.byte = end;
        self.idx += chars;
        Ok(())
    }
}

/// An offset in a text whose length was checked.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a text has fewer than 2^32 bytes")]
fn offset(at: usize) -> u32 {
    debug_assert!(u32::try_from(at).is_ok());
    at as u32
}

/// A position in a document, of which there are no more than characters in its text.
#[inline]
fn position(at: usize) -> u32 {
    offset(at)
}
