//! Why a text is cut as it is: the rule behind each token.

use std::fmt;

use lexpool_structs::TokenC;

use super::chunks::{self, space_len};
use super::rules::Rules;
use super::split::{Reason, Splitter};
use crate::Result;
use crate::vocab::VocabSnapshot;

impl fmt::Display for Reason {
    /// spaCy's name of the rule, such as `PREFIX` or `SPECIAL-2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Prefix => f.write_str("PREFIX"),
            Reason::Suffix => f.write_str("SUFFIX"),
            Reason::Infix => f.write_str("INFIX"),
            Reason::Token => f.write_str("TOKEN"),
            Reason::TokenMatch => f.write_str("TOKEN_MATCH"),
            Reason::UrlMatch => f.write_str("URL_MATCH"),
            Reason::Special(n) => write!(f, "SPECIAL-{n}"),
        }
    }
}

/// The tokens of a text that are not whitespace, each with the reason for it.
pub(super) fn explain(
    rules: &Rules,
    snapshot: &VocabSnapshot,
    text: &str,
) -> Result<Vec<(Reason, String)>> {
    let mut splitter = Splitter::new(rules);
    let mut tokens: Vec<TokenC> = Vec::new();
    let mut reasons = Vec::new();
    for (chunk, space) in chunks::cut(text) {
        if space {
            tokens.last_mut().into_iter().for_each(|token| token.set_spacy(true));
        }
        splitter.split(rules, &text[chunk.clone()], true)?;
        for piece in &splitter.pieces {
            let start = chunk.start + piece.start;
            let lex = snapshot.enter(&text[start..chunk.start + piece.end])?.to_raw();
            let byte = u32::try_from(start).expect("the length was checked");
            tokens.push(TokenC { lex, byte, idx: 0, facts: 0 });
            reasons.push(piece.reason);
        }
    }
    let positions = 0..u32::try_from(tokens.len()).expect("as many as characters, or fewer");
    let candidates: Vec<u32> =
        positions.filter(|&i| rules.specials.starts(tokens[i as usize].lex)).collect();
    let mut replacements =
        rules.specials.replacements(text, &tokens, &candidates).into_iter().peekable();
    let mut out = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while i < tokens.len() {
        if let Some(replacement) = replacements.next_if(|replacement| replacement.start == i) {
            let parts = (1..).zip(&*replacement.special.source);
            let shown = parts.filter(|(_, part)| space_len(&part.orth, 0).is_none());
            out.extend(shown.map(|(n, part)| (Reason::Special(n), part.orth.clone())));
            i = replacement.end;
            continue;
        }
        let after = tokens.get(i + 1).map_or(text.len(), |next| next.byte as usize);
        let own = &text[tokens[i].byte as usize..after - usize::from(tokens[i].spacy())];
        if space_len(own, 0).is_none() {
            out.push((reasons[i], own.to_owned()));
        }
        i += 1;
    }
    Ok(out)
}
