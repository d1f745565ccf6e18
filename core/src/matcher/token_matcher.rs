//! [`Matcher`]: token patterns under keys, and the choice between the two search engines.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ahash::AHashMap;

use super::greedy::{self, Greedy};
use super::idle::IdleList;
use super::keyed_list::KeyedList;
use super::lazy_dfa::{SearchError, Searcher};
use super::matches::{self, Matches};
use super::pattern::Pattern;
use super::pike_vm;
use super::program::Program;
use super::text_tests::TextTests;
use super::token_match::{Match, MatchList, Question};
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::{Result, fallible};

/// Token patterns under keys, and the search for their matches.
///
/// ```
/// use lexpool::matcher::{Matcher, Pattern, Test};
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let mut pattern = Pattern::default();
/// pattern.push(vec![Test::Is(AttrId::LOWER, StrId::of("very").get())], "+")?;
/// pattern.push(vec![Test::Is(AttrId::LOWER, StrId::of("good").get())], "1")?;
/// let mut matcher = Matcher::default();
/// matcher.add(StrId::of("praise"), vec![pattern], None)?;
///
/// let doc = Tokenizer::blank("en")?.tokenize("It is very very good.")?;
/// let found = matcher.find(&doc, 0..doc.len(), false, &mut |_| Ok(false))?;
/// let found: Vec<_> = found.into_iter().map(|found| found.tokens).collect();
/// assert_eq!(found, [3..5, 2..5]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Default)]
pub struct Matcher {
    rules: KeyedList<Arc<Pattern>>,
    text_tests: TextTests,
    greedy: AHashMap<StrId, Greedy>,
    /// The compiled rules, once something is searched.
    program: OnceLock<Arc<Program>>,
    /// Searchers of ended searches, with the classes and DFA states that they have built.
    idle: Arc<IdleList<Searcher>>,
}

impl Clone for Matcher {
    /// Returns a copy that can be changed on its own. It shares the patterns, but not the classes
    /// and DFA states that searches have built.
    fn clone(&self) -> Matcher {
        Matcher {
            rules: self.rules.clone(),
            text_tests: self.text_tests.clone(),
            greedy: self.greedy.clone(),
            program: self.program.clone(),
            idle: Arc::default(),
        }
    }
}

impl Matcher {
    /// Adds patterns to those of a key, and sets the key's choice among overlapping matches.
    /// Patterns without elements match nothing.
    ///
    /// The next search compiles all patterns, in time linear in their number.
    ///
    /// # Errors
    ///
    /// `rule-syntax` for an expression that Python's `re` would not compile; nothing is added then.
    pub fn add(
        &mut self,
        key: StrId,
        patterns: Vec<Pattern>,
        greedy: Option<Greedy>,
    ) -> Result<()> {
        self.add_all(vec![(key, patterns)])?;
        if let Some(greedy) = greedy {
            self.greedy.insert(key, greedy);
        }
        Ok(())
    }

    /// Adds patterns under many keys, without a choice among overlapping matches.
    ///
    /// # Errors
    ///
    /// As for [`add`](Matcher::add); nothing is added then.
    pub fn add_all(&mut self, rules: Vec<(StrId, Vec<Pattern>)>) -> Result<()> {
        let patterns = rules.iter().flat_map(|(_, patterns)| patterns);
        let tests: Vec<_> = patterns.flat_map(Pattern::text_tests).collect();
        for (count, test) in tests.iter().enumerate() {
            if let Err(error) = self.text_tests.add(test) {
                tests[..count].iter().for_each(|added| self.text_tests.remove(added));
                return Err(error);
            }
        }
        for (key, patterns) in rules {
            for pattern in patterns.into_iter().filter(|pattern| !pattern.is_empty()) {
                self.rules.push(key, Arc::new(pattern));
            }
            self.greedy.remove(&key);
        }
        self.reset_program();
        Ok(())
    }

    /// Removes all patterns of a key, in time linear in their number.
    pub fn remove(&mut self, key: StrId) {
        for pattern in self.rules.remove(key) {
            pattern.text_tests().for_each(|test| self.text_tests.remove(test));
        }
        self.greedy.remove(&key);
        self.reset_program();
    }

    /// Returns whether the matcher has no patterns.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns whether a pattern asks the caller questions.
    pub fn asks(&self) -> bool {
        self.program().asks
    }

