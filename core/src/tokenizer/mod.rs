//! The tokenizer: spaCy's rules, a chunk cache, and batches on all cores.
//!
//! A text is split at whitespace into chunks (`chunks`). A cached chunk costs one look-up
//! (`cache`); another is split by the rules (`split`), whose patterns are compiled once
//! ([`pattern`]). Special cases that span several tokens are applied to the whole text at the end
//! (`special_cases`). A segmenter may cut the text in the place of rules (`segments`). The module
//! depends on [`tokens`](crate::tokens) and [`vocab`](crate::vocab).

#![forbid(unsafe_code)]

mod batch;
mod cache;
mod characters;
mod chunks;
mod explain;
pub mod lang;
mod rule;
mod rule_set;
mod rules;
mod saved;
mod scan;
pub mod segmenters;
mod segments;
mod special_cases;
mod split;
mod text;
mod worker;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

pub(crate) use batch::{TextGroup, text_groups};
use lang::LangData;
pub use lang::SpecialToken;
pub use lexpool_regex as pattern;
use lexpool_segment::Segment;
pub use rule::{RuleEngine, RuleReport};
pub use rule_set::{
    PatternSource, RuleFn, RuleName, RuleSet, RuleSource, SpecialCases, TokenizerChange,
};
pub use split::TokenRule;
pub use text::ScannedText;
pub use text::Text;

use crate::tokens::Doc;
use crate::vocab::{Getters, Vocab, VocabSnapshot};
use crate::{Error, Result, codes};
use cache::ChunkCache;
use rule::CompiledRule;
use rules::CompiledRules;
use special_cases::{SpecialCase, SpecialCaseLayer, SpecialCaseTable};
use split::Splitter;
use worker::{TextSource, Worker};

/// A tokenizer that splits texts as spaCy does.
///
/// It is immutable ([`with`](Tokenizer::with) returns another) and can be shared by any number of
/// threads. Each call borrows a worker with a chunk cache of its own; there are as many workers as
/// there were concurrent calls. The tokens of a text depend on the text and the rules only.
///
/// ```
/// use lexpool::tokenizer::{TokenRule, Tokenizer};
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let doc = tokenizer.tokenize("Don't go to N.Y.!")?;
/// let words: Vec<&str> = doc.iter().map(|token| token.text()).collect();
/// assert_eq!(words, ["Do", "n't", "go", "to", "N.Y.", "!"]);
/// assert_eq!(tokenizer.explain("go!")?[1], (TokenRule::Suffix, "!".to_owned()));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Tokenizer {
    /// The vocab, without a zone.
    permanent: Arc<VocabSnapshot>,
    /// Replaced only after the vocab has removed its lexemes.
    rules: RwLock<Arc<CompiledRules>>,
    workers: Mutex<Workers>,
    max_cached_chunks: usize,
}

type Workers = Vec<IdleWorker>;

/// A worker that no thread has, boxed because each call moves one out and in.
struct IdleWorker {
    worker: Box<Worker>,
    /// The thread that used it last: the processor of that thread may still have its caches.
    thread: usize,
}

impl Tokenizer {
    /// The default number of chunks in the cache of a worker: about 20 MiB of ordinary words.
    pub const DEFAULT_CACHED_CHUNKS: usize = ChunkCache::DEFAULT_ENTRIES;

    /// Creates a tokenizer with lexpool's own rules for a language, and a new vocab.
    ///
    /// # Errors
    ///
    /// `unknown-language`, with the known languages.
    pub fn blank(lang: &str) -> Result<Tokenizer> {
        Tokenizer::of_language(&lang::load(lang)?)
    }

    /// Creates a tokenizer with the rules of a language, and a new vocab.
    ///
    /// # Errors
    ///
    /// `rule-syntax` for a pattern that does not compile; `segmenter-data` if the language has a
    /// segmenter without data in this build.
    pub fn of_language(data: &LangData) -> Result<Tokenizer> {
        Tokenizer::of_language_for(data, &Vocab::new(Getters::from(data))?)
    }

