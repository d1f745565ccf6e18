//! Model files of thinc are written as they were read.

use lexpool_nn::learn::TrainableNetwork;
use lexpool_nn::{ModelFile, describe};

fn round_trip(settings: &serde_json::Value, bytes: &[u8]) {
    let blueprint = describe::build(settings, "components.test.model").unwrap();
    let file = ModelFile::parse(bytes).unwrap();
    let network = TrainableNetwork::from_file(&blueprint, &file).unwrap();
    assert!(network.to_bytes().unwrap() == bytes, "the bytes of the file");
}

#[test]
fn a_file_of_spacy_is_written_in_its_bytes() {
    let tok2vec = serde_json::json!({
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
            "rows": [20, 10, 10, 10],
        },
        "encode": {"@architectures": "spacy.MaxoutWindowEncoder.v2", "depth": 2},
    });
    round_trip(&tok2vec, include_bytes!("../../../tests/files/tok2vec.model"));
    let parser = include_str!("../../../tests/files/parser.json");
    let parser: serde_json::Value = serde_json::from_str(parser).unwrap();
    round_trip(&parser, include_bytes!("../../../tests/files/parser.model"));
    let textcat = serde_json::json!({"@architectures": "spacy.TextCatBOW.v3"});
    round_trip(&textcat, include_bytes!("../../../tests/files/textcat.model"));
}

/// Reads the folders of pipelines that `LEXPOOL_TRAINED` names, if it names any.
#[test]
fn all_files_of_trained_pipelines_are_written_in_their_bytes() {
    #[expect(clippy::disallowed_methods, reason = "names data, and changes no result")]
    let Ok(folder) = std::env::var("LEXPOOL_TRAINED") else { return };
    let mut n_files = 0;
    for pipeline in std::fs::read_dir(folder).unwrap() {
        let pipeline = pipeline.unwrap().path();
        let settings = settings::of(&std::fs::read_to_string(pipeline.join("config.cfg")).unwrap());
        for (component, settings) in settings {
            let path = pipeline.join(&component).join("model");
            if let Ok(bytes) = std::fs::read(&path) {
                round_trip(&settings, &bytes);
                n_files += 1;
            }
        }
    }
    assert!(n_files > 0, "pipelines with networks");
}

/// The sections `components.*.model` of a configuration, whose values are JSON.
mod settings {
    use serde_json::{Map, Value};

    pub(super) fn of(config: &str) -> Vec<(String, Value)> {
        let mut root = Value::Object(Map::new());
        let mut section: Vec<String> = Vec::new();
        for line in config.lines() {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name.split('.').map(str::to_owned).collect();
                at(&mut root, &section);
            } else if let Some((key, value)) = line.split_once('=') {
                let value = value.trim();
                let value = serde_json::from_str(value).unwrap_or(Value::String(value.to_owned()));
                at(&mut root, &section).insert(key.trim().to_owned(), value);
            }
        }
        let Value::Object(mut components) = root["components"].take() else { return Vec::new() };
        let with_model = components.iter_mut().filter(|(_, own)| own["model"].is_object());
        with_model.map(|(name, own)| (name.clone(), own["model"].take())).collect()
    }

    fn at<'v>(root: &'v mut Value, section: &[String]) -> &'v mut Map<String, Value> {
        let mut value = root;
        for name in section {
            value = &mut value[name];
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
        }
        value.as_object_mut().expect("a section")
    }
}
