//! Edit trees: lemmas as changes of the ends of words, after Chrupała (2008).
//!
//! A tree keeps the middle of a word, and rewrites what is before and behind it by a tree each,
//! down to substitutions of one string by another. So one tree serves all words that inflect alike.

use lexpool_msgpack::Value as Message;

use crate::codes;
use crate::strings::StrId;
use crate::{Error, Result};

/// The number that stands for a missing tree.
const NONE: u64 = u32::MAX as u64;

/// The most trees within each other; a tree for a word of *n* characters has fewer than *n*.
const MAX_DEPTH: usize = 200;

/// The most nodes of a tree with all its parts, each counted as often as it occurs, so that a file
/// cannot make a word take forever.
const MAX_NODES: usize = 1 << 16;

/// Trees by their numbers. The parts of a tree have smaller numbers than the tree, and trees are at
/// most [`MAX_DEPTH`] deep.
#[derive(Clone, Debug, Default)]
pub(super) struct EditTrees(Vec<EditTree>);

#[derive(Clone, Copy, Debug)]
enum EditTree {
    /// Keeps the characters between a prefix and a suffix, which trees rewrite; without a tree they
    /// are dropped.
    Match { prefix_len: usize, suffix_len: usize, prefix: Option<usize>, suffix: Option<usize> },
    /// Replaces a string.
    Substitution { original: StrId, substitute: StrId },
}

impl EditTrees {
    /// Reads the file `trees` of a component.
    ///
    /// # Errors
    ///
    /// `model-cfg` if it is not a list of trees, a tree refers to one that is not before it, or
    /// trees are too deep.
    pub(super) fn parse(bytes: &[u8]) -> Result<EditTrees> {
        let message =
            Message::from_bytes(bytes).map_err(|error| error.context("file \"trees\""))?;
        let Some(Message::Array(items)) = message.get("trees") else {
            return Err(invalid("the message lacks the list \"trees\""));
        };
        let mut trees = Vec::new();
        let mut depths: Vec<usize> = Vec::new();
        let mut sizes: Vec<usize> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let tree = EditTree::parse(item, at)
                .ok_or_else(|| invalid(&format!("trees[{at}] is {item:?}")))?;
            let depth = tree.parts().map(|part| depths[part] + 1).max().unwrap_or(0);
            let size = 1 + tree.parts().map(|part| sizes[part]).sum::<usize>();
            if depth > MAX_DEPTH || size > MAX_NODES {
                let text = format!(
                    "trees[{at}] has {depth} levels and {size} nodes; at most {MAX_DEPTH} and \
                     {MAX_NODES} are read"
                );
                return Err(invalid(&text));
            }
            depths.push(depth);
            sizes.push(size);
            trees.push(tree);
        }
        Ok(EditTrees(trees))
    }

    /// Returns the number of trees.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Rewrites a word by a tree; `None` if the tree does not apply to it. `string` returns the
    /// text of an id.
    pub(super) fn apply<'s>(
        &self,
        tree: usize,
        word: &str,
        string: &dyn Fn(StrId) -> Option<&'s str>,
    ) -> Option<String> {
        let mut lemma = String::new();
        self.append(tree, word, string, &mut lemma).then_some(lemma)
    }

    fn append<'s>(
        &self,
        tree: usize,
        word: &str,
        string: &dyn Fn(StrId) -> Option<&'s str>,
        out: &mut String,
    ) -> bool {
        match self.0[tree] {
            EditTree::Match { prefix_len, suffix_len, prefix, suffix } => {
                let Some((before, middle, after)) = cut(word, prefix_len, suffix_len) else {
                    return false;
                };
                if prefix.is_some_and(|tree| !self.append(tree, before, string, out)) {
                    return false;
                }
                out.push_str(middle);
                suffix.is_none_or(|tree| self.append(tree, after, string, out))
            }
            EditTree::Substitution { original, substitute } => {
                let text = |id: StrId| if id == StrId::EMPTY { Some("") } else { string(id) };
                match (text(original), text(substitute)) {
                    (Some(original), Some(substitute)) if original == word => {
                        out.push_str(substitute);
                        true
                    }
                    _ => false,
                }
            }
        }
    }
}

