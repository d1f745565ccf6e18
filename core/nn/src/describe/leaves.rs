//! Nodes with dimensions, parameters or attributes of their own, as thinc's and spaCy's
//! constructors make them.
//!
//! Source: `thinc.layers` of thinc 8 and `spacy.ml` of spaCy 3.8.

use lexpool_msgpack::Value;

use super::blueprint::{FirstWeights, Kind, Node, Version};
use super::builder::Builder;
use super::model_file::NodeIx;

type Dim = (&'static str, Option<usize>);

impl Builder {
    fn leaf(
        &mut self,
        name: &str,
        kind: Kind,
        dims: &[Dim],
        params: &'static [&'static str],
    ) -> NodeIx {
        let (layers, refs, attrs) = (Vec::new(), Vec::new(), Vec::new());
        let (name, dims) = (name.to_owned(), dims.to_vec());
        self.push(Node { name, kind, layers, dims, refs, attrs, params })
    }

    pub(super) fn maxout(
        &mut self,
        outputs: Option<usize>,
        inputs: Option<usize>,
        pieces: Option<usize>,
    ) -> NodeIx {
        let dims = [("nO", outputs), ("nI", inputs), ("nP", pieces)];
        self.leaf("maxout", Kind::Maxout, &dims, &["W", "b"])
    }

    pub(super) fn affine(
        &mut self,
        name: &str,
        weights: FirstWeights,
        outputs: Option<usize>,
        inputs: Option<usize>,
    ) -> NodeIx {
        self.leaf(name, Kind::Affine(weights), &[("nO", outputs), ("nI", inputs)], &["W", "b"])
    }

    pub(super) fn linear(&mut self, outputs: Option<usize>, inputs: Option<usize>) -> NodeIx {
        self.affine("linear", FirstWeights::Glorot, outputs, inputs)
    }

    pub(super) fn softmax(
        &mut self,
        outputs: Option<usize>,
        inputs: Option<usize>,
        normalize: bool,
    ) -> NodeIx {
        let ix = self.affine("softmax", FirstWeights::Zero, outputs, inputs);
        self.set_attr(ix, "softmax_normalize", &Value::Bool(normalize));
        self.set_attr(ix, "softmax_temperature", &Value::Float(1.0));
        ix
    }

    pub(super) fn layer_norm(&mut self, width: Option<usize>) -> NodeIx {
        self.leaf("layernorm", Kind::LayerNorm, &[("nI", width), ("nO", width)], &["G", "b"])
    }

    pub(super) fn dropout(&mut self) -> NodeIx {
        let ix = self.plain("dropout");
        self.set_attr(ix, "dropout_rate", &Value::Float(0.0));
        self.set_attr(ix, "is_enabled", &Value::Bool(true));
        ix
    }

    /// Makes a chain of a layer and a dropout.
    pub(super) fn then_dropout(&mut self, layer: NodeIx) -> NodeIx {
        let dropout = self.dropout();
        self.then(layer, dropout)
    }

    /// Makes a layer with normalized results, as the setting `normalize` does.
    pub(super) fn normalized(&mut self, layer: NodeIx) -> NodeIx {
        let norm = self.layer_norm(self.width(layer));
        self.then(layer, norm)
    }

    /// Makes a layer with normalized results and a dropout.
    pub(super) fn normalized_with_dropout(&mut self, layer: NodeIx) -> NodeIx {
        let normalized = self.normalized(layer);
        self.then_dropout(normalized)
    }

    pub(super) fn expand_window(&mut self, window: usize) -> NodeIx {
        let ix = self.named("expand_window", Kind::ExpandWindow(window), &[]);
        self.set_attr(ix, "window_size", &Value::UInt(window as u64));
        ix
    }

    pub(super) fn extract_features(&mut self, attrs: Vec<Value>) -> NodeIx {
        let ix = self.named("extract_features", Kind::ExtractFeatures(attrs.len()), &[]);
        self.set_attr(ix, "columns", &Value::Array(attrs));
        ix
    }

    /// Makes the embedding of a column of ids. `dropout` is the rate that its attributes begin
    /// with; without one the layer has no dropout.
    pub(super) fn hash_embed(
        &mut self,
        (width, rows): (Option<usize>, Option<usize>),
        column: usize,
        seed: u64,
        dropout: Option<f64>,
    ) -> NodeIx {
        let dims = [("nO", width), ("nV", rows), ("nI", None)];
        let embed = self.leaf("hashembed", Kind::HashEmbed, &dims, &["E"]);
        self.set_attr(embed, "column", &Value::UInt(column as u64));
        self.set_attr(embed, "seed", &Value::UInt(seed));
        if let Some(rate) = dropout {
            self.set_attr(embed, "dropout_rate", &Value::Float(rate));
        }
        let ids = self.named("ints-getitem", Kind::Ids, &[]);
        let chain = self.then(ids, embed);
        self.set_attr(chain, "column", &Value::UInt(column as u64));
        chain
    }

    pub(super) fn char_embed(&mut self, width: Option<usize>, n_bytes: Option<usize>) -> NodeIx {
        let outputs = width.zip(n_bytes).map(|(width, n_bytes)| width * n_bytes);
        let dims = [("nM", width), ("nC", n_bytes), ("nO", outputs), ("nV", Some(256))];
        self.leaf("charembed", Kind::CharEmbed, &dims, &["E"])
    }

    pub(super) fn static_vectors(&mut self, width: Option<usize>, version: Version) -> NodeIx {
        let dims = [("nO", width), ("nM", None)];
        let ix = self.leaf("static_vectors", Kind::StaticVectors(version), &dims, &["W"]);
        self.set_attr(ix, "key_attr", &Value::Str("ORTH".to_owned()));
        self.set_attr(ix, "dropout_rate", &Value::Float(0.0));
        ix
    }

    pub(super) fn attention(&mut self, width: Option<usize>) -> NodeIx {
        self.leaf("para-attn", Kind::Attention, &[("nO", width)], &["Q"])
    }

    pub(super) fn sparse_linear(
        &mut self,
        outputs: Option<usize>,
        length: Option<usize>,
        version: Version,
    ) -> NodeIx {
        let dims = [("nO", outputs), ("length", length)];
        let ix = self.leaf("sparse_linear", Kind::SparseLinear(version), &dims, &["W", "b"]);
        self.set_attr(ix, "v1_indexing", &Value::Bool(version == Version::First));
        ix
    }

    pub(super) fn precomputable_affine(&mut self, dims: [Dim; 4]) -> NodeIx {
        let kind = Kind::PrecomputableAffine;
        let ix = self.leaf("precomputable_affine", kind, &dims, &["W", "b", "pad"]);
        self.set_attr(ix, "dropout_rate", &Value::Float(0.1));
        ix
    }

    pub(super) fn listener(&mut self, width: Option<usize>) -> NodeIx {
        self.leaf("tok2vec-listener", Kind::Listener, &[("nO", width)], &[])
    }
}
