//! Variants of training examples: `spacy.training.augment`.
//!
//! A variant replaces its example when the corpus is read: in lower case, with other spellings of
//! quotes and dashes, with whitespace between its words. Annotation goes along with the words.

use lexpool::Result;
use lexpool::config::{Config, Value};
use lexpool::strings::StrId;
use lexpool::strings::chars::lowered;
use lexpool::tokens::{Doc, SpanGroup};
use lexpool_nn::learn::PythonRandom;
use lexpool_structs::{AttrId, Pos};

use super::example::Reference;
use super::orth_variants::OrthVariants;
use crate::settings::fields::{Fields, NumberRange, Problems};

/// Reads the section of an augmenter; `None` for the one that changes nothing.
///
/// # Errors
///
/// `training-config` for wrong settings, `training-unsupported` for another augmenter.
pub fn read_augmenter(settings: &Value, name: &str) -> Result<Option<Augmenter>> {
    let problems = Problems::default();
    let section = settings.as_section().cloned().unwrap_or_default();
    let augmenter = Augmenter::read(Fields::new(&section, name, &problems));
    problems.into_result(&Config::parse("", "the settings")?)?;
    Ok(augmenter)
}

/// The shares of the examples that are changed, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Augmenter {
    /// The share in lower case, if that is drawn.
    lower: Option<f64>,
    /// The share with other spellings, and the share of those that is in lower case too, if that is
    /// drawn.
    orth: f64,
    orth_lower: Option<f64>,
    variants: OrthVariants,
    /// The share with whitespace, and how many tokens of it are added for each token.
    whitespace: f64,
    whitespace_per_token: f64,
    whitespace_variants: Vec<String>,
}

impl Augmenter {
    /// Reads the section of an augmenter. Returns `None` for the one that changes nothing, or after
    /// a problem.
    pub(crate) fn read(fields: Fields<'_>) -> Option<Augmenter> {
        let share = |key| fields.number_in(key, 0.0, NumberRange::SHARE);
        let augmenter = match fields.function("@augmenters")? {
            "spacy.dont_augment.v1" => None,
            "spacy.lower_case.v1" => {
                Some(Augmenter { lower: Some(share("level")), ..Augmenter::default() })
            }
            "spacy.orth_variants.v1" => Some(Augmenter {
                orth: share("level"),
                orth_lower: Some(share("lower")),
                variants: OrthVariants::read(&fields, "orth_variants"),
                ..Augmenter::default()
            }),
            "spacy.combined_augmenter.v1" => Some(Augmenter {
                lower: Some(share("lower_level")),
                orth: share("orth_level"),
                variants: OrthVariants::read(&fields, "orth_variants"),
                whitespace: share("whitespace_level"),
                whitespace_per_token: share("whitespace_per_token"),
                whitespace_variants: fields.texts("whitespace_variants"),
                ..Augmenter::default()
            }),
            name => {
                let text = format!("has the augmenter {name:?}, which lexpool does not have");
                fields.unsupported(&text);
                return None;
            }
        };
        fields.finish();
        augmenter
    }

    /// Changes the reference of an example, or leaves it. Returns the text of a changed one.
    ///
    /// # Errors
    ///
    /// Those of making a document.
    pub fn apply(
        &self,
        reference: &mut Reference,
        random: &mut PythonRandom,
    ) -> Result<Option<String>> {
        let mut changed = None;
        let happens = |share: f64, random: &mut PythonRandom| random.random() < share;
        let mut draft = None;
        if self.lower.is_some_and(|share| happens(share, random)) {
            draft.get_or_insert_with(|| Draft::of(&reference.doc)).lower();
            changed = Some(lower_case(reference.doc.text()));
        }
        if !self.variants.is_empty() && happens(self.orth, random) {
            let draft = draft.get_or_insert_with(|| Draft::of(&reference.doc));
            if self.orth_lower.is_some_and(|share| happens(share, random)) {
                draft.lower();
            }
            let tags = draft.tags(&reference.doc);
            self.variants.replace(&mut draft.words, &tags, random);
            changed = Some(draft.text());
        }
        if !self.whitespace_variants.is_empty() && happens(self.whitespace, random) {
            #[expect(clippy::cast_precision_loss, reason = "a number of tokens")]
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded")]
            let n = (reference.doc.len() as f64 * self.whitespace_per_token) as usize;
            for _ in 0..n {
                let variant = below(random, self.whitespace_variants.len());
                let draft = draft.get_or_insert_with(|| Draft::of(&reference.doc));
                let position = below(random, draft.words.len());
                let word = &self.whitespace_variants[variant];
                if !word.is_empty() && can_be_longer(reference) {
                    draft.insert(word, position, &reference.doc)?;
                    changed = Some(draft.text());
                }
            }
        }
        if let (Some(draft), Some(_)) = (draft, &changed) {
            draft.store(reference)?;
        }
        Ok(changed)
    }
}

