//! From text to tokens: rules, the chunk cache, and batches on all cores.
//!
//! A text is cut at whitespace into chunks (`chunks`); a chunk that a worker knows costs one
//! look-up (`cache`); another is cut by the rules (`split`), whose patterns are compiled once
//! ([`pattern`]); special cases that lie across chunks are put in at the end (`special`). Calls
//! [`tokens`](crate::tokens) and [`vocab`](crate::vocab).

mod batch;
mod cache;
mod chunks;
mod explain;
pub mod lang;
pub mod pattern;
mod rules;
mod special;
mod split;
mod worker;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

pub use batch::{Job, Text};
pub use lang::SpecialToken;
pub use rules::{PatternReport, PatternSource, RuleSet};
pub use split::Reason;

use crate::tokens::Doc;
use crate::vocab::{Getters, Vocab};
use crate::{Error, Result};
use cache::ChunkCache;
use rules::Rules;
use special::Special;
use split::Splitter;
use worker::{Input, Worker};

/// Cuts texts into tokens as spaCy does.
///
/// It can be shared by any number of threads. Each call borrows a worker with a chunk cache of its
/// own; there are as many workers as there were calls at one time. What a text is cut into depends
/// on nothing but the text and the rules.
pub struct Tokenizer {
    vocab: Arc<Vocab>,
    rules: RwLock<Arc<Rules>>,
    workers: Mutex<Vec<Box<Worker>>>,
    most_chunks: usize,
}

impl Tokenizer {
    /// How many chunks a worker remembers unless told otherwise: about 12 MiB of ordinary words.
    pub const MOST_CHUNKS: usize = ChunkCache::MOST;

    /// A tokenizer with lexpool's own rules for a language, and a new vocab.
    ///
    /// # Errors
    ///
    /// `unknown-language`, with the languages that there are.
    pub fn blank(lang: &str) -> Result<Tokenizer> {
        let data = lang::load(lang).map_err(|error| Error::value(error.code(), error.message()))?;
        let vocab = Vocab::new(Getters::from(&data))?;
        Tokenizer::new(&vocab, &data.into(), Tokenizer::MOST_CHUNKS)
    }

    /// A tokenizer with these rules, whose workers remember at most `most_chunks` chunks each.
    ///
    /// # Errors
    ///
    /// `rule-syntax` for a pattern that does not compile, with its name and the position; `E997`
    /// for a special case whose tokens do not make up its text.
    pub fn new(vocab: &Arc<Vocab>, set: &RuleSet, most_chunks: usize) -> Result<Tokenizer> {
        let mut rules = Rules::compile(set)?;
        add_special_cases(vocab, &mut rules, &set.special_cases)?;
        Ok(Tokenizer {
            vocab: Arc::clone(vocab),
            rules: RwLock::new(Arc::new(rules)),
            workers: Mutex::default(),
            most_chunks,
        })
    }

    /// The vocab of all documents made here.
    pub fn vocab(&self) -> &Arc<Vocab> {
        &self.vocab
    }

    /// Tokenizes a text. Cost: linear in its length, about 10 ns a byte or less.
    ///
    /// # Errors
    ///
    /// `E025` for a text of 2^30 characters or more; `rule-limit` if a pattern that is not linear
    /// takes too many steps; when memory runs out or an attribute getter fails.
    pub fn tokenize(&self, text: &str) -> Result<Doc> {
        self.run(Input::Copied(text), &mut || Ok(()))
    }

    /// The same, for a text that is handed over. `check` is asked every megabyte whether to go on;
    /// its error is handed on.
    ///
    /// # Errors
    ///
    /// As for [`tokenize`](Tokenizer::tokenize), and those of `check`.
    pub fn tokenize_text(&self, text: Text, check: &mut dyn FnMut() -> Result<()>) -> Result<Doc> {
        match text {
            Text::Owned(text) => self.run(Input::Owned(text), check),
            Text::Foreign(text) => self.run(Input::Foreign(text), check),
        }
    }

    /// The tokens of a text that are not whitespace, each with the rule behind it.
    ///
    /// # Errors
    ///
    /// As for [`tokenize`](Tokenizer::tokenize).
    pub fn explain(&self, text: &str) -> Result<Vec<(Reason, String)>> {
        explain::explain(&self.rules(), &self.vocab.scope(), text)
    }

