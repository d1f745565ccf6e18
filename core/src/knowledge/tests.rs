//! Tests of knowledge bases against a naive model, of changed bytes, and of the component.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::pipeline::{Component, Groups};
use crate::strings::{StrId, StringStore};
use crate::structs::AttrId;
use crate::tokens::{Annotations, Doc};
use crate::vocab::{Getters, Vocab};

fn entity(n: u8) -> String {
    format!("Q{n}")
}

fn alias(n: u8) -> String {
    format!("alias {n}")
}

/// One call of a method.
#[derive(Clone, Debug)]
enum Call {
    Entity(u8, f32, Vec<f32>),
    Entities(Vec<(u8, f32, Vec<f32>)>),
    Alias(u8, Vec<(u8, f64)>),
    Append(u8, u8, f32),
    Reload,
}

/// A knowledge base as plain maps and lists.
#[derive(Clone, Debug, Default)]
struct Model {
    entities: Vec<(u8, f32, Vec<f32>)>,
    aliases: Vec<(u8, Vec<(u8, f32)>)>,
}

impl Model {
    fn has(&self, n: u8) -> bool {
        self.entities.iter().any(|(known, ..)| *known == n)
    }

    fn add(&mut self, row: &(u8, f32, Vec<f32>)) {
        if !self.has(row.0) {
            self.entities.push(row.clone());
        }
    }

    fn apply(&mut self, call: &Call) {
        match call {
            Call::Entity(n, freq, vector) => self.add(&(*n, *freq, vector.clone())),
            Call::Entities(rows) => {
                self.entities.clear();
                for row in rows {
                    self.add(row);
                }
                let known = self.clone();
                for (_, candidates) in &mut self.aliases {
                    candidates.retain(|(n, _)| known.has(*n));
                }
            }
            Call::Alias(n, given) => {
                let sum: f64 = given.iter().map(|(_, prior)| prior).sum();
                let is_known = self.aliases.iter().any(|(known, _)| known == n);
                if sum <= 1.00001 && !is_known && given.iter().all(|(n, _)| self.has(*n)) {
                    #[expect(clippy::cast_possible_truncation, reason = "priors have 32 bits")]
                    let given = given.iter().map(|(n, prior)| (*n, *prior as f32)).collect();
                    self.aliases.push((*n, given));
                }
            }
            Call::Append(n, of, prior) => {
                let known = self.has(*of);
                let Some((_, own)) = self.aliases.iter_mut().find(|(known, _)| known == n) else {
                    return;
                };
                let sum: f64 = own.iter().map(|(_, prior)| f64::from(*prior)).sum();
                let is_new = own.iter().all(|(known, _)| known != of);
                if known && is_new && sum + f64::from(*prior) <= 1.00001 {
                    own.push((*of, *prior));
                }
            }
            Call::Reload => {}
        }
    }
}

fn apply(base: &mut KnowledgeBase, call: &Call) {
    // Errors leave the knowledge base as it was, which the model checks.
    let _ = match call {
        Call::Entity(n, freq, vector) => base.add_entity(&entity(*n), *freq, vector),
        Call::Entities(rows) => {
            let row = |(n, freq, vector): &(u8, f32, Vec<f32>)| (entity(*n), *freq, vector.clone());
            base.set_entities(&rows.iter().map(row).collect::<Vec<_>>()).map(|_| true)
        }
        Call::Alias(n, given) => {
            let given: Vec<_> = given.iter().map(|(n, prior)| (entity(*n), *prior)).collect();
            base.add_alias(&alias(*n), &given)
        }
        Call::Append(n, of, prior) => base.append_alias(&alias(*n), &entity(*of), *prior),
        Call::Reload => {
            *base = KnowledgeBase::from_contents(&contents(base)).unwrap();
            Ok(true)
        }
    };
}

fn after(calls: &[Call]) -> KnowledgeBase {
    let mut base = KnowledgeBase::new(3);
    for call in calls {
        apply(&mut base, call);
    }
    base
}

