//! Kinds of token: two tokens that fulfil the same conditions are one to every pattern.

use ahash::AHashMap;

use super::memo::Memo;
use super::program::Program;
use super::texts::Runs;
use crate::tokens::{Doc, Token};

/// More kinds, or conditions listed by them, than this, and all are forgotten. Tests forget often.
const MOST_CLASSES: usize = if cfg!(test) { 1 << 4 } else { 1 << 18 };
const MOST_LISTED: usize = 1 << 22;

/// A set of conditions that tokens have been met to fulfil, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class(pub(super) u32);

/// A list with more conditions than this is not gone through for each token.
const FEW: usize = 8;

/// Conditions by their last bits.
type Filter = [u64; 16];

/// A condition cannot be answered for a token: see [`Classes::of`].
pub(super) struct Unanswered;

/// The kinds of token that one searcher has met, and how to find a token's.
#[derive(Default)]
pub(super) struct Classes {
    /// The kind of a lexeme's own attributes, and one.
    memo: Memo,
    /// The kind of a value, for each attribute that only tokens have.
    values: Vec<AHashMap<u64, Class>>,
    /// The kind that is two together.
    joined: AHashMap<(Class, Class), Class>,
    /// The conditions of all kinds, one list behind another.
    listed: Vec<u32>,
    /// Where the list of each kind begins and ends. The first kind fulfils none.
    lists: Vec<(u32, u32)>,
    /// Of kinds with long lists, a filter of what is listed, by kind.
    filters: AHashMap<Class, Filter>,
    numbers: AHashMap<Box<[u32]>, Class>,
    runs: Runs,
}

impl Classes {
    /// The kind that fulfils no condition.
    const NONE: Class = Class(0);

    /// Prepares for the tokens of a document.
    pub(super) fn open(&mut self, program: &Program, doc: &Doc) {
        if self.lists.is_empty() {
            self.intern(&[]);
        }
        self.values.resize_with(program.conditions.token_attrs(), AHashMap::new);
        if self.memo.open(doc) {
            // A string's id, or a set of features, is another vocab's matter too.
            for values in &mut self.values {
                values.clear();
            }
        }
    }

    /// Whether it is time to forget what was met.
    pub(super) fn is_full(&self) -> bool {
        self.lists.len() > MOST_CLASSES || self.listed.len() > MOST_LISTED
    }

    /// The conditions that a kind fulfils, in order.
    pub(super) fn holding(&self, class: Class) -> &[u32] {
        let (start, end) = self.lists[class.0 as usize];
        &self.listed[start as usize..end as usize]
    }

    /// What tells quickly that a kind does not fulfil a condition, for one that fulfils many.
    #[inline]
    pub(super) fn filter(&self, class: Class) -> Option<&Filter> {
        let (start, end) = self.lists[class.0 as usize];
        if (end - start) as usize <= FEW { None } else { self.filters.get(&class) }
    }

    /// The kind of a token of the document that was opened.
    ///
    /// # Errors
    ///
    /// Where a condition on a string has none to look at, or takes too many steps. A search that
    /// asks only what it comes to may never meet it.
    #[inline]
    pub(super) fn of(&mut self, program: &Program, token: Token<'_>) -> Result<Class, Unanswered> {
        let mut class = Classes::NONE;
        if program.conditions.ask_of_lexemes() {
            class = match self.memo.get(token.lex_ix()) {
                0 => self.learn_lexeme(program, token)?,
                known => Class(known - 1),
            };
        }
        for place in 0..program.conditions.token_attrs() {
            let value = program.conditions.value(place, token);
            let own = match self.values[place].get(&value) {
                Some(own) => *own,
                None => self.learn_value(program, place, value, token.doc())?,
            };
            class = self.join(class, own);
        }
        Ok(class)
    }

    #[cold]
    fn learn_lexeme(&mut self, program: &Program, token: Token<'_>) -> Result<Class, Unanswered> {
        let Program { conditions, texts, .. } = program;
        let holding = conditions.of_lexeme(token.lex(), token.doc(), texts, &mut self.runs);
        let class = self.intern(&holding.map_err(|_| Unanswered)?);
        self.memo.set(token.lex_ix(), class.0 + 1);
        Ok(class)
    }

    #[cold]
    fn learn_value(
        &mut self,
        program: &Program,
        place: usize,
        value: u64,
        doc: &Doc,
    ) -> Result<Class, Unanswered> {
        let Program { conditions, texts, .. } = program;
        let holding = conditions.of_value(place, value, doc, texts, &mut self.runs);
        let class = self.intern(&holding.map_err(|_| Unanswered)?);
        if !conditions.is_lasting(place, value, doc) {
            return Ok(class);
        }
        let values = &mut self.values[place];
        if values.len() >= MOST_CLASSES {
            values.clear();
        }
        values.insert(value, class);
        Ok(class)
    }

    fn join(&mut self, a: Class, b: Class) -> Class {
        if b == Classes::NONE {
            return a;
        }
        if a == Classes::NONE {
            return b;
        }
        if let Some(class) = self.joined.get(&(a, b)) {
            return *class;
        }
        let mut both = [self.holding(a), self.holding(b)].concat();
        both.sort_unstable();
        let class = self.intern(&both);
        if self.joined.len() >= MOST_CLASSES {
            self.joined.clear();
        }
        self.joined.insert((a, b), class);
        class
    }

    fn intern(&mut self, list: &[u32]) -> Class {
        if let Some(class) = self.numbers.get(list) {
            return *class;
        }
        let number = |count| u32::try_from(count).expect("forgotten before that");
        let class = Class(number(self.lists.len()));
        let start = number(self.listed.len());
        self.listed.extend_from_slice(list);
        self.lists.push((start, number(self.listed.len())));
        self.numbers.insert(list.into(), class);
        if list.len() > FEW {
            let mut filter = Filter::default();
            for condition in list {
                filter[*condition as usize / 64 % 16] |= 1 << (condition % 64);
            }
            self.filters.insert(class, filter);
        }
        class
    }
}
