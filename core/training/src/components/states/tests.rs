//! Updates beside those of spaCy, from the same weights, examples and random numbers: the cases of
//! `tests/files/updates.json`, which `tests/tools/reference_updates.py` writes.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use lexpool::pipeline::Groups;
use lexpool::tokens::{Annotations, Doc, SpanGroup};
use lexpool::transition::{ArcEager, BiluoPushDown};
use lexpool::vocab::{Getters, Vocab};
use lexpool_nn::learn::{Dropout, Gradients, NumpyRandom, PythonRandom, StepKey};
use lexpool_nn::learn::{TrainableNetwork, Workers};
use lexpool_nn::{ModelFile, NodeIx, describe};
use serde_json::Value;

use super::gold::GoldSystem;
use super::learner::{Learner, UpdateSettings};
use crate::{Example, Reference, UpdateBatch};

pub(super) fn fixture() -> Value {
    let text = include_str!("../../../../../tests/files/updates.json");
    serde_json::from_str(text).unwrap()
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn texts(value: &Value) -> Vec<String> {
    list(value).iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap().as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn floats(value: &Value) -> Vec<f32> {
    bytes(value).chunks(4).map(|four| f32::from_be_bytes(four.try_into().unwrap())).collect()
}

/// Returns the examples of the fixture.
pub(super) fn examples(fixture: &Value, vocab: &Arc<Vocab>) -> Vec<Example> {
    list(&fixture["documents"]).iter().map(|document| example(document, vocab)).collect()
}

fn example(document: &Value, vocab: &Arc<Vocab>) -> Example {
    let doc = |words: &[String]| {
        let words: Vec<_> = words.iter().map(|word| (&**word, true)).collect();
        Doc::from_words(vocab, &words).unwrap()
    };
    let words = texts(&document["words"]);
    let mut reference = doc(&words);
    let (deps, ents) = (texts(&document["deps"]), texts(&document["ents"]));
    let has_tree = deps.iter().any(|dep| !dep.is_empty());
    let heads = list(&document["heads"]).iter().map(Value::as_i64);
    let tag = |tag: &String| match tag.split_once('-') {
        Some(("B" | "U", label)) if !label.is_empty() => Some(format!("B-{label}")),
        Some(("I" | "L", label)) => Some(format!("I-{label}")),
        _ => (tag == "O").then(|| "O".to_owned()),
    };
    let annotations = Annotations {
        heads: has_tree.then(|| heads.collect()),
        deps: has_tree.then(|| deps.into_iter().map(Some).collect()),
        ents: ents.iter().any(|tag| tag != "-").then(|| ents.iter().map(tag).collect()),
        ..Annotations::default()
    };
    reference.annotate(&annotations).unwrap();
    let mut groups = Groups::new();
    let mut wrong = SpanGroup::new(&reference);
    for span in document["wrong"].as_array().into_iter().flatten() {
        let label = reference.snapshot().add(span[2].as_str().unwrap()).unwrap();
        let span = reference.span(number(&span[0]), number(&span[1])).unwrap().record(label);
        wrong.push(&reference, span).unwrap();
    }
    groups.insert("wrong".to_owned(), wrong);
    let predicted = document.get("predicted").map_or(words, texts);
    let place = "updates.json".to_owned();
    let reference = Reference { doc: reference, cats: Vec::new(), groups, place };
    Example::new(doc(&predicted), reference).unwrap()
}

fn learner<S: GoldSystem>(case: &Value) -> Learner<S> {
    let mut system = S::default();
    let moves: Value = serde_json::from_str(case["moves"].as_str().unwrap()).unwrap();
    let labels = moves.as_object().unwrap().iter().map(|(action, labels)| {
        let labels = labels.as_object().unwrap().iter();
        let labels = labels.map(|(label, count)| (label.clone(), count.as_i64().unwrap()));
        (action.parse().unwrap(), labels.collect())
    });
    system.actions_mut().initialize(labels).unwrap();
    let cfg = &case["cfg"];
    let settings = UpdateSettings {
        cut_size: number(&cfg["update_with_oracle_cut_size"]),
        beam_width: number(&cfg["beam_width"]),
        beam_density: cfg["beam_density"].as_f64().unwrap(),
        beam_update_prob: cfg["beam_update_prob"].as_f64().unwrap(),
        incorrect_spans_key: cfg["incorrect_spans_key"].as_str().map(str::to_owned),
    };
    let unseen: Vec<usize> = list(&case["unseen"]).iter().map(number).collect();
    let is_unseen = (0..system.actions().len()).map(|class| unseen.contains(&class)).collect();
    Learner { system, settings, is_unseen }
}

fn network(case: &Value) -> TrainableNetwork {
    let blueprint = describe::build(&case["model"], "components.test.model").unwrap();
    let bytes = bytes(&case["file"]);
    TrainableNetwork::from_file(&blueprint, &ModelFile::parse(&bytes).unwrap()).unwrap()
}

/// Returns a batch of examples without word vectors and shared rows.
pub(super) fn batch<'a>(
    examples: &'a [&'a Example],
    dropout: Dropout<'a>,
    random: &'a mut PythonRandom,
    workers: Workers,
) -> UpdateBatch<'a> {
    UpdateBatch {
        examples,
        dropout,
        random,
        workers,
        vectors: None,
        shared_rows: None,
        spans: None,
        d_shared: None,
        shared_loss: 0.0,
    }
}

