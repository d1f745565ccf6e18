//! The network that scores the states of a parse: `spacy.TransitionBasedParser`.
//!
//! The products of each token with the weights of each feature are computed once for a batch: the
//! pre-computation of Chen and Manning (2014). A state then only adds the products of its features'
//! tokens, takes the largest piece of each output, and applies a last affine layer. Source:
//! `precomputable_affine` and `parser_model` of spaCy 3.8.

use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::Value;

use crate::layers::{Linear, add, largest};
use crate::model_file::{ModelFile, ModelNode};
use crate::sums::{GemmOrder, multiply};

/// A network that scores states, above the vectors of tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct StateNetwork {
    /// Reduces the vectors of tokens.
    reduce: Linear,
    weights: Vec<f32>,
    bias: Vec<f32>,
    /// The products of a missing token.
    padding: Vec<f32>,
    n_features: usize,
    pieces: usize,
    /// The last layer; without one the outputs are the scores.
    upper: Option<Linear>,
    order: GemmOrder,
}

/// The products of the tokens of a batch, and of the missing token.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenProducts {
    /// A row for each token, in it a row for each feature.
    products: Vec<f32>,
    n_tokens: usize,
}

impl StateNetwork {
    /// Reads the network from the file of a component, whose root is `parser_model`.
    ///
    /// # Errors
    ///
    /// `model-structure` if a part is missing or parts do not fit each other.
    pub fn read(file: &ModelFile<'_>, order: GemmOrder) -> Result<StateNetwork> {
        let root = file.nodes().first().filter(|root| root.name() == "parser_model");
        let root = root.ok_or_else(|| structure("the first node is not \"parser_model\""))?;
        let part = |name: &str| {
            let part = file.referred(root, name);
            part.ok_or_else(|| structure(&format!("it refers to no node by {name:?}")))
        };
        let lower = part("lower")?;
        let upper = match root.attr("has_upper")? {
            Some(Value::Bool(false)) => None,
            _ => Some(part("upper")?),
        };
        let is_upper = |node: &ModelNode<'_>| upper.is_some_and(|upper| std::ptr::eq(upper, node));
        let mut linear = file.nodes().iter().filter(|node| node.name() == "linear");
        let reduce = linear
            .find(|node| !is_upper(node))
            .ok_or_else(|| structure("it has no layer \"linear\""))?;
        let reduce = Linear::read(reduce)?;
        let upper = upper.map(Linear::read).transpose()?;
        StateNetwork::of_parts(reduce, lower, upper, order)
    }

    fn of_parts(
        reduce: Linear,
        lower: &ModelNode<'_>,
        upper: Option<Linear>,
        order: GemmOrder,
    ) -> Result<StateNetwork> {
        let weights = lower.required_param("W", 4)?;
        let bias = lower.required_param("b", 2)?;
        let padding = lower.required_param("pad", 4)?;
        let &[n_features, outputs, pieces, width] = weights.shape() else {
            unreachable!("four dimensions were required")
        };
        let fits = bias.shape() == [outputs, pieces]
            && padding.shape() == [1, n_features, outputs, pieces]
            && width == reduce.width()
            && upper.as_ref().is_none_or(|upper| upper.input_width() == outputs)
            && [n_features, outputs, pieces, width].iter().all(|size| *size > 0);
        if !fits {
            let text = format!(
                "\"W\" has the shape {:?}, \"b\" {:?}, \"pad\" {:?}; they take {} columns and give \
                 {:?}",
                weights.shape(),
                bias.shape(),
                padding.shape(),
                reduce.width(),
                upper.as_ref().map(Linear::input_width),
            );
            return Err(structure(&text));
        }
        Ok(StateNetwork {
            reduce,
            weights: weights.to_vec(),
            bias: bias.to_vec(),
            padding: padding.to_vec(),
            n_features,
            pieces,
            upper,
            order,
        })
    }

    /// Returns the number of features of a state.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Returns the number of columns of the vectors of tokens.
    pub fn input_width(&self) -> usize {
        self.reduce.input_width()
    }

    /// Returns the number of scores of a state.
    pub fn n_scores(&self) -> usize {
        self.upper.as_ref().map_or(self.bias.len() / self.pieces, Linear::width)
    }

    /// Computes the products of a batch of tokens. Cost: the weights for each token; memory for all
    /// products.
    ///
    /// # Panics
    ///
    /// If `vectors` is not a whole number of rows of [`input_width`](StateNetwork::input_width).
    pub fn prepare(&self, vectors: &[f32]) -> TokenProducts {
        let reduced = self.reduce.apply(self.order, vectors);
        let products = multiply(self.order, &reduced, &self.weights, self.reduce.width());
        TokenProducts { products, n_tokens: vectors.len() / self.reduce.input_width() }
    }

