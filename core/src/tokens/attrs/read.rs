//! Reading attributes by number: of one token, of whole columns, and counts.

use std::ops::Range;

use ahash::AHashMap;
use lexpool_structs::AttrId;

use super::super::doc::Doc;
use super::super::token::Token;
use super::values::{AttrColumn, signed};
use crate::Result;
use crate::fallible;
use crate::strings::StrId;
use crate::vocab::{LexIx, LexemeCell, LexemeField};

/// A view of the attributes of all tokens, numbered as in spaCy.
///
/// ```
/// use lexpool::structs::AttrId;
/// use lexpool::tokens::Doc;
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = Doc::from_words(&vocab, &[("So", true), ("so", false)])?;
/// let lower = doc.attrs().column(AttrId::LOWER);
/// assert_eq!(lower[0], lower[1]);
/// assert_eq!(doc.attrs().count_by(AttrId::LOWER), [(lower[0], 2)]);
/// assert!(!doc.attrs().has_annotation(AttrId::TAG, false));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TokenAttrs<'a> {
    doc: &'a Doc,
}

impl Doc {
    /// Returns the view of the attributes of all tokens.
    #[inline]
    pub fn attrs(&self) -> TokenAttrs<'_> {
        TokenAttrs { doc: self }
    }
}

impl TokenAttrs<'_> {
    /// Returns one attribute of each token; spaCy's `Doc.to_array` of one attribute.
    pub fn column(&self, attr: AttrId) -> Vec<u64> {
        self.to_array(&[attr])
    }

    /// Returns several attributes of each token, row by row: `len * attrs.len()` numbers.
    pub fn to_array(&self, attrs: &[AttrId]) -> Vec<u64> {
        let mut out = vec![0; self.doc.len() * attrs.len()];
        self.write_array(0..self.doc.len(), attrs, &mut out);
        out
    }

    /// Returns several attributes of each token as [`to_array`](TokenAttrs::to_array) does.
    ///
    /// # Errors
    ///
    /// `out-of-memory`.
    pub fn try_to_array(&self, attrs: &[AttrId]) -> Result<Vec<u64>> {
        let mut out = fallible::zeros(self.doc.len() * attrs.len())?;
        self.write_array(0..self.doc.len(), attrs, &mut out);
        Ok(out)
    }

    /// Writes several attributes of a range of tokens into rows of `attrs.len()` numbers.
    ///
    /// # Panics
    ///
    /// If the range is not within the document, or `out` does not have one row a token.
    pub fn write_array(&self, range: Range<usize>, attrs: &[AttrId], out: &mut [u64]) {
        let width = attrs.len();
        assert_eq!(out.len(), range.len() * width, "one row a token");
        if width == 0 {
            return;
        }
        for (n, rows) in out.chunks_mut(BLOCK * width).enumerate() {
            let start = range.start + n * BLOCK;
            let block = Block::new(self.doc, start..start + rows.len() / width);
            for (at, attr) in attrs.iter().enumerate() {
                block.write(*attr, rows.chunks_exact_mut(width).map(|row| &mut row[at]));
            }
        }
    }

    /// Counts the values of an attribute: pairs of a value and its count, in the order of first
    /// occurrence.
    pub fn count_by(&self, attr: AttrId) -> Vec<(u64, u64)> {
        let doc = self.doc;
        let is_of_words =
            attr.is_flag() || (LexemeField::of(attr).is_some() && attr != AttrId::NORM);
        let mut counts = Counts::default();
        counts.slots.reserve(doc.len().min(1024));
        // Lexemes of a zone have indices above all others.
        let last = doc.tokens().iter().map(|token| token.lex as usize).max().unwrap_or(0);
        // Count by lexeme index, unless the table would be much longer than the document.
        if is_of_words && last / 8 < doc.len() {
            let mut of_word = vec![0_u32; last + 1];
            let mut words = Vec::new();
            for token in doc.tokens() {
                let count = &mut of_word[token.lex as usize];
                if *count == 0 {
                    words.push(token.lex);
                }
                *count += 1;
            }
            for lex in words {
                counts.add(cell(doc, lex).attr(attr), u64::from(of_word[lex as usize]));
            }
            return counts.in_order;
        }
        let mut values = [0; BLOCK];
        for start in (0..doc.len()).step_by(BLOCK) {
            let end = doc.len().min(start + BLOCK);
            let values = &mut values[..end - start];
            self.write_array(start..end, &[attr], values);
            for value in values {
                counts.add(*value, 1);
            }
        }
        counts.in_order
    }

    /// Returns whether an attribute is set on some token, or on every token if `complete`.
    ///
    /// True for a document without tokens. `HEAD` is looked up as `DEP`; for `SENT_START` the first
    /// token does not count, and a document of one token has the attribute. Cost: one pass over the
    /// tokens until the answer is known.
    pub fn has_annotation(&self, attr: AttrId, complete: bool) -> bool {
        if self.doc.is_empty() || (attr == AttrId::SENT_START && self.doc.len() == 1) {
            return true;
        }
        let attr = if attr == AttrId::HEAD { AttrId::DEP } else { attr };
        if attr == AttrId::IDX {
            // spaCy does not read this attribute from a token's record.
            return false;
        }
        let skipped = usize::from(attr == AttrId::SENT_START);
        let mut tokens = self.doc.iter().skip(skipped);
        if complete {
            tokens.all(|token| token.attr(attr) != 0)
        } else {
            tokens.any(|token| token.attr(attr) != 0)
        }
    }
}

