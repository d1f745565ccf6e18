//! Initial mutations of Irish words, as spaCy's `IrishLemmatizer` undoes them.

use crate::morphology::Analysis;
use crate::strings::StrId;
use crate::strings::chars::to_lower;
use crate::structs::Pos;

/// Letters that are written before a mutated initial, with the number of characters to drop.
const PREFIXES: [(&str, usize); 7] =
    [("bhf", 2), ("mb", 1), ("gc", 1), ("nd", 1), ("ng", 1), ("bp", 1), ("dt", 1)];

/// The same with a hyphen, and the prothetic t.
const LATE_PREFIXES: [(&str, usize); 9] = [
    ("bh-f", 3),
    ("m-b", 2),
    ("g-c", 2),
    ("n-d", 2),
    ("n-g", 2),
    ("b-p", 2),
    ("d-t", 2),
    ("ts", 1),
    ("t-s", 2),
];

const UPPER_VOWELS: &str = "A\u{c1}E\u{c9}I\u{cd}O\u{d3}U\u{da}";
const LOWER_VOWELS: &str = "a\u{e1}e\u{e9}i\u{ed}o\u{f3}u\u{fa}";

/// The kind of a form whose lemma is its radical, whatever the tables have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IrishForm {
    Other,
    /// A verbal noun, or an adjective that is a participle.
    Verbal,
    /// A verbal noun with a prefixed h.
    VerbalWithH,
}

impl IrishForm {
    pub(super) const COUNT: usize = 3;

    pub(super) fn of(pos: Pos, analysis: Option<&Analysis>) -> IrishForm {
        let has = |feature| analysis.is_some_and(|own| own.contains(StrId::of(feature)));
        match pos {
            Pos::NOUN if has("VerbForm=Vnoun") || has("VerbForm=Inf") => {
                if has("Form=HPref") {
                    IrishForm::VerbalWithH
                } else {
                    IrishForm::Verbal
                }
            }
            Pos::ADJ if has("VerbForm=Part") => IrishForm::Verbal,
            _ => IrishForm::Other,
        }
    }

    pub(super) fn number(self) -> usize {
        self as usize
    }

    pub(super) fn from_number(number: usize) -> IrishForm {
        match number {
            1 => IrishForm::Verbal,
            2 => IrishForm::VerbalWithH,
            _ => IrishForm::Other,
        }
    }

    /// Returns the radical of a verbal form.
    pub(super) fn radical(self, word: &str) -> Option<String> {
        (self != IrishForm::Other).then(|| radical(word, self == IrishForm::VerbalWithH))
    }
}

/// Returns a word without its initial mutation.
///
/// Repeats two properties of spaCy's function: lenition is tested on the word as given, so
/// "bhfear" becomes "far"; and a single n or h is dropped, since the empty string counts as a
/// vowel.
pub(super) fn radical(word: &str, has_h_prefix: bool) -> String {
    let mut lowered = String::new();
    to_lower(word, &mut lowered);
    let lowered: Vec<char> = lowered.chars().collect();
    let chars: Vec<char> = word.chars().collect();
    let starts =
        |prefix: &str| prefix.chars().enumerate().all(|(i, char)| lowered.get(i) == Some(&char));
    let is_vowel =
        |at: usize, vowels: &str| chars.get(at).is_none_or(|char| vowels.contains(*char));
    let dropped = |prefixes: &[(&str, usize)]| {
        prefixes.iter().find(|(prefix, _)| starts(prefix)).map(|(_, dropped)| *dropped)
    };
    let vocalic = || {
        if chars.first() == Some(&'n') && is_vowel(1, UPPER_VOWELS) {
            Some(1)
        } else if starts("n-") && is_vowel(2, LOWER_VOWELS) {
            Some(2)
        } else {
            None
        }
    };
    let aspirated = || {
        let has_h = chars.first() == Some(&'h');
        (has_h && (has_h_prefix || is_vowel(1, UPPER_VOWELS))).then_some(1)
    };
    let count = dropped(&PREFIXES)
        .or_else(vocalic)
        .or_else(|| dropped(&LATE_PREFIXES))
        .or_else(aspirated)
        .unwrap_or_default();
    let mut rest: Vec<char> = chars.into_iter().skip(count).collect();
    let is_lenited = lowered.get(1) == Some(&'h')
        && lowered.first().is_some_and(|char| "bcdfgmpst".contains(*char));
    if is_lenited && rest.len() > 1 {
        rest.remove(1);
    }
    rest.into_iter().collect()
}

/// Returns a word without an h before a vowel, or an empty string if it has none.
pub(super) fn without_h(word: &str) -> String {
    let mut chars = word.chars();
    let has_h = chars.next().is_some_and(|char| char == 'h' || char == 'H');
    let rest = chars.as_str();
    let is_vowel = |char: char| char.to_lowercase().all(|char| LOWER_VOWELS.contains(char));
    if has_h && rest.chars().next().is_some_and(is_vowel) { rest.to_owned() } else { String::new() }
}

/// Returns a word in the modern spelling, with an h after a consonant instead of a dot above.
pub(super) fn without_dots(word: &str) -> String {
    let mut spelling = String::with_capacity(word.len());
    for char in word.chars() {
        let pair = match char {
            '\u{1e03}' => "bh",
            '\u{10b}' => "ch",
            '\u{1e0b}' => "dh",
            '\u{1e1f}' => "fh",
            '\u{121}' => "gh",
            '\u{1e41}' => "mh",
            '\u{1e57}' => "ph",
            '\u{1e61}' => "sh",
            '\u{1e6b}' => "th",
            '\u{1e02}' => "BH",
            '\u{10a}' => "CH",
            '\u{1e0a}' => "DH",
            '\u{1e1e}' => "FH",
            '\u{120}' => "GH",
            '\u{1e40}' => "MH",
            '\u{1e56}' => "PH",
            '\u{1e60}' => "SH",
            '\u{1e6a}' => "TH",
            _ => {
                spelling.push(char);
                continue;
            }
        };
        spelling.push_str(pair);
    }
    spelling
}
