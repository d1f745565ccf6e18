//! A worker: the caches and buffers with which a thread tokenizes one text after another.

use std::borrow::Cow;
use std::sync::Arc;

use lexpool_pool::{ChunkArena, RecordBuffer};
use lexpool_structs::TokenC;

use super::cache::{CachedTokens, ChunkCache, ChunkKey};
use super::characters::CharacterTable;
use super::chunks::{chunk_end, space_end, space_len};
use super::rules::CompiledRules;
use super::segments::SegmentWords;
use super::split::Splitter;
use super::text::{Text, check_length};
use crate::Result;
use crate::fallible;
use crate::tokens::{Doc, ForeignText};
use crate::vocab::{SnapshotId, VocabSnapshot};

/// The bytes that are tokenized between two checks for cancellation.
const BYTES_PER_CHECK: usize = 1 << 20;

/// The tokens of larger documents than this (16 MiB) are not copied: the document takes over the
/// worker's buffer. Below, a copy is cheaper than the growth of a new buffer for the next text.
const MAX_COPIED_TOKENS: usize = 1 << 20;

/// Buffers, caches and an arena, owned by one thread at a time.
pub(super) struct Worker {
    rules: Arc<CompiledRules>,
    splitter: Splitter,
    cache: ChunkCache,
    /// Chunks with words that only the zone of `zone` contains.
    zone_cache: ChunkCache,
    zone: SnapshotId,
    /// The lexemes of characters, for rules that make a token of each.
    characters: CharacterTable,
    arena: ChunkArena,
    tokens: Vec<TokenC>,
    spare: Vec<TokenC>,
    /// The positions at which a special case of several tokens may begin.
    candidates: Vec<u32>,
    /// The words of the text if the tokenizer has a segmenter.
    words: SegmentWords,
}

/// A text to tokenize, with its owner.
pub(super) enum TextSource<'a> {
    /// A borrowed text, which the document copies.
    Borrowed(&'a str),
    /// A text that the document takes over, or copies if it is small.
    Owned(String),
    /// Foreign memory, whose owner the document keeps alive.
    Foreign(ForeignText),
}

impl From<Text> for TextSource<'_> {
    fn from(text: Text) -> Self {
        match text {
            Text::Owned(text) => TextSource::Owned(text),
            Text::Foreign(text) => TextSource::Foreign(text),
        }
    }
}

impl TextSource<'_> {
    fn as_str(&self) -> &str {
        match self {
            TextSource::Borrowed(text) => text,
            TextSource::Owned(text) => text,
            TextSource::Foreign(text) => text.as_str(),
        }
    }
}

impl Worker {
    pub(super) fn new(rules: Arc<CompiledRules>, max_cached_chunks: usize) -> Worker {
        Worker {
            splitter: Splitter::new(&rules),
            rules,
            cache: ChunkCache::new(max_cached_chunks),
            zone_cache: ChunkCache::new(max_cached_chunks),
            zone: SnapshotId::default(),
            characters: CharacterTable::default(),
            arena: ChunkArena::new(),
            tokens: Vec::new(),
            spare: Vec::new(),
            candidates: Vec::new(),
            words: SegmentWords::default(),
        }
    }

    /// Returns `true` if the worker was created with these very rules.
    pub(super) fn has_rules(&self, rules: &Arc<CompiledRules>) -> bool {
        Arc::ptr_eq(&self.rules, rules)
    }

    /// Returns the generation of the lexemes that the caches refer to.
    pub(super) fn generation(&self) -> u32 {
        self.rules.generation
    }

    /// Tokenizes a text to a document. `check` is called every megabyte; its error ends the work.
    pub(super) fn tokenize(
        &mut self,
        snapshot: Arc<VocabSnapshot>,
        source: TextSource<'_>,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Doc> {
        self.scan(&snapshot, source.as_str(), check)?;
        self.finish(snapshot, source)
    }

