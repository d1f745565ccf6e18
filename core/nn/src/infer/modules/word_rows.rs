//! Rows that depend on one token each, cached by what they are made of.
//!
//! The first layers of a network see one token at a time: embeddings of its attributes, its word
//! vector, a layer that mixes them. Texts repeat their words, so most rows are known.

use ahash::RandomState;
use lexpool_error::Result;
use lexpool_structs::AttrId;

use super::row_cache::RowCache;
use super::{Context, Module, Needs, RowUnit, Shape, Value, WordInputs};
use crate::infer::rows::Rows;
use crate::infer::tokens::{TensorView, TokenSource, WordVectors};

/// Runs a module from the tokens of documents to rows, each of which depends on one token.
#[derive(Debug)]
pub(super) struct WordRows {
    inner: Box<dyn Module>,
    inputs: WordInputs,
    width: usize,
    hasher: RandomState,
    cache: RowCache,
}

impl WordRows {
    /// Caches the rows of a module, if each depends on one token; else returns the module.
    pub(super) fn new(inner: Box<dyn Module>) -> Result<WordRows, Box<dyn Module>> {
        let mut inputs = WordInputs::default();
        match inner.output_shape(Shape::Tokens) {
            Ok(Shape::Rows(RowUnit::Token, width)) if inner.collect_word_inputs(&mut inputs) => {
                let (hasher, cache) = (RandomState::new(), RowCache::default());
                Ok(WordRows { inner, inputs, width, hasher, cache })
            }
            _ => Err(inner),
        }
    }

    /// Returns the key of each token of a document: the values of the attributes, and the hash of
    /// the vector.
    fn keys(&self, tokens: &dyn TokenSource) -> Result<Vec<Vec<u64>>> {
        let columns = self.inputs.attrs.iter().map(|attr| tokens.column(*attr));
        let mut columns = columns.collect::<Result<Vec<_>>>()?;
        if self.inputs.has_vector {
            // The vectors of a vocab may change between documents, so their numbers are the key.
            let vectors = tokens.vectors();
            let mut row = vec![0.0; vectors.map_or(0, WordVectors::width)];
            let hash = |token| {
                let has_vector = vectors.is_some_and(|vectors| vectors.read(token, &mut row));
                let last = vectors.and_then(|vectors| vectors.last_row()).unwrap_or_default();
                let numbers = if has_vector { &row[..] } else { last };
                let bits = numbers.iter().map(|number| number.to_bits());
                self.hasher.hash_one((has_vector, row.len(), bits.collect::<Vec<u32>>()))
            };
            columns.push((0..tokens.len()).map(hash).collect());
        }
        Ok(columns)
    }
}

impl Module for WordRows {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        self.inner.output_shape(input)
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        Ok(self.run_all(std::slice::from_ref(context), vec![value])?.remove(0))
    }

    fn run_all(&self, group: &[Context<'_>], values: Vec<Value>) -> Result<Vec<Value>> {
        let Some(first) = group.first() else { return Ok(values) };
        let mut results: Vec<Vec<f32>> = Vec::with_capacity(group.len());
        let (mut key, mut keys, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for (number, document) in group.iter().enumerate() {
            let columns = self.keys(document.tokens)?;
            let mut numbers = vec![0.0; document.tokens.len() * self.width];
            for (token, row) in numbers.chunks_exact_mut(self.width).enumerate() {
                key.clear();
                key.extend(columns.iter().map(|column| column[token]));
                if !self.cache.read(&key, row) {
                    missing.push((number, token));
                    keys.push(key.clone());
                }
            }
            results.push(numbers);
        }
        if !missing.is_empty() {
            let tokens = SomeTokens { group, places: &missing };
            let context = Context { tokens: &tokens, spans: &[], order: first.order };
            let new_rows = self.inner.run(&context, Value::Tokens)?.into_rows();
            for (((document, token), key), row) in missing.iter().zip(keys).zip(new_rows.rows()) {
                self.cache.insert(&key, row);
                results[*document][token * self.width..][..self.width].copy_from_slice(row);
            }
        }
        let rows = results.into_iter().map(|numbers| Value::Rows(Rows::new(self.width, numbers)));
        Ok(rows.collect())
    }

    fn collect_needs(&self, needs: &mut Needs) {
        self.inner.collect_needs(needs);
    }
}

/// Some tokens of the documents of a group.
struct SomeTokens<'a> {
    group: &'a [Context<'a>],
    /// The document and the token of each.
    places: &'a [(usize, usize)],
}

impl TokenSource for SomeTokens<'_> {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn column(&self, attr: AttrId) -> Result<Vec<u64>> {
        let mut all = Vec::with_capacity(self.places.len());
        for of_document in self.places.chunk_by(|(a, _), (b, _)| a == b) {
            let column = self.group[of_document[0].0].tokens.column(attr)?;
            all.extend(of_document.iter().map(|(_, token)| column[*token]));
        }
        Ok(all)
    }

    fn text(&self, token: usize) -> &str {
        let (document, token) = self.places[token];
        self.group[document].tokens.text(token)
    }

    fn tensor(&self) -> Option<TensorView<'_>> {
        None
    }

    fn vectors(&self) -> Option<&dyn WordVectors> {
        self.group.first()?.tokens.vectors()?;
        Some(self)
    }
}

impl WordVectors for SomeTokens<'_> {
    fn width(&self) -> usize {
        self.of_first().map_or(0, WordVectors::width)
    }

    fn read(&self, token: usize, row: &mut [f32]) -> bool {
        let (document, token) = self.places[token];
        self.group[document].tokens.vectors().is_some_and(|vectors| vectors.read(token, row))
    }

    fn last_row(&self) -> Option<&[f32]> {
        self.of_first()?.last_row()
    }
}

impl SomeTokens<'_> {
    /// Returns the vectors of the first document: those of the others come from the same table.
    fn of_first(&self) -> Option<&dyn WordVectors> {
        self.group.first()?.tokens.vectors()
    }
}
