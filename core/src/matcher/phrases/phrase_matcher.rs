//! [`PhraseMatcher`]: phrases under keys, in memory or in a mapped file.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use lexpool_structs::AttrId;

use super::file::{self, MappedTrie};
use super::layout::TrieView;
use super::listing;
use super::search::{PhraseSearch, SearchBuffers, SearchTokens};
use super::trie::{PhraseTrie, SymbolCache};
use crate::codes;
use crate::fallible;
use crate::matcher::idle::IdleList;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::vocab::Vocab;
use crate::{Error, Result};

/// The maximum number of matches of one search, without those allowed for each token.
const MAX_MATCHES: usize = if cfg!(test) { 1 << 20 } else { 1 << 24 };
/// The number of matches allowed for each token beyond [`MAX_MATCHES`].
const MATCHES_PER_TOKEN: usize = 16;

/// Phrases under keys, and the search for them. A phrase is a sequence of values of one attribute.
///
/// Cost of a search: two loads for a token that no phrase starts with, if the attribute is one of
/// lexemes, else a hash look-up. A token that phrases start with costs one step for each trie node
/// that the text leads to. Memory: about 60 bytes for a phrase of two words.
///
/// Any number of threads may search at once, without waiting for each other.
///
/// ```
/// use lexpool::matcher::PhraseMatcher;
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let mut phrases = PhraseMatcher::new(AttrId::LOWER);
/// let phrase = phrases.ids(&tokenizer.tokenize("New York")?)?;
/// phrases.add(StrId::of("city"), &phrase)?;
/// let doc = tokenizer.tokenize("in new york")?;
/// assert_eq!(phrases.find(&doc, 0..doc.len())?[0].tokens, 1..3);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct PhraseMatcher {
    attr: AttrId,
    phrases: PhraseStore,
    /// The version of the trie, raised when a change makes cached symbols stale.
    version: u64,
    /// Buffers of ended searches, with the symbols that they have cached.
    idle: IdleList<SearchBuffers>,
}

/// The trie of a matcher.
#[derive(Clone)]
enum PhraseStore {
    InMemory(Box<PhraseTrie>),
    InFile(Arc<MappedTrie>),
}

/// A match of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhraseMatch {
    /// The key under which the phrase was added.
    pub key: StrId,
    /// The tokens, as positions in the document.
    pub tokens: Range<usize>,
}

impl Clone for PhraseMatcher {
    /// Returns a copy that can be changed on its own. It does not share the symbols that searches
    /// have cached.
    fn clone(&self) -> PhraseMatcher {
        let (phrases, idle) = (self.phrases.clone(), IdleList::default());
        PhraseMatcher { attr: self.attr, phrases, version: self.version, idle }
    }
}

impl PhraseMatcher {
    /// Returns a matcher without phrases, which compares tokens by an attribute.
    pub fn new(attr: AttrId) -> PhraseMatcher {
        PhraseMatcher::of(attr, PhraseStore::InMemory(Box::default()))
    }

    /// Opens a file of phrases, which is memory-mapped: its memory is the system's page cache,
    /// shared by all processes that map it. The strings of the keys are stored in the vocab.
    ///
    /// The whole file is validated first. The first change copies the phrases into memory. While
    /// the file is mapped it may be replaced, as [`save`](PhraseMatcher::save) does, but it must
    /// not be written to or truncated.
    ///
    /// # Errors
    ///
    /// `file-not-found`, `file-permission`, `file-io`; those of
    /// [`Container::read`](crate::container::Container::read), and of its sections' checksums; for
    /// a damaged file `phrases-attr`, `phrases-table`, `phrases-tree`, `phrases-keys` or
    /// `phrases-strings`, with the offset in the file.
    pub fn open(path: &Path, vocab: &Vocab) -> Result<PhraseMatcher> {
        let (mapped, attr) = MappedTrie::open(path)?;
        mapped.add_strings(vocab)?;
        Ok(PhraseMatcher::of(attr, PhraseStore::InFile(Arc::new(mapped))))
    }