    /// Creates a tokenizer with the rules or the segmenter of a language, and an existing vocab.
    ///
    /// # Errors
    ///
    /// Those of [`of_language`](Tokenizer::of_language).
    pub fn of_language_for(data: &LangData, vocab: &Arc<Vocab>) -> Result<Tokenizer> {
        let max = Tokenizer::DEFAULT_CACHED_CHUNKS;
        match &data.segmenter {
            Some(name) => Tokenizer::with_segmenter(vocab, segmenters::open(name, None)?, max),
            None => Tokenizer::new(vocab, &RuleSet::from(data), max),
        }
    }

    /// Creates a tokenizer with lexpool's own rules for a language, and an existing vocab.
    ///
    /// # Errors
    ///
    /// Those of [`blank`](Tokenizer::blank).
    pub fn blank_for(lang: &str, vocab: &Arc<Vocab>) -> Result<Tokenizer> {
        Tokenizer::of_language_for(&lang::load(lang)?, vocab)
    }

    /// Creates a tokenizer with these rules, whose workers cache at most `max_cached_chunks` chunks
    /// each.
    ///
    /// # Errors
    ///
    /// `rule-syntax` if a pattern is invalid, with its name and the position; `E997` if the tokens
    /// of a special case do not concatenate to its text.
    pub fn new(vocab: &Arc<Vocab>, set: &RuleSet, max_cached_chunks: usize) -> Result<Tokenizer> {
        let mut rules = CompiledRules::compile(set, vocab.lexeme_generation())?;
        add_special_cases(vocab, &mut rules, &set.special_cases)?;
        Ok(Tokenizer::from_rules(vocab, rules, max_cached_chunks))
    }

    /// Creates a tokenizer that cuts texts with a segmenter, in the place of rules. Features of
    /// segments become annotation of the tokens of documents.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use lexpool::segment::{Segment, Segments};
    /// use lexpool::tokenizer::Tokenizer;
    /// use lexpool::vocab::{Getters, Vocab};
    ///
    /// struct Pairs;
    ///
    /// impl Segment for Pairs {
    ///     fn name(&self) -> &str {
    ///         "pairs"
    ///     }
    ///
    ///     fn cut(&self, text: &str, out: &mut Segments<'_>) -> lexpool::Result<()> {
    ///         (0..text.len()).step_by(2).try_for_each(|at| out.push(at..text.len().min(at + 2)))
    ///     }
    /// }
    ///
    /// let vocab = Vocab::new(Getters::native("xx"))?;
    /// let tokenizer = Tokenizer::with_segmenter(&vocab, Arc::new(Pairs), 1000)?;
    /// let doc = tokenizer.tokenize("abcde")?;
    /// assert_eq!(doc.iter().map(|token| token.text()).collect::<Vec<_>>(), ["ab", "cd", "e"]);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None today; a tokenizer without rules compiles nothing.
    pub fn with_segmenter(
        vocab: &Arc<Vocab>,
        segmenter: Arc<dyn Segment>,
        max_cached_chunks: usize,
    ) -> Result<Tokenizer> {
        let mut rules = CompiledRules::compile(&RuleSet::default(), vocab.lexeme_generation())?;
        rules.segmenter = Some(segmenter);
        Ok(Tokenizer::from_rules(vocab, rules, max_cached_chunks))
    }

    fn from_rules(vocab: &Arc<Vocab>, rules: CompiledRules, max_cached_chunks: usize) -> Tokenizer {
        Tokenizer {
            permanent: Arc::new(VocabSnapshot::new(Arc::clone(vocab), None)),
            rules: RwLock::new(Arc::new(rules)),
            workers: Mutex::default(),
            max_cached_chunks,
        }
    }

