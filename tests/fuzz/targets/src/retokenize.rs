//! Plans of merges and splits, valid and not, on documents of any annotation: applied as a whole,
//! or not at all.

use std::sync::Arc;

use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokens::{
    ARRAY_ATTRS, Doc, EntityAssignment, EntityDefault, PartHead, Retokenization, SplitPart,
};
use lexpool::vocab::{Getters, Vocab};

use crate::choices::Choices;
use crate::converters::check;
use crate::renewed::Renewed;

thread_local! {
    static VOCAB: Renewed<Arc<Vocab>> = const { Renewed::new() };
}

const WORDS: [&str; 8] = ["a", "b", "ab", "\u{e9}", "a\u{e9}b", "\u{1f600}x", "aab", "bbbb"];
const ATTRS: [AttrId; 7] = [
    AttrId::TAG,
    AttrId::LEMMA,
    AttrId::NORM,
    AttrId::ENT_TYPE,
    AttrId::DEP,
    AttrId::POS,
    AttrId::HEAD,
];

pub(crate) fn run(bytes: &[u8]) {
    let choices = &mut Choices::new(bytes);
    Renewed::with(
        &VOCAB,
        2_000,
        || Vocab::new(Getters::native("en")).unwrap(),
        |vocab| {
            let mut doc = document(choices, vocab);
            let mut plan = Retokenization::new(&doc);
            while !choices.is_over() {
                add(choices, &mut plan, &doc);
            }
            let old = doc.try_clone().unwrap();
            let merged: Vec<_> = plan.merged().collect();
            assert!(merged.windows(2).all(|pair| pair[0].end <= pair[1].start), "{merged:?}");
            let all = |doc: &Doc| (doc.text().to_owned(), doc.attrs().to_array(&ARRAY_ATTRS));
            let Ok(origins) = plan.apply(&mut doc) else {
                assert_eq!(all(&doc), all(&old));
                return;
            };
            assert_eq!(doc.text(), old.text());
            check(&doc);
            for token in doc.iter() {
                assert_eq!(token.lex().orth(), StrId::of(token.text()));
            }
            assert_eq!(origins.len(), doc.len());
            for (token, origin) in doc.iter().zip(&origins) {
                let Some(old) = origin.and_then(|i| old.token(i)) else { continue };
                assert_eq!(token.end_char(), old.end_char());
            }
            assert_eq!(plan.apply(&mut doc).unwrap_err().code(), "stale-plan");
        },
    );
}

/// A document with any heads, of which some form cycles, sentence starts and entities.
fn document(choices: &mut Choices<'_>, vocab: &Arc<Vocab>) -> Doc {
    let words = choices.list(8, |choices| (choices.of(&WORDS), choices.one_in(2)));
    let mut doc = Doc::from_words(vocab, &words).unwrap();
    let is_parsed = choices.one_in(2);
    for i in 0..doc.len() {
        let (iob, start) = (choices.below(4) as u64, u64::from(choices.one_in(4)));
        let mut attrs = doc.attrs_mut();
        attrs.set(i, AttrId::SENT_START, start).unwrap();
        attrs.set(i, AttrId::ENT_IOB, iob).unwrap();
        attrs.set(i, AttrId::ENT_TYPE, if matches!(iob, 1 | 3) { 7 } else { 0 }).unwrap();
    }
    // Each inside of no entity becomes a beginning.
    let unmodified =
        EntityAssignment { default: EntityDefault::Unmodified, ..EntityAssignment::default() };
    doc.entities_mut().set(&unmodified).unwrap();
    for i in 0..if is_parsed { doc.len() } else { 0 } {
        doc.attrs_mut().set(i, AttrId::DEP, 9).unwrap();
        let head = choices.below(doc.len());
        let _ = doc.tree_mut().set_head(i, head);
    }
    doc
}

/// Adds a merge or a split, whose tokens may lie outside of the document. What is refused leaves
/// the plan as it was.
fn add(choices: &mut Choices<'_>, plan: &mut Retokenization, doc: &Doc) {
    let place = |choices: &mut Choices<'_>| choices.below(doc.len() + 1);
    let attrs = choices.list(2, |choices| {
        let value = choices.of(&[0, 1, 92, 5, u64::MAX]);
        (choices.of(&ATTRS), value)
    });
    let token = place(choices);
    let before = plan.merged().count();
    if choices.one_in(2) {
        let end = token + choices.below(4);
        // Merging one token only sets its attributes.
        let added = plan.merge(doc, token..end, &attrs).is_ok();
        assert!(plan.merged().count() - before <= usize::from(added));
        return;
    }
    let text: Vec<char> = doc.token(token).map_or("", |token| token.text()).chars().collect();
    let mut bounds = choices.list(2, |choices| choices.below(text.len() + 1));
    bounds.extend([0, text.len()]);
    bounds.sort_unstable();
    let parts = bounds.windows(2).map(|bounds| SplitPart {
        text: text[bounds[0]..bounds[1]].iter().collect(),
        head: PartHead { token: place(choices), part: choices.below(3) },
        attrs: attrs.clone(),
    });
    let _ = plan.split(doc, token, parts.collect());
    assert_eq!(plan.merged().count(), before);
}
