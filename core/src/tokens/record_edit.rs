//! Editing the records themselves: a copy is changed freely, judged, and put back as a whole.

use lexpool_structs::{EntityC, Pos, SyntaxC, TagC, TokenC};

use super::{Doc, tree};
use crate::{Error, Result};

/// A copy of a document's records, to be changed in any way and then [applied](Doc::apply).
///
/// What is written here changes nothing in the document, and what does not hold is refused as a
/// whole: code that is not trusted may be given the slices. The arrays never move.
///
/// ```
/// use lexpool::structs::{Pos, SyntaxC};
/// use lexpool::tokenizer::Tokenizer;
///
/// let mut doc = Tokenizer::blank("en")?.tokenize("Dogs bark.")?;
/// let mut edit = doc.edit();
/// edit.tags_mut()[0].pos = Pos::from_name("NOUN").unwrap().number();
/// let nsubj = doc.snapshot().add("nsubj")?.get();
/// edit.syntax_mut()[0] = SyntaxC { head: 1, dep: nsubj, ..SyntaxC::default() };
/// doc.apply(&edit)?;
/// assert_eq!(doc.token(0).unwrap().head().i(), 1);
///
/// edit.syntax_mut()[0].head = -1;
/// assert_eq!(doc.apply(&edit).unwrap_err().code(), "E190");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordEdit {
    tokens: Box<[TokenC]>,
    tags: Facet<TagC>,
    syntax: Facet<SyntaxC>,
    entities: Facet<EntityC>,
    generation: u32,
}

/// The records of one facet, once somebody wants to write them.
#[derive(Clone, Debug)]
struct Facet<T> {
    /// What the document has.
    before: Option<Box<[T]>>,
    now: Option<Box<[T]>>,
}

impl<T: Copy> Facet<T> {
    fn of(records: Option<&[T]>) -> Facet<T> {
        Facet { before: records.map(Box::from), now: None }
    }

    fn made(&mut self, fresh: impl FnOnce() -> Box<[T]>) -> &mut [T] {
        let before = &self.before;
        self.now.get_or_insert_with(|| before.clone().unwrap_or_else(fresh))
    }
}

impl RecordEdit {
    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The token records. Sentence starts and places in entities may be changed; what a token is
    /// and where it stands may not.
    pub fn tokens_mut(&mut self) -> &mut [TokenC] {
        &mut self.tokens
    }

    /// The records of tags, zeros where the document has none.
    pub fn tags_mut(&mut self) -> &mut [TagC] {
        let len = self.len();
        self.tags.made(|| vec![TagC::default(); len].into())
    }

    /// The records of the tree, each token its own root where the document has none. Only `dep`
    /// and `head` are read back: all else follows from them.
    pub fn syntax_mut(&mut self) -> &mut [SyntaxC] {
        let len = self.len();
        self.syntax.made(|| {
            let own = |i| SyntaxC { l_edge: i, r_edge: i, ..SyntaxC::default() };
            (0_u32..).take(len).map(own).collect()
        })
    }

    /// The records of entities, zeros where the document has none.
    pub fn entities_mut(&mut self) -> &mut [EntityC] {
        let len = self.len();
        self.entities.made(|| vec![EntityC::default(); len].into())
    }

    /// Counts children and edges anew from the heads, and sets the sentence starts of a tree that
    /// has relations: what [`Doc::apply`] does in any case.
    ///
    /// # Errors
    ///
    /// `E190` for a head outside of the document.
    pub fn set_children_from_heads(&mut self) -> Result<()> {
        self.syntax_mut();
        let syntax = self.syntax.now.as_deref_mut().expect("made above");
        check_heads(syntax)?;
        rebuild(&mut self.tokens, syntax);
        Ok(())
    }
}

