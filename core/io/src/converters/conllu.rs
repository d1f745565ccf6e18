//! Treebanks in CoNLL-U, as spaCy's converter reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use ahash::AHashMap;
use lexpool::Result;
use lexpool::tokens::{ARRAY_ATTRS, Annotations, Doc, JoinedDocs, Retokenization};
use lexpool::vocab::Vocab;
use lexpool_structs::AttrId;

use super::grouping::note_groups;
use super::python_text::{File, Part, int};
use super::spans::{biluo, copy_entities, set_entities};

/// New names of types of entities; an empty one takes the entity away.
pub type NerMap = AHashMap<String, String>;

/// Settings of [`conllu_to_docs`].
#[derive(Clone, Copy, Debug)]
pub struct ConlluSettings<'a> {
    /// The number of sentences of a document; 0 for one document.
    pub n_sents: usize,
    /// `true` to append features to tags: `NN__Number=Sing`.
    pub append_morphology: bool,
    /// `true` to make one token of the words of a range, such as `1-2`.
    pub merge_subtokens: bool,
    /// New names of types of entities.
    pub ner_map: Option<&'a NerMap>,
}

impl Default for ConlluSettings<'_> {
    fn default() -> Self {
        ConlluSettings {
            n_sents: 10,
            append_morphology: false,
            merge_subtokens: false,
            ner_map: None,
        }
    }
}

/// Converts a treebank in CoNLL-U, with the entities that its column `MISC` has as BILUO tags
/// (`B-PER`, `name=B-PER` or `NE=B-PER`).
///
/// `name` is that of the file, for errors; `notes` gets remarks for the user.
///
/// # Errors
///
/// `convert-syntax` for a line that has not ten columns, or an id, a head or features that cannot
/// be read; `E1021` for an unknown part of speech, `E190` for a head outside of the sentence,
/// `E102` and `E199` for ranges that overlap or have no words, `E039` for heads that form a cycle.
/// Each names the line, or that of the sentence.
///
/// ```
/// use lexpool_io::converters::{ConlluSettings, conllu_to_docs};
/// use lexpool::vocab::{Getters, Vocab};
///
/// let vocab = Vocab::new(Getters::native("xx"))?;
/// let text = "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n\
///     1\tde\tde\tADP\tE\t_\t2\tcase\t_\t_\n\
///     2\tel\tel\tDET\tD\t_\t0\troot\t_\t_\n";
/// let settings = ConlluSettings { merge_subtokens: true, ..ConlluSettings::default() };
/// let docs = conllu_to_docs(text, "a.conllu", &vocab, &settings, &mut Vec::new())?;
/// assert_eq!(docs[0].text(), "del ");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn conllu_to_docs(
    text: &str,
    name: &str,
    vocab: &Arc<Vocab>,
    settings: &ConlluSettings<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Doc>> {
    let file = File(name);
    note_groups(settings.n_sents, notes);
    let sentences = sentences(text, file)?;
    let mut miscs = sentences.iter().flat_map(|sentence| &sentence.rows);
    let has_entities = miscs.any(|row| row.misc().split('|').any(|part| entity(part).is_some()));
    let docs = sentences.iter().map(|sentence| {
        let doc = sentence.document(vocab, settings, has_entities, file);
        doc.map_err(|error| match error.code() {
            "convert-syntax" => error,
            _ => file.at(sentence.rows[0].line)(error),
        })
    });
    let docs = docs.collect::<Result<Vec<Doc>>>()?;
    let group = if settings.n_sents == 0 { docs.len().max(1) } else { settings.n_sents };
    docs.chunks(group).map(joined).collect()
}

fn joined(docs: &[Doc]) -> Result<Doc> {
    let parts: Vec<&Doc> = docs.iter().collect();
    let joined = JoinedDocs::new(&parts, true, &ARRAY_ATTRS)?;
    Ok(joined.expect("a group has documents").doc)
}

/// The columns of a line.
struct Row<'t> {
    line: usize,
    columns: [&'t str; 10],
}

const NAMES: &str = "ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC";

impl<'t> Row<'t> {
    fn of(line: usize, text: &'t str, file: File<'_>) -> Result<Row<'t>> {
        let columns: Vec<&str> = text.split('\t').collect();
        let columns = <[&str; 10]>::try_from(columns).map_err(|columns| {
            let text = format!("{} columns between tabs; there are 10: {NAMES}", columns.len());
            file.syntax(line, text)
        })?;
        Ok(Row { line, columns })
    }

    fn id(&self) -> &'t str {
        self.columns[0]
    }

    fn misc(&self) -> &'t str {
        self.columns[9]
    }

    fn space_follows(&self) -> bool {
        !self.misc().contains("SpaceAfter=No")
    }

    /// Returns whether the line is neither a range nor an empty node.
    fn is_word(&self) -> bool {
        !self.id().contains(['-', '.'])
    }
}

/// The lines of a sentence, without its comments.
struct Sentence<'t> {
    rows: Vec<Row<'t>>,
}

