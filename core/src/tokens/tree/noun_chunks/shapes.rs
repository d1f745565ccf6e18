//! The shapes of noun chunks, each with the search for its chunks.

use std::ops::Range;

use lexpool_structs::Pos;

use super::phrase_tree::{PhraseTree, Relations};
use crate::strings::StrId;
use crate::tokens::Token;

/// A shape of noun chunks. The lists are the relations of heads, but where they are named.
#[derive(Debug)]
pub(super) enum Shape {
    /// From the left edge of the head to the head.
    HeadFinal(&'static [&'static str]),
    /// From the left edge of the head to its right edge.
    Subtree(&'static [&'static str]),
    Romance(&'static Romance),
    Haitian,
    Catalan,
    /// From the farthest modifier on the left to the farthest on the right before a verb or a mark.
    /// The list is the relations of modifiers on the right.
    Bounded(&'static [&'static str]),
    German,
    Greek,
    Finnish,
    Dutch,
    Japanese,
    Turkish,
}

/// The relations of a Romance language.
#[derive(Debug)]
pub(super) struct Romance {
    pub(super) heads: &'static [&'static str],
    /// The relations of a determiner behind the head that ends the chunk.
    pub(super) determiners: &'static [&'static str],
    /// The relations of a modifier behind the head that extends the chunk to the head's right edge.
    pub(super) modifiers: &'static [&'static str],
}

/// The modifiers before the head of a bounded chunk.
const MODIFIERS: [&str; 8] =
    ["det", "fixed", "nmod:poss", "amod", "flat", "goeswith", "nummod", "appos"];

impl Shape {
    pub(super) fn find(&self, tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
        match self {
            Shape::HeadFinal(heads) => nominals(tree, heads, |_, left, i, _| (left..i + 1, i)),
            Shape::Subtree(heads) => nominals(tree, heads, |tree, left, i, _| {
                (left..tree.right_edge(i) + 1, tree.right_edge(i))
            }),
            Shape::Romance(relations) => romance(tree, relations),
            Shape::Haitian => haitian(tree),
            Shape::Catalan => catalan(tree),
            Shape::Bounded(modifiers) => bounded(tree, modifiers),
            Shape::German => german(tree),
            Shape::Greek => greek(tree),
            Shape::Finnish => finnish(tree),
            Shape::Dutch => dutch(tree),
            Shape::Japanese => japanese(tree),
            Shape::Turkish => turkish(tree),
        }
    }
}

