//! Networks get the weights of a layer that were learned apart.

use lexpool_nn::learn::{
    InitialSizes, NumpyRandom, SavedNetwork, TrainableNetwork, with_layer_weights,
};
use serde_json::{Value, json};

fn tok2vec(width: usize) -> Value {
    json!({
        "@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": null, "width": width,
        "depth": 1, "embed_size": 20, "window_size": 1, "maxout_pieces": 2,
        "subword_features": true,
    })
}

fn tagger(tok2vec: &Value) -> Value {
    json!({"@architectures": "spacy.Tagger.v2", "nO": null, "normalize": false, "tok2vec": tok2vec})
}

fn file(settings: &Value, seed: u32) -> Vec<u8> {
    let sizes = InitialSizes { outputs: Some(3), vectors: 0 };
    let mut random = NumpyRandom::new(seed);
    TrainableNetwork::new(settings, "model", sizes, &mut random).unwrap().to_bytes().unwrap()
}

fn with(settings: &Value, layer: &str, weights: &[u8]) -> Result<Vec<u8>, String> {
    let network = SavedNetwork { settings, file: &file(settings, 1) };
    let made = with_layer_weights(network, "model", layer, weights);
    made.map_err(|error| format!("{}: {}", error.code(), error.message()))
}

/// Returns the values of all parameters of a file in order.
fn values(settings: &Value, file: &[u8]) -> Vec<Vec<f32>> {
    let blueprint = lexpool_nn::describe::build(settings, "model").unwrap();
    let file = lexpool_nn::ModelFile::parse(file).unwrap();
    let network = TrainableNetwork::from_file(&blueprint, &file).unwrap();
    let parameters = network.parameters();
    parameters.indices().map(|ix| parameters.values(ix).to_vec()).collect()
}

#[test]
fn a_layer_gets_its_weights_and_the_others_keep_theirs() {
    let (inner, outer) = (tok2vec(8), tagger(&tok2vec(8)));
    let weights = file(&inner, 2);
    let made = values(&outer, &with(&outer, "tok2vec", &weights).unwrap());
    let before = values(&outer, &file(&outer, 1));
    let given = values(&inner, &weights);
    let changed: Vec<_> = made.iter().filter(|own| !before.contains(own)).cloned().collect();
    let new: Vec<_> = given.iter().filter(|own| !before.contains(own)).cloned().collect();
    assert!(new.len() > 4 && new.len() < made.len());
    let sorted = |mut all: Vec<Vec<f32>>| {
        all.sort_by(|one, other| one.partial_cmp(other).unwrap());
        all
    };
    assert_eq!(sorted(changed), sorted(new));
    assert_eq!(with(&inner, "", &weights).unwrap(), weights);
    assert_eq!(with(&outer, "", &file(&outer, 3)).unwrap(), file(&outer, 3));
}

#[test]
fn weights_of_other_networks_are_refused() {
    let (inner, outer) = (tok2vec(8), tagger(&tok2vec(8)));
    let listener = json!({"@architectures": "spacy.Tok2VecListener.v1", "width": 8});
    let shared = tagger(&listener);
    let cases = [
        (&outer, "tok2vec", file(&tok2vec(16), 2), "weights-different: the weights are not those"),
        (&outer, "", file(&inner, 2), "model-structure: the weights: node 0 is"),
        (&outer, "upper", file(&inner, 2), "model-structure: the network of [model] has no layer"),
        (&shared, "tok2vec", file(&inner, 2), "it listens to another component"),
        (&inner, "", Vec::new(), "msgpack"),
    ];
    for (settings, layer, weights, message) in cases {
        let error = with(settings, layer, &weights).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    let network = SavedNetwork { settings: &outer, file: &file(&inner, 1) };
    let error = with_layer_weights(network, "model", "tok2vec", &file(&inner, 1)).unwrap_err();
    assert_eq!(error.code(), "model-structure");
}