fn sentences<'t>(text: &'t str, file: File<'_>) -> Result<Vec<Sentence<'t>>> {
    let mut sentences = Vec::new();
    for part in Part::whole(text).split("\n\n") {
        let lines = part.lines().skip_while(|(_, text)| text.starts_with('#'));
        let rows = lines.map(|(line, text)| Row::of(line, text, file));
        let rows = rows.collect::<Result<Vec<_>>>()?;
        if !rows.is_empty() {
            sentences.push(Sentence { rows });
        }
    }
    Ok(sentences)
}

/// Returns the tag of an entity that a part of `MISC` gives; an empty prefix for `O`.
fn entity(part: &str) -> Option<(&str, &str)> {
    if part == "O" {
        return Some(("", ""));
    }
    let tag = part.strip_prefix("name=").or_else(|| part.strip_prefix("NE=")).unwrap_or(part);
    let (prefix, rest) = tag.split_at_checked(1)?;
    let rest = rest.strip_prefix('-').filter(|_| "BILU".contains(prefix))?;
    let end = rest.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(rest.len());
    (end > 0).then(|| (prefix, &rest[..end]))
}

/// The tokens of a sentence as the columns give them, before and after words are merged.
#[derive(Default)]
struct Words {
    forms: Vec<(String, bool)>,
    lemmas: Vec<String>,
    /// Features as they stand in the column.
    feats: Vec<String>,
}

/// The words of a line such as `1-2`, read so far.
struct OpenRange<'t> {
    form: &'t str,
    last: &'t str,
    space: bool,
}

impl Sentence<'_> {
    fn document(
        &self,
        vocab: &Arc<Vocab>,
        settings: &ConlluSettings<'_>,
        has_entities: bool,
        file: File<'_>,
    ) -> Result<Doc> {
        let (mut words, given) = self.read(settings.merge_subtokens, file)?;
        let mut doc = build(vocab, &words, given)?;
        if has_entities {
            let tags = self.entities(settings.ner_map)?;
            let tags: Vec<Option<&str>> = tags.iter().map(|tag| Some(tag.as_str())).collect();
            set_entities(&mut doc, &tags)?;
        }
        if settings.merge_subtokens {
            words = self.merge(&mut doc, words, file)?;
        }
        let text = |attr| doc.iter().map(move |token| token.text_of(attr).to_owned());
        let mut tags: Vec<String> = text(AttrId::TAG).collect();
        if settings.append_morphology {
            for (tag, feats) in tags.iter_mut().zip(&words.feats) {
                if !feats.is_empty() {
                    tag.push_str("__");
                    tag.push_str(feats);
                }
            }
        }
        let head = |head: usize| i64::try_from(head).ok();
        let annotations = Annotations {
            tags: Some(tags),
            pos: Some(text(AttrId::POS).collect()),
            deps: Some(text(AttrId::DEP).map(Some).collect()),
            heads: Some(doc.iter().map(|token| head(token.head().i())).collect()),
            ..Annotations::default()
        };
        let mut merged_doc = build(vocab, &words, annotations)?;
        if has_entities {
            copy_entities(&mut merged_doc, &doc.entities().spans()?)?;
        }
        Ok(merged_doc)
    }

    /// Reads the words with their annotation. Those of a range get its form if they are merged.
    fn read(&self, merge: bool, file: File<'_>) -> Result<(Words, Annotations)> {
        let mut words = Words::default();
        let (mut tags, mut pos) = (Vec::new(), Vec::new());
        let (mut heads, mut deps) = (Vec::new(), Vec::new());
        let mut open: Option<OpenRange<'_>> = None;
        for row in &self.rows {
            let [id, form, lemma, upos, xpos, feats, head, dep, _, _] = row.columns;
            if id.contains('.') {
                continue;
            }
            if id.contains('-') {
                let (_, last) = bounds(row, file)?;
                open = Some(OpenRange { form, last, space: row.space_follows() });
                continue;
            }
            let (form, space) = match &open {
                Some(range) => {
                    let form = if merge { range.form } else { form };
                    (form, id == range.last && range.space)
                }
                None => (form, row.space_follows()),
            };
            words.forms.push((form.to_owned(), space));
            open = open.filter(|range| id != range.last);
            let number = |name: &str, text: &str| {
                int(text).and_then(|number| number.checked_sub(1)).ok_or_else(|| {
                    file.syntax(row.line, format!("{name} {text:?} is not a number"))
                })
            };
            let at = number("ID", id)?;
            heads.push(Some(if matches!(head, "0" | "_") { at } else { number("HEAD", head)? }));
            let text_of = |value: &str| if value == "_" { String::new() } else { value.to_owned() };
            tags.push(if xpos == "_" { upos } else { xpos }.to_owned());
            pos.push(text_of(upos));
            words.feats.push(text_of(feats));
            words.lemmas.push(lemma.to_owned());
            deps.push(Some(if dep == "root" { "ROOT" } else { dep }.to_owned()));
        }
        let annotations = Annotations {
            tags: Some(tags),
            pos: Some(pos),
            heads: Some(heads),
            deps: Some(deps),
            ..Annotations::default()
        };
        Ok((words, annotations))
    }

    /// Returns the entities as BILUO tags.
    fn entities(&self, ner_map: Option<&NerMap>) -> Result<Vec<String>> {
        let tag = |row: &Row<'_>| {
            let (prefix, label) = row.misc().split('|').find_map(entity).unwrap_or_default();
            let label = ner_map.and_then(|map| map.get(label)).map_or(label, String::as_str);
            if prefix.is_empty() || label.is_empty() {
                "O".to_owned()
            } else {
                format!("{prefix}-{label}")
            }
        };
        biluo(&self.rows.iter().filter(|row| row.is_word()).map(tag).collect::<Vec<_>>())
    }

    /// Merges the words of each range into one token, and returns the tokens' values.
    fn merge(&self, doc: &mut Doc, mut words: Words, file: File<'_>) -> Result<Words> {
        let mut plan = Retokenization::new(doc);
        for row in self.rows.iter().filter(|row| row.id().contains('-')) {
            let (first, last) = bounds(row, file)?;
            let (Some(first), Some(last)) = (int(first), int(last)) else {
                let text = format!("ID {:?} is not a range of words, such as 1-2", row.id());
                return Err(file.syntax(row.line, text));
            };
            let range = sliced(first.saturating_sub(1), last, doc.len());
            let feats = united(&words.feats[range.clone()]).map_err(|feature| {
                let text = format!("feature {feature:?} of a word in {} lacks a =", row.id());
                file.syntax(row.line, text)
            })?;
            let tags: Vec<&str> = range.clone().map(|at| tag_of(doc, at)).collect();
            let tag = doc.snapshot().add(&tags.join("_"))?;
            let lemmas =
                range.clone().map(|at| doc.token(at).map_or("", |t| t.text_of(AttrId::LEMMA)));
            let lemma = lemmas.collect::<Vec<_>>().join(" ");
            let space = range.clone().next_back().is_some_and(|at| doc.tokens()[at].spacy());
            for at in range.clone() {
                doc.attrs_mut().set(at, AttrId::TAG, tag.get())?;
                words.forms[at].1 = space;
                words.lemmas[at].clone_from(&lemma);
                words.feats[at].clone_from(&feats);
            }
            plan.merge(doc, range, &[]).map_err(file.at(row.line))?;
        }
        // The values of a merged token are those of its first word.
        let mut first_words = vec![true; doc.len()];
        for range in plan.merged() {
            first_words[range.start + 1..range.end].fill(false);
        }
        plan.apply(doc)?;
        let mut keep = first_words.iter();
        words.forms.retain(|_| *keep.next().unwrap_or(&true));
        keep = first_words.iter();
        words.lemmas.retain(|_| *keep.next().unwrap_or(&true));
        keep = first_words.iter();
        words.feats.retain(|_| *keep.next().unwrap_or(&true));
        Ok(words)
    }
}

