//! A hand-written recognizer for the language of spaCy's URL regular expression, in linear time.
//!
//! The expression is a sequence of optional parts around a host:
//!
//! ```text
//! scheme://  user@  host or address  :port  /path
//! ```
//!
//! Characters that cannot occur in a host separate the parts: the host starts at the beginning,
//! after the scheme, or after any `@`, and ends at the next of `:/?#@` or at the end. So each start
//! has one candidate for the host, candidates do not overlap except for that of the scheme, and the
//! time is linear, while backtracking would be quadratic or worse.

use crate::strings::chars::{self, Class, class};

/// Returns whether the whole text is a URL as in spaCy's tokenizer (`url_match`).
///
/// As in spaCy, scheme, user, port and path are optional; the top-level domain must be lower case
/// or of a script without case; numeric addresses of private networks are not URLs; and one line
/// feed may follow. Linear in the length of the text, without allocations.
///
/// ```
/// use lexpool::vocab::lex_attrs::is_url;
///
/// assert!(is_url("ftp://me:pw@Example.com:21/a?b#c") && is_url("example.com"));
/// assert!(!is_url("example.COM") && !is_url("192.168.0.1") && !is_url("file.txt,"));
/// ```
pub fn is_url(text: &str) -> bool {
    if !text.contains('.') {
        return false;
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    let candidate = Candidate::new(text);
    candidate.continues_at(0)
        || after_scheme(text).is_some_and(|start| candidate.continues_at(start))
        || candidate.users().any(|at| candidate.continues_at(at + 1))
}

/// A text with the positions of its first and last white space, which user and path must not
/// contain.
struct Candidate<'a> {
    text: &'a str,
    first_space: usize,
    after_last_space: usize,
}

impl<'a> Candidate<'a> {
    fn new(text: &'a str) -> Candidate<'a> {
        let mut spaces = text.char_indices().filter(|&(_, c)| chars::is_space(c));
        let first = spaces.next();
        let last = spaces.next_back().or(first);
        Candidate {
            text,
            first_space: first.map_or(text.len(), |(at, _)| at),
            after_last_space: last.map_or(0, |(at, c)| at + c.len_utf8()),
        }
    }

    /// Returns the position of each `@` that can end a user part. A scheme before it makes no
    /// difference, since its characters may belong to the user.
    fn users(&self) -> impl Iterator<Item = usize> {
        self.text[..self.first_space].match_indices('@').map(|(at, _)| at).filter(|&at| at > 0)
    }

    /// Returns whether the text from `start` on is a host with optional port and path.
    fn continues_at(&self, start: usize) -> bool {
        let rest = &self.text[start..];
        let end = rest.find([':', '/', '?', '#', '@']).unwrap_or(rest.len());
        let (host, tail) = rest.split_at(end);
        self.is_tail(tail) && (is_host(host) || is_public_address(host))
    }

    /// Returns whether `tail`, a suffix of the text, is an optional port and an optional path.
    fn is_tail(&self, tail: &str) -> bool {
        let Some(path) = after_port(tail) else { return false };
        let has_spaces = self.text.len() - path.len() < self.after_last_space;
        path.is_empty() || path.starts_with(['/', '?', '#']) && !has_spaces
    }
}

/// Returns the position after the scheme (two or more characters and `://`), if any.
fn after_scheme(text: &str) -> Option<usize> {
    let (scheme, rest) = text.split_once(':')?;
    let rest = rest.strip_prefix("//")?;
    let fits = scheme.chars().nth(1).is_some()
        && scheme.chars().all(|c| chars::is_word(c) || matches!(c, '+' | '-' | '.'));
    fits.then_some(text.len() - rest.len())
}

/// Returns the text after the port, or all of `tail` without a port; `None` if the port is invalid.
fn after_port(tail: &str) -> Option<&str> {
    let Some(port) = tail.strip_prefix(':') else { return Some(tail) };
    let path = port.trim_start_matches(chars::is_decimal);
    let digits = port[..port.len() - path.len()].chars().count();
    (2..=5).contains(&digits).then_some(path)
}

/// Returns whether the text is one or more labels and a top-level domain.
fn is_host(text: &str) -> bool {
    let Some((labels, domain)) = text.rsplit_once('.') else { return false };
    (2..=63).contains(&domain.chars().count())
        && domain.chars().all(|c| class(c).any(Class::ALPHA_LOWER))
        && labels.split('.').all(is_label)
}

/// Returns whether the text is 1 to 64 characters of a host name, with `_` and `-` only inside.
fn is_label(text: &str) -> bool {
    let inside = |c| is_host_char(c) || matches!(c, '_' | '-');
    text.starts_with(is_host_char)
        && text.ends_with(is_host_char)
        && text.chars().count() <= 64
        && text.chars().all(inside)
}

/// Returns whether a character is an ASCII letter or digit, or in the basic plane from U+00A1 on.
fn is_host_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '\u{a1}'..='\u{ffff}')
}

