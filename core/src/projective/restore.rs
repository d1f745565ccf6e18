//! From decorated labels back to the arcs that were lifted (Nivre and Nilsson 2005, scheme "Head").

use std::collections::VecDeque;

use lexpool_structs::AttrId;

use crate::codes;
use crate::strings::StrId;
use crate::tokens::{Doc, tree_offset as offset};
use crate::{Error, Result};
use lexpool_parse::projective::DELIMITER;

/// Takes the decoration off all labels of a document, and hangs each such token on what it was
/// lifted from: breadth-first below its head, the first token whose label is the decoration. Where
/// there is none, the head stays. Sentence starts follow the heads.
///
/// Where a token is moved, those behind it find it there; what lies below a token is what lay
/// between its edges before.
///
/// Cost: one look at each label, and for a decorated one a search of the tree below its head.
///
/// # Errors
///
/// `projective-label` for a label with more than one decoration; when memory runs out. Nothing is
/// changed then.
///
/// ```
/// use lexpool::projective::deprojectivize;
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool::vocab::{Getters, Vocab};
///
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let words = ["A", "hearing", "is", "held", "on", "it"].map(|word| (word, true));
/// let mut doc = Doc::from_words(&vocab, &words)?;
/// let deps = ["det", "nsubj", "aux", "ROOT", "prep||nsubj", "pobj"];
/// doc.annotate(&Annotations {
///     heads: Some([1, 3, 3, 3, 3, 4].map(Some).to_vec()),
///     deps: Some(deps.map(|dep| Some(dep.to_owned())).to_vec()),
///     ..Annotations::default()
/// })?;
/// deprojectivize(&mut doc)?;
/// assert_eq!(doc.token(4).unwrap().head().text(), "hearing");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn deprojectivize(doc: &mut Doc) -> Result<()> {
    let lifted = lifted(doc)?;
    let mut tree = Tree::of(doc);
    let (_, syntax) = doc.tokens_and_syntax_mut()?;
    for Lifted { token, label, head_label } in lifted {
        if let Some(head) = tree.descendant_of_head(token, head_label) {
            tree.heads[token] = head;
        }
        tree.deps[token] = label.get();
        syntax[token].head = offset(token, tree.heads[token]);
        syntax[token].dep = label.get();
    }
    doc.tree_mut().rebuild()
}

/// A token whose arc was lifted, its own label, and that of the head it was lifted from.
struct Lifted {
    token: usize,
    label: StrId,
    head_label: StrId,
}

fn lifted(doc: &Doc) -> Result<Vec<Lifted>> {
    let mut found = Vec::new();
    for token in doc.iter() {
        let text = token.text_of(AttrId::DEP);
        let Some((label, head_label)) = text.split_once(DELIMITER) else { continue };
        if head_label.contains(DELIMITER) {
            let i = token.i();
            let text = format!("the label of token {i} is {text:?}, with {DELIMITER:?} twice");
            return Err(Error::value(codes::PROJECTIVE_LABEL, text));
        }
        // A label outlives the zone that the document was made in.
        let label = doc.vocab().strings().add_permanent(label)?;
        found.push(Lifted { token: token.i(), label, head_label: StrId::of(head_label) });
    }
    Ok(found)
}

/// Copy of a document's tree for the searches, with the heads as changed so far.
struct Tree {
    heads: Vec<usize>,
    deps: Vec<u64>,
    edges: Vec<(usize, usize)>,
    is_space: Vec<bool>,
}

impl Tree {
    fn of(doc: &Doc) -> Tree {
        let mut tree = Tree {
            heads: (0..doc.len()).collect(),
            deps: vec![0; doc.len()],
            edges: (0..doc.len()).map(|i| (i, i)).collect(),
            is_space: doc.iter().map(|token| token.lex().attr(AttrId::IS_SPACE) != 0).collect(),
        };
        for (i, record) in doc.syntax_records().into_iter().flatten().enumerate() {
            tree.heads[i] = i.saturating_add_signed(record.head as isize).min(doc.len() - 1);
            tree.deps[i] = record.dep;
            tree.edges[i] = (record.l_edge as usize, record.r_edge as usize);
        }
        tree
    }

    /// The first token below the head of another, the nearest first, that has a label; neither that
    /// token itself nor what is below it.
    fn descendant_of_head(&self, token: usize, label: StrId) -> Option<usize> {
        let mut queue = VecDeque::from([self.heads[token]]);
        // Heads that form a cycle lead back to tokens whose children have been looked at.
        let mut seen = vec![false; self.heads.len()];
        while let Some(at) = queue.pop_front() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let (left, right) = self.edges[at];
            let is_child = |child: &usize| self.heads[*child] == at && *child != at;
            for child in (left..=right).filter(is_child) {
                if child == token || self.is_space[child] {
                    continue;
                }
                if self.deps[child] == label.get() {
                    return Some(child);
                }
                queue.push_back(child);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::deprojectivize;
    use crate::structs::AttrId;
    use crate::tokens::{Annotations, Doc};
    use crate::vocab::{Getters, Vocab};

    fn parsed(heads: &[i64], deps: &[&str]) -> Doc {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words: Vec<_> = heads.iter().map(|_| ("word", true)).collect();
        let mut doc = Doc::from_words(&vocab, &words).unwrap();
        doc.annotate(&Annotations {
            heads: Some(heads.iter().copied().map(Some).collect()),
            deps: Some(deps.iter().map(|dep| Some((*dep).to_owned())).collect()),
            ..Annotations::default()
        })
        .unwrap();
        doc
    }

    fn arcs(doc: &Doc) -> Vec<(usize, &str)> {
        doc.iter().map(|token| (token.head().i(), token.text_of(AttrId::DEP))).collect()
    }

    #[test]
    fn a_lifted_arc_comes_back_to_the_nearest_token_with_the_label() {
        let deps = ["det", "nsubj", "ROOT", "det", "dobj", "aux", "nsubj", "acl||dobj", "punct"];
        let mut doc = parsed(&[1, 2, 2, 4, 5, 2, 7, 5, 2], &deps);
        deprojectivize(&mut doc).unwrap();
        assert_eq!(arcs(&doc)[7], (4, "acl"));
    }

    #[test]
    fn without_such_a_token_the_label_alone_is_changed() {
        let mut doc = parsed(&[1, 1, 1], &["a||b", "ROOT", "c"]);
        deprojectivize(&mut doc).unwrap();
        assert_eq!(arcs(&doc), [(1, "a"), (1, "ROOT"), (1, "c")]);
    }

    #[test]
    fn a_cycle_is_searched_once_around() {
        let mut doc = parsed(&[1, 2, 0], &["a||b", "c", "d"]);
        deprojectivize(&mut doc).unwrap();
        assert_eq!(arcs(&doc), [(1, "a"), (2, "c"), (0, "d")]);
    }

    #[test]
    fn a_label_that_is_decorated_twice_is_refused_and_nothing_is_changed() {
        let mut doc = parsed(&[1, 1, 1], &["a||c", "ROOT", "c||d||e"]);
        let before = doc.syntax_records().unwrap().to_vec();
        assert_eq!(deprojectivize(&mut doc).unwrap_err().code(), "projective-label");
        assert_eq!(doc.syntax_records().unwrap(), before);
    }
}
