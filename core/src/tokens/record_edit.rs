//! Editing the records themselves: a copy is changed freely, validated, and put back as a whole.

use lexpool_structs::{EntityC, Pos, SyntaxC, TagC, TokenC};

use super::doc::Doc;
use super::tree;
use crate::codes;
use crate::fallible;
use crate::{Error, Result};

/// A copy of a document's records, to be changed in any way and then [applied](RecordEdit::apply).
///
/// Writes change only the copy, and `apply` rejects invalid records as a whole, so the slices may
/// be passed to untrusted code. The arrays do not move.
///
/// ```
/// use lexpool::structs::{Pos, SyntaxC};
/// use lexpool::tokenizer::Tokenizer;
/// use lexpool::tokens::RecordEdit;
///
/// let mut doc = Tokenizer::blank("en")?.tokenize("Dogs bark.")?;
/// let mut edit = RecordEdit::copy_of(&doc);
/// edit.tags_mut()[0].pos = Pos::from_name("NOUN").unwrap().number();
/// let nsubj = doc.snapshot().add("nsubj")?.get();
/// edit.syntax_mut()[0] = SyntaxC { head: 1, dep: nsubj, ..SyntaxC::default() };
/// edit.apply(&mut doc)?;
/// assert_eq!(doc.token(0).unwrap().head().i(), 1);
///
/// edit.syntax_mut()[0].head = -1;
/// assert_eq!(edit.apply(&mut doc).unwrap_err().code(), "E190");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordEdit {
    tokens: Box<[TokenC]>,
    tags: ColumnEdit<TagC>,
    syntax: ColumnEdit<SyntaxC>,
    entities: ColumnEdit<EntityC>,
    generation: u32,
}

/// A column of the document, and its copy after the first write access.
#[derive(Clone, Debug)]
struct ColumnEdit<T> {
    before: Option<Box<[T]>>,
    after: Option<Box<[T]>>,
}

impl<T: Copy> ColumnEdit<T> {
    fn of(records: Option<&[T]>) -> ColumnEdit<T> {
        ColumnEdit { before: records.map(Box::from), after: None }
    }

    fn get_or_copy(&mut self, fresh: impl FnOnce() -> Box<[T]>) -> &mut [T] {
        let before = &self.before;
        self.after.get_or_insert_with(|| before.clone().unwrap_or_else(fresh))
    }
}

