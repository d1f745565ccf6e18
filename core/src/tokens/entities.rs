//! Entities: stretches of tokens marked begin, inside, outside.

use std::ops::Range;

use lexpool_structs::{SpanC, TokenC};

use super::Doc;
use crate::strings::StrId;
use crate::{Error, Result};

/// What becomes of the tokens that no given span covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntsDefault {
    /// They may not become entities.
    Blocked,
    /// Nothing is known of them.
    Missing,
    /// They are outside of every entity.
    #[default]
    Outside,
    /// They stay what they are.
    Unmodified,
}

impl EntsDefault {
    /// spaCy's names, in its order.
    pub const NAMES: [(&'static str, EntsDefault); 4] = [
        ("blocked", EntsDefault::Blocked),
        ("missing", EntsDefault::Missing),
        ("outside", EntsDefault::Outside),
        ("unmodified", EntsDefault::Unmodified),
    ];

    /// Reads spaCy's name.
    pub fn from_name(name: &str) -> Option<EntsDefault> {
        EntsDefault::NAMES.iter().find(|(own, _)| *own == name).map(|(_, default)| *default)
    }
}

/// Spans to set as entities, and what to say of other tokens. Spans must not overlap, and lie
/// within the document. Of each, only the tokens count, not the characters.
#[derive(Clone, Debug, Default)]
pub struct Ents<'a> {
    /// Entities; those without a label are ignored.
    pub entities: &'a [SpanC],
    /// Never part of an entity.
    pub blocked: &'a [Range<usize>],
    /// Of unknown place.
    pub missing: &'a [Range<usize>],
    /// Outside of every entity.
    pub outside: &'a [Range<usize>],
    /// All other tokens.
    pub default: EntsDefault,
}

impl Doc {
    /// The entities in order; blocked tokens are none. Cost: one pass over the tokens.
    ///
    /// # Errors
    ///
    /// `E093` for an inside that nothing begins.
    pub fn ents(&self) -> Result<Vec<SpanC>> {
        let mut out = Vec::new();
        if self.tokens().iter().all(|token| matches!(token.ent_iob(), 0 | 2)) {
            return Ok(out);
        }
        let mut open: Option<SpanC> = None;
        for (i, token) in self.iter().enumerate() {
            let iob = token.record().ent_iob();
            let entity = token.entity_record().copied().unwrap_or_default();
            let begins = iob == 3 && entity.ent_type != 0;
            if iob == 1 {
                if open.is_none() {
                    return Err(Error::value(
                        "E093",
                        format!(
                            "token {i}, {:?}, is inside an entity that nothing begins",
                            token.text()
                        ),
                    ));
                }
                continue;
            }
            out.extend(open.take().map(|span| self.ended(span, i)));
            if begins {
                let mut span = self.record(i, i, StrId::new(entity.ent_type));
                (span.kb_id, span.id) = (entity.ent_kb_id, entity.ent_id);
                open = Some(span);
            }
        }
        out.extend(open.take().map(|span| self.ended(span, self.len())));
        Ok(out)
    }

