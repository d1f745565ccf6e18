//! Parses repetition operators: `*`, `+`, `?` and counts in braces.

use super::{ParseResult, Parser};
use crate::ast::{Ast, Greediness};

impl<'a> Parser<'a> {
    /// Returns the least and the greatest count of the operator `c` at `start`; `None` if `c` is a
    /// literal brace.
    pub(super) fn counts(
        &mut self,
        c: char,
        start: usize,
    ) -> ParseResult<Option<(u32, Option<u32>)>> {
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
            return self.error(start, "the minimum of the repetition exceeds its maximum");
        }
        Ok(Some((min, max)))
    }

    /// Consumes decimal digits.
    pub(super) fn digits(&mut self) -> &'a str {
        let rest = &self.source[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += length;
        &rest[..length]
    }

    /// Returns the value of decimal digits.
    pub(super) fn count(&self, digits: &str, start: usize) -> ParseResult<u32> {
        match digits.parse() {
            Ok(count) if count < u32::MAX => Ok(count),
            _ => self.error(start, format!("the repetition count {digits} is too large")),
        }
    }

    /// Repeats `last`, the part before the operator at `start`.
    pub(super) fn repeat(
        &mut self,
        last: Option<Ast>,
        start: usize,
        min: u32,
        max: Option<u32>,
    ) -> ParseResult<Ast> {
        let node = match last {
            None | Some(Ast::Anchor(_)) => {
                return self.error(start, "nothing to repeat before this operator");
            }
            Some(Ast::Repeat { .. }) => {
                return self.error(start, "a repetition must be put in a group to be repeated");
            }
            Some(node) => Box::new(unwrap_group(node)),
        };
        let greed = if self.eat("?") {
            Greediness::Lazy
        } else if self.eat("+") {
            Greediness::Possessive
        } else {
            Greediness::Greedy
        };
        Ok(Ast::Repeat { node, min, max, greed })
    }
}

/// Removes the marker of a group around a repetition, once the group is repeated.
fn unwrap_group(node: Ast) -> Ast {
    match node {
        Ast::Concat(mut parts) if parts.len() == 1 => parts.remove(0),
        node => node,
    }
}