    /// Writes the phrases and the strings of their keys to a file. An existing file is replaced
    /// atomically.
    ///
    /// ```
    /// use lexpool::matcher::PhraseMatcher;
    /// use lexpool::structs::AttrId;
    /// use lexpool::tokenizer::Tokenizer;
    ///
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    /// let key = tokenizer.vocab().strings().add("city")?;
    /// phrases.add(key, &phrases.ids(&tokenizer.tokenize("New York")?)?)?;
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("cities");
    /// phrases.save(&path, tokenizer.vocab())?;
    /// let mapped = PhraseMatcher::open(&path, tokenizer.vocab())?;
    /// assert_eq!(mapped.find(&tokenizer.tokenize("in New York")?, 0..3)?[0].tokens, 1..3);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E018` for a key that has no string in the vocab; `file-not-found` if the folder is missing;
    /// `file-permission`, `disk-full`, `file-io`.
    pub fn save(&self, path: &Path, vocab: &Arc<Vocab>) -> Result<()> {
        file::save(path, &self.view(), self.attr, vocab)
    }

    fn of(attr: AttrId, phrases: PhraseStore) -> PhraseMatcher {
        PhraseMatcher { attr, phrases, version: 0, idle: IdleList::default() }
    }

    /// Returns the attribute that is compared.
    pub fn attr(&self) -> AttrId {
        self.attr
    }

    /// Returns a document as a phrase: the attribute of all its tokens.
    ///
    /// # Errors
    ///
    /// `out-of-memory`.
    pub fn ids(&self, doc: &Doc) -> Result<Vec<u64>> {
        fallible::collect(doc.iter().map(|token| token.attr(self.attr)))
    }

    /// Adds a phrase under a key, after the other keys of the phrase. Does nothing if the key has
    /// the phrase already or the phrase is empty.
    ///
    /// # Errors
    ///
    /// `phrase-limit` for more than 2^29 ids in total; `out-of-memory`. Nothing is added then.
    pub fn add(&mut self, key: StrId, phrase: &[u64]) -> Result<()> {
        let added = self.trie_mut()?.add(key.get(), phrase);
        self.note(*added.as_ref().unwrap_or(&SymbolCache::Stale));
        added.map(drop)
    }

    /// Removes a phrase of a key, if the key has it. Cost: linear in the number of the key's
    /// phrases and of the phrase's keys.
    ///
    /// # Errors
    ///
    /// As for [`add`](PhraseMatcher::add), if the phrases are in a file and must be copied.
    pub fn remove(&mut self, key: StrId, phrase: &[u64]) -> Result<()> {
        let cache = self.trie_mut()?.remove(key.get(), phrase);
        self.note(cache);
        Ok(())
    }

    /// Removes all phrases of a key, at a cost linear in their length and in the number of keys
    /// that each of them has between this one and the first or the last one.
    ///
    /// # Errors
    ///
    /// As for [`remove`](PhraseMatcher::remove).
    pub fn remove_all(&mut self, key: StrId) -> Result<()> {
        let cache = self.trie_mut()?.remove_all(key.get());
        self.note(cache);
        Ok(())
    }

    /// Returns the keys that have phrases, at a cost linear in the number of trie nodes.
    pub fn keys(&self) -> Vec<StrId> {
        let view = self.view();
        let mut is_used = vec![false; view.keys.len()];
        for node in view.nodes {
            let (single, several) = view.keys_of(node.keys);
            for key in single.iter().chain(several) {
                is_used[*key as usize] = true;
            }
        }
        let used = view.keys.iter().zip(is_used).filter(|(_, is_used)| *is_used);
        used.map(|(key, _)| StrId::new(*key)).collect()
    }

    /// Calls `each` for every phrase, with its ids and its keys in the order in which they were
    /// added.
    ///
    /// # Errors
    ///
    /// `phrase-limit` for phrases of more than 2^26 ids in total; `out-of-memory`; any error of
    /// `each`.
    pub fn each_phrase(&self, mut each: impl FnMut(&[u64], &[StrId]) -> Result<()>) -> Result<()> {
        let mut ids = Vec::new();
        listing::each_phrase(&self.view(), |phrase, keys| {
            ids.clear();
            ids.try_reserve(keys.len())?;
            ids.extend(keys.iter().map(|key| StrId::new(*key)));
            each(phrase, &ids)
        })
    }

