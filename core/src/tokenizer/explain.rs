//! The rule behind each token of a text.

use std::fmt;

use lexpool_structs::TokenC;

use super::chunks;
use super::rules::CompiledRules;
use super::segments::{SegmentWords, is_space};
use super::split::{Splitter, TokenRule};
use super::text::check_length;
use crate::Result;
use crate::vocab::VocabSnapshot;

impl fmt::Display for TokenRule {
    /// Writes spaCy's name of the rule, such as `PREFIX` or `SPECIAL-2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenRule::Prefix => f.write_str("PREFIX"),
            TokenRule::Suffix => f.write_str("SUFFIX"),
            TokenRule::Infix => f.write_str("INFIX"),
            TokenRule::Token => f.write_str("TOKEN"),
            TokenRule::TokenMatch => f.write_str("TOKEN_MATCH"),
            TokenRule::UrlMatch => f.write_str("URL_MATCH"),
            TokenRule::Segment => f.write_str("SEGMENT"),
            TokenRule::Special(n) => write!(f, "SPECIAL-{n}"),
        }
    }
}

/// Returns the tokens of a text that are not whitespace, each with its rule.
pub(super) fn explain(
    rules: &CompiledRules,
    snapshot: &VocabSnapshot,
    text: &str,
) -> Result<Vec<(TokenRule, String)>> {
    check_length(text)?;
    if let Some(segmenter) = &rules.segmenter {
        let mut words = SegmentWords::default();
        words.cut(&**segmenter, text, &mut || Ok(()))?;
        let words = words.iter().map(|word| &text[word.range()]);
        let visible = words.filter(|word| !is_space(word));
        return Ok(visible.map(|word| (TokenRule::Segment, word.to_owned())).collect());
    }
    let mut splitter = Splitter::new(rules);
    let mut tokens: Vec<TokenC> = Vec::new();
    let mut token_rules = Vec::new();
    for (chunk, space) in chunks::split_whitespace(text) {
        if space {
            tokens.last_mut().into_iter().for_each(|token| token.set_spacy(true));
        }
        splitter.split(rules, &text[chunk.clone()], true)?;
        for token in &splitter.tokens {
            let start = chunk.start + token.start;
            let lex = snapshot.enter(&text[start..chunk.start + token.end])?.to_raw();
            let byte = u32::try_from(start).expect("the length was checked");
            tokens.push(TokenC { lex, byte, idx: 0, facts: 0 });
            token_rules.push(token.rule);
        }
    }
    let positions = 0..u32::try_from(tokens.len()).expect("at most as many tokens as characters");
    let candidates: Vec<u32> =
        positions.filter(|&i| rules.special_cases.starts(tokens[i as usize].lex)).collect();
    let mut replacements =
        rules.special_cases.replacements(text, &tokens, &candidates).into_iter().peekable();
    let mut out = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while i < tokens.len() {
        if let Some(replacement) = replacements.next_if(|replacement| replacement.start == i) {
            let parts = (1..).zip(&*replacement.special_case.source);
            let visible = parts.filter(|(_, part)| !is_space(&part.orth));
            out.extend(visible.map(|(n, part)| (TokenRule::Special(n), part.orth.clone())));
            i = replacement.end;
            continue;
        }
        let next_start = tokens.get(i + 1).map_or(text.len(), |next| next.byte as usize);
        let word = &text[tokens[i].byte as usize..next_start - usize::from(tokens[i].spacy())];
        if !is_space(word) {
            out.push((token_rules[i], word.to_owned()));
        }
        i += 1;
    }
    Ok(out)
}