/// Returns the two ids of a range.
fn bounds<'r>(row: &Row<'r>, file: File<'_>) -> Result<(&'r str, &'r str)> {
    let ids = row.id().split_once('-').filter(|(_, last)| !last.contains('-'));
    ids.ok_or_else(|| {
        let text = format!("ID {:?} is not a range of words, such as 1-2", row.id());
        file.syntax(row.line, text)
    })
}

fn tag_of(doc: &Doc, at: usize) -> &str {
    doc.token(at).map_or("", |token| token.text_of(AttrId::TAG))
}

/// Returns a slice as Python takes it, with negative positions from the end.
fn sliced(start: i64, end: i64, len: usize) -> Range<usize> {
    let at = |position: i64| {
        let from_end = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
        if position < 0 { len.saturating_sub(from_end) } else { from_end.min(len) }
    };
    let start = at(start);
    start..at(end).max(start)
}

/// Unites the features of words: the values of each name, sorted.
///
/// # Errors
///
/// A feature without `=`.
fn united(feats: &[String]) -> Result<String, String> {
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for feature in feats.iter().filter(|feats| !feats.is_empty()).flat_map(|it| it.split('|')) {
        let (name, values) = feature.split_once('=').ok_or_else(|| feature.to_owned())?;
        all.entry(name).or_default().extend(values.split(','));
    }
    let joined = |(name, values): (&str, BTreeSet<&str>)| {
        format!("{name}={}", values.into_iter().collect::<Vec<_>>().join(","))
    };
    let mut features: Vec<String> = all.into_iter().map(joined).collect();
    features.sort_unstable();
    Ok(features.join("|"))
}

/// Makes a document of words, with lemmas, features and other annotation.
fn build(vocab: &Arc<Vocab>, words: &Words, annotations: Annotations) -> Result<Doc> {
    let morphs = words.feats.iter().map(|feats| Ok(vocab.morphology().add(feats)?.get()));
    let annotations = Annotations {
        morphs: Some(morphs.collect::<Result<_>>()?),
        lemmas: Some(words.lemmas.clone()),
        ..annotations
    };
    let mut doc = Doc::from_words(vocab, &words.forms)?;
    doc.annotate(&annotations)?;
    Ok(doc)
}