    /// Creates a tokenizer with one change, with the same vocab and empty caches.
    ///
    /// Cost: that of splitting the added special cases, or all of them. Adding `n` cases one by one
    /// copies each of them O(log n) times.
    ///
    /// ```
    /// use lexpool::tokenizer::{RuleName, Tokenizer, TokenizerChange};
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let without = tokenizer.with(&TokenizerChange::Rule(RuleName::SuffixSearch, None))?;
    /// assert_eq!(tokenizer.tokenize("Well, yes.")?.len(), 4);
    /// assert_eq!(without.tokenize("Well, yes.")?.len(), 2);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`new`](Tokenizer::new).
    /// `segmenter-rules` for a change of rules if the tokenizer has a segmenter.
    pub fn with(&self, change: &TokenizerChange) -> Result<Tokenizer> {
        let present = self.rules()?;
        let mut rules = CompiledRules::clone(&present);
        let mut max_cached_chunks = self.max_cached_chunks;
        if let (Some(segmenter), false) =
            (&rules.segmenter, matches!(change, TokenizerChange::MaxCachedChunks(_)))
        {
            let text = format!(
                "the tokenizer cuts texts with the segmenter {:?}, and has no rules to change",
                segmenter.name()
            );
            return Err(Error::value(codes::SEGMENTER_RULES, text));
        }
        match change {
            TokenizerChange::AddSpecialCases(cases) => {
                add_special_cases(self.vocab(), &mut rules, cases)?;
            }
            TokenizerChange::MaxCachedChunks(max) => max_cached_chunks = *max,
            TokenizerChange::SpecialCases(cases) => self.set_special_cases(&mut rules, cases)?,
            TokenizerChange::FasterHeuristics(faster) => {
                rules.faster_heuristics = *faster;
                self.split_special_cases(&mut rules)?;
            }
            TokenizerChange::Rule(name, source) => {
                let compile = |source| CompiledRule::compile(*name, source);
                rules.set_rule(*name, source.as_ref().map(compile).transpose()?);
                self.split_special_cases(&mut rules)?;
            }
        }
        Ok(Tokenizer::from_rules(self.vocab(), rules, max_cached_chunks))
    }

    /// Replaces the special cases.
    fn set_special_cases(&self, rules: &mut CompiledRules, cases: &SpecialCases) -> Result<()> {
        rules.special_cases = SpecialCaseTable::default();
        rules.generation = self.vocab().lexeme_generation();
        add_special_cases(self.vocab(), rules, cases)
    }

    /// Splits the special cases anew, whose sequences depend on the other rules. They stay in their
    /// order.
    fn split_special_cases(&self, rules: &mut CompiledRules) -> Result<()> {
        let cases = rules.special_cases();
        rules.special_cases = SpecialCaseTable::default();
        rules.generation = self.vocab().lexeme_generation();
        let mut layer = special_case_layer(self.vocab(), rules, &cases)?;
        layer.set_order(cases.iter().map(|(text, _)| text.as_str()));
        rules.special_cases.add(layer);
        Ok(())
    }

    /// Returns the vocab of the tokenizer and its documents.
    pub fn vocab(&self) -> &Arc<Vocab> {
        self.permanent.vocab()
    }

    /// Tokenizes a text. Cost: linear in its length, about 10 ns a byte or less.
    ///
    /// # Errors
    ///
    /// `E025` if the text has 2^30 characters or more; `rule-limit` if a pattern exceeds its limit;
    /// out of memory; errors of an attribute getter or of a function in place of a pattern.
    pub fn tokenize(&self, text: &str) -> Result<Doc> {
        let snapshot = self.snapshot();
        self.with_worker(|worker| {
            worker.tokenize(snapshot, TextSource::Borrowed(text), &mut || Ok(()))
        })
    }

    /// Tokenizes a text that the document takes over. `check` is called every megabyte; its error
    /// ends the work.
    ///
    /// # Errors
    ///
    /// Those of [`tokenize`](Tokenizer::tokenize) and of `check`.
    pub fn tokenize_text(&self, text: Text, check: &mut dyn FnMut() -> Result<()>) -> Result<Doc> {
        let snapshot = self.snapshot();
        self.with_worker(|worker| worker.tokenize(snapshot, text.into(), check))
    }

