//! Token patterns and phrases under keys, with the label and the id of each key.

use std::sync::Arc;

use ahash::{AHashMap, AHashSet};
use lexpool_structs::{AttrId, SpanC};

use crate::codes;
use crate::fallible;
use crate::matcher::{Matcher, PhraseMatcher, Rule, RulePattern, compile};
use crate::strings::{StrId, StringStore};
use crate::tokenizer::Tokenizer;
use crate::tokens::Doc;
use crate::{Error, Result};

/// The separator of label and id in a key, as in spaCy.
const SEPARATOR: &str = "||";

/// The attributes that only components set.
const SET_BY_COMPONENTS: [AttrId; 5] =
    [AttrId::TAG, AttrId::POS, AttrId::MORPH, AttrId::LEMMA, AttrId::DEP];

/// The label and the id of a key's spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleName {
    /// The string id of the label.
    pub label: StrId,
    /// The string id of the spans' `id_`, or that of the empty string.
    pub id: StrId,
}

/// The labels and ids of keys. A missing key is a label without an id.
pub type RuleNames = AHashMap<StrId, RuleName>;

/// A match of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuleHit {
    /// The rule's key.
    pub key: StrId,
    /// The first token.
    pub start: usize,
    /// The position after the last token.
    pub end: usize,
}

/// Token patterns and phrases under keys, with the label and the id of each key.
///
/// Any number of threads may search at once; each has its own buffers, which are kept for later
/// searches and hold nothing of a memory zone's words.
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
    pub(super) names: Arc<RuleNames>,
    required: Vec<AttrId>,
}

impl SpanRules {
    /// Returns rules of existing matchers. Documents must have annotation of the `required`
    /// attributes. Questions of patterns are answered with no.
    pub fn new(
        tokens: Arc<Matcher>,
        phrases: Arc<PhraseMatcher>,
        names: Arc<RuleNames>,
        required: Vec<AttrId>,
    ) -> SpanRules {
        SpanRules { tokens, phrases, names, required }
    }

    /// Compiles rules. Phrases are split by the tokenizer and compared by an attribute. Labels and
    /// ids are added to the strings of the tokenizer's vocab.
    ///
    /// # Errors
    ///
    /// Any error of the tokenizer; as for [`Matcher::add`].
    pub fn compile(rules: &[Rule], tokenizer: &Tokenizer, attr: AttrId) -> Result<SpanRules> {
        let strings = tokenizer.vocab().strings();
        let mut phrase = |text: &str| tokenizer.tokenize(text);
        let compiled = SpanRules::compile_with(rules, strings, attr, SEPARATOR, &mut phrase)?;
        Ok(SpanRules { required: Vec::new(), ..compiled })
    }

    /// Compiles rules as spaCy's rulers do: `phrase` makes a document of a phrase's text, such as
    /// the components before the ruler annotate it, and documents must have annotation of the
    /// attributes that only components set, if a token pattern tests them. `separator` joins label
    /// and id in a key, which decides between hits with equal tokens.
    ///
    /// # Errors
    ///
    /// Any error of `phrase`; `E155` for a phrase without annotation of `attr`; as for
    /// [`Matcher::add`].
    pub fn compile_with(
        rules: &[Rule],
        strings: &StringStore,
        attr: AttrId,
        separator: &str,
        phrase: &mut dyn FnMut(&str) -> Result<Doc>,
    ) -> Result<SpanRules> {
        let mut names = RuleNames::new();
        let mut annotated = |text: &str| {
            let doc = phrase(text)?;
            let is_missing =
                SET_BY_COMPONENTS.contains(&attr) && !doc.attrs().has_annotation(attr, false);
            if is_missing { Err(missing(attr, &format!("the phrase {text:?}"))) } else { Ok(doc) }
        };
        let (tokens, phrases) =
            compile(rules, attr, &mut annotated, |Rule { label, id, .. }| {
                let label_id = strings.add(label)?;
                let Some(id) = id.as_deref().filter(|id| !id.is_empty()) else {
                    names.entry(label_id).or_insert(RuleName { label: label_id, id: StrId::EMPTY });
                    return Ok(label_id);
                };
                let key = StrId::of(&format!("{label}{separator}{id}"));
                names.insert(key, RuleName { label: label_id, id: strings.add(id)? });
                Ok(key)
            })?;
        let tested: AHashSet<AttrId> = rules.iter().flat_map(tested_attrs).collect();
        let required = SET_BY_COMPONENTS.into_iter().filter(|attr| tested.contains(attr)).collect();
        Ok(SpanRules::new(Arc::new(tokens), Arc::new(phrases), Arc::new(names), required))
    }

    /// Finds all matches: those of token patterns first, then those of phrases, each in the order
    /// of their matcher.
    ///
    /// # Errors
    ///
    /// `E155` for a document without annotation of a required attribute; as for [`Matcher::find`]
    /// and [`PhraseMatcher::find`].
    pub fn find(&self, doc: &Doc) -> Result<Vec<RuleHit>> {
        for attr in &self.required {
            if !doc.attrs().has_annotation(*attr, false) {
                return Err(missing(*attr, "the document"));
            }
        }
        let (mut hits, whole) = (Vec::new(), 0..doc.len());
        if !self.tokens.is_empty() {
            self.tokens.find_each(doc, whole.clone(), &mut |_| Ok(false), |key, tokens| {
                fallible::push(&mut hits, RuleHit { key, start: tokens.start, end: tokens.end })
            })?;
        }
        self.phrases.each_match(doc, whole, |key, start, end| {
            fallible::push(&mut hits, RuleHit { key, start, end })
        })?;
        Ok(hits)
    }

    /// Returns a hit as a span with the label and the id of its key.
    pub fn span(&self, doc: &Doc, hit: RuleHit) -> SpanC {
        span(&self.names, doc, hit)
    }
}

/// Returns the attributes that a token pattern tests.
fn tested_attrs(rule: &Rule) -> Vec<AttrId> {
    match &rule.pattern {
        RulePattern::Tokens(pattern) => pattern.attrs().collect(),
        RulePattern::Phrase(_) => Vec::new(),
    }
}

/// Returns the error for an attribute that no token of a document has.
fn missing(attr: AttrId, place: &str) -> Error {
    let name = attr.name().unwrap_or("an attribute");
    let text = format!(
        "patterns test {name}, which no token of {place} has; add a component that sets it before \
         this one"
    );
    Error::value(codes::E155, text)
}

/// Returns a hit as a span with the label and the id of its key.
pub(super) fn span(names: &RuleNames, doc: &Doc, hit: RuleHit) -> SpanC {
    let name = names.get(&hit.key).copied();
    let name = name.unwrap_or(RuleName { label: hit.key, id: StrId::EMPTY });
    SpanC { id: name.id.get(), ..doc.span_record(hit.start, hit.end, name.label) }
}
