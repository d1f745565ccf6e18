//! Search for phrases: tokens become symbols, and symbols are followed through the trie.
//!
//! Each pass handles all tokens before the next pass begins, because the trie is larger than the
//! processor's caches: the cache misses of many tokens are in flight at the same time.

use lexpool_structs::{AttrId, TokenC};

use super::layout::{TrieNode, TrieView};
use super::prefix_filter::PrefixFilter;
use crate::codes;
use crate::matcher::lexeme_cache::LexemeCache;
use crate::strings::StrId;
use crate::tokenizer::Tokenizer;
use crate::tokens::Doc;
use crate::vocab::{LexIx, LexemeField, VocabSnapshot};
use crate::{Error, Result};

/// The maximum number of steps from one token to the next, beyond the first two tokens of a phrase:
/// a second or two of work. Only texts full of phrases that differ in their ends reach it.
const MAX_STEPS: u64 = if cfg!(test) { 1 << 26 } else { 1 << 29 };

/// The number of label symbols whose comparison counts as one step.
const SYMBOLS_PER_STEP: u64 = 32;

/// Flag of a symbol that is a phrase by itself.
const IS_PHRASE: u32 = 1;
/// Flag of a symbol that longer phrases start with.
const STARTS_PHRASES: u32 = 2;

/// The maximum capacity of the buffers that are kept for the next search.
const MAX_KEPT_SYMBOLS: usize = 1 << 20;

/// The buffers of one search, and the symbols that it has cached for the next one.
#[derive(Default)]
pub(super) struct SearchBuffers {
    /// The code of a lexeme's attribute ([`PhraseSearch::code`]), plus one.
    cache: LexemeCache,
    /// The version of the trie for which the cache is valid.
    version: u64,
    symbols: Vec<u32>,
    starts: Vec<u32>,
    entries: Vec<TrieEntry>,
}

/// A start of phrases in the text, with the trie node after its first two tokens.
#[derive(Clone, Copy)]
struct TrieEntry {
    /// The first token.
    start: u32,
    /// The keys of the first token as a phrase, in the form of [`TrieNode::keys`].
    keys: u32,
    /// The number of the node after the second token, or 0 if no phrase continues with that token.
    number: u32,
    node: TrieNode,
}

/// The tokens to search.
#[derive(Clone, Copy)]
pub(super) struct SearchTokens<'a> {
    pub(super) snapshot: &'a VocabSnapshot,
    pub(super) records: &'a [TokenC],
    /// The document, and the position of the first token in it. `None` for tokens that a tokenizer
    /// has just produced, whose attribute must not have the source [`AttrSource::Doc`].
    pub(super) doc: Option<(&'a Doc, usize)>,
}

/// The record that an attribute of a token is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttrSource {
    /// The lexeme.
    Lexeme,
    /// The token's own norm if it has one, else the lexeme.
    Norm,
    /// The document's annotation.
    Doc,
}

impl AttrSource {
    pub(super) fn of(attr: AttrId) -> AttrSource {
        match attr {
            AttrId::NORM => AttrSource::Norm,
            // A token's length is that of its text, which may differ from its lexeme's.
            AttrId::LENGTH => AttrSource::Doc,
            _ if attr.is_flag() || LexemeField::of(attr).is_some() => AttrSource::Lexeme,
            _ => AttrSource::Doc,
        }
    }

    /// Returns whether the attribute of a text's tokens is known only once a document is made of
    /// them: norms that a segmenter sets are annotation.
    pub(super) fn needs_docs(self, tokenizer: &Tokenizer) -> bool {
        match self {
            AttrSource::Lexeme => false,
            AttrSource::Norm => tokenizer.segmenter().is_some(),
            AttrSource::Doc => true,
        }
    }
}

/// A search with a trie.
#[derive(Clone, Copy)]
pub(super) struct PhraseSearch<'a> {
    pub(super) view: TrieView<'a>,
    pub(super) prefixes: &'a PrefixFilter,
    /// The attribute that phrases consist of.
    pub(super) attr: AttrId,
    /// The version of the trie.
    pub(super) version: u64,
}