impl EditTree {
    /// Returns the numbers of the trees that this one refers to.
    fn parts(&self) -> impl Iterator<Item = usize> {
        let parts = match *self {
            EditTree::Match { prefix, suffix, .. } => [prefix, suffix],
            EditTree::Substitution { .. } => [None, None],
        };
        parts.into_iter().flatten()
    }

    /// Reads the tree of a number; `None` if it is not one.
    fn parse(item: &Message, at: usize) -> Option<EditTree> {
        let number = |key: &str| match item.get(key) {
            Some(Message::UInt(number)) => Some(*number),
            _ => None,
        };
        let part = |key: &str| match number(key)? {
            NONE => Some(None),
            tree => usize::try_from(tree).ok().filter(|tree| *tree < at).map(Some),
        };
        if item.get("orig").is_some() {
            let (original, substitute) = (number("orig")?, number("subst")?);
            let (original, substitute) = (StrId::new(original), StrId::new(substitute));
            return Some(EditTree::Substitution { original, substitute });
        }
        Some(EditTree::Match {
            prefix_len: usize::try_from(number("prefix_len")?).ok()?,
            suffix_len: usize::try_from(number("suffix_len")?).ok()?,
            prefix: part("prefix_tree")?,
            suffix: part("suffix_tree")?,
        })
    }
}

/// Cuts a word before and behind so many characters; `None` if it is shorter.
fn cut(word: &str, prefix_len: usize, suffix_len: usize) -> Option<(&str, &str, &str)> {
    let place = |count: usize| {
        let places = word.char_indices().map(|(at, _)| at).chain([word.len()]);
        places.clone().nth(count)
    };
    let len = word.chars().count();
    let end = len.checked_sub(suffix_len).filter(|end| *end >= prefix_len)?;
    let (start, end) = (place(prefix_len)?, place(end)?);
    Some((&word[..start], &word[start..end], &word[end..]))
}

fn invalid(text: &str) -> Error {
    Error::value(codes::MODEL_CFG, format!("file \"trees\": {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees() -> EditTrees {
        let original = StrId::of("ed");
        EditTrees(vec![
            EditTree::Substitution { original, substitute: StrId::EMPTY },
            EditTree::Match { prefix_len: 0, suffix_len: 2, prefix: None, suffix: Some(0) },
            EditTree::Match { prefix_len: 2, suffix_len: 2, prefix: None, suffix: Some(0) },
        ])
    }

    #[test]
    fn a_tree_rewrites_the_ends_of_words_that_have_them() {
        let string = |id: StrId| (id == StrId::of("ed")).then_some("ed");
        for (tree, word, expected) in [
            (1, "walked", Some("walk")),
            (1, "ed", Some("")),
            (1, "walk", None),
            (1, "d", None),
            (2, "rewalked", Some("walk")),
            (2, "äöed", Some("")),
            (2, "äed", None),
            (0, "ed", Some("")),
        ] {
            let lemma = trees().apply(tree, word, &string);
            assert_eq!(lemma.as_deref(), expected, "{word:?} by {tree}");
        }
    }

    #[test]
    fn a_tree_that_contains_itself_is_refused() {
        let mut out = lexpool_msgpack::Writer::new();
        out.map(1).unwrap();
        out.str("trees").unwrap();
        out.array(1).unwrap();
        out.map(4).unwrap();
        for key in ["prefix_len", "suffix_len", "prefix_tree", "suffix_tree"] {
            out.str(key).unwrap();
            out.uint(0);
        }
        let error = EditTrees::parse(&out.into_bytes()).unwrap_err();
        assert_eq!(error.code(), "model-cfg", "{error}");
    }
}
