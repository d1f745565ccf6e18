//! Networks of states get classes, and are written as a file has them.

use lexpool_nn::learn::{InitialSizes, NumpyRandom, TrainableNetwork};
use lexpool_nn::{ModelFile, describe};

fn settings(use_upper: bool) -> serde_json::Value {
    serde_json::json!({
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": false,
        "hidden_width": 6,
        "maxout_pieces": 2,
        "use_upper": use_upper,
        "tok2vec": {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": 4,
                "attrs": ["NORM", "SHAPE"],
                "rows": [11, 5],
                "include_static_vectors": false,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 4,
                "depth": 1,
                "window_size": 1,
                "maxout_pieces": 2,
            },
        },
    })
}

#[test]
fn classes_that_are_added_have_weights_of_zero_and_others_keep_theirs() {
    for use_upper in [true, false] {
        let settings = settings(use_upper);
        let sizes = InitialSizes { outputs: Some(3), vectors: 0 };
        let section = "components.parser.model";
        let mut random = NumpyRandom::new(1);
        let mut network = TrainableNetwork::new(&settings, section, sizes, &mut random).unwrap();
        let before = network.parameters().clone();
        network.resize_classes(5).unwrap();
        assert_eq!(network.state_layers().unwrap().sizes().classes, 5);
        let sum = |numbers: &[f32]| numbers.iter().map(|x| x.abs()).sum::<f32>();
        assert_eq!(sum(network.parameters().arena()).to_bits(), sum(before.arena()).to_bits());
        assert!(network.parameters().arena().len() > before.arena().len());
        let bytes = network.to_bytes().unwrap();
        let blueprint = describe::build(&settings, section).unwrap();
        let again =
            TrainableNetwork::from_file(&blueprint, &ModelFile::parse(&bytes).unwrap()).unwrap();
        assert_eq!(again.state_layers().unwrap().sizes().classes, 5);
        assert_eq!(network.resize_classes(0).unwrap_err().code(), "model-structure");
    }
}

#[test]
fn a_network_without_states_has_no_classes() {
    let settings = serde_json::json!({"@architectures": "spacy.TextCatBOW.v3"});
    let blueprint = describe::build(&settings, "components.test.model").unwrap();
    let file = include_bytes!("../../../tests/files/textcat.model");
    let network =
        TrainableNetwork::from_file(&blueprint, &ModelFile::parse(file).unwrap()).unwrap();
    assert_eq!(network.state_layers().unwrap_err().code(), "model-structure");
}
