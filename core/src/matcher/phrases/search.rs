//! Where phrases lie: tokens become symbols, and symbols are followed through the tree.

use lexpool_structs::{AttrId, TokenC};

use super::layout::View;
use super::pairs::Pairs;
use crate::matcher::memo::Memo;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::vocab::{LexIx, LexemeField, Scope};
use crate::{Error, Result};

/// How often a search may go on from a token to the next one beyond what it begins with: a second or
/// two of work. Phrases that share all but their ends, in a text that is full of them, come to it.
const MOST_STEPS: u64 = if cfg!(test) { 1 << 26 } else { 1 << 29 };

/// How many symbols of a label are compared for the cost of one step.
const SYMBOLS_A_STEP: u64 = 32;

/// Set where a symbol is a phrase by itself, and where others begin with it.
const IS_PHRASE: u32 = 1;
const BEGINS: u32 = 2;

/// How many symbols a search keeps room for, for the next one.
const KEPT: usize = 1 << 20;

/// What a search needs, and what it leaves to the next one.
#[derive(Default)]
pub(super) struct Scratch {
    memo: Memo,
    /// The changes of the tree that the memo knows of.
    changes: u64,
    symbols: Vec<u32>,
    starts: Vec<u32>,
}

/// Tokens to be searched.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    pub(super) scope: &'a Scope,
    pub(super) records: &'a [TokenC],
    /// The document, and the position of the first token in it. None for tokens that a tokenizer has
    /// just made, which are not asked for what has to be read [`FromDoc`](Source::FromDoc).
    pub(super) doc: Option<(&'a Doc, usize)>,
}

/// Where an attribute of a token is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The lexeme alone.
    FromLexeme,
    /// The lexeme, unless the token has a norm of its own.
    FromNorm,
    FromDoc,
}

impl Source {
    pub(super) fn of(attr: AttrId) -> Source {
        match attr {
            AttrId::NORM => Source::FromNorm,
            // A token's length is that of its text, of whatever length its lexeme's is.
            AttrId::LENGTH => Source::FromDoc,
            _ if attr.is_flag() || LexemeField::of(attr).is_some() => Source::FromLexeme,
            _ => Source::FromDoc,
        }
    }
}

/// A tree to be searched, what its phrases are made of, and how often it has changed.
#[derive(Clone, Copy)]
pub(super) struct Searched<'a> {
    pub(super) view: View<'a>,
    pub(super) pairs: &'a Pairs,
    pub(super) attr: AttrId,
    pub(super) changes: u64,
}

