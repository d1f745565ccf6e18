//! Phrases: fixed sequences of one attribute's ids, found all at once by a tree of them.
//!
//! The tree is a few flat arrays (`layout`), grown in memory (`tree`) or mapped from a file
//! (`file`, judged by `check`), with two open tables (`table`). A search (`search`) turns the tokens into symbols, with
//! what it remembers of lexemes, and goes through the tree from each that begins a phrase with the one
//! behind it (`pairs`). Phrases come out one by one (`listing`). `texts` searches texts as they are tokenized.

mod check;
mod file;
mod layout;
mod listing;
mod pairs;
mod search;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod tree;

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool_structs::AttrId;

use crate::strings::StrId;
use crate::tokens::Doc;
use crate::vocab::Vocab;
use crate::{Error, Result};
use file::Mapped;
use layout::View;
use search::{Scratch, Searched, Tokens};
pub use texts::Phrases;
use tree::{Remembered, Tree};

/// The most matches of one search, and how many more for each token.
const MOST_MATCHES: usize = if cfg!(test) { 1 << 20 } else { 1 << 24 };
const MATCHES_A_TOKEN: usize = 16;

/// Phrases under keys, and what finds them; a phrase is what an attribute of its tokens is.
///
/// Cost of a search: two loads for a token that begins no phrase, where the attribute is one of its
/// lexeme, else a look-up; and for another as many steps as it takes to go on with some phrase, of
/// which those that all phrases take alike are one. Memory: about 60 bytes a phrase of two words.
///
/// Any number of threads may search, none waits for another.
///
/// ```
/// use lexpool::matcher::PhraseMatcher;
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let mut phrases = PhraseMatcher::new(AttrId::LOWER);
/// let phrase = phrases.ids(&tokenizer.tokenize("New York")?);
/// phrases.add(StrId::of("city"), &phrase)?;
/// let doc = tokenizer.tokenize("in new york")?;
/// assert_eq!(phrases.find(&doc, 0..doc.len())?[0].tokens, 1..3);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct PhraseMatcher {
    attr: AttrId,
    phrases: Store,
    /// How often what searches remember has become stale.
    changes: u64,
    /// What searches that have ended leave to those to come.
    idle: Mutex<Vec<Scratch>>,
}

/// Where the phrases are.
#[derive(Clone)]
enum Store {
    InMemory(Box<Tree>),
    InFile(Arc<Mapped>),
}

/// A phrase that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhraseMatch {
    /// The key under which it was added.
    pub key: StrId,
    /// Its tokens, as positions in the document.
    pub tokens: Range<usize>,
}

impl Clone for PhraseMatcher {
    /// A copy that may go its own way; it shares nothing that searches have found out.
    fn clone(&self) -> PhraseMatcher {
        let (phrases, idle) = (self.phrases.clone(), Mutex::default());
        PhraseMatcher { attr: self.attr, phrases, changes: self.changes, idle }
    }
}

impl PhraseMatcher {
    /// Without phrases, for an attribute.
    pub fn new(attr: AttrId) -> PhraseMatcher {
        PhraseMatcher::of(attr, Store::InMemory(Box::default()))
    }

    /// The phrases of a file, which is mapped and not read: its memory is that of the system's cache,
    /// shared by all who map it. The strings of the keys are stored in the vocab.
    ///
    /// All of the file is judged first. The first change copies the phrases into memory. The file may
    /// be replaced by another meanwhile, as [`save`](PhraseMatcher::save) does, but its bytes must not
    /// be written or cut off.
    ///
    /// # Errors
    ///
    /// `file-not-found`, `file-permission`, `file-io`; for a file that is none of phrases
    /// `phrases-magic`, `phrases-version` or `phrases-endian`; for one that is damaged
    /// `phrases-truncated`, `phrases-checksum`, `phrases-section`, `phrases-table`, `phrases-tree`,
    /// `phrases-keys` or `phrases-strings`, with the offset in the file.
    pub fn open(path: &Path, vocab: &Vocab) -> Result<PhraseMatcher> {
        let (mapped, attr) = Mapped::open(path)?;
        mapped.add_strings(vocab)?;
        Ok(PhraseMatcher::of(attr, Store::InFile(Arc::new(mapped))))
    }

    /// Writes the phrases and the strings of their keys to a file, in place of one of that name when
    /// it is whole.
    ///
    /// ```
    /// use lexpool::matcher::PhraseMatcher;
    /// use lexpool::structs::AttrId;
    /// use lexpool::tokenizer::Tokenizer;
    ///
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    /// let key = tokenizer.vocab().strings().add("city")?;
    /// phrases.add(key, &phrases.ids(&tokenizer.tokenize("New York")?))?;
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
    /// `E018` for a key that is the id of no string of the vocab; `file-not-found` without the
    /// folder, `file-permission`, `disk-full`, `file-io`.
    pub fn save(&self, path: &Path, vocab: &Arc<Vocab>) -> Result<()> {
        file::save(path, &self.view(), self.attr, vocab)
    }

    fn of(attr: AttrId, phrases: Store) -> PhraseMatcher {
        PhraseMatcher { attr, phrases, changes: 0, idle: Mutex::default() }
    }

    /// The attribute that is compared.
    pub fn attr(&self) -> AttrId {
        self.attr
    }

    /// A document as the phrase that it is here.
    pub fn ids(&self, doc: &Doc) -> Vec<u64> {
        doc.iter().map(|token| token.attr(self.attr)).collect()
    }

