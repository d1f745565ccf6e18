//! A document of its own from a stretch of another.

use lexpool_pool::Leaf;
use lexpool_structs::{AttrId, symbols};

use super::{Doc, Ents, EntsDefault, Span, tree};
use crate::Result;

impl Span<'_> {
    /// A document with copies of the span's tokens and their annotation.
    ///
    /// A head outside of the span is replaced by the nearest ancestor inside, else the first token
    /// of that kind becomes a root for the others; its relation becomes `dep`. Entities that reach
    /// out of the span are of unknown place.
    ///
    /// # Errors
    ///
    /// `E093` if the entities of the document do not fit together; and when memory runs out.
    pub fn to_doc(&self) -> Result<Doc> {
        let doc = self.doc();
        let whole = doc.rows();
        let (start, end) = (self.start(), self.end());
        let mut tokens = whole.tokens[start..end].to_vec();
        let (idx, byte) = tokens.first().map_or((0, 0), |first| (first.idx, first.byte));
        for token in &mut tokens {
            token.idx -= idx;
            token.byte -= byte;
        }
        let text = self.text_with_ws().to_owned();
        let leaf = Leaf::adopt(tokens, text.into_bytes())?;
        let mut cut = Doc::from_leaf(doc.scope().clone(), leaf, None);
        if let Some(first) = cut.tokens_mut().first_mut() {
            if doc.tokens()[start].ent_iob() == 1 {
                first.set_ent_iob(3);
            }
        }
        if let Some(tags) = whole.tags {
            cut.tags_mut()?.copy_from_slice(&tags[start..end]);
        }
        if let Some(entities) = whole.entities {
            cut.entities_mut()?.copy_from_slice(&entities[start..end]);
        }
        if whole.syntax.is_some() && !cut.is_empty() {
            self.cut_tree(&mut cut)?;
        }
        self.drop_partial_ents(&mut cut)?;
        Ok(cut)
    }

    fn cut_tree(&self, cut: &mut Doc) -> Result<()> {
        let dep = symbols::number("dep").map_or(0, u64::from);
        let (start, len) = (self.start(), self.len());
        // For each way out of the span, the token that became the root for it.
        let mut roots: Vec<(usize, usize)> = Vec::new();
        let mut rewired = Vec::with_capacity(len);
        for (i, token) in self.iter().enumerate() {
            let inside = |at: usize| at.checked_sub(start).filter(|at| *at < len);
            let mut relation = token.attr(AttrId::DEP);
            let mut head = inside(token.head().i());
            let mut way_out = token.i();
            if head.is_none() {
                relation = dep;
                // spaCy takes the last ancestor inside, not the nearest.
                head = token.ancestors().filter_map(|token| inside(token.i())).last();
                way_out = token.ancestors().last().map_or(way_out, |token| token.i());
            } else {
                // Without a relation a token is its own head, whatever head it has been given.
                head = inside(super::attrs::head_ix(self.doc(), token.i()));
            }
            let root = roots.iter().find(|(out, _)| *out == way_out).map(|(_, root)| *root);
            let head = head.or(root).unwrap_or_else(|| {
                roots.push((way_out, i));
                i
            });
            rewired.push((tree::offset(i, head), relation));
        }
        for (record, (head, relation)) in cut.syntax_mut()?.iter_mut().zip(rewired) {
            (record.head, record.dep) = (head, relation);
        }
        if cut.iter().any(|token| token.has_head()) {
            cut.rebuild_tree()?;
        }
        Ok(())
    }

    fn drop_partial_ents(&self, cut: &mut Doc) -> Result<()> {
        let (of_doc, own) = (self.doc().ents()?, cut.ents()?);
        let (Some(first), Some(last)) = (own.first(), own.last()) else { return Ok(()) };
        for span in [*first, *last] {
            let range = super::entities::range_of(&span);
            let is_whole = of_doc.iter().any(|whole| {
                let whole = super::entities::range_of(whole);
                whole.start == range.start + self.start() && whole.end == range.end + self.start()
            });
            if !is_whole {
                let missing = [range];
                let default = EntsDefault::Unmodified;
                cut.set_ents(&Ents { missing: &missing, default, ..Ents::default() })?;
            }
        }
        Ok(())
    }
}
