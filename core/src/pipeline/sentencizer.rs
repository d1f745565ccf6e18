//! Sentence boundaries by punctuation: spaCy's `Sentencizer`.

use std::ops::RangeInclusive;

use ahash::AHashSet;
use lexpool_structs::AttrId;

use super::annotation_kind::AnnotationKind;
use super::component::{Component, Groups};
use crate::codes;
use crate::tokens::Doc;
use crate::{Error, Result};

/// Sets sentence starts by marks: a sentence ends with a token that is a mark, together with all
/// marks and punctuation that follow it.
///
/// Cost: one load for a token whose first byte no mark has; a hash of its text for any other token.
///
/// ```
/// use lexpool::pipeline::{Component, Groups, Sentencizer};
/// use lexpool::tokenizer::Tokenizer;
///
/// let mut doc = Tokenizer::blank("en")?.tokenize("\"Is it?\" Yes! It is.")?;
/// Sentencizer::default().apply(&mut doc, &mut Groups::new())?;
/// assert_eq!(doc.sentences().ranges()?.collect::<Vec<_>>(), [0..5, 5..7, 7..10]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sentencizer {
    marks: AHashSet<Box<str>>,
    /// `true` if a mark starts with the byte, by byte.
    first_bytes: [bool; 256],
    overwrite: bool,
}

impl Default for Sentencizer {
    /// Returns a sentencizer with the default marks, which does not overwrite sentence starts.
    fn default() -> Sentencizer {
        Sentencizer::new(Sentencizer::default_marks().map(String::from), false)
    }
}

impl Sentencizer {
    /// Returns a sentencizer with the given marks. With `overwrite` it replaces the sentence starts
    /// that a document has.
    pub fn new<S: AsRef<str>>(marks: impl IntoIterator<Item = S>, overwrite: bool) -> Sentencizer {
        let marks: AHashSet<Box<str>> =
            marks.into_iter().map(|mark| mark.as_ref().into()).collect();
        let mut first_bytes = [false; 256];
        for first in marks.iter().filter_map(|mark| mark.bytes().next()) {
            first_bytes[usize::from(first)] = true;
        }
        Sentencizer { marks, first_bytes, overwrite }
    }

    /// Returns the 128 default marks, in ascending order.
    pub fn default_marks() -> impl Iterator<Item = char> {
        MARKS.iter().cloned().flatten()
    }

    /// Returns for each token whether a sentence starts with it.
    ///
    /// ```
    /// use lexpool::pipeline::Sentencizer;
    /// use lexpool::tokenizer::Tokenizer;
    ///
    /// let doc = Tokenizer::blank("en")?.tokenize("Go; now")?;
    /// assert_eq!(Sentencizer::new([";"], false).predict(&doc), [true, false, true]);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn predict(&self, doc: &Doc) -> Vec<bool> {
        let text = doc.text().as_bytes();
        let mut starts = vec![false; doc.len()];
        let mut is_after_mark = false;
        for (i, record) in doc.tokens().iter().enumerate() {
            let may_be_mark = self.first_bytes[usize::from(text[record.byte as usize])];
            if !may_be_mark && !is_after_mark {
                continue;
            }
            let token = doc.token(i).expect("the position is that of a token");
            if may_be_mark && self.marks.contains(token.text()) {
                is_after_mark = true;
            } else if is_after_mark && !token.lex().flag(AttrId::IS_PUNCT) {
                starts[i] = true;
                is_after_mark = false;
            }
        }
        if let Some(first) = starts.first_mut() {
            *first = true;
        }
        starts
    }

    /// Sets for the first `starts.len()` tokens whether a sentence starts with them. Values that
    /// are set already are kept, unless the sentencizer overwrites.
    ///
    /// # Errors
    ///
    /// `E971` for more values than tokens; nothing is set then.
    pub fn annotate(&self, doc: &mut Doc, starts: &[bool]) -> Result<()> {
        if starts.len() > doc.len() {
            let (given, len) = (starts.len(), doc.len());
            let text = format!(
                "{given} sentence starts were given for a document of {len} tokens; expected at \
                 most one for each token"
            );
            return Err(Error::value(codes::E971, text));
        }
        for (token, starts) in doc.tokens_mut()?.iter_mut().zip(starts) {
            if self.overwrite || token.sent_start() == 0 {
                token.set_sent_start(if *starts { 1 } else { -1 });
            }
        }
        Ok(())
    }
}