    /// Adds a phrase under a key, behind the keys that it has, unless it is there or has no ids.
    ///
    /// # Errors
    ///
    /// `phrase-limit` for more than 2^29 ids in all; nothing is added.
    pub fn add(&mut self, key: StrId, phrase: &[u64]) -> Result<()> {
        let remembered = self.tree()?.add(key.get(), phrase)?;
        self.note(remembered);
        Ok(())
    }

    /// Removes a phrase of a key, if it is there, and what only it has needed.
    ///
    /// # Errors
    ///
    /// As for [`add`](PhraseMatcher::add), where phrases come from a file.
    pub fn remove(&mut self, key: StrId, phrase: &[u64]) -> Result<()> {
        let remembered = self.tree()?.remove(key.get(), phrase)?;
        self.note(remembered);
        Ok(())
    }

    /// Removes all phrases of a key. Cost: that of those phrases.
    ///
    /// # Errors
    ///
    /// As for [`remove`](PhraseMatcher::remove).
    pub fn remove_all(&mut self, key: StrId) -> Result<()> {
        let remembered = self.tree()?.remove_all(key.get())?;
        self.note(remembered);
        Ok(())
    }

    /// The keys that have phrases. Cost: a look at each node of the tree.
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

    /// Calls `each` for every phrase, as its ids and the keys that it has, in the order in which
    /// those were added.
    ///
    /// # Errors
    ///
    /// What `each` fails with.
    pub fn each_phrase(&self, mut each: impl FnMut(&[u64], &[StrId]) -> Result<()>) -> Result<()> {
        let mut ids = Vec::new();
        listing::each_phrase(&self.view(), |phrase, keys| {
            ids.clear();
            ids.extend(keys.iter().map(|key| StrId::new(*key)));
            each(phrase, &ids)
        })
    }

    /// All phrases among some tokens of a document, overlapping ones too: by their starts, then by
    /// their lengths, then in the order in which their keys were added.
    ///
    /// # Errors
    ///
    /// `E035` for tokens outside of the document; `phrase-limit` for more than 2^24 matches and 16
    /// a token, or half a billion steps from token to token.
    pub fn find(&self, doc: &Doc, tokens: Range<usize>) -> Result<Vec<PhraseMatch>> {
        let mut matches = Vec::new();
        self.each_match(doc, tokens, |key, start, end| {
            matches.push(PhraseMatch { key, tokens: start..end });
            Ok(())
        })?;
        Ok(matches)
    }

    /// Calls `found` for each phrase among some tokens of a document, with its key, its first token
    /// and the one behind its last.
    ///
    /// # Errors
    ///
    /// As for [`find`](PhraseMatcher::find), and what `found` fails with.
    pub fn each_match(
        &self,
        doc: &Doc,
        tokens: Range<usize>,
        found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        self.with_scratch(|scratch| self.each_match_with(scratch, doc, tokens, found))
    }

    fn each_match_with(
        &self,
        scratch: &mut Scratch,
        doc: &Doc,
        tokens: Range<usize>,
        mut found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        doc.span(tokens.start, tokens.end)?;
        let offset = tokens.start;
        let records = &doc.tokens()[tokens];
        let tokens = Tokens { snapshot: doc.snapshot(), records, doc: Some((doc, offset)) };
        self.search(tokens, scratch, |key, start, end| found(key, offset + start, offset + end))
    }

    /// Searches tokens and counts what it finds.
    fn search(
        &self,
        tokens: Tokens<'_>,
        scratch: &mut Scratch,
        mut found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let pairs = match &self.phrases {
            Store::InMemory(tree) => tree.pairs(),
            Store::InFile(mapped) => mapped.pairs(),
        };
        let (attr, changes) = (self.attr, self.changes);
        let searched = Searched { view: self.view(), pairs, attr, changes };
        let most = MOST_MATCHES + MATCHES_A_TOKEN * tokens.records.len();
        let mut count = 0;
        searched.run(tokens, scratch, |key, start, end| {
            count += 1;
            if count > most {
                return Err(too_many_matches(most, start));
            }
            found(key, start, end)
        })
    }

    /// Lends what a search needs: one lock is taken twice, and no thread waits for another's search.
    fn with_scratch<T>(&self, search: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = self.scratch();
        let result = search(&mut scratch);
        self.idle().push(scratch);
        result
    }

    fn scratch(&self) -> Scratch {
        let taken = self.idle().pop();
        taken.unwrap_or_default()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn view(&self) -> View<'_> {
        match &self.phrases {
            Store::InMemory(tree) => tree.view(),
            Store::InFile(mapped) => mapped.view(),
        }
    }

    /// The tree, to be changed: copied if it lies in a file.
    fn tree(&mut self) -> Result<&mut Tree> {
        if let Store::InFile(mapped) = &self.phrases {
            let copy = Tree::copy_of(&mapped.view())?;
            self.phrases = Store::InMemory(Box::new(copy));
            self.changes += 1;
        }
        match &mut self.phrases {
            Store::InMemory(tree) => Ok(tree),
            Store::InFile(_) => unreachable!("it has just been copied"),
        }
    }

    fn note(&mut self, remembered: Remembered) {
        if remembered == Remembered::IsStale {
            self.changes += 1;
        }
    }
}

fn too_many_matches(most: usize, token: usize) -> Error {
    let text = format!(
        "there are more than {most} matches before token {token} is done with; phrases that begin \
         alike, or have many keys, match together: search the text in parts"
    );
    Error::value("phrase-limit", text)
}
