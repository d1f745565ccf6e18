//! Patterns: `lexpool-regex` against a naive matcher on generated patterns, and on any source.

use lexpool::tokenizer::pattern::{Pattern, flags};

use crate::choices::Choices;
use crate::pattern_model::{ANCHORS, ATOMS, Node, Search, TooManySteps};

const FLAGS: [u32; 5] = [0, flags::IGNORECASE, flags::MULTILINE, flags::DOTALL, flags::ASCII];
const CHARS: [char; 12] = ['a', 'b', 'A', 'B', '1', '.', '\u{e9}', '\u{c9}', '\n', '-', ' ', '_'];
const COUNTS: [(usize, usize); 6] =
    [(0, usize::MAX), (1, usize::MAX), (0, 1), (2, 2), (1, 2), (2, usize::MAX)];

pub(crate) fn run(bytes: &[u8]) {
    let choices = &mut Choices::new(bytes);
    let flag = choices.of(&FLAGS);
    let node = rule(choices);
    let source = node.source();
    let pattern = match Pattern::new(&source, flag) {
        Ok(pattern) => pattern,
        Err(error) => panic!("{source}: {error:?}"),
    };
    for _ in 0..=choices.below(4) {
        let text = choices.list(10, |choices| choices.of(&CHARS));
        // The naive matcher takes exponential time.
        if compare(&pattern, &node, &text, flag).is_err() {
            return;
        }
    }
}

/// A pattern in one of the forms of a tokenizer's rules.
fn rule(choices: &mut Choices<'_>) -> Node {
    let form = choices.below(4);
    let mut branches = vec![part(choices, 3)];
    branches.extend(choices.list(3, |choices| part(choices, 3)));
    let with = |anchor: usize, is_first: bool| {
        move |node: Node| {
            let anchor = Node::Anchor(ANCHORS[anchor]);
            Node::Sequence(if is_first { vec![anchor, node] } else { vec![node, anchor] })
        }
    };
    Node::Branches(match form {
        0 => branches.into_iter().map(with(0, true)).collect(),
        1 => branches.into_iter().map(with(1, false)).collect(),
        _ => branches,
    })
}

/// A part whose repetitions take a character: on others lexpool differs from Python, as its
/// documentation says.
fn part(choices: &mut Choices<'_>, depth: usize) -> Node {
    let kind = choices.below(if depth == 0 { 4 } else { 8 });
    match kind {
        0 | 1 => Node::Atom(choices.of(&ATOMS)),
        2 => Node::Anchor(choices.of(&ANCHORS)),
        3 => {
            let (is_behind, is_negated) =
                choices.of(&[(false, false), (false, true), (true, false), (true, true)]);
            let one = |choices: &mut Choices<'_>| {
                if choices.one_in(4) {
                    Node::Anchor(choices.of(&ANCHORS))
                } else {
                    Node::Atom(choices.of(&ATOMS))
                }
            };
            let mut nodes = vec![one(choices)];
            nodes.extend(choices.list(2, one));
            Node::Look { nodes, is_behind, is_negated }
        }
        4 | 5 => Node::Sequence(vec![part(choices, depth - 1), part(choices, depth - 1)]),
        6 => Node::Branches(vec![part(choices, depth - 1), part(choices, depth - 1)]),
        _ => {
            let atom = Node::Atom(choices.of(&ATOMS));
            let node = Box::new(Node::Sequence(vec![atom, part(choices, depth - 1)]));
            let (least, most) = choices.of(&COUNTS);
            Node::Repeat { node, least, most, is_lazy: choices.one_in(2) }
        }
    }
}

fn compare(pattern: &Pattern, node: &Node, text: &[char], flags: u32) -> Result<(), TooManySteps> {
    let string: String = text.iter().collect();
    let place = |chars: usize| text[..chars].iter().map(|char| char.len_utf8()).sum::<usize>();
    let bytes = |(start, end): (usize, usize)| (place(start), place(end));
    let mut search = Search { text, flags, steps: 20_000 };
    let mut matcher = pattern.matcher();
    let first = search.find(node, 0, true)?.map(bytes);
    assert_eq!(
        matcher.search(&string).unwrap(),
        first,
        "search of {} in {string:?}",
        node.source()
    );
    let is_match = search.match_at(node, 0, true)?.is_some();
    let found = matcher.matches_at_start(&string).unwrap();
    assert_eq!(found, is_match, "match of {} in {string:?}", node.source());
    let expected: Vec<_> = search.find_all(node)?.into_iter().map(bytes).collect();
    let mut all = Vec::new();
    matcher.find_all(&string, &mut all).unwrap();
    assert_eq!(all, expected, "matches of {} in {string:?}", node.source());
    Ok(())
}

/// Reads any source as a pattern. The first byte selects flags; the source ends at a line break,
/// and a text follows.
pub(crate) fn run_source(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let Ok(rest) = std::str::from_utf8(rest) else { return };
    let (source, text) = rest.split_once('\n').unwrap_or((rest, "ab1,c"));
    let flags = [0, 2, 8, 16, 64, 256, 2 | 8, 2 | 256][usize::from(first % 8)];
    let pattern = match Pattern::new(source, flags) {
        Ok(pattern) => pattern,
        Err(error) => {
            assert!(error.offset <= source.chars().count(), "{source:?}: {error:?}");
            return;
        }
    };
    let mut matcher = pattern.matcher();
    let mut all = Vec::new();
    let (Ok(first), Ok(at_start), Ok(())) =
        (matcher.search(text), matcher.matches_at_start(text), matcher.find_all(text, &mut all))
    else {
        return;
    };
    assert_eq!(all.first().copied(), first, "{source:?} in {text:?}");
    assert_eq!(first.is_some_and(|first| first.0 == 0), at_start, "{source:?} in {text:?}");
    let mut end = 0;
    for found in &all {
        assert!(end <= found.0 && found.0 <= found.1, "{source:?} in {text:?}: {all:?}");
        assert!(text.is_char_boundary(found.0) && text.is_char_boundary(found.1));
        end = found.1;
    }
}
