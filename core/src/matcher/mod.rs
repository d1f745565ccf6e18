//! Finding sequences of tokens: by patterns of attributes, and by phrases.
//!
//! A [`Pattern`] is made of elements, each of conditions ([`Test`]) on a token and an operator that
//! says how many such tokens there are. A [`Matcher`] holds patterns under keys and finds all their
//! matches in a document, or of those that overlap only the first or the longest (`greedy`). A
//! [`PhraseMatcher`] finds sequences of one attribute's ids, any number of them at once.
//!
//! All patterns run together. `program` has them with their conditions, each once (`conditions`,
//! `texts`), and an index of what can begin a match. `classes` reduces a token to the set of
//! conditions that it fulfils, remembered by lexeme (`memo`); `automaton` runs over such classes and
//! is built as far as texts lead it; `search` drives it over a document. `walk` is the slow search,
//! one way through a pattern at a time, for alignments and for what only the caller can answer. Both
//! take the steps that `steps` has.

mod automaton;
mod builder;
mod classes;
mod conditions;
mod dependency;
mod greedy;
mod levenshtein;
mod limits;
mod matches;
mod memo;
#[cfg(test)]
mod model;
mod pattern;
mod phrases;
mod program;
mod runs;
mod search;
mod spec;
mod steps;
mod test;
#[cfg(test)]
mod tests;
mod texts;
mod walk;

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ahash::AHashMap;
use lexpool_structs::AttrId;

use crate::Result;
use crate::strings::StrId;
use crate::tokens::Doc;
use program::Program;
use search::{Searcher, Stop};
use texts::Texts;

pub use builder::MatcherBuilder;
pub use dependency::{
    DependencyMatch, DependencyMatcher, DependencyMatches, DependencyPattern, Link, WideNode,
};
pub use greedy::Greedy;
pub use levenshtein::{is_similar, levenshtein};
pub use matches::{DocMatch, Matches, Sink, find_many};
pub use pattern::Pattern;
pub use phrases::{PhraseMatch, PhraseMatcher, Phrases};
pub(crate) use spec::compile;
pub use spec::{Fault, Faults, Rule, RuleMatch, RulePattern, Ruler, TokenPattern};
pub use test::{Comparison, IdSet, Number, Relation, Test, TextTest};

/// A sequence of tokens that a pattern fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The key under which the pattern was added.
    pub key: StrId,
    /// The tokens, counted from the start of what was searched.
    pub tokens: Range<usize>,
    /// For each token the position of the pattern's element that took it; empty unless asked for.
    /// Where several could, the last.
    pub alignment: Vec<u32>,
}

/// What a pattern leaves to the caller: see [`Test::Ask`] and [`Test::AskText`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// The number that the pattern gives.
    pub number: u32,
    /// The token's position in the document.
    pub token: usize,
    /// The string that is asked about, if it is one.
    pub text: Option<&'a str>,
}

/// Patterns of tokens under keys, and what finds them.
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
    rules: Vec<(StrId, Arc<Pattern>)>,
    texts: Texts,
    greedy: AHashMap<StrId, Greedy>,
    /// Of these very rules, once something is searched.
    program: OnceLock<Arc<Program>>,
    /// What searches that have ended know of the program, for those to come.
    idle: Arc<Mutex<Vec<Searcher>>>,
}

/// A match as searches find it, counted from the start of what is searched.
#[derive(Clone, Copy)]
struct Found {
    /// The position of the key in the program.
    key: u32,
    start: u32,
    end: u32,
}

