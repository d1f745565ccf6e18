//! The network that scores the states of a parse: `spacy.TransitionBasedParser`.
//!
//! The products of each token with the weights of each feature are computed before states ask for
//! them, and kept: the pre-computation of Chen and Manning (2014). A state then only adds the
//! products of its features' tokens, takes the largest piece of each output, and applies a last
//! affine layer.
//! Source: `precomputable_affine` and `parser_model` of spaCy 3.8.

use std::sync::{Mutex, PoisonError};

use lexpool_error::{Error, Result, codes};

use crate::describe::{Blueprint, Kind, ModelFile, ModelNode};
use crate::infer::modules::{Needs, RowUnit};
use crate::infer::network::Network;
use crate::infer::processor::vectorized;
use crate::infer::rows::Rows;
use crate::infer::scratch::Scratch;
use crate::infer::sums::{GemmOrder, add};
use crate::infer::token_products::{FeatureWeights, ProductBlocks, TokenRows};
use crate::infer::tokens::TokenSource;
use crate::infer::weights::{Linear, larger, piece_by_piece};

/// A network that scores states, with the one that makes vectors of tokens.
#[derive(Debug)]
pub struct StateNetwork {
    tokens: Network,
    weights: FeatureWeights,
    bias: Vec<f32>,
    /// The products of a missing token.
    padding: Vec<f32>,
    n_features: usize,
    pieces: usize,
    /// The last layer; without one the outputs are the scores.
    upper: Option<Linear>,
    order: GemmOrder,
}

/// The products of the tokens of documents.
#[derive(Debug)]
pub struct TokenProducts {
    blocks: Mutex<ProductBlocks>,
    n_tokens: usize,
}

impl StateNetwork {
    /// Reads a network of a parser from a file.
    ///
    /// # Errors
    ///
    /// `model-structure` if the file has other nodes than the description, or parts that do not fit
    /// each other; `model-layer` for a layer that lexpool lacks.
    pub fn read(
        blueprint: &Blueprint,
        file: &ModelFile<'_>,
        order: GemmOrder,
    ) -> Result<StateNetwork> {
        let bound = blueprint.bind(file)?;
        let (Kind::Parser, &[tokens, lower, upper]) =
            (blueprint.root().kind(), blueprint.root().layers())
        else {
            let text = format!("it is {:?}, not a parser", blueprint.root().name());
            return Err(structure(&text));
        };
        let has_upper = blueprint.node(upper).name() != "noop";
        let upper = has_upper.then(|| Linear::read(bound.node(upper))).transpose()?;
        let tokens = Network::of_part(&bound, tokens, order)?;
        if tokens.unit() != RowUnit::Token {
            let text = format!("its vectors are for {}, not for each token", tokens.unit());
            return Err(structure(&text));
        }
        StateNetwork::of_parts(tokens, bound.node(lower), upper, order)
    }

    fn of_parts(
        tokens: Network,
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
            && width == tokens.width()
            && upper.as_ref().is_none_or(|upper| upper.input_width() == outputs)
            && [n_features, outputs, pieces, width].iter().all(|size| *size > 0);
        if !fits {
            let text = format!(
                "\"W\" has the shape {:?}, \"b\" {:?}, \"pad\" {:?}; they take {} columns and give \
                 {:?}",
                weights.shape(),
                bias.shape(),
                padding.shape(),
                tokens.width(),
                upper.as_ref().map(Linear::input_width),
            );
            return Err(structure(&text));
        }
        // The first piece of all outputs, then the second, for each feature.
        let apart = |numbers: &[f32], width: usize| -> Vec<f32> {
            let features = numbers.chunks_exact(outputs * pieces * width);
            features.flat_map(|feature| piece_by_piece(feature, pieces, width)).collect()
        };
        Ok(StateNetwork {
            tokens,
            weights: FeatureWeights::new(&apart(&weights.to_vec(), width), width, order),
            bias: apart(&bias.to_vec(), 1),
            padding: apart(&padding.to_vec(), 1),
            n_features,
            pieces,
            upper,
            order,
        })
    }

    /// Returns the number of columns of the rows that are made of tokens.
    pub fn n_token_columns(&self) -> usize {
        self.tokens.width()
    }

    /// Returns the number of features of a state.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Returns what the network requires of documents.
    pub fn needs(&self) -> Needs {
        self.tokens.needs()
    }

    /// Returns the number of scores of a state.
    pub fn n_scores(&self) -> usize {
        self.upper.as_ref().map_or(self.bias.len() / self.pieces, Linear::width)
    }

