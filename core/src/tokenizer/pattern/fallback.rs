//! Patterns that are not regular, on a backtracking engine with a step limit.
//!
//! Back-references, conditionals and atomic groups need it. The pattern is
//! spelled out anew from its tree, so that classes, borders and case are
//! Python's here too.

use std::fmt::Write;

use fancy_regex::{Regex, RegexBuilder, RuntimeError};

use super::charset::CharSet;
use super::syntax::{Border, Greed, Node, Parsed};

/// How many backtracking steps one search may take.
pub(super) const MOST_STEPS: usize = 1_000_000;

/// The search took more than [`MOST_STEPS`] steps, or as much memory.
#[derive(Debug)]
pub(super) struct OutOfSteps;

#[derive(Debug)]
pub(super) struct Fallback {
    regex: Regex,
    /// Finds only matches that do not end where the search began.
    taking: Regex,
}

impl Fallback {
    /// Compiles for the engine; the error is its own message.
    pub(super) fn new(parsed: &Parsed) -> Result<Fallback, String> {
        let spelled = spell(parsed);
        let build = |pattern: &str| {
            RegexBuilder::new(pattern)
                .backtrack_limit(MOST_STEPS)
                .build()
                .map_err(|error| error.to_string())
        };
        let taking = build(&format!("(?:{spelled})(?!\\G)"))?;
        Ok(Fallback { regex: build(&spelled)?, taking })
    }

    pub(super) fn search(&self, text: &str) -> Result<Option<(usize, usize)>, OutOfSteps> {
        find(&self.regex, text, 0)
    }

    pub(super) fn is_match(&self, text: &str) -> Result<bool, OutOfSteps> {
        Ok(self.search(text)?.is_some_and(|(start, _)| start == 0))
    }

    pub(super) fn find_all(
        &self,
        text: &str,
        out: &mut Vec<(usize, usize)>,
    ) -> Result<(), OutOfSteps> {
        let mut from = 0;
        let mut regex = &self.regex;
        while let Some((start, end)) = find(regex, text, from)? {
            out.push((start, end));
            from = end;
            regex = if start == end { &self.taking } else { &self.regex };
        }
        Ok(())
    }
}

fn find(regex: &Regex, text: &str, from: usize) -> Result<Option<(usize, usize)>, OutOfSteps> {
    match regex.find_from_pos(text, from) {
        Ok(found) => Ok(found.map(|found| (found.start(), found.end()))),
        Err(fancy_regex::Error::RuntimeError(
            RuntimeError::BacktrackLimitExceeded | RuntimeError::StackOverflow,
        )) => Err(OutOfSteps),
        Err(_) => Ok(None),
    }
}

/// The pattern in the engine's own syntax.
pub(super) fn spell(parsed: &Parsed) -> String {
    let mut out = String::new();
    spell_node(&parsed.root, &parsed.sets, &mut out);
    out
}

fn spell_node(node: &Node, sets: &[CharSet], out: &mut String) {
    let set = |id: u32| &sets[id as usize];
    let wrap = |open: &str, node: &Node, out: &mut String| {
        out.push_str(open);
        spell_node(node, sets, out);
        out.push(')');
    };
    match node {
        Node::Empty => {}
        Node::Set(id) => spell_set(set(*id), out),
        Node::Concat(parts) => parts.iter().for_each(|part| spell_node(part, sets, out)),
        Node::Alternate(branches) => {
            for (ix, branch) in branches.iter().enumerate() {
                out.push_str(if ix == 0 { "(?:" } else { "|" });
                spell_node(branch, sets, out);
            }
            out.push(')');
        }
        // The engine does not repeat what has no width, and need not.
        Node::Repeat { node, min: 1.., .. } if node.width() == (0, Some(0)) => {
            wrap("(?:", node, out);
        }
        Node::Repeat { node, max: Some(0), .. } if node.width() == (0, Some(0)) => {}
        Node::Repeat { node, greed, .. } if node.width() == (0, Some(0)) => {
            out.push_str(if *greed == Greed::Lazy { "(?:|" } else { "(?:" });
            spell_node(node, sets, out);
            out.push_str(if *greed == Greed::Lazy { ")" } else { "|)" });
        }
        Node::Repeat { node, min, max, greed } => {
            out.push_str(if *greed == Greed::Possessive { "(?>(?:" } else { "(?:" });
            spell_node(node, sets, out);
            let _ = match max {
                Some(max) => write!(out, "){{{min},{max}}}"),
                None => write!(out, "){{{min},}}"),
            };
            out.push_str(match greed {
                Greed::Greedy => "",
                Greed::Lazy => "?",
                Greed::Possessive => ")",
            });
        }
        Node::Capture(node) => wrap("(", node, out),
        Node::Border(border) => spell_border(*border, sets, out),
        Node::Look { node, behind, negate } => {
            let open = match (behind.is_some(), negate) {
                (false, false) => "(?=",
                (false, true) => "(?!",
                (true, false) => "(?<=",
                (true, true) => "(?<!",
            };
            wrap(open, node, out);
        }
        Node::Atomic(node) => wrap("(?>", node, out),
        Node::BackReference { group, ignore_case } => {
            let _ = write!(out, "(?{}:\\{group})", if *ignore_case { "i" } else { "" });
        }
        Node::Conditional { group, yes, no } => {
            let _ = write!(out, "(?({group})");
            wrap("(?:", yes, out);
            out.push('|');
            wrap("(?:", no, out);
            out.push(')');
        }
    }
}

fn spell_set(set: &CharSet, out: &mut String) {
    let surrogates = CharSet::new(vec![(0xD800, 0xDFFF)]).complement();
    let mut ranges = Vec::new();
    for &(low, high) in set.ranges() {
        for &(least, most) in surrogates.ranges() {
            if low.max(least) <= high.min(most) {
                ranges.push((low.max(least), high.min(most)));
            }
        }
    }
    if ranges.is_empty() {
        // A set without members, which the engine does not spell.
        out.push_str("(?!)");
        return;
    }
    out.push('[');
    for (low, high) in ranges {
        let _ = write!(out, "\\x{{{low:X}}}-\\x{{{high:X}}}");
    }
    out.push(']');
}

fn spell_border(border: Border, sets: &[CharSet], out: &mut String) {
    let set = |id: u32| {
        let mut spelled = String::new();
        spell_set(&sets[id as usize], &mut spelled);
        spelled
    };
    match border {
        Border::TextStart => out.push_str("\\A"),
        Border::TextEnd => out.push_str("\\z"),
        Border::LastLineEnd => out.push_str("(?=\\n?\\z)"),
        Border::LineStart { .. } => out.push_str("(?:\\A|(?<=\\n))"),
        Border::LineEnd { .. } => out.push_str("(?=\\n|\\z)"),
        Border::Word { word, negate } => {
            let word = set(word);
            let _ = if negate {
                let some = "(?:(?=[\\s\\S])|(?<=[\\s\\S]))";
                write!(out, "(?:{some}(?:(?<={word})(?={word})|(?<!{word})(?!{word})))")
            } else {
                write!(out, "(?:(?<={word})(?!{word})|(?<!{word})(?={word}))")
            };
        }
    }
}
