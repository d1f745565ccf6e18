//! Reads what stands for characters: literals, escapes and classes.

use super::super::casing::{ignoring_ascii_case, ignoring_case};
use super::super::charset::CharSet;
use super::super::syntax::{Border, Node, SetId};
use super::{Flags, Parser, Step};
use lexpool_chars::{DECIMAL, SPACE, WORD};

/// One element of a class or an escape outside of one.
enum Atom {
    Point(u32),
    Class(CharSet),
}

impl Parser<'_> {
    fn set(&mut self, set: CharSet) -> SetId {
        let next = SetId::try_from(self.sets.len()).expect("fewer sets than characters of source");
        let sets = &mut self.sets;
        *self.set_ids.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            next
        })
    }

    pub(super) fn literal(&mut self, point: u32, flags: Flags) -> SetId {
        let set = cased(CharSet::single(point), flags);
        self.set(set)
    }

    pub(super) fn newline(&mut self) -> SetId {
        self.set(CharSet::single('\n'.into()))
    }

    pub(super) fn dot(&mut self, flags: Flags) -> SetId {
        let excluded =
            if flags.has(Flags::DOT_ALL) { CharSet::default() } else { CharSet::single(10) };
        self.set(excluded.complement())
    }

    /// The escape whose backslash, just read, stands at `start`.
    pub(super) fn escape(&mut self, start: usize, flags: Flags) -> Step<Node> {
        let Some(c) = self.peek() else {
            return self.wrong(start, "the pattern ends with a backslash");
        };
        let border = match c {
            'A' => Border::TextStart,
            'Z' => Border::TextEnd,
            'b' | 'B' => {
                let word = self.set(word_set(flags));
                Border::Word { word, negate: c == 'B' }
            }
            '1'..='9' => return self.numbered(start, flags),
            _ => {
                return Ok(Node::Set(match self.atom(start, flags)? {
                    Atom::Point(point) => self.literal(point, flags),
                    Atom::Class(set) => self.set(set),
                }));
            }
        };
        self.bump();
        Ok(Node::Border(border))
    }

    /// A back-reference, or three octal digits.
    fn numbered(&mut self, start: usize, flags: Flags) -> Step<Node> {
        let digits = &self.source.as_bytes()[self.at..];
        let octal = |ix: usize| digits.get(ix).filter(|b| (b'0'..=b'7').contains(b));
        if let (Some(a), Some(b), Some(c)) = (octal(0), octal(1), octal(2)) {
            self.at += 3;
            let value = [a, b, c].iter().fold(0, |sum, &&digit| sum * 8 + u32::from(digit - b'0'));
            if value > 0o377 {
                return self.wrong(start, "an octal escape is at most \\377");
            }
            return Ok(Node::Set(self.literal(value, flags)));
        }
        let length = digits.iter().take(2).take_while(|b| b.is_ascii_digit()).count();
        let at = self.at;
        let group = self.source[at..at + length].parse().unwrap_or(u32::MAX);
        self.at += length;
        self.back_reference(group, at, flags)
    }

    /// What an escape means both inside and outside of a class.
    fn atom(&mut self, start: usize, flags: Flags) -> Step<Atom> {
        let Some(c) = self.bump() else {
            return self.wrong(start, "the pattern ends with a backslash");
        };
        let point = match c {
            'd' | 'D' => return Ok(class_atom(digit_set(flags), c)),
            's' | 'S' => return Ok(class_atom(space_set(flags), c)),
            'w' | 'W' => return Ok(class_atom(word_set(flags), c)),
            'a' => 7,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            'x' => self.hex(start, 2)?,
            'u' => self.hex(start, 4)?,
            'U' => self.hex(start, 8)?,
            '0' => {
                let digits = self.source[self.at..].bytes().take(2);
                let octal: Vec<u8> = digits.take_while(|b| (b'0'..=b'7').contains(b)).collect();
                self.at += octal.len();
                octal.iter().fold(0, |sum, digit| sum * 8 + u32::from(digit - b'0'))
            }
            'N' => return self.wrong(start, "characters by name (\\N{...}) are not supported"),
            c if c.is_ascii_alphanumeric() => {
                return self.wrong(start, format!("there is no escape \\{c} here"));
            }
            c => c.into(),
        };
        Ok(Atom::Point(point))
    }

    fn hex(&mut self, start: usize, length: usize) -> Step<u32> {
        let rest = &self.source[self.at..];
        let found = rest.bytes().take(length).take_while(u8::is_ascii_hexdigit).count();
        if found < length {
            return self.wrong(start, format!("{length} hexadecimal digits were expected"));
        }
        self.at += length;
        match u32::from_str_radix(&rest[..length], 16) {
            Ok(point) if point <= char::MAX.into() => Ok(point),
            _ => self.wrong(start, "this is beyond the last character, \\U0010ffff"),
        }
    }

    /// The class whose `[` stands at `start`.
    pub(super) fn class(&mut self, start: usize, flags: Flags) -> Step<SetId> {
        let rest = &self.source[self.at..];
        let spelling = class_end(rest).map(|end| &rest[..end]);
        if let Some(&known) = spelling.and_then(|spelling| self.classes.get(&(spelling, flags))) {
            self.at += spelling.map_or(0, str::len);
            return Ok(known);
        }
        let negate = self.eat("^");
        let mut ranges = Vec::new();
        let mut first = true;
        loop {
            let at = self.at;
            if !first && self.eat("]") {
                break;
            }
            first = false;
            let low = self.class_atom(start, flags)?;
            let dash = self.source[self.at..].starts_with('-');
            if dash && !self.source[self.at..].starts_with("-]") {
                self.at += 1;
                let high = self.class_atom(start, flags)?;
                match (low, high) {
                    (Atom::Point(low), Atom::Point(high)) if low <= high => {
                        ranges.push((low, high));
                    }
                    _ => {
                        let range = &self.source[at..self.at];
                        return self.wrong(at, format!("`{range}` is not a range"));
                    }
                }
                continue;
            }
            match low {
                Atom::Point(point) => ranges.push((point, point)),
                Atom::Class(set) => ranges.extend_from_slice(set.ranges()),
            }
        }
        let set = cased(CharSet::new(ranges), flags);
        let id = self.set(if negate { set.complement() } else { set });
        if let Some(spelling) = spelling {
            self.classes.insert((spelling, flags), id);
        }
        Ok(id)
    }

    fn class_atom(&mut self, start: usize, flags: Flags) -> Step<Atom> {
        let at = self.at;
        let Some(c) = self.bump() else {
            return self.wrong(start, "this class is not closed");
        };
        if c != '\\' {
            return Ok(Atom::Point(c.into()));
        }
        let rest = &self.source.as_bytes()[self.at..];
        match rest.first() {
            Some(b'b') => {
                self.at += 1;
                Ok(Atom::Point(8))
            }
            Some(b'0'..=b'7') => {
                let octal = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b));
                let (count, value) =
                    octal.fold((0, 0), |(n, sum), b| (n + 1, sum * 8 + u32::from(b - b'0')));
                self.at += count;
                if value > 0o377 {
                    return self.wrong(at, "an octal escape is at most \\377");
                }
                Ok(Atom::Point(value))
            }
            _ => self.atom(at, flags),
        }
    }
}

