//! Copies of the token records in spaCy's layout, for code that is compiled against it.

use std::fmt;

use lexpool_structs::{SpacyTokenC, SyntaxC, TokenC};

use super::doc::Doc;
use super::record_edit::RecordEdit;
use super::tree;
use crate::codes;
use crate::strings::StrId;
use crate::vocab::{LexIx, VocabSnapshot};
use crate::{Error, Result};

/// The number of padding tokens that spaCy has on either side of a document's tokens, so that an
/// access to a neighbour is always within the array.
pub const SPACY_PADDING: usize = 5;

/// A document's tokens in spaCy's layout, padded as spaCy pads them.
///
/// The records hold addresses of lexemes, so this value keeps the vocab and the zone of the
/// document alive.
#[derive(Clone)]
pub struct SpacyTokens {
    records: Box<[SpacyTokenC]>,
    generation: u32,
    _snapshot: VocabSnapshot,
}

impl PartialEq for SpacyTokens {
    fn eq(&self, other: &SpacyTokens) -> bool {
        (&self.records, self.generation) == (&other.records, other.generation)
    }
}

impl Eq for SpacyTokens {}

impl fmt::Debug for SpacyTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tokens()).finish()
    }
}

impl SpacyTokens {
    /// Copies the tokens of a document. Cost: 120 bytes a token, written once.
    pub fn copy_of(doc: &Doc) -> SpacyTokens {
        let snapshot = doc.snapshot();
        let address = |ix| snapshot.cell(ix).map_or(0, |cell| cell.as_ptr() as u64);
        let empty = SpacyTokenC { lex: address(LexIx::EMPTY), ..SpacyTokenC::default() };
        let tags = doc.tag_records().unwrap_or_default();
        let syntax = doc.syntax_records().unwrap_or_default();
        let entities = doc.entity_records().unwrap_or_default();
        // Page faults of fresh memory dominate the cost, so each record is built in registers and
        // written once.
        let records = doc.tokens().iter().enumerate().map(|(i, token)| {
            let position = u32::try_from(i).unwrap_or(u32::MAX);
            let mut record = SpacyTokenC {
                lex: address(LexIx::from_raw(token.lex)),
                spacy: i32::from(token.spacy()),
                idx: i32::try_from(token.idx).unwrap_or(i32::MAX),
                sent_start: i32::from(token.sent_start()),
                ent_iob: i32::from(token.ent_iob()),
                norm: snapshot.norm(token.norm_ix()).map_or(0, StrId::get),
                l_edge: position,
                r_edge: position,
                ..SpacyTokenC::default()
            };
            if let Some(tag) = tags.get(i) {
                (record.tag, record.lemma, record.morph) = (tag.tag, tag.lemma, tag.morph);
                record.pos = tag.pos;
                record.norm = if tag.norm == 0 { record.norm } else { tag.norm };
            }
            if let Some(node) = syntax.get(i) {
                (record.head, record.dep) = (node.head, node.dep);
                (record.l_kids, record.r_kids) = (node.l_kids, node.r_kids);
                (record.l_edge, record.r_edge) = (node.l_edge, node.r_edge);
            }
            if let Some(entity) = entities.get(i) {
                record.ent_type = entity.ent_type;
                (record.ent_kb_id, record.ent_id) = (entity.ent_kb_id, entity.ent_id);
            }
            record
        });
        let mut all = Vec::with_capacity(doc.len() + 2 * SPACY_PADDING);
        all.extend([empty; SPACY_PADDING]);
        all.extend(records);
        all.extend([empty; SPACY_PADDING]);
        let records = all.into_boxed_slice();
        SpacyTokens { records, generation: doc.generation(), _snapshot: snapshot.clone() }
    }

    /// Puts the records into the document.
    ///
    /// # Errors
    ///
    /// Those of [`RecordEdit::apply`]; a changed lexeme, offset or space is `edit-token`. `E982`
    /// for an `ent_iob` outside of 0 to 3. The document is then unchanged.
    pub fn apply(&self, doc: &mut Doc) -> Result<()> {
        let tokens = self.tokens();
        if self.generation != doc.generation() || tokens.len() != doc.len() {
            let text = "the records are of another document, or tokens were merged or split since";
            return Err(Error::value(codes::EDIT_STALE, text));
        }
        let before = SpacyTokens::copy_of(doc);
        let mut edit = RecordEdit::copy_of(doc);
        for (i, (after, before)) in tokens.iter().zip(before.tokens()).enumerate() {
            let fixed = |record: &SpacyTokenC| (record.lex, record.idx, record.spacy);
            if fixed(after) != fixed(before) {
                let text = format!("the word, the offset or the space of token {i} was changed");
                return Err(Error::value(codes::EDIT_TOKEN, text));
            }
            copy_changes(&mut edit, i, after, before)?;
        }
        edit.apply(doc)
    }

