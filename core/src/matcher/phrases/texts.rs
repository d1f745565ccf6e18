//! Search for phrases in texts without making documents, and phrases given as texts.

use std::ops::Range;

use lexpool_structs::TokenC;

use super::phrase_list::PhraseList;
use super::phrase_matcher::PhraseMatcher;
use super::search::{AttrSource, SearchBuffers, SearchTokens};
use crate::Result;
use crate::matcher::matches::{DocMatch, Matches, find_many_with, in_shares, position};
use crate::strings::StrId;
use crate::tokenizer::{ScannedText, Text, Tokenizer};
use crate::tokens::Doc;

impl PhraseMatcher {
    /// Finds all phrases in many documents, or ranges of their tokens, on `threads` threads (0: one
    /// for each core; 1: the calling thread only). The result does not depend on the number of
    /// threads.
    ///
    /// # Errors
    ///
    /// As for [`find`](PhraseMatcher::find) and [`find_many`](crate::matcher::find_many), with the
    /// number of the document.
    pub fn find_all(&self, docs: &[(&Doc, Range<usize>)], threads: usize) -> Result<Matches> {
        let (take, put_back) = (|| self.take_buffers(), |buffers| self.put_back(buffers));
        find_many_with(docs, threads, take, put_back, |buffers, doc, tokens, sink| {
            self.each_match_with(buffers, doc, tokens, |key, start, end| sink.push(key, start, end))
        })
    }

    /// Finds all phrases in many texts: the matches of [`find`](PhraseMatcher::find) in the
    /// documents that the tokenizer makes of them, with their positions in characters.
    ///
    /// Documents are made only for an attribute that lexemes do not have, and for norms that a
    /// segmenter may set. Threads are as for [`find_all`](PhraseMatcher::find_all).
    ///
    /// ```
    /// use lexpool::matcher::PhraseMatcher;
    /// use lexpool::strings::StrId;
    /// use lexpool::structs::AttrId;
    /// use lexpool::tokenizer::{Text, Tokenizer};
    ///
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let mut phrases = PhraseMatcher::new(AttrId::LOWER);
    /// phrases.add_texts(StrId::of("city"), &tokenizer, &["New York", "Rome"])?;
    /// let texts = ["Rome, New York", "Old York"].map(|text| Text::Owned(text.to_owned()));
    /// let found = phrases.find_in_texts(&tokenizer, &texts, 0)?;
    /// assert_eq!(found.chars().unwrap(), (&[0, 6][..], &[4, 14][..]));
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`find`](PhraseMatcher::find) and [`Tokenizer::tokenize`], with the number of the
    /// text; `threads`.
    pub fn find_in_texts(
        &self,
        tokenizer: &Tokenizer,
        texts: &[Text],
        threads: usize,
    ) -> Result<Matches> {
        self.find_in_texts_while(tokenizer, texts, threads, &mut || ())
    }

    /// Searches as [`find_in_texts`](PhraseMatcher::find_in_texts) does. `meanwhile` is called once
    /// on the calling thread while others search, for example to prepare the next texts; it is not
    /// called if no other thread searches.
    ///
    /// # Errors
    ///
    /// As for [`find_in_texts`](PhraseMatcher::find_in_texts).
    pub fn find_in_texts_while(
        &self,
        tokenizer: &Tokenizer,
        texts: &[Text],
        threads: usize,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Matches> {
        in_shares(texts.len(), threads, meanwhile, |share, matches| {
            let texts = share.clone().zip(texts[share].iter().map(Text::as_str));
            self.with_buffers(|buffers| {
                if !AttrSource::of(self.attr()).needs_docs(tokenizer) {
                    return tokenizer.scan(texts, &mut |scanned| {
                        let ScannedText { number, text, snapshot, tokens } = scanned;
                        let tokens = SearchTokens { snapshot, records: tokens, doc: None };
                        self.find_in_text(number, text, tokens, buffers, matches)
                    });
                }
                for (number, text) in texts {
                    let doc = tokenizer
                        .tokenize(text)
                        .map_err(|error| error.context(format_args!("text {number}")))?;
                    let (snapshot, records) = (doc.snapshot(), doc.tokens());
                    let tokens = SearchTokens { snapshot, records, doc: Some((&doc, 0)) };
                    self.find_in_text(number, text, tokens, buffers, matches)?;
                }
                Ok(())
            })
        })
    }

    fn find_in_text(
        &self,
        number: usize,
        text: &str,
        tokens: SearchTokens<'_>,
        buffers: &mut SearchBuffers,
        matches: &mut Matches,
    ) -> Result<()> {
        let doc = position(number);
        let found = self.search(tokens, buffers, |key, start, end| {
            let chars = tokens.records[start].idx..end_char(text, tokens.records, end - 1);
            let [start, end] = [start, end].map(position);
            matches.push_with_chars(DocMatch { key, start, end, doc }, chars)
        });
        found.map_err(|error| error.context(format_args!("text {number}")))
    }

    /// Adds texts as phrases under a key, split by a tokenizer. Texts without tokens are skipped.
    ///
    /// # Errors
    ///
    /// As for [`Tokenizer::tokenize`], with the number of the text, and nothing is added then; as
    /// for [`add_phrases`](PhraseMatcher::add_phrases).
    pub fn add_texts<S: AsRef<str>>(
        &mut self,
        key: StrId,
        tokenizer: &Tokenizer,
        texts: &[S],
    ) -> Result<()> {
        self.add_phrases(key, &PhraseList::of_texts(self.attr(), tokenizer, texts)?)
    }

    /// Adds many phrases under a key.
    ///
    /// # Errors
    ///
    /// As for [`add`](PhraseMatcher::add); the phrases before the failing one are added.
    pub fn add_phrases(&mut self, key: StrId, phrases: &PhraseList) -> Result<()> {
        phrases.iter().try_for_each(|phrase| self.add(key, phrase))
    }
}

/// Returns the end of a token in characters.
fn end_char(text: &str, tokens: &[TokenC], at: usize) -> u32 {
    let token = tokens[at];
    if let Some(next) = tokens.get(at + 1) {
        return next.idx - u32::from(token.spacy());
    }
    let own = &text[token.byte as usize..text.len() - usize::from(token.spacy())];
    token.idx + position(own.chars().count())
}
