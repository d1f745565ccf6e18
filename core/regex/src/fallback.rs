//! Patterns that are not regular, on a backtracking engine with a step limit.
//!
//! Back-references, conditionals and atomic groups need it. The pattern is
//! spelled out anew from its tree, so that classes, borders and case are
//! Python's here too.

use std::fmt::Write;
use std::sync::OnceLock;

use fancy_regex::{Regex, RegexBuilder, RuntimeError};

use super::charset::CharSet;
use super::syntax::{Border, Greed, Node, Parsed};

/// The backtracking steps that one search may take.
pub(super) const MAX_STEPS: usize = 1_000_000;

/// The steps that each try of a search may take. The engine does not tell how many it took, so a search
/// begins with few and is tried again with more: its cost is known by the limits that it has reached, to a
/// factor of four.
const TRIES: [usize; 7] = [1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, MAX_STEPS];

/// The steps that the searches of one chunk may take together, beside those for each of its bytes.
const STEPS_OF_A_CHUNK: usize = 4 * MAX_STEPS;

/// Two searches for each affix that is cut off, and as many questions whether the rest is one token, of
/// the cheapest kind.
const STEPS_OF_A_BYTE: usize = 4 * TRIES[0];

/// The steps that the searches of one chunk may still take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    all: usize,
    left: usize,
}

impl Allowance {
    /// The allowance of a chunk of so many bytes.
    pub(super) fn of(bytes: usize) -> Allowance {
        let all = bytes.saturating_mul(STEPS_OF_A_BYTE).saturating_add(STEPS_OF_A_CHUNK);
        Allowance { all, left: all }
    }

    fn spend(&mut self, steps: usize) -> Result<(), OutOfSteps> {
        self.left = self.left.checked_sub(steps).ok_or(OutOfSteps { limit: self.all })?;
        Ok(())
    }
}

/// A search took more than [`MAX_STEPS`] steps, or as much memory; or the searches of one chunk took more
/// than their [`Allowance`].
#[derive(Debug)]
pub(super) struct OutOfSteps {
    /// The limit that was reached.
    pub(super) limit: usize,
}

/// The pattern for each of the [`TRIES`], the last of which is made first.
#[derive(Debug)]
struct Limited {
    pattern: String,
    tries: [OnceLock<Regex>; TRIES.len()],
}

impl Limited {
    fn new(pattern: String) -> Result<Limited, String> {
        let tries = [const { OnceLock::new() }; TRIES.len()];
        let last = build(&pattern, MAX_STEPS).map_err(|error| error.to_string())?;
        tries[TRIES.len() - 1].get_or_init(|| last);
        Ok(Limited { pattern, tries })
    }

    fn find(
        &self,
        text: &str,
        from: usize,
        allowance: &mut Allowance,
    ) -> Result<Option<(usize, usize)>, OutOfSteps> {
        // The least that the search takes: more than the last try in vain was given.
        let mut least = TRIES[0];
        for (regex, most) in self.tries.iter().zip(TRIES) {
            let regex = regex.get_or_init(|| {
                build(&self.pattern, most).expect("the pattern was compiled with another limit")
            });
            match regex.find_from_pos(text, from) {
                Ok(found) => {
                    allowance.spend(least)?;
                    return Ok(found.map(|found| (found.start(), found.end())));
                }
                Err(fancy_regex::Error::RuntimeError(
                    RuntimeError::BacktrackLimitExceeded | RuntimeError::StackOverflow,
                )) => allowance.spend(most)?,
                Err(_) => return Ok(None),
            }
            least = most;
        }
        Err(OutOfSteps { limit: MAX_STEPS })
    }
}

fn build(pattern: &str, most: usize) -> Result<Regex, fancy_regex::Error> {
    RegexBuilder::new(pattern).backtrack_limit(most).build()
}

#[derive(Debug)]
pub(super) struct Fallback {
    regex: Limited,
    /// Finds only matches that do not end where the search began.
    taking: Limited,
}

impl Fallback {
    /// Compiles for the engine; the error is its own message.
    pub(super) fn new(parsed: &Parsed) -> Result<Fallback, String> {
        let spelled = spell(parsed);
        let taking = Limited::new(format!("(?:{spelled})(?!\\G)"))?;
        Ok(Fallback { regex: Limited::new(spelled)?, taking })
    }

    pub(super) fn search(
        &self,
        text: &str,
        allowance: &mut Allowance,
    ) -> Result<Option<(usize, usize)>, OutOfSteps> {
        self.regex.find(text, 0, allowance)
    }

    pub(super) fn is_match(
        &self,
        text: &str,
        allowance: &mut Allowance,
    ) -> Result<bool, OutOfSteps> {
        Ok(self.search(text, allowance)?.is_some_and(|(start, _)| start == 0))
    }

    pub(super) fn find_all(
        &self,
        text: &str,
        out: &mut Vec<(usize, usize)>,
        allowance: &mut Allowance,
    ) -> Result<(), OutOfSteps> {
        let mut from = 0;
        let mut regex = &self.regex;
        while let Some((start, end)) = regex.find(text, from, allowance)? {
            out.push((start, end));
            from = end;
            regex = if start == end { &self.taking } else { &self.regex };
        }
        Ok(())
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