fn contents(base: &KnowledgeBase) -> Vec<u8> {
    let mut out = Vec::new();
    base.write_contents(&mut out).unwrap();
    out
}

fn row() -> impl Strategy<Value = (u8, f32, Vec<f32>)> {
    (0..6_u8, -9.0..9.0_f32, vec(-2.0..2.0_f32, 3))
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![
        4 => row().prop_map(|(n, freq, vector)| Call::Entity(n, freq, vector)),
        1 => vec(row(), 0..5).prop_map(Call::Entities),
        4 => (0..4_u8, vec((0..6_u8, 0.0..0.5_f64), 0..4)).prop_map(|(n, of)| Call::Alias(n, of)),
        2 => (0..4_u8, 0..6_u8, 0.0..0.5_f32).prop_map(|(n, of, prior)| Call::Append(n, of, prior)),
        1 => Just(Call::Reload),
    ];
    vec(call, 0..30)
}

/// All that can be asked of a knowledge base.
fn facts(base: &KnowledgeBase) -> Vec<String> {
    let mut out = vec![format!("{} {} {}", base.width(), base.len(), base.alias_count())];
    out.extend(base.entities().chain(base.aliases()).map(|id| id.get().to_string()));
    for n in 0..6 {
        out.push(format!("{:?}", base.vector(&entity(n))));
        out.extend((0..4).map(|of| format!("{}", base.prior(&entity(n), &alias(of)))));
    }
    out.extend((0..4).map(|n| format!("{:?}", base.candidates(&alias(n)).collect::<Vec<_>>())));
    out
}

proptest! {
    #[test]
    fn a_knowledge_base_knows_what_a_list_knows_and_files_keep_all_of_it(calls in calls()) {
        let (mut base, mut model) = (KnowledgeBase::new(3), Model::default());
        for call in &calls {
            apply(&mut base, call);
            model.apply(call);
        }
        let ids: Vec<StrId> = base.entities().collect();
        let known: Vec<StrId> =
            model.entities.iter().map(|(n, ..)| StrId::of(&entity(*n))).collect();
        prop_assert_eq!(ids, known);
        let aliases: Vec<StrId> = base.aliases().collect();
        let known: Vec<StrId> = model.aliases.iter().map(|(n, _)| StrId::of(&alias(*n))).collect();
        prop_assert_eq!(aliases, known);
        let of: BTreeMap<u8, _> = model.entities.iter().map(|row| (row.0, row)).collect();
        for (n, vector) in of.iter().map(|(n, row)| (n, &row.2)) {
            prop_assert_eq!(base.vector(&entity(*n)), Some(&vector[..]));
        }
        for (n, candidates) in &model.aliases {
            let found: Vec<_> = base.candidates(&alias(*n)).map(|candidate| {
                (candidate.entity, candidate.freq, candidate.vector.to_vec(), candidate.prior)
            }).collect();
            let known: Vec<_> = candidates.iter().map(|(n, prior)| {
                (StrId::of(&entity(*n)), of[n].1, of[n].2.clone(), *prior)
            }).collect();
            prop_assert_eq!(found, known);
        }
        let again = KnowledgeBase::from_contents(&contents(&base)).unwrap();
        prop_assert_eq!(facts(&again), facts(&base));
        prop_assert_eq!(contents(&again), contents(&base));
        let bytes = base.to_bytes().unwrap();
        let again = KnowledgeBase::from_bytes(&bytes, true).unwrap();
        prop_assert_eq!(again.to_bytes().unwrap(), bytes.clone());
        let bare = KnowledgeBase::from_bytes(&bytes, false).unwrap();
        prop_assert_eq!((bare.len(), bare.alias_count()), (base.len(), 0));
    }

    #[test]
    fn changed_bytes_load_as_a_whole_knowledge_base_or_are_refused(
        calls in calls(), changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        end in any::<prop::sample::Index>(), cuts in any::<bool>(),
    ) {
        let base = after(&calls);
        for is_message in [false, true] {
            let mut bytes =
                if is_message { base.to_bytes().unwrap() } else { contents(&base) };
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if cuts {
                bytes.truncate(end.index(bytes.len()));
            }
            let read = if is_message {
                KnowledgeBase::from_bytes(&bytes, true)
            } else {
                KnowledgeBase::from_contents(&bytes)
            };
            match read {
                Ok(loaded) => {
                    facts(&loaded);
                    let again = KnowledgeBase::from_contents(&contents(&loaded)).unwrap();
                    prop_assert_eq!(facts(&again), facts(&loaded));
                }
                Err(error) => {
                    let code = error.code();
                    prop_assert!(code == "kb-file" || code.starts_with("msgpack-"), "{}", error);
                }
            }
        }
    }

    #[test]
    fn bytes_that_end_early_or_go_on_are_refused(
        calls in calls(), end in any::<prop::sample::Index>(),
    ) {
        let base = after(&calls);
        let mut bytes = contents(&base);
        let cut = KnowledgeBase::from_contents(&bytes[..end.index(bytes.len())]);
        prop_assert_eq!(cut.unwrap_err().code(), "kb-file");
        bytes.push(0);
        prop_assert_eq!(KnowledgeBase::from_contents(&bytes).unwrap_err().code(), "kb-file");
    }
}