    /// Finds all phrases in a range of tokens of a document, overlapping ones included. They are
    /// sorted by start, then by length, then by the order in which their keys were added.
    ///
    /// # Errors
    ///
    /// `E035` if the tokens are outside of the document; `phrase-limit` for more than 2^24 matches
    /// plus 16 for each token, or half a billion steps; `out-of-memory`.
    pub fn find(&self, doc: &Doc, tokens: Range<usize>) -> Result<Vec<PhraseMatch>> {
        let mut matches = Vec::new();
        self.each_match(doc, tokens, |key, start, end| {
            fallible::push(&mut matches, PhraseMatch { key, tokens: start..end })
        })?;
        Ok(matches)
    }

    /// Calls `found` for each phrase in a range of tokens of a document, with its key, its first
    /// token and the position after its last token.
    ///
    /// # Errors
    ///
    /// As for [`find`](PhraseMatcher::find); any error of `found`.
    pub fn each_match(
        &self,
        doc: &Doc,
        tokens: Range<usize>,
        found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        self.with_buffers(|buffers| self.each_match_with(buffers, doc, tokens, found))
    }

    pub(super) fn each_match_with(
        &self,
        buffers: &mut SearchBuffers,
        doc: &Doc,
        tokens: Range<usize>,
        mut found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        doc.span(tokens.start, tokens.end)?;
        let offset = tokens.start;
        let records = &doc.tokens()[tokens];
        let tokens = SearchTokens { snapshot: doc.snapshot(), records, doc: Some((doc, offset)) };
        self.search(tokens, buffers, |key, start, end| found(key, offset + start, offset + end))
    }

    /// Searches tokens, up to the maximum number of matches.
    pub(super) fn search(
        &self,
        tokens: SearchTokens<'_>,
        buffers: &mut SearchBuffers,
        mut found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let prefixes = match &self.phrases {
            PhraseStore::InMemory(trie) => trie.prefixes(),
            PhraseStore::InFile(mapped) => mapped.prefixes(),
        };
        let (attr, version) = (self.attr, self.version);
        let search = PhraseSearch { view: self.view(), prefixes, attr, version };
        let max = MAX_MATCHES + MATCHES_PER_TOKEN * tokens.records.len();
        let mut count = 0;
        search.run(tokens, buffers, |key, start, end| {
            count += 1;
            if count > max {
                return Err(too_many_matches(max, start));
            }
            found(key, start, end)
        })
    }

    /// Calls `search` with idle or new buffers. The lock of the idle buffers is not held meanwhile.
    pub(super) fn with_buffers<T>(&self, search: impl FnOnce(&mut SearchBuffers) -> T) -> T {
        let mut buffers = self.take_buffers();
        let result = search(&mut buffers);
        self.put_back(buffers);
        result
    }

    pub(super) fn take_buffers(&self) -> Box<SearchBuffers> {
        self.idle.take()
    }

    pub(super) fn put_back(&self, buffers: Box<SearchBuffers>) {
        self.idle.put_back(buffers);
    }

    fn view(&self) -> TrieView<'_> {
        match &self.phrases {
            PhraseStore::InMemory(trie) => trie.view(),
            PhraseStore::InFile(mapped) => mapped.view(),
        }
    }

    /// Returns the trie for a change, after copying it into memory if it is in a file.
    fn trie_mut(&mut self) -> Result<&mut PhraseTrie> {
        if let PhraseStore::InFile(mapped) = &self.phrases {
            let copy = PhraseTrie::copy_of(&mapped.view())?;
            self.phrases = PhraseStore::InMemory(Box::new(copy));
            self.version += 1;
        }
        match &mut self.phrases {
            PhraseStore::InMemory(trie) => Ok(trie),
            PhraseStore::InFile(_) => unreachable!("the trie has just been copied into memory"),
        }
    }

    fn note(&mut self, cache: SymbolCache) {
        if cache == SymbolCache::Stale {
            self.version += 1;
        }
    }
}

fn too_many_matches(max: usize, token: usize) -> Error {
    let text = format!(
        "the search reached the limit of {max} matches at token {token}; phrases that share \
         prefixes or have many keys match together: search the text in parts"
    );
    Error::value(codes::PHRASE_LIMIT, text)
}

#[cfg(test)]
mod tests;
