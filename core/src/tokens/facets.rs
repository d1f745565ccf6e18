//! What annotation adds to a document: arrays beside its tokens, each made by its first write.

use lexpool_pool::{ArrayArena, RecordBuffer};
use lexpool_structs::{EntityC, SyntaxC, TagC, TokenC};

use super::Doc;
use super::retired::{Replaced, Retired};
use crate::Result;

/// The arrays of one document; each is as long as its tokens.
#[derive(Default)]
pub(super) struct AnnotationColumns {
    arena: ArrayArena,
    tags: Option<RecordBuffer<TagC>>,
    syntax: Option<RecordBuffer<SyntaxC>>,
    entities: Option<RecordBuffer<EntityC>>,
    /// Arrays that were replaced, for those who look at them by address.
    pub(super) retired: Retired,
}

impl AnnotationColumns {
    /// Arrays with the given contents; none where there is none.
    fn of(rows: Rows) -> Result<AnnotationColumns> {
        let mut facets = AnnotationColumns::default();
        facets.tags = facets.filled(rows.tags)?;
        facets.syntax = facets.filled(rows.syntax)?;
        facets.entities = facets.filled(rows.entities)?;
        Ok(facets)
    }

    fn filled<T: bytemuck::Pod>(
        &mut self,
        rows: Option<Vec<T>>,
    ) -> Result<Option<RecordBuffer<T>>> {
        let Some(rows) = rows else { return Ok(None) };
        let mut buffer = self.arena.zeroed::<T>(rows.len())?;
        buffer.records_mut().copy_from_slice(&rows);
        Ok(Some(buffer))
    }
}

/// New contents for all arrays of a document at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) tokens: Vec<TokenC>,
    pub(crate) tags: Option<Vec<TagC>>,
    pub(crate) syntax: Option<Vec<SyntaxC>>,
    pub(crate) entities: Option<Vec<EntityC>>,
}

impl Doc {
    /// Tags, lemmas, norms, morphology and parts of speech, one record a token. Absent, as the other
    /// arrays, until something was written to it.
    pub fn tags(&self) -> Option<&[TagC]> {
        Some(self.facets.as_deref()?.tags.as_ref()?.records())
    }

    /// The dependency tree, one record a token.
    pub fn syntax(&self) -> Option<&[SyntaxC]> {
        Some(self.facets.as_deref()?.syntax.as_ref()?.records())
    }

    /// Types and ids of entities, one record a token; which token begins one stands in
    /// [`TokenC::ent_iob`].
    pub fn entities(&self) -> Option<&[EntityC]> {
        Some(self.facets.as_deref()?.entities.as_ref()?.records())
    }

    /// The records of tags, made if there are none.
    pub(crate) fn tags_mut(&mut self) -> Result<&mut [TagC]> {
        let n = self.len();
        let AnnotationColumns { arena, tags, .. } = &mut **self.facets.get_or_insert_default();
        if tags.is_none() {
            *tags = Some(arena.zeroed(n)?);
        }
        own(tags.as_mut().expect("made above"))
    }

    /// The records of the tree, made if there are none: each token its own root and its own span.
    pub(crate) fn syntax_mut(&mut self) -> Result<&mut [SyntaxC]> {
        Ok(self.tree_mut()?.1)
    }

    /// The tokens with the records of the tree.
    pub(crate) fn tree_mut(&mut self) -> Result<(&mut [TokenC], &mut [SyntaxC])> {
        let n = self.len();
        let AnnotationColumns { arena, syntax, .. } = &mut **self.facets.get_or_insert_default();
        if syntax.is_none() {
            let mut made = arena.zeroed::<SyntaxC>(n)?;
            for (i, record) in (0_u32..).zip(made.records_mut()) {
                (record.l_edge, record.r_edge) = (i, i);
            }
            *syntax = Some(made);
        }
        Ok((own(&mut self.buffer)?, own(syntax.as_mut().expect("made above"))?))
    }

    /// The records of entities, made if there are none.
    pub(crate) fn entities_mut(&mut self) -> Result<&mut [EntityC]> {
        let n = self.len();
        let AnnotationColumns { arena, entities, .. } = &mut **self.facets.get_or_insert_default();
        if entities.is_none() {
            *entities = Some(arena.zeroed(n)?);
        }
        own(entities.as_mut().expect("made above"))
    }

    /// The token records, to be changed in what is no offset.
    pub(crate) fn tokens_mut(&mut self) -> Result<&mut [TokenC]> {
        own(&mut self.buffer)
    }

    /// Gives a document that was just made arrays that are there already; each is as long as its
    /// tokens, and heads and edges point into the document.
    #[cfg(feature = "arrow")]
    pub(crate) fn with_facets(
        mut self,
        tags: Option<RecordBuffer<TagC>>,
        syntax: Option<RecordBuffer<SyntaxC>>,
        entities: Option<RecordBuffer<EntityC>>,
    ) -> Doc {
        if tags.is_some() || syntax.is_some() || entities.is_some() {
            self.facets = Some(Box::new(AnnotationColumns {
                tags,
                syntax,
                entities,
                ..AnnotationColumns::default()
            }));
        }
        self
    }

