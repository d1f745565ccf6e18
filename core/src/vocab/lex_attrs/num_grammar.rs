//! `LIKE_NUM` of languages whose numbers have another form than those of English.

use super::num_form::{NumberForm, NumberScript};
use super::num_words::NumWords;
use crate::strings::chars;

/// Returns whether a word is a number, in digits or by `words`. Cost: a few passes over it.
pub(super) fn accepts(form: &NumberForm, text: &str, words: &NumWords) -> bool {
    let mut rest = text.strip_prefix(&form.signs[..]).unwrap_or(text);
    if form.percent {
        rest = rest.strip_suffix('%').unwrap_or(rest);
    }
    let bare: String = rest.chars().filter(|c| !form.separators.contains(c)).collect();
    if is_digits(&bare) || form.fractions.iter().any(|mark| is_fraction(&bare, *mark)) {
        return true;
    }
    let mut buffer = String::new();
    let lower = chars::lowered(&bare, &mut buffer);
    let key = if form.exact_case { bare.as_str() } else { lower };
    let has_ending = || {
        let bases = form.word_suffixes.iter().filter_map(|suffix| key.strip_suffix(&**suffix));
        bases.into_iter().any(|base| words.contains(base))
    };
    let has_number_behind = || {
        // As in spaCy, this part has its own casing.
        let parts = bare.split_once('-').filter(|(_, behind)| !behind.contains('-'));
        parts.is_some_and(|(_, number)| is_digits(number) || words.contains(number))
    };
    words.accepts(key, lower)
        || (form.roman && is_roman(text))
        || (form.hyphenated && has_number_behind())
        || match form.script {
            None => has_ending(),
            Some(NumberScript::Chinese) => is_chinese(form, &bare, words),
            Some(NumberScript::Korean) => {
                lower.chars().any(|c| words.contains(c.encode_utf8(&mut [0; 4])))
            }
            Some(NumberScript::Yoruba) => {
                let is_part = |part: &String| bare.contains(part.as_str());
                form.word_suffixes.iter().any(is_part) || words.contains_unmarked(lower)
            }
        }
}

/// Returns whether a text is numerals with a unit each, and perhaps one without.
fn is_chinese(form: &NumberForm, text: &str, words: &NumWords) -> bool {
    let numeral = |text: &str| -> Option<usize> {
        let first = text.chars().next()?;
        words.contains(first.encode_utf8(&mut [0; 4])).then_some(first.len_utf8())
    };
    let unit = |text: &str| form.word_suffixes.iter().find(|unit| text.starts_with(&***unit));
    let (mut rest, mut n_units) = (text, 0);
    while let Some(len) = numeral(rest) {
        let Some(unit) = unit(&rest[len..]) else {
            return n_units > 0 && len == rest.len();
        };
        rest = &rest[len + unit.len()..];
        n_units += 1;
    }
    n_units > 0 && rest.is_empty()
}

/// Returns whether a text consists of digits.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(chars::is_digit)
}

fn is_fraction(text: &str, mark: char) -> bool {
    let parts = text.split_once(mark).filter(|(_, below)| !below.contains(mark));
    parts.is_some_and(|(above, below)| is_digits(above) && is_digits(below))
}

/// Returns whether a text is a Roman numeral, in letters of any case: thousands, hundreds, tens and
/// ones, in the subtractive or the additive form.
fn is_roman(text: &str) -> bool {
    if text.is_empty() || !text.is_ascii() {
        return false;
    }
    let upper = text.to_ascii_uppercase();
    let mut rest = upper.trim_start_matches('M');
    for (one, five, ten) in [('C', 'D', 'M'), ('X', 'L', 'C'), ('I', 'V', 'X')] {
        let subtractive = [ten, five].map(|next| [one, next].into_iter().collect::<String>());
        if let Some(after) = subtractive.iter().find_map(|pair| rest.strip_prefix(pair.as_str())) {
            rest = after;
            continue;
        }
        rest = rest.strip_prefix(five).unwrap_or(rest);
        let n_ones = rest.chars().take_while(|c| *c == one).count();
        rest = &rest[n_ones.min(4)..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::lex_attrs::like_num;

    fn words(cardinals: &[&str], form: NumberForm) -> NumWords {
        NumWords::new(cardinals.iter().copied(), [], ["th"]).with_form(form)
    }

    /// Each form with words that are numbers in it, and words that are not.
    #[test]
    fn a_language_decides_about_marks_and_endings() {
        let default = NumberForm::default;
        let suffixes =
            |suffixes: &[&str]| suffixes.iter().map(|&suffix| suffix.to_owned()).collect();
        for (form, numbers, others) in [
            (default(), "3 +3 3,5 1/2 ten TEN 10th", "x 3% XIV ex-ten tenty"),
            (NumberForm { signs: vec![], ..default() }, "3 ten", "+3 -ten"),
            (NumberForm { separators: vec!['º'], ..default() }, "3º 3", "3,5"),
            (NumberForm { fractions: vec!['^'], ..default() }, "2^3", "1/2 2^3^4 ^2"),
            (NumberForm { percent: true, ..default() }, "3% -3,5%", "% 3%%"),
            (NumberForm { exact_case: true, ..default() }, "ten 10TH", "Ten"),
            (NumberForm { roman: true, ..default() }, "XIV mcmxc IIII", "ABC ten-X VX"),
            (
                NumberForm { hyphenated: true, ..default() },
                "ke-3 ke-ten KE-ten",
                "ke-x a-b-3 - ke-TEN",
            ),
            (NumberForm { word_suffixes: suffixes(&["ty"]), ..default() }, "tenty ten", "xty ty"),
        ] {
            let words = words(&["ten"], form.clone());
            for text in numbers.split(' ') {
                assert!(like_num(text, &words), "{text} with {form:?}");
            }
            for text in others.split(' ') {
                assert!(!like_num(text, &words), "{text} with {form:?}");
            }
        }
    }

    #[test]
    fn scripts_have_rules_of_their_own() {
        let form = |script, units: &[&str]| NumberForm {
            script: Some(script),
            word_suffixes: units.iter().map(|&unit| unit.to_owned()).collect(),
            ..NumberForm::default()
        };
        let chinese = words(&["三", "五"], form(NumberScript::Chinese, &["十", "百"]));
        let korean = words(&["이", "삼"], form(NumberScript::Korean, &[]));
        let yoruba = words(&["méjì"], form(NumberScript::Yoruba, &["dín"]));
        for (words, numbers, others) in [
            (&chinese, "三 三十 三百五十 三十五 35", "十 三五 三十x 人"),
            (&korean, "이 제삼 3", "가"),
            (&yoruba, "méjì meji Meji ọ̀kandín 5", "ilé"),
        ] {
            for text in numbers.split(' ') {
                assert!(like_num(text, words), "{text}");
            }
            for text in others.split(' ') {
                assert!(!like_num(text, words), "{text}");
            }
        }
    }

    /// The default form is the fast path of `LIKE_NUM`: both agree.
    #[test]
    fn the_default_form_is_what_the_fast_path_does() {
        let words = words(&["ten"], NumberForm::default());
        for text in
            ["10", "+1", "1,0/2.0", ".5", "1/2/3", "ten.", "t.e.n", "2TH", "1,000th", "x", ".", ""]
        {
            assert_eq!(
                accepts(&NumberForm::default(), text, &words),
                like_num(text, &words),
                "{text:?}"
            );
        }
    }
}
