//! Reads Python's `re` syntax.
//!
//! Follows Python 3.11 in what is an error: a pattern is accepted here exactly
//! when `re.compile` accepts it. The exceptions are `\N{...}`, which would need
//! the table of Unicode names, and a back-reference within a look-behind.
//! Escapes and classes are in `chars`.

mod chars;

use ahash::AHashMap;

use super::PatternError;
use super::charset::CharSet;
use super::syntax::{Border, Greed, Node, Parsed, SetId};

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
    /// What conditionals ask for, and where: a group that may come later.
    asked: Vec<(u32, usize)>,
    depth: u32,
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
            asked: Vec::new(),
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
        if let Some(&(group, at)) = self.asked.iter().find(|asked| asked.0 > self.groups) {
            return self.wrong(at, format!("there is no group {group}"));
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
            if flags.has(Flags::VERBOSE) && self.skipped_in_verbose(c)? {
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
    fn skipped_in_verbose(&mut self, c: char) -> Step<bool> {
        if c == '#' {
            self.comment('\n')?;
            return Ok(true);
        }
        Ok(matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C'))
    }

    /// Skips a comment up to `end`, which a backslash hides; whether it came.
    fn comment(&mut self, end: char) -> Step<bool> {
        loop {
            let at = self.at;
            match self.bump() {
                None => return Ok(false),
                Some('\\') if self.bump().is_none() => {
                    return self.wrong(at, "the pattern ends with a backslash");
                }
                Some(c) if c == end => return Ok(true),
                Some(_) => {}
            }
        }
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
                if !self.comment(')')? {
                    return self.wrong(start, "this comment is not closed");
                }
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
        Ok(Node::Capture(Box::new(node)))
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
        if group == 0 {
            return self.wrong(at, "there is no group 0");
        }
        self.asked.push((group, at));
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