impl Searched<'_> {
    /// Finds all phrases: their keys, where they start and where they end, counted from the first
    /// token.
    ///
    /// # Errors
    ///
    /// `phrase-limit` after too many steps, and what `found` fails with.
    pub(super) fn run(
        &self,
        tokens: Tokens<'_>,
        scratch: &mut Scratch,
        found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        self.read(tokens, scratch);
        self.choose(&scratch.symbols, &mut scratch.starts);
        let walked = self.walk(&scratch.symbols, &scratch.starts, found);
        if scratch.symbols.capacity() > KEPT {
            (scratch.symbols, scratch.starts) = (Vec::new(), Vec::new());
        }
        walked
    }

    /// Writes the tokens' symbols and one more, and what phrases begin with.
    fn read(&self, tokens: Tokens<'_>, scratch: &mut Scratch) {
        if scratch.changes != self.changes {
            (scratch.memo, scratch.changes) = (Memo::default(), self.changes);
        }
        let Scratch { memo, symbols, starts, .. } = scratch;
        memo.open_scope(tokens.scope);
        let mut of_lexeme = |token: &TokenC| {
            let lex = LexIx::from_raw(token.lex);
            let known = memo.get(lex);
            if known != 0 {
                return known - 1;
            }
            let cell = tokens.scope.cell(lex);
            let code = self.code(cell.map_or(0, |cell| cell.attr(self.attr)));
            memo.set(lex, code + 1);
            code
        };
        let records = tokens.records.iter().enumerate();
        let annotation = tokens.doc.and_then(|(doc, first)| Some(doc.tags()?.get(first..)?));
        match Source::of(self.attr) {
            Source::FromLexeme => {
                write(records.map(|(_, token)| of_lexeme(token)), symbols, starts)
            }
            Source::FromNorm => {
                let code = |(at, token): (usize, &TokenC)| {
                    let set = annotation.map_or(0, |tags| tags[at].norm);
                    let of_case = || tokens.scope.norm(token.norm_ix()).map(StrId::get);
                    let own = if set == 0 { of_case() } else { Some(set) };
                    own.map_or_else(|| of_lexeme(token), |norm| self.code(norm))
                };
                write(records.map(code), symbols, starts);
            }
            Source::FromDoc => {
                let code = |(at, _)| {
                    let token = tokens.doc.and_then(|(doc, first)| doc.token(first + at));
                    self.code(token.map_or(0, |token| token.attr(self.attr)))
                };
                write(records.map(code), symbols, starts);
            }
        }
    }

    /// What is remembered of an id: its symbol, and in the lower bits what begins with it.
    fn code(&self, id: u64) -> u32 {
        let symbol = self.view.symbol(id);
        let (is_phrase, begins) = self.view.begins(symbol);
        (symbol & u32::MAX >> 3) << 2
            | if is_phrase { IS_PHRASE } else { 0 }
            | if begins { BEGINS } else { 0 }
    }

    /// Keeps of the starts the positions of tokens that are phrases, or begin one with the token behind
    /// them.
    fn choose(&self, symbols: &[u32], starts: &mut Vec<u32>) {
        let mut count = 0;
        for i in 0..starts.len() {
            let (start, at) = (starts[i], starts[i] >> 2);
            let (symbol, next) = (symbols[at as usize], symbols[at as usize + 1]);
            let goes_on = (start & BEGINS != 0) & (next != 0) & self.pairs.may_have(symbol, next);
            // Written always and kept if so: which tokens do is hard to guess.
            starts[count] = at;
            count += usize::from((start & IS_PHRASE != 0) | goes_on);
        }
        starts.truncate(count);
    }

    fn walk(
        &self,
        symbols: &[u32],
        starts: &[u32],
        mut found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let view = self.view;
        // Without the one behind the last token.
        let symbols = symbols.split_last().map_or(symbols, |(_, symbols)| symbols);
        let mut steps = 0;
        for start in starts {
            let start = *start as usize;
            let (mut rest, mut number) = match symbols.get(start..) {
                Some([symbol, rest @ ..]) => (rest, *symbol),
                _ => return Ok(()),
            };
            loop {
                let own = view.node(number);
                let end = symbols.len() - rest.len();
                let (single, several) = view.keys_of(own);
                for key in single.iter().chain(several) {
                    found(StrId::new(view.key(*key)), start, end)?;
                }
                let Some((symbol, behind)) = rest.split_first() else { break };
                number = view.child(number, own, *symbol);
                if *symbol == 0 || number == 0 {
                    break;
                }
                let label = view.label(view.node(number));
                let Some(behind) = behind.strip_prefix(label) else { break };
                rest = behind;
                steps += 1 + label.len() as u64 / SYMBOLS_A_STEP;
                if steps > MOST_STEPS {
                    return Err(too_many_steps(start));
                }
            }
        }
        Ok(())
    }
}

/// Writes the symbols of codes with a 0 behind them; and the positions of those with which a phrase
/// begins, four times, and what begins with them in the lower bits.
#[inline]
fn write(codes: impl ExactSizeIterator<Item = u32>, symbols: &mut Vec<u32>, starts: &mut Vec<u32>) {
    symbols.clear();
    starts.clear();
    starts.resize(codes.len(), 0);
    let (mut at, mut count) = (0_u32, 0);
    symbols.extend(codes.map(|code| {
        let begins = code & (IS_PHRASE | BEGINS);
        starts[count] = at << 2 | begins;
        count += usize::from(begins != 0);
        at += 1;
        code >> 2
    }));
    symbols.push(0);
    starts.truncate(count);
}

fn too_many_steps(token: usize) -> Error {
    let text = format!(
        "at token {token} the search has followed phrases {MOST_STEPS} times from one token to the          next: many long phrases have long beginnings in common with each other and the text.          Search the text in parts, or put the phrases into several matchers"
    );
    Error::value("phrase-limit", text)
}