    /// Sets entities.
    ///
    /// An inside that then follows no token of its entity becomes a beginning. A token keeps the
    /// entity id it has if its span has none. Cost: one pass over the tokens.
    ///
    /// # Errors
    ///
    /// `E1010` if spans overlap, `E035` if one is outside of the document, and when memory runs out;
    /// nothing is set then.
    ///
    /// ```
    /// use lexpool::strings::StrId;
    /// use lexpool::tokens::{Doc, Ents};
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let mut doc = Doc::from_words(&vocab, &[("In", true), ("New", true), ("York", false)])?;
    /// let place = doc.span(1, 3)?.record(doc.snapshot().add("GPE")?);
    /// doc.set_ents(&Ents { entities: &[place], ..Ents::default() })?;
    /// assert_eq!(doc.ents()?, [place]);
    /// assert_eq!(place.start_char, 3);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn set_ents(&mut self, ents: &Ents<'_>) -> Result<()> {
        let len = self.len();
        let mut is_given = vec![false; len];
        let labelled = ents.entities.iter().filter(|span| span.label != 0);
        let others = ents.blocked.iter().chain(ents.missing).chain(ents.outside).cloned();
        for range in labelled.clone().map(range_of).chain(others) {
            if range.start > range.end || range.end > len {
                let text = format!("no span {range:?} in a document of {len} tokens");
                return Err(Error::new(crate::ErrorKind::Index, "E035", text));
            }
            for i in range {
                if std::mem::replace(&mut is_given[i], true) {
                    let text =
                        format!("two of the given spans hold token {i}; entities do not overlap");
                    return Err(Error::value("E1010", text));
                }
            }
        }
        if labelled.clone().next().is_some() {
            self.entities_mut()?;
        }
        for span in labelled {
            for i in range_of(span) {
                let iob = if i == range_of(span).start { 3 } else { 1 };
                self.tokens_mut()?[i].set_ent_iob(iob);
                let record = &mut self.entities_mut()?[i];
                (record.ent_type, record.ent_kb_id) = (span.label, span.kb_id);
                if span.id != 0 {
                    record.ent_id = span.id;
                }
            }
        }
        for (ranges, iob) in [(ents.blocked, 3), (ents.missing, 0), (ents.outside, 2)] {
            for i in ranges.iter().flat_map(Range::clone) {
                self.mark(i, iob)?;
            }
        }
        let rest = match ents.default {
            EntsDefault::Blocked => Some(3),
            EntsDefault::Missing => Some(0),
            EntsDefault::Outside => Some(2),
            EntsDefault::Unmodified => None,
        };
        if let Some(iob) = rest {
            let tokens = self.tokens_mut()?.iter_mut().zip(&is_given);
            tokens.filter(|(_, given)| !**given).for_each(|(token, _)| token.set_ent_iob(iob));
            if self.entities().is_some() {
                let records = self.entities_mut()?.iter_mut().zip(&is_given);
                records.filter(|(_, given)| !**given).for_each(|(record, _)| record.ent_type = 0);
            }
        }
        self.mend_ents(true)
    }

    /// A span's record, offsets filled in.
    pub(crate) fn record(&self, start: usize, end: usize, label: StrId) -> SpanC {
        let (start_char, end_char) = self.char_bounds(start, end);
        SpanC {
            start: narrow(start),
            end: narrow(end),
            start_char: narrow(start_char),
            end_char: narrow(end_char),
            label: label.get(),
            ..SpanC::default()
        }
    }

    fn ended(&self, span: SpanC, end: usize) -> SpanC {
        let (_, end_char) = self.char_bounds(range_of(&span).start, end);
        SpanC { end: narrow(end), end_char: narrow(end_char), ..span }
    }

    fn mark(&mut self, i: usize, iob: u8) -> Result<()> {
        self.tokens_mut()?[i].set_ent_iob(iob);
        if self.entities().is_some() {
            self.entities_mut()?[i].ent_type = 0;
        }
        Ok(())
    }

    /// Makes each inside that does not continue its entity a beginning. What is outside counts as an
    /// entity without type unless `strictly`, as when spaCy merges.
    pub(super) fn mend_ents(&mut self, strictly: bool) -> Result<()> {
        let mut from = 0;
        let inside = |token: &TokenC| token.ent_iob() == 1;
        while let Some(behind) = self.tokens()[from..].iter().position(inside) {
            let i = from + behind;
            from = i + 1;
            let type_of = |i: usize| self.entities().map_or(0, |of_token| of_token[i].ent_type);
            let continues = i.checked_sub(1).is_some_and(|before| {
                let iob = self.tokens()[before].ent_iob();
                let follows_none = strictly && (iob == 0 || iob == 2);
                !follows_none && type_of(before) == type_of(i)
            });
            if !continues {
                self.tokens_mut()?[i].set_ent_iob(3);
            }
        }
        Ok(())
    }
}

/// The tokens of a span's record; negative numbers, which no valid record has, count as 0.
pub(crate) fn range_of(span: &SpanC) -> Range<usize> {
    let at = |i: i32| usize::try_from(i).unwrap_or_default();
    at(span.start)..at(span.end)
}

