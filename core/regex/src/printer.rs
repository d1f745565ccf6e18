//! Prints a syntax tree in the syntax of `fancy-regex`.
//!
//! The pattern is printed from its tree and not passed on as written, so that classes, boundaries
//! and case folding are Python's on the backtracker too.

use std::fmt::Write;

use crate::ast::{Anchor, Ast, Greediness, ParsedPattern};
use crate::charset::CharSet;

/// Returns a pattern in the syntax of `fancy-regex`.
pub(crate) fn print(pattern: &ParsedPattern) -> String {
    let mut out = String::new();
    print_node(&pattern.root, &pattern.sets, &mut out);
    out
}

fn print_node(node: &Ast, sets: &[CharSet], out: &mut String) {
    let set = |id: u32| &sets[id as usize];
    let wrap = |open: &str, node: &Ast, out: &mut String| {
        out.push_str(open);
        print_node(node, sets, out);
        out.push(')');
    };
    match node {
        Ast::Empty => {}
        Ast::Set(id) => print_set(set(*id), out),
        Ast::Concat(parts) => parts.iter().for_each(|part| print_node(part, sets, out)),
        Ast::Alternate(branches) => {
            for (ix, branch) in branches.iter().enumerate() {
                out.push_str(if ix == 0 { "(?:" } else { "|" });
                print_node(branch, sets, out);
            }
            out.push(')');
        }
        // `fancy-regex` rejects the repetition of a node without width; once is as good as often.
        Ast::Repeat { node, min: 1.., .. } if node.width() == (0, Some(0)) => {
            wrap("(?:", node, out);
        }
        Ast::Repeat { node, max: Some(0), .. } if node.width() == (0, Some(0)) => {}
        Ast::Repeat { node, greed, .. } if node.width() == (0, Some(0)) => {
            out.push_str(if *greed == Greediness::Lazy { "(?:|" } else { "(?:" });
            print_node(node, sets, out);
            out.push_str(if *greed == Greediness::Lazy { ")" } else { "|)" });
        }
        Ast::Repeat { node, min, max, greed } => {
            out.push_str(if *greed == Greediness::Possessive { "(?>(?:" } else { "(?:" });
            print_node(node, sets, out);
            let _ = match max {
                Some(max) => write!(out, "){{{min},{max}}}"),
                None => write!(out, "){{{min},}}"),
            };
            out.push_str(match greed {
                Greediness::Greedy => "",
                Greediness::Lazy => "?",
                Greediness::Possessive => ")",
            });
        }
        Ast::Capture(node) => wrap("(", node, out),
        Ast::Anchor(anchor) => print_anchor(*anchor, sets, out),
        Ast::LookAround { node, behind, negate } => {
            let open = match (behind.is_some(), negate) {
                (false, false) => "(?=",
                (false, true) => "(?!",
                (true, false) => "(?<=",
                (true, true) => "(?<!",
            };
            wrap(open, node, out);
        }
        Ast::Atomic(node) => wrap("(?>", node, out),
        Ast::BackReference { group, ignore_case } => {
            let _ = write!(out, "(?{}:\\{group})", if *ignore_case { "i" } else { "" });
        }
        Ast::Conditional { group, yes, no } => {
            let _ = write!(out, "(?({group})");
            wrap("(?:", yes, out);
            out.push('|');
            wrap("(?:", no, out);
            out.push(')');
        }
    }
}

fn print_set(set: &CharSet, out: &mut String) {
    let scalars = CharSet::new(vec![(0xD800, 0xDFFF)]).complement();
    let mut ranges = Vec::new();
    for &(low, high) in set.ranges() {
        for &(first, last) in scalars.ranges() {
            if low.max(first) <= high.min(last) {
                ranges.push((low.max(first), high.min(last)));
            }
        }
    }
    if ranges.is_empty() {
        // `fancy-regex` rejects a class without members.
        out.push_str("(?!)");
        return;
    }
    out.push('[');
    for (low, high) in ranges {
        let _ = write!(out, "\\x{{{low:X}}}-\\x{{{high:X}}}");
    }
    out.push(']');
}

fn print_anchor(anchor: Anchor, sets: &[CharSet], out: &mut String) {
    let set = |id: u32| {
        let mut printed = String::new();
        print_set(&sets[id as usize], &mut printed);
        printed
    };
    match anchor {
        Anchor::TextStart => out.push_str("\\A"),
        Anchor::TextEnd => out.push_str("\\z"),
        Anchor::FinalLineEnd => out.push_str("(?=\\n?\\z)"),
        Anchor::LineStart { .. } => out.push_str("(?:\\A|(?<=\\n))"),
        Anchor::LineEnd { .. } => out.push_str("(?=\\n|\\z)"),
        Anchor::WordBoundary { word, negate } => {
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