/// Returns whether the text is an IPv4 address outside of private networks.
///
/// As in spaCy's expression, decimal digits of any script may follow the leading ASCII digits.
fn is_public_address(text: &str) -> bool {
    let mut octets = text.split('.');
    let mut next = || octets.next().and_then(Octet::parse);
    let (Some(a), Some(b), Some(c), Some(d)) = (next(), next(), next(), next()) else {
        return false;
    };
    octets.next().is_none()
        && a.is_first()
        && b.is_middle()
        && c.is_middle()
        && d.is_last()
        && !is_private(&a, &b)
}

fn is_private(a: &Octet, b: &Octet) -> bool {
    match (a.digits(), b.digits()) {
        (['1', '0'] | ['1', '2', '7'], _)
        | (['1', '6', '9'], ['2', '5', '4'])
        | (['1', '9', '2'], ['1', '6', '8']) => true,
        (['1', '7', '2'], b) => matches!(b, ['1', '6'..='9'] | ['2', _] | ['3', '0' | '1']),
        _ => false,
    }
}

/// One to three decimal digits.
struct Octet {
    digits: [char; 3],
    len: usize,
}

impl Octet {
    fn parse(text: &str) -> Option<Octet> {
        let mut octet = Octet { digits: ['0'; 3], len: 0 };
        for c in text.chars() {
            *octet.digits.get_mut(octet.len)? = chars::is_decimal(c).then_some(c)?;
            octet.len += 1;
        }
        (octet.len > 0).then_some(octet)
    }

    fn digits(&self) -> &[char] {
        &self.digits[..self.len]
    }

    /// Returns whether the number is 1 to 223.
    fn is_first(&self) -> bool {
        matches!(
            self.digits(),
            ['1'..='9']
                | ['1'..='9', _]
                | ['1', _, _]
                | ['2', '0' | '1', _]
                | ['2', '2', '0'..='3']
        )
    }

    /// Returns whether the number is 0 to 255; below 100 it may have leading zeros.
    fn is_middle(&self) -> bool {
        matches!(
            self.digits(),
            [_] | [_, _] | ['1', _, _] | ['2', '0'..='4', _] | ['2', '5', '0'..='5']
        )
    }

