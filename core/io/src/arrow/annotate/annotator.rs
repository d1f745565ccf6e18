//! Annotator: adds columns of tokens and their annotation to record batches.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use lexpool::codes;
use lexpool::pipeline::Pipeline;
use lexpool::threads;
use lexpool::tokenizer::Tokenizer;
use lexpool::{Error, ErrorKind, Result};

use super::input::{self, TextColumn};
use super::layout::ColumnLayout;
use super::token_rows::TokenRows;
use crate::arrow::errors::internal;

/// Minimum of the bytes of text per task: for less, starting a task costs more than it saves.
const TASK_BYTES: usize = 1 << 15;

/// Maximum of the bytes of text per task: some ten milliseconds, the time that a thread works on
/// after an interruption. One that works alone calls `watch` as often.
const MAX_TASK_BYTES: usize = 1 << 19;

/// Bytes of text per task of a pipeline with networks: a few groups, which take well under a
/// second, so that threads share short tables and an interruption is noticed soon.
const PIPELINE_TASK_BYTES: usize = 1 << 13;

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

impl AnnotatorOptions {
    /// Returns true if a column has annotation, which components of a pipeline set.
    ///
    /// # Errors
    ///
    /// As for [`Annotator::new`].
    pub fn annotates(&self) -> Result<bool> {
        Ok(ColumnLayout::new(&self.columns)?.annotates())
    }
}

/// Adds columns of tokens and of annotation to record batches with a column of texts.
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
/// | `tag`, `pos`, `morph`, `lemma`, `dep`, `ent_type`, `ent_kb_id` | list of uint64 | ids of annotation; `pos` has spaCy's numbers |
/// | `tag_`, `pos_`, ... | list of utf8 | the strings of these ids |
/// | `head` | list of uint32 | the position of the head in the document; that of the token itself for a root |
/// | `ent_iob` | list of uint8 | 1 inside an entity, 2 outside, 3 at the beginning of one |
/// | `sent_start` | list of int8 | 1 at the beginning of a sentence, -1 elsewhere |
/// | `cats` | list of struct | the categories: `label` (large utf8), `score` (float64) |
///
/// If a text is null, so are all its columns. Unset annotation is null within its list.
/// Columns of the batch itself are passed on without a copy.
///
/// The components of a pipeline run if a column has annotation, from `tag` on in this table. All
/// columns are then of the documents as the components leave them, with tokens that they may have
/// merged or split.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{RecordBatch, StringArray, cast::AsArray};
/// use lexpool_io::arrow::{Annotator, AnnotatorOptions};
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
    pipeline: Pipeline,
    options: AnnotatorOptions,
    layout: ColumnLayout,
}

impl Annotator {
    /// Creates an annotator with the given tokenizer.
    ///
    /// If two crafted words have the same id, the vocab's store keeps the first one; make it
    /// [strict](lexpool::strings::StringStore::set_strict) to get an error instead.
    ///
    /// # Errors
    ///
    /// `arrow-columns` for an unknown column, listing the known ones, for a repeated one, or for
    /// one of annotation.
    pub fn new(tokenizer: &Arc<Tokenizer>, options: AnnotatorOptions) -> Result<Annotator> {
        Annotator::of_pipeline(Pipeline::new(Arc::clone(tokenizer), Vec::new()), options)
    }

    /// Creates an annotator with the given pipeline.
    ///
    /// # Errors
    ///
    /// `arrow-columns` for an unknown column, listing the known ones, for a repeated one, or for
    /// one of annotation that no component of the pipeline sets.
    pub fn of_pipeline(pipeline: Pipeline, options: AnnotatorOptions) -> Result<Annotator> {
        let layout = ColumnLayout::new(&options.columns)?;
        layout.check_steps(&options.columns, pipeline.steps())?;
        Ok(Annotator { pipeline, options, layout })
    }

    /// Returns the tokenizer.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        self.pipeline.tokenizer()
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
    /// Cost: that of [`tokenize`](Tokenizer::tokenize) or of the pipeline, and per token 17 bytes
    /// of `tokens` and one look-up for `strings`. Texts go through networks in groups, on all
    /// threads.
    ///
    /// # Errors
    ///
    /// As for [`schema`](Annotator::schema) and [`tokenize`](Tokenizer::tokenize), with the number
    /// of the row; those of components, with their name; `arrow-invalid` for texts that are not
    /// UTF-8 or exceed their buffer; `arrow-too-many` for more tokens or bytes of strings than
    /// 31-bit offsets allow; `threads`.
    pub fn annotate(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        self.annotate_watched(batch, &mut || Ok(()))
    }

    /// Adds the columns to a batch, and calls `watch` on this thread every 50 ms; a thread that
    /// works alone calls it between tasks. Once it fails, the work is stopped.
    ///
    /// # Errors
    ///
    /// The error of `watch`; those of [`annotate`](Annotator::annotate).
    pub fn annotate_watched(
        &self,
        batch: &RecordBatch,
        watch: &mut dyn FnMut() -> Result<()>,
    ) -> Result<RecordBatch> {
        let schema = self.schema(&batch.schema())?;
        let at = self.text_column(&batch.schema())?;
        let name = batch.schema_ref().field(at).name().clone();
        let named = |error: Error| match error.kind() {
            ErrorKind::Interrupted => error,
            _ => error.context(format_args!("column {name:?}")),
        };
        let texts = TextColumn::new(batch.column(at)).map_err(named)?;
        let parts = self.parts(&texts, watch).map_err(named)?;
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
    fn parts(
        &self,
        texts: &TextColumn<'_>,
        watch: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<TokenRows>> {
        let ranges = self.ranges(texts);
        let mut parts: Vec<Part> =
            ranges.into_iter().map(|rows| Part { rows, done: None }).collect();
        threads::each_watched(&mut parts, self.options.threads, watch, |part, stop| {
            if !stop.load(Ordering::Relaxed) {
                part.done = Some(self.part(texts, part.rows.clone(), stop));
            }
        })?;
        // The first error by row, whichever thread was faster. Without an error of `watch`, all
        // parts are done.
        parts.into_iter().filter_map(|part| part.done).collect()
    }

    /// Divides the rows into tasks.
    fn ranges(&self, texts: &TextColumn<'_>) -> Vec<Range<usize>> {
        let bytes = texts.bytes();
        let size = if self.layout.annotates() {
            PIPELINE_TASK_BYTES
        } else if threads::alone(self.options.threads) {
            MAX_TASK_BYTES
        } else if bytes < 2 * TASK_BYTES {
            bytes + 1
        } else {
            (bytes / (threads::size(self.options.threads) * 4)).clamp(TASK_BYTES, MAX_TASK_BYTES)
        };
        texts.split(size)
    }

    fn part(
        &self,
        texts: &TextColumn<'_>,
        rows: Range<usize>,
        stop: &AtomicBool,
    ) -> Result<TokenRows> {
        if self.layout.annotates() {
            TokenRows::of_pipeline(&self.pipeline, &self.layout, texts, rows, stop)
        } else {
            TokenRows::of_tokenizer(self.pipeline.tokenizer(), &self.layout, texts, rows)
        }
    }
}

/// Rows of a task, and their values once it is done.
struct Part {
    rows: Range<usize>,
    done: Option<Result<TokenRows>>,
}