/// Three entities and two aliases.
fn small() -> KnowledgeBase {
    let mut base = KnowledgeBase::new(2);
    base.add_entity("Q1", 1.0, &[1.0, 0.0]).unwrap();
    base.add_entity("Q2", 2.0, &[0.0, 1.0]).unwrap();
    base.add_entity("Q3", 3.0, &[1.0, 0.0]).unwrap();
    base.add_alias("Ada", &[("Q1", 0.2), ("Q2", 0.3), ("Q3", 0.2)]).unwrap();
    base.add_alias("Bob", &[("Q2", 0.01)]).unwrap();
    base
}

/// Writes numbers over the bytes of a file, from a position on.
fn with(bytes: &[u8], at: usize, numbers: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + numbers.len()].copy_from_slice(numbers);
    bytes
}

#[test]
fn counts_beyond_the_file_are_refused_before_memory_is_allocated() {
    let bytes = contents(&small());
    let aliases = 16 + 3 * 2 * 4 + 3 * 16;
    for at in [0, 8, aliases, aliases + 16] {
        for number in [i64::MAX, -1, 1 << 40, i64::MIN] {
            let changed = with(&bytes, at, &number.to_le_bytes());
            let error = KnowledgeBase::from_contents(&changed).unwrap_err();
            assert_eq!(error.code(), "kb-file");
            let named = error.message().contains(&number.to_string());
            assert!(named, "{number} at byte {at}: {error}");
        }
    }
}

#[test]
fn rows_and_entities_out_of_range_and_repeated_ids_are_refused() {
    let bytes = contents(&small());
    let (entities, aliases) = (16 + 3 * 2 * 4, 16 + 3 * 2 * 4 + 3 * 16);
    let cases = [
        (entities + 12, (-1_i32).to_le_bytes().to_vec(), "row -1"),
        (entities + 12, 3_i32.to_le_bytes().to_vec(), "row 3"),
        (entities + 16, bytes[entities..entities + 8].to_vec(), "occurs twice"),
        (aliases + 24, 0_i64.to_le_bytes().to_vec(), "entity 0"),
        (aliases + 24, 4_i64.to_le_bytes().to_vec(), "entity 4"),
        (aliases + 24 + 36, bytes[aliases + 8..aliases + 16].to_vec(), "occurs twice"),
    ];
    for (at, numbers, text) in cases {
        let error = KnowledgeBase::from_contents(&with(&bytes, at, &numbers)).unwrap_err();
        assert_eq!(error.code(), "kb-file");
        assert!(error.message().contains(text), "{error}");
    }
}