/// Returns a random number below `n`, as `random.choice` draws it.
fn below(random: &mut PythonRandom, n: usize) -> usize {
    usize::try_from(random.below(n as u64)).expect("a number below a length")
}

fn lower_case(text: &str) -> String {
    lowered(text, &mut String::new()).to_owned()
}

/// Returns whether annotation can move apart: spans, links and partial trees cannot, as in spaCy.
fn can_be_longer(reference: &Reference) -> bool {
    let attrs = reference.doc.attrs();
    let has_partial_tree =
        attrs.has_annotation(AttrId::DEP, false) && !attrs.has_annotation(AttrId::DEP, true);
    reference.groups.values().all(SpanGroup::is_empty)
        && !attrs.has_annotation(AttrId::ENT_KB_ID, false)
        && !has_partial_tree
}

/// The attributes of tokens that a variant takes over.
const ATTRS: [AttrId; 11] = [
    AttrId::TAG,
    AttrId::POS,
    AttrId::MORPH,
    AttrId::LEMMA,
    AttrId::ENT_IOB,
    AttrId::ENT_TYPE,
    AttrId::ENT_KB_ID,
    AttrId::ENT_ID,
    AttrId::HEAD,
    AttrId::DEP,
    AttrId::SENT_START,
];

/// The values of [`AttrId::ENT_IOB`].
const INSIDE: u64 = 1;
const OUTSIDE: u64 = 2;

/// A document in parts that can be changed.
struct Draft {
    words: Vec<String>,
    spaces: Vec<bool>,
    /// The values of [`ATTRS`], in their order.
    columns: [Vec<u64>; ATTRS.len()],
}

impl Draft {
    fn of(doc: &Doc) -> Draft {
        let attrs = doc.attrs();
        Draft {
            words: doc.iter().map(|token| token.text().to_owned()).collect(),
            spaces: doc.iter().map(|token| token.record().spacy()).collect(),
            columns: ATTRS.map(|attr| attrs.column(attr)),
        }
    }

    fn column(&mut self, attr: AttrId) -> &mut Vec<u64> {
        let at = ATTRS.iter().position(|own| *own == attr).expect("one of the list");
        &mut self.columns[at]
    }

    fn lower(&mut self) {
        for word in &mut self.words {
            *word = lower_case(word);
        }
    }

    fn text(&self) -> String {
        let words = self.words.iter().zip(&self.spaces);
        words.flat_map(|(word, space)| [word.as_str(), if *space { " " } else { "" }]).collect()
    }

    /// Returns the fine-grained tags as texts.
    fn tags(&mut self, doc: &Doc) -> Vec<String> {
        let strings = doc.vocab().strings();
        let text = |tag: &u64| {
            let string = strings.get(StrId::new(*tag));
            string.map(|string| string.to_string()).unwrap_or_default()
        };
        self.column(AttrId::TAG).iter().map(text).collect()
    }

