//! Words of a path that become one: numerals, and katakana that the dictionary does not know.

use super::categories::Categories;
use super::dictionary::Dictionary;
use super::input::InputText;
use super::numeral::{Numeral, Separator};
use super::path::{Forms, PathWord};
use super::word_ref::WordRef;
use crate::lattice::Lattice;

/// The length in characters from which a word of katakana is not joined if the dictionary has it.
const MIN_KATAKANA: usize = 3;

/// Joins the words of each numeral. Its norm is the number in digits.
pub(super) fn join_numerals(dictionary: &Dictionary, input: &InputText, path: &mut Vec<PathWord>) {
    const NUMERALS: (Categories, Categories) = (Categories::NUMERIC, Categories::KANJI_NUMERIC);
    let is_numeral = |word: &PathWord| {
        let common = input.common_categories(word.chars());
        common.intersects(NUMERALS.0 | NUMERALS.1)
    };
    if !path.iter().any(is_numeral) {
        return;
    }
    // Words that go wrong as separators are looked at again as other words.
    let (mut commas, mut points) = (true, true);
    let mut numeral = Numeral::default();
    let mut norm = String::new();
    let mut begin = None;
    let mut at = 0;
    while at < path.len() {
        let word = &path[at];
        let is_comma = word.norm_is(dictionary, input, b',');
        let is_point = word.norm_is(dictionary, input, b'.');
        if is_numeral(word) || (commas && is_comma) || (points && is_point) {
            let first = *begin.get_or_insert_with(|| {
                numeral = Numeral::default();
                at
            });
            norm.clear();
            word.push_norm(dictionary, input, &mut norm);
            at += 1;
            if !norm.chars().all(|c| numeral.push(c)) {
                match numeral.error() {
                    Some(Separator::Comma) if commas => (commas, at) = (false, first),
                    Some(Separator::Point) if points => (points, at) = (false, first),
                    _ => {}
                }
                begin = None;
            }
            continue;
        }
        let mut next = at + 1;
        if let Some(first) = begin.take() {
            if let Some(words) = end_numeral(&mut numeral, dictionary, input, path, first..at) {
                next = first + words + 1;
            }
        }
        commas |= !is_comma;
        points |= !is_point;
        at = next;
    }
    if let Some(first) = begin {
        let end = path.len();
        end_numeral(&mut numeral, dictionary, input, path, first..end);
    }
}

/// Joins the words of a numeral, but for a separator at the end. Returns the number of words that
/// the numeral and the separator are then; `None` for other words.
fn end_numeral(
    numeral: &mut Numeral,
    dictionary: &Dictionary,
    input: &InputText,
    path: &mut Vec<PathWord>,
    words: std::ops::Range<usize>,
) -> Option<usize> {
    let last_is = |c| path[words.end - 1].norm_is(dictionary, input, c);
    let separator = if numeral.finish() {
        0
    } else {
        match numeral.error() {
            Some(Separator::Comma) if last_is(b',') => 1,
            Some(Separator::Point) if last_is(b'.') => 1,
            _ => return None,
        }
    };
    join_numeral(numeral, dictionary, input, path, words.start..words.end - separator);
    Some(1 + separator)
}

fn join_numeral(
    numeral: &mut Numeral,
    dictionary: &Dictionary,
    input: &InputText,
    path: &mut Vec<PathWord>,
    words: std::ops::Range<usize>,
) {
    let first = &path[words.start];
    if Some(first.pos()) != dictionary.numeral {
        return;
    }
    let (pos, number) = (first.pos(), numeral.number());
    if words.len() == 1 {
        let mut norm = String::new();
        first.push_norm(dictionary, input, &mut norm);
        if norm == number {
            return;
        }
    }
    let (mut lemma, mut reading) = (String::new(), String::new());
    for word in &path[words.clone()] {
        word.push_lemma(dictionary, input, &mut lemma);
        word.push_reading(dictionary, input, &mut reading);
    }
    let chars = first.chars().start..path[words.end - 1].chars().end;
    let forms = Forms::joined(lemma, number, reading);
    path[words.start] = PathWord::new(chars, pos, forms);
    path.drain(words.start + 1..words.end);
}

/// Joins runs of katakana with a word that is short or not in the dictionary.
pub(super) fn join_katakana(
    dictionary: &Dictionary,
    input: &InputText,
    lattice: &Lattice,
    path: &mut Vec<PathWord>,
) {
    let Some(noun) = dictionary.noun else { return };
    let is_katakana =
        |word: &PathWord| input.common_categories(word.chars()).intersects(Categories::KATAKANA);
    let mut at = 0;
    while at < path.len() {
        let word = &path[at];
        let is_loose = word.is_unknown() || word.chars().len() < MIN_KATAKANA;
        if !is_loose || !is_katakana(word) {
            at += 1;
            continue;
        }
        let begin = path[..at].iter().rposition(|word| !is_katakana(word)).map_or(0, |i| i + 1);
        let end = path[at..].iter().position(|word| !is_katakana(word));
        let end = end.map_or(path.len(), |len| at + len);
        let can_begin = |word: &PathWord| {
            !input.categories(word.chars().start).intersects(Categories::NO_BEGIN)
        };
        let skipped = path[begin..end].iter().position(can_begin).unwrap_or(end - begin);
        let begin = begin + skipped;
        if end - begin <= 1 {
            // The other words of the run have nothing to be joined with either.
            at = end;
            continue;
        }
        let chars = path[begin].chars().start..path[end - 1].chars().end;
        let node = lattice.cheapest(chars.start, chars.end);
        let word = node.and_then(|node| {
            PathWord::resolve(dictionary, chars.clone(), WordRef::from_raw(node.id))
        });
        path[begin] = word.unwrap_or_else(|| PathWord::new(chars, noun, Forms::Text));
        path.drain(begin + 1..end);
        at = begin + 2;
    }
}
