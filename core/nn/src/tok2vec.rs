//! Token vectors: hash embeddings of attributes, mixed by a layer, then convolutions over windows.
//!
//! The architectures `spacy.Tok2Vec`, `spacy.MultiHashEmbed` and `spacy.MaxoutWindowEncoder` of
//! version 2.

use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::Value;

use crate::layers::{HashEmbed, LayerNorm, Maxout, expand_window};
use crate::model_file::{ModelFile, ModelNode};
use crate::sums::GemmOrder;

/// Maximum number of neighbours on a side; spaCy's pipelines have one.
const MAX_WINDOW: u64 = 64;

/// A network that makes a vector for each token of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Tok2Vec {
    embeds: Vec<HashEmbed>,
    mix: MaxoutBlock,
    convolutions: Vec<MaxoutBlock>,
    window: usize,
    order: GemmOrder,
}

/// A maxout layer with normalized results.
#[derive(Clone, Debug, PartialEq)]
struct MaxoutBlock {
    maxout: Maxout,
    norm: LayerNorm,
}

impl MaxoutBlock {
    fn apply(&self, order: GemmOrder, rows: &[f32]) -> Vec<f32> {
        let mut rows = self.maxout.apply(order, rows);
        self.norm.apply(&mut rows);
        rows
    }
}

impl Tok2Vec {
    /// Reads a network from nodes in the order of a file, whose names the caller has compared with
    /// [`Tok2VecArchitecture::network`](crate::architectures::Tok2VecArchitecture::network).
    ///
    /// # Errors
    ///
    /// `model-structure` if layers do not fit each other; `model-file` for an invalid attribute.
    pub fn read(file: &ModelFile<'_>, order: GemmOrder) -> Result<Tok2Vec> {
        let named = |name: &str| {
            let nodes: Vec<&ModelNode<'_>> =
                file.nodes().iter().filter(|node| node.name() == name).collect();
            nodes
        };
        let embeds: Vec<HashEmbed> =
            named("hashembed").into_iter().map(HashEmbed::read).collect::<Result<_>>()?;
        let blocks = named("maxout").into_iter().zip(named("layernorm"));
        let mut blocks = blocks
            .map(|(maxout, norm)| {
                let block =
                    MaxoutBlock { maxout: Maxout::read(maxout)?, norm: LayerNorm::read(norm)? };
                check_width(maxout, block.maxout.width(), block.norm.width())?;
                Ok(block)
            })
            .collect::<Result<Vec<_>>>()?
            .into_iter();
        let mix = blocks.next().ok_or_else(|| structure("it has no layer \"maxout\""))?;
        let embedded: usize = embeds.iter().map(HashEmbed::width).sum();
        if embedded != mix.maxout.input_width() {
            let text = format!(
                "the embeddings have {embedded} columns; the layer behind them takes {}",
                mix.maxout.input_width()
            );
            return Err(structure(&text));
        }
        let window = match named("expand_window").first() {
            Some(node) => match node.attr("window_size")? {
                Some(Value::UInt(size)) if size <= MAX_WINDOW => size,
                other => return Err(structure(&format!("the window size is {other:?}"))),
            },
            None => 0,
        };
        let window = usize::try_from(window).unwrap_or_default();
        let convolutions: Vec<MaxoutBlock> = blocks.collect();
        let width = mix.maxout.width();
        for block in &convolutions {
            let expected = width * (2 * window + 1);
            if block.maxout.input_width() != expected || block.maxout.width() != width {
                let text = format!(
                    "a convolution makes {} columns of {}; expected {width} of {expected}",
                    block.maxout.width(),
                    block.maxout.input_width()
                );
                return Err(structure(&text));
            }
        }
        Ok(Tok2Vec { embeds, mix, convolutions, window, order })
    }

    /// Returns the number of columns of the result.
    pub fn width(&self) -> usize {
        self.mix.maxout.width()
    }

    /// Returns the number of attributes that are embedded.
    pub fn n_attrs(&self) -> usize {
        self.embeds.len()
    }