/// Makes an update; returns its loss and the gradients.
fn update<S: GoldSystem>(
    learner: &mut Learner<S>,
    network: &TrainableNetwork,
    examples: &[Example],
    dropout: Dropout<'_>,
    seed: u64,
    workers: Workers,
) -> (f64, Gradients) {
    let examples: Vec<&Example> = examples.iter().collect();
    let mut gradients = network.parameters().zero_gradients();
    let mut random = PythonRandom::new(seed);
    let mut batch = batch(&examples, dropout, &mut random, workers);
    let loss = learner.update(network, &mut gradients, &mut batch).unwrap();
    (loss, gradients)
}

fn check<S: GoldSystem>(fixture: &Value, case: &Value, examples: &[Example]) {
    let (mut learner, network) = (learner::<S>(case), network(case));
    let seed = case["seed"].as_u64().unwrap();
    let random = Mutex::new(NumpyRandom::new(u32::try_from(seed).unwrap()));
    let dropout = Dropout::by_sequence(fixture["dropout"].as_f64().unwrap(), &random);
    let (loss, gradients) = update(&mut learner, &network, examples, dropout, seed, Workers::ONE);
    let name = format!("{} {}", case["factory"], case["cfg"]);
    let expected = case["loss"].as_f64().unwrap();
    assert!((loss - expected).abs() < 1e-5 * expected, "{name}: loss {loss}, {expected}");
    let mut known = BTreeSet::new();
    for gradient in list(&case["gradients"]) {
        let node = NodeIx::new(u32::try_from(number(&gradient[0])).unwrap());
        let param = gradient[1].as_str().unwrap();
        let ix = network.find(node, param).unwrap();
        let (found, expected) = (gradients.values(ix), floats(&gradient[2]));
        let largest = expected.iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
        for (found, expected) in found.iter().zip(&expected) {
            let off = (found - expected).abs();
            assert!(off <= 1e-5 * largest, "{name}: {param} of node {}: {off}", node.get());
        }
        known.insert(ix);
    }
    for ix in network.parameters().indices() {
        assert_eq!(gradients.is_present(ix), known.contains(&ix), "{name}");
    }
    let unseen: Vec<usize> = list(&case["unseen_after"]).iter().map(number).collect();
    let after = learner.is_unseen.iter().enumerate().filter(|(_, is_unseen)| **is_unseen);
    assert_eq!(after.map(|(class, _)| class).collect::<Vec<_>>(), unseen, "{name}");
}

#[test]
fn losses_and_gradients_of_an_update_are_those_of_spacy() {
    let fixture = fixture();
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let examples = examples(&fixture, &vocab);
    for case in list(&fixture["cases"]) {
        if case["factory"].as_str().unwrap().contains("parser") {
            check::<ArcEager>(&fixture, case, &examples);
        } else {
            check::<BiluoPushDown>(&fixture, case, &examples);
        }
    }
}

#[test]
fn an_update_has_the_same_bits_on_any_number_of_threads() {
    let fixture = fixture();
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let examples: Vec<Example> = (0..7).flat_map(|_| self::examples(&fixture, &vocab)).collect();
    let dropout = Dropout::by_counter(0.2, StepKey { seed: 1, step: 2, component: 3 });
    for case in list(&fixture["cases"]) {
        let network = network(case);
        let made = |threads: usize| {
            let workers = Workers::new(threads);
            if case["factory"].as_str().unwrap().contains("parser") {
                let mut learner = learner::<ArcEager>(case);
                update(&mut learner, &network, &examples, dropout, 3, workers)
            } else {
                let mut learner = learner::<BiluoPushDown>(case);
                update(&mut learner, &network, &examples, dropout, 3, workers)
            }
        };
        let (loss, gradients) = made(1);
        assert!(gradients.arena().iter().any(|x| *x != 0.0));
        for threads in [2, 3, 8] {
            let (other_loss, other) = made(threads);
            assert_eq!((loss, gradients.arena()), (other_loss, other.arena()), "{threads} threads");
        }
    }
}
