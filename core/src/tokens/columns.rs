//! Annotation columns: the arrays of tags, syntax and entities beside a document's tokens.

use lexpool_pool::{ArrayArena, RecordBuffer};
use lexpool_structs::{EntityC, SyntaxC, TagC, TokenC};

use crate::Result;

/// The annotation columns of one document. Each is absent until its first write, and then as long
/// as the tokens.
#[derive(Default)]
pub(super) struct AnnotationColumns {
    arena: ArrayArena,
    tags: Option<RecordBuffer<TagC>>,
    syntax: Option<RecordBuffer<SyntaxC>>,
    entities: Option<RecordBuffer<EntityC>>,
}

/// Copies of all record arrays of a document, or new contents for all of them at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordArrays {
    pub(crate) tokens: Vec<TokenC>,
    pub(crate) tags: Option<Vec<TagC>>,
    pub(crate) syntax: Option<Vec<SyntaxC>>,
    pub(crate) entities: Option<Vec<EntityC>>,
}

impl AnnotationColumns {
    /// Copies the given arrays, the tokens aside, into columns; an array that is `None` stays
    /// absent.
    pub(super) fn copy_of(arrays: &RecordArrays) -> Result<AnnotationColumns> {
        let mut columns = AnnotationColumns::default();
        columns.tags = columns.filled(arrays.tags.as_deref())?;
        columns.syntax = columns.filled(arrays.syntax.as_deref())?;
        columns.entities = columns.filled(arrays.entities.as_deref())?;
        Ok(columns)
    }

    /// Takes over finished buffers.
    pub(super) fn from_buffers(
        tags: Option<RecordBuffer<TagC>>,
        syntax: Option<RecordBuffer<SyntaxC>>,
        entities: Option<RecordBuffer<EntityC>>,
    ) -> AnnotationColumns {
        AnnotationColumns { tags, syntax, entities, ..AnnotationColumns::default() }
    }

    /// Returns whether no column was made yet.
    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_none() && self.syntax.is_none() && self.entities.is_none()
    }

    #[inline]
    pub(super) fn tags(&self) -> Option<&[TagC]> {
        Some(self.tags.as_ref()?.records())
    }

    #[inline]
    pub(super) fn syntax(&self) -> Option<&[SyntaxC]> {
        Some(self.syntax.as_ref()?.records())
    }

    #[inline]
    pub(super) fn entities(&self) -> Option<&[EntityC]> {
        Some(self.entities.as_ref()?.records())
    }

    /// Returns the tags to be written; a new column of `len` tokens is zeroed.
    pub(super) fn tags_mut(&mut self, len: usize) -> Result<&mut [TagC]> {
        if self.tags.is_none() {
            self.tags = Some(self.arena.zeroed(len)?);
        }
        writable(self.tags.as_mut().expect("made above"))
    }

    /// Returns the syntax to be written; in a new column of `len` tokens each token is its own root
    /// and its own subtree.
    pub(super) fn syntax_mut(&mut self, len: usize) -> Result<&mut [SyntaxC]> {
        if self.syntax.is_none() {
            let mut records = self.arena.zeroed::<SyntaxC>(len)?;
            for (i, record) in (0_u32..).zip(records.records_mut()) {
                (record.l_edge, record.r_edge) = (i, i);
            }
            self.syntax = Some(records);
        }
        writable(self.syntax.as_mut().expect("made above"))
    }

    /// Returns the entities to be written; a new column of `len` tokens is zeroed.
    pub(super) fn entities_mut(&mut self, len: usize) -> Result<&mut [EntityC]> {
        if self.entities.is_none() {
            self.entities = Some(self.arena.zeroed(len)?);
        }
        writable(self.entities.as_mut().expect("made above"))
    }

    /// Copies all columns into memory of their own.
    pub(super) fn try_clone(&self) -> Result<AnnotationColumns> {
        let mut copy = AnnotationColumns::default();
        copy.tags = copy.filled(self.tags())?;
        copy.syntax = copy.filled(self.syntax())?;
        copy.entities = copy.filled(self.entities())?;
        Ok(copy)
    }

    fn filled<T: bytemuck::Pod>(
        &mut self,
        records: Option<&[T]>,
    ) -> Result<Option<RecordBuffer<T>>> {
        let Some(records) = records else { return Ok(None) };
        let mut buffer = self.arena.zeroed::<T>(records.len())?;
        buffer.records_mut().copy_from_slice(records);
        Ok(Some(buffer))
    }
}

/// Returns the records to be written. Borrowed records, such as those of a mapped file, are copied
/// first (copy on write).
pub(super) fn writable<T: bytemuck::Pod>(buffer: &mut RecordBuffer<T>) -> Result<&mut [T]> {
    buffer.make_owned()?;
    Ok(buffer.records_mut())
}
