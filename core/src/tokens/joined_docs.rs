//! Concatenating documents.

use std::sync::Arc;

use lexpool_structs::AttrId;

use super::attrs::ID_ATTRS;
use super::doc::Doc;
use super::tensor::Tensor;
use crate::codes;
use crate::strings::StrId;
use crate::vocab::VocabSnapshot;
use crate::{Error, Result};

/// The concatenation of several documents.
///
/// ```
/// use lexpool::tokens::{ARRAY_ATTRS, Doc, JoinedDocs};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let [a, b] = ["One", "Two"].map(|word| Doc::from_words(&vocab, &[(word, false)]));
/// let joined = JoinedDocs::new(&[&a?, &b?], true, &ARRAY_ATTRS)?.expect("two documents");
/// assert_eq!(joined.doc.text(), "One Two");
/// assert_eq!(joined.offsets, [0, 4]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct JoinedDocs {
    /// The new document.
    pub doc: Doc,
    /// The character offset in the new document at which each given document starts.
    pub offsets: Vec<usize>,
}

impl JoinedDocs {
    /// Makes a document of the tokens of several, with copies of the given attributes, and of their
    /// tensors if each document with tokens has one of the same width. Returns `None` for an empty
    /// list.
    ///
    /// With `ensure_whitespace`, a space follows each document but the last, unless its last token
    /// is a space or has one. Strings of zones that have ended are added to the string store again.
    ///
    /// # Errors
    ///
    /// `E999` unless all documents share one vocab; `E025` if the text grows too long;
    /// `pool-out-of-memory`.
    pub fn new(
        docs: &[&Doc],
        ensure_whitespace: bool,
        attrs: &[AttrId],
    ) -> Result<Option<JoinedDocs>> {
        let Some((first, rest)) = docs.split_first() else { return Ok(None) };
        if rest.iter().any(|doc| !Arc::ptr_eq(doc.vocab(), first.vocab())) {
            let text =
                "the documents have different vocabs; only documents of one vocab can be joined";
            return Err(Error::value(codes::E999, text));
        }
        let mut words: Vec<(&str, bool)> = Vec::new();
        let mut offsets = Vec::with_capacity(docs.len());
        let mut rows = Vec::new();
        let mut chars = 0;
        for (at, doc) in docs.iter().enumerate() {
            offsets.push(chars);
            words.extend(doc.iter().map(|token| (token.text(), token.record().spacy())));
            rows.extend(doc.attrs().to_array(attrs));
            chars += doc.char_bounds(doc.len(), doc.len()).0;
            let last = doc.iter().next_back().filter(|_| ensure_whitespace && at < rest.len());
            if let Some(last) = last {
                let has_space = last.record().spacy() || last.lex().attr(AttrId::IS_SPACE) != 0;
                if let (false, Some(word)) = (has_space, words.last_mut()) {
                    word.1 = true;
                    chars += 1;
                }
            }
        }
        // The column includes the spaces added above.
        if let Some(at) = attrs.iter().position(|attr| *attr == AttrId::SPACY) {
            let column = rows.iter_mut().skip(at).step_by(attrs.len());
            column.zip(&words).for_each(|(value, (_, space))| *value = u64::from(*space));
        }
        let mut doc = Doc::from_words(first.vocab(), &words)?;
        for part in docs.iter().filter(|part| part.snapshot().has_zone()) {
            add_strings(part, attrs, doc.snapshot())?;
        }
        doc.attrs_mut().set_array(attrs, &rows)?;
        let tensors = docs.iter().filter(|doc| !doc.is_empty());
        let tensors: Option<Vec<_>> = tensors.map(|doc| Some(&**doc.tensor()?)).collect();
        let tensor = tensors.and_then(|tensors| Tensor::joined(&tensors));
        doc.set_tensor(tensor.map(Arc::new))?;
        Ok(Some(JoinedDocs { doc, offsets }))
    }
}

