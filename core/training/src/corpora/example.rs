//! A document to annotate beside its reference.

use std::sync::Arc;

use lexpool::alignment::Alignment;
use lexpool::pipeline::Groups;
use lexpool::tokens::{Doc, EntityAssignment, EntityDefault};
use lexpool::{Error, Result};
use lexpool_structs::{AttrId, SpanC};

use crate::scoring::aligned_spans;

/// A document with correct annotation, and what a document has no place for.
pub struct Reference {
    /// The document.
    pub doc: Doc,
    /// The values of its categories, in the order of the file.
    pub cats: Vec<(String, f64)>,
    /// Its span groups by name.
    pub groups: Groups,
    /// The file and the number of the document in it, for errors.
    pub place: String,
}

/// A document as a pipeline sees it, beside a reference that may have other tokens.
///
/// ```
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool_training::{Example, Reference};
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let mut doc = Doc::from_words(tokenizer.vocab(), &[("She", true), ("can", false), ("not", false)])?;
/// let tags = ["PRP", "MD", "RB"].map(str::to_owned).to_vec();
/// doc.annotate(&Annotations { tags: Some(tags), ..Annotations::default() })?;
/// let reference = Reference { doc, cats: vec![], groups: Default::default(), place: "here".into() };
/// let example = Example::new(tokenizer.tokenize("She cannot")?, reference)?;
/// assert_eq!(example.aligned(AttrId::TAG).len(), 3);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Example {
    predicted: Doc,
    reference: Arc<Reference>,
    /// The alignment of the tokens of the two documents, which are not merged or split later.
    alignment: Arc<Alignment>,
}

impl Example {
    /// Joins a document with its reference. Cost: linear in the text.
    ///
    /// # Errors
    ///
    /// `E949` if the texts differ in more than case and whitespace, with the place of the
    /// reference.
    pub fn new(predicted: Doc, reference: Reference) -> Result<Example> {
        let alignment = {
            let words = |doc| Doc::iter(doc).map(|token| token.text()).collect::<Vec<_>>();
            Alignment::of(&words(&predicted), &words(&reference.doc))
        };
        let alignment = alignment.map_err(|error: Error| error.context(&reference.place))?;
        Ok(Example { predicted, reference: Arc::new(reference), alignment: Arc::new(alignment) })
    }

    /// Copies the document that the pipeline annotates; the copy shares the reference.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn try_clone(&self) -> Result<Example> {
        let predicted = self.predicted.try_clone()?;
        let (reference, alignment) = (Arc::clone(&self.reference), Arc::clone(&self.alignment));
        Ok(Example { predicted, reference, alignment })
    }

    /// Returns the bytes of both documents and of what joins them.
    pub(crate) fn n_bytes(&self) -> usize {
        let Reference { doc, cats, groups, place } = &*self.reference;
        let rows = [&self.alignment.x2y, &self.alignment.y2x];
        let spans = groups.values().map(|group| size_of_val(group.spans()));
        self.predicted.n_bytes()
            + doc.n_bytes()
            + rows
                .map(|rows| size_of_val(rows.data()) + size_of_val(rows.ends()))
                .iter()
                .sum::<usize>()
            + cats.iter().map(|cat| size_of_val(cat) + cat.0.len()).sum::<usize>()
            + spans.sum::<usize>()
            + place.len()
            + size_of::<Example>()
            + size_of::<Reference>()
            + size_of::<Alignment>()
    }

    /// Returns the document that the pipeline annotates.
    pub fn predicted(&self) -> &Doc {
        &self.predicted
    }

    /// Returns the document that the pipeline annotates, to be annotated. Its tokens stay.
    pub fn predicted_mut(&mut self) -> &mut Doc {
        &mut self.predicted
    }

    /// Returns the reference.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Returns the alignment of the predicted tokens (X) with those of the reference (Y).
    pub fn alignment(&self) -> &Alignment {
        &self.alignment
    }

    /// Returns an attribute of the reference for each predicted token: spaCy's
    /// `Example.get_aligned`. `None` for a token that no reference token aligns with, or several
    /// with different values.
    pub fn aligned(&self, attr: AttrId) -> Vec<Option<u64>> {
        let values = self.reference.doc.attrs().column(attr);
        self.alignment.x2y.common(&values).map(Option::<&u64>::copied).collect()
    }

    /// Gives the entities of the reference to a document with the tokens of the predicted one, in
    /// place of its own; those that align with no tokens of the same text are left out. Links to a
    /// knowledge base are not given.
    ///
    /// # Errors
    ///
    /// `E093` for inconsistent entities of the reference, `pool-out-of-memory`.
    pub fn give_entities(&self, doc: &mut Doc) -> Result<()> {
        let reference = &self.reference.doc;
        let entities = reference.entities().spans()?;
        let aligned = aligned_spans((reference, doc), &self.alignment.y2x, &entities, false);
        let unlinked = |span: SpanC| SpanC { kb_id: 0, id: 0, ..span };
        let entities: Vec<SpanC> = aligned.into_iter().map(unlinked).collect();
        let default = EntityDefault::Outside;
        doc.entities_mut().set(&EntityAssignment {
            entities: &entities,
            default,
            ..EntityAssignment::default()
        })
    }

    /// Returns the position of the one reference token that a predicted token aligns with; `None`
    /// unless it is exactly one.
    pub fn gold_token(&self, i: usize) -> Option<usize> {
        match self.alignment.x2y.row(i)? {
            [gold] => usize::try_from(*gold).ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use lexpool::strings::StrId;
    use lexpool::vocab::{Getters, Vocab};

    use super::*;

    fn example(predicted: &[&str], reference: &[(&str, &str)]) -> Result<Example> {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|word| (*word, false)).collect();
            Doc::from_words(&vocab, &words).unwrap()
        };
        let mut doc = words(&reference.iter().map(|(word, _)| *word).collect::<Vec<_>>());
        for (i, (_, tag)) in reference.iter().enumerate() {
            let tag = vocab.strings().add(tag).unwrap();
            doc.attrs_mut().set(i, AttrId::TAG, tag.get()).unwrap();
        }
        let place = "some.spacy, document 3".to_owned();
        let reference = Reference { doc, cats: Vec::new(), groups: Groups::new(), place };
        Example::new(words(predicted), reference)
    }

    #[test]
    fn a_token_has_the_value_on_which_its_reference_tokens_agree() {
        let reference = [("a", "X"), ("b", "X"), ("c", "X"), ("d", "Y"), ("ef", "Z")];
        let example = example(&["ab", "cd", "e", "f"], &reference).unwrap();
        let id = |tag: &str| Some(StrId::of(tag).get());
        assert_eq!(example.aligned(AttrId::TAG), [id("X"), None, id("Z"), id("Z")]);
        let single: Vec<_> = (0..4).map(|i| example.gold_token(i)).collect();
        assert_eq!(single, [None, None, Some(4), Some(4)]);
    }

    #[test]
    fn another_text_is_refused_with_the_place_of_the_reference() {
        let error = example(&["ab"], &[("ac", "X")]).map(drop).unwrap_err();
        assert_eq!(error.code(), "E949");
        assert!(error.message().contains("some.spacy, document 3"), "{}", error.message());
    }
}
