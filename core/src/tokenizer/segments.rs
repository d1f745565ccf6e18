//! Words of a segmenter: the whitespace between segments as tokens and spaces, and the features of
//! segments as annotation.
//!
//! Whitespace is handled as spaCy's tokenizers of such languages do: `util.get_words_and_spaces`
//! for Chinese, a function of its own for Japanese, and none at all for Thai.

use std::ops::Range;

use lexpool_segment::{Features, Segment, SegmentBuffer, Whitespace};
use lexpool_structs::{AttrId, Pos};

use crate::strings::{StrId, chars};
use crate::tokens::{Doc, Token};
use crate::{Error, Result, codes};

/// The number of words up to which memory is reused for the next text.
const MAX_REUSED: usize = 1 << 20;

/// The attributes that features set.
const ATTRS: [AttrId; 5] = [AttrId::TAG, AttrId::POS, AttrId::LEMMA, AttrId::NORM, AttrId::MORPH];

/// The words of one text after another. They tile the text, with a space behind some.
#[derive(Default)]
pub(super) struct SegmentWords {
    buffer: SegmentBuffer,
    words: Vec<SegmentWord>,
}

/// A word of a text, as a range of its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentWord {
    start: usize,
    end: usize,
    has_space: bool,
    /// The number of the segment; `None` for characters between segments.
    segment: Option<usize>,
}

impl SegmentWord {
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns `true` if a space that belongs to the word follows it.
    pub(super) fn has_space(&self) -> bool {
        self.has_space
    }
}

impl SegmentWords {
    /// Cuts a text into words, which replace those of the text before.
    pub(super) fn cut(
        &mut self,
        segmenter: &dyn Segment,
        text: &str,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        self.words.clear();
        self.words.shrink_to(MAX_REUSED);
        self.buffer.cut(segmenter, text, check)?;
        let whitespace = segmenter.whitespace();
        let mut at = 0;
        let mut segments = self.buffer.iter().map(|segment| segment.range()).enumerate().peekable();
        while let Some((number, Range { start, end })) = segments.next() {
            if whitespace != Whitespace::Tokens && is_space(&text[start..end]) {
                continue;
            }
            if at < start {
                self.words.push(SegmentWord::gap(at..start));
            }
            let follower = segments.peek().map(|(_, next)| next.clone());
            let has_space = text.as_bytes().get(end) == Some(&b' ')
                && match (whitespace, follower) {
                    (Whitespace::Tokens, _) => false,
                    (Whitespace::Attached, None) => true,
                    // The space may be the start of a segment that is more than whitespace.
                    (Whitespace::Attached, Some(next)) => next.start > end || is_space(&text[next]),
                    (Whitespace::AttachedSegments, next) => next == Some(end..end + 1),
                };
            self.words.push(SegmentWord { start, end, has_space, segment: Some(number) });
            at = end + usize::from(has_space);
        }
        if at < text.len() {
            self.words.push(SegmentWord::gap(at..text.len()));
        }
        Ok(())
    }

    /// Returns the words of the last text.
    pub(super) fn iter(&self) -> impl Iterator<Item = SegmentWord> {
        self.words.iter().copied()
    }

    /// Sets the features of the words on the document of the last text, which has a token for each.
    pub(super) fn annotate(&self, segmenter: &dyn Segment, doc: &mut Doc) -> Result<()> {
        let has_features = self.buffer.has_features()
            || self.words.iter().any(|word| {
                word.segment.is_none()
                    && segmenter.gap_features(&doc.text()[word.range()]).is_some()
            });
        if !has_features {
            return Ok(());
        }
        let segments: Vec<_> = self.buffer.iter().collect();
        let mut rows = Vec::with_capacity(ATTRS.len() * self.words.len());
        for (word, token) in self.words.iter().zip(doc.iter()) {
            let features = match word.segment {
                Some(number) => segments[number].features(),
                None => segmenter.gap_features(&doc.text()[word.range()]),
            };
            rows.extend(attr_values(segmenter, token, &features.unwrap_or_default())?);
        }
        doc.attrs_mut().set_array(&ATTRS, &rows)
    }
}

impl SegmentWord {
    fn gap(range: Range<usize>) -> SegmentWord {
        SegmentWord { start: range.start, end: range.end, has_space: false, segment: None }
    }
}

