//! Annotator: adds columns of tokens to record batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use rayon::prelude::*;

use super::input::{self, TextColumn};
use super::layout::ColumnLayout;
use super::token_rows::TokenRows;
use crate::arrow::errors::internal;
use crate::codes;
use crate::threads::{self, InheritedGuard};
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};

/// Minimum of the bytes of text per task: for less, starting a task costs more than it saves.
const TASK_BYTES: usize = 1 << 15;

/// Columns that an [`Annotator`] adds to a batch, and its source of texts.
#[derive(Clone, Debug)]
pub struct AnnotatorOptions {
    /// Name of the text column; `None` for the only column of strings.
    pub text: Option<String>,
    /// The columns to add, in this order; see [`Annotator`] for their names.
    pub columns: Vec<String>,
    /// Prefix of the names of added columns.
    pub prefix: String,
    /// Number of threads per batch; 0 for one per core, 1 for the caller's thread only.
    pub threads: usize,
    /// Set to add signed numbers, for engines that have no unsigned ones: int32 instead of uint32,
    /// and int64 with the same bits instead of uint64.
    pub signed: bool,
}

impl Default for AnnotatorOptions {
    /// `tokens` and `strings`, on all cores.
    fn default() -> AnnotatorOptions {
        AnnotatorOptions {
            text: None,
            columns: ["tokens", "strings"].map(str::to_owned).into(),
            prefix: String::new(),
            threads: 0,
            signed: false,
        }
    }
}

/// Adds columns of tokens to record batches with a column of texts.
///
/// | column | type | content |
/// | --- | --- | --- |
/// | `tokens` | list of struct | `start`, `end`, `orth`, `space`, as in [`docs`](crate::arrow::docs()) |
/// | `n_tokens` | uint32 | number of tokens |
/// | `strings` | list of utf8 | each string that an id of the row stands for, in order of first use |
/// | `start`, `end` | list of uint32 | offsets of tokens, in characters |
/// | `space` | list of bool | true if a space follows |
/// | `orth`, `lower`, `norm`, `shape`, `prefix`, `suffix`, `lang` | list of uint64 | ids |
/// | `orth_`, `lower_`, ... | list of utf8 | the strings of these ids |
/// | `length`, `id` | list of uint64 | length of the word in characters, and its rank |
/// | `is_alpha`, `like_num`, ... | list of bool | any flag |
///
/// If a text is null, so are all its columns. Columns of the batch itself are passed on without a
/// copy.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{RecordBatch, StringArray, cast::AsArray};
/// use lexpool::arrow::{Annotator, AnnotatorOptions};
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Arc::new(Tokenizer::blank("en")?);
/// let columns = vec!["n_tokens".to_owned(), "lower_".to_owned()];
/// let options = AnnotatorOptions { columns, ..AnnotatorOptions::default() };
/// let annotator = Annotator::new(&tokenizer, options)?;
/// let texts = StringArray::from(vec!["Let's go!", "Where?"]);
/// let batch = RecordBatch::try_from_iter([("text", Arc::new(texts) as _)]).unwrap();
/// let annotated = annotator.annotate(&batch)?;
/// let words = annotated["lower_"].as_list::<i32>().value(0);
/// assert_eq!(words.as_string::<i32>().value(1), "'s");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Annotator {
    tokenizer: Arc<Tokenizer>,
    options: AnnotatorOptions,
    layout: ColumnLayout,
}

impl Annotator {
    /// Creates an annotator with the given tokenizer.
    ///
    /// If two crafted words have the same id, the vocab's store keeps the first one; make it
    /// [strict](crate::strings::StringStore::set_strict) to get an error instead.
    ///
    /// # Errors
    ///
    /// `arrow-columns` for an unknown column, listing the known ones, or for a repeated one.
    pub fn new(tokenizer: &Arc<Tokenizer>, options: AnnotatorOptions) -> Result<Annotator> {
        let layout = ColumnLayout::new(&options.columns)?;
        Ok(Annotator { tokenizer: Arc::clone(tokenizer), options, layout })
    }

    /// Returns the tokenizer.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        &self.tokenizer
    }

    /// Returns the options.
    pub fn options(&self) -> &AnnotatorOptions {
        &self.options
    }

    /// Returns the fields of the added columns.
    pub fn fields(&self) -> Vec<Field> {
        let AnnotatorOptions { columns, prefix, signed, .. } = &self.options;
        let named = columns.iter().zip(&self.layout.columns);
        named
            .map(|(name, column)| column.field(&format!("{prefix}{name}"), &self.layout, *signed))
            .collect()
    }

    /// Returns the schema of annotated batches: the columns of the input, then the added ones.
    ///
    /// # Errors
    ///
    /// `arrow-text-column` if the text column is missing or ambiguous; `arrow-columns` if the input
    /// has a column with the name of an added one.
    pub fn schema(&self, input: &Schema) -> Result<SchemaRef> {
        self.text_column(input)?;
        let mut fields = input.fields().to_vec();
        for field in self.fields() {
            if input.column_with_name(field.name()).is_some() {
                let text = format!(
                    "the column {:?} already exists; the columns are {}; set a prefix for new ones",
                    field.name(),
                    input::described(input)
                );
                return Err(Error::value(codes::ARROW_COLUMNS, text));
            }
            fields.push(Arc::new(field));
        }
        Ok(Arc::new(Schema::new_with_metadata(fields, input.metadata().clone())))
    }

    /// Adds the columns to a batch.
    ///
    /// Cost: that of [`tokenize`](Tokenizer::tokenize), and per token 17 bytes of `tokens` and one
    /// look-up for `strings`.
    ///
    /// # Errors
    ///
    /// As for [`schema`](Annotator::schema) and [`tokenize`](Tokenizer::tokenize), with the number
    /// of the row; `arrow-invalid` for texts that are not UTF-8 or exceed their buffer;
    /// `arrow-too-many` for more tokens or bytes of strings than 31-bit offsets allow; `threads`.
    pub fn annotate(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let schema = self.schema(&batch.schema())?;
        let at = self.text_column(&batch.schema())?;
        let name = batch.schema_ref().field(at).name().clone();
        let named = |error: Error| error.context(format_args!("column {name:?}"));
        let texts = TextColumn::new(batch.column(at)).map_err(named)?;
        let parts = self.parts(&texts).map_err(named)?;
        let mut columns = batch.columns().to_vec();
        columns.extend(self.layout.assemble(parts, self.options.signed)?);
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema, columns, &rows).map_err(|error| internal(&error))
    }

    /// Returns the position of the text column.
    fn text_column(&self, input: &Schema) -> Result<usize> {
        input::text_column(input, self.options.text.as_deref())
    }

    /// Annotates ranges of rows on the threads of the pool; returns them in order.
    fn parts(&self, texts: &TextColumn<'_>) -> Result<Vec<TokenRows>> {
        let within = InheritedGuard::this_thread();
        let part = |rows: Range<usize>| {
            let _busy = within.enter();
            TokenRows::new(&self.tokenizer, &self.layout, texts, rows)
        };
        let bytes = texts.bytes();
        if threads::alone(self.options.threads) || bytes < 2 * TASK_BYTES || texts.len() < 2 {
            return Ok(vec![part(0..texts.len())?]);
        }
        let pool = threads::pool(self.options.threads)?;
        let size = (bytes / (pool.current_num_threads() * 4)).max(TASK_BYTES);
        let ranges = texts.split(size);
        let done: Vec<Result<TokenRows>> =
            pool.install(|| ranges.into_par_iter().map(part).collect());
        // The first error by row, whichever thread was faster.
        done.into_iter().collect()
    }
}
