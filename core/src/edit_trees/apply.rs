//! Edit trees applied to forms, and written as text.

use std::ops::{Deref, Range};

use super::{EditNode, EditTrees, TreeId};
use crate::strings::StrId;
use crate::vocab::unknown_id;
use crate::{Error, Result, codes};

/// The largest size of a result in bytes. A tree can name a long string many times.
const MAX_BYTES: usize = 1 << 24;

/// A part of the result to write, by positions of characters.
enum Task {
    Tree(TreeId, Range<usize>),
    Copy(Range<usize>),
}

impl EditTrees {
    /// Applies a tree to a form. Returns `None` if the tree does not apply to it.
    ///
    /// `string` returns the string of an id.
    ///
    /// # Errors
    ///
    /// `E1030` for a tree that does not exist; `E018` if a string is unknown; `edit-tree-size` for
    /// a lemma of more than 16 MiB.
    pub fn apply<S: Deref<Target = str>>(
        &self,
        tree: TreeId,
        form: &str,
        string: impl Fn(StrId) -> Option<S>,
    ) -> Result<Option<String>> {
        self.get(tree)?;
        let form = CharSlices::of(form);
        let mut lemma = String::with_capacity(form.text.len());
        let mut tasks = vec![Task::Tree(tree, 0..form.len())];
        while let Some(task) = tasks.pop() {
            let (tree, part) = match task {
                Task::Tree(tree, part) => (tree, part),
                Task::Copy(part) => {
                    push(&mut lemma, form.slice(&part))?;
                    continue;
                }
            };
            match self.get(tree)? {
                EditNode::Match { prefix_len, suffix_len, prefix_tree, suffix_tree } => {
                    let (prefix_len, suffix_len) = (prefix_len as usize, suffix_len as usize);
                    if prefix_len.saturating_add(suffix_len) > part.len() {
                        return Ok(None);
                    }
                    let (start, end) = (part.start + prefix_len, part.end - suffix_len);
                    tasks.extend(suffix_tree.map(|tree| Task::Tree(tree, end..part.end)));
                    tasks.push(Task::Copy(start..end));
                    tasks.extend(prefix_tree.map(|tree| Task::Tree(tree, part.start..start)));
                }
                EditNode::Subst { orig, subst } => {
                    let text_of = |id| string(id).ok_or_else(|| unknown_id(id));
                    if *text_of(orig)? != *form.slice(&part) {
                        return Ok(None);
                    }
                    push(&mut lemma, &text_of(subst)?)?;
                }
            }
        }
        Ok(Some(lemma))
    }

    /// Returns a tree as text for people: `(m 2 0 (s 'ge' '') ())` for a match with the lengths and
    /// trees of its prefix and suffix, `(s 'ge' '')` for a substitution.
    ///
    /// # Errors
    ///
    /// As for [`apply`](EditTrees::apply).
    pub fn tree_to_str<S: Deref<Target = str>>(
        &self,
        tree: TreeId,
        string: impl Fn(StrId) -> Option<S>,
    ) -> Result<String> {
        enum Task {
            Tree(Option<TreeId>),
            Text(&'static str),
        }
        let mut out = String::new();
        let mut tasks = vec![Task::Tree(Some(tree))];
        while let Some(task) = tasks.pop() {
            let tree = match task {
                Task::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Task::Tree(None) => {
                    out.push_str("()");
                    continue;
                }
                Task::Tree(Some(tree)) => tree,
            };
            match self.get(tree)? {
                EditNode::Match { prefix_len, suffix_len, prefix_tree, suffix_tree } => {
                    push(&mut out, &format!("(m {prefix_len} {suffix_len} "))?;
                    tasks.extend([Task::Text(")"), Task::Tree(suffix_tree)]);
                    tasks.extend([Task::Text(" "), Task::Tree(prefix_tree)]);
                }
                EditNode::Subst { orig, subst } => {
                    for (before, id) in [("(s '", orig), (" '", subst)] {
                        let string = string(id).ok_or_else(|| unknown_id(id))?;
                        out.push_str(before);
                        push(&mut out, &string)?;
                        out.push('\'');
                    }
                    out.push(')');
                }
            }
        }
        Ok(out)
    }
}

fn push(out: &mut String, text: &str) -> Result<()> {
    if out.len() + text.len() > MAX_BYTES {
        let text = format!("the result of an edit tree exceeds {MAX_BYTES} bytes");
        return Err(Error::value(codes::EDIT_TREE_SIZE, text));
    }
    out.push_str(text);
    Ok(())
}

/// A text that is cut by characters.
struct CharSlices<'a> {
    text: &'a str,
    /// Byte offsets of all characters and of the end; empty if the text is ASCII.
    starts: Vec<usize>,
}

impl<'a> CharSlices<'a> {
    fn of(text: &'a str) -> CharSlices<'a> {
        let mut starts = Vec::new();
        if !text.is_ascii() {
            starts.extend(text.char_indices().map(|(at, _)| at).chain([text.len()]));
        }
        CharSlices { text, starts }
    }

    fn len(&self) -> usize {
        self.starts.len().checked_sub(1).unwrap_or(self.text.len())
    }

    fn slice(&self, chars: &Range<usize>) -> &'a str {
        if self.starts.is_empty() {
            return &self.text[chars.clone()];
        }
        &self.text[self.starts[chars.start]..self.starts[chars.end]]
    }
}
