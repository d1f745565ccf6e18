//! Components that learn a handful of sentences by heart, through the files that spaCy reads.

use std::sync::Arc;

use bytes::Bytes;
use lexpool::config::{Section, Value};
use lexpool::pipeline::{Component, Groups};
use lexpool::tokens::Doc;
use lexpool::trained::{SavedComponent, component};
use lexpool::vocab::{Getters, Vocab};
use lexpool_nn::GemmOrder;
use lexpool_nn::learn::{
    Dropout, NumpyRandom, Optimizer, OptimizerSettings, PythonRandom, StepKey, Workers,
};
use lexpool_structs::AttrId;
use serde_json::{Value as Json, json};

use super::component::{read_ner, read_parser};
use super::tests::{batch, examples, fixture, list};
use crate::settings::fields::{Fields, Problems};
use crate::{ComponentFiles, Example, Initialization, Learned, TrainableComponent};

/// The most updates.
const MAX_UPDATES: u32 = 400;

fn settings(factory: &str, more: &Json) -> Value {
    let state_type = if factory.contains("parser") { "parser" } else { "ner" };
    let mut settings = json!({
        "factory": factory,
        "model": {
            "@architectures": "spacy.TransitionBasedParser.v2",
            "state_type": state_type,
            "extra_state_tokens": false,
            "hidden_width": 16,
            "maxout_pieces": 2,
            "use_upper": true,
            "tok2vec": {
                "@architectures": "spacy.Tok2Vec.v2",
                "embed": {
                    "@architectures": "spacy.MultiHashEmbed.v2",
                    "width": 16,
                    "attrs": ["ORTH", "SHAPE"],
                    "rows": [100, 50],
                    "include_static_vectors": false,
                },
                "encode": {
                    "@architectures": "spacy.MaxoutWindowEncoder.v2",
                    "width": 16,
                    "depth": 2,
                    "window_size": 1,
                    "maxout_pieces": 2,
                },
            },
        },
    });
    for (key, value) in more.as_object().unwrap() {
        match settings["model"].as_object_mut().filter(|model| model.contains_key(key)) {
            Some(model) => model[key] = value.clone(),
            None => settings[key] = value.clone(),
        }
    }
    Value::from_json(&settings.to_string()).unwrap()
}

/// Reads the section of a component.
fn trainable(factory: &str, settings: &Value) -> Box<dyn TrainableComponent> {
    let problems = Problems::default();
    let fields = Fields::new(settings.as_section().unwrap(), "components.test", &problems);
    fields.get("factory");
    let by_beams = factory.starts_with("beam_");
    let read = if factory.contains("parser") { read_parser } else { read_ner };
    read(by_beams, fields).unwrap()
}

/// Makes a component of the files that a trained one gives.
fn loaded(factory: &str, settings: &Value, files: &ComponentFiles) -> Arc<dyn Component> {
    let file = |name: &str| {
        let found = files.iter().find(|(own, _)| own == name);
        Ok(found.map(|(_, bytes)| Bytes::from(bytes.clone())))
    };
    let order = GemmOrder::default();
    let saved =
        SavedComponent { factory, name: "test", settings, file: &file, vectors: None, order };
    component(&saved).unwrap().unwrap()
}

/// Returns what a component of this factory sets.
fn annotation(factory: &str, doc: &Doc) -> Vec<(usize, u64, u8)> {
    let tokens = doc.iter().map(|token| {
        if factory.contains("parser") {
            return (token.head().i(), token.attr(AttrId::DEP), 0);
        }
        let ent_type = token.entity_record().map_or(0, |record| record.ent_type);
        (0, ent_type, token.record().ent_iob())
    });
    tokens.collect()
}

fn learns(factory: &str, more: &Json) {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let fixture = fixture();
    // Documents with annotation and the same tokens on both sides.
    let kept = [0, 4];
    let all = examples(&fixture, &vocab);
    assert_eq!(all.len(), list(&fixture["documents"]).len());
    let examples: Vec<Example> = all
        .into_iter()
        .enumerate()
        .filter(|(at, _)| kept.contains(at))
        .map(|(_, example)| example)
        .collect();
    let settings = settings(factory, more);
    let mut learning = trainable(factory, &settings);
    let mut start = Initialization {
        examples: &examples,
        settings: &Section::default(),
        vocab: &vocab,
        vectors: None,
        random: &mut NumpyRandom::new(0),
    };
    learning.initialize(&mut start).unwrap();
    let mut optimizer = Optimizer::new(OptimizerSettings::adam()).unwrap();
    optimizer.set_learn_rate(0.01);
    let mut random = PythonRandom::new(0);
    let refs: Vec<&Example> = examples.iter().collect();
    let mut first_loss = None;
    for step in 0..MAX_UPDATES {
        let dropout = Dropout::by_counter(0.0, StepKey { seed: 0, step, component: 0 });
        let mut batch = batch(&refs, dropout, &mut random, Workers::ONE);
        let loss = learning.update(&mut batch).unwrap();
        assert!(loss.is_finite());
        first_loss.get_or_insert(loss);
        let Learned { parameters, gradients } = learning.learned().unwrap();
        optimizer.step(parameters, gradients, Workers::ONE).unwrap();
        if step % 20 != 19 {
            continue;
        }
        let trained = loaded(factory, &settings, &learning.files().unwrap());
        let is_learned = |example: &Example| {
            let mut doc = example.predicted().try_clone().unwrap();
            trained.apply(&mut doc, &mut Groups::new()).unwrap();
            annotation(factory, &doc) == annotation(factory, &example.reference().doc)
        };
        if examples.iter().all(is_learned) {
            // Losses of beams are sums over the steps before the largest violation, whose number
            // grows.
            let is_by_beams = factory.starts_with("beam_");
            assert!(is_by_beams || loss < first_loss.unwrap(), "{factory}: the loss falls");
            return;
        }
    }
    panic!("{factory} {more}: not learned in {MAX_UPDATES} updates");
}

#[test]
fn a_parser_learns_sentences_by_heart() {
    learns("parser", &json!({"min_action_freq": 1, "update_with_oracle_cut_size": 5}));
    learns("parser", &json!({"min_action_freq": 1, "use_upper": false, "maxout_pieces": 3}));
}

#[test]
fn an_entity_recognizer_learns_sentences_by_heart() {
    learns("ner", &json!({}));
    learns("ner", &json!({"extra_state_tokens": true, "maxout_pieces": 1}));
}

#[test]
fn beams_learn_sentences_by_heart() {
    let beam = json!({"beam_width": 4, "beam_density": 0.0, "beam_update_prob": 1.0});
    learns("beam_ner", &beam);
    let mut beam = beam;
    beam["min_action_freq"] = 1.into();
    learns("beam_parser", &beam);
}
