//! [`SpanRuler`]: span groups and entities by rules.

use lexpool_structs::SpanC;

use super::span_filter::SpanFilter;
use super::span_rules::SpanRules;
use crate::Result;
use crate::pipeline::annotation_kind::AnnotationKind;
use crate::pipeline::component::{Component, Groups};
use crate::tokens::{Doc, EntityAssignment, SpanGroup};

/// Adds the matches of rules to a span group of the document, or to its entities, or both: spaCy's
/// `SpanRuler`.
///
/// ```
/// use lexpool::matcher::Rule;
/// use lexpool::pipeline::{Component, Groups, SpanRuler, SpanRules};
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let rules = Rule::read_jsonl("{\"label\":\"GPE\",\"pattern\":\"York\"}")?;
/// let rules = SpanRules::compile(&rules, &tokenizer, AttrId::ORTH)?;
/// let ruler = SpanRuler::new(rules).into_group("places", None);
/// let (mut doc, mut groups) = (tokenizer.tokenize("To York")?, Groups::new());
/// ruler.apply(&mut doc, &mut groups)?;
/// assert_eq!((groups["places"].spans()[0].start, doc.entities().spans()?.len()), (1, 0));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct SpanRuler {
    rules: SpanRules,
    group: Option<(String, Option<SpanFilter>)>,
    ents: Option<SpanFilter>,
    overwrite: bool,
}

impl SpanRuler {
    /// Returns a ruler without a target; see [`into_group`](SpanRuler::into_group) and
    /// [`into_ents`](SpanRuler::into_ents).
    pub fn new(rules: SpanRules) -> SpanRuler {
        SpanRuler { rules, group: None, ents: None, overwrite: false }
    }

    /// Adds the spans to a group. With a filter, only the spans that it chooses are added.
    #[must_use]
    pub fn into_group(mut self, name: &str, filter: Option<SpanFilter>) -> SpanRuler {
        self.group = Some((name.to_owned(), filter));
        self
    }

    /// Sets as entities those that a filter chooses of the document's entities and the spans.
    #[must_use]
    pub fn into_ents(mut self, filter: SpanFilter) -> SpanRuler {
        self.ents = Some(filter);
        self
    }

    /// Sets whether the spans replace those of the group, and the entities.
    #[must_use]
    pub fn overwriting(mut self, overwrite: bool) -> SpanRuler {
        self.overwrite = overwrite;
        self
    }

    /// Finds all matches as spans, equal ones once, sorted by first character, last character,
    /// label and id (as numbers).
    ///
    /// # Errors
    ///
    /// As for [`SpanRules::find`].
    pub fn find(&self, doc: &Doc) -> Result<Vec<SpanC>> {
        let hits = self.rules.find(doc)?.into_iter();
        let mut spans: Vec<SpanC> = hits.map(|hit| self.rules.span(doc, hit)).collect();
        let order = |span: &SpanC| (span.start_char, span.end_char, span.label, span.id);
        spans.sort_by_key(order);
        spans.dedup_by_key(|span| order(span));
        Ok(spans)
    }
}

impl Component for SpanRuler {
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()> {
        let spans = self.find(doc)?;
        if let Some(filter) = self.ents {
            let before = if self.overwrite { Vec::new() } else { doc.entities().spans()? };
            let ents = filter.choose(doc.len(), &before, &spans);
            doc.entities_mut()
                .set(&EntityAssignment { entities: &ents, ..EntityAssignment::default() })?;
        }
        if let Some((name, filter)) = &self.group {
            let group = groups.entry(name.clone()).or_insert_with(|| SpanGroup::new(doc));
            if self.overwrite {
                *group = SpanGroup::new(doc);
            }
            group.follow(doc);
            let chosen = match filter {
                Some(filter) => filter.choose(doc.len(), group.spans(), &spans),
                None => spans,
            };
            group.extend(doc, &chosen)?;
        }
        Ok(())
    }

    fn group(&self) -> Option<&str> {
        self.group.as_ref().map(|(name, _)| name.as_str())
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        kind == AnnotationKind::Entities && self.ents.is_some()
    }
}

#[cfg(test)]
mod tests {
    use lexpool_structs::AttrId;

    use super::*;
    use crate::matcher::Rule;
    use crate::tokenizer::Tokenizer;

    const RULES: &str = r#"{"label":"A","pattern":"one two"}
{"label":"A","pattern":[{"LOWER":"two"}]}
{"label":"A","pattern":"two"}"#;

    type Positions = Vec<(i32, i32)>;

    fn positions(spans: &[SpanC]) -> Positions {
        spans.iter().map(|span| (span.start, span.end)).collect()
    }

    /// Applies a ruler to a document whose last token is in a group and an entity. Returns the
    /// positions of the group and of the entities.
    fn applied(set: impl Fn(SpanRuler) -> SpanRuler) -> (Positions, Positions) {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let rules = Rule::read_jsonl(RULES).unwrap();
        let rules = SpanRules::compile(&rules, &tokenizer, AttrId::ORTH).unwrap();
        let mut doc = tokenizer.tokenize("one two two").unwrap();
        let there = doc.span_record(2, 3, tokenizer.vocab().strings().add("OWN").unwrap());
        doc.entities_mut()
            .set(&EntityAssignment { entities: &[there], ..EntityAssignment::default() })
            .unwrap();
        let mut own = SpanGroup::new(&doc);
        own.push(&doc, there).unwrap();
        let mut groups = Groups::from([("own".to_owned(), own)]);
        set(SpanRuler::new(rules)).apply(&mut doc, &mut groups).unwrap();
        (positions(groups["own"].spans()), positions(&doc.entities().spans().unwrap()))
    }

    #[test]
    fn spans_are_added_to_their_group_sorted_and_without_repetitions() {
        let (group, ents) = applied(|ruler| ruler.into_group("own", None));
        assert_eq!(group, [(2, 3), (0, 2), (1, 2), (2, 3)]);
        assert_eq!(ents, [(2, 3)]);
        let (group, _) = applied(|ruler| ruler.into_group("own", None).overwriting(true));
        assert_eq!(group, [(0, 2), (1, 2), (2, 3)]);
        let (group, ents) = applied(|ruler| ruler);
        assert_eq!((group, ents), (vec![(2, 3)], vec![(2, 3)]));
    }

    #[test]
    fn spans_chosen_by_a_filter_are_added_to_the_group() {
        let (group, _) = applied(|ruler| ruler.into_group("own", Some(SpanFilter::Longest)));
        assert_eq!(group, [(2, 3), (0, 2), (2, 3)]);
        let (group, _) =
            applied(|ruler| ruler.into_group("own", Some(SpanFilter::PreferNew)).overwriting(true));
        assert_eq!(group, [(0, 2), (2, 3)]);
    }

    #[test]
    fn entities_are_those_chosen_by_the_filter() {
        for filter in [SpanFilter::Longest, SpanFilter::PreferNew, SpanFilter::PreferExisting] {
            let (group, ents) = applied(|ruler| ruler.into_ents(filter));
            assert_eq!((group, ents), (vec![(2, 3)], vec![(0, 2), (2, 3)]));
        }
    }
}