    /// Returns the document's tokens, without the padding.
    pub fn tokens(&self) -> &[SpacyTokenC] {
        &self.records[SPACY_PADDING..self.records.len() - SPACY_PADDING]
    }

    /// Returns the document's tokens, to be changed.
    pub fn tokens_mut(&mut self) -> &mut [SpacyTokenC] {
        let end = self.records.len() - SPACY_PADDING;
        &mut self.records[SPACY_PADDING..end]
    }

    /// Returns all records: the document's tokens with [`SPACY_PADDING`] before and after them. The
    /// records no longer keep vocab and zone alive.
    pub fn into_padded(self) -> Box<[SpacyTokenC]> {
        self.records
    }
}

/// Rebuilds children and edges of `start..end` from the heads and sets the sentence starts, as
/// spaCy's `set_children_from_heads` does; a token without a relation does not begin a sentence.
///
/// Returns `false`, without a write, if the range is not within the tokens or a head is not within
/// the range.
pub fn set_spacy_children(tokens: &mut [SpacyTokenC], start: usize, end: usize) -> bool {
    let Some(range) = tokens.get_mut(start..end) else { return false };
    let is_inside = |(i, token): (usize, &SpacyTokenC)| {
        i.checked_add_signed(token.head as isize).is_some_and(|head| head < end - start)
    };
    let Ok(first) = u32::try_from(start) else { return false };
    if !range.iter().enumerate().all(is_inside) {
        return false;
    }
    let node =
        |token: &SpacyTokenC| SyntaxC { head: token.head, dep: token.dep, ..SyntaxC::default() };
    let mut syntax: Vec<SyntaxC> = range.iter().map(node).collect();
    let mut starts = vec![TokenC::default(); syntax.len()];
    let len = syntax.len();
    if len > 0 {
        tree::rebuild(&mut starts, &mut syntax, 0, len);
    }
    for ((token, node), start) in range.iter_mut().zip(&syntax).zip(&starts) {
        (token.l_kids, token.r_kids) = (node.l_kids, node.r_kids);
        (token.l_edge, token.r_edge) = (node.l_edge + first, node.r_edge + first);
        token.sent_start = i32::from(start.sent_start());
    }
    true
}

