//! Maximal matching: the least number of words that cover a text.
//!
//! Words of the dictionary are the edges of a graph of positions. Positions are visited from left
//! to right; where all paths meet, a breadth-first search finds the path with the fewest words. The
//! limit of the graph and the order of the search are those of PyThaiNLP's `newmm` (K.
//! Chaovavanich), so that ties are broken as there. Cost: linear in the text, times the logarithm
//! of the longest stretch without a meeting point.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lexpool_chars as chars;
use lexpool_error::Result;

use super::clusters;
use crate::trie::Trie;

/// The number of edges between two meeting points from which on a position gets one edge only.
const MAX_EDGES: usize = 50;

/// The characters that are cut between two checks for cancellation.
const CHARS_PER_CHECK: usize = 1 << 18;

/// Cuts a text, and appends the end of each word, counted in characters.
pub(super) fn cut(
    text: &[char],
    words: &Trie<()>,
    check: &mut dyn FnMut() -> Result<()>,
    out: &mut Vec<usize>,
) -> Result<()> {
    let matcher = Matcher { text, words, cluster_ends: clusters::ends(text) };
    let mut edges = Edges::default();
    let mut open = BTreeSet::from([0]);
    // The last meeting point.
    let mut meeting = 0;
    let mut next_check = CHARS_PER_CHECK;
    while let Some(begin) = open.pop_first().filter(|begin| *begin < text.len()) {
        if begin >= next_check {
            check()?;
            next_check = begin + CHARS_PER_CHECK;
        }
        for end in matcher.words_at(begin) {
            edges.add(begin, end);
            open.insert(end);
            if edges.count > MAX_EDGES {
                break;
            }
        }
        match (open.first(), open.len()) {
            (Some(&goal), 1) => {
                edges.path(meeting, goal, out);
                meeting = goal;
                edges.clear();
            }
            (None, _) => {
                meeting = matcher.unknown_end(begin);
                out.push(meeting);
                edges.clear();
                open.insert(meeting);
            }
            _ => {}
        }
    }
    Ok(())
}

/// A text with the dictionary.
struct Matcher<'t> {
    text: &'t [char],
    words: &'t Trie<()>,
    cluster_ends: Vec<bool>,
}

impl Matcher<'_> {
    /// Returns the ends of the dictionary's words at a position, which no cluster crosses.
    fn words_at(&self, begin: usize) -> impl Iterator<Item = usize> {
        let prefixes = self.words.prefixes(self.text[begin..].iter().copied());
        prefixes.map(move |(len, ())| begin + len).filter(|end| self.cluster_ends[*end])
    }

    /// Returns the end of the unknown word at a position: of a run of other characters, or before
    /// the next word of the dictionary or such a run.
    fn unknown_end(&self, begin: usize) -> usize {
        if let Some(len) = other_len(&self.text[begin..]) {
            return begin + len;
        }
        let is_start = |at: &usize| {
            self.cluster_ends[*at]
                && (self.words_at(*at).any(|end| !is_short(&self.text[*at..end]))
                    || other_len(&self.text[*at..]).is_some())
        };
        (begin + 1..self.text.len()).find(is_start).unwrap_or(self.text.len())
    }
}

/// The edges since the last meeting point, by where they begin.
#[derive(Default)]
struct Edges {
    ends: BTreeMap<usize, Vec<usize>>,
    count: usize,
}

impl Edges {
    fn add(&mut self, begin: usize, end: usize) {
        self.ends.entry(begin).or_default().push(end);
        self.count += 1;
    }

    fn clear(&mut self) {
        self.ends.clear();
        self.count = 0;
    }

    /// Appends the ends of the words on the path from `start` to `goal` that has the fewest; of
    /// several, the one that the search meets first.
    fn path(&self, start: usize, goal: usize, out: &mut Vec<usize>) {
        let mut came_from = BTreeMap::from([(start, start)]);
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for &end in self.ends.get(&at).into_iter().flatten() {
                if end == goal {
                    let first = out.len();
                    let (mut at, mut last) = (at, goal);
                    while last != start {
                        out.push(last);
                        last = at;
                        at = came_from[&at];
                    }
                    out[first..].reverse();
                    return;
                }
                came_from.entry(end).or_insert_with(|| {
                    queue.push_back(end);
                    at
                });
            }
        }
        // Each open position is the end of a path from the last meeting point.
        debug_assert_eq!(start, goal, "no path");
    }
}

/// Returns `true` for one or two consonants, too short to end an unknown word.
fn is_short(word: &[char]) -> bool {
    word.len() <= 2 && word.iter().all(|c| ('\u{e01}'..='\u{e2e}').contains(c))
}

/// Returns the length of the run of characters of other scripts at the start of a text: Latin
/// letters, a number, blanks, a line break, or anything else up to whitespace. `None` for Thai.
fn other_len(text: &[char]) -> Option<usize> {
    let first = *text.first()?;
    let run = |is_in: &dyn Fn(char) -> bool| text.iter().take_while(|c| is_in(**c)).count();
    let is_latin = |c: char| c.is_ascii_alphabetic() || c == '-';
    let is_blank = |c: char| c == ' ' || c == '\t';
    if is_latin(first) {
        Some(run(&is_latin))
    } else if chars::is_decimal(first) {
        Some(number_len(text))
    } else if is_blank(first) {
        Some(run(&is_blank))
    } else if first == '\n' {
        Some(1)
    } else if first == '\r' {
        (text.get(1) == Some(&'\n')).then_some(2)
    } else {
        let is_other = |c: char| {
            !('\u{e00}'..='\u{e7f}').contains(&c) && !is_blank(c) && c != '\r' && c != '\n'
        };
        Some(run(&is_other)).filter(|len| *len > 0)
    }
}

/// Returns the length of a number: digits, with commas and points between digits.
fn number_len(text: &[char]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|c| chars::is_decimal(**c)).count();
    let mut len = digits(0);
    while matches!(text.get(len), Some(',' | '.')) {
        match digits(len + 1) {
            0 => break,
            more => len += 1 + more,
        }
    }
    len
}
