//! Named entities: runs of tokens in the IOB scheme (begin, inside, outside), as in spaCy.

use std::ops::Range;

use lexpool_structs::{SpanC, TokenC};

use super::doc::Doc;
use super::span::{narrow, outside, range_of};
use crate::codes;
use crate::strings::StrId;
use crate::{Error, Result};

/// The state of the tokens that no given span covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntityDefault {
    /// Blocked: a component must not make them part of an entity.
    Blocked,
    /// Unknown.
    Missing,
    /// Outside of every entity.
    #[default]
    Outside,
    /// Unchanged.
    Unmodified,
}

impl EntityDefault {
    /// spaCy's names, in its order.
    pub const NAMES: [(&'static str, EntityDefault); 4] = [
        ("blocked", EntityDefault::Blocked),
        ("missing", EntityDefault::Missing),
        ("outside", EntityDefault::Outside),
        ("unmodified", EntityDefault::Unmodified),
    ];

    /// Reads spaCy's name.
    pub fn from_name(name: &str) -> Option<EntityDefault> {
        EntityDefault::NAMES.iter().find(|(own, _)| *own == name).map(|(_, default)| *default)
    }
}

/// Entities to set, with the state of the other tokens: the arguments of spaCy's `Doc.set_ents`.
/// Spans must not overlap and must lie within the document; only their tokens count, not their
/// characters.
#[derive(Clone, Debug, Default)]
pub struct EntityAssignment<'a> {
    /// Entities; spans without a label are ignored.
    pub entities: &'a [SpanC],
    /// Tokens that a component must not make part of an entity.
    pub blocked: &'a [Range<usize>],
    /// Tokens of unknown state.
    pub missing: &'a [Range<usize>],
    /// Tokens outside of every entity.
    pub outside: &'a [Range<usize>],
    /// All other tokens.
    pub default: EntityDefault,
}

/// A view of the entities of a document. Their types and ids are in [`Doc::entity_records`].
///
/// ```
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("In", true), ("New", true), ("York", false)])?;
/// let tags = ["O", "B-GPE", "I-GPE"].map(|tag| Some(tag.to_owned()));
/// doc.annotate(&Annotations { ents: Some(tags.to_vec()), ..Annotations::default() })?;
/// let [place] = doc.entities().spans()?[..] else { panic!("one entity") };
/// assert_eq!((place.start, place.end), (1, 3));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Entities<'a> {
    doc: &'a Doc,
}

/// A view of the entities of a document, to be changed.
#[derive(Debug)]
pub struct EntitiesMut<'a> {
    doc: &'a mut Doc,
}

impl Doc {
    /// Returns the view of the entities.
    #[inline]
    pub fn entities(&self) -> Entities<'_> {
        Entities { doc: self }
    }

    /// Returns the view of the entities, to be changed.
    #[inline]
    pub fn entities_mut(&mut self) -> EntitiesMut<'_> {
        EntitiesMut { doc: self }
    }
}

impl Entities<'_> {
    /// Returns the entities in order; blocked tokens are not entities. Cost: one pass over the
    /// tokens.
    ///
    /// # Errors
    ///
    /// `E093` if a token is inside an entity that no token begins.
    pub fn spans(&self) -> Result<Vec<SpanC>> {
        let doc = self.doc;
        let mut out = Vec::new();
        if doc.tokens().iter().all(|token| matches!(token.ent_iob(), 0 | 2)) {
            return Ok(out);
        }
        let mut open: Option<SpanC> = None;
        for (i, token) in doc.iter().enumerate() {
            let iob = token.record().ent_iob();
            let entity = token.entity_record().copied().unwrap_or_default();
            let begins = iob == 3 && entity.ent_type != 0;
            if iob == 1 {
                if open.is_none() {
                    return Err(Error::value(
                        codes::E093,
                        format!(
                            "token {i}, {:?}, is inside an entity, but the entity has no first token",
                            token.text()
                        ),
                    ));
                }
                continue;
            }
            out.extend(open.take().map(|span| self.ended(span, i)));
            if begins {
                let mut span = doc.span_record(i, i, StrId::new(entity.ent_type));
                (span.kb_id, span.id) = (entity.ent_kb_id, entity.ent_id);
                open = Some(span);
            }
        }
        out.extend(open.take().map(|span| self.ended(span, doc.len())));
        Ok(out)
    }

    fn ended(self, span: SpanC, end: usize) -> SpanC {
        let (_, end_char) = self.doc.char_bounds(range_of(&span).start, end);
        SpanC { end: narrow(end), end_char: narrow(end_char), ..span }
    }
}