impl Component for Sentencizer {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        let starts = self.predict(doc);
        self.annotate(doc, &starts)
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        kind == AnnotationKind::Sentences
    }
}

/// The default marks in ascending order: mostly Unicode's `Sentence_Terminal`.
const MARKS: [RangeInclusive<char>; 68] = [
    '\u{21}'..='\u{21}',
    '\u{2e}'..='\u{2e}',
    '\u{3f}'..='\u{3f}',
    '\u{589}'..='\u{589}',
    '\u{61f}'..='\u{61f}',
    '\u{6d4}'..='\u{6d4}',
    '\u{700}'..='\u{702}',
    '\u{7f9}'..='\u{7f9}',
    '\u{964}'..='\u{965}',
    '\u{104a}'..='\u{104b}',
    '\u{1362}'..='\u{1362}',
    '\u{1367}'..='\u{1368}',
    '\u{166e}'..='\u{166e}',
    '\u{1735}'..='\u{1736}',
    '\u{1803}'..='\u{1803}',
    '\u{1809}'..='\u{1809}',
    '\u{1944}'..='\u{1945}',
    '\u{1aa8}'..='\u{1aab}',
    '\u{1b5a}'..='\u{1b5b}',
    '\u{1b5e}'..='\u{1b5f}',
    '\u{1c3b}'..='\u{1c3c}',
    '\u{1c7e}'..='\u{1c7f}',
    '\u{203c}'..='\u{203d}',
    '\u{2047}'..='\u{2049}',
    '\u{2e2e}'..='\u{2e2e}',
    '\u{2e3c}'..='\u{2e3c}',
    '\u{3002}'..='\u{3002}',
    '\u{a4ff}'..='\u{a4ff}',
    '\u{a60e}'..='\u{a60f}',
    '\u{a6f3}'..='\u{a6f3}',
    '\u{a6f7}'..='\u{a6f7}',
    '\u{a876}'..='\u{a877}',
    '\u{a8ce}'..='\u{a8cf}',
    '\u{a92f}'..='\u{a92f}',
    '\u{a9c8}'..='\u{a9c9}',
    '\u{aa5d}'..='\u{aa5f}',
    '\u{aaf0}'..='\u{aaf1}',
    '\u{abeb}'..='\u{abeb}',
    '\u{fe52}'..='\u{fe52}',
    '\u{fe56}'..='\u{fe57}',
    '\u{ff01}'..='\u{ff01}',
    '\u{ff0e}'..='\u{ff0e}',
    '\u{ff1f}'..='\u{ff1f}',
    '\u{ff61}'..='\u{ff61}',
    '\u{10a56}'..='\u{10a57}',
    '\u{11047}'..='\u{11048}',
    '\u{110be}'..='\u{110c1}',
    '\u{11141}'..='\u{11143}',
    '\u{111c5}'..='\u{111c6}',
    '\u{111cd}'..='\u{111cd}',
    '\u{111de}'..='\u{111df}',
    '\u{11238}'..='\u{11239}',
    '\u{1123b}'..='\u{1123c}',
    '\u{112a9}'..='\u{112a9}',
    '\u{1144b}'..='\u{1144c}',
    '\u{115c2}'..='\u{115c3}',
    '\u{115c9}'..='\u{115d7}',
    '\u{11641}'..='\u{11642}',
    '\u{1173c}'..='\u{1173e}',
    '\u{11a42}'..='\u{11a43}',
    '\u{11a9b}'..='\u{11a9c}',
    '\u{11c41}'..='\u{11c42}',
    '\u{16a6e}'..='\u{16a6f}',
    '\u{16af5}'..='\u{16af5}',
    '\u{16b37}'..='\u{16b38}',
    '\u{16b44}'..='\u{16b44}',
    '\u{1bc9f}'..='\u{1bc9f}',
    '\u{1da88}'..='\u{1da88}',
];