    /// Finds all matches in a range of tokens of a document, each once; a match has at least one
    /// token.
    ///
    /// The matches are in the order in which spaCy finds them, which is nearly that of their ends.
    /// Matches of keys with a choice among overlapping ones come last. `ask` answers the questions
    /// of the patterns.
    ///
    /// Cost: a few memory accesses for a token at which no pattern is under way or starts, and as
    /// many for each distinct DFA state under way. The classes and states of new words and contexts
    /// are built once and kept. Alignments, and patterns that ask questions, are searched by the
    /// Pike VM, which moves each pattern and start on its own.
    ///
    /// # Errors
    ///
    /// - `E035` if the tokens are outside of the document.
    /// - `E018` if a REGEX condition reads an id that has no string.
    /// - `rule-limit` if an expression exceeds its step limit.
    /// - `match-limit` for more than ten million matches, or a billion steps.
    /// - `out-of-memory` for matches that do not fit.
    /// - Any error of `ask`.
    pub fn find(
        &self,
        doc: &Doc,
        tokens: Range<usize>,
        with_alignments: bool,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
    ) -> Result<Vec<Match>> {
        if !with_alignments {
            let mut matches = Vec::new();
            self.find_each(doc, tokens, ask, |key, tokens| {
                fallible::push(&mut matches, Match { key, tokens, alignment: Vec::new() })
            })?;
            return Ok(matches);
        }
        doc.span(tokens.start, tokens.end)?;
        let (program, mut searcher) = (self.program(), self.take_searcher());
        let mut found = Vec::new();
        searcher.open(program, doc);
        let mut emit = |raw, alignment| fallible::push(&mut found, (raw, alignment));
        let classes = &mut searcher.classes;
        let searched = pike_vm::search::<Vec<u32>>(program, classes, doc, tokens, ask, &mut emit);
        self.put_back(searcher);
        searched?;
        if !program.choices.is_empty() {
            found = greedy::choose(found, &program.choices, |(raw, _)| *raw)?;
        }
        let mut matches = fallible::list(found.len())?;
        matches.extend(found.into_iter().map(|(raw, alignment)| {
            let key = program.keys[raw.key as usize];
            Match { key, tokens: raw.tokens(), alignment }
        }));
        Ok(matches)
    }

    /// Calls `each` for each match that [`Matcher::find`] finds, with its key and its tokens, which
    /// are counted from the first token of the range.
    ///
    /// # Errors
    ///
    /// As for [`Matcher::find`]; any error of `each`.
    pub fn find_each(
        &self,
        doc: &Doc,
        tokens: Range<usize>,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
        mut each: impl FnMut(StrId, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mut searcher = self.take_searcher();
        let searched = self.find_with(&mut searcher, doc, tokens, ask, &mut each);
        self.put_back(searcher);
        searched
    }

    /// Finds all matches in many documents, or ranges of their tokens, on `threads` threads (0: one
    /// for each core; 1: the calling thread only).
    ///
    /// Matches are positions in the documents. The result does not depend on the number of threads.
    /// Questions of patterns are answered with no.
    ///
    /// # Errors
    ///
    /// As for [`find`](Matcher::find) and [`find_many`](super::find_many), with the number of the
    /// document.
    pub fn find_all(&self, docs: &[(&Doc, Range<usize>)], threads: usize) -> Result<Matches> {
        let (take, put_back) = (|| self.take_searcher(), |searcher| self.put_back(searcher));
        matches::find_many_with(docs, threads, take, put_back, |searcher, doc, tokens, sink| {
            let first = tokens.start;
            self.find_with(searcher, doc, tokens, &mut |_| Ok(false), &mut |key, tokens| {
                sink.push(key, first + tokens.start, first + tokens.end)
            })
        })
    }

    fn find_with(
        &self,
        searcher: &mut Searcher,
        doc: &Doc,
        tokens: Range<usize>,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
        each: &mut impl FnMut(StrId, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        doc.span(tokens.start, tokens.end)?;
        let program = self.program();
        let mut listed = MatchList::default();
        let searched = if program.asks {
            Err(SearchError::Unclassified)
        } else {
            searcher.search(program, doc, tokens.clone(), &mut listed)
        };
        let mut found = match searched {
            Ok(()) => listed.finish()?,
            Err(SearchError::Failed(error)) => return Err(error),
            Err(SearchError::Unclassified) => {
                let mut found = Vec::new();
                searcher.open(program, doc);
                let mut emit = |raw, _| fallible::push(&mut found, raw);
                pike_vm::search::<()>(program, &mut searcher.classes, doc, tokens, ask, &mut emit)?;
                found
            }
        };
        if !program.choices.is_empty() {
            found = greedy::choose(found, &program.choices, |raw| *raw)?;
        }
        found.into_iter().try_for_each(|raw| each(program.keys[raw.key as usize], raw.tokens()))
    }

    fn program(&self) -> &Program {
        let compile = || Arc::new(Program::new(&self.rules, &self.text_tests, &self.greedy));
        self.program.get_or_init(compile)
    }

    fn reset_program(&mut self) {
        self.program = OnceLock::new();
        self.idle = Arc::default();
    }

    /// Takes an idle searcher, or a new one.
    fn take_searcher(&self) -> Box<Searcher> {
        self.idle.take()
    }

    fn put_back(&self, searcher: Box<Searcher>) {
        self.idle.put_back(searcher);
    }
}

#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
