//! spaCy's architectures, as trees of layers for [`bind`](crate::network::bind), which compares
//! them with a file.
//!
//! Sources: the registered functions of the same names in spaCy 3.8.

use std::rc::Rc;

use crate::network::{Layer, chain, clone, concatenate, named, residual, with_array};

/// The settings of `spacy.Tok2Vec` over `spacy.MultiHashEmbed` and `spacy.MaxoutWindowEncoder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tok2VecArchitecture {
    /// Number of attributes that are embedded.
    pub n_attrs: usize,
    /// True if the vectors of words are embedded too.
    pub static_vectors: bool,
    /// Number of convolutions.
    pub depth: usize,
}

impl Tok2VecArchitecture {
    /// Builds the network.
    pub fn network(self) -> Rc<Layer> {
        let leaf = Layer::leaf;
        let hash_embed = || chain([leaf("ints-getitem"), leaf("hashembed")]);
        let hash_embeds: Vec<_> = (0..self.n_attrs).map(|_| hash_embed()).collect();
        let tables =
            [leaf("extract_features"), leaf("list2ragged"), with_array(concatenate(hash_embeds))];
        let mix = [with_array(maxout_block()), leaf("ragged2list")];
        let embed = if self.static_vectors {
            let both = concatenate([chain(tables), leaf("static_vectors")]);
            chain([both].into_iter().chain(mix).collect::<Vec<_>>())
        } else {
            chain(tables.into_iter().chain(mix).collect::<Vec<_>>())
        };
        let convolution = || residual(chain([leaf("expand_window"), maxout_block()]));
        chain([embed, with_array(clone(convolution, self.depth))])
    }
}

/// Builds `spacy.Tok2VecListener`, which takes the vectors of a shared component.
pub fn listener() -> Rc<Layer> {
    Layer::leaf("tok2vec-listener")
}

/// Builds `spacy.Tagger` over a network of token vectors; taggers, morphologizers, sentence
/// recognizers and trainable lemmatizers have this architecture.
pub fn tagger(tok2vec: Rc<Layer>) -> Rc<Layer> {
    chain([tok2vec, with_array(Layer::leaf("softmax"))])
}

/// Builds `spacy.TransitionBasedParser` over a network of token vectors.
pub fn transition_parser(tok2vec: Rc<Layer>, use_upper: bool) -> Rc<Layer> {
    let leaf = Layer::leaf;
    let reduced = chain([tok2vec, leaf("list2array"), leaf("linear")]);
    let upper = leaf(if use_upper { "linear" } else { "noop" });
    named("parser_model", [reduced, leaf("precomputable_affine"), upper])
}

/// Builds `Maxout(..., normalize=True, dropout=...)`.
fn maxout_block() -> Rc<Layer> {
    let normalized = chain([Layer::leaf("maxout"), Layer::leaf("layernorm")]);
    chain([normalized, Layer::leaf("dropout")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelFile;
    use crate::network::bind;

    #[test]
    fn a_parser_has_the_names_of_its_file() {
        let file = include_bytes!("../../../tests/files/parser.model");
        let file = ModelFile::parse(file).unwrap();
        let tok2vec = Tok2VecArchitecture { n_attrs: 4, static_vectors: false, depth: 1 };
        assert!(bind(&transition_parser(tok2vec.network(), true), &file).is_ok());
        let error = bind(&transition_parser(tok2vec.network(), false), &file).unwrap_err();
        assert_eq!(error.code(), "model-structure");
        assert!(error.message().contains("node 3 is \"linear\" in the file and \"noop\""));
        assert!(bind(&tagger(tok2vec.network()), &file).is_err());
        assert!(bind(&transition_parser(listener(), true), &file).is_err());
    }
}