    /// Returns the vocab with the zone that is open now, for new documents.
    pub(crate) fn snapshot(&self) -> Arc<VocabSnapshot> {
        self.vocab().shared_snapshot(&self.permanent)
    }

    /// Returns the tokens of a text that are not whitespace, each with its rule.
    ///
    /// # Errors
    ///
    /// Those of [`tokenize`](Tokenizer::tokenize).
    pub fn explain(&self, text: &str) -> Result<Vec<(TokenRule, String)>> {
        let rules = self.rules()?;
        explain::explain(&rules, &self.snapshot(), text)
    }

    /// Returns the segmenter; `None` if the tokenizer has rules.
    pub fn segmenter(&self) -> Option<Arc<dyn Segment>> {
        self.last_rules().segmenter.clone()
    }

    /// Returns the engine of each rule: automata, a backtracker with the reason, or a function.
    pub fn report(&self) -> Vec<RuleReport> {
        let rules = self.last_rules();
        let report = |name| rules.rule(name).map(|rule| RuleReport { name, engine: rule.engine() });
        RuleName::ALL.into_iter().filter_map(report).collect()
    }

    /// Returns the pattern of a rule; `None` if it is absent or a function.
    pub fn pattern(&self, name: RuleName) -> Option<PatternSource> {
        self.last_rules().rule(name)?.source()
    }

    /// Returns the special cases, in the order in which they were added.
    pub fn special_cases(&self) -> SpecialCases {
        self.last_rules().special_cases()
    }

    /// Returns [`RuleSet::faster_heuristics`].
    pub fn faster_heuristics(&self) -> bool {
        self.last_rules().faster_heuristics
    }

    /// Returns the number of chunks that the cache of a worker may hold.
    pub fn max_cached_chunks(&self) -> usize {
        self.max_cached_chunks
    }

    /// Returns the length in bytes of the prefix of a string, or 0.
    ///
    /// # Errors
    ///
    /// `rule-limit`.
    pub fn find_prefix(&self, text: &str) -> Result<usize> {
        Splitter::new(&self.last_rules()).find_prefix(text)
    }

    /// Returns the length in bytes of the suffix of a string, or 0.
    ///
    /// # Errors
    ///
    /// `rule-limit`.
    pub fn find_suffix(&self, text: &str) -> Result<usize> {
        Splitter::new(&self.last_rules()).find_suffix(text)
    }

    #[inline]
    fn with_worker<T>(&self, work: impl FnOnce(&mut Worker) -> Result<T>) -> Result<T> {
        work(self.borrow_worker().get()?)
    }

    fn borrow_worker(&self) -> BorrowedWorker<'_> {
        BorrowedWorker { tokenizer: self, worker: None }
    }

    /// Returns the rules, with special cases that refer to the present lexemes of the vocab.
    #[inline]
    fn rules(&self) -> Result<Arc<CompiledRules>> {
        let rules = self.last_rules();
        if rules.generation == self.vocab().lexeme_generation() { Ok(rules) } else { self.renew() }
    }

    fn last_rules(&self) -> Arc<CompiledRules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds the words of the special cases again, after the vocab has removed its lexemes. The new
    /// rules get new workers, so the caches start empty too.
    #[cold]
    fn renew(&self) -> Result<Arc<CompiledRules>> {
        loop {
            let present = self.last_rules();
            let mut rules = CompiledRules::clone(&present);
            // Adds words, which may call getters of the caller, so no lock is held here.
            self.split_special_cases(&mut rules)?;
            let rules = Arc::new(rules);
            let mut slot = self.rules.write().unwrap_or_else(PoisonError::into_inner);
            if Arc::ptr_eq(&slot, &present) {
                *slot = Arc::clone(&rules);
                return Ok(rules);
            }
        }
    }

    /// Takes an idle worker, if possible the one that this thread has used last.
    fn idle_worker(&self) -> Option<Box<Worker>> {
        let (mut idle, thread) = (self.workers(), this_thread());
        let position = idle.iter().rposition(|worker| worker.thread == thread);
        let at = position.or(idle.len().checked_sub(1))?;
        Some(idle.swap_remove(at).worker)
    }

    fn workers(&self) -> MutexGuard<'_, Workers> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a number that no other living thread has: the address of a thread-local variable.
