//! The edits between two strings, found by longest common substrings.

use std::mem;
use std::ops::Range;

use lexpool_threads::StepCounter;

use crate::{Error, Result, codes};

/// The largest number of nodes of one tree, where a tree that occurs twice counts twice.
pub(super) const MAX_NODES: usize = 1 << 16;

/// The most characters of strings whose common parts are searched for: the work for two strings
/// grows with the product of their lengths.
const MAX_CHARS: usize = 1 << 10;

/// The edits that turn one string into another, before they are entered in a container.
///
/// The longest common substring stays; what is before and after it is edited in the same way, and
/// replaced where nothing is common. Of several longest ones, the first in the form is taken, at
/// its first place in the lemma. Equal strings stay; of other ones, those of more than 1,024
/// characters are replaced as a whole.
#[derive(Clone, Debug)]
pub struct EditScript {
    /// At least one. Nodes come after the ones they refer to; the last one is the root.
    nodes: Vec<ScriptNode>,
}

/// A node of a script, which refers to others by position.
#[derive(Clone, Debug)]
pub(super) enum ScriptNode {
    Match { prefix_len: u32, suffix_len: u32, prefix: Option<usize>, suffix: Option<usize> },
    Subst { orig: String, subst: String },
}

/// A task of building a node.
enum Task {
    /// Edit a part of the form into a part of the lemma.
    Edit(Range<usize>, Range<usize>),
    /// Join the edits of both ends, as far as there are any.
    Join { prefix_len: usize, suffix_len: usize, has_prefix: bool, has_suffix: bool },
}

impl EditScript {
    /// Finds the edits. `check` is called once every million steps; its error ends the work.
    ///
    /// Cost: the product of the two lengths for each level of the tree; a pass over strings of more
    /// than 1,024 characters.
    ///
    /// # Errors
    ///
    /// `edit-tree-size` for more than 65,536 nodes; those of `check`.
    pub fn between(
        form: &str,
        lemma: &str,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<EditScript> {
        if form == lemma {
            return Ok(EditScript { nodes: vec![replacement(&[], &[])] });
        }
        let (form, lemma): (Vec<char>, Vec<char>) =
            (form.chars().collect(), lemma.chars().collect());
        if form.len().max(lemma.len()) > MAX_CHARS {
            return Ok(EditScript { nodes: vec![replacement(&form, &lemma)] });
        }
        let mut steps = StepCounter::new(check);
        let mut nodes = Vec::new();
        // The roots of finished edits that are not joined yet.
        let mut roots: Vec<usize> = Vec::new();
        let mut tasks = vec![Task::Edit(0..form.len(), 0..lemma.len())];
        while let Some(task) = tasks.pop() {
            if nodes.len() == MAX_NODES {
                return Err(too_large(nodes.len() + 1));
            }
            let node = match task {
                Task::Edit(source, target) => {
                    let (before, after) = (&form[source.clone()], &lemma[target.clone()]);
                    let Some(common) = longest_common(before, after, &mut steps)? else {
                        nodes.push(replacement(before, after));
                        roots.push(nodes.len() - 1);
                        continue;
                    };
                    let prefix = (
                        source.start..source.start + common.source.start,
                        target.start..target.start + common.target.start,
                    );
                    let suffix = (
                        source.start + common.source.end..source.end,
                        target.start + common.target.end..target.end,
                    );
                    let has = |ends: &(Range<usize>, Range<usize>)| {
                        !ends.0.is_empty() || !ends.1.is_empty()
                    };
                    tasks.push(Task::Join {
                        prefix_len: prefix.0.len(),
                        suffix_len: suffix.0.len(),
                        has_prefix: has(&prefix),
                        has_suffix: has(&suffix),
                    });
                    // The prefix comes off the stack first.
                    for ends in [suffix, prefix].into_iter().filter(has) {
                        tasks.push(Task::Edit(ends.0, ends.1));
                    }
                    continue;
                }
                Task::Join { prefix_len, suffix_len, has_prefix, has_suffix } => {
                    let suffix = if has_suffix { roots.pop() } else { None };
                    let prefix = if has_prefix { roots.pop() } else { None };
                    let (prefix_len, suffix_len) = (length(prefix_len)?, length(suffix_len)?);
                    ScriptNode::Match { prefix_len, suffix_len, prefix, suffix }
                }
            };
            nodes.push(node);
            roots.push(nodes.len() - 1);
        }
        Ok(EditScript { nodes })
    }

    pub(super) fn nodes(&self) -> &[ScriptNode] {
        &self.nodes
    }
}

/// Returns the node of two strings that have nothing in common. Two empty ones are equal.
fn replacement(orig: &[char], subst: &[char]) -> ScriptNode {
    if orig.is_empty() && subst.is_empty() {
        return ScriptNode::Match { prefix_len: 0, suffix_len: 0, prefix: None, suffix: None };
    }
    ScriptNode::Subst { orig: orig.iter().collect(), subst: subst.iter().collect() }
}

fn length(chars: usize) -> Result<u32> {
    u32::try_from(chars).map_err(|_| {
        let text = format!("a string of {chars} characters is too long for an edit tree");
        Error::value(codes::EDIT_TREE_SIZE, text)
    })
}

/// A substring of two strings.
struct CommonSubstring {
    source: Range<usize>,
    target: Range<usize>,
}

/// Finds the longest common substring by dynamic programming: for each pair of positions, the
/// length of the longest one that ends there. Returns `None` if no character is common.
fn longest_common(
    source: &[char],
    target: &[char],
    steps: &mut StepCounter<'_>,
) -> Result<Option<CommonSubstring>> {
    let mut longest = 0;
    let mut ends = (0, 0);
    // One column more than the target, for the position before its first character.
    let mut before = vec![0; target.len() + 1];
    let mut now = before.clone();
    for (i, c) in source.iter().enumerate() {
        for (j, d) in target.iter().enumerate() {
            now[j + 1] = if c == d { before[j] + 1 } else { 0 };
            if now[j + 1] > longest {
                longest = now[j + 1];
                ends = (i + 1, j + 1);
            }
        }
        mem::swap(&mut before, &mut now);
        steps.after(target.len() + 1)?;
    }
    Ok((longest > 0).then(|| CommonSubstring {
        source: ends.0 - longest..ends.0,
        target: ends.1 - longest..ends.1,
    }))
}

pub(super) fn too_large(nodes: usize) -> Error {
    let text = format!("an edit tree of {nodes} nodes; the limit is {MAX_NODES}");
    Error::value(codes::EDIT_TREE_SIZE, text)
}
