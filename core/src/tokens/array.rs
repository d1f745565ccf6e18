//! Attributes in bulk: columns of numbers, and counts.

use std::ops::Range;

use ahash::AHashMap;
use lexpool_structs::AttrId;

use super::Doc;
use super::attrs::Place;
use crate::strings::StrId;
use crate::vocab::{LexIx, LexemeCell, LexemeField};

/// One attribute of each token, as spaCy's `Doc.to_array` numbers it.
///
/// ```
/// use lexpool::{structs::AttrId, tokens, vocab::{Getters, Vocab}};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = tokens::Doc::from_words(&vocab, &[("So", true), ("so", false)])?;
/// let lower = tokens::column(&doc, AttrId::LOWER);
/// assert_eq!(lower[0], lower[1]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn column(doc: &Doc, attr: AttrId) -> Vec<u64> {
    to_array(doc, &[attr])
}

/// Several attributes of each token, row by row: `len x attrs.len()` numbers.
pub fn to_array(doc: &Doc, attrs: &[AttrId]) -> Vec<u64> {
    let mut out = vec![0; doc.len() * attrs.len()];
    write_array(doc, 0..doc.len(), attrs, &mut out);
    out
}

/// Writes several attributes of a range of tokens into rows of `attrs.len()` numbers.
///
/// # Panics
///
/// Unless the range is within the document and `out` has one row a token.
pub fn write_array(doc: &Doc, range: Range<usize>, attrs: &[AttrId], out: &mut [u64]) {
    let width = attrs.len();
    assert_eq!(out.len(), range.len() * width, "one row a token");
    if width == 0 {
        return;
    }
    for (n, rows) in out.chunks_mut(BLOCK * width).enumerate() {
        let start = range.start + n * BLOCK;
        let block = Block::new(doc, start..start + rows.len() / width);
        for (at, attr) in attrs.iter().enumerate() {
            block.write(*attr, rows.chunks_exact_mut(width).map(|row| &mut row[at]));
        }
    }
}

/// How often each value of an attribute occurs, in the order of first occurrence.
pub fn count_by(doc: &Doc, attr: AttrId) -> Vec<(u64, u64)> {
    let is_of_words = attr.is_flag() || (LexemeField::of(attr).is_some() && attr != AttrId::NORM);
    let mut counts = Counts::default();
    counts.places.reserve(doc.len().min(1024));
    // Words of a zone have positions beyond all others.
    let last = doc.tokens().iter().map(|token| token.lex as usize).max().unwrap_or(0);
    // One count a word, unless there are many more words than tokens.
    if is_of_words && last / 8 < doc.len() {
        let mut of_word = vec![0_u32; last + 1];
        let mut met = Vec::new();
        for token in doc.tokens() {
            let count = &mut of_word[token.lex as usize];
            if *count == 0 {
                met.push(token.lex);
            }
            *count += 1;
        }
        for lex in met {
            counts.add(cell(doc, lex).attr(attr), u64::from(of_word[lex as usize]));
        }
        return counts.in_order;
    }
    let mut values = [0; BLOCK];
    for start in (0..doc.len()).step_by(BLOCK) {
        let end = doc.len().min(start + BLOCK);
        let values = &mut values[..end - start];
        write_array(doc, start..end, &[attr], values);
        for value in values {
            counts.add(*value, 1);
        }
    }
    counts.in_order
}

#[derive(Default)]
struct Counts {
    places: AHashMap<u64, usize>,
    in_order: Vec<(u64, u64)>,
}

impl Counts {
    fn add(&mut self, value: u64, count: u64) {
        let place = *self.places.entry(value).or_insert_with(|| {
            self.in_order.push((value, 0));
            self.in_order.len() - 1
        });
        self.in_order[place].1 += count;
    }
}

/// The bytes of the longest token.
pub fn longest_utf8(doc: &Doc) -> usize {
    doc.iter().map(|token| token.text().len()).max().unwrap_or(0)
}

/// Writes the bytes of each token of a range, taken in turn from the front and from the back, as a row of
/// `width` of them; 255 where a token has no more.
///
/// # Panics
///
/// Unless the range is within the document.
pub fn write_utf8(doc: &Doc, range: Range<usize>, width: usize, rows: &mut [u8]) {
    rows.fill(255);
    for (i, row) in range.zip(rows.chunks_exact_mut(width.max(1))) {
        let token = doc.token(i).expect("a token of the range");
        let mut bytes = token.text().bytes();
        for (at, place) in row.iter_mut().enumerate() {
            let byte = if at % 2 == 0 { bytes.next() } else { bytes.next_back() };
            let Some(byte) = byte else { break };
            *place = byte;
        }
    }
}

/// How many tokens are looked at together: their words stay in the nearest cache from one
/// attribute to the next.
const BLOCK: usize = 128;

/// Some neighbouring tokens with their words.
struct Block<'a> {
    doc: &'a Doc,
    range: Range<usize>,
    cells: [&'a LexemeCell; BLOCK],
}

impl<'a> Block<'a> {
    fn new(doc: &'a Doc, range: Range<usize>) -> Block<'a> {
        let mut cells = [cell(doc, LexIx::EMPTY.to_raw()); BLOCK];
        for (place, token) in cells.iter_mut().zip(&doc.tokens()[range.clone()]) {
            *place = cell(doc, token.lex);
        }
        Block { doc, range, cells }
    }

    /// Writes an attribute; what is decided per attribute is decided once.
    fn write<'p>(&self, attr: AttrId, places: impl Iterator<Item = &'p mut u64>) {
        let Block { doc, range, cells } = self;
        match Place::of(attr) {
            Place::Tag(read) => return copy(doc.tags(), range, places, read),
            Place::Syntax(read) => return copy(doc.syntax(), range, places, read),
            Place::Entity(read) => return copy(doc.entities(), range, places, read),
            Place::Elsewhere => {}
        }
        let words = places.zip(cells);
        if attr.is_flag() {
            for (place, cell) in words {
                *place = cell.attr(attr);
            }
        } else if attr == AttrId::NORM {
            let set = doc.tags().map(|tags| &tags[range.clone()]).unwrap_or_default();
            let tokens = &doc.tokens()[range.clone()];
            for (i, ((place, cell), token)) in words.zip(tokens).enumerate() {
                let set = set.get(i).map(|record| record.norm).filter(|norm| *norm != 0);
                let own = set.or_else(|| doc.snapshot().norm(token.norm_ix()).map(StrId::get));
                *place = own.unwrap_or_else(|| cell.field(LexemeField::NORM));
            }
        } else if let (Some(field), true) = (LexemeField::of(attr), attr != AttrId::LENGTH) {
            for (place, cell) in words {
                *place = cell.field(field);
            }
        } else {
            for ((place, _), i) in words.zip(range.clone()) {
                *place = doc.token(i).expect("within the document").attr(attr);
            }
        }
    }
}

fn cell(doc: &Doc, lex: u32) -> &LexemeCell {
    let cell = doc.snapshot().cell(LexIx::from_raw(lex));
    cell.expect("a document holds the vocab and the zone of its tokens")
}

/// Copies a field of an array; zeros if it is not there.
fn copy<'a, T>(
    records: Option<&[T]>,
    range: &Range<usize>,
    places: impl Iterator<Item = &'a mut u64>,
    read: fn(&T) -> u64,
) {
    match records {
        Some(records) => {
            for (place, record) in places.zip(&records[range.clone()]) {
                *place = read(record);
            }
        }
        None => places.for_each(|place| *place = 0),
    }
}