impl RecordEdit {
    /// Copies the records of a document. Cost: 16 bytes a token, and the columns that are present.
    pub fn copy_of(doc: &Doc) -> RecordEdit {
        RecordEdit {
            tokens: doc.tokens().into(),
            tags: ColumnEdit::of(doc.tag_records()),
            syntax: ColumnEdit::of(doc.syntax_records()),
            entities: ColumnEdit::of(doc.entity_records()),
            generation: doc.generation(),
        }
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns the token records. Only sentence starts and IOB values may be changed.
    pub fn tokens_mut(&mut self) -> &mut [TokenC] {
        &mut self.tokens
    }

    /// Returns the tag records, zeroed if the document has none.
    pub fn tags_mut(&mut self) -> &mut [TagC] {
        let len = self.len();
        self.tags.get_or_copy(|| vec![TagC::default(); len].into())
    }

    /// Returns the syntax records; each token is its own root if the document has none. Only `dep`
    /// and `head` are read back: the other fields follow from them.
    pub fn syntax_mut(&mut self) -> &mut [SyntaxC] {
        let len = self.len();
        self.syntax.get_or_copy(|| {
            let root_record = |i| SyntaxC { l_edge: i, r_edge: i, ..SyntaxC::default() };
            (0_u32..).take(len).map(root_record).collect()
        })
    }

    /// Returns the entity records, zeroed if the document has none.
    pub fn entities_mut(&mut self) -> &mut [EntityC] {
        let len = self.len();
        self.entities.get_or_copy(|| vec![EntityC::default(); len].into())
    }

    /// Rebuilds children and edges from the heads, and the sentence starts if the tree has
    /// relations. [`RecordEdit::apply`] does the same.
    ///
    /// # Errors
    ///
    /// `E190` for a head outside of the document; `out-of-memory`.
    pub fn set_children_from_heads(&mut self) -> Result<()> {
        // Copies, since holders of the addresses may change the records between check and use.
        let mut syntax = fallible::copy(self.syntax_mut())?;
        let mut tokens = fallible::copy(&self.tokens)?;
        check_heads(&syntax)?;
        rebuild(&mut tokens, &mut syntax);
        self.tokens.copy_from_slice(&tokens);
        self.syntax_mut().copy_from_slice(&syntax);
        Ok(())
    }
}

impl RecordEdit {
    /// Puts the records into the document. If heads or relations were changed, the tree and the
    /// sentence starts are rebuilt from them.
    ///
    /// # Errors
    ///
    /// `edit-stale` for an edit of another document or of a document that was retokenized since,
    /// `edit-token` if a lexeme, an offset or a reserved bit was changed, `E1021` for an unknown
    /// part of speech, `E190` for a head outside of the document, `edit-iob` for a token inside of
    /// an entity that it does not continue, `E043` for sentence starts that were changed against
    /// the tree; `pool-out-of-memory`. The document is then unchanged.
    pub fn apply(&self, doc: &mut Doc) -> Result<()> {
        if self.generation != doc.generation() || self.len() != doc.len() {
            let text = "the edit is of another document, or tokens were merged or split since";
            return Err(Error::value(codes::EDIT_STALE, text));
        }
        let mut tokens = self.tokens.clone();
        check_tokens(doc.tokens(), &tokens)?;
        check_tags(self.tags.after.as_deref().unwrap_or_default())?;
        let entities = self.entities.after.as_deref().or(doc.entity_records());
        check_entities(&tokens, entities)?;
        let syntax = rebuilt_tree(doc, &mut tokens, self.syntax.after.as_deref())?;
        // All allocations come before the first write to the tokens, so an error changes nothing.
        if let Some(tags) = &self.tags.after {
            doc.tag_records_mut()?.copy_from_slice(tags);
        }
        if let Some(entities) = &self.entities.after {
            doc.entity_records_mut()?.copy_from_slice(entities);
        }
        if let Some(syntax) = syntax {
            doc.syntax_records_mut()?.copy_from_slice(&syntax);
        }
        doc.tokens_mut()?.copy_from_slice(&tokens);
        Ok(())
    }
}

/// Returns the new tree, after setting its sentence starts in `tokens`; `None` if the tree does not
/// change.
fn rebuilt_tree(
    doc: &Doc,
    tokens: &mut [TokenC],
    edited: Option<&[SyntaxC]>,
) -> Result<Option<Box<[SyntaxC]>>> {
    let edited = edited.filter(|edited| {
        let before = doc.syntax_records().unwrap_or_default();
        let same = |(a, b): (&SyntaxC, &SyntaxC)| (a.head, a.dep) == (b.head, b.dep);
        before.len() != edited.len() || !edited.iter().zip(before).all(same)
    });
    let Some(edited) = edited else {
        let moved = |(a, b): (&TokenC, &TokenC)| a.sent_start() != b.sent_start();
        let moved = tokens.iter().zip(doc.tokens()).position(moved);
        let has_tree = doc.syntax_records().is_some_and(|tree| tree.iter().any(|at| at.dep != 0));
        return match moved.filter(|_| has_tree) {
            None => Ok(None),
            Some(i) => {
                let text = format!(
                    "the sentence start of token {i} was changed, which follows from the tree; \
                     change heads instead"
                );
                Err(Error::value(codes::E043, text))
            }
        };
    };
    check_heads(edited)?;
    let mut syntax: Box<[SyntaxC]> = edited.into();
    syntax.iter_mut().for_each(|record| record.flags = 0);
    rebuild(tokens, &mut syntax);
    Ok(Some(syntax))
}

/// Rebuilds a whole tree. A tree without relations does not change sentence starts.
fn rebuild(tokens: &mut [TokenC], syntax: &mut [SyntaxC]) {
    let end = tokens.len();
    if syntax.iter().any(|record| record.dep != 0) {
        tree::rebuild(tokens, syntax, 0, end);
    } else {
        tree::rebuild(&mut tokens.to_vec(), syntax, 0, end);
    }
}

fn check_tokens(before: &[TokenC], after: &[TokenC]) -> Result<()> {
    for (i, (before, after)) in before.iter().zip(after).enumerate() {
        let mut expected = *before;
        expected.set_ent_iob(after.ent_iob());
        expected.set_sent_start(after.sent_start());
        if expected != *after {
            let field = match () {
                () if before.lex != after.lex => "lex",
                () if before.idx != after.idx => "idx",
                () if before.byte != after.byte => "byte",
                () => "facts",
            };
            let text = format!(
                "{field} of token {i} was changed from {before:?} to {after:?}; only its sentence \
                 start and its IOB value may be changed"
            );
            return Err(Error::value(codes::EDIT_TOKEN, text));
        }
    }
    Ok(())
}

fn check_tags(tags: &[TagC]) -> Result<()> {
    for (i, tag) in tags.iter().enumerate() {
        if Pos::from_number(tag.pos).is_none() {
            let text = format!("{} of token {i} is not the number of a part of speech", tag.pos);
            return Err(Error::value(codes::E1021, text));
        }
        if tag.flags != 0 {
            let text =
                format!("flags of the tag of token {i} are {:#x}; they must be 0", tag.flags);
            return Err(Error::value(codes::EDIT_TOKEN, text));
        }
    }
    Ok(())
}

fn check_heads(syntax: &[SyntaxC]) -> Result<()> {
    let len = syntax.len();
    for (i, record) in syntax.iter().enumerate() {
        let head = i.checked_add_signed(record.head as isize);
        if head.is_none_or(|head| head >= len) {
            let offset = record.head;
            let text = format!("the head of token {i}, {offset:+}, is outside of {len} tokens");
            return Err(Error::value(codes::E190, text));
        }
    }
    Ok(())
}

fn check_entities(tokens: &[TokenC], entities: Option<&[EntityC]>) -> Result<()> {
    let type_of =
        |i: usize| entities.and_then(|all| all.get(i)).map_or(0, |entity| entity.ent_type);
    for (i, token) in tokens.iter().enumerate().filter(|(_, token)| token.ent_iob() == 1) {
        let before = i.checked_sub(1).filter(|before| matches!(tokens[*before].ent_iob(), 1 | 3));
        if before.is_none_or(|before| type_of(before) != type_of(i)) {
            let text = format!(
                "token {i} ({token:?}) is inside of an entity that the token before it does not \
                 belong to"
            );
            return Err(Error::value(codes::EDIT_IOB, text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lexpool_structs::AttrId;

    use super::*;
    use crate::vocab::{Getters, Vocab};

    fn doc() -> Doc {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words = ["We", "saw", "New", "York", "."].map(|word| (word, true));
        Doc::from_words(&vocab, &words).unwrap()
    }

    fn numbers(doc: &Doc) -> Vec<u64> {
        doc.attrs().to_array(&crate::tokens::ARRAY_ATTRS)
    }

    #[test]
    fn an_edit_without_changes_changes_nothing() {
        let mut doc = doc();
        let before = numbers(&doc);
        RecordEdit::copy_of(&doc).apply(&mut doc).unwrap();
        assert_eq!(numbers(&doc), before);
        assert!(
            doc.tag_records().is_none()
                && doc.syntax_records().is_none()
                && doc.entity_records().is_none()
        );
    }

    #[test]
    fn written_records_are_applied_and_the_tree_is_rebuilt() {
        let mut doc = doc();
        let mut edit = RecordEdit::copy_of(&doc);
        for (i, head) in [1, 0, 1, -2, -3].into_iter().enumerate() {
            edit.syntax_mut()[i] = SyntaxC { head, dep: 7, ..SyntaxC::default() };
        }
        edit.tags_mut()[2].tag = 5;
        edit.entities_mut()[2].ent_type = 9;
        edit.entities_mut()[3].ent_type = 9;
        edit.tokens_mut()[2].set_ent_iob(3);
        edit.tokens_mut()[3].set_ent_iob(1);
        edit.apply(&mut doc).unwrap();
        let token = |i| doc.token(i).unwrap();
        assert_eq!((0..5).map(|i| token(i).head().i()).collect::<Vec<_>>(), [1, 1, 3, 1, 1]);
        assert_eq!(doc.syntax_records().unwrap()[1].r_kids, 2);
        assert_eq!(doc.syntax_records().unwrap()[1].r_edge, 4);
        assert_eq!(token(2).attr(AttrId::TAG), 5);
        assert_eq!(doc.entities().spans().unwrap().len(), 1);
        let starts = doc.tokens().iter().map(TokenC::sent_start).collect::<Vec<_>>();
        assert_eq!(starts, [1, -1, -1, -1, -1]);
    }

    #[test]
    fn invalid_records_are_rejected_and_the_document_is_unchanged() {
        type InjectedFault = fn(&mut RecordEdit);
        let faults: [(&str, InjectedFault); 9] = [
            ("E190", |edit| edit.syntax_mut()[4].head = 1),
            ("E190", |edit| edit.syntax_mut()[0].head = i32::MIN),
            ("E1021", |edit| edit.tags_mut()[0].pos = 1),
            ("edit-token", |edit| edit.tags_mut()[0].flags = 1),
            ("edit-token", |edit| edit.tokens_mut()[1].lex ^= 1),
            ("edit-token", |edit| edit.tokens_mut()[1].idx += 1),
            ("edit-token", |edit| edit.tokens_mut()[1].set_spacy(false)),
            ("edit-token", |edit| edit.tokens_mut()[1].facts |= 1 << 5),
            ("edit-iob", |edit| edit.tokens_mut()[3].set_ent_iob(1)),
        ];
        for (code, fault) in faults {
            let mut doc = doc();
            let mut edit = RecordEdit::copy_of(&doc);
            edit.tags_mut()[2].tag = 5;
            fault(&mut edit);
            let before = numbers(&doc);
            assert_eq!(edit.apply(&mut doc).unwrap_err().code(), code);
            assert_eq!(numbers(&doc), before);
            assert!(doc.tag_records().is_none());
        }
    }

    #[test]
    fn sentence_starts_follow_the_tree_of_a_parsed_document() {
        let mut doc = doc();
        let mut edit = RecordEdit::copy_of(&doc);
        edit.tokens_mut()[3].set_sent_start(1);
        edit.apply(&mut doc).unwrap();
        assert_eq!(doc.tokens()[3].sent_start(), 1);
        edit.syntax_mut().iter_mut().for_each(|record| record.dep = 7);
        edit.apply(&mut doc).unwrap();
        let mut edit = RecordEdit::copy_of(&doc);
        edit.tokens_mut()[3].set_sent_start(-1);
        assert_eq!(edit.apply(&mut doc).unwrap_err().code(), "E043");
    }

    #[test]
    fn an_edit_is_rejected_by_any_other_document() {
        let mut doc = doc();
        let other = Doc::empty(doc.vocab());
        assert_eq!(RecordEdit::copy_of(&other).apply(&mut doc).unwrap_err().code(), "edit-stale");
    }
}
