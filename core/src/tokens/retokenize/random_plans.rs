//! Property tests of valid and invalid random plans on random documents.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::{PartHead, Retokenization, SplitPart};
use crate::strings::StrId;
use crate::structs::AttrId;
use crate::tokens::tests::{all_of, vocab};
use crate::tokens::{ARRAY_ATTRS, Doc};

/// One call on a plan. Positions may lie outside of the document.
#[derive(Clone, Debug)]
enum Call {
    Merge(usize, usize, Vec<(AttrId, u64)>),
    /// The token is cut before these characters; the heads and attributes go to its parts in turn.
    Split(usize, Vec<usize>, Vec<(usize, usize)>, Vec<(AttrId, u64)>),
}

fn call(n: usize) -> impl Strategy<Value = Call> {
    // Some values are invalid for the attribute.
    let attrs =
        [AttrId::TAG, AttrId::LEMMA, AttrId::NORM, AttrId::ENT_TYPE, AttrId::DEP, AttrId::POS];
    let value = (select(attrs.to_vec()), select(vec![0, 1, 92])).prop_map(|(attr, value)| {
        // A part that is told to begin no entity, and one that is inside of it, do not go together.
        (attr, if attr == AttrId::ENT_TYPE { 92 } else { value })
    });
    let attrs = || vec(value.clone(), 0..3);
    prop_oneof![
        (0..=n, 0..4_usize, attrs())
            .prop_map(|(start, len, attrs)| { Call::Merge(start, start + len, attrs) }),
        (0..=n, vec(0..4_usize, 0..3), vec((0..=n, 0..3_usize), 3), attrs())
            .prop_map(|(token, cuts, heads, attrs)| Call::Split(token, cuts, heads, attrs)),
    ]
}

#[derive(Clone, Debug)]
struct Case {
    words: Vec<(String, bool)>,
    /// They may form cycles.
    heads: Option<Vec<usize>>,
    starts: Vec<bool>,
    ents: Vec<u64>,
    calls: Vec<Call>,
}

fn case() -> impl Strategy<Value = Case> {
    (1..8_usize).prop_flat_map(|n| {
        let words = vec(("[ab\u{e9}\u{1f600}]{1,4}", any::<bool>()), n);
        let heads = option::of(vec(0..n, n));
        (words, heads, vec(any::<bool>(), n), vec(0..4_u64, n), vec(call(n), 0..4)).prop_map(
            |(words, heads, starts, ents, calls)| Case { words, heads, starts, ents, calls },
        )
    })
}

fn made(case: &Case) -> Doc {
    let mut doc = Doc::from_words(&vocab(), &case.words).unwrap();
    for (i, (start, ent)) in case.starts.iter().zip(&case.ents).enumerate() {
        doc.attrs_mut().set(i, AttrId::SENT_START, u64::from(*start)).unwrap();
        doc.attrs_mut().set(i, AttrId::ENT_IOB, *ent).unwrap();
        doc.attrs_mut().set(i, AttrId::ENT_TYPE, if matches!(ent, 1 | 3) { 7 } else { 0 }).unwrap();
    }
    doc.entities_mut().repair_iob().unwrap();
    for (i, head) in case.heads.iter().flatten().enumerate() {
        doc.attrs_mut().set(i, AttrId::DEP, 9).unwrap();
        doc.tree_mut().set_head(i, *head).unwrap();
    }
    doc
}

/// Makes a call; whether the plan took it.
fn take(plan: &mut Retokenization, doc: &Doc, call: &Call) -> bool {
    match call {
        Call::Merge(start, end, attrs) => plan.merge(doc, *start..*end, attrs).is_ok(),
        Call::Split(token, cuts, heads, attrs) => {
            let text: Vec<char> =
                doc.token(*token).map_or("", |token| token.text()).chars().collect();
            let mut bounds: Vec<usize> = cuts.iter().map(|cut| *cut.min(&text.len())).collect();
            bounds.extend([0, text.len()]);
            bounds.sort_unstable();
            let parts = bounds.windows(2).zip(heads).map(|(bounds, (token, part))| SplitPart {
                text: text[bounds[0]..bounds[1]].iter().collect(),
                head: PartHead { token: *token, part: *part },
                attrs: attrs.clone(),
            });
            plan.split(doc, *token, parts.collect()).is_ok()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn a_plan_is_applied_as_a_whole_or_not_at_all(case in case()) {
        let mut doc = made(&case);
        let mut plan = Retokenization::new(&doc);
        let before = all_of(&doc);
        for call in &case.calls {
            let (merged, count) = (plan.merged().count(), plan.splits().count());
            if !take(&mut plan, &doc, call) {
                prop_assert_eq!((plan.merged().count(), plan.splits().count()), (merged, count));
            }
        }
        prop_assert_eq!(&all_of(&doc), &before);
        let old = doc.try_clone().unwrap();
        let Ok(origins) = plan.apply(&mut doc) else {
            prop_assert_eq!(&all_of(&doc), &before);
            prop_assert_eq!(doc.generation(), 0);
            return Ok(());
        };

        // The tokens tile the text, which is what it was.
        prop_assert_eq!(doc.text(), old.text());
        let tiles: String = doc.iter().map(|token| token.text_with_ws()).collect();
        prop_assert_eq!(&tiles, doc.text());
        let mut chars = 0;
        for token in doc.iter() {
            prop_assert_eq!(token.idx(), chars);
            prop_assert_eq!(token.lex().orth(), StrId::of(token.text()));
            chars += token.text_with_ws().chars().count();
        }
        // A token that nothing was done to is as it was, but for what follows from its neighbours.
        prop_assert_eq!(origins.len(), doc.len());
        for (token, origin) in doc.iter().zip(&origins) {
            let Some(old) = origin.and_then(|i| old.token(i)) else { continue };
            prop_assert_eq!(token.end_char(), old.end_char());
            if token.idx() == old.idx() && plan.merge_of(old.i()).is_none() {
                let follows = |attr: &AttrId| {
                    matches!(*attr, AttrId::HEAD | AttrId::SENT_START | AttrId::ENT_IOB)
                };
                for attr in ARRAY_ATTRS.into_iter().filter(|attr| !follows(attr)) {
                    prop_assert_eq!(token.attr(attr), old.attr(attr), "{:?}", attr);
                }
            }
        }
        // The tree is that of its heads, and entities can be read.
        let len = doc.len();
        for (i, record) in doc.syntax_records().into_iter().flatten().enumerate() {
            let head = |at: usize| at.checked_add_signed(doc.syntax_records().unwrap()[at].head as isize);
            prop_assert!(head(i).is_some_and(|head| head < len));
            let children = |ahead: bool| {
                (0..len).filter(move |at| *at != i && (*at < i) == ahead && head(*at) == Some(i)).count()
            };
            prop_assert_eq!((record.l_kids as usize, record.r_kids as usize), (children(true), children(false)));
            prop_assert!(record.l_edge as usize <= i && i <= record.r_edge as usize);
            prop_assert!((record.r_edge as usize) < len);
        }
        prop_assert!(doc.entities().spans().is_ok());
        prop_assert_eq!(doc.attrs().column(AttrId::ORTH).len(), len);
        prop_assert_eq!(doc.generation(), 1);
        prop_assert_eq!(plan.apply(&mut doc).unwrap_err().code(), "stale-plan");
    }
}
