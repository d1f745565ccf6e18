//! The properties of a token, besides its text, that its lemma depends on.

use crate::morphology::{Analysis, Morphology};
use crate::strings::StrId;
use crate::structs::Pos;

/// A part of speech, and a number for those features of a token that the rules of its language
/// test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenForm {
    pub(super) pos: Pos,
    pub(super) number: usize,
}

impl From<Pos> for TokenForm {
    /// Returns the form of a token that has no features and does not start a sentence.
    fn from(pos: Pos) -> TokenForm {
        TokenForm { pos, number: 0 }
    }
}

/// The numbers of all forms of all parts of speech: those of one part of speech are consecutive.
pub(super) struct FormNumbers([usize; FormNumbers::POS_COUNT]);

impl FormNumbers {
    const POS_COUNT: usize = (Pos::SPACE.number() - Pos::ADJ.number()) as usize + 2;

    /// `count`: the number of forms of a part of speech.
    pub(super) fn new(count: impl Fn(Pos) -> usize) -> FormNumbers {
        let mut firsts = [0; FormNumbers::POS_COUNT];
        let mut first = 0;
        for pos in Pos::all() {
            firsts[position(pos)] = first;
            first += count(pos);
        }
        FormNumbers(firsts)
    }

    #[inline]
    pub(super) fn of(&self, form: TokenForm) -> usize {
        self.0[position(form.pos)] + form.number
    }
}

/// Returns the position of a part of speech among all.
#[inline]
fn position(pos: Pos) -> usize {
    pos.number().saturating_sub(Pos::ADJ.number() - 1) as usize
}

/// Direct-mapped cache of the forms of recent analyses, which saves look-ups of features for most
/// tokens.
pub(super) struct RecentForms<'a> {
    morphology: &'a Morphology,
    slots: [Option<(u64, TokenForm)>; RecentForms::SLOTS],
}

impl<'a> RecentForms<'a> {
    const SLOTS: usize = 32;

    pub(super) fn new(morphology: &'a Morphology) -> RecentForms<'a> {
        RecentForms { morphology, slots: [None; RecentForms::SLOTS] }
    }

    /// Returns the form of a part of speech with an analysis, which `find` returns if it is not
    /// cached.
    #[inline]
    pub(super) fn get(
        &mut self,
        pos: Pos,
        morph: u64,
        find: impl FnOnce(Option<&Analysis>) -> TokenForm,
    ) -> TokenForm {
        #[expect(clippy::cast_possible_truncation, reason = "any bits choose a slot")]
        let at = (morph ^ morph >> 32) as usize ^ pos.number() as usize;
        let slot = &mut self.slots[at % RecentForms::SLOTS];
        match slot {
            Some((own, form)) if *own == morph && form.pos == pos => *form,
            _ => {
                let form = find(self.morphology.get(StrId::new(morph)));
                *slot = Some((morph, form));
                form
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::strings::StringStore;

    #[test]
    fn every_form_has_its_own_number() {
        let numbers = FormNumbers::new(|pos| position(pos) % 3 + 1);
        let forms = Pos::all()
            .flat_map(|pos| (0..=position(pos) % 3).map(move |number| TokenForm { pos, number }));
        let forms: Vec<_> = forms.collect();
        let distinct: HashSet<_> = forms.iter().map(|form| numbers.of(*form)).collect();
        assert_eq!(distinct.len(), forms.len());
        assert_eq!(distinct.into_iter().max(), Some(forms.len() - 1));
    }

    #[test]
    fn forms_that_share_a_slot_are_kept_apart() {
        let morphology = Morphology::new(Arc::new(StringStore::new()));
        let mut recent = RecentForms::new(&morphology);
        for round in 0..3 {
            for (pos, morph) in [(Pos::NOUN, 0), (Pos::VERB, 0), (Pos::NOUN, 1), (Pos::NOUN, 33)] {
                let number = usize::try_from(morph).unwrap() + 7;
                let form = recent.get(pos, morph, |_| TokenForm { pos, number });
                assert_eq!((form.pos, form.number), (pos, number), "{round}");
            }
        }
    }
}
