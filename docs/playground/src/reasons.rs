//! The reason for each token of a document: the rule that cut it, and the text from which it was
//! cut.

use lexpool::strings::chars;
use lexpool::tokenizer::TokenRule;
use lexpool::tokens::{Doc, Token};
use serde_json::{Value, json};

/// For each token `{"name", "chunk", "chunk_start"}`: the rule by spaCy's name (`SPACE` for a token
/// of whitespace, which no rule cuts), and the run of text between spaces that the rules were
/// given, with the character it starts at. A special case has its whole text as `case`, too.
///
/// `explained` is what the tokenizer explains of the same text.
pub fn of(doc: &Doc, explained: Vec<(TokenRule, String)>) -> Vec<Value> {
    let mut reasons: Vec<Option<TokenRule>> = Vec::with_capacity(doc.len());
    let mut explained = explained.into_iter();
    for token in doc.iter() {
        reasons.push(if is_space(&token) { None } else { explained.next().map(|(why, _)| why) });
    }
    let chunks = chunks(doc);
    let described = doc.iter().zip(&reasons).zip(chunks).map(|((token, reason), chunk)| {
        let name = reason.map_or_else(|| "SPACE".to_owned(), |reason| reason.to_string());
        let text = slice(doc, chunk.0, chunk.1);
        let start = doc.token(chunk.0).map_or(0, |first| first.idx());
        let mut described = json!({"name": name, "chunk": text, "chunk_start": start});
        if let Some(TokenRule::Special(n)) = reason {
            let (first, last) = case(&reasons, token.i(), *n);
            described["case"] = slice(doc, first, last).into();
        }
        described
    });
    described.collect()
}

/// For each token the first and the last of its chunk: what follows one another without whitespace.
fn chunks(doc: &Doc) -> Vec<(usize, usize)> {
    let mut chunks = Vec::with_capacity(doc.len());
    let mut start = 0;
    while start < doc.len() {
        let alone = doc.token(start).is_some_and(|token| is_space(&token));
        let mut end = start;
        while !alone && end + 1 < doc.len() && is_joined(doc, end) {
            end += 1;
        }
        chunks.extend((start..=end).map(|_| (start, end)));
        start = end + 1;
    }
    chunks
}

/// Returns true if the next token follows without a space, and neither is whitespace.
fn is_joined(doc: &Doc, i: usize) -> bool {
    let (this, next) = (doc.token(i), doc.token(i + 1));
    this.is_some_and(|this| !this.record().spacy()) && next.is_some_and(|next| !is_space(&next))
}

/// The first and the last token of the special case that a token is the `n`-th of. Whitespace
/// inside of a case is a token without a reason, which is counted all the same.
fn case(reasons: &[Option<TokenRule>], i: usize, n: u32) -> (usize, usize) {
    let first = (i + 1).saturating_sub(n as usize);
    let mut last = i;
    while let Some(Some(TokenRule::Special(next))) = reasons.get(last + 1) {
        if *next as usize != last + 2 - first {
            break;
        }
        last += 1;
    }
    (first, last)
}

/// The text from the beginning of a token to the end of another.
fn slice(doc: &Doc, first: usize, last: usize) -> &str {
    doc.span(first, last + 1).map_or("", |span| span.text())
}

fn is_space(token: &Token<'_>) -> bool {
    token.text().chars().all(chars::is_space)
}

#[cfg(test)]
mod tests {
    use lexpool::tokenizer::Tokenizer;

    use super::*;

    fn reasons(text: &str) -> Vec<(String, String, Option<String>)> {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let doc = tokenizer.tokenize(text).unwrap();
        let given = |value: &Value| value.as_str().map(str::to_owned);
        let reasons = of(&doc, tokenizer.explain(text).unwrap());
        assert_eq!(reasons.len(), doc.len());
        reasons
            .iter()
            .map(|r| (given(&r["name"]).unwrap(), given(&r["chunk"]).unwrap(), given(&r["case"])))
            .collect()
    }

    fn reason(name: &str, chunk: &str, case: Option<&str>) -> (String, String, Option<String>) {
        (name.to_owned(), chunk.to_owned(), case.map(str::to_owned))
    }

    #[test]
    fn every_token_has_the_rule_that_cut_it_and_what_it_was_cut_out_of() {
        let expected = [
            reason("PREFIX", "(don't", None),
            reason("SPECIAL-1", "(don't", Some("don't")),
            reason("SPECIAL-2", "(don't", Some("don't")),
            reason("SPACE", "  ", None),
            reason("TOKEN", "mother-in-law!)", None),
            reason("INFIX", "mother-in-law!)", None),
            reason("TOKEN", "mother-in-law!)", None),
            reason("INFIX", "mother-in-law!)", None),
            reason("TOKEN", "mother-in-law!)", None),
            reason("SUFFIX", "mother-in-law!)", None),
            reason("SUFFIX", "mother-in-law!)", None),
        ];
        assert_eq!(reasons("(don't   mother-in-law!)"), expected);
    }

    #[test]
    fn addresses_stay_whole_by_a_rule_of_their_own() {
        let of_text = reasons("See https://example.org/a?b=c.");
        assert_eq!(of_text[1].0, "URL_MATCH");
        assert_eq!(of_text[2].0, "SUFFIX");
    }

    #[test]
    fn a_text_without_tokens_has_no_reasons() {
        assert!(reasons("").is_empty());
    }
}
