//! Estimated width of a text, without a font.
//!
//! An estimate for the usual sans-serif fonts, a little on the wide side. Pictures reserve room by
//! it; a font that is wider still makes them tighter, not wrong.

/// The width of a text in units of the font's size.
pub(super) fn ems(text: &str) -> f64 {
    text.chars().map(advance).fold(0.0, |sum, width| sum + width) * 1.04
}

fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '|' | '\'' | '.' | ',' | ':' | ';' | '!' | 'I' => 0.28,
        ' ' | 'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' | '"' => 0.36,
        'm' | 'M' | 'w' | 'W' | '@' | '%' => 0.9,
        'A'..='Z' | '&' | '#' | '_' => 0.7,
        '\0'..='\x7f' => 0.56,
        // Combining marks, joiners and variation selectors stand on what is before them.
        '\u{300}'..='\u{36f}'
        | '\u{591}'..='\u{5bd}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{200b}'..='\u{200f}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{1f3fb}'..='\u{1f3ff}' => 0.0,
        // Hangul, kana, ideographs, full-width forms, emoji.
        '\u{1100}'..='\u{115f}'
        | '\u{2600}'..='\u{27bf}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f000}'..='\u{1faff}'
        | '\u{20000}'..='\u{3ffff}' => 1.05,
        _ if c.is_uppercase() => 0.72,
        _ => 0.6,
    }
}

#[cfg(test)]
mod tests {
    use super::ems;

    #[test]
    fn wide_letters_are_wider_than_narrow_ones() {
        assert!(ems("mmm") > ems("nnn") && ems("nnn") > ems("iii"));
        assert!(ems("\u{4e2d}\u{56fd}") > 2.0);
        assert_eq!(ems("e\u{301}").to_bits(), ems("e").to_bits());
        assert_eq!(ems("").to_bits(), 0f64.to_bits());
    }
}