    /// Puts a token of whitespace before the one at `at`. It depends on the token before it, or as
    /// the first one on that behind it, and is a part of an entity within one.
    fn insert(&mut self, word: &str, at: usize, doc: &Doc) -> Result<()> {
        let id = |text: &str| doc.vocab().strings().add(text).map(StrId::get);
        let is_set = |column: &[u64]| column.iter().any(|value| *value != 0);
        let within = {
            let (iob, types) =
                (self.column(AttrId::ENT_IOB).clone(), self.column(AttrId::ENT_TYPE));
            (at > 1 && iob[at] == INSIDE && types[at - 1] == types[at]).then(|| types[at])
        };
        for (attr, value) in [
            (AttrId::TAG, id("_SP")?),
            (AttrId::POS, u64::from(Pos::SPACE.number())),
            (AttrId::MORPH, id("_")?),
            (AttrId::LEMMA, id(word)?),
            (AttrId::ENT_IOB, if within.is_some() { INSIDE } else { OUTSIDE }),
            (AttrId::DEP, id("dep")?),
            // -1: not the first of a sentence.
            (AttrId::SENT_START, u64::MAX),
        ] {
            let column = self.column(attr);
            let value = if is_set(column) { value } else { 0 };
            column.insert(at, value);
        }
        self.column(AttrId::ENT_TYPE).insert(at, within.unwrap_or(0));
        for attr in [AttrId::ENT_KB_ID, AttrId::ENT_ID] {
            self.column(attr).insert(at, 0);
        }
        let has_tree = is_set(self.column(AttrId::DEP));
        let heads = self.column(AttrId::HEAD);
        let place = at as u64;
        let absolute = (0..).zip(&*heads).map(|(i, head)| head.wrapping_add(i));
        let mut absolute: Vec<u64> = absolute.map(|head| head + u64::from(head >= place)).collect();
        absolute.insert(at, if at == 0 { 1 } else { place - 1 });
        *heads = (0..).zip(absolute).map(|(i, head): (u64, u64)| head.wrapping_sub(i)).collect();
        if !has_tree {
            heads.fill(0);
        }
        self.words.insert(at, word.to_owned());
        self.spaces.insert(at, false);
        Ok(())
    }

    /// Replaces the document of a reference.
    fn store(self, reference: &mut Reference) -> Result<()> {
        let words: Vec<_> = self.words.iter().zip(self.spaces.iter().copied()).collect();
        let mut doc = Doc::from_words(reference.doc.vocab(), &words)?;
        let rows: Vec<u64> =
            (0..doc.len()).flat_map(|i| self.columns.iter().map(move |column| column[i])).collect();
        doc.attrs_mut().set_array(&ATTRS, &rows)?;
        doc.set_unknown_spaces(reference.doc.has_unknown_spaces());
        for group in reference.groups.values_mut() {
            let mut own = SpanGroup::new(&doc);
            own.extend(&doc, group.spans())?;
            *group = own;
        }
        reference.doc = doc;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lexpool::pipeline::Groups;
    use lexpool::vocab::{Getters, Vocab};
    use lexpool_structs::SpanC;

    use super::*;

    const VARIANTS: &str = r#"{
        "single": [
            {"tags": ["NFP"], "variants": ["…", "..."]},
            {"tags": [":"], "variants": ["-", "—", "--"]}],
        "paired": [
            {"tags": ["``", "''"], "variants": [["'", "'"], ["“", "”"], ["``", "''"]]},
            {"tags": ["-LRB-"], "variants": [["(", ")"], ["[", "]"]]}]}"#;

    fn augmenter(settings: &str) -> Option<Augmenter> {
        let settings = settings.replace("VARIANTS", VARIANTS);
        let section = Value::from_json(&settings).unwrap().as_section().unwrap().clone();
        let problems = Problems::default();
        let augmenter = Augmenter::read(Fields::new(&section, "augmenter", &problems));
        let config = Config::parse("[a]\n", "a.cfg").unwrap();
        problems.into_result(&config).unwrap();
        augmenter
    }

    fn reference() -> Reference {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words = ["“", "Hi", "”", "-", "he", "(", "Bo", "]", "..."];
        let spaces = [false, false, true, true, true, false, false, false, false];
        let tags = ["``", "UH", "''", ":", "PRP", "-LRB-", "NNP", "-LRB-", "NFP"];
        let heads: [u64; 9] = [1, 1, 1, 1, 1, 6, 4, 6, 4];
        let words: Vec<_> = words.into_iter().zip(spaces).collect();
        let mut doc = Doc::from_words(&vocab, &words).unwrap();
        let id = |text: &str| vocab.strings().add(text).unwrap().get();
        let attrs = [AttrId::TAG, AttrId::HEAD, AttrId::DEP, AttrId::ENT_IOB, AttrId::ENT_TYPE];
        let rows: Vec<u64> = (0..9)
            .flat_map(|i| {
                let entity = if i == 6 { [3, id("PER")] } else { [OUTSIDE, 0] };
                let head = heads[i].wrapping_sub(i as u64);
                [id(tags[i]), head, id(if i == 1 { "ROOT" } else { "dep" }), entity[0], entity[1]]
            })
            .collect();
        doc.attrs_mut().set_array(&attrs, &rows).unwrap();
        let place = "some.spacy, document 0".to_owned();
        Reference { doc, cats: Vec::new(), groups: Groups::new(), place }
    }