/// Finds a chunk for each nominal with a relation of heads, and for each that is coordinated with
/// such a word. `extent` returns the chunk for the left edge and the head, and the last word that
/// no later chunk may touch; it is told whether the head is a conjunct.
fn nominals(
    tree: &mut PhraseTree<'_>,
    heads: &[&str],
    mut extent: impl FnMut(&mut PhraseTree<'_>, usize, usize, bool) -> (Range<usize>, usize),
) -> Vec<Range<usize>> {
    let heads = Relations::new(heads);
    let mut chunks = Vec::new();
    let mut next = 0;
    for i in tree.words() {
        let left = tree.left_edge(i);
        if !tree.is_nominal(i) || left < next {
            continue;
        }
        let is_head = heads.contains(tree.relation(i));
        if is_head || tree.is_conjunct_of(i, &heads) {
            let (chunk, last) = extent(tree, left, i, !is_head);
            chunks.push(chunk);
            next = last + 1;
        }
    }
    chunks
}

/// Leaves out a first word of a part of speech.
fn without_first(tree: &PhraseTree<'_>, left: usize, pos: Pos) -> usize {
    left + usize::from(tree.is(left, &[pos]))
}

fn romance(tree: &mut PhraseTree<'_>, relations: &Romance) -> Vec<Range<usize>> {
    let adjective = StrId::of("amod").get();
    let determiners = Relations::new(relations.determiners);
    let modifiers = Relations::new(relations.modifiers);
    let mut rights = Vec::new();
    nominals(tree, relations.heads, |tree, left, i, is_conjunct| {
        if is_conjunct {
            return (without_first(tree, left, Pos::CCONJ)..i + 1, i);
        }
        tree.find_rights(i, &mut rights);
        let right = match rights.first().map(|first| (*first, tree.relation(*first))) {
            Some((first, relation)) if relation == adjective => tree.right_edge(first),
            Some((first, relation))
                if determiners.contains(relation) && tree.is(first, &[Pos::DET]) =>
            {
                first
            }
            Some((_, relation)) if modifiers.contains(relation) => tree.right_edge(i),
            _ => i,
        };
        (without_first(tree, left, Pos::ADP)..right + 1, right)
    })
}

fn haitian(tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
    let modifiers = Relations::new(&["compound", "flat", "flat:name", "fixed"]);
    let mut rights = Vec::new();
    nominals(
        tree,
        &["nsubj", "obj", "obl", "nmod", "appos", "ROOT"],
        |tree, left, i, is_conjunct| {
            if is_conjunct {
                return (without_first(tree, left, Pos::CCONJ)..i + 1, i);
            }
            tree.find_rights(i, &mut rights);
            let extends = |child: &&usize| {
                modifiers.contains(tree.relation(**child)) || tree.is(**child, &[Pos::NOUN])
            };
            let right = rights.iter().rfind(extends).map_or(i, |child| tree.right_edge(*child));
            (without_first(tree, left, Pos::ADP)..right + 1, right)
        },
    )
}

/// The whole subtree, cut before the last verb in it, or behind the first word of the last
/// apposition.
fn catalan(tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
    let heads = Relations::new(&[
        "nsubj",
        "nsubj:pass",
        "obj",
        "obl",
        "iobj",
        "ROOT",
        "appos",
        "nmod",
        "nmod:poss",
    ]);
    let apposition = StrId::of("appos").get();
    // The last verb or apposition up to each word.
    let reached = tree.reached();
    let mut last_cut = None;
    let cuts: Vec<Option<usize>> = reached
        .clone()
        .map(|i| {
            if tree.is(i, &[Pos::VERB]) || tree.relation(i) == apposition {
                last_cut = Some(i);
            }
            last_cut
        })
        .collect();
    let mut chunks = Vec::new();
    let mut next = 0;
    for i in tree.words() {
        let (left, right) = (tree.left_edge(i), tree.right_edge(i));
        let is_head = tree.is(i, &[Pos::NOUN, Pos::PROPN]) && heads.contains(tree.relation(i));
        if !is_head || left < next {
            continue;
        }
        let start = left + usize::from(tree.is(left, &[Pos::ADP, Pos::PUNCT]));
        let cut = if right > i { cuts[right - 1 - reached.start] } else { None };
        let mut end = right + 1;
        next = end;
        if let Some(cut) = cut.filter(|cut| *cut > i) {
            next = tree.left_edge(cut);
            end = next + usize::from(!tree.is(cut, &[Pos::VERB]));
        }
        end -= usize::from(tree.is(right, &[Pos::PUNCT]) && end > 0);
        chunks.push(start..end);
    }
    chunks
}

fn bounded(tree: &mut PhraseTree<'_>, right_modifiers: &[&str]) -> Vec<Range<usize>> {
    let (on_left, on_right) = (Relations::new(&MODIFIERS), Relations::new(right_modifiers));
    let mark = StrId::of("punct").get();
    let reached = tree.reached();
    // The number of verbs and marks before each word.
    let mut n_stops = vec![0_usize];
    for i in reached.clone() {
        let is_stop = tree.is(i, &[Pos::VERB, Pos::AUX]) || tree.relation(i) == mark;
        n_stops.push(n_stops[n_stops.len() - 1] + usize::from(is_stop));
    }
    // The right bound of each word depends on those of words behind it.
    let mut bounds: Vec<usize> = reached.clone().collect();
    let mut children = Vec::new();
    for i in reached.clone().rev() {
        tree.find_rights(i, &mut children);
        for child in children.iter().filter(|child| on_right.contains(tree.relation(**child))) {
            let bound = bounds[child - reached.start];
            if n_stops[bound - reached.start] > n_stops[i - reached.start] {
                break;
            }
            bounds[i - reached.start] = bound;
        }
    }
    let mut chunks = Vec::new();
    let mut next = 0;
    for i in tree.words() {
        if !tree.is_nominal(i) {
            continue;
        }
        tree.find_lefts(i, &mut children);
        let first = children.iter().find(|child| on_left.contains(tree.relation(**child)));
        let (left, right) = (first.map_or(i, |first| *first), bounds[i - reached.start]);
        if left >= next {
            chunks.push(left..right + 1);
            next = right + 1;
        }
    }
    chunks
}

/// From the left edge to the head, or to a noun kernel element behind it ("eine Tasse Tee").
fn german(tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
    let heads = Relations::new(&[
        "sb", "oa", "da", "nk", "mo", "ag", "ROOT", "root", "cj", "pd", "og", "app",
    ]);
    let kernel = StrId::of("nk").get();
    let (mut chunks, mut rights) = (Vec::new(), Vec::new());
    let mut next = 0;
    for i in tree.words() {
        let left = tree.left_edge(i);
        if !tree.is_nominal(i) || !heads.contains(tree.relation(i)) || i < next || left < next {
            continue;
        }
        tree.find_rights(i, &mut rights);
        let is_kernel = |child: &&usize| {
            tree.is(**child, &[Pos::NOUN, Pos::PROPN]) && tree.relation(**child) == kernel
        };
        next = rights.iter().rfind(is_kernel).map_or(i, |child| *child) + 1;
        chunks.push(left..next);
    }
    chunks
}

fn greek(tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
    let modifier = StrId::of("nmod").get();
    let mut rights = Vec::new();
    nominals(
        tree,
        &["nsubj", "obj", "iobj", "appos", "ROOT", "obl"],
        |tree, left, i, is_conjunct| {
            let mut last = i;
            if !is_conjunct && tree.is(i, &[Pos::NOUN]) {
                tree.find_rights(i, &mut rights);
                let modifier_child = rights.iter().find(|child| tree.relation(**child) == modifier);
                last = modifier_child.map_or(i, |child| *child);
            }
            (left..last + 1, last)
        },
    )
}

fn finnish(tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
    let heads = Relations::new(&["appos", "nsubj", "nsubj:cop", "obj", "obl", "ROOT"]);
    let modifiers = Relations::new(&[
        "amod",
        "compound",
        "compound:nn",
        "flat:name",
        "nmod",
        "nmod:gobj",
        "nmod:gsubj",
        "nmod:poss",
        "nummod",
    ]);
    let conj = StrId::of("conj").get();
    let is_head = |tree: &PhraseTree<'_>, i: usize| {
        tree.is(i, &[Pos::NOUN, Pos::PROPN])
            && (heads.contains(tree.relation(i)) || tree.is(tree.head(i), &[Pos::PRON]))
    };
    let (mut chunks, mut children) = (Vec::new(), Vec::new());
    // The last word of the last chunk.
    let mut last: Option<usize> = None;
    for i in tree.words() {
        let is_conjunct = tree.relation(i) == conj && is_head(tree, tree.head(i));
        if last.is_some_and(|last| i < last) || !(is_head(tree, i) || is_conjunct) {
            continue;
        }
        tree.find_lefts(i, &mut children);
        let is_modifier = |child: &&usize| modifiers.contains(tree.relation(**child));
        let first = children.iter().find(is_modifier);
        let left = first.map_or(i, |first| tree.left_edge(*first));
        if last.is_some_and(|last| left <= last) {
            continue;
        }
        tree.find_rights(i, &mut children);
        let is_modifier = |child: &&usize| modifiers.contains(tree.relation(**child));
        let right = children.iter().rfind(is_modifier).map_or(i, |child| *child);
        chunks.push(left..right + 1);
        last = Some(right);
    }
    chunks
}