    /// Tokenizes a text, and returns its tokens, which are valid until the next text.
    pub(super) fn scan(
        &mut self,
        snapshot: &VocabSnapshot,
        text: &str,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<&[TokenC]> {
        check_length(text)?;
        // The zone of the snapshot counts, not the one that is open now: a batch may have begun in
        // an earlier zone.
        if !self.zone.has_zone_of(snapshot) {
            self.zone = snapshot.id();
            self.zone_cache.clear();
        }
        self.tokens.clear();
        self.candidates.clear();
        if self.rules.segmenter.is_some() {
            return self.scan_segments(snapshot, text, check);
        }
        let mut cursor = TextCursor { worker: self, snapshot, text, byte: 0, idx: 0 };
        while cursor.byte < text.len() {
            let until = cursor.byte.saturating_add(BYTES_PER_CHECK);
            cursor.advance(until)?;
            if cursor.byte < text.len() {
                check()?;
            }
        }
        if !self.candidates.is_empty() {
            let Worker { tokens, spare, candidates, .. } = self;
            self.rules.special_cases.apply(text, tokens, spare, candidates)?;
        }
        if let Some(first) = self.tokens.first_mut() {
            first.set_sent_start(1);
        }
        Ok(&self.tokens)
    }

    /// Makes a token of each word that the segmenter finds.
    fn scan_segments(
        &mut self,
        snapshot: &VocabSnapshot,
        text: &str,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<&[TokenC]> {
        let rules = Arc::clone(&self.rules);
        let segmenter = rules.segmenter.as_deref().expect("the caller has seen it");
        let mut words = std::mem::take(&mut self.words);
        let cut = words.cut(segmenter, text, check);
        let mut cursor = TextCursor { worker: self, snapshot, text, byte: 0, idx: 0 };
        let result = cut.and_then(|()| {
            words.iter().try_for_each(|word| {
                cursor.chunk(word.range().end)?;
                if word.has_space() {
                    cursor.attach_space();
                }
                Ok(())
            })
        });
        self.words = words;
        result?;
        if let Some(first) = self.tokens.first_mut() {
            first.set_sent_start(1);
        }
        Ok(&self.tokens)
    }

    /// Adds the tokens from `first` on to those at which a special case may begin.
    fn add_candidates(&mut self, first: usize) -> Result<()> {
        let added = position(first)..position(self.tokens.len());
        self.candidates.try_reserve(added.len())?;
        self.candidates.extend(added);
        Ok(())
    }

    /// Frees the buffers of a long text.
    pub(super) fn shrink(&mut self) {
        if self.tokens.capacity() > 2 * MAX_COPIED_TOKENS {
            (self.tokens, self.spare, self.candidates) = (Vec::new(), Vec::new(), Vec::new());
        }
    }

    /// Stores the tokens, and the text unless it is foreign, as a document.
    fn finish(&mut self, snapshot: Arc<VocabSnapshot>, source: TextSource<'_>) -> Result<Doc> {
        let is_large = self.tokens.len() > MAX_COPIED_TOKENS;
        let (bytes, foreign) = match source {
            TextSource::Foreign(text) => (Cow::default(), Some(text)),
            TextSource::Owned(text) => (Cow::Owned(text.into_bytes()), None),
            TextSource::Borrowed(text) => (Cow::Borrowed(text.as_bytes()), None),
        };
        let buffer = if is_large {
            self.spare = Vec::new();
            let bytes = match bytes {
                Cow::Owned(bytes) => bytes,
                Cow::Borrowed(bytes) => fallible::copy(bytes)?,
            };
            RecordBuffer::from_vecs(std::mem::take(&mut self.tokens), bytes)?
        } else {
            self.arena.place(&self.tokens, &bytes)?
        };
        let mut doc = Doc::from_buffer(snapshot, buffer, foreign);
        if let Some(segmenter) = self.rules.segmenter.as_deref() {
            self.words.annotate(segmenter, &mut doc)?;
        }
        Ok(doc)
    }
}

/// A pass over a text.
struct TextCursor<'w> {
    worker: &'w mut Worker,
    snapshot: &'w VocabSnapshot,
    text: &'w str,
    /// The position in bytes, and in characters (`idx`).
    byte: usize,
    idx: u32,
}

impl TextCursor<'_> {
    /// Tokenizes up to the end of the first chunk that ends at or after byte `until`.
    fn advance(&mut self, until: usize) -> Result<()> {
        let bytes = self.text.as_bytes();
        while self.byte < until && self.byte < bytes.len() {
            if space_len(self.text, self.byte).is_some() {
                self.spaces()?;
                continue;
            }
            let end = chunk_end(self.text, self.byte);
            if self.worker.rules.cut_characters() {
                self.characters(end)?;
            } else {
                self.chunk(end)?;
            }
            // A single space between words is by far the most frequent whitespace.
            if bytes.get(end) == Some(&b' ') && bytes.get(end + 1).is_some_and(u8::is_ascii_graphic)
            {
                self.attach_space();
            }
        }
        Ok(())
    }

    /// Tokenizes a run of whitespace: a first space belongs to the token before, the rest is a
    /// chunk.
    fn spaces(&mut self) -> Result<()> {
        let (end, _) = space_end(self.text, self.byte);
        if self.text.as_bytes()[self.byte] == b' ' && self.byte > 0 {
            self.attach_space();
        }
        if self.byte < end { self.chunk(end) } else { Ok(()) }
    }

