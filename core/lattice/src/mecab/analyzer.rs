//! The analysis of a text.

use std::ops::Range;

use lexpool_error::Result;

use super::char_classes::CharClass;
use super::dictionary::Dictionary;
use super::words::Words;
use crate::damaged::damaged;
use crate::lattice::{Lattice, LatticeNode, Ties, Word};

/// The number of characters behind the first up to which a run of one class is an unknown word. It
/// is greater than [`CharClass::max_len`].
const MAX_GROUP: usize = 24;

/// The bit of a word's number that stands for an unknown word.
const UNKNOWN: u32 = 1 << 31;

/// Memory for the analysis of one text after another.
#[derive(Default)]
pub struct Analyzer {
    lattice: Lattice,
    nodes: Vec<LatticeNode>,
    candidates: Vec<Candidate>,
}

/// A word that may begin at a place.
#[derive(Clone, Copy)]
struct Candidate {
    end: usize,
    word: Word,
}

/// A word of a text.
#[derive(Clone, Debug)]
pub struct Token<'d> {
    /// The bytes that the word covers, without whitespace in front of it.
    pub range: Range<usize>,
    /// The features, separated by commas; see [`field`](super::field).
    pub features: &'d str,
    /// The word is not in the dictionary.
    pub is_unknown: bool,
}

impl Analyzer {
    /// Finds the words of a text. Cost: linear in the text, times the words that begin and end at a
    /// position.
    ///
    /// # Errors
    ///
    /// `segment-dictionary` for a damaged dictionary that leaves no path through the text.
    pub fn analyze<'a>(
        &'a mut self,
        dictionary: &'a Dictionary,
        text: &'a str,
    ) -> Result<impl ExactSizeIterator<Item = Token<'a>>> {
        self.lattice.reset(text.len(), Ties::Last);
        for at in 0..text.len() {
            if !self.lattice.is_reached(at) {
                continue;
            }
            self.candidates.clear();
            find_words(dictionary, text, at, &mut self.candidates);
            // The word that is found first wins where paths cost the same.
            for Candidate { end, word } in self.candidates.iter().rev() {
                self.lattice.insert(at, *end, *word, &dictionary.costs);
            }
        }
        let end = self.lattice.last_reached();
        if !is_space(dictionary, &text[end..])
            || !self.lattice.best_path(end, &dictionary.costs, &mut self.nodes)
        {
            return Err(damaged("no words of its cover a text"));
        }
        Ok(self.nodes.iter().map(move |node| {
            let range = node.begin as usize..node.end as usize;
            let start = range.start + space_len(dictionary, &text[range.clone()]);
            let is_unknown = node.id & UNKNOWN != 0;
            let words = if is_unknown { &dictionary.unknown } else { &dictionary.words };
            let features = words.features(node.id & !UNKNOWN);
            Token { range: start..range.end, features, is_unknown }
        }))
    }
}

/// Finds the words that begin at a place or behind the whitespace there.
fn find_words(dictionary: &Dictionary, text: &str, at: usize, out: &mut Vec<Candidate>) {
    let begin = at + space_len(dictionary, &text[at..]);
    let rest = &text[begin..];
    let Some(first) = rest.chars().next() else { return };
    let class = dictionary.chars.of(first);
    let candidate = |words: &Words, number: u32, len: usize, mark: u32| {
        let params = words.params(number)?;
        let cost = dictionary.cost(params, begin > at);
        let word = Word { left: params.left, right: params.right, cost, id: number | mark };
        rest.is_char_boundary(len).then_some(Candidate { end: begin + len, word })
    };
    dictionary.words.prefixes(rest.as_bytes(), |len, number| {
        out.extend(candidate(&dictionary.words, number, len, 0));
    });
    if !out.is_empty() && !class.is_always_unknown() {
        return;
    }
    let mut add_unknown = |len: usize| {
        let numbers = dictionary.unknown_by_class.get(class.number());
        for &number in numbers.into_iter().flatten() {
            out.extend(candidate(&dictionary.unknown, number, len, UNKNOWN));
        }
    };
    let mut group = 0;
    if class.is_grouped() {
        let (len, chars) = run(dictionary, rest, class);
        if chars <= MAX_GROUP + 1 {
            add_unknown(len);
        }
        group = len;
    }
    let mut len = 0;
    for c in rest.chars().take(class.max_len()) {
        if len > 0 && !class.shares(dictionary.chars.of(c)) {
            break;
        }
        len += c.len_utf8();
        if len == group {
            break;
        }
        add_unknown(len);
    }
    if out.is_empty() {
        let len = first.len_utf8();
        let numbers = dictionary.unknown_by_class.get(class.number());
        let numbers = numbers.into_iter().flatten();
        out.extend(
            numbers.filter_map(|&number| candidate(&dictionary.unknown, number, len, UNKNOWN)),
        );
    }
}

/// Returns the bytes and the characters of a run, each of which shares a class with the one before.
/// It reads at most one character more than a word has, since it is called for each character of a
/// run.
fn run(dictionary: &Dictionary, text: &str, first: CharClass) -> (usize, usize) {
    let (mut len, mut chars, mut class) = (0, 0, first);
    for c in text.chars().take(MAX_GROUP + 2) {
        let char_class = dictionary.chars.of(c);
        if chars > 0 && !class.shares(char_class) {
            break;
        }
        (len, chars, class) = (len + c.len_utf8(), chars + 1, char_class);
    }
    (len, chars)
}

/// Returns the length of the whitespace with which a text begins.
fn space_len(dictionary: &Dictionary, text: &str) -> usize {
    let mut class = dictionary.chars.of(' ');
    let mut len = 0;
    for c in text.chars() {
        let char_class = dictionary.chars.of(c);
        if !class.shares(char_class) {
            break;
        }
        (len, class) = (len + c.len_utf8(), char_class);
    }
    len
}

fn is_space(dictionary: &Dictionary, text: &str) -> bool {
    space_len(dictionary, text) == text.len()
}
