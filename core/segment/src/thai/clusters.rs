//! Thai character clusters: characters that no word boundary divides, such as a consonant with the
//! vowel signs around it.
//!
//! The rules are those of T. Theeramunkong et al., "Character cluster based Thai information
//! retrieval" (IRAL 2000), with the additions of PyThaiNLP's `tcc_p`, in the same order: the first
//! rule that matches gives the cluster.

use std::sync::OnceLock;

/// An item of a rule.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// One character of the ranges.
    One(Ranges),
    /// One character of the ranges, or none.
    Optional(Ranges),
    /// A silenced ending, or none: one or two consonants, perhaps sara i, u or uu, and the mark of
    /// silence.
    SilencedEnding,
    /// The start of another syllable, or the end of the text; takes no character.
    BeforeSyllable,
}

/// Ranges of characters, first and last.
type Ranges = &'static [(char, char)];

const CONSONANT: (char, char) = ('\u{e01}', '\u{e2e}');
const LEADING_VOWEL: (char, char) = ('\u{e40}', '\u{e44}');
const SARA_A: (char, char) = ('\u{e30}', '\u{e30}');
const SARA_I: (char, char) = ('\u{e34}', '\u{e34}');
const SARA_U: (char, char) = ('\u{e38}', '\u{e38}');
const SARA_U_AND_UU: (char, char) = ('\u{e38}', '\u{e39}');
const TONE: (char, char) = ('\u{e48}', '\u{e4b}');
const SILENCE: char = '\u{e4c}';

/// Returns the item of a letter in [`RULES`].
fn item(letter: char) -> Option<Item> {
    Some(match letter {
        // A consonant, a leading vowel, a tone mark or none.
        'C' => Item::One(&[CONSONANT]),
        'V' => Item::One(&[LEADING_VOWEL]),
        'T' => Item::Optional(&[TONE]),
        // Any vowel sign up to sara uu; mai han-akat or sara uee; sara i, ii, u or uu; the same
        // without sara ii.
        'P' => Item::One(&[('\u{e30}', '\u{e39}')]),
        'H' => Item::One(&[('\u{e31}', '\u{e31}'), ('\u{e37}', '\u{e37}')]),
        'I' => Item::One(&[('\u{e34}', '\u{e35}'), SARA_U_AND_UU]),
        'J' => Item::One(&[SARA_I, SARA_U_AND_UU]),
        // Optional vowel signs: one of sara a, aa and am; one of sara a, i and u; sara a; sara aa.
        'E' => Item::Optional(&[SARA_A, ('\u{e32}', '\u{e33}')]),
        'U' => Item::Optional(&[SARA_A, SARA_I, SARA_U]),
        'a' => Item::Optional(&[SARA_A]),
        'b' => Item::Optional(&[('\u{e32}', '\u{e32}')]),
        'K' => Item::SilencedEnding,
        'L' => Item::BeforeSyllable,
        _ => return None,
    })
}

/// The rules, from which the first that matches is taken. The letters are those of [`item`]; other
/// characters stand for themselves.
const RULES: &[&str] = &[
    // Behind sara e.
    "\u{e40}C\u{e47}CK",
    "\u{e40}CCT\u{e32}\u{e30}K",
    "\u{e40}CC\u{e35}T\u{e22}\u{e30}K",
    "\u{e40}CC\u{e35}T\u{e22}LK",
    "\u{e40}CC\u{e47}CK",
    "\u{e40}C\u{e34}C\u{e4c}CK",
    "\u{e40}C\u{e34}TCK",
    "\u{e40}C\u{e35}T\u{e22}aK",
    "\u{e40}C\u{e37}T\u{e2d}aK",
    "\u{e40}CIT\u{e22}LK",
    "\u{e40}CTbaK",
    // From a consonant on.
    "C\u{e31}T\u{e27}\u{e30}K",
    "CHTCUK",
    "CJ\u{e4c}",
    "CPTK",
    "C\u{e23}\u{e23}C\u{e4c}",
    "C\u{e47}",
    "CTEK",
    // Behind other leading vowels.
    "\u{e41}C\u{e47}C",
    "\u{e41}CC\u{e4c}",
    "\u{e41}CT\u{e30}",
    "\u{e41}CC\u{e47}C",
    "\u{e41}CCC\u{e4c}",
    "\u{e42}CT\u{e30}",
    "VCT",
];

/// A rule, read.
struct Rule {
    items: Vec<RuleItem>,
}

/// An item, or a character that stands for itself.
enum RuleItem {
    Item(Item),
    Char(char),
}

