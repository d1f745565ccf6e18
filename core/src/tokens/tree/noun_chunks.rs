//! Base noun phrases (noun chunks), found in the dependency tree by spaCy's English rules.

use std::ops::Range;

use lexpool_structs::{Pos, SyntaxC, TagC};

use super::super::span::Span;
use super::rebuild::head_of;
use crate::codes;
use crate::strings::StrId;
use crate::{Error, Result};

/// The relations of nominals that are heads of chunks.
const CHUNKED: [&str; 10] =
    ["oprd", "nsubj", "dobj", "nsubjpass", "pcomp", "pobj", "dative", "appos", "attr", "ROOT"];

impl Span<'_> {
    /// Returns the English noun chunks whose last token lies in the span, in order and without
    /// overlaps, as ranges of tokens of the document.
    ///
    /// A chunk extends from the left edge of a noun, proper noun or pronoun to that word. The word
    /// must be a subject, an object or have a similar relation, or be coordinated with such a word.
    /// The relations are those of spaCy's English parsers. Cost: one pass over the span.
    ///
    /// # Errors
    ///
    /// `E029` if the document is not parsed.
    ///
    /// ```
    /// use lexpool::tokens::{Annotations, Doc};
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let mut doc = Doc::from_words(&vocab, &[("old", true), ("men", true), ("sleep", false)])?;
    /// doc.annotate(&Annotations {
    ///     heads: Some(vec![Some(1), Some(2), Some(2)]),
    ///     deps: Some(["amod", "nsubj", "ROOT"].map(|dep| Some(dep.to_owned())).to_vec()),
    ///     pos: Some(["ADJ", "NOUN", "VERB"].map(str::to_owned).to_vec()),
    ///     ..Annotations::default()
    /// })?;
    /// assert_eq!(doc.span(0, 3)?.english_noun_chunks()?.first(), Some(&(0..2)));
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn english_noun_chunks(&self) -> Result<Vec<Range<usize>>> {
        let doc = self.doc();
        if !doc.tree().is_parsed() {
            let text = "noun chunks follow from the dependency parse, which this document does not \
                        have; use a component that sets it, such as a parser";
            return Err(Error::value(codes::E029, text));
        }
        let mut chunks: Vec<Range<usize>> = Vec::new();
        let (Some(tags), Some(syntax)) = (doc.tag_records(), doc.syntax_records()) else {
            return Ok(chunks);
        };
        let relations = Relations::new();
        for i in (self.start()..self.end()).filter(|i| is_nominal(&tags[*i])) {
            let left = (syntax[i].l_edge as usize).min(i);
            // A chunk that would contain the one before it is skipped.
            if chunks.last().is_some_and(|last| left < last.end) {
                continue;
            }
            if relations.make_chunk(syntax, i) {
                chunks.push(left..i + 1);
            }
        }
        Ok(chunks)
    }
}

fn is_nominal(tag: &TagC) -> bool {
    [Pos::NOUN, Pos::PROPN, Pos::PRON].iter().any(|pos| pos.number() == tag.pos)
}

/// The ids of the relations.
struct Relations {
    chunked: [u64; CHUNKED.len()],
    conj: u64,
}

impl Relations {
    fn new() -> Relations {
        let id = |name: &str| StrId::of(name).get();
        Relations { chunked: CHUNKED.map(id), conj: id("conj") }
    }

    /// Returns whether a nominal, or the first conjunct of its coordination, has a relation of
    /// chunks.
    fn make_chunk(&self, syntax: &[SyntaxC], i: usize) -> bool {
        if syntax[i].dep != self.conj {
            return self.chunked.contains(&syntax[i].dep);
        }
        let mut head = head_of(syntax, i);
        // Only to the left, so that cycles end.
        while syntax[head].dep == self.conj && head_of(syntax, head) < head {
            head = head_of(syntax, head);
        }
        self.chunked.contains(&syntax[head].dep)
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
        doc.span(start, end).unwrap().english_noun_chunks().unwrap()
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
        let error = bare.span(0, 2).unwrap().english_noun_chunks().unwrap_err();
        assert_eq!(error.code(), "E029");
        assert!(chunks(&parsed(&[1, 1]), 0, 2).is_empty());
    }
}