#[test]
fn rows_that_spacy_counts_one_too_high_after_loading_are_put_right() {
    let bytes = contents(&small());
    let rows = 16 + 3 * 2 * 4 + 12;
    let changed = with(&with(&bytes, rows + 16, &[2]), rows + 32, &[3]);
    let base = KnowledgeBase::from_contents(&changed).unwrap();
    assert_eq!(facts(&base), facts(&KnowledgeBase::from_contents(&bytes).unwrap()));
    let swapped = with(&with(&bytes, rows, &[1]), rows + 16, &[0]);
    let base = KnowledgeBase::from_contents(&swapped).unwrap();
    assert_eq!(base.vector("Q1"), small().vector("Q2"));
}

#[test]
fn messages_that_contradict_themselves_are_refused() {
    use crate::msgpack::Value;

    let id = |text: &str| StrId::of(text).get();
    let (q1, q2, ada) = (id("Q1"), id("Q2"), id("Ada"));
    let right = [
        ("header", "[2,1,1]".to_owned()),
        ("entity_vectors", "[[1.0],[2.0]]".to_owned()),
        ("entries", format!("[[{q1},1.0,0],[{q2},1.0,1]]")),
        ("aliases", format!(r#"["[[{ada},1]]","[[2]]","[[0.5]]"]"#)),
    ];
    let message = |changes: &[(&str, Value)]| {
        let part = |(name, text): &(&str, String)| {
            let changed = changes.iter().find(|(changed, _)| changed == name);
            let value = changed.map_or(Value::Str(text.clone()), |(_, value)| value.clone());
            (Value::Str((*name).to_owned()), value)
        };
        let parts = right.iter().map(part).filter(|(_, value)| *value != Value::Nil);
        KnowledgeBase::from_bytes(&Value::Map(parts.collect()).to_bytes().unwrap(), true)
    };
    let base = message(&[]).unwrap();
    assert_eq!((base.len(), base.alias_count(), base.vector("Q2")), (2, 1, Some(&[2.0][..])));
    // Both forms of text are read.
    assert!(message(&[("header", Value::Bytes(b"[2,1,1]".to_vec()))]).is_ok());
    for (name, text, said) in [
        ("header", "[3,1,1]".to_owned(), "the header says 3 entities, but there are 2"),
        ("header", "[2,2,1]".to_owned(), "the header says 2 aliases, but there are [1, 1, 1]"),
        ("header", "[2,1,2]".to_owned(), "not a vector of 2 numbers"),
        ("entity_vectors", "[[1.0]]".to_owned(), "there are 1 vectors, 0 of them empty"),
        ("entity_vectors", "[[1.0],[2.0],[3.0]]".to_owned(), "there are 3 vectors"),
        ("entries", format!("[[{q1},1.0,0],[{q2},1.0,2]]"), "entity 1 has row 2"),
        ("entries", format!("[[{q1},1.0,0],[{q1},1.0,1]]"), "occurs twice"),
        ("entries", "{}".to_owned(), "entries: "),
        ("aliases", format!(r#"["[[{ada},2]]","[[2]]","[[0.5]]"]"#), "has 2 candidates by its"),
        ("aliases", format!(r#"["[[{ada},1]]","[[3]]","[[0.5]]"]"#), "3"),
        ("aliases", r#"["[","[]","[]"]"#.to_owned(), "the heads of aliases: "),
        (
            "aliases",
            format!(r#"["[[{ada},1],[{ada},1]]","[[1],[2]]","[[0.5],[0.5]]"]"#),
            "the header says 1 aliases",
        ),
    ] {
        let error = message(&[(name, Value::Str(text))]).unwrap_err();
        assert_eq!(error.code(), "kb-file", "{error}");
        assert!(error.message().contains(said), "{said} is not in: {error}");
    }
    let twice = format!(r#"["[[{ada},1],[{ada},1]]","[[1],[2]]","[[0.5],[0.5]]"]"#);
    let header = ("header", Value::Str("[2,2,1]".to_owned()));
    let error = message(&[header, ("aliases", Value::Str(twice))]).unwrap_err();
    assert!(error.message().contains("occurs twice"), "{error}");
    let error = message(&[("entries", Value::Nil)]).unwrap_err();
    assert!(error.message().contains("the part \"entries\" is missing"), "{error}");
    let error = message(&[("entries", Value::UInt(1))]).unwrap_err();
    assert!(error.message().contains("expected text"), "{error}");
    let error = message(&[("entries", Value::Bytes(vec![0xff]))]).unwrap_err();
    assert!(error.message().contains("is not UTF-8"), "{error}");
}

#[test]
fn invalid_calls_name_what_was_given() {
    let mut base = small();
    let before = facts(&base);
    let none: &[(&str, f64)] = &[];
    let errors = [
        (base.add_entity("Q9", 1.0, &[1.0]), "E141", "1 numbers"),
        (base.add_alias("", none), "E890", "no characters"),
        (base.add_alias("new", &[("Q9", 0.1)]), "E134", "Q9"),
        (base.add_alias("new", &[("Q1", 0.9), ("Q2", 0.2)]), "E133", "1.1"),
        (base.append_alias("new", "Q1", 0.1), "E176", "new"),
        (base.append_alias("Ada", "Q9", 0.1), "E134", "Q9"),
        (base.append_alias("Bob", "Q1", 1.0), "E133", "1.0"),
    ];
    for (result, code, text) in errors {
        let error = result.unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.message().contains(text), "{error}");
    }
    assert!(!base.append_alias("Ada", "Q1", 0.1).unwrap());
    assert!(!base.add_alias("Ada", &[("Q9", 0.1)]).unwrap());
    assert!(!base.add_entity("Q1", 1.0, &[]).unwrap());
    assert_eq!(facts(&base), before);
    base.add_entity("Q9", f32::NAN, &[0.0, 0.0]).unwrap();
    assert_eq!(base.to_bytes().unwrap_err().code(), "kb-number");
    assert_eq!(facts(&KnowledgeBase::from_contents(&contents(&base)).unwrap()), facts(&base));
}

#[test]
fn a_folder_keeps_the_knowledge_base_with_its_strings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("kb");
    let strings = StringStore::new();
    for string in ["Q1", "Q2", "Q3", "Ada", "Bob"] {
        strings.add(string).unwrap();
    }
    small().save(&path, &strings).unwrap();
    let loaded = StringStore::new();
    let base = KnowledgeBase::open(&path, &loaded).unwrap();
    assert_eq!(facts(&base), facts(&small()));
    assert_eq!(loaded.len(), 5);
    let missing = KnowledgeBase::open(&folder.path().join("none"), &loaded).unwrap_err();
    assert_eq!(missing.code(), "file-not-found");
}

fn vocab() -> Arc<Vocab> {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    for string in ["Q1", "Q2", "Q3"] {
        vocab.strings().add(string).unwrap();
    }
    vocab
}

/// Words with entity tags, and sentence starts at words in upper case.
fn doc(vocab: &Arc<Vocab>, words: &[(&str, &str)]) -> Doc {
    let texts: Vec<_> = words.iter().map(|(word, _)| (word.to_lowercase(), true)).collect();
    let texts: Vec<_> =
        texts
            .iter()
            .zip(words)
            .map(|((lower, _), (word, tag))| {
                if tag.starts_with('O') {
                    (lower.clone(), true)
                } else {
                    ((*word).to_owned(), true)
                }
            })
            .collect();
    let mut doc = Doc::from_words(vocab, &texts).unwrap();
    let ents = words.iter().map(|(_, tag)| Some((*tag).to_owned())).collect();
    doc.annotate(&Annotations { ents: Some(ents), ..Annotations::default() }).unwrap();
    for (i, (word, _)) in words.iter().enumerate() {
        let starts = if word.chars().all(char::is_uppercase) { 1 } else { u64::MAX };
        doc.attrs_mut().set(i, AttrId::SENT_START, starts).unwrap();
    }
    doc
}

const ADA: (&str, &str) = ("Ada", "B-PERSON");
const BOB: (&str, &str) = ("Bob", "B-PERSON");
const EVE: (&str, &str) = ("Eve", "B-ORG");
const NEW: (&str, &str) = ("A", "O");
const IN: (&str, &str) = ("b", "O");

fn links(words: &[(&str, &str)], settings: LinkSettings, encoding: [f32; 2]) -> Vec<&'static str> {
    let vocab = vocab();
    let encoder = move |_: &Doc| Ok(encoding.to_vec());
    let linker = EntityLinker::new("linker", &vocab, small().into(), settings, encoder);
    let names = ["Q1", "Q2", "Q3"];
    let name = |id: StrId| *names.iter().find(|name| StrId::of(name) == id).unwrap();
    let found = linker.predict(&doc(&vocab, words)).unwrap();
    found.into_iter().map(|id| id.map_or(NIL, name)).collect()
}

#[test]
fn candidates_are_chosen_by_prior_and_context_and_the_first_of_equal_ones_wins() {
    let words = [NEW, ADA, IN, BOB, EVE];
    let set = LinkSettings::default;
    assert_eq!(links(&words, set(), [1.0, 0.0]), ["Q1", "Q2", NIL]);
    assert_eq!(links(&words, set(), [0.0, 1.0]), ["Q2", "Q2", NIL]);
    // Without a direction all similarities are NaN.
    assert_eq!(links(&words, set(), [0.0, 0.0]), ["Q1", "Q2", NIL]);
    let prior = LinkSettings { incl_context: false, ..set() };
    assert_eq!(links(&words, prior.clone(), [1.0, 0.0]), ["Q2", "Q2", NIL]);
    let neither = LinkSettings { incl_prior: false, ..prior };
    assert_eq!(links(&words, neither, [1.0, 0.0]), ["Q1", "Q2", NIL]);
    let discard = LinkSettings { labels_discard: vec![StrId::of("PERSON")], ..set() };
    assert_eq!(links(&words, discard, [1.0, 0.0]), [NIL, NIL, NIL]);
}

#[test]
fn a_threshold_applies_to_single_candidates_too_but_not_in_version_1() {
    let words = [NEW, ADA, BOB];
    let at = |score| Some(Threshold::new(score).unwrap());
    let strict =
        LinkSettings { incl_context: false, threshold: at(0.25), ..LinkSettings::default() };
    assert_eq!(links(&words, strict.clone(), [1.0, 0.0]), ["Q2", NIL]);
    let old = LinkSettings { version: LinkerVersion::V1, ..strict };
    assert_eq!(links(&words, old, [1.0, 0.0]), ["Q2", "Q2"]);
    let nan = LinkSettings { threshold: at(0.0), ..LinkSettings::default() };
    assert_eq!(links(&words, nan, [0.0, 0.0]), [NIL, NIL]);
    for wrong in [-0.1, 1.1, f64::NAN] {
        assert_eq!(Threshold::new(wrong).unwrap_err().code(), "E1043");
    }
}

/// The contexts that are encoded for each entity "Ada" of a document.
fn contexts(words: &[(&str, &str)], n_sents: usize, version: LinkerVersion) -> Vec<String> {
    let vocab = vocab();
    let doc = doc(&vocab, words);
    let base = small();
    let settings = LinkSettings { n_sents, version, ..LinkSettings::default() };
    let mut found = Vec::new();
    let encode = |range: std::ops::Range<usize>| {
        let context = doc.span(range.start, range.end)?.to_doc()?;
        found.push(context.text().trim().to_owned());
        Ok(vec![1.0, 0.0])
    };
    link_entities(&doc, &settings, |_| base.candidates("Ada").collect(), encode).unwrap();
    found
}

#[test]
fn a_context_is_the_sentences_of_an_entity_and_so_many_around_it() {
    let words = [NEW, IN, ("B", "O"), ADA, BOB, ("C", "O"), IN, ("D", "O"), EVE];
    let now = LinkerVersion::V2;
    assert_eq!(contexts(&words, 0, now), ["b Ada Bob", "d Eve"]);
    assert_eq!(contexts(&words, 1, now), ["a b b Ada Bob c b", "c b d Eve"]);
    assert_eq!(contexts(&words, usize::MAX, now), ["a b b Ada Bob c b d Eve"]);
    let across = [NEW, ADA, ("AA", "I-PERSON"), IN];
    assert_eq!(contexts(&across, 0, now), ["a Ada AA b"]);
    assert_eq!(contexts(&across, 0, LinkerVersion::V1), ["a Ada"]);
}

#[test]
fn the_encoder_is_called_only_where_candidates_are_compared() {
    let vocab = vocab();
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let encoder = move |_: &Doc| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(vec![1.0, 0.0])
    };
    let linker =
        EntityLinker::new("linker", &vocab, small().into(), LinkSettings::default(), encoder);
    let of = |words: &[(&str, &str)]| {
        calls.store(0, Ordering::Relaxed);
        linker.predict(&doc(&vocab, words)).unwrap();
        calls.load(Ordering::Relaxed)
    };
    assert_eq!(of(&[]), 0);
    assert_eq!(of(&[NEW, IN]), 0);
    assert_eq!(of(&[NEW, BOB, EVE]), 0);
    assert_eq!(of(&[NEW, ADA, IN, ADA]), 1);
    assert_eq!(of(&[NEW, ADA, NEW, ADA]), 2);
}

#[test]
fn the_component_sets_ids_and_keeps_those_that_are_set_unless_it_overwrites() {
    let vocab = vocab();
    for (overwrite, kept) in [(true, "Q1"), (false, "Q77")] {
        let encoder = |_: &Doc| Ok(vec![1.0, 0.0]);
        let linker =
            EntityLinker::new("linker", &vocab, small().into(), LinkSettings::default(), encoder)
                .overwriting(overwrite);
        let mut doc = doc(&vocab, &[NEW, ADA, ("ly", "I-PERSON"), ADA, EVE]);
        let id = vocab.strings().add("Q77").unwrap();
        doc.attrs_mut().set(3, AttrId::ENT_KB_ID, id.get()).unwrap();
        linker.apply(&mut doc, &mut Groups::new()).unwrap();
        let ids: Vec<_> = doc.iter().map(|token| token.text_of(AttrId::ENT_KB_ID)).collect();
        // "Ada ly" is not an alias.
        assert_eq!(ids, ["", NIL, NIL, kept, NIL]);
    }
}

#[test]
fn errors_of_the_component_name_it_and_set_nothing() {
    let vocab = vocab();
    let encoder = |_: &Doc| Ok(vec![1.0, 0.0, 0.0]);
    let linker = |base: KnowledgeBase| {
        EntityLinker::new("my linker", &vocab, base.into(), LinkSettings::default(), encoder)
    };
    let mut words = doc(&vocab, &[NEW, ADA, IN]);
    let error = linker(KnowledgeBase::new(2)).predict(&words).unwrap_err();
    assert_eq!((error.code(), error.message().contains("my linker")), ("E139", true));
    let error = linker(small()).predict(&words).unwrap_err();
    assert_eq!((error.code(), error.message().contains("3 numbers")), ("kb-encoding", true));
    let error = linker(small()).annotate(&mut words, &[]).unwrap_err();
    assert_eq!(error.code(), "E148");
    let unknown = [Some(StrId::of("an entity without a string"))];
    let error = linker(small()).annotate(&mut words, &unknown).unwrap_err();
    assert_eq!(error.code(), "E018");
    assert_eq!(words.token(1).unwrap().attr(AttrId::ENT_KB_ID), 0);
    let unset = Doc::from_words(&vocab, &[("a", true), ("b", true)]).unwrap();
    assert_eq!(linker(small()).predict(&unset).unwrap_err().code(), "E030");
}