fn rules() -> &'static [Rule] {
    static READ: OnceLock<Vec<Rule>> = OnceLock::new();
    READ.get_or_init(|| {
        let read = |c| item(c).map_or(RuleItem::Char(c), RuleItem::Item);
        RULES.iter().map(|rule| Rule { items: rule.chars().map(read).collect() }).collect()
    })
}

/// Returns which positions of a text are ends of clusters: one more than there are characters. A
/// character at which no rule matches is a cluster.
pub(super) fn ends(text: &[char]) -> Vec<bool> {
    let mut ends = vec![false; text.len() + 1];
    let mut at = 0;
    while at < text.len() {
        at += cluster_len(&text[at..]);
        ends[at] = true;
    }
    ends
}

/// Returns the number of characters of the cluster at the start of a text, which is not empty.
fn cluster_len(text: &[char]) -> usize {
    // Most characters of other scripts begin no cluster.
    if !in_ranges(&[CONSONANT, LEADING_VOWEL], text.first()) {
        return 1;
    }
    rules().iter().find_map(|rule| match_len(&rule.items, text)).unwrap_or(1)
}

/// Returns the number of characters that items match at the start of a text. An optional item is
/// taken if the rest of the rule then matches.
fn match_len(items: &[RuleItem], text: &[char]) -> Option<usize> {
    let Some((item, rest)) = items.split_first() else { return Some(0) };
    let after = |len: usize| Some(len + match_len(rest, &text[len..])?);
    match item {
        RuleItem::Char(c) => {
            if text.first() == Some(c) {
                after(1)
            } else {
                None
            }
        }
        RuleItem::Item(Item::One(ranges)) => {
            if in_ranges(ranges, text.first()) {
                after(1)
            } else {
                None
            }
        }
        RuleItem::Item(Item::Optional(ranges)) => {
            let with = if in_ranges(ranges, text.first()) { after(1) } else { None };
            with.or_else(|| after(0))
        }
        RuleItem::Item(Item::SilencedEnding) => {
            let with = silenced_ending(text).and_then(after);
            with.or_else(|| after(0))
        }
        RuleItem::Item(Item::BeforeSyllable) => {
            let stands = text.is_empty() || in_ranges(&[LEADING_VOWEL, CONSONANT], text.first());
            if stands { after(0) } else { None }
        }
    }
}

/// Returns the number of characters of the silenced ending at the start of a text.
fn silenced_ending(text: &[char]) -> Option<usize> {
    let consonants = text.iter().take(2).take_while(|c| in_ranges(&[CONSONANT], Some(c))).count();
    let vowel = in_ranges(&[SARA_I, SARA_U_AND_UU], text.get(consonants));
    let len = consonants + usize::from(vowel);
    (consonants > 0 && text.get(len) == Some(&SILENCE)).then_some(len + 1)
}

fn in_ranges(ranges: &[(char, char)], c: Option<&char>) -> bool {
    c.is_some_and(|c| ranges.iter().any(|(first, last)| (first..=last).contains(&c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let ends = ends(&chars);
        let mut parts = vec![String::new()];
        for (c, is_end) in chars.iter().zip(&ends[1..]) {
            parts.last_mut().unwrap().push(*c);
            if *is_end {
                parts.push(String::new());
            }
        }
        assert_eq!(parts.pop().as_deref(), Some(""), "the last character ends a cluster");
        parts
    }

    #[test]
    fn vowels_and_tones_stay_with_their_consonants() {
        assert_eq!(clusters("ประเทศไทย"), ["ป", "ระ", "เท", "ศ", "ไท", "ย"]);
        assert_eq!(clusters("เสียง"), ["เสีย", "ง"]);
        assert_eq!(clusters("เรื่องเกี่ยว"), ["เรื่อ", "ง", "เกี่ย", "ว"]);
        assert_eq!(clusters("น้ำ แข็ง"), ["น้ำ", " ", "แข็ง"]);
    }

    #[test]
    fn a_silenced_ending_belongs_to_its_cluster() {
        assert_eq!(clusters("จันทร์"), ["จันทร์"]);
        assert_eq!(clusters("ศาสตร์"), ["ศา", "สตร์"]);
        assert_eq!(clusters("พันธุ์"), ["พันธุ์"]);
    }

    #[test]
    fn other_characters_are_clusters_by_themselves() {
        assert_eq!(clusters("a\u{e49}12"), ["a", "\u{e49}", "1", "2"]);
        assert!(clusters("").is_empty());
    }
}
