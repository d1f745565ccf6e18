//! Results, gradients and steps have the same bits on any number of threads.

#![allow(clippy::float_cmp, reason = "equal bits are the promise")]
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "small numbers")]

mod common;

use common::{Document, bits};
use lexpool_nn::TokenSource;
use lexpool_nn::learn::{
    Batch, Dropout, InitialSizes, NumpyRandom, Optimizer, OptimizerSettings, StepKey,
    TrainableNetwork, Workers,
};
use serde_json::json;

/// A tagger of this many pieces and of vectors.
fn network(pieces: usize, random: &mut NumpyRandom) -> TrainableNetwork {
    let settings = json!({
        "@architectures": "spacy.Tagger.v2",
        "tok2vec": {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": 24,
                "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
                "rows": [500, 100, 250, 250],
                "include_static_vectors": true,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 24,
                "depth": 3,
                "window_size": 1,
                "maxout_pieces": pieces,
            },
        },
    });
    let sizes = InitialSizes { outputs: Some(40), vectors: 5 };
    TrainableNetwork::new(&settings, "components.tagger.model", sizes, random).unwrap()
}

/// Trains for some steps; returns the bits of all results, and of the parameters at the end.
fn train(pieces: usize, workers: Workers) -> Vec<u32> {
    let mut random = NumpyRandom::new(3);
    let mut network = network(pieces, &mut random);
    let documents: Vec<Document> =
        [61, 1, 0, 17, 30, 2].map(|n| Document::random(n, &mut random)).into();
    let sources: Vec<&dyn TokenSource> = documents.iter().map(|own| own as _).collect();
    let optimizer = Optimizer::new(OptimizerSettings::adam()).unwrap();
    let mut gradients = network.parameters().zero_gradients();
    let mut all = Vec::new();
    for step in 0..3 {
        let dropout = Dropout::by_counter(0.2, StepKey { seed: 1, step, component: 0 });
        let batch = Batch::new(&sources);
        let (rows, tape) = network.forward(&batch, &dropout, workers).unwrap();
        all.extend(bits(rows.numbers()));
        let d = rows.numbers().iter().map(|p| p - random.uniform(0.0, 0.1) as f32).collect();
        network.backward(tape, d, &mut gradients, workers).unwrap();
        all.extend(bits(gradients.arena()));
        optimizer.step(network.parameters_mut(), &mut gradients, workers).unwrap();
    }
    all.extend(bits(network.parameters().arena()));
    all
}

#[test]
fn a_training_has_the_same_bits_on_any_number_of_threads() {
    for pieces in [1, 2, 3] {
        let alone = train(pieces, Workers::ONE);
        for threads in [2, 3, 8] {
            assert!(train(pieces, Workers::new(threads)) == alone, "{threads} threads");
        }
    }
}

#[test]
fn a_tape_or_a_gradient_of_another_network_is_refused() {
    let mut random = NumpyRandom::new(3);
    let (first, second) = (network(2, &mut random), network(3, &mut random));
    let document = Document::random(3, &mut random);
    let sources: [&dyn TokenSource; 1] = [&document];
    let run = || first.forward(&Batch::new(&sources), &Dropout::NONE, Workers::ONE).unwrap();
    let backward = |network: &TrainableNetwork, n: usize, own: &TrainableNetwork| {
        let mut gradients = own.parameters().zero_gradients();
        network.backward(run().1, vec![0.0; n], &mut gradients, Workers::ONE)
    };
    let n = run().0.numbers().len();
    assert!(backward(&first, n, &first).is_ok());
    for (network, n, own) in [(&second, n, &second), (&first, n + 1, &first), (&first, n, &second)]
    {
        assert_eq!(backward(network, n, own).unwrap_err().code(), "gradient-shape");
    }
}
