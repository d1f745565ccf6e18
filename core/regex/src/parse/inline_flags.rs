//! Parses inline flags: `(?i)` for the whole pattern, `(?i-m:...)` for a group.

use super::{FlagSet, ParseResult, ParseStop, Parser};
use crate::ast::Ast;
use crate::flags;

impl Parser<'_> {
    /// Parses the flags of the group at `start`, whose first character `letter` was consumed;
    /// `first` if nothing of the pattern precedes the group.
    pub(super) fn inline_flags(
        &mut self,
        start: usize,
        letter: char,
        flags: &mut FlagSet,
        first: bool,
    ) -> ParseResult<Option<Ast>> {
        let (mut on, mut off) = (0, 0);
        let mut letter = Some(letter);
        let mut removing = false;
        loop {
            let at = self.at;
            let bit = match letter {
                Some('i') => flags::IGNORECASE,
                Some('m') => flags::MULTILINE,
                Some('s') => flags::DOTALL,
                Some('x') => flags::VERBOSE,
                Some('u') if !removing => flags::UNICODE,
                Some('a') if !removing => flags::ASCII,
                Some('-') if !removing => 0,
                Some(':' | ')') => break,
                _ => return self.error(at, "expected a flag (a, i, m, s, u, x), `-`, `:` or `)`"),
            };
            removing |= bit == 0;
            *(if removing { &mut off } else { &mut on }) |= bit;
            letter = self.bump();
        }
        let charset = flags::ASCII | flags::UNICODE;
        if on & charset == charset || (on | off == 0) || (removing && off == 0) || on & off != 0 {
            return self.error(start, "missing or contradictory flags");
        }
        if letter == Some(')') {
            if removing {
                return self
                    .error(start, "flags can only be removed for a group, as in `(?-i:...)`");
            }
            if !first {
                return self.error(start, "flags of the whole pattern must stand at its start");
            }
            if on & flags::VERBOSE != 0 && !flags.has(flags::VERBOSE) {
                return Err(ParseStop::Verbose);
            }
            if (on | flags.0) & charset == charset && flags.has(flags::ASCII) {
                return self.error(start, "the flags ASCII and UNICODE exclude each other");
            }
            flags.0 = with_flags(flags.0, on, 0);
            return Ok(None);
        }
        let node = self.body(start, FlagSet(with_flags(flags.0, on, off)))?;
        Ok(Some(Ast::Concat(vec![node])))
    }
}

/// Returns `flags` with some added and some removed; ASCII and UNICODE replace each other.
fn with_flags(flags: u32, on: u32, off: u32) -> u32 {
    let charset = flags::ASCII | flags::UNICODE;
    let base = if on & charset == 0 { flags } else { flags & !charset };
    (base | on) & !off
}
