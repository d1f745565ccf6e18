//! `LIKE_URL`: fast checks, then the grammar of [`is_url`].

use super::is_url;

/// Returns whether the word looks like an address on the web, as spaCy's `LIKE_URL`.
///
/// True for a word that begins with `http://`, `https://`, or `www.` and another character.
/// Otherwise the word must have a full stop inside and no `@` (which is left to `LIKE_EMAIL`), and
/// must end in a known top-level domain, with or without a port, or in `/` after its last full
/// stop, or match [`is_url`]. False for the empty word, for which spaCy's function raises.
///
/// ```
/// use lexpool::vocab::lex_attrs::like_url;
///
/// assert!(like_url("pequod.example") && like_url("Pequod.com:80"));
/// assert!(!like_url("ahab@pequod.com") && !like_url("end.Begin"));
/// ```
pub fn like_url(text: &str) -> bool {
    if text.starts_with("http://") || text.starts_with("https://") {
        return true;
    }
    if text.starts_with("www.") && text.len() > "www.".len() {
        return true;
    }
    let Some((before, after)) = text.rsplit_once('.') else { return false };
    if before.is_empty() || text.starts_with('.') || after.is_empty() || text.contains('@') {
        return false;
    }
    let domain = after.split_once(':').map_or(after, |(domain, _)| domain);
    domain.ends_with('/') || is_known_domain(domain) || is_url(text)
}

/// Returns whether spaCy's list has the top-level domain. The list lacks newer domains.
fn is_known_domain(domain: &str) -> bool {
    match *domain.as_bytes() {
        [first @ b'a'..=b'z', second] => COUNTRIES[usize::from(first - b'a')].contains(&second),
        _ => GENERIC.contains(&domain),
    }
}

const GENERIC: [&str; 23] = [
    "aero", "asia", "biz", "cat", "com", "coop", "edu", "gov", "icu", "info", "int", "jobs", "mil",
    "mobi", "museum", "name", "net", "org", "pro", "tel", "travel", "xxx", "xyz",
];

/// The second letters of country codes, by the first letter.
const COUNTRIES: [&[u8]; 26] = [
    b"cdefgilmnoqrstuwxz",
    b"abdefghijmnorstvwyz",
    b"acdfghiklmnorsuvxyz",
    b"dejkmoz",
    b"ceghrstu",
    b"ijkmor",
    b"abdefghilmnpqrstuwy",
    b"hkmnrtu",
    b"delmnoqrst",
    b"emop",
    b"eghimnprwyz",
    b"abcikrstuvy",
    b"acdeghklmnopqrstuvwxyz",
    b"acefgilopruz",
    b"m",
    b"aefghklmnrstwy",
    b"a",
    b"eosuw",
    b"abcdeghijklmnorstuvyz",
    b"cdfghjklmnoprtvwz",
    b"agksyz",
    b"aceginu",
    b"fs",
    b"",
    b"et",
    b"amw",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_an_address_are_enough() {
        for text in [
            "http://",
            "https://x",
            "http:// ",
            "www.x",
            "www..",
            "www. ",
            "a.com",
            "A B.org",
            "a.b/",
            "a./",
            "!.xyz",
            "a.com:",
            "a.com:x",
            "a..uk",
            "x.y/:z",
            "x.zw",
        ] {
            assert!(like_url(text), "{text:?}");
        }
    }

    #[test]
    fn other_words_need_the_pattern() {
        assert!(like_url("sub.example") && like_url("8.8.8.8") && like_url("a.com/?q"));
        for text in [
            "",
            ".",
            "www.",
            "www",
            "http:/",
            ".com",
            "com.",
            "a@b.com",
            "a.B",
            "a.co m",
            "a.C",
            "U.S",
            "3.14",
            "a.b",
            "A B.xb",
            "A B.cb",
            "A B.xx",
            "HTTP://x",
            "localhost",
            "10.0.0.1",
        ] {
            assert!(!like_url(text), "{text:?}");
        }
    }
}