    /// Appends the scores of states to `scores`.
    ///
    /// `features` has for each state the positions of its features' tokens in the batch, -1 for a
    /// missing token.
    ///
    /// # Errors
    ///
    /// `state-features` for a position outside of the batch, or another number of features.
    pub fn score(
        &self,
        tokens: &TokenProducts,
        features: &[i32],
        scores: &mut Vec<f32>,
    ) -> Result<()> {
        if features.len() % self.n_features != 0 {
            let text = format!("{} features; a state has {}", features.len(), self.n_features);
            return Err(Error::value(codes::STATE_FEATURES, text));
        }
        let mut hidden = Vec::with_capacity(features.len() / self.n_features * self.bias.len());
        for state in features.chunks_exact(self.n_features) {
            self.add_state(tokens, state, &mut hidden)?;
        }
        match &self.upper {
            Some(upper) => scores.extend(upper.apply(self.order, &hidden)),
            None => scores.extend(hidden),
        }
        Ok(())
    }

    /// Appends the outputs of the hidden layer for a state.
    fn add_state(
        &self,
        tokens: &TokenProducts,
        state: &[i32],
        hidden: &mut Vec<f32>,
    ) -> Result<()> {
        let width = self.bias.len();
        let mut sum = vec![0.0; width];
        for (feature, at) in state.iter().enumerate() {
            let products = self.products_of(tokens, *at)?;
            let of_feature = &products[feature * width..(feature + 1) * width];
            add(&mut sum, of_feature);
        }
        add(&mut sum, &self.bias);
        hidden.extend(sum.chunks_exact(self.pieces).map(largest));
        Ok(())
    }

    /// Returns the products of a token for all features.
    fn products_of<'t>(&'t self, tokens: &'t TokenProducts, at: i32) -> Result<&'t [f32]> {
        if at == -1 {
            return Ok(&self.padding);
        }
        let width = self.padding.len();
        let place = usize::try_from(at).ok().filter(|at| *at < tokens.n_tokens);
        let place = place.ok_or_else(|| {
            let text = format!("a feature at {at}; the batch has {} tokens", tokens.n_tokens);
            Error::value(codes::STATE_FEATURES, text)
        })?;
        Ok(&tokens.products[place * width..(place + 1) * width])
    }
}

fn structure(text: &str) -> Error {
    Error::value(codes::MODEL_STRUCTURE, format!("the network of states: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = include_bytes!("../../../tests/files/parser.model");
    /// The bits of the vectors of three tokens, then lines with the features of a state and the
    /// bits of its scores; see `tests/tools/reference_models.py`.
    const RESULTS: &str = include_str!("../../../tests/files/parser.txt");

    fn floats(digits: &str) -> Vec<f32> {
        let bits = digits.as_bytes().chunks_exact(8).map(|bits| {
            let bits = std::str::from_utf8(bits).unwrap();
            f32::from_bits(u32::from_str_radix(bits, 16).unwrap())
        });
        bits.collect()
    }

    #[test]
    fn scores_have_the_bits_of_spacy() {
        let file = ModelFile::parse(FILE).unwrap();
        let network = StateNetwork::read(&file, GemmOrder::Generic).unwrap();
        assert_eq!((network.n_features(), network.input_width(), network.n_scores()), (8, 4, 5));
        let mut lines = RESULTS.lines();
        let tokens = network.prepare(&floats(lines.next().unwrap()));
        for line in lines {
            let (features, expected) = line.split_once('|').unwrap();
            let features: Vec<i32> = features.split(' ').map(|at| at.parse().unwrap()).collect();
            let mut scores = Vec::new();
            network.score(&tokens, &features, &mut scores).unwrap();
            let bits = |scores: &[f32]| scores.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&scores), bits(&floats(expected)), "{features:?}");
        }
    }

    #[test]
    fn a_feature_outside_of_the_batch_is_an_error() {
        let file = ModelFile::parse(FILE).unwrap();
        let network = StateNetwork::read(&file, GemmOrder::Generic).unwrap();
        let tokens = network.prepare(&[1.0; 8]);
        for features in [&[2; 8][..], &[-2; 8], &[0; 7]] {
            let error = network.score(&tokens, features, &mut Vec::new()).unwrap_err();
            assert_eq!(error.code(), "state-features", "{error}");
        }
        let mut scores = Vec::new();
        network.score(&tokens, &[], &mut scores).unwrap();
        assert_eq!(scores, []);
    }

    #[test]
    fn a_file_of_another_network_is_refused() {
        let file = include_bytes!("../../../tests/files/tok2vec.model");
        let file = ModelFile::parse(file).unwrap();
        let error = StateNetwork::read(&file, GemmOrder::Generic).unwrap_err();
        assert_eq!(error.code(), "model-structure");
        assert!(error.message().contains("parser_model"), "{error}");
    }
}