impl Found {
    fn tokens(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Clone for Matcher {
    /// A copy that may go its own way: it shares the patterns, but not what searches have found out.
    fn clone(&self) -> Matcher {
        Matcher {
            rules: self.rules.clone(),
            texts: self.texts.clone(),
            greedy: self.greedy.clone(),
            program: self.program.clone(),
            idle: Arc::default(),
        }
    }
}

impl Matcher {
    /// Adds patterns under a key, behind those it has, and sets which matches of the key are kept.
    /// Patterns without elements match nothing.
    ///
    /// The next search compiles all patterns, in time linear in their number.
    ///
    /// # Errors
    ///
    /// `rule-syntax` for an expression that Python's `re` would not compile; nothing is added.
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

    /// Adds patterns under many keys, of which all matches are kept: all of them, or none.
    ///
    /// # Errors
    ///
    /// As for [`add`](Matcher::add).
    pub fn add_all(&mut self, rules: Vec<(StrId, Vec<Pattern>)>) -> Result<()> {
        let patterns = rules.iter().flat_map(|(_, patterns)| patterns);
        for test in patterns.flat_map(|pattern| pattern.elements.iter().flatten()) {
            if let Test::Text(_, text) | Test::NotText(_, text) = test {
                self.texts.add(text)?;
            }
        }
        for (key, patterns) in rules {
            let patterns = patterns.into_iter().filter(|pattern| !pattern.is_empty());
            self.rules.extend(patterns.map(|pattern| (key, Arc::new(pattern))));
            self.greedy.remove(&key);
        }
        self.forget_program();
        Ok(())
    }

    /// Removes all patterns of a key.
    pub fn remove(&mut self, key: StrId) {
        self.rules.retain(|(of, _)| *of != key);
        if self.rules.is_empty() {
            self.texts = Texts::default();
        }
        self.greedy.remove(&key);
        self.forget_program();
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a pattern asks the caller something.
    pub fn asks(&self) -> bool {
        self.program().asks
    }

    /// All matches among some tokens of a document: in the order in which spaCy finds them, which is
    /// nearly that of their ends, but for keys with a choice of matches, whose own come last.
    ///
    /// No match is given twice, and none without a token. `ask` answers what the patterns leave
    /// open.
    ///
    /// Cost: a few memory accesses for a token at which nothing begins and nothing is under way;
    /// else as much again for each distinct state of what is under way. What a document brings for
    /// the first time, words and states, is computed once and kept. Alignments, and patterns that ask,
    /// take the slow way: each pattern and start on its own.
    ///
    /// # Errors
    ///
    /// `E035` for tokens outside of the document; `E018` where an expression is to be found in the
    /// string of a number that is none's; `rule-limit`; `match-limit` for more than ten million
    /// matches, or a billion steps; what `ask` fails with.
    pub fn find(
        &self,
        doc: &Doc,
        tokens: Range<usize>,
        with_alignments: bool,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
    ) -> Result<Vec<Match>> {
        let mut matches = Vec::new();
        if !with_alignments {
            self.find_each(doc, tokens, ask, |key, tokens| {
                matches.push(Match { key, tokens, alignment: Vec::new() });
            })?;
            return Ok(matches);
        }
        doc.span(tokens.start, tokens.end)?;
        let (program, mut searcher) = (self.program(), self.searcher());
        let mut found = Vec::new();
        searcher.open(program, doc);
        let mut emit = |one, alignment| found.push((one, alignment));
        let classes = &mut searcher.classes;
        let done = walk::walk::<Vec<u32>>(program, classes, doc, tokens, ask, &mut emit);
        self.keep(searcher);
        done?;
        if !program.choices.is_empty() {
            found = greedy::choose(found, &program.choices, |(found, _)| *found);
        }
        matches.extend(found.into_iter().map(|(found, alignment)| {
            let key = program.keys[found.key as usize];
            Match { key, tokens: found.tokens(), alignment }
        }));
        Ok(matches)
    }

    /// Does something with each match that [`Matcher::find`] finds, without alignments: its key, and
    /// its tokens counted from the start of what is searched.
    ///
    /// # Errors
    ///
    /// Those of [`Matcher::find`].
    pub fn find_each(
        &self,
        doc: &Doc,
        tokens: Range<usize>,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
        mut each: impl FnMut(StrId, Range<usize>),
    ) -> Result<()> {
        let mut searcher = self.searcher();
        let done = self.find_with(&mut searcher, doc, tokens, ask, &mut each);
        self.keep(searcher);
        done
    }

    /// All matches in many documents, or some of their tokens, as positions in the documents, on
    /// `threads` threads (0: one a core; 1: this one). The result does not depend on how many there
    /// are. What patterns ask is answered with no.
    ///
    /// # Errors
    ///
    /// As for [`find`](Matcher::find) and [`find_many`], with the number of the document.
    pub fn find_all(&self, docs: &[(&Doc, Range<usize>)], threads: usize) -> Result<Matches> {
        let (take, give) = (|| self.searcher(), |searcher| self.keep(searcher));
        matches::find_many_with(docs, threads, take, give, |searcher, doc, tokens, sink| {
            let first = tokens.start;
            self.find_with(searcher, doc, tokens, &mut |_| Ok(false), &mut |key, tokens| {
                sink.push(key, first + tokens.start, first + tokens.end);
            })
        })
    }

    fn find_with(
        &self,
        searcher: &mut Searcher,
        doc: &Doc,
        tokens: Range<usize>,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
        each: &mut impl FnMut(StrId, Range<usize>),
    ) -> Result<()> {
        doc.span(tokens.start, tokens.end)?;
        let program = self.program();
        let mut found = Vec::new();
        let stopped = if program.asks {
            Err(Stop::Unanswered)
        } else {
            searcher.search(program, doc, tokens.clone(), &mut found)
        };
        match stopped {
            Ok(()) => {}
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Unanswered) => {
                found.clear();
                searcher.open(program, doc);
                let mut emit = |one, _| found.push(one);
                walk::walk::<()>(program, &mut searcher.classes, doc, tokens, ask, &mut emit)?;
            }
        }
        if !program.choices.is_empty() {
            found = greedy::choose(found, &program.choices, |found| *found);
        }
        for found in found {
            each(program.keys[found.key as usize], found.tokens());
        }
        Ok(())
    }

    fn program(&self) -> &Program {
        self.program.get_or_init(|| Arc::new(Program::new(&self.rules, &self.texts, &self.greedy)))
    }

    fn forget_program(&mut self) {
        self.program = OnceLock::new();
        self.idle = Arc::default();
    }

    /// An idle searcher, or a new one.
    fn searcher(&self) -> Searcher {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_default()
    }

    fn keep(&self, searcher: Searcher) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(searcher);
    }
}

/// The string that an attribute's number is the id of.
fn text_of(doc: &Doc, attr: AttrId, id: u64) -> Result<&str> {
    doc.snapshot().string(StrId::new(id)).ok_or_else(|| {
        let name = attr.name().unwrap_or("attribute");
        let text = format!("{name} of a token is {id}, which is no string's id");
        crate::Error::new(crate::ErrorKind::Key, "E018", text)
    })
}
