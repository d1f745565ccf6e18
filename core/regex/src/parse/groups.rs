//! Parses groups: captures, look-arounds, conditionals, back-references by name, and comments.

use super::{FlagSet, ParseResult, Parser};
use crate::ast::Ast;
use crate::flags;

/// Bounds the recursion of the parser and of all functions that walk the tree.
const MAX_DEPTH: u32 = 200;

impl<'a> Parser<'a> {
    /// Parses the group whose `(` is at `start`; returns `None` if it contains flags or a comment.
    pub(super) fn group(
        &mut self,
        start: usize,
        flags: &mut FlagSet,
        first: bool,
    ) -> ParseResult<Option<Ast>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error(start, format!("more than {MAX_DEPTH} nested groups"));
        }
        let node = self.group_inside(start, flags, first);
        self.depth -= 1;
        node
    }

    fn group_inside(
        &mut self,
        start: usize,
        flags: &mut FlagSet,
        first: bool,
    ) -> ParseResult<Option<Ast>> {
        if !self.eat("?") {
            return self.capture(start, *flags, None).map(Some);
        }
        let at = self.at;
        let Some(c) = self.bump() else {
            return self.error(at, "the pattern ends after `(?`");
        };
        let node = match c {
            'P' if self.eat("<") => {
                let (name, at) = self.name('>')?;
                if let Some(group) = self.group_names.get(name) {
                    let message = format!("group {group} already has the name {name}");
                    return self.error(at, message);
                }
                self.capture(start, *flags, Some(name))?
            }
            'P' if self.eat("=") => {
                let (name, at) = self.name(')')?;
                let Some(&group) = self.group_names.get(name) else {
                    return self.error(at, format!("no group before this one has the name {name}"));
                };
                self.back_reference(group, at, *flags)?
            }
            'P' => return self.error(at, "expected `<` or `=` after `(?P`"),
            ':' => {
                let node = self.body(start, *flags)?;
                Ast::Concat(vec![node])
            }
            '#' => {
                if !self.comment(')')? {
                    return self.error(start, "this comment is not closed by `)`");
                }
                return Ok(None);
            }
            '=' | '!' => {
                let node = Box::new(self.body(start, *flags)?);
                Ast::LookAround { node, behind: None, negate: c == '!' }
            }
            '<' => match self.bump() {
                Some(kind @ ('=' | '!')) => {
                    let node = Box::new(self.body(start, *flags)?);
                    let (min, max) = node.width();
                    if max != Some(min) {
                        return self.error(start, "a look-behind must have a fixed width");
                    }
                    Ast::LookAround { node, behind: Some(min), negate: kind == '!' }
                }
                _ => return self.error(at, "expected `=` or `!` after `(?<`"),
            },
            '>' => Ast::Atomic(Box::new(self.body(start, *flags)?)),
            '(' => self.conditional(start, *flags)?,
            c if c == '-' || c.is_ascii_alphabetic() => {
                return self.inline_flags(start, c, flags, first);
            }
            _ => return self.error(at, format!("unknown group `(?{c}`")),
        };
        Ok(Some(node))
    }

    /// Parses up to the `)` of the group that starts at `start`.
    pub(super) fn body(&mut self, start: usize, flags: FlagSet) -> ParseResult<Ast> {
        let node = self.alternation(&mut { flags }, false)?;
        if self.eat(")") { Ok(node) } else { self.error(start, "this group is not closed by `)`") }
    }

    fn capture(&mut self, start: usize, flags: FlagSet, name: Option<&'a str>) -> ParseResult<Ast> {
        self.groups += 1;
        let group = self.groups;
        if let Some(name) = name {
            self.group_names.insert(name, group);
        }
        self.open_groups.push(group);
        let node = self.body(start, flags)?;
        self.open_groups.pop();
        Ok(Ast::Capture(Box::new(node)))
    }

    /// Parses a name up to `end`, and returns it with its position.
    fn name(&mut self, end: char) -> ParseResult<(&'a str, usize)> {
        let at = self.at;
        let Some(length) = self.source[at..].find(end) else {
            return self.error(at, format!("a group name must end with `{end}`"));
        };
        self.at += length + 1;
        let name = &self.source[at..at + length];
        let valid = |c: char| c == '_' || c.is_alphanumeric();
        if !name.chars().all(valid) || name.chars().next().is_none_or(char::is_numeric) {
            return self.error(at, format!("`{name}` is not a valid group name"));
        }
        Ok((name, at))
    }

    /// Returns a back-reference at `at`.
    pub(super) fn back_reference(&self, group: u32, at: usize, flags: FlagSet) -> ParseResult<Ast> {
        if group > self.groups {
            return self.error(at, format!("group {group} does not exist before this reference"));
        }
        if self.open_groups.contains(&group) {
            return self.error(at, format!("group {group} is not closed before this reference"));
        }
        Ok(Ast::BackReference { group, ignore_case: flags.has(flags::IGNORECASE) })
    }

    /// Parses a conditional group after `(?(`.
    fn conditional(&mut self, start: usize, flags: FlagSet) -> ParseResult<Ast> {
        let at = self.at;
        let group = if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            let digits = self.digits();
            if !self.eat(")") {
                return self.error(at, "a group number must end with `)`");
            }
            self.count(digits, at)?
        } else {
            let (name, at) = self.name(')')?;
            match self.group_names.get(name) {
                Some(&group) => group,
                None => {
                    return self.error(at, format!("no group before this one has the name {name}"));
                }
            }
        };
        if group == 0 {
            return self.error(at, "group 0 cannot be tested");
        }
        self.tested_groups.push((group, at));
        let yes = Box::new(self.sequence(&mut { flags }, false)?);
        let no = Box::new(if self.eat("|") {
            self.sequence(&mut { flags }, false)?
        } else {
            Ast::Empty
        });
        if self.peek() == Some('|') {
            return self.error(self.at, "a conditional group has at most two branches");
        }
        if !self.eat(")") {
            return self.error(start, "this group is not closed by `)`");
        }
        Ok(Ast::Conditional { group, yes, no })
    }
}
