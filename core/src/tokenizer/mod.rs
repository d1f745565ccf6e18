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
mod finder;
pub mod lang;
mod rules;
mod scan;
mod special;
mod split;
mod worker;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

pub use batch::Text;
pub use finder::RuleEngine;
pub use lang::SpecialToken;
pub use lexpool_regex as pattern;
pub use rules::{
    Change, PatternSource, RuleFn, RuleName, RuleReport, RuleSet, RuleSource, SpecialCases,
};
pub(crate) use scan::Scanned;
pub use split::Reason;

use crate::tokens::Doc;
use crate::vocab::{Getters, Vocab, VocabSnapshot};
use crate::{Error, Result};
use cache::ChunkCache;
use finder::Rule;
use rules::Rules;
use special::{Layer, Special, Specials};
use split::Splitter;
use worker::{Input, Worker};

/// Cuts texts into tokens as spaCy does.
///
/// It does not change ([`with`](Tokenizer::with) makes another) and can be shared by any number of
/// threads. Each call borrows a worker with a chunk cache of its own; there are as many workers as
/// there were calls at one time. What a text is cut into depends on nothing but the text and the
/// rules.
pub struct Tokenizer {
    vocab: Arc<Vocab>,
    /// Replaced only when the vocab has forgotten its lexemes.
    rules: RwLock<Arc<Rules>>,
    workers: Mutex<Workers>,
    most_chunks: usize,
}

