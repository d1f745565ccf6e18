//! The passes that normalize a text before its words are looked up.

use std::ops::Range;

use unicode_normalization::char::{compose, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::categories::Categories;

/// A pass: it calls a function for the ranges that it replaces, in order.
pub(super) type Pass = fn(&str, &mut dyn FnMut(Range<usize>, &str));

/// The passes, in order.
pub(super) const PASSES: [Pass; 3] = [fold_forms, shorten_marks, drop_readings];

/// Characters whose compatibility form is kept: Roman numerals, radicals, marks of voice that stand
/// alone, and compatibility ideographs.
const KEPT: [(char, char); 7] = [
    ('\u{2160}', '\u{217f}'),
    ('\u{2e80}', '\u{2e99}'),
    ('\u{2e9b}', '\u{2ef3}'),
    ('\u{2f00}', '\u{2fd5}'),
    ('\u{309b}', '\u{309c}'),
    ('\u{f900}', '\u{fa6d}'),
    ('\u{fa70}', '\u{fad9}'),
];

/// Replaces capitals, compatibility forms, and kana with a mark of voice behind them. Each
/// character is normalized on its own (NFKC).
fn fold_forms(text: &str, replace: &mut dyn FnMut(Range<usize>, &str)) {
    let mut chars = text.char_indices().peekable();
    let mut buffer = [0; 4];
    while let Some((at, c)) = chars.next() {
        if let Some(&(mark_at, mark)) = chars.peek() {
            if let Some(voiced) = voiced(c, mark) {
                chars.next();
                replace(at..mark_at + mark.len_utf8(), voiced.encode_utf8(&mut buffer));
                continue;
            }
        }
        if is_plain(c) {
            continue;
        }
        let lower = c.is_uppercase();
        let fold = !is_kept(c) && is_nfkc_quick(std::iter::once(c)) != IsNormalized::Yes;
        let new: String = match (lower, fold) {
            (false, false) => continue,
            (true, false) => c.to_lowercase().collect(),
            (false, true) => std::iter::once(c).nfkc().collect(),
            (true, true) => c.to_lowercase().nfkc().collect(),
        };
        // A character that only gets something behind it stays as it is.
        if !new.starts_with(c) {
            replace(at..at + c.len_utf8(), &new);
        }
    }
}

/// Returns `true` for frequent characters that are their own normal form.
#[inline]
fn is_plain(c: char) -> bool {
    matches!(c, '\0'..='@' | '['..='\u{7f}' | '\u{3001}'..='\u{3029}' | '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fe}' | '\u{4e00}'..='\u{9fff}')
}

fn is_kept(c: char) -> bool {
    KEPT.iter().any(|&(first, last)| (first..=last).contains(&c))
}

/// Returns a kana with the mark of voice behind it as one character.
#[inline]
fn voiced(kana: char, mark: char) -> Option<char> {
    let combining = match mark {
        '\u{ff9e}' | '\u{309b}' | '\u{3099}' => '\u{3099}',
        '\u{ff9f}' | '\u{309c}' | '\u{309a}' => '\u{309a}',
        _ => return None,
    };
    let full = match kana {
        'う'..='ほ' | 'ウ'..='ホ' => kana,
        // Half width, with marks of half width alone.
        '\u{ff73}'..='\u{ff8e}' if matches!(mark, '\u{ff9e}' | '\u{ff9f}') => {
            std::iter::once(kana).nfkc().next()?
        }
        _ => return None,
    };
    debug_assert!(!is_combining_mark(full), "a kana of the ranges above is a letter");
    compose(full, combining)
}

/// Replaces two and more marks of length by one.
fn shorten_marks(text: &str, replace: &mut dyn FnMut(Range<usize>, &str)) {
    let is_mark = |c: char| matches!(c, 'ー' | '-' | '\u{2053}' | '\u{301c}' | '\u{3030}');
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_mark).map(|at| rest + at) {
        let end = text[start..].find(|c| !is_mark(c)).map_or(text.len(), |len| start + len);
        if text[start..end].chars().nth(1).is_some() {
            replace(start..end, "ー");
        }
        rest = end;
    }
}

/// Removes readings in parentheses behind kanji, of at most four kana.
fn drop_readings(text: &str, replace: &mut dyn FnMut(Range<usize>, &str)) {
    const MAX_KANA: usize = 4;
    let mut rest = 0;
    while let Some(open) = text[rest..].find(['(', '\u{ff08}']).map(|at| rest + at) {
        let before = text[rest..open].chars().next_back();
        let mut behind = text[open..].char_indices().skip(1);
        let is_kana = |c: char| Categories::of(c).intersects(Categories::KANA);
        let kana = behind.by_ref().take_while(|&(_, c)| is_kana(c)).take(MAX_KANA + 1).count();
        // `take_while` has read one character behind the kana.
        let close = text[open..].char_indices().nth(1 + kana);
        let is_kanji = before.is_some_and(|c| Categories::of(c).intersects(Categories::KANJI));
        rest = match close {
            Some((at, c @ (')' | '\u{ff09}'))) if is_kanji && (1..=MAX_KANA).contains(&kana) => {
                let end = open + at + c.len_utf8();
                replace(open..end, "");
                end
            }
            _ => open + text[open..].chars().next().map_or(1, char::len_utf8),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(text: &str) -> String {
        PASSES.iter().fold(text.to_owned(), |text, pass| {
            let (mut out, mut at) = (String::new(), 0);
            pass(&text, &mut |range, by| {
                out += &text[at..range.start];
                out += by;
                at = range.end;
            });
            out + &text[at..]
        })
    }

    #[test]
    fn forms_are_folded_but_for_the_exceptions() {
        assert_eq!(normalized("ＡＢＣ１２３（ｱﾞ）"), "abc123(ア\u{3099})");
        assert_eq!(normalized("ｶﾞｷﾞﾊﾟか゛は゜ウ\u{3099}"), "ガギパがぱヴ");
        assert_eq!(normalized("Ⅳ⼀﨑㍿"), "ⅳ⼀﨑株式会社");
        // No voiced form, and none of Sudachi's.
        assert_eq!(normalized("ワ゛あ゛"), "ワ゛あ゛");
    }

    #[test]
    fn marks_of_length_become_one() {
        assert_eq!(normalized("すごーー〜-い- 〜"), "すごーい- 〜");
    }

    #[test]
    fn readings_in_parentheses_behind_kanji_go() {
        assert_eq!(normalized("徳島（とくしま）県(ケン)a(あ)"), "徳島県a(あ)");
        assert_eq!(normalized("島(あいうえお)島()島(a)島(あ"), "島(あいうえお)島()島(a)島(あ");
        assert_eq!(normalized("島((あ)"), "島((あ)");
    }
}