    /// Consumes a space that belongs to the last token.
    #[inline]
    fn attach_space(&mut self) {
        if let Some(token) = self.worker.tokens.last_mut() {
            token.set_spacy(true);
        }
        self.byte += 1;
        self.idx += 1;
    }

    /// Makes a token of each character from the position to `end`, without whitespace.
    fn characters(&mut self, end: usize) -> Result<()> {
        for (at, c) in self.text[self.byte..end].char_indices() {
            let byte = self.byte + at;
            let lex = match self.worker.characters.get(c) {
                Some(lex) => lex,
                None => self.enter_character(c, byte)?,
            };
            let idx = self.idx;
            let token = TokenC { lex, idx, byte: offset(byte), facts: 0 };
            fallible::push(&mut self.worker.tokens, token)?;
            self.idx += 1;
        }
        self.byte = end;
        Ok(())
    }

    /// Returns the lexeme of a character at a position, and remembers it unless a zone has it.
    #[cold]
    fn enter_character(&mut self, c: char, byte: usize) -> Result<u32> {
        let lex = self.snapshot.enter(&self.text[byte..byte + c.len_utf8()])?;
        if !lex.is_in_zone() {
            self.worker.characters.insert(c, lex.to_raw());
        }
        Ok(lex.to_raw())
    }

    /// Tokenizes the chunk from the position to `end`.
    #[inline]
    fn chunk(&mut self, end: usize) -> Result<()> {
        let Some(key) = ChunkKey::new(self.text.as_bytes(), self.byte, end) else {
            return self.split_uncached(None, end);
        };
        let worker = &mut *self.worker;
        let mut hit = worker.cache.find(key);
        if hit.is_none() && self.snapshot.has_zone() {
            hit = worker.zone_cache.find(key);
        }
        let Some(hit) = hit else { return self.split_uncached(Some(key), end) };
        let first = worker.tokens.len();
        let (byte, idx) = (offset(self.byte), self.idx);
        match hit.tokens {
            CachedTokens::One { lex, facts } => {
                fallible::push(&mut worker.tokens, TokenC { lex, idx, byte, facts })?;
            }
            CachedTokens::Many(tokens) => {
                worker.tokens.try_reserve(tokens.len())?;
                worker.tokens.extend(tokens.iter().map(|token| TokenC {
                    idx: idx + token.idx,
                    byte: byte + token.byte,
                    ..*token
                }));
            }
        }
        self.byte = end;
        self.idx += hit.chars;
        if hit.starts {
            worker.add_candidates(first)?;
        }
        Ok(())
    }

    /// Splits a chunk that is missing in the cache, and adds it.
    #[cold]
    fn split_uncached(&mut self, key: Option<ChunkKey<'_>>, end: usize) -> Result<()> {
        let worker = &mut *self.worker;
        let chunk = &self.text[self.byte..end];
        worker.splitter.split(&worker.rules, chunk, true)?;
        let first = worker.tokens.len();
        let (mut starts, mut in_zone) = (false, false);
        let mut chars = 0;
        for part in &worker.splitter.tokens {
            let word = &chunk[part.start..part.end];
            let lex = self.snapshot.enter(word)?;
            starts |= worker.rules.special_cases.starts(lex.to_raw());
            in_zone |= lex.is_in_zone();
            let token =
                TokenC { lex: lex.to_raw(), idx: chars, byte: offset(part.start), facts: 0 };
            fallible::push(&mut worker.tokens, token.with_norm_ix(part.norm_ix))?;
            chars += offset(word.chars().count());
        }
        let tokens = &mut worker.tokens[first..];
        if let Some(key) = key {
            let cache = if in_zone { &mut worker.zone_cache } else { &mut worker.cache };
            cache.insert(key, chars, starts, tokens);
        }
        let byte = offset(self.byte);
        for token in tokens {
            token.idx += self.idx;
            token.byte += byte;
        }
        if starts {
            worker.add_candidates(first)?;
        }
        self.byte = end;
        self.idx += chars;
        Ok(())
    }
}

/// Converts an offset in a text, whose length was checked.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a text has fewer than 2^32 bytes")]
fn offset(at: usize) -> u32 {
    debug_assert!(u32::try_from(at).is_ok());
    at as u32
}

/// Converts the position of a token; a text has at least as many characters as tokens.
#[inline]
fn position(at: usize) -> u32 {
    offset(at)
}
