//! Contexts of entities, encoded by a network.

use super::encoder::Encoder;
use crate::Result;
use crate::knowledge::ContextEncoder;
use crate::tokens::Doc;

/// Encodes the sentence of the first entity of a context: the networks `spacy.EntityLinker`. The
/// first version of the network takes the mean of all tokens instead.
pub struct ContextNetwork(Encoder);

impl ContextNetwork {
    /// Makes an encoder of a network.
    pub fn new(encoder: Encoder) -> ContextNetwork {
        ContextNetwork(encoder)
    }
}

impl ContextEncoder for ContextNetwork {
    fn encode(&self, sentences: &Doc) -> Result<Vec<f32>> {
        let entities = sentences.entities().spans()?;
        let first = entities.first().and_then(|entity| usize::try_from(entity.start).ok());
        let mut ranges = sentences.sentences().ranges()?;
        let sentence = ranges.find(|range| first.is_some_and(|first| range.contains(&first)));
        let span = sentence.map_or((0, sentences.len()), |range| (range.start, range.end));
        Ok(self.0.rows_of_spans(sentences, &[span])?.into_numbers())
    }
}