impl Doc {
    /// A copy of the records. Cost: 16 bytes a token, and what the facets take that are there.
    pub fn edit(&self) -> RecordEdit {
        RecordEdit {
            tokens: self.tokens().into(),
            tags: Facet::of(self.tags()),
            syntax: Facet::of(self.syntax()),
            entities: Facet::of(self.entities()),
            generation: self.generation(),
        }
    }

    /// Puts changed records into the document. Where heads or relations were changed, the tree and
    /// the sentence starts follow from them.
    ///
    /// # Errors
    ///
    /// The document is then as it was. `edit-stale` for a edit of another document or from before
    /// a merge or split, `edit-token` where a token is another one or stands elsewhere or a reserved
    /// bit is set, `E1021` for an unknown part of speech, `E190` for a head outside of the document,
    /// `edit-iob` for an entity that goes on where none began, `E043` for sentence starts that were
    /// changed against the tree; when memory runs out.
    pub fn apply(&mut self, edit: &RecordEdit) -> Result<()> {
        if edit.generation != self.generation() || edit.len() != self.len() {
            let text = "the edit is of another document, or tokens were merged or split since";
            return Err(Error::value("edit-stale", text));
        }
        let mut tokens = edit.tokens.clone();
        check_tokens(self.tokens(), &tokens)?;
        check_tags(edit.tags.now.as_deref().unwrap_or_default())?;
        let entities = edit.entities.now.as_deref().or(self.entities());
        check_entities(&tokens, entities)?;
        let syntax = self.judged_tree(&mut tokens, edit.syntax.now.as_deref())?;
        // Room first, so that nothing is written by halves.
        if let Some(tags) = &edit.tags.now {
            self.tags_mut()?.copy_from_slice(tags);
        }
        if let Some(entities) = &edit.entities.now {
            self.entities_mut()?.copy_from_slice(entities);
        }
        if let Some(syntax) = syntax {
            self.syntax_mut()?.copy_from_slice(&syntax);
        }
        self.tokens_mut()?.copy_from_slice(&tokens);
        Ok(())
    }

    /// The tree as it is to be, with its sentence starts set; none if it stays.
    fn judged_tree(
        &self,
        tokens: &mut [TokenC],
        given: Option<&[SyntaxC]>,
    ) -> Result<Option<Box<[SyntaxC]>>> {
        let given = given.filter(|given| {
            let before = self.syntax().unwrap_or_default();
            let same = |(a, b): (&SyntaxC, &SyntaxC)| (a.head, a.dep) == (b.head, b.dep);
            before.len() != given.len() || !given.iter().zip(before).all(same)
        });
        let Some(given) = given else {
            let moved = |(a, b): (&TokenC, &TokenC)| a.sent_start() != b.sent_start();
            let moved = tokens.iter().zip(self.tokens()).position(moved);
            let has_tree = self.syntax().is_some_and(|tree| tree.iter().any(|at| at.dep != 0));
            return match moved.filter(|_| has_tree) {
                None => Ok(None),
                Some(i) => {
                    let text = format!(
                        "the sentence start of token {i} was changed, which follows from the tree; \
                         change heads instead"
                    );
                    Err(Error::value("E043", text))
                }
            };
        };
        check_heads(given)?;
        let mut syntax: Box<[SyntaxC]> = given.into();
        syntax.iter_mut().for_each(|record| record.flags = 0);
        rebuild(tokens, &mut syntax);
        Ok(Some(syntax))
    }
}

/// Recounts a whole tree; without relations it says nothing of sentences.
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
                "{field} of token {i} was changed: {after:?} in the place of {before:?}; only its \
                 sentence start and its place in an entity may be"
            );
            return Err(Error::value("edit-token", text));
        }
    }
    Ok(())
}

fn check_tags(tags: &[TagC]) -> Result<()> {
    for (i, tag) in tags.iter().enumerate() {
        if Pos::from_number(tag.pos).is_none() {
            let text = format!("{} of token {i} is no part of speech", tag.pos);
            return Err(Error::value("E1021", text));
        }
        if tag.flags != 0 {
            let text = format!("flags of the tag of token {i} are {:#x}; they are zero", tag.flags);
            return Err(Error::value("edit-token", text));
        }
    }
    Ok(())
}