impl PhraseSearch<'_> {
    /// Calls `found` for each phrase, with its key, its start and its end, counted from the first
    /// token.
    ///
    /// # Errors
    ///
    /// `phrase-limit` after too many steps; `out-of-memory`; any error of `found`.
    pub(super) fn run(
        &self,
        tokens: SearchTokens<'_>,
        buffers: &mut SearchBuffers,
        found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        self.read_symbols(tokens, buffers)?;
        self.filter_starts(&buffers.symbols, &mut buffers.starts);
        self.look_up_starts(&buffers.symbols, &buffers.starts, &mut buffers.entries)?;
        let followed = self.follow(&buffers.symbols, &buffers.entries, found);
        if buffers.symbols.capacity() > MAX_KEPT_SYMBOLS {
            (buffers.symbols, buffers.starts, buffers.entries) = Default::default();
        }
        followed
    }

    /// Writes the symbols of the tokens, followed by two zeros, and the tokens at which phrases may
    /// start.
    fn read_symbols(&self, tokens: SearchTokens<'_>, buffers: &mut SearchBuffers) -> Result<()> {
        if buffers.version != self.version {
            (buffers.cache, buffers.version) = (LexemeCache::default(), self.version);
        }
        let SearchBuffers { cache, symbols, starts, .. } = buffers;
        cache.open_snapshot(tokens.snapshot);
        let mut of_lexeme = |token: &TokenC| {
            let lex = LexIx::from_raw(token.lex);
            let known = cache.get(lex);
            if known != 0 {
                return known - 1;
            }
            let cell = tokens.snapshot.cell(lex);
            let code = self.code(cell.map_or(0, |cell| cell.attr(self.attr)));
            cache.set(lex, code + 1);
            code
        };
        let records = tokens.records.iter().enumerate();
        let annotation = tokens.doc.and_then(|(doc, first)| doc.tag_records()?.get(first..));
        match AttrSource::of(self.attr) {
            AttrSource::Lexeme => self.write(tokens.records.iter().map(of_lexeme), symbols, starts),
            AttrSource::Norm => {
                let code = |(at, token): (usize, &TokenC)| {
                    let set = annotation.map_or(0, |tags| tags[at].norm);
                    let of_case = || tokens.snapshot.norm(token.norm_ix()).map(StrId::get);
                    let own = if set == 0 { of_case() } else { Some(set) };
                    own.map_or_else(|| of_lexeme(token), |norm| self.code(norm))
                };
                self.write(records.map(code), symbols, starts)
            }
            AttrSource::Doc => {
                let code = |(at, _)| {
                    let token = tokens.doc.and_then(|(doc, first)| doc.token(first + at));
                    self.code(token.map_or(0, |token| token.attr(self.attr)))
                };
                self.write(records.map(code), symbols, starts)
            }
        }
    }

    /// Returns the code of an id: its symbol, and in the two lowest bits the flags of the symbol.
    fn code(&self, id: u64) -> u32 {
        let symbol = self.view.symbol(id);
        let (is_phrase, starts_phrases) = self.view.starts_with(symbol);
        (symbol & u32::MAX >> 3) << 2
            | if is_phrase { IS_PHRASE } else { 0 }
            | if starts_phrases { STARTS_PHRASES } else { 0 }
    }

    /// Writes the symbols of codes, followed by two zeros, and the starts: the positions of symbols
    /// that are phrases, or that phrases may start with together with the next symbol; shifted left
    /// by two bits, with the flags of the symbol in the lower bits.
    #[inline]
    fn write(
        &self,
        codes: impl ExactSizeIterator<Item = u32>,
        symbols: &mut Vec<u32>,
        starts: &mut Vec<u32>,
    ) -> Result<()> {
        symbols.clear();
        starts.clear();
        symbols.try_reserve(codes.len() + 2)?;
        starts.try_reserve(codes.len() + 1)?;
        starts.resize(codes.len() + 1, 0);
        let (mut at, mut count, mut last) = (0_u32, 0, 0);
        symbols.extend(codes.chain([0]).map(|code| {
            let continues =
                (last & STARTS_PHRASES != 0) & self.prefixes.may_start(last >> 2, code >> 2);
            // Written unconditionally: a branch here would be mispredicted often.
            let is_phrase = last & IS_PHRASE != 0;
            starts[count] =
                at.wrapping_sub(1) << 2 | u32::from(is_phrase) | u32::from(continues) << 1;
            count += usize::from(is_phrase | continues);
            at += 1;
            last = code;
            code >> 2
        }));
        symbols.push(0);
        starts.truncate(count);
        Ok(())
    }

    /// Keeps the starts that are phrases by themselves, or may match together with the next two
    /// tokens.
    fn filter_starts(&self, symbols: &[u32], starts: &mut Vec<u32>) {
        let mut count = 0;
        for i in 0..starts.len() {
            let (start, at) = (starts[i], (starts[i] >> 2) as usize);
            let (symbol, next, third) = (symbols[at], symbols[at + 1], symbols[at + 2]);
            let continues =
                (start & STARTS_PHRASES != 0) & self.prefixes.may_match(symbol, next, third);
            let is_phrase = start & IS_PHRASE != 0;
            starts[count] = start & !STARTS_PHRASES | u32::from(continues) << 1;
            count += usize::from(is_phrase | continues);
        }
        starts.truncate(count);
    }

    /// Looks up the trie nodes after the first two tokens of all starts.
    fn look_up_starts(
        &self,
        symbols: &[u32],
        starts: &[u32],
        entries: &mut Vec<TrieEntry>,
    ) -> Result<()> {
        entries.clear();
        entries.try_reserve(starts.len())?;
        entries.extend(starts.iter().map(|start| {
            let at = (start >> 2) as usize;
            let (symbol, next) = (symbols[at], symbols[at + 1]);
            let is_phrase = start & IS_PHRASE != 0;
            let keys = if is_phrase { self.view.node(symbol).keys } else { 0 };
            let continues = start & STARTS_PHRASES != 0;
            let number = if continues { self.view.second(symbol, next) } else { 0 };
            TrieEntry { start: start >> 2, keys, number, node: TrieNode::default() }
        }));
        for entry in entries {
            entry.node = self.view.node(entry.number);
        }
        Ok(())
    }

    /// Follows the trie from each start and reports the phrases that end on the way.
    fn follow(
        &self,
        symbols: &[u32],
        entries: &[TrieEntry],
        mut found: impl FnMut(StrId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let view = self.view;
        let symbols = symbols.strip_suffix(&[0; 2]).unwrap_or(symbols);
        let mut steps = 0;
        for entry in entries {
            let start = entry.start as usize;
            let mut find = |keys, end| {
                let (single, several) = view.keys_of(keys);
                if let Some(key) = single {
                    return found(StrId::new(view.key(key)), start, end);
                }
                several.iter().try_for_each(|key| found(StrId::new(view.key(*key)), start, end))
            };
            find(entry.keys, start + 1)?;
            let (mut number, mut own) = (entry.number, entry.node);
            let mut rest = symbols.get(start + 2..).unwrap_or_default();
            while number != 0 {
                let label = view.label(own);
                let common = label.iter().zip(rest).take_while(|(own, next)| own == next).count();
                steps += 1 + common as u64 / SYMBOLS_PER_STEP;
                if steps > MAX_STEPS {
                    return Err(too_many_steps(start));
                }
                if common < label.len() {
                    break;
                }
                let after = &rest[common..];
                find(own.keys, symbols.len() - after.len())?;
                let Some((symbol, after)) = after.split_first().filter(|(next, _)| **next != 0)
                else {
                    break;
                };
                (number, rest) = (view.child(number, own, *symbol), after);
                own = view.node(number);
            }
        }
        Ok(())
    }
}

fn too_many_steps(token: usize) -> Error {
    let text = format!(
        "the search reached the limit of {MAX_STEPS} steps at token {token}: many long phrases \
         share long prefixes with each other and with the text; search the text in parts, or \
         divide the phrases among several matchers"
    );
    Error::value(codes::PHRASE_LIMIT, text)
}