pub(crate) fn this_thread() -> usize {
    thread_local!(static OWN: u8 = const { 0 });
    OWN.with(|own| std::ptr::from_ref(own) as usize)
}

/// A worker that this thread has to itself, for one text or for several.
struct BorrowedWorker<'t> {
    tokenizer: &'t Tokenizer,
    worker: Option<Box<Worker>>,
}

impl BorrowedWorker<'_> {
    /// Returns the worker, another one if the vocab has removed its lexemes since the last call.
    ///
    /// # Errors
    ///
    /// Those of adding the special cases again after such a removal.
    fn get(&mut self) -> Result<&mut Worker> {
        let generation = self.tokenizer.vocab().lexeme_generation();
        if self.worker.as_ref().is_none_or(|worker| worker.generation() != generation) {
            let rules = self.tokenizer.rules()?;
            let idle = self.tokenizer.idle_worker().filter(|worker| worker.has_rules(&rules));
            let new = || Box::new(Worker::new(rules, self.tokenizer.max_cached_chunks));
            self.worker = Some(idle.unwrap_or_else(new));
        }
        Ok(self.worker.as_mut().expect("set above"))
    }
}

impl Drop for BorrowedWorker<'_> {
    /// Gives the worker back, unless a panic may have left it in the middle of a text.
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take().filter(|_| !std::thread::panicking()) {
            self.tokenizer.workers().push(IdleWorker { worker, thread: this_thread() });
        }
    }
}

/// Adds special cases.
fn add_special_cases(
    vocab: &Arc<Vocab>,
    rules: &mut CompiledRules,
    cases: &SpecialCases,
) -> Result<()> {
    let layer = special_case_layer(vocab, rules, cases)?;
    rules.special_cases.add(layer);
    Ok(())
}

/// Splits special cases in the order of their texts, so that the result does not depend on the
/// order of a map they come from.
fn special_case_layer(
    vocab: &Arc<Vocab>,
    rules: &CompiledRules,
    cases: &SpecialCases,
) -> Result<SpecialCaseLayer> {
    for (text, tokens) in cases {
        rules::check_special_case(text, tokens)?;
    }
    let mut sorted: Vec<_> = cases.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut splitter = Splitter::new(rules);
    let mut layer = SpecialCaseLayer::default();
    for (text, tokens) in sorted {
        splitter.begin_budget(text.len());
        let special_case = SpecialCase {
            source: tokens.as_slice().into(),
            tokens: rules::special_case_tokens(vocab, tokens)?.into(),
        };
        layer.insert(text.as_str().into(), special_case);
        let may_be_split = !rules.faster_heuristics
            || text.contains(' ')
            || splitter.find_prefix(text)? > 0
            || splitter.find_suffix(text)? > 0
            || !splitter.find_infixes(text)?.is_empty();
        if may_be_split {
            let sequence = sequence(vocab, rules, &mut splitter, text)?;
            layer.insert_sequence(sequence.into());
        }
    }
    Ok(layer)
}

/// Returns the lexemes of the tokens into which the rules split a text without special cases.
fn sequence(
    vocab: &Arc<Vocab>,
    rules: &CompiledRules,
    splitter: &mut Splitter,
    text: &str,
) -> Result<Vec<u32>> {
    let mut lexemes = Vec::new();
    for (chunk, _) in chunks::split_whitespace(text) {
        splitter.split(rules, &text[chunk.clone()], false)?;
        for token in &splitter.tokens {
            let word = &text[chunk.start + token.start..chunk.start + token.end];
            lexemes.push(vocab.enter_permanent(word)?.to_raw());
        }
    }
    Ok(lexemes)
}

#[cfg(test)]
mod tests;