fn check_heads(syntax: &[SyntaxC]) -> Result<()> {
    let len = syntax.len();
    for (i, record) in syntax.iter().enumerate() {
        let head = i.checked_add_signed(record.head as isize);
        if head.is_none_or(|head| head >= len) {
            let given = record.head;
            let text = format!("the head of token {i}, {given:+}, is outside of {len} tokens");
            return Err(Error::value("E190", text));
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
                "token {i} ({token:?}) is inside of an entity that the token before it is not of"
            );
            return Err(Error::value("edit-iob", text));
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
        super::super::to_array(doc, &super::super::ARRAY_ATTRS)
    }

    #[test]
    fn a_draft_that_nobody_changed_changes_nothing() {
        let mut doc = doc();
        let before = numbers(&doc);
        doc.apply(&doc.edit()).unwrap();
        assert_eq!(numbers(&doc), before);
        assert!(doc.tags().is_none() && doc.syntax().is_none() && doc.entities().is_none());
    }

    #[test]
    fn what_was_written_is_there_and_the_tree_follows() {
        let mut doc = doc();
        let mut edit = doc.edit();
        for (i, head) in [1, 0, 1, -2, -3].into_iter().enumerate() {
            edit.syntax_mut()[i] = SyntaxC { head, dep: 7, ..SyntaxC::default() };
        }
        edit.tags_mut()[2].tag = 5;
        edit.entities_mut()[2].ent_type = 9;
        edit.entities_mut()[3].ent_type = 9;
        edit.tokens_mut()[2].set_ent_iob(3);
        edit.tokens_mut()[3].set_ent_iob(1);
        doc.apply(&edit).unwrap();
        let token = |i| doc.token(i).unwrap();
        assert_eq!((0..5).map(|i| token(i).head().i()).collect::<Vec<_>>(), [1, 1, 3, 1, 1]);
        assert_eq!(doc.syntax().unwrap()[1].r_kids, 2);
        assert_eq!(doc.syntax().unwrap()[1].r_edge, 4);
        assert_eq!(token(2).attr(AttrId::TAG), 5);
        assert_eq!(doc.ents().unwrap().len(), 1);
        let starts = doc.tokens().iter().map(TokenC::sent_start).collect::<Vec<_>>();
        assert_eq!(starts, [1, -1, -1, -1, -1]);
    }

    #[test]
    fn what_does_not_hold_is_refused_and_the_document_stays() {
        type Fault = fn(&mut RecordEdit);
        let faults: [(&str, Fault); 9] = [
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
            let mut edit = doc.edit();
            edit.tags_mut()[2].tag = 5;
            fault(&mut edit);
            let before = numbers(&doc);
            assert_eq!(doc.apply(&edit).unwrap_err().code(), code);
            assert_eq!(numbers(&doc), before);
            assert!(doc.tags().is_none());
        }
    }

    #[test]
    fn sentence_starts_go_with_the_tree_if_there_is_one() {
        let mut doc = doc();
        let mut edit = doc.edit();
        edit.tokens_mut()[3].set_sent_start(1);
        doc.apply(&edit).unwrap();
        assert_eq!(doc.tokens()[3].sent_start(), 1);
        edit.syntax_mut().iter_mut().for_each(|record| record.dep = 7);
        doc.apply(&edit).unwrap();
        let mut edit = doc.edit();
        edit.tokens_mut()[3].set_sent_start(-1);
        assert_eq!(doc.apply(&edit).unwrap_err().code(), "E043");
    }

    #[test]
    fn a_draft_is_good_for_its_own_document_only() {
        let mut doc = doc();
        let other = Doc::empty(doc.vocab());
        assert_eq!(doc.apply(&other.edit()).unwrap_err().code(), "edit-stale");
    }
}
