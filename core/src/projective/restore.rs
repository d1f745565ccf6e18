//! From decorated labels back to the arcs that were lifted (Nivre and Nilsson 2005, scheme "Head").

use lexpool_structs::AttrId;

use super::lifted_tree::{LiftedToken, LiftedTree};
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
/// Cost: one look at each label; where some are decorated, the number of tokens times its logarithm
/// for a projective tree, as each parser makes. In another tree, that below its head is searched
/// for each decorated label, under a limit of steps.
///
/// # Errors
///
/// `projective-label` for a label with more than one decoration; `projective-limit` for a tree with
/// crossing arcs or a cycle whose searches take more than 16 million steps, and 64 for each token;
/// when memory runs out. Nothing is changed then.
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
    let heads = if lifted.is_empty() { Vec::new() } else { tree_of(doc).heads_of(&lifted)? };
    let (_, syntax) = doc.tokens_and_syntax_mut()?;
    for (LiftedToken { token, label, .. }, head) in lifted.into_iter().zip(heads) {
        syntax[token].head = offset(token, head);
        syntax[token].dep = label.get();
    }
    doc.tree_mut().rebuild()
}

fn lifted(doc: &Doc) -> Result<Vec<LiftedToken>> {
    let mut lifted = Vec::new();
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
        lifted.push(LiftedToken { token: token.i(), label, head_label: StrId::of(head_label) });
    }
    Ok(lifted)
}

fn tree_of(doc: &Doc) -> LiftedTree {
    let mut tree = LiftedTree {
        heads: (0..doc.len()).collect(),
        labels: vec![StrId::EMPTY; doc.len()],
        edges: (0..doc.len()).map(|i| (i, i)).collect(),
        is_space: doc.iter().map(|token| token.lex().attr(AttrId::IS_SPACE) != 0).collect(),
    };
    for (i, record) in doc.syntax_records().into_iter().flatten().enumerate() {
        tree.heads[i] = i.saturating_add_signed(record.head as isize).min(doc.len() - 1);
        tree.labels[i] = StrId::new(record.dep);
        tree.edges[i] = (record.l_edge as usize, record.r_edge as usize);
    }
    tree
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