impl EntitiesMut<'_> {
    /// Sets entities.
    ///
    /// A token marked inside that then does not continue an entity is marked as a beginning. A
    /// token keeps its entity id if its span has none. Cost: one pass over the tokens.
    ///
    /// # Errors
    ///
    /// `E1010` if spans overlap, `E035` if one is outside of the document, `pool-out-of-memory`.
    /// The document is then unchanged.
    ///
    /// ```
    /// use lexpool::strings::StrId;
    /// use lexpool::tokens::{Doc, EntityAssignment};
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let mut doc = Doc::from_words(&vocab, &[("In", true), ("New", true), ("York", false)])?;
    /// let place = doc.span(1, 3)?.record(doc.snapshot().add("GPE")?);
    /// let entities = EntityAssignment { entities: &[place], ..EntityAssignment::default() };
    /// doc.entities_mut().set(&entities)?;
    /// assert_eq!(doc.entities().spans()?, [place]);
    /// assert_eq!(place.start_char, 3);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn set(&mut self, ents: &EntityAssignment<'_>) -> Result<()> {
        let doc = &mut *self.doc;
        let len = doc.len();
        let mut is_given = vec![false; len];
        let labelled = ents.entities.iter().filter(|span| span.label != 0);
        let others = ents.blocked.iter().chain(ents.missing).chain(ents.outside).cloned();
        for range in labelled.clone().map(range_of).chain(others) {
            if range.start > range.end || range.end > len {
                return Err(outside(range, len));
            }
            for i in range {
                if std::mem::replace(&mut is_given[i], true) {
                    let text = format!(
                        "token {i} is in two of the given spans; entities must not overlap"
                    );
                    return Err(Error::value(codes::E1010, text));
                }
            }
        }
        if labelled.clone().next().is_some() {
            doc.entity_records_mut()?;
        }
        for span in labelled {
            for i in range_of(span) {
                let iob = if i == range_of(span).start { 3 } else { 1 };
                doc.tokens_mut()?[i].set_ent_iob(iob);
                let record = &mut doc.entity_records_mut()?[i];
                (record.ent_type, record.ent_kb_id) = (span.label, span.kb_id);
                if span.id != 0 {
                    record.ent_id = span.id;
                }
            }
        }
        for (ranges, iob) in [(ents.blocked, 3), (ents.missing, 0), (ents.outside, 2)] {
            for i in ranges.iter().flat_map(Range::clone) {
                doc.tokens_mut()?[i].set_ent_iob(iob);
                if doc.entity_records().is_some() {
                    doc.entity_records_mut()?[i].ent_type = 0;
                }
            }
        }
        let rest = match ents.default {
            EntityDefault::Blocked => Some(3),
            EntityDefault::Missing => Some(0),
            EntityDefault::Outside => Some(2),
            EntityDefault::Unmodified => None,
        };
        if let Some(iob) = rest {
            let tokens = doc.tokens_mut()?.iter_mut().zip(&is_given);
            tokens.filter(|(_, given)| !**given).for_each(|(token, _)| token.set_ent_iob(iob));
            if doc.entity_records().is_some() {
                let records = doc.entity_records_mut()?.iter_mut().zip(&is_given);
                records.filter(|(_, given)| !**given).for_each(|(record, _)| record.ent_type = 0);
            }
        }
        self.repair_iob()
    }

    /// Marks each token as a beginning that is marked inside and does not continue an entity.
    pub(super) fn repair_iob(&mut self) -> Result<()> {
        let doc = &mut *self.doc;
        let mut from = 0;
        let inside = |token: &TokenC| token.ent_iob() == 1;
        while let Some(offset) = doc.tokens()[from..].iter().position(inside) {
            let i = from + offset;
            from = i + 1;
            let type_of =
                |i: usize| doc.entity_records().map_or(0, |of_token| of_token[i].ent_type);
            let continues = i.checked_sub(1).is_some_and(|before| {
                let is_entity = matches!(doc.tokens()[before].ent_iob(), 1 | 3);
                is_entity && type_of(before) == type_of(i)
            });
            if !continues {
                doc.tokens_mut()?[i].set_ent_iob(3);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::structs::AttrId;
    use crate::tokens::tests::{all_of, words};

    const DEFAULTS: [EntityDefault; 4] = [
        EntityDefault::Blocked,
        EntityDefault::Missing,
        EntityDefault::Outside,
        EntityDefault::Unmodified,
    ];

    /// The state given for a run of tokens.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Kind {
        Entity(u64),
        Blocked,
        Missing,
        Outside,
        NotGiven,
    }

    /// Runs of tokens that tile a document, and a default.
    fn call() -> impl Strategy<Value = (Vec<(usize, Kind)>, EntityDefault)> {
        let kind = prop_oneof![
            3 => (1..3_u64).prop_map(Kind::Entity),
            1 => Just(Kind::Blocked),
            1 => Just(Kind::Missing),
            1 => Just(Kind::Outside),
            2 => Just(Kind::NotGiven),
        ];
        (vec((0..4_usize, kind), 0..8), select(DEFAULTS.to_vec()))
    }

    fn iobs(doc: &Doc) -> Vec<u8> {
        doc.tokens().iter().map(TokenC::ent_iob).collect()
    }

    fn types(doc: &Doc) -> Vec<u64> {
        doc.iter().map(|token| token.attr(AttrId::ENT_TYPE)).collect()
    }

    /// Makes the call on a document, and returns the entities and the other states that were set.
    fn make(
        doc: &mut Doc,
        tiles: &[(usize, Kind)],
        default: EntityDefault,
    ) -> (Vec<SpanC>, Vec<(usize, u8)>) {
        let len = doc.len();
        let (mut entities, mut marks) = (Vec::new(), Vec::new());
        let (mut blocked, mut missing, mut outside) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for (width, kind) in tiles.iter().copied().chain([(len, Kind::NotGiven)]) {
            let range = start..len.min(start + width);
            let (list, iob) = match (kind, default) {
                (Kind::Entity(label), _) => {
                    let mut span = doc.span_record(range.start, range.end, StrId::new(label));
                    (span.id, span.kb_id) = (label + 10, label + 20);
                    entities.push(span);
                    start = range.end;
                    continue;
                }
                (Kind::Blocked, _) => (Some(&mut blocked), 3),
                (Kind::Missing, _) => (Some(&mut missing), 0),
                (Kind::Outside, _) => (Some(&mut outside), 2),
                (Kind::NotGiven, EntityDefault::Blocked) => (None, 3),
                (Kind::NotGiven, EntityDefault::Missing) => (None, 0),
                (Kind::NotGiven, EntityDefault::Outside) => (None, 2),
                (Kind::NotGiven, EntityDefault::Unmodified) => {
                    start = range.end;
                    continue;
                }
            };
            marks.extend(range.clone().map(|i| (i, iob)));
            start = range.end;
            if let Some(list) = list {
                list.push(range);
            }
        }
        let (blocked, missing, outside) = (&blocked, &missing, &outside);
        doc.entities_mut()
            .set(&EntityAssignment { entities: &entities, blocked, missing, outside, default })
            .unwrap();
        entities.retain(|span| span.start < span.end);
        (entities, marks)
    }

    proptest! {
        #[test]
        fn entities_come_back_as_they_were_set_whatever_was_set_before(calls in vec(call(), 1..4)) {
            let mut doc = words(14);
            for (tiles, default) in &calls {
                let (entities, marks) = make(&mut doc, tiles, *default);
                let (iobs, types) = (iobs(&doc), types(&doc));
                for (i, iob) in marks {
                    prop_assert_eq!((iobs[i], types[i]), (iob, 0));
                }
                for i in 0..doc.len() {
                    let goes_on = i > 0 && matches!(iobs[i - 1], 1 | 3) && types[i - 1] == types[i];
                    prop_assert!(iobs[i] != 1 || goes_on, "{:?} {:?}", iobs, types);
                    prop_assert!(matches!(iobs[i], 1 | 3) || types[i] == 0);
                }
                let found = doc.entities().spans().unwrap();
                if *default == EntityDefault::Unmodified {
                    // Tokens after an entity may continue it.
                    let starts = |span: &SpanC| found.iter().any(|other| other.start == span.start);
                    prop_assert!(entities.iter().all(starts));
                } else {
                    prop_assert_eq!(found, entities);
                }
            }
        }
    }

    #[test]
    fn a_refused_call_sets_nothing() {
        let mut doc = words(4);
        let span = |start, end, label| SpanC { start, end, label, ..SpanC::default() };
        doc.entities_mut()
            .set(&EntityAssignment { entities: &[span(0, 2, 7)], ..EntityAssignment::default() })
            .unwrap();
        let before = all_of(&doc);
        let good = span(2, 3, 8);
        for (bad, code) in
            [(span(3, 5, 8), "E035"), (span(3, 1, 8), "E035"), (span(1, 3, 8), "E1010")]
        {
            let ents = EntityAssignment { entities: &[good, bad], ..EntityAssignment::default() };
            assert_eq!(doc.entities_mut().set(&ents).unwrap_err().code(), code);
        }
        let blocked = std::slice::from_ref(&(2..3));
        let ents = EntityAssignment { entities: &[good], blocked, ..EntityAssignment::default() };
        assert_eq!(doc.entities_mut().set(&ents).unwrap_err().code(), "E1010");
        assert_eq!(all_of(&doc), before);
    }

    #[test]
    fn spans_without_a_label_are_ignored_even_where_they_overlap_or_lie_outside() {
        let mut doc = words(3);
        let span = |start, end, label| SpanC { start, end, label, ..SpanC::default() };
        let entities = [span(0, 2, 0), span(0, 1, 9), span(5, 9, 0)];
        doc.entities_mut()
            .set(&EntityAssignment { entities: &entities, ..EntityAssignment::default() })
            .unwrap();
        assert_eq!(iobs(&doc), [3, 2, 2]);
    }

    #[test]
    fn a_token_keeps_the_id_of_its_entity_if_the_new_one_has_none() {
        let mut doc = words(2);
        doc.attrs_mut().set(0, AttrId::ENT_ID, 5).unwrap();
        let span = SpanC { end: 1, label: 7, ..SpanC::default() };
        doc.entities_mut()
            .set(&EntityAssignment { entities: &[span], ..EntityAssignment::default() })
            .unwrap();
        assert_eq!(doc.entities().spans().unwrap()[0].id, 5);
    }

    #[test]
    fn an_inside_without_a_beginning_is_an_error_and_the_next_call_repairs_it() {
        let mut doc = words(3);
        doc.attrs_mut().set(1, AttrId::ENT_IOB, 1).unwrap();
        let error = doc.entities().spans().unwrap_err();
        assert_eq!((error.code(), error.message().contains("token 1")), ("E093", true));
        let default = EntityDefault::Unmodified;
        doc.entities_mut()
            .set(&EntityAssignment { default, ..EntityAssignment::default() })
            .unwrap();
        assert_eq!(iobs(&doc), [0, 3, 0]);
        // Without a type it is blocked.
        assert!(doc.entities().spans().unwrap().is_empty());
    }

    #[test]
    fn what_is_not_said_of_entities_makes_no_array() {
        let mut doc = words(2);
        for default in DEFAULTS {
            doc.entities_mut()
                .set(&EntityAssignment { default, ..EntityAssignment::default() })
                .unwrap();
        }
        assert!(doc.entity_records().is_none());
    }

    #[test]
    fn defaults_have_the_names_that_spacy_gives_them() {
        for (name, default) in EntityDefault::NAMES {
            assert_eq!(EntityDefault::from_name(name), Some(default));
        }
        assert_eq!(EntityDefault::from_name("Outside"), None);
        assert_eq!(EntityDefault::default(), EntityDefault::Outside);
    }
}
