//! Applying a plan: the new records replace the old ones at once.

use std::sync::Arc;

use lexpool_structs::TokenC;

use super::super::doc::Doc;
use super::super::tree::rebuild;
use super::layout::Layout;
use super::plan::Retokenization;
use crate::Result;

impl Retokenization {
    /// Changes the document. Returns for each new token the old token that it replaces: the token
    /// itself, the last one of a merged span, `None` for a part of a split token.
    ///
    /// Token positions found before are invalid afterwards. Cost: new arrays for the whole
    /// document, however small the change, so collect all changes in one plan.
    ///
    /// # Errors
    ///
    /// `stale-plan` if the document was retokenized since the plan was begun; `E122` for a split of
    /// a token that is merged, `E123` if a head of a part is merged; `E190` for a head that does
    /// not exist; `E039` if the heads in a span form a cycle; `pool-out-of-memory`. The document is
    /// then unchanged.
    pub fn apply(&self, doc: &mut Doc) -> Result<Vec<Option<usize>>> {
        self.check_generation(doc)?;
        self.check_splits(doc.len())?;
        let layout = Layout::new(doc, self)?;
        let origins = layout.origins()?;
        let tensor = doc.tensor().map(|tensor| Arc::new(tensor.rearranged(&origins)));
        doc.retile(layout.arrays(doc, self)?)?;
        doc.set_tensor(tensor)?;
        for (merge, at) in self.merges().zip(layout.merged_at()) {
            doc.attrs_mut().store_with_lexeme(at, &merge.attrs)?;
        }
        if self.merges().next().is_some() {
            doc.entities_mut().repair_iob()?;
        }
        for split in self.splits() {
            for (at, part) in (layout.at(split.token)..).zip(&split.parts) {
                doc.attrs_mut().store_with_lexeme(at, &part.attrs)?;
            }
        }
        rebuild_tree(doc)?;
        Ok(origins)
    }
}

/// Rebuilds children and edges. Only in a parsed document do sentence starts follow from the tree.
fn rebuild_tree(doc: &mut Doc) -> Result<()> {
    if doc.syntax_records().is_none() {
        return Ok(());
    }
    if doc.tree().is_parsed() {
        return doc.tree_mut().rebuild();
    }
    let starts: Vec<i8> = doc.tokens().iter().map(TokenC::sent_start).collect();
    let end = doc.len();
    let (tokens, syntax) = doc.tokens_and_syntax_mut()?;
    rebuild(tokens, syntax, 0, end);
    for (token, start) in tokens.iter_mut().zip(starts) {
        token.set_sent_start(start);
    }
    Ok(())
}
