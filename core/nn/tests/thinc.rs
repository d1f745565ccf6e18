//! Results and gradients are those of thinc.

mod common;

use std::sync::Mutex;

use common::{Document, bits, fixture, floats, list, network, number, spans_of};
use lexpool_nn::learn::{Batch, Dropout, NumpyRandom, Workers};
use lexpool_nn::{GemmOrder, ModelFile, Network, NodeIx, Rows, TokenSource, describe};
use serde_json::Value;

/// The largest difference of numbers of a tensor, as a share of 1 and the largest of them.
fn difference(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(1.0, |largest: f32, x| largest.max(x.abs()));
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f32::max) / largest
}

fn check(case: &Value, pass: &Value, documents: &[Document]) {
    let name = format!("{}, rate {}", case["name"], pass["rate"]);
    let of_case: Vec<&Document> =
        list(&case["documents"]).iter().map(|at| &documents[number(at)]).collect();
    let sources: Vec<&dyn TokenSource> = of_case.iter().map(|own| *own as _).collect();
    let spans = spans_of(case, &of_case);
    let batch = match &spans {
        Some(spans) => Batch::with_spans(&sources, spans).unwrap(),
        None => Batch::new(&sources),
    };
    let network = network(case, GemmOrder::Generic);
    let seed = u32::try_from(number(&pass["seed"])).unwrap();
    let random = Mutex::new(NumpyRandom::new(seed));
    let dropout = Dropout::by_sequence(pass["rate"].as_f64().unwrap(), &random);
    let (rows, tape) = network.forward(&batch, &dropout, Workers::ONE).unwrap();
    assert_eq!(bits(rows.numbers()), bits(&floats(&pass["result"])), "{name}");
    let mut gradients = network.parameters().zero_gradients();
    let d = floats(&pass["gradient"]);
    let listened = network.backward(tape, d, &mut gradients, Workers::ONE).unwrap();
    for gradient in list(&pass["gradients"]) {
        let node = NodeIx::new(u32::try_from(number(&gradient[0])).unwrap());
        let param = gradient[1].as_str().unwrap();
        let tensor = network.find(node, param).unwrap();
        let off = difference(gradients.values(tensor), &floats(&gradient[2]));
        assert!(off < 3e-6, "{name}: {param:?} of {:?}: {off}", network.node_name(node));
        assert!(gradients.is_present(tensor));
    }
    let n_present = network.parameters().indices().filter(|ix| gradients.is_present(*ix)).count();
    assert_eq!(n_present, list(&pass["gradients"]).len(), "{name}: tensors with a gradient");
    let listened = listened.map(Rows::into_numbers).unwrap_or_default();
    assert!(difference(&listened, &floats(&pass["listened"])) < 3e-6, "{name}: listened rows");
}

#[test]
fn results_have_the_bits_of_thinc_and_gradients_differ_by_rounding() {
    let fixture = fixture();
    let documents = Document::all(&fixture);
    for case in list(&fixture["cases"]) {
        for pass in list(&case["passes"]) {
            check(case, pass, &documents);
        }
    }
}

#[test]
fn without_dropout_results_have_the_bits_of_inference() {
    let fixture = fixture();
    let documents = Document::all(&fixture);
    for case in list(&fixture["cases"]) {
        let name = &case["name"];
        // Softmax is left out in inference of taggers; parsers and spans run in their own ways.
        let is_other = ["tagger", "parser"].contains(&name.as_str().unwrap());
        if is_other || spans_of(case, &[]).is_some() {
            continue;
        }
        let blueprint = describe::build(&case["settings"], "components.test.model").unwrap();
        let bytes = common::model(case);
        for (order_name, order) in GemmOrder::ALL {
            let network =
                Network::read(&blueprint, &ModelFile::parse(&bytes).unwrap(), order).unwrap();
            let trainable = common::network(case, order);
            let of_case = list(&case["documents"]).iter().map(|at| &documents[number(at)]);
            for document in of_case.filter(|document| !document.is_empty()) {
                let sources: [&dyn TokenSource; 1] = [document];
                let batch = Batch::new(&sources);
                let (rows, _) = trainable.forward(&batch, &Dropout::NONE, Workers::ONE).unwrap();
                let expected = network.run(document).unwrap();
                let off = difference(rows.numbers(), expected.numbers());
                match order {
                    // Inference takes Winograd's form of windows, which rounds otherwise.
                    GemmOrder::Chain => assert!(off < 1e-4, "{name}, {order_name}: {off}"),
                    _ => assert_eq!(bits(rows.numbers()), bits(expected.numbers()), "{name}"),
                }
            }
        }
    }
}
