//! A recursive-descent parser for the syntax of Python's `re`.
//!
//! Rejects what Python 3.11's `re.compile` rejects, and in addition `\N{...}`, which needs the
//! table of Unicode names, and a back-reference within a look-behind.
//!
//! This file parses alternations and sequences, `repetition` counts, `groups` everything that
//! starts with `(`, `inline_flags` `(?i)` and its kin, and `classes` literals, escapes and classes.

mod classes;
mod groups;
mod inline_flags;
mod repetition;

use ahash::AHashMap;

use crate::ast::{Anchor, Ast, CharSetId, ParsedPattern};
use crate::charset::CharSet;
use crate::error::PatternError;
use crate::flags;

/// A set of Python's flags, as its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FlagSet(u32);

impl FlagSet {
    fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

/// Parses `source` under the flags of Python's `re`.
pub(crate) fn parse(source: &str, flags: u32) -> Result<ParsedPattern, PatternError> {
    let mut flags = FlagSet(flags);
    loop {
        let mut parser = Parser::new(source, flags);
        match parser.pattern() {
            Ok(root) => return Ok(ParsedPattern { root, sets: parser.sets }),
            Err(ParseStop::Error(error)) => return Err(error),
            Err(ParseStop::Verbose) => flags.0 |= flags::VERBOSE,
        }
    }
}

/// The reason for which the parser stops before the end of the source.
enum ParseStop {
    Error(PatternError),
    /// An inline `x` flag, which applies to the source before it too: it is parsed again.
    Verbose,
}

type ParseResult<T> = Result<T, ParseStop>;

struct Parser<'a> {
    source: &'a str,
    at: usize,
    flags: FlagSet,
    sets: Vec<CharSet>,
    set_ids: AHashMap<CharSet, CharSetId>,
    /// The sets of long classes by their source: the rules of a language repeat them verbatim.
    classes: AHashMap<(&'a str, FlagSet), CharSetId>,
    group_names: AHashMap<&'a str, u32>,
    /// The number of capturing groups so far.
    groups: u32,
    open_groups: Vec<u32>,
    /// The groups that conditionals test, which may come later, and where they are named.
    tested_groups: Vec<(u32, usize)>,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, flags: FlagSet) -> Parser<'a> {
        Parser {
            source,
            at: 0,
            flags,
            sets: Vec::new(),
            set_ids: AHashMap::new(),
            classes: AHashMap::new(),
            group_names: AHashMap::new(),
            groups: 0,
            open_groups: Vec::new(),
            tested_groups: Vec::new(),
            depth: 0,
        }
    }

    /// Parses the whole source.
    fn pattern(&mut self) -> ParseResult<Ast> {
        if self.flags.has(flags::LOCALE) {
            return self.error(0, "the LOCALE flag is valid only for patterns of bytes");
        }
        if self.flags.has(flags::ASCII) && self.flags.has(flags::UNICODE) {
            return self.error(0, "the flags ASCII and UNICODE exclude each other");
        }
        let mut flags = self.flags;
        let root = self.alternation(&mut flags, true)?;
        if self.peek().is_some() {
            return self.error(self.at, "unmatched `)`");
        }
        if let Some(&(group, at)) = self.tested_groups.iter().find(|tested| tested.0 > self.groups)
        {
            return self.error(at, format!("group {group} does not exist"));
        }
        Ok(root)
    }

    fn error<T>(&self, at: usize, message: impl Into<String>) -> ParseResult<T> {
        let offset = self.source[..at].chars().count();
        Err(ParseStop::Error(PatternError { offset, message: message.into() }))
    }

    /// Returns the next character without consuming it.
    fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    /// Consumes the next character.
    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Consumes `expected` if the source continues with it.
    fn eat(&mut self, expected: &str) -> bool {
        let is_next = self.source[self.at..].starts_with(expected);
        if is_next {
            self.at += expected.len();
        }
        is_next
    }

    fn alternation(&mut self, flags: &mut FlagSet, top: bool) -> ParseResult<Ast> {
        let mut branches = Vec::new();
        loop {
            branches.push(self.sequence(flags, top && branches.is_empty())?);
            if !self.eat("|") {
                break;
            }
        }
        Ok(if branches.len() == 1 { branches.remove(0) } else { Ast::Alternate(branches) })
    }

    fn sequence(&mut self, flags: &mut FlagSet, first: bool) -> ParseResult<Ast> {
        let mut parts: Vec<Ast> = Vec::new();
        while let Some(c) = self.peek() {
            let start = self.at;
            if c == '|' || c == ')' {
                break;
            }
            self.bump();
            if flags.has(flags::VERBOSE) && self.skipped_in_verbose(c)? {
                continue;
            }
            let part = match c {
                '\\' => self.escape(start, *flags)?,
                '[' => Ast::Set(self.class(start, *flags)?),
                '.' => Ast::Set(self.dot(*flags)),
                '^' if flags.has(flags::MULTILINE) => {
                    Ast::Anchor(Anchor::LineStart { newline: self.newline() })
                }
                '^' => Ast::Anchor(Anchor::TextStart),
                '$' if flags.has(flags::MULTILINE) => {
                    Ast::Anchor(Anchor::LineEnd { newline: self.newline() })
                }
                '$' => Ast::Anchor(Anchor::FinalLineEnd),
                '*' | '+' | '?' | '{' => match self.counts(c, start)? {
                    None => Ast::Set(self.literal(c.into(), *flags)),
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
                _ => Ast::Set(self.literal(c.into(), *flags)),
            };
            parts.push(part);
        }
        Ok(match parts.len() {
            0 => Ast::Empty,
            1 => parts.remove(0),
            _ => Ast::Concat(parts),
        })
    }

    /// Returns `true` if `c`, just consumed, is whitespace or starts a comment, which is skipped.
    fn skipped_in_verbose(&mut self, c: char) -> ParseResult<bool> {
        if c == '#' {
            self.comment('\n')?;
            return Ok(true);
        }
        Ok(matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C'))
    }

    /// Skips a comment up to an unescaped `end`, and returns `false` if the source ends before.
    fn comment(&mut self, end: char) -> ParseResult<bool> {
        loop {
            let at = self.at;
            match self.bump() {
                None => return Ok(false),
                Some('\\') if self.bump().is_none() => {
                    return self.error(at, "the pattern ends in a backslash");
                }
                Some(c) if c == end => return Ok(true),
                Some(_) => {}
            }
        }
    }
}