/// Copies the changes of one record to the edit; a column is copied only if one of its fields
/// changed.
fn copy_changes(
    edit: &mut RecordEdit,
    i: usize,
    after: &SpacyTokenC,
    before: &SpacyTokenC,
) -> Result<()> {
    let Some(iob) = u8::try_from(after.ent_iob).ok().filter(|iob| *iob <= 3) else {
        let code = after.ent_iob;
        let text = format!("ENT_IOB {code} of token {i}; it is 0 (unset), 1 (I), 2 (O) or 3 (B)");
        return Err(Error::value(codes::E982, text));
    };
    let token: &mut TokenC = &mut edit.tokens_mut()[i];
    token.set_ent_iob(iob);
    let start = after.sent_start.signum();
    token.set_sent_start(i8::try_from(start).unwrap_or_default());
    let tag =
        |record: &SpacyTokenC| (record.tag, record.lemma, record.morph, record.pos, record.norm);
    if tag(after) != tag(before) {
        let record = &mut edit.tags_mut()[i];
        (record.tag, record.lemma, record.morph) = (after.tag, after.lemma, after.morph);
        record.pos = after.pos;
        if after.norm != before.norm {
            record.norm = after.norm;
        }
    }
    if (after.head, after.dep) != (before.head, before.dep) {
        let record = &mut edit.syntax_mut()[i];
        (record.head, record.dep) = (after.head, after.dep);
    }
    let entity = |record: &SpacyTokenC| (record.ent_type, record.ent_kb_id, record.ent_id);
    if entity(after) != entity(before) {
        let record = &mut edit.entities_mut()[i];
        (record.ent_type, record.ent_kb_id, record.ent_id) = entity(after);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::{Getters, Vocab};

    fn doc() -> Doc {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words = [("We", true), ("saw", true), ("it", false), (".", false)];
        Doc::from_words(&vocab, &words).unwrap()
    }

    #[test]
    fn records_name_their_words_and_are_padded() {
        let doc = doc();
        let made = SpacyTokens::copy_of(&doc);
        assert_eq!(made.records.len(), 4 + 2 * SPACY_PADDING);
        for ((i, record), token) in (0_u32..).zip(made.tokens()).zip(doc.iter()) {
            assert_eq!(record.lex, token.lex().as_ptr() as u64);
            assert_eq!(usize::try_from(record.idx), Ok(token.idx()));
            assert_eq!((record.l_edge, record.r_edge), (i, i));
        }
    }

    #[test]
    fn changes_come_back_and_the_tree_follows() {
        let mut doc = doc();
        let mut made = SpacyTokens::copy_of(&doc);
        for (record, head) in made.tokens_mut().iter_mut().zip([1, 0, -1, -2]) {
            (record.head, record.dep, record.tag) = (head, 7, 8);
        }
        made.apply(&mut doc).unwrap();
        let again = SpacyTokens::copy_of(&doc);
        let root = again.tokens()[1];
        assert_eq!((root.l_kids, root.r_kids, root.l_edge, root.r_edge), (1, 2, 0, 3));
        assert_eq!((root.tag, root.sent_start, again.tokens()[0].sent_start), (8, -1, 1));
    }

    #[test]
    fn children_are_counted_in_a_range_as_in_the_document() {
        let mut doc = doc();
        let mut made = SpacyTokens::copy_of(&doc);
        for (record, head) in made.tokens_mut().iter_mut().zip([1, 0, -1, -2]) {
            (record.head, record.dep) = (head, 7);
        }
        let mut whole = made.clone();
        assert!(set_spacy_children(whole.tokens_mut(), 0, 4));
        made.apply(&mut doc).unwrap();
        assert_eq!(whole, SpacyTokens::copy_of(&doc));

        made.tokens_mut()[2].head = 0;
        assert!(set_spacy_children(made.tokens_mut(), 2, 3));
        let edges = |at: &SpacyTokenC| (at.l_edge, at.r_edge, at.sent_start);
        assert_eq!(edges(&made.tokens()[2]), (2, 2, 1));
        assert_eq!(edges(&made.tokens()[3]), (3, 3, 0));
    }

    #[test]
    fn a_range_or_a_head_outside_counts_nothing() {
        let mut made = SpacyTokens::copy_of(&doc());
        let before = made.clone();
        for (start, end) in [(0, 5), (3, 2), (5, 5)] {
            assert!(!set_spacy_children(made.tokens_mut(), start, end));
        }
        for (start, head) in [(0, 3), (0, -2), (1, -1), (0, i32::MAX), (0, i32::MIN)] {
            made.tokens_mut()[1].head = head;
            assert!(!set_spacy_children(made.tokens_mut(), start, 4), "{start} {head}");
        }
        made.tokens_mut()[1].head = 0;
        assert_eq!(made, before);
        assert!(set_spacy_children(made.tokens_mut(), 4, 4));
    }

    #[test]
    fn what_was_not_changed_makes_no_arrays() {
        let mut doc = doc();
        let made = SpacyTokens::copy_of(&doc);
        made.apply(&mut doc).unwrap();
        assert!(
            doc.tag_records().is_none()
                && doc.syntax_records().is_none()
                && doc.entity_records().is_none()
        );
    }

    #[test]
    fn another_word_or_offset_is_refused() {
        let mut doc = doc();
        for fault in [
            (|record: &mut SpacyTokenC| record.lex = 0) as fn(&mut SpacyTokenC),
            |record| record.idx = -1,
            |record| record.spacy ^= 1,
        ] {
            let mut made = SpacyTokens::copy_of(&doc);
            fault(&mut made.tokens_mut()[1]);
            assert_eq!(made.apply(&mut doc).unwrap_err().code(), "edit-token");
        }
        let mut made = SpacyTokens::copy_of(&doc);
        made.tokens_mut()[1].ent_iob = 4;
        assert_eq!(made.apply(&mut doc).unwrap_err().code(), "E982");
    }
}