    fn augmented(settings: &str, seed: u64) -> (Option<String>, Reference) {
        let mut reference = reference();
        let mut random = PythonRandom::new(seed);
        let text = augmenter(settings).unwrap().apply(&mut reference, &mut random).unwrap();
        (text, reference)
    }

    #[test]
    fn variants_are_those_that_spacy_draws() {
        let orth = r#"{"@augmenters": "spacy.orth_variants.v1", "level": 0.8, "lower": 0.5,
            "orth_variants": VARIANTS}"#;
        let combined = r#"{"@augmenters": "spacy.combined_augmenter.v1", "lower_level": 0.3,
            "orth_level": 0.5, "orth_variants": VARIANTS, "whitespace_level": 0.7,
            "whitespace_per_token": 0.3, "whitespace_variants": ["\n", " \t"]}"#;
        // From spaCy 3.8, with `random.seed(seed)` before each.
        for (seed, by_orth, by_all) in [
            (0, "“Hi” - he (Bo]...", "“Hi” - he ( \tBo] \t..."),
            (1, "'Hi' — he [Bo]…", "“hi” - he (bo]..."),
            (2, "“Hi” - he (Bo]...", "“Hi” - \nhe \n(Bo]..."),
            (3, "“Hi” -- he (Bo)...", "“ \thi” - he (\nbo]..."),
            (4, "'hi' — he (bo)...", "'hi' — he (bo)..."),
        ] {
            for (settings, expected) in [(orth, by_orth), (combined, by_all)] {
                let (text, reference) = augmented(settings, seed);
                assert_eq!(reference.doc.text(), expected, "{seed}");
                assert_eq!(text.as_deref().unwrap_or("“Hi” - he (Bo]..."), expected, "{seed}");
            }
        }
    }

    #[test]
    fn whitespace_depends_on_the_token_before_it() {
        let settings = r#"{"@augmenters": "spacy.combined_augmenter.v1", "lower_level": 0.3,
            "orth_level": 0.5, "orth_variants": VARIANTS, "whitespace_level": 0.7,
            "whitespace_per_token": 0.3, "whitespace_variants": ["\n", " \t"]}"#;
        let (_, reference) = augmented(settings, 3);
        let tokens: Vec<_> = reference
            .doc
            .iter()
            .map(|token| {
                let tag = token.text_of(AttrId::TAG).to_owned();
                (token.text().to_owned(), tag, token.head().i(), token.attr(AttrId::ENT_IOB))
            })
            .collect();
        let expected = [
            ("“", "``", 2, 2),
            (" \t", "_SP", 0, 2),
            ("hi", "UH", 2, 2),
            ("”", "''", 2, 2),
            ("-", ":", 2, 2),
            ("he", "PRP", 2, 2),
            ("(", "-LRB-", 8, 2),
            ("\n", "_SP", 6, 2),
            ("bo", "NNP", 5, 3),
            ("]", "-LRB-", 8, 2),
            ("...", "NFP", 5, 2),
        ];
        let expected = expected.map(|(word, tag, head, iob)| (word.into(), tag.into(), head, iob));
        assert_eq!(tokens, expected);
    }

    #[test]
    fn a_document_with_spans_gets_no_whitespace() {
        let settings = r#"{"@augmenters": "spacy.combined_augmenter.v1", "lower_level": 1.0,
            "whitespace_level": 1.0, "whitespace_per_token": 1.0, "whitespace_variants": ["\n"]}"#;
        let mut reference = reference();
        let mut group = SpanGroup::new(&reference.doc);
        group.push(&reference.doc, SpanC { start: 1, end: 3, ..SpanC::default() }).unwrap();
        reference.groups.insert("sc".to_owned(), group);
        let mut random = PythonRandom::new(0);
        let text = augmenter(settings).unwrap().apply(&mut reference, &mut random);
        assert_eq!(text.unwrap().unwrap(), "“hi” - he (bo]...");
        assert_eq!(reference.doc.text(), "“hi” - he (bo]...");
        assert_eq!(reference.groups["sc"].spans()[0].end, 3);
        assert_eq!(StrId::new(reference.doc.attrs().column(AttrId::TAG)[1]), StrId::of("UH"));
    }

    #[test]
    fn the_augmenter_that_changes_nothing_is_none() {
        assert_eq!(augmenter(r#"{"@augmenters": "spacy.dont_augment.v1"}"#), None);
    }
}
