//! Where phrases lie: tokens become symbols, and symbols are followed through the tree.

use lexpool_structs::{AttrId, TokenC};

use super::layout::{Node, View};
use super::pairs::Pairs;
use crate::matcher::memo::Memo;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::vocab::{LexIx, LexemeField, VocabSnapshot};
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
    entries: Vec<Entry>,
}

/// Where a search enters the tree.
#[derive(Clone, Copy)]
struct Entry {
    /// The first token.
    start: u32,
    /// The keys of that token alone, as its node has them.
    keys: u32,
    /// The node behind the second token, its number and itself; 0 if no phrase goes on so.
    number: u32,
    node: Node,
}

/// Tokens to be searched.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    pub(super) snapshot: &'a VocabSnapshot,
    pub(super) records: &'a [TokenC],
    /// The document, and the position of the first token in it. None for tokens that a tokenizer has
    /// just made, which are not asked for what has to be read [`Doc`](Source::Doc).
    pub(super) doc: Option<(&'a Doc, usize)>,
}

/// Where an attribute of a token is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The lexeme alone.
    Lexeme,
    /// The lexeme, unless the token has a norm of its own.
    Norm,
    Doc,
}

impl Source {
    pub(super) fn of(attr: AttrId) -> Source {
        match attr {
            AttrId::NORM => Source::Norm,
            // A token's length is that of its text, of whatever length its lexeme's is.
            AttrId::LENGTH => Source::Doc,
            _ if attr.is_flag() || LexemeField::of(attr).is_some() => Source::Lexeme,
            _ => Source::Doc,
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
        self.enter(&scratch.symbols, &scratch.starts, &mut scratch.entries);
        let walked = self.walk(&scratch.symbols, &scratch.entries, found);
        if scratch.symbols.capacity() > KEPT {
            (scratch.symbols, scratch.starts, scratch.entries) = Default::default();
        }
        walked
    }

    /// Writes the tokens' symbols and one more, and what phrases begin with.
    fn read(&self, tokens: Tokens<'_>, scratch: &mut Scratch) {
        if scratch.changes != self.changes {
            (scratch.memo, scratch.changes) = (Memo::default(), self.changes);
        }
        let Scratch { memo, symbols, starts, .. } = scratch;
        memo.open_snapshot(tokens.snapshot);
        let mut of_lexeme = |token: &TokenC| {
            let lex = LexIx::from_raw(token.lex);
            let known = memo.get(lex);
            if known != 0 {
                return known - 1;
            }
            let cell = tokens.snapshot.cell(lex);
            let code = self.code(cell.map_or(0, |cell| cell.attr(self.attr)));
            memo.set(lex, code + 1);
            code
        };
        let records = tokens.records.iter().enumerate();
        let annotation = tokens.doc.and_then(|(doc, first)| doc.tag_records()?.get(first..));
        match Source::of(self.attr) {
            Source::Lexeme => {
                write(tokens.records.iter().map(of_lexeme), symbols, starts);
            }
            Source::Norm => {
                let code = |(at, token): (usize, &TokenC)| {
                    let set = annotation.map_or(0, |tags| tags[at].norm);
                    let of_case = || tokens.snapshot.norm(token.norm_ix()).map(StrId::get);
                    let own = if set == 0 { of_case() } else { Some(set) };
                    own.map_or_else(|| of_lexeme(token), |norm| self.code(norm))
                };
                write(records.map(code), symbols, starts);
            }
            Source::Doc => {
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

    /// Keeps of the starts those that are phrases, or begin one with the token behind them.
    fn choose(&self, symbols: &[u32], starts: &mut Vec<u32>) {
        let mut count = 0;
        for i in 0..starts.len() {
            let (start, at) = (starts[i], starts[i] >> 2);
            let (symbol, next) = (symbols[at as usize], symbols[at as usize + 1]);
            let goes_on = (start & BEGINS != 0) & self.pairs.may_have(symbol, next);
            // Written always and kept if so: which tokens do is hard to guess.
            let is_phrase = start & IS_PHRASE != 0;
            starts[count] = at << 2 | u32::from(is_phrase) | u32::from(goes_on) << 1;
            count += usize::from(is_phrase | goes_on);
        }
        starts.truncate(count);
    }

    /// Looks up where the starts lead to.
    ///
    /// Each step is done for all of them before the next, since the tree is larger than caches are: so
    /// the memory of many is waited for together.
    fn enter(&self, symbols: &[u32], starts: &[u32], entries: &mut Vec<Entry>) {
        entries.clear();
        entries.extend(starts.iter().map(|start| {
            let at = (start >> 2) as usize;
            let (symbol, next) = (symbols[at], symbols[at + 1]);
            let is_phrase = start & IS_PHRASE != 0;
            let keys = if is_phrase { self.view.node(symbol).keys } else { 0 };
            let goes_on = start & BEGINS != 0;
            let number = if goes_on { self.view.second(symbol, next) } else { 0 };
            Entry { start: start >> 2, keys, number, node: Node::default() }
        }));
        for entry in entries {
            entry.node = self.view.node(entry.number);
        }
    }

    fn walk(
        &self,
        symbols: &[u32],
        entries: &[Entry],
        mut found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let view = self.view;
        // Without the one behind the last token.
        let symbols = symbols.split_last().map_or(symbols, |(_, symbols)| symbols);
        let mut steps = 0;
        for entry in entries {
            let start = entry.start as usize;
            let mut find = |keys, end| {
                let (single, several) = view.keys_of(keys);
                let mut keys = single.iter().chain(several);
                keys.try_for_each(|key| found(StrId::new(view.key(*key)), start, end))
            };
            find(entry.keys, start + 1)?;
            let (mut number, mut own) = (entry.number, entry.node);
            let mut rest = symbols.get(start + 2..).unwrap_or_default();
            while number != 0 {
                let label = view.label(own);
                let behind = rest.strip_prefix(label);
                steps += 1 + compared(label, rest, behind.is_some()) as u64 / SYMBOLS_A_STEP;
                if steps > MOST_STEPS {
                    return Err(too_many_steps(start));
                }
                let Some(behind) = behind else { break };
                find(own.keys, symbols.len() - behind.len())?;
                let Some((symbol, behind)) = behind.split_first().filter(|(next, _)| **next != 0)
                else {
                    break;
                };
                (number, rest) = (view.child(number, own, *symbol), behind);
                own = view.node(number);
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

/// How many symbols it took to compare a label with what follows in a text.
#[inline]
fn compared(label: &[u32], rest: &[u32], is_there: bool) -> usize {
    if is_there || label.len() < 64 {
        return label.len();
    }
    if rest.len() < label.len() {
        return 0;
    }
    label.iter().zip(rest).take_while(|(own, next)| own == next).count()
}

fn too_many_steps(token: usize) -> Error {
    let text = format!(
        "at token {token} the search has followed phrases {MOST_STEPS} times from one token to the \
         next: many long phrases have long beginnings in common with each other and the text. Search \
         the text in parts, or put the phrases into several matchers"
    );
    Error::value("phrase-limit", text)
}
