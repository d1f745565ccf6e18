//! Base noun phrases (noun chunks), found in the dependency tree by the rules that spaCy has for a
//! language.
//!
//! Languages share shapes of phrases, and differ in the relations of the words that are heads of
//! chunks. `table` has the rules of each language, `shapes` finds the chunks of each shape in a
//! [`PhraseTree`]. Source: the `syntax_iterators` of spaCy 3.8.

mod phrase_tree;
mod shapes;
mod table;

use std::ops::Range;

use super::super::span::Span;
use crate::codes;
use crate::{Error, Result};
use phrase_tree::PhraseTree;
use shapes::Shape;
pub use table::NounChunkRules;

impl Span<'_> {
    /// Returns the noun chunks whose heads lie in the span, as ranges of tokens of the document
    /// without overlaps, in the order in which spaCy finds them: from the end in Turkish, from the
    /// start in other languages.
    ///
    /// The relations are those of spaCy's parsers. Cost: linear in the span and the subtrees of its
    /// tokens; in Japanese, the subtree of each chunk.
    ///
    /// # Errors
    ///
    /// `E029` if the document is not parsed; `E1019` if the rules need parts of speech and it has
    /// none.
    ///
    /// ```
    /// use lexpool::tokens::{Annotations, Doc, NounChunkRules};
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let mut doc = Doc::from_words(&vocab, &[("old", true), ("men", true), ("sleep", false)])?;
    /// doc.annotate(&Annotations {
    ///     heads: Some(vec![Some(1), Some(2), Some(2)]),
    ///     deps: Some(["amod", "nsubj", "ROOT"].map(|dep| Some(dep.to_owned())).to_vec()),
    ///     pos: Some(["ADJ", "NOUN", "VERB"].map(str::to_owned).to_vec()),
    ///     ..Annotations::default()
    /// })?;
    /// let english = NounChunkRules::of_language("en").unwrap();
    /// assert_eq!(doc.span(0, 3)?.noun_chunks(english)?.first(), Some(&(0..2)));
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn noun_chunks(&self, rules: &NounChunkRules) -> Result<Vec<Range<usize>>> {
        let doc = self.doc();
        let has_tags = doc.tag_records().is_some();
        if matches!(rules.shape, Shape::Dutch) && !has_tags {
            let text = "noun chunks of this language follow from parts of speech, which this \
                        document does not have; use a component that sets them";
            return Err(Error::value(codes::E1019, text));
        }
        if !doc.tree().is_parsed() {
            let text = "noun chunks follow from the dependency parse, which this document does not \
                        have; use a component that sets it, such as a parser";
            return Err(Error::value(codes::E029, text));
        }
        let Some(mut tree) = PhraseTree::new(doc, self.start()..self.end()) else {
            return Ok(Vec::new());
        };
        let mut chunks = rules.shape.find(&mut tree);
        chunks.retain(|chunk| !chunk.is_empty());
        Ok(chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tests::{parsed, words};
    use crate::tokens::{Annotations, Doc};

    fn doc(rows: &[(&str, &str, i64)]) -> Doc {
        let mut doc = words(rows.len());
        doc.annotate(&Annotations {
            pos: Some(rows.iter().map(|row| row.0.to_owned()).collect()),
            deps: Some(rows.iter().map(|row| Some(row.1.to_owned())).collect()),
            heads: Some(rows.iter().map(|row| Some(row.2)).collect()),
            ..Annotations::default()
        })
        .unwrap();
        doc
    }

    fn chunks(doc: &Doc, start: usize, end: usize) -> Vec<Range<usize>> {
        let english = NounChunkRules::of_language("en").unwrap();
        doc.span(start, end).unwrap().noun_chunks(english).unwrap()
    }

    #[test]
    fn coordinated_nouns_are_chunks_each_if_the_first_is_one() {
        // "the cats , dogs and birds sing"
        let rows = [
            ("DET", "det", 1),
            ("NOUN", "nsubj", 6),
            ("PUNCT", "punct", 1),
            ("NOUN", "conj", 1),
            ("CCONJ", "cc", 3),
            ("NOUN", "conj", 3),
            ("VERB", "ROOT", 6),
        ];
        let doc = doc(&rows);
        assert_eq!(chunks(&doc, 0, 7), [0..2, 3..4, 5..6]);
        assert_eq!(chunks(&doc, 1, 4), [0..2, 3..4]);
        assert!(chunks(&doc, 6, 7).is_empty());
    }

    #[test]
    fn a_chunk_holds_no_other() {
        // The second noun's subtree takes in the first.
        let rows = [("NOUN", "appos", 1), ("NOUN", "nsubj", 2), ("VERB", "ROOT", 2)];
        let found = chunks(&doc(&rows), 0, 3);
        assert_eq!((found.len(), found.first()), (1, Some(&(0..1))));
    }

    #[test]
    fn coordination_that_goes_round_in_a_circle_comes_to_an_end() {
        let rows = [("NOUN", "conj", 1), ("NOUN", "conj", 2), ("NOUN", "conj", 0)];
        assert!(chunks(&doc(&rows), 0, 3).is_empty());
    }

    #[test]
    fn a_document_without_a_parse_is_refused_and_one_without_tags_has_none() {
        let bare = words(2);
        let english = NounChunkRules::of_language("en").unwrap();
        let error = bare.span(0, 2).unwrap().noun_chunks(english).unwrap_err();
        assert_eq!(error.code(), "E029");
        assert!(chunks(&parsed(&[1, 1]), 0, 2).is_empty());
    }
}