    /// Prepares the products of the tokens of documents, which are numbered one after another.
    /// Cost: a pass of the network that makes vectors of tokens, which are kept. The products are
    /// computed when states are scored.
    ///
    /// # Errors
    ///
    /// As for [`Network::run`], if one of the documents is wrong.
    pub fn prepare(&self, documents: &[&dyn TokenSource]) -> Result<TokenProducts> {
        let reduced = self.tokens.run_all(documents)?;
        let reduced: Vec<&[f32]> = reduced.iter().map(Rows::numbers).collect();
        let (reduced, width) = (reduced.concat(), self.weights.width());
        let n_tokens = reduced.len() / width;
        Ok(TokenProducts { blocks: Mutex::new(ProductBlocks::new(reduced, width)), n_tokens })
    }

    /// Appends the scores of states to `scores`.
    ///
    /// `features` has for each state the positions of its features' tokens in the document, -1 for
    /// a missing token. With `rectify`, negative outputs of a hidden layer with one piece become 0.
    /// Cost: the additions of each state, and the products of tokens that no recent call had; 32 MB
    /// of them are kept, or those of one call. Calls on several threads wait for each other while
    /// products are computed.
    ///
    /// # Errors
    ///
    /// `state-features` for a position outside of the document, or another number of features.
    pub fn score(
        &self,
        tokens: &TokenProducts,
        features: &[i32],
        rectify: bool,
        scores: &mut Vec<f32>,
    ) -> Result<()> {
        if features.len() % self.n_features != 0 {
            let text = format!("{} features; a state has {}", features.len(), self.n_features);
            return Err(Error::value(codes::STATE_FEATURES, text));
        }
        let is_known = |at: &i32| usize::try_from(*at).map_or(*at == -1, |at| at < tokens.n_tokens);
        if let Some(at) = features.iter().find(|at| !is_known(at)) {
            let text = format!("a feature at {at}; the document has {} tokens", tokens.n_tokens);
            return Err(Error::value(codes::STATE_FEATURES, text));
        }
        let n_states = features.len() / self.n_features;
        let mut hidden = Scratch::any(n_states * self.bias.len() / self.pieces);
        let rows = {
            // A panic leaves whole blocks.
            let mut blocks = tokens.blocks.lock().unwrap_or_else(PoisonError::into_inner);
            let named = features.iter().filter_map(|at| usize::try_from(*at).ok());
            blocks.rows(&self.weights, named)
        };
        vectorized(|| self.write_hidden(&rows, features, &mut hidden));
        if rectify && self.pieces == 1 {
            for output in hidden.iter_mut().filter(|output| **output < 0.0) {
                // As NumPy multiplies with a mask: the sign of a zero stays.
                *output *= 0.0;
            }
        }
        match &self.upper {
            Some(upper) => scores.extend(upper.apply(self.order, &hidden)),
            None => scores.extend_from_slice(&hidden),
        }
        Ok(())
    }

    /// Writes the outputs of the hidden layer for states.
    #[inline]
    fn write_hidden(&self, rows: &TokenRows, features: &[i32], hidden: &mut [f32]) {
        let width = self.bias.len();
        let n_outputs = width / self.pieces;
        let mut sum = vec![0.0; width];
        let mut products: Vec<&[f32]> = Vec::with_capacity(self.n_features);
        let states = features.chunks_exact(self.n_features);
        for (state, hidden) in states.zip(hidden.chunks_exact_mut(n_outputs)) {
            products.clear();
            products.extend(state.iter().enumerate().map(|(feature, at)| {
                let all = match usize::try_from(*at) {
                    Ok(token) => rows.of_token(token),
                    Err(_) => &self.padding,
                };
                &all[feature * width..(feature + 1) * width]
            }));
            self.add_up(&products, &mut sum);
            let (first, rest) = sum.split_at(n_outputs);
            hidden.copy_from_slice(first);
            for piece in rest.chunks_exact(n_outputs) {
                for (largest, number) in hidden.iter_mut().zip(piece) {
                    *largest = larger(*largest, *number);
                }
            }
        }
    }

