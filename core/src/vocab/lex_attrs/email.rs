//! `LIKE_EMAIL`: a prefix match of an e-mail address.

/// Returns whether the word begins like an e-mail address, as spaCy's `LIKE_EMAIL`: ASCII letters,
/// digits and `_.+-`, an `@`, and a host name with a dot followed by another character. The rest is
/// not checked.
///
/// ```
/// use lexpool::vocab::lex_attrs::like_email;
///
/// assert!(like_email("ahab+whale@pequod.example"));
/// assert!(!like_email("@pequod.example") && !like_email("ahab@pequod"));
/// ```
pub fn like_email(text: &str) -> bool {
    let Some((user, rest)) = text.split_once('@') else { return false };
    let host = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    let label = rest.bytes().take_while(|&b| host(b)).count();
    let beyond = &rest.as_bytes()[label..];
    !user.is_empty()
        && user.bytes().all(|b| host(b) || matches!(b, b'_' | b'.' | b'+'))
        && label > 0
        && matches!(beyond, [b'.', next, ..] if host(*next) || *next == b'.')
}

#[cfg(test)]
mod tests {
    use super::like_email;

    #[test]
    fn addresses_are_recognised_by_how_they_begin() {
        for yes in ["a@b.c", "a.b+c_d-e@f-g.h", "a@b..", "a@-.-", "a@b.c d!", "a@b.c@d"] {
            assert!(like_email(yes), "{yes:?}");
        }
        for no in [
            "",
            "@",
            "a@",
            "@b.c",
            "a@b",
            "a@b.",
            "a@.c",
            "a b@c.d",
            "a@b_c.d",
            "a@@b.c",
            "\u{e9}@b.c",
            "a@\u{e9}.c",
            "a@b.\u{e9}",
            "a@b.!",
            "mailto:a@b.c",
            "a.b",
        ] {
            assert!(!like_email(no), "{no:?}");
        }
    }
}