    /// A copy of all arrays.
    pub(crate) fn rows(&self) -> Rows {
        Rows {
            tokens: self.tokens().to_vec(),
            tags: self.tags().map(<[TagC]>::to_vec),
            syntax: self.syntax().map(<[SyntaxC]>::to_vec),
            entities: self.entities().map(<[EntityC]>::to_vec),
        }
    }

    /// Puts other tokens over the same text. Views made before are stale from here on.
    ///
    /// The tokens must tile the text, and each array be as long as the tokens. On an error the
    /// document is as it was.
    pub(crate) fn retile(&mut self, rows: Rows) -> Result<()> {
        let text = if self.foreign.is_some() { Vec::new() } else { self.buffer.bytes().to_vec() };
        self.replace(rows, text)
    }

    /// Puts other tokens over another text, which the document then owns.
    pub(crate) fn rewrite(&mut self, rows: Rows, text: String) -> Result<()> {
        self.replace(rows, text.into_bytes())?;
        self.foreign = None;
        Ok(())
    }

    fn replace(&mut self, mut rows: Rows, text: Vec<u8>) -> Result<()> {
        let tokens = std::mem::take(&mut rows.tokens);
        let sizes = [
            rows.tags.as_ref().map(Vec::len),
            rows.syntax.as_ref().map(Vec::len),
            rows.entities.as_ref().map(Vec::len),
        ];
        debug_assert!(sizes.into_iter().flatten().all(|len| len == tokens.len()));
        let has_facets = sizes.iter().any(Option::is_some);
        let facets = if has_facets { Some(Box::new(AnnotationColumns::of(rows)?)) } else { None };
        let buffer = RecordBuffer::adopt(tokens, text)?;
        let before = std::mem::replace(&mut self.buffer, buffer);
        let mut old = std::mem::replace(&mut self.facets, facets);
        let mut retired = retired(old.as_deref_mut());
        let snapshot = self.snapshot().clone();
        let before = Replaced::Arrays { _tokens: before, _facets: old, _snapshot: snapshot };
        retired.push(self.pins.take(), before);
        self.keep(retired);
        self.generation = self.generation.wrapping_add(1);
        Ok(())
    }

    /// Puts another document in the place of this one, under a generation that neither has had. Where
    /// addresses were given out, all of what was here is kept, since they may be of its words too.
    pub fn supersede(&mut self, other: Doc) {
        let generation = self.generation.max(other.generation).wrapping_add(1);
        let mut before = std::mem::replace(self, other);
        self.generation = generation;
        let mut all = retired(before.facets.as_deref_mut());
        all.append(retired(self.facets.as_deref_mut()));
        all.push(before.pins.take(), Replaced::Doc { _doc: before });
        self.keep(all);
    }

    fn keep(&mut self, retired: Retired) {
        if !retired.is_empty() {
            self.facets.get_or_insert_default().retired = retired;
        }
    }

    /// A copy of all arrays as new ones.
    pub(super) fn facets_copied(&self) -> Result<Option<Box<AnnotationColumns>>> {
        let rows = Rows { tokens: Vec::new(), ..self.rows() };
        if rows.tags.is_none() && rows.syntax.is_none() && rows.entities.is_none() {
            return Ok(None);
        }
        Ok(Some(Box::new(AnnotationColumns::of(rows)?)))
    }
}

/// Takes along all that a document has kept so far.
fn retired(facets: Option<&mut AnnotationColumns>) -> Retired {
    facets.map(|facets| std::mem::take(&mut facets.retired)).unwrap_or_default()
}

/// The records, to be written: those of a mapped file are copied first.
fn own<T: bytemuck::Pod>(buffer: &mut RecordBuffer<T>) -> Result<&mut [T]> {
    buffer.make_own()?;
    Ok(buffer.records_mut())
}

#[cfg(test)]
mod tests {
    use crate::structs::AttrId;
    use crate::tokens::tests::{all_of, parsed, split_first, words};

    #[test]
    fn a_copy_has_arrays_of_its_own() {
        let mut doc = parsed(&[1, 1, 1]);
        doc.set_attr(0, AttrId::TAG, 5).unwrap();
        let before = all_of(&doc);
        let mut copy = doc.try_clone().unwrap();
        assert_eq!(all_of(&copy), before);
        copy.set_attr(0, AttrId::TAG, 6).unwrap();
        copy.set_head(0, 2).unwrap();
        split_first(&mut copy);
        assert_eq!(all_of(&doc), before);
    }

    #[test]
    fn a_new_tree_is_one_of_roots() {
        let mut doc = words(2);
        let (_, syntax) = doc.tree_mut().unwrap();
        let edges: Vec<_> = syntax.iter().map(|own| (own.head, own.l_edge, own.r_edge)).collect();
        assert_eq!(edges, [(0, 0, 0), (0, 1, 1)]);
    }
}
