//! Embeddings of the ids of tokens.

use lexpool_error::Result;

use super::row_cache::RowCache;
use super::{Context, Module, Shape, Value, rows_of};
use crate::rows::Rows;

/// Runs a module from the ids of a token to a row. It sees one token at a time and nothing else of
/// the document, so rows are cached.
#[derive(Debug)]
pub(super) struct Embedding {
    inner: Box<dyn Module>,
    cache: RowCache,
}

impl Embedding {
    /// Makes an embedding of a module that takes ids.
    pub(super) fn new(inner: Box<dyn Module>) -> Embedding {
        Embedding { inner, cache: RowCache::default() }
    }

    /// Embeds the tokens of documents, those without a cached row all at once.
    fn run_on_ids(&self, context: &Context<'_>, documents: &[Vec<Vec<u64>>]) -> Result<Vec<Value>> {
        let n_columns = documents.first().map_or(0, Vec::len);
        let width = rows_of(self.inner.output_shape(Shape::Ids(n_columns)).unwrap_or(Shape::Keys))
            .unwrap_or_else(|text| unreachable!("shapes were checked: {text}"));
        let n_tokens = documents.iter().map(|columns| columns.first().map_or(0, Vec::len));
        let mut numbers = vec![0.0; n_tokens.clone().sum::<usize>() * width];
        let (mut ids, mut missing) = (Vec::new(), vec![Vec::new(); n_columns]);
        let mut missing_rows = Vec::new();
        let tokens = documents.iter().zip(n_tokens.clone());
        let tokens =
            tokens.flat_map(|(columns, n_tokens)| (0..n_tokens).map(move |at| (columns, at)));
        for ((columns, token), row) in tokens.zip(numbers.chunks_exact_mut(width)) {
            ids.clear();
            ids.extend(columns.iter().map(|column| column[token]));
            if !self.cache.read(&ids, row) {
                missing.iter_mut().zip(&ids).for_each(|(column, id)| column.push(*id));
                missing_rows.push(row);
            }
        }
        if !missing_rows.is_empty() {
            let made = self.inner.run(context, Value::Ids(missing.clone()))?.into_rows();
            for (token, (row, made)) in missing_rows.into_iter().zip(made.rows()).enumerate() {
                ids.clear();
                ids.extend(missing.iter().map(|column| column[token]));
                self.cache.insert(&ids, made);
                row.copy_from_slice(made);
            }
        }
        let mut rest = &numbers[..];
        let of_documents = n_tokens.map(|n_tokens| {
            let (own, after) = rest.split_at(n_tokens * width);
            rest = after;
            Value::Rows(Rows::new(width, own.to_vec()))
        });
        Ok(of_documents.collect())
    }
}

impl Module for Embedding {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        self.inner.output_shape(input)
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        Ok(self.run_on_ids(context, &[value.into_ids()])?.remove(0))
    }

    fn run_all(&self, group: &[Context<'_>], values: Vec<Value>) -> Result<Vec<Value>> {
        let Some(context) = group.first() else { return Ok(values) };
        let columns: Vec<_> = values.into_iter().map(Value::into_ids).collect();
        self.run_on_ids(context, &columns)
    }
}
