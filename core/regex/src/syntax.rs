//! What a pattern says, once its spelling is behind us.

use super::charset::CharSet;

/// The index of a set in [`Parsed::sets`].
pub(super) type SetId = u32;

/// A pattern as a tree. Flags and escapes are resolved: what a set holds is
/// what matches, case and all.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Empty,
    Set(SetId),
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        greed: Greed,
    },
    /// A group that a back-reference or a conditional may ask for.
    Capture(Box<Node>),
    Border(Border),
    /// A look-around; `behind` is its width in characters if it looks back.
    Look {
        node: Box<Node>,
        behind: Option<u32>,
        negate: bool,
    },
    Atomic(Box<Node>),
    BackReference {
        group: u32,
        ignore_case: bool,
    },
    Conditional {
        group: u32,
        yes: Box<Node>,
        no: Box<Node>,
    },
}

/// In which order a repetition tries its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Greed {
    Greedy,
    Lazy,
    Possessive,
}

/// A place that has no width. A `newline` or `word` is the set it asks about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Border {
    TextStart,
    TextEnd,
    /// The end, or before a newline that ends the text.
    LastLineEnd,
    LineStart {
        newline: SetId,
    },
    LineEnd {
        newline: SetId,
    },
    Word {
        word: SetId,
        negate: bool,
    },
}

/// A parsed pattern and the character sets it names.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    pub(super) sets: Vec<CharSet>,
}

impl Node {
    /// The fewest and the most characters that the node can match, where known.
    pub(super) fn width(&self) -> (u32, Option<u32>) {
        match self {
            Node::Empty | Node::Border(_) | Node::Look { .. } => (0, Some(0)),
            Node::Set(_) => (1, Some(1)),
            Node::Concat(parts) => parts.iter().fold((0, Some(0)), |sum, part| {
                let (min, max) = part.width();
                let most = sum.1.zip(max).and_then(|(a, b): (u32, u32)| a.checked_add(b));
                (sum.0.saturating_add(min), most)
            }),
            Node::Alternate(branches) => either(branches.iter().map(Node::width)),
            Node::Repeat { node, min, max, .. } => {
                let (fewest, most) = node.width();
                let times = |width: u32| max.and_then(|max| width.checked_mul(max));
                let most = if most == Some(0) { most } else { most.and_then(times) };
                (fewest.saturating_mul(*min), most)
            }
            Node::Capture(node) | Node::Atomic(node) => node.width(),
            Node::BackReference { .. } => (0, None),
            Node::Conditional { yes, no, .. } => either([yes.width(), no.width()].into_iter()),
        }
    }

    /// Whether every match begins where the text does.
    pub(super) fn starts_at_edge(&self) -> bool {
        match self {
            Node::Border(border) => matches!(border, Border::TextStart),
            Node::Concat(parts) => first_wide(parts.iter(), Node::starts_at_edge),
            Node::Alternate(branches) => branches.iter().all(Node::starts_at_edge),
            Node::Repeat { node, min, .. } => *min > 0 && node.starts_at_edge(),
            Node::Capture(node) | Node::Atomic(node) => node.starts_at_edge(),
            _ => false,
        }
    }

    /// Whether every match ends where the text does, or before its last newline.
    pub(super) fn ends_at_edge(&self) -> bool {
        match self {
            Node::Border(border) => matches!(border, Border::TextEnd | Border::LastLineEnd),
            Node::Concat(parts) => first_wide(parts.iter().rev(), Node::ends_at_edge),
            Node::Alternate(branches) => branches.iter().all(Node::ends_at_edge),
            Node::Repeat { node, min, .. } => *min > 0 && node.ends_at_edge(),
            Node::Capture(node) | Node::Atomic(node) => node.ends_at_edge(),
            _ => false,
        }
    }

    /// At most three ASCII characters of which every match contains one.
    pub(super) fn needed_bytes(&self, sets: &[CharSet]) -> Option<Vec<u8>> {
        match self {
            Node::Set(set) => sets[*set as usize].few_ascii(3),
            Node::Concat(parts) => {
                parts.iter().filter_map(|part| part.needed_bytes(sets)).min_by_key(Vec::len)
            }
            Node::Alternate(branches) => {
                let mut all = Vec::new();
                for branch in branches {
                    all.extend(branch.needed_bytes(sets)?);
                    all.sort_unstable();
                    all.dedup();
                }
                (all.len() <= 3).then_some(all)
            }
            Node::Repeat { node, min, .. } if *min > 0 => node.needed_bytes(sets),
            Node::Capture(node) | Node::Atomic(node) => node.needed_bytes(sets),
            _ => None,
        }
    }
}

fn either(widths: impl Iterator<Item = (u32, Option<u32>)>) -> (u32, Option<u32>) {
    widths
        .reduce(|a, b| (a.0.min(b.0), a.1.zip(b.1).map(|(a, b)| a.max(b))))
        .unwrap_or((0, Some(0)))
}

/// Whether `holds` for some part before anything that has width.
fn first_wide<'a>(parts: impl Iterator<Item = &'a Node>, holds: fn(&Node) -> bool) -> bool {
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
