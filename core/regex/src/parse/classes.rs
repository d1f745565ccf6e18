//! Parses literals, escapes and classes of characters.

use lexpool_chars::{DECIMAL, SPACE, WORD};

use super::{FlagSet, ParseResult, Parser};
use crate::ast::{Anchor, Ast, CharSetId};
use crate::case_folding::{fold_ascii_case, fold_case};
use crate::charset::CharSet;
use crate::flags;

/// An element of a class, or an escape outside a class.
enum ClassItem {
    CodePoint(u32),
    Set(CharSet),
}

/// Classes with a shorter source are parsed each time.
const MIN_SHARED_CLASS: usize = 16;

impl Parser<'_> {
    /// Returns the id of a set, stored if it is new.
    fn set(&mut self, set: CharSet) -> CharSetId {
        let next =
            CharSetId::try_from(self.sets.len()).expect("fewer sets than characters of source");
        let sets = &mut self.sets;
        *self.set_ids.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            next
        })
    }

    /// Returns the set of the characters that match a literal code point.
    pub(super) fn literal(&mut self, point: u32, flags: FlagSet) -> CharSetId {
        let set = cased(CharSet::single(point), flags);
        self.set(set)
    }

    /// Returns the set of the newline.
    pub(super) fn newline(&mut self) -> CharSetId {
        self.set(CharSet::single('\n'.into()))
    }

    /// Returns the set of `.`.
    pub(super) fn dot(&mut self, flags: FlagSet) -> CharSetId {
        let excluded =
            if flags.has(flags::DOTALL) { CharSet::default() } else { CharSet::single(10) };
        self.set(excluded.complement())
    }

    /// Parses the escape whose backslash, just consumed, is at `start`.
    pub(super) fn escape(&mut self, start: usize, flags: FlagSet) -> ParseResult<Ast> {
        let Some(c) = self.peek() else {
            return self.error(start, "the pattern ends in a backslash");
        };
        let anchor = match c {
            'A' => Anchor::TextStart,
            'Z' => Anchor::TextEnd,
            'b' | 'B' => {
                let word = self.set(word_set(flags));
                Anchor::WordBoundary { word, negate: c == 'B' }
            }
            '1'..='9' => return self.numeric_escape(start, flags),
            _ => {
                return Ok(Ast::Set(match self.common_escape(start, flags)? {
                    ClassItem::CodePoint(point) => self.literal(point, flags),
                    ClassItem::Set(set) => self.set(set),
                }));
            }
        };
        self.bump();
        Ok(Ast::Anchor(anchor))
    }

    /// Parses a back-reference by number, or three octal digits.
    fn numeric_escape(&mut self, start: usize, flags: FlagSet) -> ParseResult<Ast> {
        let digits = &self.source.as_bytes()[self.at..];
        let octal = |ix: usize| digits.get(ix).filter(|b| (b'0'..=b'7').contains(b));
        if let (Some(a), Some(b), Some(c)) = (octal(0), octal(1), octal(2)) {
            self.at += 3;
            let value = [a, b, c].iter().fold(0, |sum, &&digit| sum * 8 + u32::from(digit - b'0'));
            if value > 0o377 {
                return self.error(start, "an octal escape is at most \\377");
            }
            return Ok(Ast::Set(self.literal(value, flags)));
        }
        let length = digits.iter().take(2).take_while(|b| b.is_ascii_digit()).count();
        let at = self.at;
        let group = self.source[at..at + length].parse().unwrap_or(u32::MAX);
        self.at += length;
        self.back_reference(group, at, flags)
    }

    /// Parses an escape that means the same inside and outside a class.
    fn common_escape(&mut self, start: usize, flags: FlagSet) -> ParseResult<ClassItem> {
        let Some(c) = self.bump() else {
            return self.error(start, "the pattern ends in a backslash");
        };
        let point = match c {
            'd' | 'D' => return Ok(shorthand(digit_set(flags), c)),
            's' | 'S' => return Ok(shorthand(space_set(flags), c)),
            'w' | 'W' => return Ok(shorthand(word_set(flags), c)),
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
            'N' => return self.error(start, "\\N{...}, a character by name, is not supported"),
            c if c.is_ascii_alphanumeric() => {
                return self.error(start, format!("unknown escape \\{c}"));
            }
            c => c.into(),
        };
        Ok(ClassItem::CodePoint(point))
    }

    /// Parses `length` hexadecimal digits.
    fn hex(&mut self, start: usize, length: usize) -> ParseResult<u32> {
        let rest = &self.source[self.at..];
        let digits = rest.bytes().take(length).take_while(u8::is_ascii_hexdigit).count();
        if digits < length {
            return self.error(start, format!("expected {length} hexadecimal digits"));
        }
        self.at += length;
        match u32::from_str_radix(&rest[..length], 16) {
            Ok(point) if point <= char::MAX.into() => Ok(point),
            _ => self.error(start, "this code point exceeds \\U0010ffff, the last one"),
        }
    }

    /// Parses the class whose `[`, just consumed, is at `start`.
    pub(super) fn class(&mut self, start: usize, flags: FlagSet) -> ParseResult<CharSetId> {
        let rest = &self.source[self.at..];
        let class_source = class_end(rest).map(|end| &rest[..end]);
        if let Some(&known) = class_source.and_then(|source| self.classes.get(&(source, flags))) {
            self.at += class_source.map_or(0, str::len);
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
            let low = self.class_item(start, flags)?;
            let dash = self.source[self.at..].starts_with('-');
            if dash && !self.source[self.at..].starts_with("-]") {
                self.at += 1;
                let high = self.class_item(start, flags)?;
                match (low, high) {
                    (ClassItem::CodePoint(low), ClassItem::CodePoint(high)) if low <= high => {
                        ranges.push((low, high));
                    }
                    _ => {
                        let range = &self.source[at..self.at];
                        return self.error(at, format!("`{range}` is not a valid range"));
                    }
                }
                continue;
            }
            match low {
                ClassItem::CodePoint(point) => ranges.push((point, point)),
                ClassItem::Set(set) => ranges.extend_from_slice(set.ranges()),
            }
        }
        let set = cased(CharSet::new(ranges), flags);
        let id = self.set(if negate { set.complement() } else { set });
        if let Some(source) = class_source {
            self.classes.insert((source, flags), id);
        }
        Ok(id)
    }

    /// Parses an element of the class whose `[` is at `start`.
    fn class_item(&mut self, start: usize, flags: FlagSet) -> ParseResult<ClassItem> {
        let at = self.at;
        let Some(c) = self.bump() else {
            return self.error(start, "this class is not closed by `]`");
        };
        if c != '\\' {
            return Ok(ClassItem::CodePoint(c.into()));
        }
        let rest = &self.source.as_bytes()[self.at..];
        match rest.first() {
            Some(b'b') => {
                self.at += 1;
                Ok(ClassItem::CodePoint(8))
            }
            Some(b'0'..=b'7') => {
                let octal = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b));
                let (count, value) =
                    octal.fold((0, 0), |(n, sum), b| (n + 1, sum * 8 + u32::from(b - b'0')));
                self.at += count;
                if value > 0o377 {
                    return self.error(at, "an octal escape is at most \\377");
                }
                Ok(ClassItem::CodePoint(value))
            }
            _ => self.common_escape(at, flags),
        }
    }
}