/// Token positions and character offsets are below 2^30.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "below 2^30")]
pub(crate) fn narrow(i: usize) -> i32 {
    i as i32
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::structs::AttrId;
    use crate::tokens::tests::{all_of, words};

    const DEFAULTS: [EntsDefault; 4] =
        [EntsDefault::Blocked, EntsDefault::Missing, EntsDefault::Outside, EntsDefault::Unmodified];

    /// What a stretch of tokens is given as.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Kind {
        Entity(u64),
        Blocked,
        Missing,
        Outside,
        NotGiven,
    }

    /// Stretches that tile a document, and a default.
    fn call() -> impl Strategy<Value = (Vec<(usize, Kind)>, EntsDefault)> {
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

    /// Makes the call on a document, and gives the entities and what else was set.
    fn make(
        doc: &mut Doc,
        tiles: &[(usize, Kind)],
        default: EntsDefault,
    ) -> (Vec<SpanC>, Vec<(usize, u8)>) {
        let len = doc.len();
        let (mut entities, mut marks) = (Vec::new(), Vec::new());
        let (mut blocked, mut missing, mut outside) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for (width, kind) in tiles.iter().copied().chain([(len, Kind::NotGiven)]) {
            let range = start..len.min(start + width);
            let (list, iob) = match (kind, default) {
                (Kind::Entity(label), _) => {
                    let mut span = doc.record(range.start, range.end, StrId::new(label));
                    (span.id, span.kb_id) = (label + 10, label + 20);
                    entities.push(span);
                    start = range.end;
                    continue;
                }
                (Kind::Blocked, _) => (Some(&mut blocked), 3),
                (Kind::Missing, _) => (Some(&mut missing), 0),
                (Kind::Outside, _) => (Some(&mut outside), 2),
                (Kind::NotGiven, EntsDefault::Blocked) => (None, 3),
                (Kind::NotGiven, EntsDefault::Missing) => (None, 0),
                (Kind::NotGiven, EntsDefault::Outside) => (None, 2),
                (Kind::NotGiven, EntsDefault::Unmodified) => {
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
        doc.set_ents(&Ents { entities: &entities, blocked, missing, outside, default }).unwrap();
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
                let found = doc.ents().unwrap();
                if *default == EntsDefault::Unmodified {
                    // What stays behind an entity may continue it.
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
        doc.set_ents(&Ents { entities: &[span(0, 2, 7)], ..Ents::default() }).unwrap();
        let before = all_of(&doc);
        let good = span(2, 3, 8);
        for (bad, code) in
            [(span(3, 5, 8), "E035"), (span(3, 1, 8), "E035"), (span(1, 3, 8), "E1010")]
        {
            let ents = Ents { entities: &[good, bad], ..Ents::default() };
            assert_eq!(doc.set_ents(&ents).unwrap_err().code(), code);
        }
        let blocked = std::slice::from_ref(&(2..3));
        let ents = Ents { entities: &[good], blocked, ..Ents::default() };
        assert_eq!(doc.set_ents(&ents).unwrap_err().code(), "E1010");
        assert_eq!(all_of(&doc), before);
    }

    #[test]
    fn spans_without_a_label_are_ignored_even_where_they_overlap_or_lie_outside() {
        let mut doc = words(3);
        let span = |start, end, label| SpanC { start, end, label, ..SpanC::default() };
        let entities = [span(0, 2, 0), span(0, 1, 9), span(5, 9, 0)];
        doc.set_ents(&Ents { entities: &entities, ..Ents::default() }).unwrap();
        assert_eq!(iobs(&doc), [3, 2, 2]);
    }

    #[test]
    fn a_token_keeps_the_id_of_its_entity_if_the_new_one_has_none() {
        let mut doc = words(2);
        doc.set_attr(0, AttrId::ENT_ID, 5).unwrap();
        let span = SpanC { end: 1, label: 7, ..SpanC::default() };
        doc.set_ents(&Ents { entities: &[span], ..Ents::default() }).unwrap();
        assert_eq!(doc.ents().unwrap()[0].id, 5);
    }

    #[test]
    fn an_inside_that_nothing_begins_is_an_error_and_the_next_call_mends_it() {
        let mut doc = words(3);
        doc.set_attr(1, AttrId::ENT_IOB, 1).unwrap();
        let error = doc.ents().unwrap_err();
        assert_eq!((error.code(), error.message().contains("token 1")), ("E093", true));
        let default = EntsDefault::Unmodified;
        doc.set_ents(&Ents { default, ..Ents::default() }).unwrap();
        assert_eq!(iobs(&doc), [0, 3, 0]);
        // Without a type it is blocked.
        assert!(doc.ents().unwrap().is_empty());
    }

    #[test]
    fn what_is_not_said_of_entities_makes_no_array() {
        let mut doc = words(2);
        for default in DEFAULTS {
            doc.set_ents(&Ents { default, ..Ents::default() }).unwrap();
        }
        assert!(doc.entities().is_none());
    }

    #[test]
    fn defaults_have_the_names_that_spacy_gives_them() {
        for (name, default) in EntsDefault::NAMES {
            assert_eq!(EntsDefault::from_name(name), Some(default));
        }
        assert_eq!(EntsDefault::from_name("Outside"), None);
        assert_eq!(EntsDefault::default(), EntsDefault::Outside);
    }
}