    /// Makes the vectors of one document, a row for each token.
    ///
    /// `columns` has for each attribute the values of all tokens.
    ///
    /// # Panics
    ///
    /// If `columns` has another number of attributes, or columns of different lengths.
    pub fn apply(&self, columns: &[Vec<u64>]) -> Vec<f32> {
        assert_eq!(columns.len(), self.embeds.len(), "a column for each attribute");
        let n_tokens = columns.first().map_or(0, Vec::len);
        assert!(columns.iter().all(|column| column.len() == n_tokens), "as many tokens in each");
        let mut embedded = vec![0.0; n_tokens * self.mix.maxout.input_width()];
        let mut start = 0;
        for (embed, ids) in self.embeds.iter().zip(columns) {
            let (rows, width) = (embed.apply(ids), embed.width());
            let targets = embedded.chunks_exact_mut(self.mix.maxout.input_width());
            for (target, row) in targets.zip(rows.chunks_exact(width)) {
                target[start..start + width].copy_from_slice(row);
            }
            start += width;
        }
        let mixed = self.mix.apply(self.order, &embedded);
        self.encode(&mixed)
    }

    /// Runs the convolutions over a document between rows of padding, as many as they reach; these
    /// are zeros in the first convolution only.
    fn encode(&self, rows: &[f32]) -> Vec<f32> {
        let width = self.width();
        let padding = self.window * self.convolutions.len() * width;
        let mut padded = vec![0.0; rows.len() + 2 * padding];
        padded[padding..padding + rows.len()].copy_from_slice(rows);
        for block in &self.convolutions {
            let result = block.apply(self.order, &expand_window(&padded, width, self.window));
            for (row, added) in padded.iter_mut().zip(result) {
                *row += added;
            }
        }
        padded[padding..padding + rows.len()].to_vec()
    }
}

fn check_width(node: &ModelNode<'_>, made: usize, taken: usize) -> Result<()> {
    if made == taken {
        return Ok(());
    }
    Err(structure(&format!("{:?} makes {made} columns; its norm takes {taken}", node.name())))
}

fn structure(text: &str) -> Error {
    Error::value(codes::MODEL_STRUCTURE, format!("the token vectors: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architectures::Tok2VecArchitecture;
    use crate::network::bind;

    const FILE: &[u8] = include_bytes!("../../../tests/files/tok2vec.model");
    /// Ids of three documents and the bits of their results; see `tests/tools/reference_models.py`.
    const RESULTS: &str = include_str!("../../../tests/files/tok2vec.txt");
    const N_ATTRS: usize = 4;

    fn numbers<T>(line: &str, parse: impl Fn(&str) -> T) -> Vec<T> {
        line.split(' ').map(parse).collect()
    }

    #[test]
    fn the_tree_of_the_configuration_has_the_names_of_the_file() {
        let file = ModelFile::parse(FILE).unwrap();
        let network =
            Tok2VecArchitecture { n_attrs: N_ATTRS, static_vectors: false, depth: 2 }.network();
        let bound = bind(&network, &file).unwrap();
        let window = bound.iter().find(|(layer, _)| layer.name() == "expand_window").unwrap();
        assert_eq!(window.1.attr("window_size").unwrap(), Some(Value::UInt(1)));
        for (n_attrs, depth) in [(N_ATTRS, 1), (N_ATTRS, 3), (3, 2)] {
            let other = Tok2VecArchitecture { n_attrs, static_vectors: false, depth }.network();
            assert_eq!(bind(&other, &file).unwrap_err().code(), "model-structure");
        }
    }

    #[test]
    fn vectors_have_the_bits_of_spacy() {
        let file = ModelFile::parse(FILE).unwrap();
        let network = Tok2Vec::read(&file, GemmOrder::Generic).unwrap();
        assert_eq!((network.n_attrs(), network.width()), (N_ATTRS, 4));
        let lines: Vec<&str> = RESULTS.lines().collect();
        for document in lines.chunks(N_ATTRS + 1) {
            let columns: Vec<Vec<u64>> = document[..N_ATTRS]
                .iter()
                .map(|line| numbers(line, |id| id.parse().unwrap()))
                .collect();
            let result = network.apply(&columns);
            let bits: Vec<String> =
                result.iter().map(|number| format!("{:08x}", number.to_bits())).collect();
            assert_eq!(bits.concat(), document[N_ATTRS]);
        }
    }

    #[test]
    fn a_document_without_tokens_has_no_vectors() {
        let file = ModelFile::parse(FILE).unwrap();
        let network = Tok2Vec::read(&file, GemmOrder::Generic).unwrap();
        assert_eq!(network.apply(&vec![Vec::new(); N_ATTRS]), []);
    }
}
