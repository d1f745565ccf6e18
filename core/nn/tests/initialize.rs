//! New networks are those of spaCy: nodes, attributes, dimensions, references, and weights.

mod common;

use common::{list, model, number};
use lexpool_nn::learn::{InitialSizes, NumpyRandom, TrainableNetwork};
use lexpool_nn::{ModelFile, ModelNode};
use serde_json::Value;

fn cases() -> Vec<Value> {
    let cases: Value =
        serde_json::from_str(include_str!("../../../tests/files/initial.json")).unwrap();
    list(&cases).to_vec()
}

fn initialized(case: &Value) -> TrainableNetwork {
    let outputs = case["outputs"].is_u64().then(|| number(&case["outputs"]));
    let sizes = InitialSizes { outputs, vectors: 5 };
    let mut random = NumpyRandom::new(u32::try_from(number(&case["seed"])).unwrap());
    TrainableNetwork::new(&case["settings"], "components.test.model", sizes, &mut random).unwrap()
}

/// The hash FNV-1a of 64 bits.
fn hash(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[test]
fn new_networks_have_the_bytes_of_spacys_files() {
    let mut n_networks = 0;
    for case in cases() {
        let bytes = initialized(&case).to_bytes().unwrap();
        if let Some(expected) = case["hash"].as_str() {
            assert_eq!(hash(&bytes), expected, "{}", case["settings"]);
            n_networks += 1;
        }
    }
    assert!(n_networks > 20);
}

#[test]
fn networks_with_more_labels_have_the_bytes_of_spacys_files() {
    let mut n_networks = 0;
    for case in cases() {
        let mut network = initialized(&case);
        if let Some(expected) = case["resized"].as_str() {
            network.resize_output(5).unwrap();
            assert_eq!(network.width(), 5);
            assert_eq!(hash(&network.to_bytes().unwrap()), expected, "{}", case["settings"]);
            n_networks += 1;
        }
    }
    assert!(n_networks > 5);
}

#[test]
fn new_parsers_have_the_weights_of_spacy_but_for_rounding() {
    for case in cases().iter().filter(|case| case["model"].is_string()) {
        let expected = model(case);
        let expected = ModelFile::parse(&expected).unwrap();
        let found = initialized(case).to_bytes().unwrap();
        let found = ModelFile::parse(&found).unwrap();
        assert_eq!(found.nodes().len(), expected.nodes().len());
        for (found, expected) in found.nodes().iter().zip(expected.nodes()) {
            let parts = |node: &ModelNode<'_>| {
                format!("{:?} {:?} {:?} {:?}", node.name(), node.dims(), node.refs(), node.attrs())
            };
            assert_eq!(parts(found), parts(expected));
            for ((name, found), (_, expected)) in found.params().iter().zip(expected.params()) {
                let numbers = |array: &Option<lexpool_nn::ArrayView<'_>>| {
                    array.as_ref().map(|array| (array.shape().to_vec(), array.to_vec()))
                };
                let (found, expected) = (numbers(found).unwrap(), numbers(expected).unwrap());
                assert_eq!(found.0, expected.0, "{name}");
                for (a, b) in found.1.iter().zip(&expected.1) {
                    assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{name}: {a}, {b}");
                }
            }
        }
    }
}
