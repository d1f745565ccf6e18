//! Token classes: the sets of conditions that tokens fulfil. They are the alphabet of the lazy DFA.
//!
//! Two tokens that fulfil the same conditions have the same class and cannot be told apart by any
//! pattern. The class of a token is the union of the class of its lexeme, which is cached by
//! lexeme, and of the classes of its own attributes, which are cached by value.

use ahash::AHashMap;

use super::lexeme_cache::LexemeCache;
use super::program::Program;
use super::text_tests::RegexMatchers;
use crate::tokens::{Doc, Token};

/// The number of classes beyond which all are dropped. Small in tests, so that they drop often.
const MAX_CLASSES: usize = if cfg!(test) { 1 << 4 } else { 1 << 18 };
/// The number of conditions in all classes beyond which all are dropped.
const MAX_CONDITIONS: usize = 1 << 22;

/// A list of conditions longer than this gets a [`ConditionFilter`].
const SHORT_LIST: usize = 8;

/// A set of conditions that some token fulfils exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TokenClass(pub(super) u32);

/// A bit set of conditions by their last ten bits.
type ConditionFilter = [u64; 16];

/// A condition cannot be evaluated for a token: see [`TokenClasses::class_of`].
pub(super) struct UnclassifiedToken;

/// The classes that one searcher has found, with caches that lead from tokens to them.
#[derive(Default)]
pub(super) struct TokenClasses {
    /// The class of a lexeme's attributes, plus one.
    by_lexeme: LexemeCache,
    /// The class of a value, for each attribute that only tokens have.
    by_value: Vec<AHashMap<u64, TokenClass>>,
    /// The union of two classes.
    unions: AHashMap<(TokenClass, TokenClass), TokenClass>,
    /// The conditions of all classes, one sorted list after another.
    conditions: Vec<u32>,
    /// The start and end of each class's list. The first class is empty.
    lists: Vec<(u32, u32)>,
    /// The filters of classes with long lists.
    filters: AHashMap<TokenClass, ConditionFilter>,
    numbers: AHashMap<Box<[u32]>, TokenClass>,
    regexes: RegexMatchers,
}

impl TokenClasses {
    /// The class of tokens that fulfil no condition.
    const EMPTY: TokenClass = TokenClass(0);

    /// Prepares for the tokens of a document.
    pub(super) fn open(&mut self, program: &Program, doc: &Doc) {
        if self.lists.is_empty() {
            self.intern(&[]);
        }
        self.by_value.resize_with(program.conditions.token_attrs(), AHashMap::new);
        if self.by_lexeme.open(doc) {
            // String ids and morphological analyses depend on the vocab too.
            for values in &mut self.by_value {
                values.clear();
            }
        }
    }

    /// Returns whether the classes have outgrown their memory bound and should be replaced.
    pub(super) fn is_full(&self) -> bool {
        self.lists.len() > MAX_CLASSES || self.conditions.len() > MAX_CONDITIONS
    }

    /// Returns the conditions of a class, sorted.
    pub(super) fn fulfilled(&self, class: TokenClass) -> &[u32] {
        let (start, end) = self.lists[class.0 as usize];
        &self.conditions[start as usize..end as usize]
    }

    /// Returns a filter of the conditions of a class with a long list, or `None` for a short list.
    #[inline]
    pub(super) fn filter(&self, class: TokenClass) -> Option<&ConditionFilter> {
        let (start, end) = self.lists[class.0 as usize];
        if (end - start) as usize <= SHORT_LIST { None } else { self.filters.get(&class) }
    }

    /// Returns the class of a token of the opened document.
    ///
    /// # Errors
    ///
    /// [`UnclassifiedToken`] if a condition on a string has no string to test, or exceeds its step
    /// limit. The token may still be searched by the Pike VM, which evaluates only the conditions
    /// that it reaches.
    #[inline]
    pub(super) fn class_of(
        &mut self,
        program: &Program,
        token: Token<'_>,
    ) -> Result<TokenClass, UnclassifiedToken> {
        let mut class = TokenClasses::EMPTY;
        if program.conditions.test_lexemes() {
            class = match self.by_lexeme.get(token.lex_ix()) {
                0 => self.classify_lexeme(program, token)?,
                known => TokenClass(known - 1),
            };
        }
        for attr in 0..program.conditions.token_attrs() {
            let value = program.conditions.value(attr, token);
            let own = match self.by_value[attr].get(&value) {
                Some(own) => *own,
                None => self.classify_value(program, attr, value, token.doc())?,
            };
            class = self.union(class, own);
        }
        Ok(class)
    }

    #[cold]
    fn classify_lexeme(
        &mut self,
        program: &Program,
        token: Token<'_>,
    ) -> Result<TokenClass, UnclassifiedToken> {
        let Program { conditions, text_tests, .. } = program;
        let (lexeme, doc) = (token.lex(), token.doc());
        let fulfilled = conditions.of_lexeme(lexeme, doc, text_tests, &mut self.regexes);
        let class = self.intern(&fulfilled.map_err(|_| UnclassifiedToken)?);
        self.by_lexeme.set(token.lex_ix(), class.0 + 1);
        Ok(class)
    }

    #[cold]
    fn classify_value(
        &mut self,
        program: &Program,
        attr: usize,
        value: u64,
        doc: &Doc,
    ) -> Result<TokenClass, UnclassifiedToken> {
        let Program { conditions, text_tests, .. } = program;
        let fulfilled = conditions.of_value(attr, value, doc, text_tests, &mut self.regexes);
        let class = self.intern(&fulfilled.map_err(|_| UnclassifiedToken)?);
        if !conditions.is_lasting(attr, value, doc) {
            return Ok(class);
        }
        let values = &mut self.by_value[attr];
        if values.len() >= MAX_CLASSES {
            values.clear();
        }
        values.insert(value, class);
        Ok(class)
    }

    fn union(&mut self, a: TokenClass, b: TokenClass) -> TokenClass {
        if b == TokenClasses::EMPTY {
            return a;
        }
        if a == TokenClasses::EMPTY {
            return b;
        }
        if let Some(class) = self.unions.get(&(a, b)) {
            return *class;
        }
        let mut both = [self.fulfilled(a), self.fulfilled(b)].concat();
        both.sort_unstable();
        let class = self.intern(&both);
        if self.unions.len() >= MAX_CLASSES {
            self.unions.clear();
        }
        self.unions.insert((a, b), class);
        class
    }

    fn intern(&mut self, list: &[u32]) -> TokenClass {
        if let Some(class) = self.numbers.get(list) {
            return *class;
        }
        let number = |count| u32::try_from(count).expect("the bounds are far below 2^32");
        let class = TokenClass(number(self.lists.len()));
        let start = number(self.conditions.len());
        self.conditions.extend_from_slice(list);
        self.lists.push((start, number(self.conditions.len())));
        self.numbers.insert(list.into(), class);
        if list.len() > SHORT_LIST {
            let mut filter = ConditionFilter::default();
            for condition in list {
                filter[*condition as usize / 64 % 16] |= 1 << (condition % 64);
            }
            self.filters.insert(class, filter);
        }
        class
    }
}
