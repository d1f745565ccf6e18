//! Phrases in texts that become no documents, and phrases that come as texts.

use std::ops::Range;

use lexpool_structs::{AttrId, TokenC};

use super::PhraseMatcher;
use super::search::{Scratch, Source, Tokens};
use crate::Result;
use crate::matcher::matches::{DocMatch, Matches, find_many_with, in_shares, position};
use crate::strings::StrId;
use crate::tokenizer::{Scanned, Text, Tokenizer};
use crate::tokens::Doc;
use crate::vocab::{LexIx, VocabSnapshot};

impl PhraseMatcher {
    /// All phrases in many documents, or some of their tokens, on `threads` threads (0: one a core;
    /// 1: this one). The result does not depend on how many there are.
    ///
    /// # Errors
    ///
    /// As for [`find`](PhraseMatcher::find) and [`find_many`](crate::matcher::find_many), with the number of the document.
    pub fn find_all(&self, docs: &[(&Doc, Range<usize>)], threads: usize) -> Result<Matches> {
        let (take, give) = (|| self.scratch(), |scratch| self.idle().push(scratch));
        find_many_with(docs, threads, take, give, |scratch, doc, tokens, sink| {
            self.each_match_with(scratch, doc, tokens, |key, start, end| {
                sink.push(key, start, end);
                Ok(())
            })
        })
    }

    /// All phrases in many texts: what [`find`](PhraseMatcher::find) gives for the documents that the
    /// tokenizer makes of them, with where they are in characters.
    ///
    /// No documents are made, unless the attribute is one that no word has by itself. As for
    /// [`find_all`](PhraseMatcher::find_all) for threads.
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

    /// The same; `meanwhile` is called once on this thread, to get ready the texts that come next,
    /// unless there is nothing for other threads to do.
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
            self.with_scratch(|scratch| {
                if Source::of(self.attr()) != Source::Doc {
                    return tokenizer.scan(texts, &mut |scanned| {
                        let Scanned { number, text, snapshot, tokens } = scanned;
                        let tokens = Tokens { snapshot, records: tokens, doc: None };
                        self.find_in_text(number, text, tokens, scratch, matches)
                    });
                }
                for (number, text) in texts {
                    let doc = tokenizer
                        .tokenize(text)
                        .map_err(|error| error.context(format_args!("text {number}")))?;
                    let (snapshot, records) = (doc.snapshot(), doc.tokens());
                    let tokens = Tokens { snapshot, records, doc: Some((&doc, 0)) };
                    self.find_in_text(number, text, tokens, scratch, matches)?;
                }
                Ok(())
            })
        })
    }

    fn find_in_text(
        &self,
        number: usize,
        text: &str,
        tokens: Tokens<'_>,
        scratch: &mut Scratch,
        matches: &mut Matches,
    ) -> Result<()> {
        let doc = position(number);
        let found = self.search(tokens, scratch, |key, start, end| {
            let chars = tokens.records[start].idx..end_char(text, tokens.records, end - 1);
            let [start, end] = [start, end].map(position);
            matches.push_with_chars(DocMatch { key, start, end, doc }, chars);
            Ok(())
        });
        found.map_err(|error| error.context(format_args!("text {number}")))
    }

    /// Adds phrases under a key that are what a tokenizer makes of texts. Texts without tokens are
    /// passed over.
    ///
    /// # Errors
    ///
    /// As for [`Tokenizer::tokenize`], with the number of the text, and nothing is added; and as for
    /// [`add`](PhraseMatcher::add).
    pub fn add_texts<S: AsRef<str>>(
        &mut self,
        key: StrId,
        tokenizer: &Tokenizer,
        texts: &[S],
    ) -> Result<()> {
        self.add_phrases(key, &Phrases::of_texts(self.attr(), tokenizer, texts)?)
    }

    /// Adds many phrases under a key.
    ///
    /// # Errors
    ///
    /// As for [`add`](PhraseMatcher::add); those before the one that fails are added.
    pub fn add_phrases(&mut self, key: StrId, phrases: &Phrases) -> Result<()> {
        phrases.iter().try_for_each(|phrase| self.add(key, phrase))
    }
}

/// Sequences of ids, one behind another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrases {
    ids: Vec<u64>,
    ends: Vec<usize>,
}

impl Phrases {
    /// What a tokenizer makes of texts, by an attribute. Cost: no documents, unless the attribute is
    /// one that no word has by itself.
    ///
    /// # Errors
    ///
    /// As for [`Tokenizer::tokenize`], with the number of the text.
    pub fn of_texts<S: AsRef<str>>(
        attr: AttrId,
        tokenizer: &Tokenizer,
        texts: &[S],
    ) -> Result<Phrases> {
        let mut phrases = Phrases::default();
        let source = Source::of(attr);
        if source == Source::Doc {
            for (text, number) in texts.iter().zip(0..) {
                let doc = tokenizer.tokenize(text.as_ref());
                let doc = doc.map_err(|error| error.context(format_args!("text {number}")))?;
                phrases.push(doc.iter().map(|token| token.attr(attr)));
            }
            return Ok(phrases);
        }
        tokenizer.scan(texts.iter().map(AsRef::as_ref).enumerate(), &mut |scanned| {
            let Scanned { snapshot, tokens, .. } = scanned;
            phrases.push(tokens.iter().map(|token| id_of(snapshot, token, attr, source)));
            Ok(())
        })?;
        Ok(phrases)
    }

    /// Adds one.
    pub fn push(&mut self, phrase: impl IntoIterator<Item = u64>) {
        self.ids.extend(phrase);
        self.ends.push(self.ids.len());
    }

    /// Each of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let phrase = &self.ids[start..*end];
            start = *end;
            phrase
        })
    }
}

/// The attribute of a token that a tokenizer has just made, if it is not to be read from a document.
fn id_of(snapshot: &VocabSnapshot, token: &TokenC, attr: AttrId, source: Source) -> u64 {
    if source == Source::Norm {
        if let Some(norm) = snapshot.norm(token.norm_ix()) {
            return norm.get();
        }
    }
    snapshot.cell(LexIx::from_raw(token.lex)).map_or(0, |cell| cell.attr(attr))
}

/// Where a token ends, in characters.
fn end_char(text: &str, tokens: &[TokenC], at: usize) -> u32 {
    let token = tokens[at];
    if let Some(next) = tokens.get(at + 1) {
        return next.idx - u32::from(token.spacy());
    }
    let own = &text[token.byte as usize..text.len() - usize::from(token.spacy())];
    token.idx + position(own.chars().count())
}
