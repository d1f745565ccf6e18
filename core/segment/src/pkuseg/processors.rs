//! Words of the user, which are cut out first, and words whose parts are merged at the end.

use std::collections::HashSet;

use lexpool_error::Result;
use lexpool_msgpack::Value;

use super::values::wrong;
use crate::trie::Trie;

/// Words that are cut out before the model runs.
#[derive(Debug, Default)]
pub(super) struct UserWords {
    words: Option<Trie<()>>,
}

/// Words whose parts are merged after the model has run.
#[derive(Debug)]
pub(super) struct MergedWords {
    common: HashSet<String>,
    /// Words that are not merged if each part is a word itself.
    other: HashSet<String>,
}

/// The longest and the shortest run of words that are merged, the longest first.
const RUNS: [usize; 6] = [7, 6, 5, 4, 3, 2];

/// Reads spaCy's `pkuseg_processors`: words of the user with tags, whether to merge, common words,
/// other words.
pub(super) fn read(data: &Value) -> Result<(UserWords, Option<MergedWords>)> {
    let expected = || wrong("pkuseg_processors: expected words, a flag and two lists of words");
    let parts = match data {
        Value::Nil => return Ok(Default::default()),
        Value::Array(parts) => parts,
        _ => return Err(expected()),
    };
    let [Value::Array(user), Value::Bool(merges), common, other] = &parts[..] else {
        return Err(expected());
    };
    let word = |pair: &'_ Value| match pair {
        Value::Array(pair) => match pair.first() {
            Some(Value::Str(word)) if !word.is_empty() => Some(word.clone()),
            _ => None,
        },
        _ => None,
    };
    let user: Option<Vec<String>> = user.iter().map(word).collect();
    let user = user.ok_or_else(expected)?;
    let words = user.iter().map(|word| (&**word, ())).collect();
    let words = (!user.is_empty()).then(|| Trie::new(words));
    let set = |value: &Value| match value {
        Value::Array(words) => words
            .iter()
            .map(|word| if let Value::Str(word) = word { Some(word.clone()) } else { None })
            .collect::<Option<HashSet<String>>>(),
        _ => None,
    };
    let (common, other) = (set(common).ok_or_else(expected)?, set(other).ok_or_else(expected)?);
    Ok((UserWords { words }, merges.then_some(MergedWords { common, other })))
}

impl UserWords {
    /// Returns the ends of the pieces of a text, each with `true` for a word of the user.
    ///
    /// As in pkuseg, a word reaches as far as the text follows any longer word of the user, unless
    /// the text ends there.
    pub(super) fn pieces(&self, text: &[char]) -> Vec<(usize, bool)> {
        let Some(words) = &self.words else { return vec![(text.len(), false)] };
        let mut pieces = Vec::new();
        let (mut last, mut at) = (0, 0);
        while at < text.len() {
            let Some(end) = word_end(words, text, at) else {
                at += 1;
                continue;
            };
            if last < at {
                pieces.push((at, false));
            }
            pieces.push((end, true));
            (last, at) = (end, end);
        }
        if last < text.len() {
            pieces.push((text.len(), false));
        }
        pieces
    }
}

fn word_end(words: &Trie<()>, text: &[char], start: usize) -> Option<usize> {
    let mut node = Trie::<()>::ROOT;
    let mut word_end = None;
    for (at, c) in text.iter().enumerate().skip(start) {
        let Some(child) = words.child(node, *c) else {
            return word_end.map(|_| at);
        };
        node = child;
        if words.value(node).is_some() {
            word_end = Some(at + 1);
        }
    }
    word_end
}

impl MergedWords {
    /// Merges runs of words, given their ends from index `first` on. Longer runs come first.
    pub(super) fn merge(&self, text: &[char], first: usize, ends: &mut Vec<usize>) {
        for len in RUNS {
            let (mut start, mut kept, mut at) = (0, first, first);
            while at < ends.len() {
                let merges =
                    ends.get(at..at + len).is_some_and(|run| self.merges(text, start, run));
                at += if merges { len } else { 1 };
                start = ends[at - 1];
                ends[kept] = start;
                kept += 1;
            }
            ends.truncate(kept);
        }
    }

    /// Returns `true` if words, given by their ends, are merged.
    fn merges(&self, text: &[char], start: usize, run: &[usize]) -> bool {
        let word = |start: usize, end: usize| text[start..end].iter().collect::<String>();
        let merged = word(start, run.last().copied().unwrap_or(start));
        if self.common.contains(&merged) {
            return true;
        }
        let is_word = |word: String| self.common.contains(&word) || self.other.contains(&word);
        let starts = std::iter::once(start).chain(run.iter().copied());
        self.other.contains(&merged)
            && !starts.zip(run).all(|(start, end)| is_word(word(start, *end)))
    }
}