/// A noun without a subject, from its first determiner or adjective to its last; a pronoun that is
/// a subject.
fn dutch(tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
    let modifiers = Relations::new(&["amod", "nmod:poss", "det", "det:poss"]);
    let subjects = Relations::new(&["nsubj", "nsubj:pass"]);
    let subject = StrId::of("nsubj").get();
    let (mut chunks, mut lefts, mut rights) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for i in tree.words() {
        let mut chunk = i..i + 1;
        if tree.is(i, &[Pos::NOUN]) {
            tree.find_lefts(i, &mut lefts);
            tree.find_rights(i, &mut rights);
            let mut children = lefts.iter().chain(&rights);
            if children.any(|child| tree.relation(*child) == subject) {
                continue;
            }
            let children = lefts.iter().chain(&rights);
            for child in children.filter(|child| modifiers.contains(tree.relation(**child))) {
                chunk = chunk.start.min(*child)..chunk.end.max(child + 1);
            }
        } else if !(tree.is(i, &[Pos::PRON]) && subjects.contains(tree.relation(i))) {
            continue;
        }
        if chunk.start >= next {
            next = chunk.end;
            chunks.push(chunk);
        }
    }
    chunks
}

/// From the first word of the head's subtree that no chunk before it has, to the head.
fn japanese(tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
    let heads = Relations::new(&[
        "nsubj",
        "nmod",
        "dobj",
        "nsubjpass",
        "pcomp",
        "pobj",
        "obj",
        "obl",
        "dative",
        "appos",
        "attr",
        "ROOT",
    ]);
    let (mut chunks, mut rights) = (Vec::new(), Vec::new());
    let mut covered = vec![false; tree.doc.len()];
    let mut n_before = 0;
    for i in tree.words() {
        if !tree.is_nominal(i) || covered[i] || !heads.contains(tree.relation(i)) {
            continue;
        }
        let Some(token) = tree.doc.token(i) else { continue };
        let subtree: Vec<usize> = token.subtree().iter().map(Token::i).collect();
        let Some(first) = subtree.iter().copied().find(|word| !covered[*word]) else { continue };
        for word in &subtree {
            covered[*word] = true;
        }
        covered[n_before..=i].fill(true);
        n_before = i;
        let head = tree.head(i);
        if tree.is(head, &[Pos::VERB]) {
            covered[head] = true;
            tree.find_rights(head, &mut rights);
            for word in &rights {
                covered[*word] = true;
            }
        }
        chunks.push(first..i + 1);
    }
    chunks
}

/// From the end backwards: from the left edge to the head, and over flat names behind it. A
/// conjunct lacks its conjunction.
fn turkish(tree: &mut PhraseTree<'_>) -> Vec<Range<usize>> {
    let heads =
        Relations::new(&["nsubj", "iobj", "obj", "obl", "appos", "orphan", "dislocated", "ROOT"]);
    let (conj, flat) = (StrId::of("conj").get(), StrId::of("flat").get());
    let (mut chunks, mut rights) = (Vec::new(), Vec::new());
    let mut before = usize::MAX;
    for i in tree.words().rev() {
        let (relation, left) = (tree.relation(i), tree.left_edge(i));
        if !tree.is_nominal(i) || i >= before {
            continue;
        }
        let start = if heads.contains(relation) {
            left
        } else if relation == conj {
            tree.right_edge(left) + 1
        } else {
            continue;
        };
        before = left;
        tree.find_rights(i, &mut rights);
        let is_name = |child: &&usize| {
            tree.relation(**child) == flat && tree.is(**child, &[Pos::NOUN, Pos::PROPN])
        };
        let last = rights.iter().take_while(is_name).last().map_or(i, |child| *child);
        chunks.push(start..last + 1);
    }
    chunks
}