/// Returns the offset after the `]` of a class, in the source after its `[`; `None` if the class is
/// short.
fn class_end(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = usize::from(bytes.first() == Some(&b'^'));
    at += usize::from(bytes.get(at) == Some(&b']'));
    loop {
        at += memchr::memchr2(b'\\', b']', bytes.get(at..)?)?;
        if bytes[at] == b']' {
            return (at >= MIN_SHARED_CLASS).then_some(at + 1);
        }
        at += 2;
    }
}

/// Returns the characters that match a set under the flags.
fn cased(set: CharSet, flags: FlagSet) -> CharSet {
    if !flags.has(flags::IGNORECASE) {
        set
    } else if flags.has(flags::ASCII) {
        fold_ascii_case(&set)
    } else {
        fold_case(&set)
    }
}

/// Returns the set of `\d`, `\s` or `\w`, or its complement for a capital letter.
fn shorthand(set: CharSet, letter: char) -> ClassItem {
    ClassItem::Set(if letter.is_ascii_uppercase() { set.complement() } else { set })
}

fn digit_set(flags: FlagSet) -> CharSet {
    CharSet::of_chars(if flags.has(flags::ASCII) { &[('0', '9')] } else { DECIMAL })
}

fn space_set(flags: FlagSet) -> CharSet {
    CharSet::of_chars(if flags.has(flags::ASCII) { &[('\t', '\r'), (' ', ' ')] } else { SPACE })
}

fn word_set(flags: FlagSet) -> CharSet {
    let ascii = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
    CharSet::of_chars(if flags.has(flags::ASCII) { ascii } else { WORD })
}