    /// How each pattern runs: on automata, with side conditions, or on the fallback and why.
    pub fn report(&self) -> Vec<PatternReport> {
        let rules = self.rules();
        let patterns = rules.patterns().into_iter();
        let reports = patterns
            .filter_map(|(name, pattern)| Some(PatternReport { name, report: pattern?.report() }));
        reports.collect()
    }

    /// The special cases, in the order in which they were added.
    pub fn special_cases(&self) -> Vec<(String, Vec<SpecialToken>)> {
        let rules = self.rules();
        let cases = rules.specials.iter();
        cases.map(|(text, special)| (text.to_owned(), special.source.to_vec())).collect()
    }

    /// Adds special cases; one for a text that has a case already replaces it.
    ///
    /// # Errors
    ///
    /// `E997` if the tokens of a case do not make up its text; then none is added.
    pub fn add_special_cases(&self, cases: &[(String, Vec<SpecialToken>)]) -> Result<()> {
        loop {
            let present = self.rules();
            let mut rules = Rules::clone(&present);
            // Enters words, which may call getters of the user's: no lock is held meanwhile.
            add_special_cases(&self.vocab, &mut rules, cases)?;
            let mut slot = self.rules.write().unwrap_or_else(PoisonError::into_inner);
            if Arc::ptr_eq(&slot, &present) {
                *slot = Arc::new(rules);
                return Ok(());
            }
        }
    }

    /// The bytes that the prefix rules would cut off a string; 0 for none.
    ///
    /// # Errors
    ///
    /// `rule-limit`.
    pub fn find_prefix(&self, text: &str) -> Result<usize> {
        Splitter::new(&self.rules()).find_prefix(text)
    }

    /// The bytes that the suffix rules would cut off a string; 0 for none.
    ///
    /// # Errors
    ///
    /// `rule-limit`.
    pub fn find_suffix(&self, text: &str) -> Result<usize> {
        Splitter::new(&self.rules()).find_suffix(text)
    }

    fn run(&self, input: Input<'_>, check: &mut dyn FnMut() -> Result<()>) -> Result<Doc> {
        let rules = self.rules();
        let kept = self.workers().pop().filter(|worker| worker.follows(&rules));
        let mut worker = kept.unwrap_or_else(|| Box::new(Worker::new(rules, self.most_chunks)));
        let doc = worker.tokenize(self.vocab.scope(), input, check);
        self.workers().push(worker);
        doc
    }

    fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn workers(&self) -> MutexGuard<'_, Vec<Box<Worker>>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds special cases in the order of their texts, so that the result does not depend on the order
/// in which a map gave them.
fn add_special_cases(
    vocab: &Arc<Vocab>,
    rules: &mut Rules,
    cases: &[(String, Vec<SpecialToken>)],
) -> Result<()> {
    for (text, tokens) in cases {
        rules::check_special(text, tokens)?;
    }
    let mut sorted: Vec<_> = cases.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut splitter = Splitter::new(rules);
    for (text, tokens) in sorted {
        let special = Special {
            source: tokens.as_slice().into(),
            tokens: rules::special_tokens(vocab, tokens)?.into(),
        };
        rules.specials.insert(text, special);
        let touched = !rules.faster_heuristics
            || text.contains(' ')
            || splitter.find_prefix(text)? > 0
            || splitter.find_suffix(text)? > 0
            || !splitter.find_infixes(text)?.is_empty();
        if touched {
            let sequence = sequence(vocab, rules, &mut splitter, text)?;
            rules.specials.insert_sequence(&sequence);
        }
    }
    Ok(())
}

/// The lexemes of what the rules make of a text if they know no special case.
fn sequence(
    vocab: &Arc<Vocab>,
    rules: &Rules,
    splitter: &mut Splitter,
    text: &str,
) -> Result<Vec<u32>> {
    let mut lexemes = Vec::new();
    for (chunk, _) in chunks::cut(text) {
        splitter.split(rules, &text[chunk.clone()], false)?;
        for piece in &splitter.pieces {
            let word = &text[chunk.start + piece.start..chunk.start + piece.end];
            lexemes.push(vocab.enter_permanent(word)?.to_raw());
        }
    }
    Ok(lexemes)
}

#[cfg(test)]
mod tests;
