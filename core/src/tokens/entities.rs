//! Entities: stretches of tokens marked begin, inside, outside.

use std::ops::Range;

use lexpool_structs::{AttrId, SpanC};

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
/// within the document.
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
    /// The entities in order; blocked tokens are none.
    ///
    /// # Errors
    ///
    /// `E093` for an inside that nothing begins.
    pub fn ents(&self) -> Result<Vec<SpanC>> {
        let mut out = Vec::new();
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
    /// entity id it has if its span has none.
    ///
    /// # Errors
    ///
    /// `E1010` if spans overlap, `E035` if one is outside of the document; nothing is set then.
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
                self.tokens_mut()[i].set_ent_iob(iob);
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
            for i in (0..len).filter(|i| !is_given[*i]) {
                self.mark(i, iob)?;
            }
        }
        self.mend_ents(true);
        Ok(())
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
        self.tokens_mut()[i].set_ent_iob(iob);
        if self.entities().is_some() {
            self.entities_mut()?[i].ent_type = 0;
        }
        Ok(())
    }

    /// Makes each inside that does not continue its entity a beginning. What is outside counts as an
    /// entity without type unless `strictly`, as when spaCy merges.
    pub(super) fn mend_ents(&mut self, strictly: bool) {
        if let Some(first) = self.tokens_mut().first_mut().filter(|token| token.ent_iob() == 1) {
            first.set_ent_iob(3);
        }
        for i in 1..self.len() {
            let at = |i: usize| {
                let token = self.token(i).expect("within the document");
                (token.record().ent_iob(), token.attr(AttrId::ENT_TYPE))
            };
            let ((before, type_before), (iob, ent_type)) = (at(i - 1), at(i));
            let follows_none = strictly && (before == 0 || before == 2);
            if iob == 1 && (follows_none || type_before != ent_type) {
                self.tokens_mut()[i].set_ent_iob(3);
            }
        }
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