#[cfg(test)]
mod tests {
    use lexpool_structs::TokenC;

    use super::*;
    use crate::tokenizer::Tokenizer;
    use crate::vocab::{Getters, Vocab};

    fn doc(words: &[&str]) -> Doc {
        let words: Vec<_> = words.iter().map(|word| (*word, true)).collect();
        Doc::from_words(&Vocab::new(Getters::native("en")).unwrap(), &words).unwrap()
    }

    fn starts(marks: &Sentencizer, words: &[&str]) -> Vec<usize> {
        let starts = marks.predict(&doc(words)).into_iter().enumerate();
        starts.filter(|(_, starts)| *starts).map(|(i, _)| i).collect()
    }

    #[test]
    fn punctuation_and_further_marks_stay_with_the_sentence_that_they_end() {
        let marks = Sentencizer::default();
        assert_eq!(starts(&marks, &["Hello", "!", ".", "Test", ".", ".", "ok"]), [0, 3, 6]);
        assert_eq!(starts(&marks, &["\"", "Nice", "!", "\"", "I", "am"]), [0, 4]);
        assert_eq!(starts(&marks, &["¿", "qué", "?", "¡", "Buen"]), [0, 4]);
        assert_eq!(starts(&marks, &[".", "?"]), [0]);
        assert_eq!(starts(&marks, &[]), [0; 0]);
    }

    #[test]
    fn a_mark_is_a_whole_token_and_may_have_several_characters() {
        let marks = Sentencizer::new(["...", "ö", ""], false);
        assert_eq!(starts(&marks, &["so", "...", "a", ".", "b", "öl", "c", "ö", "d"]), [0, 2, 8]);
        assert_eq!(starts(&Sentencizer::new([""; 0], false), &["a", ".", "b"]), [0]);
    }

    #[test]
    fn default_marks_are_distinct_and_ascending_and_cover_many_scripts() {
        let marks: Vec<char> = Sentencizer::default_marks().collect();
        assert_eq!(marks.len(), 128);
        assert!(marks.is_sorted_by(|a, b| a < b));
        assert_eq!(
            starts(&Sentencizer::default(), &["क", "।", "ख", "。", "x", "𛲟", "y"]),
            [0, 2, 4, 6]
        );
    }

    #[test]
    fn known_sentence_starts_are_kept_unless_overwritten() {
        for (overwrite, expected) in [(false, [1, 1, -1, -1]), (true, [1, -1, 1, -1])] {
            let mut doc = doc(&["a", ".", "b", "c"]);
            doc.attrs_mut().set(1, AttrId::SENT_START, 1).unwrap();
            doc.attrs_mut().set(2, AttrId::SENT_START, u64::MAX).unwrap();
            let marks = Sentencizer::new(["."], overwrite);
            marks.apply(&mut doc, &mut Groups::new()).unwrap();
            let set: Vec<i8> = doc.tokens().iter().map(TokenC::sent_start).collect();
            assert_eq!(set, expected);
        }
    }

    #[test]
    fn more_starts_than_tokens_are_refused_and_fewer_set_only_the_first_tokens() {
        let (marks, mut doc) = (Sentencizer::default(), doc(&["a", "b"]));
        assert_eq!(marks.annotate(&mut doc, &[true; 3]).unwrap_err().code(), "E971");
        assert_eq!(doc.tokens()[1].sent_start(), 0);
        marks.annotate(&mut doc, &[true]).unwrap();
        assert_eq!(doc.tokens()[1].sent_start(), 0);
    }

    #[test]
    fn an_empty_text_has_no_sentences() {
        let mut doc = Tokenizer::blank("en").unwrap().tokenize("").unwrap();
        Sentencizer::default().apply(&mut doc, &mut Groups::new()).unwrap();
        assert_eq!(doc.sentences().ranges().unwrap().count(), 0);
    }
}
