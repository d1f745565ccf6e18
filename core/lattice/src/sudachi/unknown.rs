//! Words that are not in the dictionary, by the categories of their characters.

use super::categories::CATEGORIES;
use super::input::InputText;
use super::part_of_speech::PartOfSpeech;
use super::word_ref::WordRef;
use crate::costs::ConnectionCosts;
use crate::damaged::damaged;
use crate::lattice::Word;
use lexpool_error::Result;

/// The unknown words of a dictionary.
#[derive(Clone, Debug)]
pub(super) struct UnknownWords {
    categories: [UnknownCategory; CATEGORIES],
    /// The word where no other begins.
    symbol: Word,
}

#[derive(Clone, Debug, Default)]
struct UnknownCategory {
    rule: Rule,
    words: Vec<Word>,
}

/// When characters of a category make unknown words, and how long ones.
#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    /// Also where words of the dictionary begin.
    always: bool,
    /// All following characters of the category make a word.
    group: bool,
    /// The first characters make a word, for each number up to this.
    len: usize,
}

/// A kind of unknown word, with its connection id and part of speech.
#[derive(Clone, Copy)]
struct Kind {
    id: u16,
    levels: [&'static str; 4],
}

const fn kind(id: u16, levels: [&'static str; 4]) -> Kind {
    Kind { id, levels }
}

const NOUN: Kind = kind(5139, ["名詞", "普通名詞", "一般", "*"]);
const VERBAL_NOUN: Kind = kind(5129, ["名詞", "普通名詞", "サ変可能", "*"]);
const NAME: Kind = kind(4785, ["名詞", "固有名詞", "一般", "*"]);
const PERSON: Kind = kind(4787, ["名詞", "固有名詞", "人名", "一般"]);
const PLACE: Kind = kind(4791, ["名詞", "固有名詞", "地名", "一般"]);
const NUMERAL: Kind = kind(4794, ["名詞", "数詞", "*", "*"]);
const INTERJECTION: Kind = kind(5687, ["感動詞", "一般", "*", "*"]);
const SYMBOL: Kind = kind(5968, ["補助記号", "一般", "*", "*"]);
const SPACE: Kind = kind(5966, ["空白", "*", "*", "*"]);

const SYMBOL_COST: i16 = 3857;

/// The rule and the words of each category, in the order of the categories.
const DEFAULTS: [(Rule, &[(Kind, i16)]); CATEGORIES] = [
    (rule(false, true, 0), &[(SYMBOL, SYMBOL_COST)]),
    (rule(false, true, 0), &[(SPACE, 6056)]),
    // Kanji.
    (
        rule(false, false, 2),
        &[(NOUN, 14657), (VERBAL_NOUN, 17308), (NAME, 18181), (PERSON, 18086), (PLACE, 19198)],
    ),
    // Symbols.
    (rule(true, true, 0), &[(VERBAL_NOUN, 17094)]),
    (rule(true, true, 0), &[(NUMERAL, 12450)]),
    // Letters.
    (
        rule(true, true, 0),
        &[(NOUN, 11633), (NAME, 13620), (PERSON, 14228), (PLACE, 15793), (INTERJECTION, 15246)],
    ),
    // Hiragana.
    (
        rule(false, true, 2),
        &[
            (NOUN, 16012),
            (VERBAL_NOUN, 20012),
            (NAME, 18282),
            (PERSON, 18269),
            (PLACE, 20474),
            (INTERJECTION, 17786),
        ],
    ),
    // Katakana.
    (
        rule(true, true, 2),
        &[
            (NOUN, 10980),
            (VERBAL_NOUN, 14802),
            (NAME, 13451),
            (PERSON, 13759),
            (PLACE, 14554),
            (INTERJECTION, 15272),
        ],
    ),
    // Kanji that are numerals.
    (rule(false, true, 0), &[(NUMERAL, 14170)]),
    // Greek and Cyrillic.
    (rule(true, true, 0), &[(NOUN, 11051), (NAME, 13353), (PERSON, 13671), (PLACE, 14862)]),
    (rule(true, true, 0), &[(NOUN, 11140), (NAME, 13174), (PERSON, 13495), (PLACE, 14700)]),
];

const fn rule(always: bool, group: bool, len: usize) -> Rule {
    Rule { always, group, len }
}

impl UnknownWords {
    /// Creates the unknown words of a dictionary. A kind whose part of speech the dictionary lacks
    /// is left out; a connection id beyond its costs becomes 0, that of the text's ends.
    pub(super) fn new(parts: &[PartOfSpeech], costs: &ConnectionCosts) -> Result<UnknownWords> {
        let word = |&(kind, cost): &(Kind, i16)| {
            let levels = |part: &PartOfSpeech| part.levels()[..4] == kind.levels;
            let pos = parts.iter().position(levels).and_then(|pos| u16::try_from(pos).ok())?;
            let in_costs = usize::from(kind.id) < costs.left_ids().min(costs.right_ids());
            let id = if in_costs { kind.id } else { 0 };
            Some(Word {
                left: id,
                right: id,
                cost: i32::from(cost),
                id: WordRef::unknown(pos).raw(),
            })
        };
        let symbol = word(&(SYMBOL, SYMBOL_COST)).ok_or_else(|| {
            damaged("it has no part of speech 補助記号-一般, which unknown symbols have")
        })?;
        let categories = DEFAULTS.map(|(rule, words)| UnknownCategory {
            rule,
            words: words.iter().filter_map(word).collect(),
        });
        Ok(UnknownWords { categories, symbol })
    }

    /// Calls a function for each unknown word that begins at a character, with its end. `is_begun`
    /// says that words of the dictionary begin there.
    pub(super) fn words_at(
        &self,
        input: &InputText,
        at: usize,
        is_begun: bool,
        mut found: impl FnMut(usize, Word),
    ) {
        let run = input.run(at);
        for number in input.categories(at).numbers() {
            let UnknownCategory { rule, words } = &self.categories[number];
            if is_begun && !rule.always {
                continue;
            }
            let mut longest = run;
            if rule.group {
                for &word in words {
                    found(at + run, word);
                }
                longest -= 1;
            }
            for len in 1..=rule.len {
                let len = len.min(input.chars() - at);
                if len > longest {
                    break;
                }
                for &word in words {
                    found(at + len, word);
                }
            }
        }
    }

    /// Returns the word for characters where no other word begins.
    pub(super) fn symbol(&self) -> Word {
        self.symbol
    }
}