    /// Returns whether the number is 1 to 254.
    fn is_last(&self) -> bool {
        matches!(
            self.digits(),
            ['1'..='9']
                | ['1'..='9', _]
                | ['1', _, _]
                | ['2', '0'..='4', _]
                | ['2', '5', '0'..='4']
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_url;

    #[test]
    fn these_are_urls_to_spacy() {
        for text in [
            "example.com",
            "Example.com",
            "sub.example.co",
            "a.bc",
            "A.bc",
            "1.bc",
            "a_b.cd",
            "a-b.cd",
            "a--_b.cd",
            "\u{e9}.\u{e9}\u{e8}",
            "\u{4f8b}\u{3048}.\u{30c6}\u{30b9}\u{30c8}",
            "\u{3bc}.\u{3b5}\u{3bb}",
            "\u{1100}.\u{20000}\u{20001}",
            "\u{3000}.\u{3000}\u{3000}",
            "\u{2028}.com",
            "\u{301}.com",
            "a.\u{294}\u{294}",
            "a.com\n",
            "http://a.bc",
            "ht+t.p-1://a.bc",
            "_\u{b2}://a.bc",
            "me@a.bc",
            "me:pw@a.bc",
            ":@a.bc",
            "@@a.bc",
            "a/b@c.de",
            "ftp://me:pw@a.bc:21/x?y#z",
            "x://y@z@a.bc",
            "://@a.bc",
            "a.bc/@d",
            "a.bc:80",
            "a.bc:12345",
            "a.bc:\u{663}\u{663}",
            "a.bc/",
            "a.bc?",
            "a.bc#\n",
            "a.bc/d@e:f//g",
            "a.bc:80?x",
            "1.0.0.1",
            "8.8.8.8:53/dns",
            "223.255.255.254",
            "99.00.01.99",
            "1\u{663}.\u{663}.\u{1d7ce}.1\u{663}",
            "172.15.0.1",
            "172.32.0.1",
            "169.253.1.1",
            "192.167.1.1",
            "11.0.0.1",
            "128.0.0.1",
            "http://1.1.1.1",
            "10.1.1.com",
        ] {
            assert!(is_url(text), "{text:?}");
        }
    }

    #[test]
    fn these_are_no_urls_to_spacy() {
        for text in [
            "",
            "\n",
            ".",
            "a",
            "com",
            ".com",
            "a.",
            "a.b",
            "a.B",
            "a.BC",
            "a.Bc",
            "a.b1",
            "a.b-c",
            "a..bc",
            "-a.bc",
            "a-.bc",
            "_a.bc",
            "a_.bc",
            "a.\u{aa}\u{ba}",
            "a.\u{420}\u{424}",
            "\u{20000}.com",
            "\u{a0}.com",
            "a b.cd",
            "a.bc\n\n",
            "a.bc\r\n",
            "a.bc d",
            "h://a.bc",
            "http:/a.bc",
            "http://",
            "h t://a.bc",
            "http://http://a.bc",
            "@a.bc",
            "a b@c.de",
            "a\u{3000}b@c.de",
            "me@",
            "me@a.b",
            "a.bc:8",
            "a.bc:123456",
            "a.bc:",
            "a.bc:8x",
            "a.bc:80:80",
            "a.bc:\u{b2}\u{b2}",
            "a.bc/ d",
            "a.bc/\u{3000}",
            "a.bc!",
            "a.bc,",
            "0.1.1.1",
            "224.1.1.1",
            "1.256.1.1",
            "1.1.1.0",
            "1.1.1.255",
            "1.1.1.01",
            "1.1.1",
            "1.1.1.1.1",
            "1.1.1.1111",
            "\u{663}.1.1.1",
            "10.1.1.1",
            "127.0.0.1",
            "169.254.1.1",
            "192.168.0.1",
            "172.16.0.1",
            "172.2\u{663}.0.1",
            "172.31.0.1",
            "1.1.1.1:8",
        ] {
            assert!(!is_url(text), "{text:?}");
        }
    }

    #[test]
    fn labels_end_at_64_characters_and_domains_at_63() {
        let host = |label: usize, domain: usize| {
            format!("{}.{}", "\u{e9}".repeat(label), "\u{e8}".repeat(domain))
        };
        assert!(is_url(&host(64, 63)));
        assert!(!is_url(&host(65, 63)) && !is_url(&host(64, 64)));
    }

    #[test]
    fn a_long_text_full_of_beginnings_is_decided_in_linear_time() {
        for piece in ["a@", "a.b/@", "a:80@", "://", "1.1.1.1:", "a.", "@:11"] {
            let text = piece.repeat(200_000) + ".";
            assert!(!is_url(&text), "{piece}");
        }
    }

    proptest! {
        #[test]
        fn parts_in_order_make_a_url(
            scheme in "([a-z0-9_+.\u{4e00}-\u{4e0f}-]{2,5}://)?",
            user in "([!-?\u{e9}]{1,4}(:[!-?]{0,3})?@){0,2}",
            host in "([A-Za-z0-9]([a-z_-]{0,3}[\u{e0}-\u{ff}])?\\.){1,3}[a-z\u{5d0}-\u{5ea}]{2,5}",
            tail in "(:[0-9]{2,5})?([/?#][!-~\u{e9}]{0,5})?\n?",
        ) {
            let url = [scheme, user, host, tail].concat();
            prop_assert!(is_url(&url), "{:?}", url);
            let marred = url.trim_end().to_owned() + " ";
            prop_assert!(!is_url(&marred), "{:?}", marred);
        }
    }
}