/// In boxes, since each call moves a worker out and in.
type Workers = Vec<Box<Worker>>;

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

    /// A tokenizer with lexpool's own rules for a language, and a vocab that is there.
    ///
    /// # Errors
    ///
    /// As for [`blank`](Tokenizer::blank).
    pub fn blank_for(lang: &str, vocab: &Arc<Vocab>) -> Result<Tokenizer> {
        let data = lang::load(lang).map_err(|error| Error::value(error.code(), error.message()))?;
        Tokenizer::new(vocab, &data.into(), Tokenizer::MOST_CHUNKS)
    }

    /// A tokenizer with these rules, whose workers remember at most `most_chunks` chunks each.
    ///
    /// # Errors
    ///
    /// `rule-syntax` for a pattern that does not compile, with its name and the position; `E997`
    /// for a special case whose tokens do not make up its text.
    pub fn new(vocab: &Arc<Vocab>, set: &RuleSet, most_chunks: usize) -> Result<Tokenizer> {
        let mut rules = Rules::compile(set, vocab.lexeme_generation())?;
        add_special_cases(vocab, &mut rules, &set.special_cases)?;
        Ok(Tokenizer::from_rules(vocab, rules, most_chunks))
    }

    fn from_rules(vocab: &Arc<Vocab>, rules: Rules, most_chunks: usize) -> Tokenizer {
        let (vocab, rules) = (Arc::clone(vocab), RwLock::new(Arc::new(rules)));
        Tokenizer { vocab, rules, workers: Mutex::default(), most_chunks }
    }

    /// A tokenizer that differs in one thing, with the same vocab and without cached chunks.
    ///
    /// Cost: that of cutting all special cases anew, or the added ones. Adding `n` of them one by one enters
    /// each of them some log n times.
    ///
    /// ```
    /// use lexpool::tokenizer::{Change, RuleName, Tokenizer};
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let whole = tokenizer.with(&Change::Rule(RuleName::SuffixSearch, None))?;
    /// assert_eq!(tokenizer.tokenize("Well, yes.")?.len(), 4);
    /// assert_eq!(whole.tokenize("Well, yes.")?.len(), 2);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`new`](Tokenizer::new).
    pub fn with(&self, change: &Change) -> Result<Tokenizer> {
        let present = self.rules()?;
        let mut rules = Rules::clone(&present);
        let mut most_chunks = self.most_chunks;
        match change {
            Change::AddSpecialCases(cases) => add_special_cases(&self.vocab, &mut rules, cases)?,
            Change::MostChunks(most) => most_chunks = *most,
            Change::SpecialCases(cases) => self.reload(&mut rules, cases)?,
            Change::FasterHeuristics(faster) => {
                rules.faster_heuristics = *faster;
                self.reload(&mut rules, &self.special_cases())?;
            }
            Change::Rule(name, source) => {
                let compile = |source| Rule::compile(*name, source);
                rules.set_rule(*name, source.as_ref().map(compile).transpose()?);
                self.reload(&mut rules, &self.special_cases())?;
            }
        }
        Ok(Tokenizer::from_rules(&self.vocab, rules, most_chunks))
    }

    /// What a special case is cut into without regard to it depends on the other rules.
    fn reload(&self, rules: &mut Rules, cases: &SpecialCases) -> Result<()> {
        rules.specials = Specials::default();
        rules.generation = self.vocab.lexeme_generation();
        add_special_cases(&self.vocab, rules, cases)
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
    /// takes too many steps; when memory runs out, or an attribute getter or a function in the
    /// place of a pattern fails.
    pub fn tokenize(&self, text: &str) -> Result<Doc> {
        let snapshot = self.vocab.snapshot();
        self.with_worker(|worker| worker.tokenize(snapshot, Input::Copied(text), &mut || Ok(())))
    }

    /// The same, for a text that is handed over. `check` is asked every megabyte whether to go on;
    /// its error is handed on.
    ///
    /// # Errors
    ///
    /// As for [`tokenize`](Tokenizer::tokenize), and those of `check`.
    pub fn tokenize_text(&self, text: Text, check: &mut dyn FnMut() -> Result<()>) -> Result<Doc> {
        self.tokenize_in(self.vocab.snapshot(), text, check)
    }

    /// The same in a snapshot of the vocab's, which may be that of a zone that has been closed since.
    pub(crate) fn tokenize_in(
        &self,
        snapshot: VocabSnapshot,
        text: Text,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Doc> {
        let input = match text {
            Text::Owned(text) => Input::Owned(text),
            Text::Foreign(text) => Input::Foreign(text),
        };
        self.with_worker(|worker| worker.tokenize(snapshot, input, check))
    }

    /// The tokens of a text that are not whitespace, each with the rule behind it.
    ///
    /// # Errors
    ///
    /// As for [`tokenize`](Tokenizer::tokenize).
    pub fn explain(&self, text: &str) -> Result<Vec<(Reason, String)>> {
        let rules = self.rules()?;
        explain::explain(&rules, &self.vocab.snapshot(), text)
    }

    /// How each rule runs: on automata, with side conditions, on the fallback and why, or as a
    /// function.
    pub fn report(&self) -> Vec<RuleReport> {
        let rules = self.last_rules();
        let report = |name| rules.rule(name).map(|rule| RuleReport { name, engine: rule.engine() });
        RuleName::ALL.into_iter().filter_map(report).collect()
    }

    /// The expression of a rule, if it has one.
    pub fn pattern(&self, name: RuleName) -> Option<PatternSource> {
        self.last_rules().rule(name)?.source()
    }

    /// The special cases, in the order in which they were added.
    pub fn special_cases(&self) -> SpecialCases {
        self.last_rules().special_cases()
    }

    /// Whether special cases that no affix touches are looked up as whole chunks only.
    pub fn faster_heuristics(&self) -> bool {
        self.last_rules().faster_heuristics
    }

    /// How many chunks a worker remembers.
    pub fn most_chunks(&self) -> usize {
        self.most_chunks
    }

    /// The bytes that the prefix rules would cut off a string; 0 for none.
    ///
    /// # Errors
    ///
    /// `rule-limit`.
    pub fn find_prefix(&self, text: &str) -> Result<usize> {
        Splitter::new(&self.last_rules()).find_prefix(text)
    }

    /// The bytes that the suffix rules would cut off a string; 0 for none.
    ///
    /// # Errors
    ///
    /// `rule-limit`.
    pub fn find_suffix(&self, text: &str) -> Result<usize> {
        Splitter::new(&self.last_rules()).find_suffix(text)
    }

    #[inline]
    fn with_worker<T>(&self, work: impl FnOnce(&mut Worker) -> Result<T>) -> Result<T> {
        let rules = self.rules()?;
        let kept = self.workers().pop().filter(|worker| worker.follows(&rules));
        let mut worker = kept.unwrap_or_else(|| Box::new(Worker::new(rules, self.most_chunks)));
        let done = work(&mut worker);
        self.workers().push(worker);
        done
    }

    /// The rules, with special cases of the vocab's present lexemes.
    #[inline]
    fn rules(&self) -> Result<Arc<Rules>> {
        let rules = self.last_rules();
        if rules.generation == self.vocab.lexeme_generation() { Ok(rules) } else { self.renew() }
    }

    fn last_rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Enters the words of the special cases again, for the vocab has forgotten its lexemes. The
    /// new rules get workers of their own, and so the caches begin anew, too.
    #[cold]
    fn renew(&self) -> Result<Arc<Rules>> {
        loop {
            let present = self.last_rules();
            let mut rules = Rules::clone(&present);
            // Enters words, which may call getters of the user's: no lock is held meanwhile.
            self.reload(&mut rules, &present.special_cases())?;
            let rules = Arc::new(rules);
            let mut slot = self.rules.write().unwrap_or_else(PoisonError::into_inner);
            if Arc::ptr_eq(&slot, &present) {
                *slot = Arc::clone(&rules);
                return Ok(rules);
            }
        }
    }

    fn workers(&self) -> MutexGuard<'_, Workers> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds special cases in the order of their texts, so that the result does not depend on the order
/// in which a map gave them.
fn add_special_cases(vocab: &Arc<Vocab>, rules: &mut Rules, cases: &SpecialCases) -> Result<()> {
    for (text, tokens) in cases {
        rules::check_special(text, tokens)?;
    }
    let mut sorted: Vec<_> = cases.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut splitter = Splitter::new(rules);
    let mut layer = Layer::default();
    for (text, tokens) in sorted {
        splitter.begin(text.len());
        let special = Special {
            source: tokens.as_slice().into(),
            tokens: rules::special_tokens(vocab, tokens)?.into(),
        };
        layer.insert(text, special);
        let touched = !rules.faster_heuristics
            || text.contains(' ')
            || splitter.find_prefix(text)? > 0
            || splitter.find_suffix(text)? > 0
            || !splitter.find_infixes(text)?.is_empty();
        if touched {
            let sequence = sequence(vocab, rules, &mut splitter, text)?;
            layer.insert_sequence(sequence.into());
        }
    }
    rules.specials.add(layer);
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