/// Where the `]` of a long class stands, in the text after its `[`.
fn class_end(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = usize::from(bytes.first() == Some(&b'^'));
    at += usize::from(bytes.get(at) == Some(&b']'));
    loop {
        at += memchr::memchr2(b'\\', b']', bytes.get(at..)?)?;
        if bytes[at] == b']' {
            return (at >= 16).then_some(at + 1);
        }
        at += 2;
    }
}

fn cased(set: CharSet, flags: Flags) -> CharSet {
    if !flags.has(Flags::IGNORE_CASE) {
        set
    } else if flags.has(Flags::ASCII) {
        ignoring_ascii_case(&set)
    } else {
        ignoring_case(&set)
    }
}

/// The set of `\d`, `\s` or `\w`, or its complement for a capital letter.
fn class_atom(set: CharSet, letter: char) -> Atom {
    Atom::Class(if letter.is_ascii_uppercase() { set.complement() } else { set })
}

fn digit_set(flags: Flags) -> CharSet {
    CharSet::of_chars(if flags.has(Flags::ASCII) { &[('0', '9')] } else { DECIMAL })
}

fn space_set(flags: Flags) -> CharSet {
    CharSet::of_chars(if flags.has(Flags::ASCII) { &[('\t', '\r'), (' ', ' ')] } else { SPACE })
}

fn word_set(flags: Flags) -> CharSet {
    let ascii = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
    CharSet::of_chars(if flags.has(Flags::ASCII) { ascii } else { WORD })
}
