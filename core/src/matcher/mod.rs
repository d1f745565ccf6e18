//! Finding sequences of tokens: by patterns of attributes, and by phrases.
//!
//! A [`Pattern`] is made of elements, each of conditions ([`Test`]) on a token and an operator that
//! says how many such tokens there are. A [`Matcher`] holds patterns under keys and finds all their
//! matches in a document (`run`), or of those that overlap only the first or the longest
//! (`greedy`). Conditions on strings are answered once for each string (`texts`). A
//! [`PhraseMatcher`] finds sequences of one attribute's ids, any number of them at once.
//!
//! What no condition here can express is asked of the caller, one question a token.

mod greedy;
mod levenshtein;
mod memo;
mod pattern;
mod phrases;
mod run;
mod test;
#[cfg(test)]
mod tests;
mod texts;

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use ahash::AHashMap;
use lexpool_structs::AttrId;

use crate::Result;
use crate::strings::StrId;
use crate::tokens::Doc;
use texts::{Answers, Texts};

pub use greedy::Greedy;
pub use levenshtein::{is_similar, levenshtein};
pub use pattern::Pattern;
pub use phrases::{PhraseMatch, PhraseMatcher};
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
    patterns: Vec<Arc<Compiled>>,
    texts: Texts,
    greedy: AHashMap<StrId, Greedy>,
    /// Answers of runs that have ended, for those to come; all about these very `texts`.
    idle: Arc<Mutex<Vec<Answers>>>,
}

/// A pattern with its conditions as the automaton asks them.
struct Compiled {
    key: StrId,
    steps: Vec<pattern::Step>,
    elements: Vec<Vec<Check>>,
    /// Whether two ways through the pattern can meet again at one token.
    is_ambiguous: bool,
}

/// A [`Test`] whose string conditions have become positions in [`Texts`].
enum Check {
    Plain(Test),
    Text { number: u32, expected: bool },
}

impl Clone for Matcher {
    /// A copy that may go its own way: it shares the patterns, but not what runs have found out.
    fn clone(&self) -> Matcher {
        Matcher {
            patterns: self.patterns.clone(),
            texts: self.texts.clone(),
            greedy: self.greedy.clone(),
            idle: Arc::default(),
        }
    }
}

impl Matcher {
    /// Adds patterns under a key, behind those it has, and sets which matches of the key are kept.
    /// Patterns without elements match nothing.
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
        let mut compiled = Vec::with_capacity(patterns.len());
        for pattern in patterns.into_iter().filter(|pattern| !pattern.is_empty()) {
            let is_optional = |step: &&pattern::Step| step.quantifier.is_optional();
            let optional = pattern.steps.iter().filter(is_optional).count();
            let elements = pattern.elements.into_iter().map(|tests| self.checks(tests));
            compiled.push(Arc::new(Compiled {
                key,
                is_ambiguous: optional > 1,
                steps: pattern.steps,
                elements: elements.collect::<Result<_>>()?,
            }));
        }
        self.patterns.append(&mut compiled);
        match greedy {
            Some(greedy) => self.greedy.insert(key, greedy),
            None => self.greedy.remove(&key),
        };
        Ok(())
    }

    /// Removes all patterns of a key.
    pub fn remove(&mut self, key: StrId) {
        self.patterns.retain(|pattern| pattern.key != key);
        self.greedy.remove(&key);
    }

    /// Whether a pattern asks the caller something.
    pub fn asks(&self) -> bool {
        let asks = |check: &Check| matches!(check, Check::Plain(Test::Ask(_) | Test::AskText(..)));
        self.patterns.iter().any(|pattern| pattern.elements.iter().flatten().any(asks))
    }

    /// All matches among some tokens of a document: in the order in which spaCy finds them, which is
    /// nearly that of their ends, but for keys with a choice of matches, whose own come last.
    ///
    /// No match is given twice, and none without a token. `ask` answers what the patterns leave
    /// open.
    ///
    /// # Errors
    ///
    /// `E035` for tokens outside of the document; `E018` where an expression is to be found in the
    /// string of a number that is none's; `rule-limit`; what `ask` fails with.
    pub fn find(
        &self,
        doc: &Doc,
        tokens: Range<usize>,
        with_alignments: bool,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
    ) -> Result<Vec<Match>> {
        doc.span(tokens.start, tokens.end)?;
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut answers = taken.unwrap_or_default();
        let found = if with_alignments {
            run::find::<Vec<u32>>(self, doc, tokens, &mut answers, ask)
        } else {
            run::find::<()>(self, doc, tokens, &mut answers, ask)
        };
        idle().push(answers);
        Ok(greedy::choose(found?, &self.greedy))
    }

    fn checks(&mut self, tests: Vec<Test>) -> Result<Vec<Check>> {
        let check = |test| {
            let (attr, text, expected) = match test {
                Test::Text(attr, text) => (attr, text, true),
                Test::NotText(attr, text) => (attr, text, false),
                plain => return Ok(Check::Plain(plain)),
            };
            Ok(Check::Text { number: self.texts.number(attr, text)?, expected })
        };
        tests.into_iter().map(check).collect()
    }
}

/// The string that an attribute's number is the id of.
fn text_of(doc: &Doc, attr: AttrId, id: u64) -> Result<&str> {
    doc.scope().string(StrId::new(id)).ok_or_else(|| {
        let name = attr.name().unwrap_or("attribute");
        let text = format!("{name} of a token is {id}, which is no string's id");
        crate::Error::new(crate::ErrorKind::Key, "E018", text)
    })
}
