//! The abstract syntax tree of a pattern.
//!
//! Flags and escapes are resolved by the parser: a set contains exactly the characters that match,
//! in either case if case is ignored.

use crate::charset::CharSet;

/// The index of a set in [`ParsedPattern::sets`].
pub(crate) type CharSetId = u32;

/// A pattern as a tree.
#[derive(Clone, Debug)]
pub(crate) enum Ast {
    Empty,
    Set(CharSetId),
    Concat(Vec<Ast>),
    Alternate(Vec<Ast>),
    Repeat {
        node: Box<Ast>,
        min: u32,
        max: Option<u32>,
        greed: Greediness,
    },
    /// A group that back-references and conditionals can refer to.
    Capture(Box<Ast>),
    Anchor(Anchor),
    /// A look-around; `behind` is its width in characters if it is a look-behind.
    LookAround {
        node: Box<Ast>,
        behind: Option<u32>,
        negate: bool,
    },
    Atomic(Box<Ast>),
    BackReference {
        group: u32,
        ignore_case: bool,
    },
    Conditional {
        group: u32,
        yes: Box<Ast>,
        no: Box<Ast>,
    },
}

/// The order in which a repetition tries its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Greediness {
    Greedy,
    Lazy,
    Possessive,
}

/// An assertion about a position: `^`, `$`, `\A`, `\Z`, `\b` or `\B`. A `newline` or `word` is the
/// set of characters that the assertion tests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    TextStart,
    TextEnd,
    /// The end of the text, or the position before a newline that ends it.
    FinalLineEnd,
    LineStart {
        newline: CharSetId,
    },
    LineEnd {
        newline: CharSetId,
    },
    WordBoundary {
        word: CharSetId,
        negate: bool,
    },
}

/// A pattern as the parser returns it: a tree, and the sets of characters that it refers to.
#[derive(Debug)]
pub(crate) struct ParsedPattern {
    pub(crate) root: Ast,
    pub(crate) sets: Vec<CharSet>,
}

impl Ast {
    /// Returns the least and the greatest number of characters that a match can have; the greatest
    /// is `None` if it is unbounded or depends on a back-reference.
    pub(crate) fn width(&self) -> (u32, Option<u32>) {
        match self {
            Ast::Empty | Ast::Anchor(_) | Ast::LookAround { .. } => (0, Some(0)),
            Ast::Set(_) => (1, Some(1)),
            Ast::Concat(parts) => parts.iter().fold((0, Some(0)), |sum, part| {
                let (min, max) = part.width();
                let greatest = sum.1.zip(max).and_then(|(a, b): (u32, u32)| a.checked_add(b));
                (sum.0.saturating_add(min), greatest)
            }),
            Ast::Alternate(branches) => choice_width(branches.iter().map(Ast::width)),
            Ast::Repeat { node, min, max, .. } => {
                let (least, greatest) = node.width();
                let times = |width: u32| max.and_then(|max| width.checked_mul(max));
                let greatest =
                    if greatest == Some(0) { greatest } else { greatest.and_then(times) };
                (least.saturating_mul(*min), greatest)
            }
            Ast::Capture(node) | Ast::Atomic(node) => node.width(),
            Ast::BackReference { .. } => (0, None),
            Ast::Conditional { yes, no, .. } => choice_width([yes.width(), no.width()].into_iter()),
        }
    }

    /// Returns `true` if a backtracker runs the pattern part by part: it has a look-around, a
    /// back-reference, a conditional, or a choice that is final.
    pub(crate) fn needs_backtracking(&self) -> bool {
        match self {
            Ast::Empty | Ast::Set(_) | Ast::Anchor(_) => false,
            Ast::Concat(parts) | Ast::Alternate(parts) => parts.iter().any(Ast::needs_backtracking),
            Ast::Repeat { node, greed, .. } => {
                *greed == Greediness::Possessive || node.needs_backtracking()
            }
            Ast::Capture(node) => node.needs_backtracking(),
            Ast::LookAround { .. }
            | Ast::Atomic(_)
            | Ast::BackReference { .. }
            | Ast::Conditional { .. } => true,
        }
    }

    /// Returns `true` if every match starts at the start of the text.
    pub(crate) fn is_anchored_at_start(&self) -> bool {
        match self {
            Ast::Anchor(anchor) => matches!(anchor, Anchor::TextStart),
            Ast::Concat(parts) => any_up_to_first_wide(parts.iter(), Ast::is_anchored_at_start),
            Ast::Alternate(branches) => branches.iter().all(Ast::is_anchored_at_start),
            Ast::Repeat { node, min, .. } => *min > 0 && node.is_anchored_at_start(),
            Ast::Capture(node) | Ast::Atomic(node) => node.is_anchored_at_start(),
            _ => false,
        }
    }

    /// Returns `true` if every match ends at the end of the text or before its final newline.
    pub(crate) fn is_anchored_at_end(&self) -> bool {
        match self {
            Ast::Anchor(anchor) => matches!(anchor, Anchor::TextEnd | Anchor::FinalLineEnd),
            Ast::Concat(parts) => any_up_to_first_wide(parts.iter().rev(), Ast::is_anchored_at_end),
            Ast::Alternate(branches) => branches.iter().all(Ast::is_anchored_at_end),
            Ast::Repeat { node, min, .. } => *min > 0 && node.is_anchored_at_end(),
            Ast::Capture(node) | Ast::Atomic(node) => node.is_anchored_at_end(),
            _ => false,
        }
    }

    /// Returns at most three ASCII characters of which every match contains one, if they are known:
    /// the bytes that a prefilter searches for.
    pub(crate) fn required_bytes(&self, sets: &[CharSet]) -> Option<Vec<u8>> {
        match self {
            Ast::Set(set) => sets[*set as usize].few_ascii(3),
            Ast::Concat(parts) => {
                parts.iter().filter_map(|part| part.required_bytes(sets)).min_by_key(Vec::len)
            }
            Ast::Alternate(branches) => {
                let mut all = Vec::new();
                for branch in branches {
                    all.extend(branch.required_bytes(sets)?);
                    all.sort_unstable();
                    all.dedup();
                }
                (all.len() <= 3).then_some(all)
            }
            Ast::Repeat { node, min, .. } if *min > 0 => node.required_bytes(sets),
            Ast::Capture(node) | Ast::Atomic(node) => node.required_bytes(sets),
            _ => None,
        }
    }
}

/// Returns the width of a choice between nodes with these widths.
fn choice_width(widths: impl Iterator<Item = (u32, Option<u32>)>) -> (u32, Option<u32>) {
    widths
        .reduce(|a, b| (a.0.min(b.0), a.1.zip(b.1).map(|(a, b)| a.max(b))))
        .unwrap_or((0, Some(0)))
}

/// Returns `true` if `holds` is true of the first part that can consume a character, or of a part
/// before it.
fn any_up_to_first_wide<'a>(parts: impl Iterator<Item = &'a Ast>, holds: fn(&Ast) -> bool) -> bool {
    for part in parts {
        if holds(part) {
            return true;
        }
        if part.width() != (0, Some(0)) {
            return false;
        }
    }
    false
}
