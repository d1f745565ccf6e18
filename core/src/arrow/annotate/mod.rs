//! Record batches with a column of texts in, the same with columns of tokens out.
//!
//! What the engines that work on batches call: Ray, Spark, Dask, Polars. No vocab goes from one
//! process to another. Ids are hashes and mean the same everywhere, and a batch has the strings that
//! its ids stand for in a column of its own.
//!
//! **Invariant:** what a row gets depends on its text, the rules and the columns asked for: never on
//! its neighbours, on the number of threads, or on what the vocab has met before.

mod columns;
mod input;
mod part;
mod reader;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use rayon::prelude::*;

use self::columns::Layout;
pub(super) use self::input::{Texts, invalid};
use self::part::Part;
pub use self::reader::{AnnotatedReader, Around};
use super::unfit;
use crate::threads::{self, Within};
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};

/// A share of a batch has at least so many bytes of text, or its rows are few: below, handing it to
/// a thread costs more than to do it.
const SHARE: usize = 1 << 15;

/// What an [`Annotator`] adds to a batch, and where it takes texts from.
#[derive(Clone, Debug)]
pub struct AnnotatorOptions {
    /// The name of the column with the texts; none for the only one that has strings.
    pub text: Option<String>,
    /// The columns to add, in this order; see [`Annotator`] for their names.
    pub columns: Vec<String>,
    /// What is put before the name of each added column.
    pub prefix: String,
    /// How many threads are at work on one batch; 0 for one a core, 1 for the caller's alone.
    pub threads: usize,
    /// Whether numbers have a sign, for engines that know no others: int32 for uint32, and int64 for
    /// uint64, of the same 64 bits.
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
/// | column | type | holds |
/// | --- | --- | --- |
/// | `tokens` | list of struct | `start`, `end`, `orth`, `space`, as [`docs`](super::docs()) has them |
/// | `n_tokens` | uint32 | how many tokens there are |
/// | `strings` | list of utf8 | each string that an id of the row stands for, in order of first use |
/// | `start`, `end` | list of uint32 | where tokens begin and end, in characters |
/// | `space` | list of bool | whether a space follows |
/// | `orth`, `lower`, `norm`, `shape`, `prefix`, `suffix`, `lang` | list of uint64 | ids |
/// | `orth_`, `lower_`, ... | list of utf8 | the strings of these ids |
/// | `length`, `id` | list of uint64 | the characters of the word, and its rank |
/// | `is_alpha`, `like_num`, ... | list of bool | any flag |
///
/// A null text has null in all of them. Columns of the batch itself are passed on without a copy.
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
    layout: Layout,
}

impl Annotator {
    /// An annotator whose texts this tokenizer cuts.
    ///
    /// Where two crafted words have one id, the vocab's store keeps the first; make it
    /// [strict](crate::strings::StringStore::set_strict) for an error instead.
    ///
    /// # Errors
    ///
    /// `arrow-columns` for a column that there is not, with those that there are, or one twice.
    pub fn new(tokenizer: &Arc<Tokenizer>, options: AnnotatorOptions) -> Result<Annotator> {
        let layout = Layout::new(&options.columns)?;
        Ok(Annotator { tokenizer: Arc::clone(tokenizer), options, layout })
    }

    /// What cuts the texts.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        &self.tokenizer
    }

    /// What was asked for.
    pub fn options(&self) -> &AnnotatorOptions {
        &self.options
    }

    /// The columns that are added.
    pub fn fields(&self) -> Vec<Field> {
        let AnnotatorOptions { columns, prefix, signed, .. } = &self.options;
        let named = columns.iter().zip(&self.layout.columns);
        named
            .map(|(name, column)| column.field(&format!("{prefix}{name}"), &self.layout, *signed))
            .collect()
    }

    /// The schema of what comes out, for one of what goes in: its columns, then the added ones.
    ///
    /// # Errors
    ///
    /// `arrow-text-column` unless there is a column of texts, and one only, or one of the name asked
    /// for; `arrow-columns` if there is a column of a name that is to be added.
    pub fn schema(&self, input: &Schema) -> Result<SchemaRef> {
        self.text_column(input)?;
        let mut fields = input.fields().to_vec();
        for field in self.fields() {
            if input.column_with_name(field.name()).is_some() {
                let text = format!(
                    "there is a column {:?} already; the columns are {}; give the new ones a prefix",
                    field.name(),
                    input::described(input)
                );
                return Err(Error::value("arrow-columns", text));
            }
            fields.push(Arc::new(field));
        }
        Ok(Arc::new(Schema::new_with_metadata(fields, input.metadata().clone())))
    }

    /// The batch with the added columns.
    ///
    /// Cost: that of [`tokenize`](Tokenizer::tokenize), and for each token 17 bytes of `tokens` and
    /// one look-up for `strings`.
    ///
    /// # Errors
    ///
    /// Those of [`schema`](Annotator::schema) and [`tokenize`](Tokenizer::tokenize), with the number of
    /// the row; `arrow-invalid` for texts that are no UTF-8 or lie beyond their buffer;
    /// `arrow-too-many` for more tokens or bytes of strings than a list's 31 bits count; `threads`.
    pub fn annotate(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let schema = self.schema(&batch.schema())?;
        let at = self.text_column(&batch.schema())?;
        let name = batch.schema_ref().field(at).name().clone();
        let named = |error: Error| error.context(format_args!("column {name:?}"));
        let texts = Texts::new(batch.column(at)).map_err(named)?;
        let parts = self.parts(&texts).map_err(named)?;
        let mut columns = batch.columns().to_vec();
        columns.extend(self.layout.assemble(parts, self.options.signed)?);
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema, columns, &rows).map_err(|error| unfit(&error))
    }

    /// Where the texts are.
    fn text_column(&self, input: &Schema) -> Result<usize> {
        input::text_column(input, self.options.text.as_deref())
    }

    /// The rows in shares, done on the threads of the pool, in order.
    fn parts(&self, texts: &Texts<'_>) -> Result<Vec<Part>> {
        let within = Within::this_thread();
        let part = |rows: Range<usize>| {
            let _busy = within.enter();
            Part::new(&self.tokenizer, &self.layout, texts, rows)
        };
        let bytes = texts.bytes();
        if threads::alone(self.options.threads) || bytes < 2 * SHARE || texts.len() < 2 {
            return Ok(vec![part(0..texts.len())?]);
        }
        let pool = threads::pool(self.options.threads)?;
        let share = (bytes / (pool.current_num_threads() * 4)).max(SHARE);
        let shares = texts.shares(share);
        let done: Vec<Result<Part>> = pool.install(|| shares.into_par_iter().map(part).collect());
        // The first failure of all, whichever thread was faster.
        done.into_iter().collect()
    }
}

/// Whether a column has texts.
pub(super) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}
