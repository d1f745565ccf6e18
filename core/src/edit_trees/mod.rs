//! Edit trees: rules that rewrite a word form into its lemma, such as "replace the last two
//! characters by `en`".
//!
//! Thomas Müller, Ryan Cotterell, Alexander Fraser and Hinrich Schütze, "Joint Lemmatization and
//! Morphological Tagging with Lemming" (EMNLP 2015). The trees, their numbers and their bytes are
//! those of spaCy's trainable lemmatizer.
//!
//! | module | contents |
//! | --- | --- |
//! | `apply` | a tree applied to a form, and a tree as text |
//! | `bytes` | trees read from spaCy's files and written to them |
//! | `script` | the edits between two strings |

#![forbid(unsafe_code)]

mod apply;
mod bytes;
mod script;
#[cfg(test)]
mod tests;

pub use script::EditScript;
use script::{MAX_NODES, ScriptNode, too_large};

use crate::strings::StrId;
use crate::{Error, ErrorKind, Result, codes};

/// The number of an edit tree in its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeId(u32);

impl TreeId {
    /// Names the tree with this number, which need not exist.
    pub const fn new(number: u32) -> TreeId {
        TreeId(number)
    }

    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The root of an edit tree. Lengths count characters (code points).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditNode {
    /// Keeps the middle of a string and edits both ends. Applies to strings that are at least as
    /// long as both ends together.
    Match {
        /// Length of the prefix.
        prefix_len: u32,
        /// Length of the suffix.
        suffix_len: u32,
        /// The tree that edits the prefix; without one it is dropped.
        prefix_tree: Option<TreeId>,
        /// The tree that edits the suffix; without one it is dropped.
        suffix_tree: Option<TreeId>,
    },
    /// Replaces a string. Applies to that string only.
    Subst {
        /// The string.
        orig: StrId,
        /// The string that replaces it.
        subst: StrId,
    },
}

impl EditNode {
    /// Returns the trees below, the one of the prefix first.
    fn children(&self) -> impl Iterator<Item = TreeId> + use<> {
        let children = match self {
            EditNode::Match { prefix_tree, suffix_tree, .. } => [*prefix_tree, *suffix_tree],
            EditNode::Subst { .. } => [None, None],
        };
        children.into_iter().flatten()
    }
}

/// Edit trees, each of them once, numbered in the order in which they were added.
///
/// Strings are stored elsewhere, by id: functions take a look-up.
///
/// ```
/// use lexpool::edit_trees::EditTrees;
/// use lexpool::strings::StringStore;
/// let strings = StringStore::new();
/// let mut trees = EditTrees::new();
/// let tree = trees.add("gefragt", "fragen", &mut |string| strings.add(string))?;
/// let lemma = |form| trees.apply(tree, form, |id| strings.get(id));
/// assert_eq!(lemma("gesagt")?.as_deref(), Some("sagen"));
/// assert_eq!(lemma("sagte")?, None);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct EditTrees {
    /// The children of a node have smaller numbers than the node, so walks down come to an end.
    nodes: Vec<EditNode>,
    /// For each node the number of nodes of its tree, at most [`MAX_NODES`].
    sizes: Vec<usize>,
    numbers: ahash::HashMap<EditNode, TreeId>,
}

impl EditTrees {
    /// Creates an empty container.
    pub fn new() -> EditTrees {
        EditTrees::default()
    }

    /// Returns the number of trees, subtrees included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the container has no trees.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the root of a tree.
    ///
    /// # Errors
    ///
    /// `E1030` for a tree that does not exist.
    pub fn get(&self, tree: TreeId) -> Result<EditNode> {
        self.nodes.get(tree.index()).copied().ok_or_else(|| {
            let text = format!("no edit tree {} among {}", tree.get(), self.len());
            Error::new(ErrorKind::Index, codes::E1030, text)
        })
    }

    /// Returns the tree that rewrites `form` into `lemma`; adds it if it is new. `enter` stores the
    /// strings of substitutions.
    ///
    /// Cost: as for [`EditScript::between`].
    ///
    /// # Errors
    ///
    /// `edit-tree-size` for a tree of more than 65,536 nodes; the errors of `enter`.
    pub fn add(
        &mut self,
        form: &str,
        lemma: &str,
        enter: &mut dyn FnMut(&str) -> Result<StrId>,
    ) -> Result<TreeId> {
        self.add_script(&EditScript::between(form, lemma, &mut || Ok(()))?, enter)
    }

    /// Returns the tree of a script, as [`add`](EditTrees::add) does for its strings.
    ///
    /// # Errors
    ///
    /// As for [`add`](EditTrees::add).
    pub fn add_script(
        &mut self,
        script: &EditScript,
        enter: &mut dyn FnMut(&str) -> Result<StrId>,
    ) -> Result<TreeId> {
        let mut trees: Vec<TreeId> = Vec::with_capacity(script.nodes().len());
        for node in script.nodes() {
            let below = |node: Option<usize>| node.map(|at| trees[at]);
            let node = match node {
                ScriptNode::Match { prefix_len, suffix_len, prefix, suffix } => EditNode::Match {
                    prefix_len: *prefix_len,
                    suffix_len: *suffix_len,
                    prefix_tree: below(*prefix),
                    suffix_tree: below(*suffix),
                },
                ScriptNode::Subst { orig, subst } => {
                    EditNode::Subst { orig: enter(orig)?, subst: enter(subst)? }
                }
            };
            trees.push(match self.numbers.get(&node) {
                Some(known) => *known,
                None => self.push(node)?,
            });
        }
        Ok(*trees.last().expect("a script has nodes"))
    }

    /// Appends a node whose children exist. Of equal nodes the first one is found later.
    ///
    /// # Errors
    ///
    /// `edit-tree-size` for a tree of too many nodes, or 2^32 - 1 trees.
    fn push(&mut self, node: EditNode) -> Result<TreeId> {
        let size = 1 + node.children().map(|child| self.sizes[child.index()]).sum::<usize>();
        if size > MAX_NODES {
            return Err(too_large(size));
        }
        // The largest number stands for "none" in files.
        let number = u32::try_from(self.len()).ok().filter(|number| *number < u32::MAX);
        let tree = TreeId(number.ok_or_else(|| {
            Error::value(codes::EDIT_TREE_SIZE, "a container holds at most 2^32 - 1 edit trees")
        })?);
        self.nodes.push(node);
        self.sizes.push(size);
        self.numbers.entry(node).or_insert(tree);
        Ok(tree)
    }
}