    /// Writes the sums of products and bias to `sum`.
    #[inline]
    fn add_up(&self, products: &[&[f32]], sum: &mut [f32]) {
        /// The number of sums that stay in registers: those of half of AVX2's.
        const LANES: usize = 64;
        let mut at = 0;
        for sum in sum.chunks_mut(LANES) {
            let end = at + sum.len();
            if let Some(sum) = sum.first_chunk_mut::<LANES>() {
                let mut sums = [0.0; LANES];
                for row in products.iter().chain([&&self.bias[..]]) {
                    let Some(row) = row[at..end].first_chunk::<LANES>() else { break };
                    for (sum, number) in sums.iter_mut().zip(row) {
                        *sum += number;
                    }
                }
                *sum = sums;
            } else {
                sum.fill(0.0);
                for row in products {
                    add(sum, &row[at..end]);
                }
                add(sum, &self.bias[at..end]);
            }
            at = end;
        }
    }
}

fn structure(text: &str) -> Error {
    Error::value(codes::MODEL_STRUCTURE, format!("the network of states: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe;
    use crate::infer::network::tests::{Columns, documents, floats};

    const FILE: &[u8] = include_bytes!("../../../../tests/files/parser.model");
    /// The ids of the attributes of three tokens, then lines with the features of a state and the
    /// bits of its scores; see `tests/tools/reference_models.py`.
    const RESULTS: &str = include_str!("../../../../tests/files/parser.txt");

    fn blueprint(use_upper: bool) -> Blueprint {
        let settings = include_str!("../../../../tests/files/parser.json");
        let mut settings: serde_json::Value = serde_json::from_str(settings).unwrap();
        settings["use_upper"] = use_upper.into();
        describe::build(&settings, "components.parser.model").unwrap()
    }

    fn network() -> StateNetwork {
        let file = ModelFile::parse(FILE).unwrap();
        StateNetwork::read(&blueprint(true), &file, GemmOrder::Generic).unwrap()
    }

    fn tokens() -> Columns {
        let (columns, _) = documents(RESULTS.split_once('|').unwrap().0).remove(0);
        columns
    }

    #[test]
    fn scores_have_the_bits_of_spacy() {
        let network = network();
        assert_eq!((network.n_features(), network.n_scores()), (8, 5));
        let products = network.prepare(&[&tokens()]).unwrap();
        for line in RESULTS.lines().skip(tokens().n_attrs()) {
            let (features, expected) = line.split_once('|').unwrap();
            let features: Vec<i32> = features.split(' ').map(|at| at.parse().unwrap()).collect();
            let mut scores = Vec::new();
            network.score(&products, &features, false, &mut scores).unwrap();
            let bits = |scores: &[f32]| scores.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&scores), bits(&floats(expected)), "{features:?}");
        }
    }

    #[test]
    fn a_long_document_has_the_scores_of_its_tokens() {
        let network = network();
        let short = tokens();
        let products = network.prepare(&[&short]).unwrap();
        let n_documents = 20_000 / short.len();
        let documents: Vec<&dyn TokenSource> = vec![&short; n_documents];
        let of_all = network.prepare(&documents).unwrap();
        // Steps that visit the blocks in no order, and states of many blocks.
        for step in [1, 7, 1_001, 5_003] {
            for state in 0..200 {
                let place = |feature: usize| (state * step + feature * step) % n_documents;
                let own: Vec<i32> =
                    (0..8).map(|feature| [0, 1, 2, -1][(state + feature) % 4]).collect();
                let far = own.iter().enumerate().map(|(feature, at)| match *at {
                    -1 => -1,
                    at => at + i32::try_from(place(feature) * short.len()).unwrap(),
                });
                let (mut expected, mut scores) = (Vec::new(), Vec::new());
                network.score(&products, &own, false, &mut expected).unwrap();
                network.score(&of_all, &far.collect::<Vec<_>>(), false, &mut scores).unwrap();
                assert_eq!(scores, expected, "state {state}, step {step}");
            }
        }
    }

    #[test]
    fn a_feature_outside_of_the_document_is_an_error() {
        let network = network();
        let products = network.prepare(&[&tokens()]).unwrap();
        for features in [&[3; 8][..], &[-2; 8], &[0; 7]] {
            let error = network.score(&products, features, false, &mut Vec::new()).unwrap_err();
            assert_eq!(error.code(), "state-features", "{error}");
        }
        let mut scores = Vec::new();
        network.score(&products, &[], false, &mut scores).unwrap();
        assert!(scores.is_empty());
    }

    #[test]
    fn a_file_of_another_network_is_refused() {
        let other = include_bytes!("../../../../tests/files/tok2vec.model");
        for (file, use_upper) in [(&other[..], true), (FILE, false)] {
            let file = ModelFile::parse(file).unwrap();
            let error =
                StateNetwork::read(&blueprint(use_upper), &file, GemmOrder::Generic).unwrap_err();
            assert_eq!(error.code(), "model-structure", "{error}");
        }
    }
}
