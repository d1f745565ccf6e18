//! Documents and networks of the fixture `tests/files/gradients.json`; see
//! `tests/tools/reference_gradients.py`.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]

use lexpool_error::Result;
use lexpool_nn::learn::{NumpyRandom, TrainableNetwork};
use lexpool_nn::{GemmOrder, ModelFile, TensorView, TokenSource, WordVectors, describe};
use lexpool_structs::AttrId;
use serde_json::Value;

/// The width of the rows that listeners read.
const TENSOR_WIDTH: usize = 4;

pub(crate) fn fixture() -> Value {
    serde_json::from_str(include_str!("../../../../tests/files/gradients.json")).unwrap()
}

/// A document of the fixture.
pub(crate) struct Document {
    columns: Vec<(AttrId, Vec<u64>)>,
    texts: Vec<String>,
    vectors: Vec<Option<Vec<f32>>>,
    last_vector: Vec<f32>,
    tensor: Vec<f32>,
    pub(crate) spans: Vec<(usize, usize)>,
}

impl Document {
    pub(crate) fn all(fixture: &Value) -> Vec<Document> {
        let last = floats(&fixture["last_vector"]);
        list(&fixture["documents"]).iter().map(|document| Document::of(document, &last)).collect()
    }

    fn of(document: &Value, last_vector: &[f32]) -> Document {
        let columns = document["columns"].as_object().unwrap().iter().map(|(name, ids)| {
            let ids = list(ids).iter().map(|id| id.as_u64().unwrap()).collect();
            (AttrId::from_name(name).unwrap(), ids)
        });
        let texts = list(&document["texts"]).iter().map(|text| text.as_str().unwrap().to_owned());
        let vector = |vector: &Value| vector.is_string().then(|| floats(vector));
        Document {
            columns: columns.collect(),
            texts: texts.collect(),
            vectors: list(&document["vectors"]).iter().map(vector).collect(),
            last_vector: last_vector.to_vec(),
            tensor: floats(&document["tensor"]),
            spans: spans(&document["spans"]),
        }
    }

    /// Gives the words that have no vector one.
    pub(crate) fn with_all_vectors(mut self) -> Document {
        for (at, vector) in (1_u8..).zip(&mut self.vectors) {
            vector.get_or_insert_with(|| (1..6_u8).map(|i| (f32::from(at * i)).sin()).collect());
        }
        self
    }

    /// Makes a document of random words, without vectors.
    pub(crate) fn random(n_tokens: usize, random: &mut NumpyRandom) -> Document {
        let mut id = || random.uniform(0.0, 1e6) as u64;
        let names = ["NORM", "PREFIX", "SUFFIX", "SHAPE", "LOWER", "ORTH", "ID"];
        let columns = names
            .map(|name| (AttrId::from_name(name).unwrap(), (0..n_tokens).map(|_| id()).collect()));
        let texts = (0..n_tokens).map(|_| format!("w{}", id())).collect();
        let mut number = || random.normal(0.0, 1.0) as f32;
        Document {
            columns: columns.into(),
            texts,
            vectors: (0..n_tokens).map(|_| Some((0..5).map(|_| number()).collect())).collect(),
            last_vector: vec![0.5; 5],
            tensor: (0..n_tokens * TENSOR_WIDTH).map(|_| number()).collect(),
            spans: Vec::new(),
        }
    }
}

impl TokenSource for Document {
    fn len(&self) -> usize {
        self.texts.len()
    }

    fn column(&self, attr: AttrId) -> Result<Vec<u64>> {
        Ok(self.columns.iter().find(|(own, _)| *own == attr).unwrap().1.clone())
    }

    fn text(&self, token: usize) -> &str {
        &self.texts[token]
    }

    fn tensor(&self) -> Option<TensorView<'_>> {
        Some(TensorView { width: TENSOR_WIDTH, numbers: &self.tensor })
    }

    fn vectors(&self) -> Option<&dyn WordVectors> {
        Some(self)
    }
}

impl WordVectors for Document {
    fn width(&self) -> usize {
        self.last_vector.len()
    }

    fn read(&self, token: usize, row: &mut [f32]) -> bool {
        self.vectors[token].as_ref().map(|vector| row.copy_from_slice(vector)).is_some()
    }

    fn last_row(&self) -> Option<&[f32]> {
        Some(&self.last_vector)
    }
}

fn spans(value: &Value) -> Vec<(usize, usize)> {
    list(value).iter().map(|span| (number(&span[0]), number(&span[1]))).collect()
}

/// Returns the spans of the documents of a case, if its network has a result for each span.
pub(crate) fn spans_of(case: &Value, documents: &[&Document]) -> Option<Vec<Vec<(usize, usize)>>> {
    if case["name"] == "spancat" {
        return Some(documents.iter().map(|own| own.spans.clone()).collect());
    }
    case["spans"].as_array().map(|all| all.iter().map(spans).collect())
}

/// Reads the network of a case for an order of additions.
pub(crate) fn network(case: &Value, order: GemmOrder) -> TrainableNetwork {
    let blueprint = describe::build(&case["settings"], "components.test.model").unwrap();
    let bytes = model(case);
    TrainableNetwork::in_order(&blueprint, &ModelFile::parse(&bytes).unwrap(), order).unwrap()
}

/// Returns the model file of a case.
pub(crate) fn model(case: &Value) -> Vec<u8> {
    let digits = case["model"].as_str().unwrap().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks_exact(2).map(byte).collect()
}

/// Reads the bits of numbers.
pub(crate) fn floats(digits: &Value) -> Vec<f32> {
    let bits = |digits: &[u8]| {
        u32::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).map(f32::from_bits).unwrap()
    };
    digits.as_str().unwrap().as_bytes().chunks_exact(8).map(bits).collect()
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

pub(crate) fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

pub(crate) fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}
