//! Reads Python's `re` syntax.
//!
//! Follows CPython 3.11 in what is an error and where it is reported, so that
//! a pattern is accepted here exactly when `re.compile` accepts it. The one
//! exception is `\N{...}`, which would need the table of Unicode names.

use ahash::AHashMap;

use super::PatternError;
use super::casing::{ignoring_ascii_case, ignoring_case};
use super::charset::CharSet;
use super::syntax::{Border, Greed, Node, Parsed, SetId};
use crate::strings::chars::{DECIMAL, SPACE, WORD};

/// Groups nested deeper than this would exhaust the stack of who walks them.
const DEEPEST: u32 = 200;

/// Python's flag bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flags(pub(super) u32);

impl Flags {
    pub(super) const IGNORE_CASE: u32 = 2;
    const LOCALE: u32 = 4;
    pub(super) const MULTI_LINE: u32 = 8;
    pub(super) const DOT_ALL: u32 = 16;
    pub(super) const UNICODE: u32 = 32;
    pub(super) const VERBOSE: u32 = 64;
    pub(super) const ASCII: u32 = 256;

    fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }
}

/// Parses `source` under the flag bits of Python's `re`.
pub(super) fn parse(source: &str, flags: u32) -> Result<Parsed, PatternError> {
    let mut flags = Flags(flags);
    loop {
        let mut parser = Parser::new(source, flags);
        let root = match parser.whole() {
            // An inline `x` changes how everything, also before it, is read.
            Err(Stop::Verbose) => {
                flags.0 |= Flags::VERBOSE;
                continue;
            }
            Err(Stop::Wrong(error)) => return Err(error),
            Ok(root) => root,
        };
        return Ok(Parsed { root, sets: parser.sets });
    }
}

enum Stop {
    Wrong(PatternError),
    Verbose,
}

type Step<T> = Result<T, Stop>;

struct Parser<'a> {
    source: &'a str,
    at: usize,
    flags: Flags,
    sets: Vec<CharSet>,
    set_ids: AHashMap<CharSet, SetId>,
    /// Long classes by their spelling: languages repeat them verbatim.
    classes: AHashMap<(&'a str, Flags), SetId>,
    names: AHashMap<&'a str, u32>,
    groups: u32,
    open: Vec<u32>,
    depth: u32,
}

