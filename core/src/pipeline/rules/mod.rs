//! Spans and entities by rules: patterns of tokens, and phrases, that stand for labels.
//!
//! [`SpanRules`] is what is searched with; [`EntityRuler`] (`ents`) and [`SpanRuler`] (`spans`) say
//! what becomes of the hits. `filter` resolves overlaps, `set_order` puts equals in spaCy's order.

mod ents;
mod filter;
mod set_order;
mod spans;

use std::sync::Arc;

use ahash::AHashMap;
use lexpool_structs::{AttrId, SpanC};

use crate::matcher::{Matcher, PhraseMatcher, Rule, compile};
use crate::strings::StrId;
use crate::tokenizer::Tokenizer;
use crate::tokens::Doc;
use crate::{Error, Result};

pub use ents::EntityRuler;
pub use filter::SpanFilter;
pub use spans::SpanRuler;

/// What stands between a label and an id in a key, as in spaCy.
const SEPARATOR: &str = "||";

/// What the spans of a key get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleName {
    /// The id of their label.
    pub label: StrId,
    /// The id of the string that they are identified by; empty for none.
    pub id: StrId,
}

/// The names of keys. A key that is not there is a label without an id.
pub type RuleNames = AHashMap<StrId, RuleName>;

/// A place where a rule fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hit {
    /// The rule's key.
    pub key: StrId,
    /// The first token.
    pub start: usize,
    /// The token behind the last.
    pub end: usize,
}

/// Patterns of tokens and phrases under keys, with what the keys stand for.
///
/// Any number of threads may search; each has memory of its own for that, which is kept for the next
/// search. Nothing of a zone's words is left there.
///
/// ```
/// use lexpool::matcher::Rule;
/// use lexpool::pipeline::SpanRules;
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let rules = Rule::read_jsonl("{\"label\":\"ORG\",\"pattern\":\"Acme\",\"id\":\"acme\"}")?;
/// let rules = SpanRules::compile(&rules, &tokenizer, AttrId::ORTH)?;
/// let doc = tokenizer.tokenize("Is Acme here?")?;
/// let [hit] = rules.find(&doc)?[..] else { panic!("one hit") };
/// assert_eq!((hit.start, hit.end), (1, 2));
/// let span = rules.span(&doc, hit);
/// assert_eq!(doc.snapshot().string(lexpool::strings::StrId::new(span.id)), Some("acme"));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct SpanRules {
    tokens: Arc<Matcher>,
    phrases: Arc<PhraseMatcher>,
    names: Arc<RuleNames>,
    required: Vec<AttrId>,
}

impl SpanRules {
    /// Rules that are in matchers already. Documents must have annotation of the `required`
    /// attributes. Questions of patterns are answered with no.
    pub fn new(
        tokens: Arc<Matcher>,
        phrases: Arc<PhraseMatcher>,
        names: Arc<RuleNames>,
        required: Vec<AttrId>,
    ) -> SpanRules {
        SpanRules { tokens, phrases, names, required }
    }

    /// Rules as data. Phrases are cut by the tokenizer, and compared by an attribute. Labels and ids
    /// become strings of the tokenizer's vocab.
    ///
    /// # Errors
    ///
    /// What the tokenizer fails with; as for [`Matcher::add`].
    pub fn compile(rules: &[Rule], tokenizer: &Tokenizer, attr: AttrId) -> Result<SpanRules> {
        let strings = tokenizer.vocab().strings();
        let mut names = RuleNames::new();
        let (tokens, phrases) = compile(rules, tokenizer, attr, |Rule { label, id, .. }| {
            let name = RuleName {
                label: strings.add(label)?,
                id: id.as_deref().map_or(Ok(StrId::EMPTY), |id| strings.add(id))?,
            };
            let key = match id {
                Some(id) => strings.add(&format!("{label}{SEPARATOR}{id}"))?,
                None => name.label,
            };
            names.insert(key, name);
            Ok(key)
        })?;
        Ok(SpanRules::new(Arc::new(tokens), Arc::new(phrases), Arc::new(names), Vec::new()))
    }

    /// Where rules fit: patterns of tokens first, then phrases, each as their matcher finds them.
    ///
    /// # Errors
    ///
    /// `E155` for a document without annotation of a required attribute; as for [`Matcher::find`]
    /// and [`PhraseMatcher::find`].
    pub fn find(&self, doc: &Doc) -> Result<Vec<Hit>> {
        for attr in &self.required {
            if !doc.attrs().has_annotation(*attr, false) {
                let name = attr.name().unwrap_or("an attribute");
                let text = format!(
                    "patterns ask for {name}, which no token of the document has; a component that \
                     sets it has to come before"
                );
                return Err(Error::value("E155", text));
            }
        }
        let (mut hits, whole) = (Vec::new(), 0..doc.len());
        if !self.tokens.is_empty() {
            self.tokens.find_each(doc, whole.clone(), &mut |_| Ok(false), |key, tokens| {
                hits.push(Hit { key, start: tokens.start, end: tokens.end });
            })?;
        }
        self.phrases.each_match(doc, whole, |key, start, end| {
            hits.push(Hit { key, start, end });
            Ok(())
        })?;
        Ok(hits)
    }

    /// A hit in a document as a span, with the label and the id of its key.
    pub fn span(&self, doc: &Doc, hit: Hit) -> SpanC {
        span(&self.names, doc, hit)
    }
}

/// A hit as a span, by the names of keys.
fn span(names: &RuleNames, doc: &Doc, hit: Hit) -> SpanC {
    let name = names.get(&hit.key).copied();
    let name = name.unwrap_or(RuleName { label: hit.key, id: StrId::EMPTY });
    SpanC { id: name.id.get(), ..doc.span_record(hit.start, hit.end, name.label) }
}
