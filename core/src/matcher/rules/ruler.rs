//! Search for all rules of a pattern file at once.

use std::ops::Range;

use ahash::AHashMap;
use lexpool_structs::AttrId;

use super::rule::{Rule, RulePattern};
use crate::Result;
use crate::fallible;
use crate::matcher::greedy::Greedy;
use crate::matcher::phrases::PhraseMatcher;
use crate::matcher::token_matcher::Matcher;
use crate::strings::StrId;
use crate::tokenizer::Tokenizer;
use crate::tokens::Doc;

/// Compiled rules: the matchers of their phrases and of their token patterns.
///
/// ```
/// use lexpool::matcher::{Rule, Ruler};
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let rules = Rule::read_jsonl(
///     "{\"label\":\"ORG\",\"pattern\":\"Acme Corp.\"}\n\
///      {\"label\":\"MONEY\",\"pattern\":[{\"TEXT\":\"$\"},{\"LIKE_NUM\":true}]}",
/// )?;
/// let ruler = Ruler::new(&rules, &tokenizer, AttrId::ORTH)?;
/// let doc = tokenizer.tokenize("Acme Corp. paid $ 3.")?;
/// let found = ruler.find(&doc, None)?;
/// let found: Vec<_> = found.iter().map(|found| (found.label, found.tokens.clone())).collect();
/// assert_eq!(found, [("ORG", 0..2), ("MONEY", 3..5)]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Ruler {
    /// The distinct pairs of a label and an id. Their positions are the keys of both matchers.
    names: Vec<(String, Option<String>)>,
    tokens: Matcher,
    phrases: PhraseMatcher,
}

/// A match of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleMatch<'a> {
    /// The rule's label.
    pub label: &'a str,
    /// The rule's id.
    pub id: Option<&'a str>,
    /// The tokens, as positions in the document.
    pub tokens: Range<usize>,
}

impl Ruler {
    /// Compiles rules. Phrases are split by the tokenizer and compared by an attribute.
    ///
    /// # Errors
    ///
    /// Any error of the tokenizer.
    pub fn new(rules: &[Rule], tokenizer: &Tokenizer, attr: AttrId) -> Result<Ruler> {
        let (mut names, mut numbers) = (Vec::new(), AHashMap::new());
        let mut phrase = |text: &str| tokenizer.tokenize(text);
        let (tokens, phrases) = compile(rules, attr, &mut phrase, |Rule { label, id, .. }| {
            let name = (label.clone(), id.clone());
            let number = *numbers.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                names.len() as u64 - 1
            });
            Ok(StrId::new(number))
        })?;
        Ok(Ruler { names, tokens, phrases })
    }

    /// Finds all matches in a document, each once. They are sorted by start, then by length, then
    /// by the first occurrence of the label and id among the rules. With a choice, matches of the
    /// same label and id do not overlap.
    ///
    /// # Errors
    ///
    /// As for [`Matcher::find`] and [`PhraseMatcher::find`].
    pub fn find(&self, doc: &Doc, greedy: Option<Greedy>) -> Result<Vec<RuleMatch<'_>>> {
        let mut found = Vec::new();
        let whole = 0..doc.len();
        self.tokens.find_each(doc, whole.clone(), &mut |_| Ok(false), |key, tokens| {
            fallible::push(&mut found, (key.get(), tokens))
        })?;
        self.phrases.each_match(doc, whole, |key, start, end| {
            fallible::push(&mut found, (key.get(), start..end))
        })?;
        if let Some(greedy) = greedy {
            found.sort_unstable_by_key(|(key, tokens)| (*key, tokens.start, tokens.end));
            let mut chosen = fallible::list(found.len())?;
            for of_key in found.chunk_by(|a, b| a.0 == b.0) {
                let ranges = fallible::collect(of_key.iter().map(|(_, tokens)| tokens.clone()))?;
                chosen.extend(greedy.choose(&ranges)?.into_iter().map(|at| of_key[at].clone()));
            }
            found = chosen;
        }
        found.sort_unstable_by_key(|(key, tokens)| (tokens.start, tokens.end, *key));
        found.dedup();
        fallible::collect(found.into_iter().map(|(key, tokens)| {
            let number = usize::try_from(key).expect("keys are positions of names");
            let (label, id) = &self.names[number];
            RuleMatch { label, id: id.as_deref(), tokens }
        }))
    }
}

/// Adds rules to a matcher of token patterns and a matcher of phrases, under the keys that `key`
/// returns. `phrase` makes a document of a phrase's text.
///
/// # Errors
///
/// Any error of `phrase` and of `key`; as for [`Matcher::add`] and [`PhraseMatcher::add`].
pub(crate) fn compile(
    rules: &[Rule],
    attr: AttrId,
    phrase: &mut dyn FnMut(&str) -> Result<Doc>,
    mut key: impl FnMut(&Rule) -> Result<StrId>,
) -> Result<(Matcher, PhraseMatcher)> {
    let (mut tokens, mut phrases) = (Matcher::default(), PhraseMatcher::new(attr));
    for rule in rules {
        let key = key(rule)?;
        match &rule.pattern {
            RulePattern::Tokens(pattern) => {
                tokens.add(key, vec![pattern.pattern().clone()], None)?;
            }
            RulePattern::Phrase(text) => {
                let ids = phrases.ids(&phrase(text)?)?;
                phrases.add(key, &ids)?;
            }
        }
    }
    Ok((tokens, phrases))
}