/// One element of a class or an escape outside of one.
enum Atom {
    Point(u32),
    Class(CharSet),
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, flags: Flags) -> Parser<'a> {
        Parser {
            source,
            at: 0,
            flags,
            sets: Vec::new(),
            set_ids: AHashMap::new(),
            classes: AHashMap::new(),
            names: AHashMap::new(),
            groups: 0,
            open: Vec::new(),
            depth: 0,
        }
    }

    fn whole(&mut self) -> Step<Node> {
        if self.flags.has(Flags::LOCALE) {
            return self.wrong(0, "the LOCALE flag works only for bytes");
        }
        if self.flags.has(Flags::ASCII) && self.flags.has(Flags::UNICODE) {
            return self.wrong(0, "the flags ASCII and UNICODE exclude each other");
        }
        let mut flags = self.flags;
        let root = self.alternation(&mut flags, true)?;
        if self.peek().is_some() {
            return self.wrong(self.at, "this `)` closes no group");
        }
        Ok(root)
    }

    fn wrong<T>(&self, at: usize, message: impl Into<String>) -> Step<T> {
        let offset = self.source[..at].chars().count();
        Err(Stop::Wrong(PatternError { offset, message: message.into() }))
    }

    fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, expected: &str) -> bool {
        let found = self.source[self.at..].starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    fn alternation(&mut self, flags: &mut Flags, top: bool) -> Step<Node> {
        let mut branches = Vec::new();
        loop {
            branches.push(self.sequence(flags, top && branches.is_empty())?);
            if !self.eat("|") {
                break;
            }
        }
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Alternate(branches) })
    }

    fn sequence(&mut self, flags: &mut Flags, first: bool) -> Step<Node> {
        let mut parts: Vec<Node> = Vec::new();
        while let Some(c) = self.peek() {
            let start = self.at;
            if c == '|' || c == ')' {
                break;
            }
            self.bump();
            if flags.has(Flags::VERBOSE) && self.skipped_in_verbose(c) {
                continue;
            }
            let part = match c {
                '\\' => self.escape(start, *flags)?,
                '[' => Node::Set(self.class(start, *flags)?),
                '.' => Node::Set(self.dot(*flags)),
                '^' if flags.has(Flags::MULTI_LINE) => {
                    Node::Border(Border::LineStart { newline: self.newline() })
                }
                '^' => Node::Border(Border::TextStart),
                '$' if flags.has(Flags::MULTI_LINE) => {
                    Node::Border(Border::LineEnd { newline: self.newline() })
                }
                '$' => Node::Border(Border::LastLineEnd),
                '*' | '+' | '?' | '{' => match self.counts(c, start)? {
                    None => Node::Set(self.literal(c.into(), *flags)),
                    Some((min, max)) => {
                        let repeated = self.repeat(parts.pop(), start, min, max)?;
                        parts.push(repeated);
                        continue;
                    }
                },
                '(' => match self.group(start, flags, first && parts.is_empty())? {
                    Some(node) => node,
                    None => continue,
                },
                _ => Node::Set(self.literal(c.into(), *flags)),
            };
            parts.push(part);
        }
        Ok(match parts.len() {
            0 => Node::Empty,
            1 => parts.remove(0),
            _ => Node::Concat(parts),
        })
    }

    /// Whether `c`, just read, is layout or opens a comment, which is skipped.
    fn skipped_in_verbose(&mut self, c: char) -> bool {
        if c == '#' {
            while let Some(c) = self.bump() {
                match c {
                    '\n' => break,
                    '\\' => drop(self.bump()),
                    _ => {}
                }
            }
            return true;
        }
        matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C')
    }

    // Repetition.

    /// The counts that `c` at `start` asks for; `None` if it is a literal brace.
    fn counts(&mut self, c: char, start: usize) -> Step<Option<(u32, Option<u32>)>> {
        match c {
            '*' => return Ok(Some((0, None))),
            '+' => return Ok(Some((1, None))),
            '?' => return Ok(Some((0, Some(1)))),
            _ => {}
        }
        let after = self.at;
        if self.peek() == Some('}') {
            return Ok(None);
        }
        let low = self.digits();
        let high = if self.eat(",") { self.digits() } else { low };
        if !self.eat("}") {
            self.at = after;
            return Ok(None);
        }
        let min = if low.is_empty() { 0 } else { self.count(low, start)? };
        let max = if high.is_empty() { None } else { Some(self.count(high, start)?) };
        if max.is_some_and(|max| max < min) {
            return self.wrong(start, "the least count is above the greatest");
        }
        Ok(Some((min, max)))
    }

    fn digits(&mut self) -> &'a str {
        let rest = &self.source[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += length;
        &rest[..length]
    }

    fn count(&self, digits: &str, start: usize) -> Step<u32> {
        match digits.parse() {
            Ok(count) if count < u32::MAX => Ok(count),
            _ => self.wrong(start, format!("the count {digits} is too large")),
        }
    }

    fn repeat(
        &mut self,
        last: Option<Node>,
        start: usize,
        min: u32,
        max: Option<u32>,
    ) -> Step<Node> {
        let node = match last {
            None | Some(Node::Border(_)) => {
                return self.wrong(start, "there is nothing to repeat before this");
            }
            Some(Node::Repeat { .. }) => {
                return self.wrong(start, "a repetition cannot be repeated without a group");
            }
            Some(node) => Box::new(unwrap_group(node)),
        };
        let greed = if self.eat("?") {
            Greed::Lazy
        } else if self.eat("+") {
            Greed::Possessive
        } else {
            Greed::Greedy
        };
        Ok(Node::Repeat { node, min, max, greed })
    }

    // Groups.

    /// The group whose `(` stands at `start`; `None` if it holds only flags or
    /// a comment.
    fn group(&mut self, start: usize, flags: &mut Flags, first: bool) -> Step<Option<Node>> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.wrong(start, format!("groups are nested more than {DEEPEST} deep"));
        }
        let node = self.group_inside(start, flags, first);
        self.depth -= 1;
        node
    }

    fn group_inside(&mut self, start: usize, flags: &mut Flags, first: bool) -> Step<Option<Node>> {
        if !self.eat("?") {
            return self.capture(start, *flags, None).map(Some);
        }
        let at = self.at;
        let Some(c) = self.bump() else {
            return self.wrong(at, "the pattern ends within `(?`");
        };
        let node = match c {
            'P' if self.eat("<") => {
                let (name, at) = self.name('>')?;
                if let Some(group) = self.names.get(name) {
                    let message = format!("the name {name} is taken by group {group}");
                    return self.wrong(at, message);
                }
                self.capture(start, *flags, Some(name))?
            }
            'P' if self.eat("=") => {
                let (name, at) = self.name(')')?;
                let Some(&group) = self.names.get(name) else {
                    return self.wrong(at, format!("no group before this is named {name}"));
                };
                self.back_reference(group, at, *flags)?
            }
            'P' => return self.wrong(at, "after `(?P`, `<` or `=` was expected"),
            ':' => {
                let node = self.body(start, *flags)?;
                Node::Concat(vec![node])
            }
            '#' => {
                let Some(end) = self.source[self.at..].find(')') else {
                    return self.wrong(start, "this comment is not closed");
                };
                self.at += end + 1;
                return Ok(None);
            }
            '=' | '!' => {
                let node = Box::new(self.body(start, *flags)?);
                Node::Look { node, behind: None, negate: c == '!' }
            }
            '<' => match self.bump() {
                Some(kind @ ('=' | '!')) => {
                    let node = Box::new(self.body(start, *flags)?);
                    let (min, max) = node.width();
                    if max != Some(min) {
                        return self.wrong(start, "a look-behind must have one fixed width");
                    }
                    Node::Look { node, behind: Some(min), negate: kind == '!' }
                }
                _ => return self.wrong(at, "after `(?<`, `=` or `!` was expected"),
            },
            '>' => Node::Atomic(Box::new(self.body(start, *flags)?)),
            '(' => self.conditional(start, *flags)?,
            c if c == '-' || c.is_ascii_alphabetic() => {
                return self.inline_flags(start, c, flags, first);
            }
            _ => return self.wrong(at, format!("no group begins with `(?{c}`")),
        };
        Ok(Some(node))
    }

    fn body(&mut self, start: usize, flags: Flags) -> Step<Node> {
        let node = self.alternation(&mut { flags }, false)?;
        if self.eat(")") { Ok(node) } else { self.wrong(start, "this group is not closed") }
    }

    fn capture(&mut self, start: usize, flags: Flags, name: Option<&'a str>) -> Step<Node> {
        self.groups += 1;
        let group = self.groups;
        if let Some(name) = name {
            self.names.insert(name, group);
        }
        self.open.push(group);
        let node = self.body(start, flags)?;
        self.open.pop();
        Ok(Node::Capture(group, Box::new(node)))
    }

    /// A name up to `end`, and where it stands.
    fn name(&mut self, end: char) -> Step<(&'a str, usize)> {
        let at = self.at;
        let Some(length) = self.source[at..].find(end) else {
            return self.wrong(at, format!("a group name must end with `{end}`"));
        };
        self.at += length + 1;
        let name = &self.source[at..at + length];
        let plain = |c: char| c == '_' || c.is_alphanumeric();
        if !name.chars().all(plain) || name.chars().next().is_none_or(char::is_numeric) {
            return self.wrong(at, format!("`{name}` is not a group name"));
        }
        Ok((name, at))
    }

    fn back_reference(&self, group: u32, at: usize, flags: Flags) -> Step<Node> {
        if group > self.groups {
            return self.wrong(at, format!("there is no group {group} before this"));
        }
        if self.open.contains(&group) {
            return self.wrong(at, format!("group {group} is still open here"));
        }
        Ok(Node::BackReference { group, ignore_case: flags.has(Flags::IGNORE_CASE) })
    }

    fn conditional(&mut self, start: usize, flags: Flags) -> Step<Node> {
        let at = self.at;
        let group = if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            let digits = self.digits();
            if !self.eat(")") {
                return self.wrong(at, "a group number must end with `)`");
            }
            self.count(digits, at)?
        } else {
            let (name, at) = self.name(')')?;
            match self.names.get(name) {
                Some(&group) => group,
                None => return self.wrong(at, format!("no group before this is named {name}")),
            }
        };
        if group == 0 || group > self.groups {
            return self.wrong(at, format!("there is no group {group} before this"));
        }
        let yes = Box::new(self.sequence(&mut { flags }, false)?);
        let no = Box::new(if self.eat("|") {
            self.sequence(&mut { flags }, false)?
        } else {
            Node::Empty
        });
        if self.peek() == Some('|') {
            return self.wrong(self.at, "a conditional group has at most two branches");
        }
        if !self.eat(")") {
            return self.wrong(start, "this group is not closed");
        }
        Ok(Node::Conditional { group, yes, no })
    }

    fn inline_flags(
        &mut self,
        start: usize,
        letter: char,
        flags: &mut Flags,
        first: bool,
    ) -> Step<Option<Node>> {
        let (mut on, mut off) = (0, 0);
        let mut letter = Some(letter);
        let mut removing = false;
        loop {
            let at = self.at;
            let bit = match letter {
                Some('i') => Flags::IGNORE_CASE,
                Some('m') => Flags::MULTI_LINE,
                Some('s') => Flags::DOT_ALL,
                Some('x') => Flags::VERBOSE,
                Some('u') if !removing => Flags::UNICODE,
                Some('a') if !removing => Flags::ASCII,
                Some('-') if !removing => 0,
                Some(':' | ')') => break,
                _ => return self.wrong(at, "expected a flag (a, i, m, s, u, x), `-`, `:` or `)`"),
            };
            removing |= bit == 0;
            *(if removing { &mut off } else { &mut on }) |= bit;
            letter = self.bump();
        }
        let charset = Flags::ASCII | Flags::UNICODE;
        if on & charset == charset || (on | off == 0) || (removing && off == 0) || on & off != 0 {
            return self.wrong(start, "these flags contradict each other or are missing");
        }
        if letter == Some(')') {
            if removing {
                return self.wrong(start, "flags can be removed only for a group, with `:`");
            }
            if !first {
                return self.wrong(start, "flags for the whole pattern must stand at its start");
            }
            if on & Flags::VERBOSE != 0 && !flags.has(Flags::VERBOSE) {
                return Err(Stop::Verbose);
            }
            if (on | flags.0) & charset == charset && flags.has(Flags::ASCII) {
                return self.wrong(start, "the flags ASCII and UNICODE exclude each other");
            }
            flags.0 = with_flags(flags.0, on, 0);
            return Ok(None);
        }
        let node = self.body(start, Flags(with_flags(flags.0, on, off)))?;
        Ok(Some(Node::Concat(vec![node])))
    }

    // Characters.

    fn set(&mut self, set: CharSet) -> SetId {
        let next = SetId::try_from(self.sets.len()).expect("fewer sets than characters of source");
        let sets = &mut self.sets;
        *self.set_ids.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            next
        })
    }

    fn literal(&mut self, point: u32, flags: Flags) -> SetId {
        let set = cased(CharSet::single(point), flags);
        self.set(set)
    }

    fn newline(&mut self) -> SetId {
        self.set(CharSet::single('\n'.into()))
    }

    fn dot(&mut self, flags: Flags) -> SetId {
        let excluded =
            if flags.has(Flags::DOT_ALL) { CharSet::default() } else { CharSet::single(10) };
        self.set(excluded.complement())
    }

    /// The escape whose backslash, just read, stands at `start`.
    fn escape(&mut self, start: usize, flags: Flags) -> Step<Node> {
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
        let digits = self.source[self.at..].as_bytes();
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
    fn class(&mut self, start: usize, flags: Flags) -> Step<SetId> {
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
        let rest = self.source[self.at..].as_bytes();
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

/// `flags` with some added and some removed; ASCII and Unicode replace each other.
fn with_flags(flags: u32, on: u32, off: u32) -> u32 {
    let charset = Flags::ASCII | Flags::UNICODE;
    let kept = if on & charset == 0 { flags } else { flags & !charset };
    (kept | on) & !off
}

/// A lone group around a repetition may be dropped once it has been repeated.
fn unwrap_group(node: Node) -> Node {
    match node {
        Node::Concat(mut parts) if parts.len() == 1 => parts.remove(0),
        node => node,
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
