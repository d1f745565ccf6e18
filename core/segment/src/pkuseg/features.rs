//! The features of characters: n-grams around them, and words that end or begin there.

use std::collections::{HashMap, HashSet};

use lexpool_error::Result;
use lexpool_msgpack::Value;

use super::values::{index_map, wrong};

/// The lengths of words that are features, the longest first.
const WORD_LENGTHS: [usize; 5] = [6, 5, 4, 3, 2];

/// The numbers of features, and the words in features.
#[derive(Debug)]
pub(super) struct FeatureTable {
    numbers: HashMap<String, u32>,
    words: HashSet<String>,
}

impl FeatureTable {
    pub(super) fn read(data: &Value) -> Result<FeatureTable> {
        let numbers = index_map(data.get("feature_to_idx"))
            .ok_or_else(|| wrong("features.msgpack: expected features with their numbers"))?;
        let len = numbers.len();
        if len == 0 || numbers.values().any(|number| *number as usize >= len) {
            return Err(wrong("features.msgpack: the numbers of features are not those from 0 on"));
        }
        let words = match data.get("unigram") {
            Some(Value::Array(words)) => words.iter().map(|word| match word {
                Value::Str(word) => Some(word.clone()),
                _ => None,
            }),
            _ => return Err(wrong("features.msgpack: expected a list of words")),
        };
        let words: Option<HashSet<String>> = words.collect();
        let words = words.ok_or_else(|| wrong("features.msgpack: a word is no text"))?;
        Ok(FeatureTable { numbers, words })
    }

    /// Returns the number of features.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Calls a function with each feature of each character, in the order of pkuseg, which decides
    /// the last bit of sums.
    pub(super) fn for_each(&self, text: &[char], mut found: impl FnMut(usize, usize)) {
        let parts: Vec<Part> = text.iter().map(|c| Part::of(*c)).collect();
        let mut name = String::new();
        // The words that begin at each position, by length: the same for four kinds of features.
        let words: Vec<[Option<String>; 5]> = (0..parts.len())
            .map(|at| WORD_LENGTHS.map(|len| self.word(&parts, Some(at), len)))
            .collect();
        let word = |at: Option<usize>, len: usize| {
            let by_length = words.get(at?)?;
            by_length[WORD_LENGTHS[0] - len].as_deref()
        };
        for at in 0..parts.len() {
            // The first feature is that of every character.
            found(at, 0);
            let mut look_up = |pieces: &[&str]| {
                name.clear();
                name.extend(pieces.iter().copied());
                if let Some(number) = self.numbers.get(&name) {
                    found(at, *number as usize);
                }
            };
            let part = |offset: isize| {
                let at = at.checked_add_signed(offset)?;
                parts.get(at).map(Part::as_str)
            };
            let symbol = parts[at].as_str();
            look_up(&["c.", symbol]);
            if let Some(before) = part(-1) {
                look_up(&["c-1.", before]);
                look_up(&["c-1c.", before, ".", symbol]);
            }
            if let Some(behind) = part(1) {
                look_up(&["c1.", behind]);
                look_up(&["cc1.", symbol, ".", behind]);
            }
            if let (Some(second), Some(first)) = (part(-2), part(-1)) {
                look_up(&["c-2.", second]);
                look_up(&["c-2c-1.", second, ".", first]);
            }
            if let Some(second) = part(2) {
                look_up(&["c2.", second]);
            }
            let ending = WORD_LENGTHS.map(|len| word((at + 1).checked_sub(len), len));
            let beginning = WORD_LENGTHS.map(|len| word(Some(at), len));
            let before = WORD_LENGTHS.map(|len| word(at.checked_sub(len), len));
            let behind = WORD_LENGTHS.map(|len| word(Some(at + 1), len));
            ending.iter().flatten().for_each(|word| look_up(&["w-1.", word]));
            beginning.iter().flatten().for_each(|word| look_up(&["w1.", word]));
            let mut pairs = |kind: &str, left: &[Option<&str>], right: &[Option<&str>]| {
                for left in left.iter().flatten() {
                    for right in right.iter().flatten() {
                        look_up(&[kind, left, "*", right]);
                    }
                }
            };
            pairs("ww.l.", &before, &beginning);
            pairs("ww.r.", &ending, &behind);
        }
    }

    /// Returns the word of `len` characters at a position, if it is one of the table's.
    fn word(&self, parts: &[Part], at: Option<usize>, len: usize) -> Option<String> {
        let at = at?;
        let joined: String = parts.get(at..at + len)?.iter().map(Part::as_str).collect();
        self.words.contains(&joined).then_some(joined)
    }
}

/// A character as features name it.
enum Part {
    Char([u8; 4], usize),
    Name(&'static str),
}

impl Part {
    fn of(c: char) -> Part {
        match c {
            '-' | '.' | '_' | ',' | '|' | '/' | '*' | ':' => Part::Name("&"),
            '0'..='9'
            | '０'..='９'
            | '％'
            | '几'
            | '二'
            | '三'
            | '四'
            | '五'
            | '六'
            | '七'
            | '八'
            | '九'
            | '十'
            | '千'
            | '万'
            | '亿'
            | '兆'
            | '零' => Part::Name("**Num"),
            // Full-width letters, of which pkuseg's list lacks the small j.
            'Ａ'..='Ｚ' | 'ａ'..='ｉ' | 'ｋ'..='ｚ' | '／' | '・' | '－' => {
                Part::Name("**Letter")
            }
            c => {
                let mut bytes = [0; 4];
                let len = c.encode_utf8(&mut bytes).len();
                Part::Char(bytes, len)
            }
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Part::Char(bytes, len) => std::str::from_utf8(&bytes[..*len]).unwrap_or_default(),
            Part::Name(name) => name,
        }
    }
}