/// Adds the strings of id attributes to the string store, so that they outlive the zone of their
/// document.
fn add_strings(doc: &Doc, attrs: &[AttrId], snapshot: &VocabSnapshot) -> Result<()> {
    for attr in attrs.iter().filter(|attr| ID_ATTRS.contains(attr)) {
        for (id, _) in doc.attrs().count_by(*attr) {
            if let Some(string) = doc.snapshot().string(StrId::new(id)) {
                snapshot.add(string)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::structs::SpanC;
    use crate::tokens::tests::{parsed, trees, vocab, words};
    use crate::tokens::{ARRAY_ATTRS, EntityAssignment};

    proptest! {
        #[test]
        fn the_parts_lie_one_after_another_with_what_they_had(
            parts in vec(vec(("[a\u{e9}]{1,2}|\n", any::<bool>()), 0..4), 1..5),
            ensure_whitespace in any::<bool>(),
        ) {
            let vocab = vocab();
            let mut docs = Vec::new();
            for (at, words) in parts.iter().enumerate() {
                let mut doc = Doc::from_words(&vocab, words).unwrap();
                let tags: Vec<_> = (0..doc.len()).map(|i| (100 * at + i) as u64).collect();
                doc.attrs_mut().set_array(&[AttrId::TAG], &tags).unwrap();
                docs.push(doc);
            }
            let refs: Vec<&Doc> = docs.iter().collect();
            let JoinedDocs { doc, offsets } =
                JoinedDocs::new(&refs, ensure_whitespace, &ARRAY_ATTRS).unwrap().unwrap();

            let mut text = String::new();
            let mut tags = Vec::new();
            for (at, (part, words)) in docs.iter().zip(&parts).enumerate() {
                prop_assert_eq!(offsets[at], text.chars().count());
                text.push_str(part.text());
                if let Some((word, false)) = words.last() {
                    if ensure_whitespace && word != "\n" && at + 1 < parts.len() {
                        text.push(' ');
                    }
                }
                tags.extend(part.attrs().to_array(&[AttrId::TAG]));
            }
            prop_assert_eq!(doc.text(), text);
            prop_assert_eq!(doc.attrs().to_array(&[AttrId::TAG]), tags);
            let words: Vec<_> = parts.iter().flatten().map(|(word, _)| word.as_str()).collect();
            prop_assert_eq!(doc.iter().map(|token| token.text()).collect::<Vec<_>>(), words);
        }

        #[test]
        fn sentences_cut_apart_and_joined_are_the_document_again(trees in vec(trees(5), 1..4)) {
            let mut heads = Vec::new();
            let mut bounds = Vec::new();
            for tree in &trees {
                let start = heads.len();
                heads.extend(tree.iter().map(|head| head + start));
                bounds.push(start..heads.len());
            }
            let mut doc = parsed(&heads);
            let ents: Vec<_> = bounds
                .iter()
                .map(|sent| SpanC { id: 3, ..doc.span_record(sent.start, sent.end, StrId::new(7)) })
                .collect();
            doc.entities_mut().set(&EntityAssignment { entities: &ents, ..EntityAssignment::default() }).unwrap();
            let cut = |sent: &std::ops::Range<usize>| doc.span(sent.start, sent.end)?.to_doc();
            let parts = bounds.iter().map(cut).collect::<Result<Vec<_>>>().unwrap();
            let refs: Vec<&Doc> = parts.iter().collect();
            let joined = JoinedDocs::new(&refs, false, &ARRAY_ATTRS).unwrap().unwrap().doc;
            prop_assert_eq!(joined.attrs().to_array(&ARRAY_ATTRS), doc.attrs().to_array(&ARRAY_ATTRS));
            prop_assert_eq!(joined.syntax_records(), doc.syntax_records());
            prop_assert_eq!(joined.entities().spans().unwrap(), ents);
        }
    }

    #[test]
    fn no_documents_give_none_and_those_of_two_vocabs_are_refused() {
        assert!(JoinedDocs::new(&[], true, &ARRAY_ATTRS).unwrap().is_none());
        let (a, b) = (words(1), words(1));
        assert_eq!(JoinedDocs::new(&[&a, &b], true, &ARRAY_ATTRS).err().unwrap().code(), "E999");
    }

    #[test]
    fn what_was_not_asked_for_is_left_out() {
        let mut doc = words(2);
        doc.attrs_mut().set_array(&[AttrId::TAG, AttrId::LEMMA], &[1, 2, 3, 4]).unwrap();
        let joined = JoinedDocs::new(&[&doc], true, &[AttrId::LEMMA]).unwrap().unwrap().doc;
        assert_eq!(joined.attrs().to_array(&[AttrId::TAG, AttrId::LEMMA]), [0, 2, 0, 4]);
        let joined = JoinedDocs::new(&[&doc], true, &[]).unwrap().unwrap().doc;
        assert!(joined.tag_records().is_none());
    }

    #[test]
    fn strings_of_a_zone_that_has_ended_are_readable_in_the_new_document() {
        let vocab = vocab();
        vocab.open_zone().unwrap();
        let mut doc = Doc::from_words(&vocab, &[("zoneword", false)]).unwrap();
        let lemma = doc.snapshot().add("zonelemma").unwrap();
        doc.attrs_mut().set(0, AttrId::LEMMA, lemma.get()).unwrap();
        vocab.close_zone().unwrap();
        let joined = JoinedDocs::new(&[&doc], true, &ARRAY_ATTRS).unwrap().unwrap().doc;
        drop(doc);
        assert_eq!(joined.token(0).unwrap().text_of(AttrId::LEMMA), "zonelemma");
        assert_eq!(joined.text(), "zoneword");
    }
}