/// Returns the values of `ATTRS` for one token, whose strings are added to the vocab.
fn attr_values(
    segmenter: &dyn Segment,
    token: Token<'_>,
    features: &Features<'_>,
) -> Result<[u64; ATTRS.len()]> {
    let snapshot = token.doc().snapshot();
    let Some(pos) = Pos::from_name(features.pos) else {
        let text = format!(
            "the segmenter {:?} gave the part of speech {:?} to {:?}; expected a name of Universal \
             Dependencies such as \"NOUN\"",
            segmenter.name(),
            features.pos,
            token.text()
        );
        return Err(Error::value(codes::E1021, text));
    };
    let morph = match features.morph {
        "" => 0,
        morph => snapshot.vocab().morphology().add(morph)?.get(),
    };
    let norm = match features.norm {
        // The token keeps the norm of its word.
        "" => token.norm().get(),
        norm => snapshot.add(norm)?.get(),
    };
    let id = |string: &str| snapshot.add(string).map(StrId::get);
    Ok([id(features.tag)?, u64::from(pos.number()), id(features.lemma)?, norm, morph])
}

/// Returns `true` for a text of whitespace.
pub(super) fn is_space(text: &str) -> bool {
    text.chars().all(chars::is_space)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::tokenizer::{RuleName, Tokenizer, TokenizerChange};
    use crate::vocab::{Getters, Vocab};
    use lexpool_segment::Segments;

    /// Cuts behind each character of a set, and names each segment with a digit a number.
    struct CutsBehind(&'static str, Whitespace);

    impl Segment for CutsBehind {
        fn name(&self) -> &'static str {
            "cuts"
        }

        fn whitespace(&self) -> Whitespace {
            self.1
        }

        fn gap_features<'f>(&'f self, gap: &'f str) -> Option<Features<'f>> {
            Some(Features { tag: "gap", lemma: gap, ..Features::default() })
        }

        fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()> {
            for part in text.split_inclusive(|c| self.0.contains(c)) {
                let start = part.as_ptr() as usize - text.as_ptr() as usize;
                let features = Features {
                    tag: "NUM",
                    pos: "NUM",
                    lemma: "#",
                    norm: "0",
                    morph: "NumType=Card",
                };
                if part.bytes().all(|byte| byte.is_ascii_digit()) {
                    out.push_with(start..start + part.len(), &features)?;
                } else {
                    out.push(start..start + part.len())?;
                }
            }
            Ok(())
        }
    }

    fn tokenizer(cuts: &'static str, whitespace: Whitespace) -> Tokenizer {
        let vocab = Vocab::new(Getters::native("xx")).unwrap();
        Tokenizer::with_segmenter(&vocab, Arc::new(CutsBehind(cuts, whitespace)), 1000).unwrap()
    }

    /// Returns the tokens, each with `_` for a space of its own.
    fn tokens(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
        let doc = tokenizer.tokenize(text).unwrap();
        assert_eq!(doc.text(), text);
        let shown = |token: Token<'_>| {
            format!("{}{}", token.text(), if token.record().spacy() { "_" } else { "" })
        };
        doc.iter().map(shown).collect()
    }

    #[test]
    fn whitespace_becomes_spaces_and_tokens_as_the_segmenter_says() {
        let text = " ab  b \n\u{3000}a ";
        let of = |whitespace| tokens(&tokenizer("ab \n\u{3000}", whitespace), text);
        assert_eq!(of(Whitespace::Attached), [" ", "a", "b_", " ", "b_", "\n\u{3000}", "a_"]);
        assert_eq!(of(Whitespace::AttachedSegments), of(Whitespace::Attached));
        assert_eq!(
            of(Whitespace::Tokens),
            [" ", "a", "b", " ", " ", "b", " ", "\n", "\u{3000}", "a", " "]
        );
        // A run of spaces that is one segment.
        let runs = |whitespace| tokens(&tokenizer("b", whitespace), "ab  b ");
        assert_eq!(runs(Whitespace::Tokens), ["ab", "  b", " "]);
        assert_eq!(runs(Whitespace::Attached), ["ab", "  b_"]);
        assert_eq!(tokens(&tokenizer("b", Whitespace::Attached), "  "), ["  "]);
        assert!(tokens(&tokenizer("b", Whitespace::Attached), "").is_empty());
    }

    #[test]
    fn features_become_annotation() {
        let tokenizer = tokenizer("x", Whitespace::Attached);
        let doc = tokenizer.tokenize("ax12").unwrap();
        let number = doc.token(1).unwrap();
        let of = |attr| number.text_of(attr).to_owned();
        assert_eq!((of(AttrId::TAG), of(AttrId::LEMMA)), ("NUM".to_owned(), "#".to_owned()));
        assert_eq!((of(AttrId::POS), of(AttrId::NORM)), ("NUM".to_owned(), "0".to_owned()));
        assert_eq!(of(AttrId::MORPH), "NumType=Card");
        let word = doc.token(0).unwrap();
        assert_eq!((word.text_of(AttrId::TAG), word.text_of(AttrId::NORM)), ("", "ax"));
        let spaced = self::tokenizer("x ", Whitespace::Attached);
        let doc = spaced.tokenize("x  1").unwrap();
        assert_eq!(doc.token(1).unwrap().text_of(AttrId::TAG), "gap");
        // Characters between segments are all that a text of whitespace has.
        let doc = tokenizer.tokenize(" ").unwrap();
        assert_eq!(doc.token(0).unwrap().text_of(AttrId::TAG), "gap");
        // A text without features does not get those of the text before.
        assert!(tokenizer.tokenize("ax").unwrap().attrs().column(AttrId::TAG) == [0]);
    }

    #[test]
    fn a_tokenizer_with_a_segmenter_has_no_rules_to_change() {
        let tokenizer = tokenizer("a", Whitespace::Attached);
        for change in [
            TokenizerChange::Rule(RuleName::PrefixSearch, None),
            TokenizerChange::AddSpecialCases(Vec::new()),
        ] {
            let error = tokenizer.with(&change).map(|_| ()).unwrap_err();
            assert_eq!(error.code(), "segmenter-rules");
        }
        let small = tokenizer.with(&TokenizerChange::MaxCachedChunks(1)).unwrap();
        assert_eq!(small.segmenter().unwrap().name(), "cuts");
        assert_eq!(tokens(&small, "xaxa"), ["xa", "xa"]);
        let explained = small.explain("xa ab").unwrap();
        let explained: Vec<_> =
            explained.iter().map(|(rule, text)| format!("{rule} {text}")).collect();
        assert_eq!(explained, ["SEGMENT xa", "SEGMENT  a", "SEGMENT b"]);
    }

    /// Cuts into fixed words.
    struct Words(Vec<String>);
    impl Segment for Words {
        fn name(&self) -> &'static str {
            "words"
        }
        fn cut(&self, _: &str, out: &mut Segments<'_>) -> Result<()> {
            let mut at = 0;
            for word in &self.0 {
                out.push(at..at + word.len())?;
                at += word.len();
            }
            Ok(())
        }
    }

    /// spaCy's function, by its description.
    fn words_and_spaces(words: &[&str], text: &str) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut rest = text;
        for word in words.iter().filter(|word| !is_space(word)) {
            let at = rest.find(word).unwrap();
            if at > 0 {
                out.push(rest[..at].to_owned());
            }
            out.push((*word).to_owned());
            rest = &rest[at + word.len()..];
            if let Some(after) = rest.strip_prefix(' ') {
                out.last_mut().unwrap().push('_');
                rest = after;
            }
        }
        if !rest.is_empty() {
            out.push(rest.to_owned());
        }
        out
    }

    proptest! {
        #[test]
        fn attached_spaces_are_those_of_spacys_function(text in "[abc \n\u{3000}]{0,24}") {
            // Segments of words and of single whitespace characters.
            let marked: String = text
                .chars()
                .flat_map(|c| if chars::is_space(c) { vec!['\0', c, '\0'] } else { vec![c] })
                .collect();
            let words: Vec<&str> = marked
                .split('\0')
                .flat_map(|part| part.split_inclusive('a'))
                .filter(|part| !part.is_empty())
                .collect();
            let vocab = Vocab::new(Getters::native("xx")).unwrap();
            let owned = words.iter().map(|&word| word.to_owned()).collect();
            let made = Tokenizer::with_segmenter(&vocab, Arc::new(Words(owned)), 10).unwrap();
            prop_assert_eq!(tokens(&made, &text), words_and_spaces(&words, &text));
        }
    }
}