impl Token<'_> {
    /// Returns an attribute as a number: flags as 0 or 1, `HEAD` relative, negative numbers as
    /// two's complement, 0 if unset.
    #[inline]
    pub fn attr(&self, attr: AttrId) -> u64 {
        if attr.is_flag() { self.lex().attr(attr) } else { self.non_flag_attr(attr) }
    }

    fn non_flag_attr(&self, attr: AttrId) -> u64 {
        match AttrColumn::of(attr) {
            AttrColumn::Tag(read) => self.tag_record().map_or(0, read),
            AttrColumn::Syntax(read) => self.syntax_record().map_or(0, read),
            AttrColumn::Entity(read) => self.entity_record().map_or(0, read),
            AttrColumn::None => match attr {
                AttrId::NORM => self.norm().get(),
                AttrId::SPACY => u64::from(self.record().spacy()),
                AttrId::IDX => self.idx() as u64,
                AttrId::LENGTH => self.len() as u64,
                AttrId::ENT_IOB => u64::from(self.record().ent_iob()),
                AttrId::SENT_START => signed(i32::from(self.record().sent_start())),
                _ => self.lex().attr(attr),
            },
        }
    }
}

/// Counts by value, with the position of each value in the order of first occurrence.
#[derive(Default)]
struct Counts {
    slots: AHashMap<u64, usize>,
    in_order: Vec<(u64, u64)>,
}

impl Counts {
    fn add(&mut self, value: u64, count: u64) {
        let slot = *self.slots.entry(value).or_insert_with(|| {
            self.in_order.push((value, 0));
            self.in_order.len() - 1
        });
        self.in_order[slot].1 += count;
    }
}

/// The number of tokens of a block. Their lexemes stay in the first-level cache from one attribute
/// to the next.
const BLOCK: usize = 128;

/// Neighbouring tokens with their lexemes.
struct Block<'a> {
    doc: &'a Doc,
    range: Range<usize>,
    cells: [&'a LexemeCell; BLOCK],
}

impl<'a> Block<'a> {
    fn new(doc: &'a Doc, range: Range<usize>) -> Block<'a> {
        let mut cells = [cell(doc, LexIx::EMPTY.to_raw()); BLOCK];
        for (slot, token) in cells.iter_mut().zip(&doc.tokens()[range.clone()]) {
            *slot = cell(doc, token.lex);
        }
        Block { doc, range, cells }
    }

    /// Writes an attribute of each token; the column is chosen once for the block.
    fn write<'p>(&self, attr: AttrId, slots: impl Iterator<Item = &'p mut u64>) {
        let Block { doc, range, cells } = self;
        match AttrColumn::of(attr) {
            AttrColumn::Tag(read) => return copy(doc.tag_records(), range, slots, read),
            AttrColumn::Syntax(read) => return copy(doc.syntax_records(), range, slots, read),
            AttrColumn::Entity(read) => return copy(doc.entity_records(), range, slots, read),
            AttrColumn::None => {}
        }
        let lexemes = slots.zip(cells);
        if attr.is_flag() {
            for (slot, cell) in lexemes {
                *slot = cell.attr(attr);
            }
        } else if attr == AttrId::NORM {
            let set = doc.tag_records().map(|tags| &tags[range.clone()]).unwrap_or_default();
            let tokens = &doc.tokens()[range.clone()];
            for (i, ((slot, cell), token)) in lexemes.zip(tokens).enumerate() {
                let set = set.get(i).map(|record| record.norm).filter(|norm| *norm != 0);
                let norm = set.or_else(|| doc.snapshot().norm(token.norm_ix()).map(StrId::get));
                *slot = norm.unwrap_or_else(|| cell.field(LexemeField::NORM));
            }
        } else if let (Some(field), true) = (LexemeField::of(attr), attr != AttrId::LENGTH) {
            for (slot, cell) in lexemes {
                *slot = cell.field(field);
            }
        } else {
            for ((slot, _), i) in lexemes.zip(range.clone()) {
                *slot = doc.token(i).expect("within the document").attr(attr);
            }
        }
    }
}

fn cell(doc: &Doc, lex: u32) -> &LexemeCell {
    let cell = doc.snapshot().cell(LexIx::from_raw(lex));
    cell.expect("a document keeps the vocab and the zone of its tokens alive")
}

/// Copies a field of a column; zeros if the column is absent.
fn copy<'a, T>(
    records: Option<&[T]>,
    range: &Range<usize>,
    slots: impl Iterator<Item = &'a mut u64>,
    read: fn(&T) -> u64,
) {
    match records {
        Some(records) => {
            for (slot, record) in slots.zip(&records[range.clone()]) {
                *slot = read(record);
            }
        }
        None => slots.for_each(|slot| *slot = 0),
    }
}
