//! Arrow streams of a corpus: its columns without a copy, or its tokens decoded.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, RecordBatch, RecordBatchReader, StringViewArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lexpool::codes;
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool::{Error, Result};
use lexpool_structs::AttrId;

use super::corpus::Corpus;
use super::errors::internal;
use super::runs::RowRun;

impl Corpus {
    /// Returns columns of the file, or all, as batches in its memory: nothing is copied.
    ///
    /// # Errors
    ///
    /// `corpus-column` for a missing column.
    pub fn columns(&self, names: Option<&[String]>) -> Result<FFI_ArrowArrayStream> {
        let schema = self.schema();
        let position = |name: &String| {
            schema.index_of(name).map_err(|_| {
                let names: Vec<_> = schema.fields().iter().map(|field| field.name()).collect();
                Error::value(
                    codes::CORPUS_COLUMN,
                    format!("no column is named {name:?}; the columns are {names:?}"),
                )
            })
        };
        let positions = match names {
            None => (0..schema.fields().len()).collect(),
            Some(names) => names.iter().map(position).collect::<Result<Vec<_>>>()?,
        };
        let schema = Arc::new(schema.project(&positions).map_err(|error| internal(&error))?);
        let read = move |corpus: &Corpus, run: &RowRun| {
            let batch = corpus.file.batch(run.batch)?.project(&positions);
            let batch = batch.map_err(|error| internal(&error))?;
            Ok(batch.slice(run.rows.start, run.rows.len()))
        };
        Ok(self.stream(schema, read))
    }

    /// Returns the tokens of all documents, one per row, in batches decoded on demand.
    ///
    /// | column | type | content |
    /// | --- | --- | --- |
    /// | `doc` | uint64 | the position of the document in the corpus |
    /// | `start`, `end` | uint32 | offsets of the token in the document, in characters |
    /// | `orth` | uint64 | the id of its word |
    /// | `space` | bool | true if a space follows |
    ///
    /// and one column for each attribute: `"LOWER"` has ids (uint64), `"LOWER_"` their strings
    /// (utf8 view).
    ///
    /// # Errors
    ///
    /// `corpus-column` for an unknown attribute.
    pub fn tokens(&self, attrs: &[String]) -> Result<FFI_ArrowArrayStream> {
        let attrs = attrs.iter().map(|name| AttrColumn::of(name)).collect::<Result<Vec<_>>>()?;
        let mut fields = vec![
            Field::new("doc", DataType::UInt64, false),
            Field::new("start", DataType::UInt32, false),
            Field::new("end", DataType::UInt32, false),
            Field::new("orth", DataType::UInt64, false),
            Field::new("space", DataType::Boolean, false),
        ];
        fields.extend(attrs.iter().map(AttrColumn::field));
        let schema = Arc::new(Schema::new(fields));
        let of = Arc::clone(&schema);
        let mut first = 0;
        let read = move |corpus: &Corpus, run: &RowRun| {
            let docs = corpus.file.docs(run.batch)?;
            let snapshot = corpus.file.snapshot();
            let docs = run.rows.clone().map(|row| docs.doc(row, &snapshot));
            let docs = docs.collect::<Result<Vec<_>>>()?;
            let columns = token_columns(&docs, first, &attrs);
            first += docs.len() as u64;
            RecordBatch::try_new(Arc::clone(&of), columns).map_err(|error| internal(&error))
        };
        Ok(self.stream(schema, read))
    }

    fn stream(
        &self,
        schema: SchemaRef,
        read: impl FnMut(&Corpus, &RowRun) -> Result<RecordBatch> + Send + 'static,
    ) -> FFI_ArrowArrayStream {
        let batches = BatchStream {
            runs: self.runs().into_iter(),
            corpus: self.clone(),
            schema,
            read: Box::new(read),
        };
        FFI_ArrowArrayStream::new(Box::new(batches))
    }
}

type Read = dyn FnMut(&Corpus, &RowRun) -> Result<RecordBatch> + Send;

struct BatchStream {
    runs: std::vec::IntoIter<RowRun>,
    corpus: Corpus,
    schema: SchemaRef,
    read: Box<Read>,
}

impl Iterator for BatchStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let run = self.runs.next()?;
        let batch = (self.read)(&self.corpus, &run);
        Some(batch.map_err(|error| ArrowError::ExternalError(Box::new(error))))
    }
}

impl RecordBatchReader for BatchStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Token attributes whose values are ids of strings or numbers of symbols.
const TOKEN_STRINGS: [AttrId; 8] = [
    AttrId::TAG,
    AttrId::LEMMA,
    AttrId::MORPH,
    AttrId::POS,
    AttrId::DEP,
    AttrId::ENT_TYPE,
    AttrId::ENT_KB_ID,
    AttrId::ENT_ID,
];

/// A column of a token attribute.
struct AttrColumn {
    name: String,
    attr: AttrId,
    as_string: bool,
}

impl AttrColumn {
    fn of(name: &str) -> Result<AttrColumn> {
        let (plain, as_string) = match name.strip_suffix('_') {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let attr = AttrId::from_name(plain).ok_or_else(|| {
            let text = format!(
                "unknown attribute {name:?}; try \"LOWER\" for ids, \"LOWER_\" for strings"
            );
            Error::value(codes::CORPUS_COLUMN, text)
        })?;
        if as_string && !AttrId::WORD_STRINGS.contains(&attr) && !TOKEN_STRINGS.contains(&attr) {
            let text = format!("{name:?}: the attribute {plain} has no strings");
            return Err(Error::value(codes::CORPUS_COLUMN, text));
        }
        Ok(AttrColumn { name: name.to_owned(), attr, as_string })
    }

    fn field(&self) -> Field {
        let kind = if self.as_string { DataType::Utf8View } else { DataType::UInt64 };
        Field::new(&self.name, kind, self.as_string)
    }

    fn column(&self, docs: &[Doc]) -> ArrayRef {
        let values = docs.iter().flat_map(|doc| doc.attrs().column(self.attr));
        if !self.as_string {
            return Arc::new(UInt64Array::from_iter_values(values));
        }
        let snapshot = docs.first().map(Doc::snapshot);
        let string = |id| snapshot.and_then(|snapshot| snapshot.string(StrId::new(id)));
        Arc::new(values.map(|id| string(id).filter(|_| id != 0)).collect::<StringViewArray>())
    }
}

fn token_columns(docs: &[Doc], first: u64, attrs: &[AttrColumn]) -> Vec<ArrayRef> {
    let tokens = || docs.iter().flat_map(Doc::iter);
    let number = |end: usize| u32::try_from(end).expect("a text has fewer than 2^30 characters");
    let numbers = (first..).zip(docs).flat_map(|(i, doc)| std::iter::repeat_n(i, doc.len()));
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(numbers)),
        Arc::new(UInt32Array::from_iter_values(tokens().map(|token| token.record().idx))),
        Arc::new(UInt32Array::from_iter_values(tokens().map(|token| number(token.end_char())))),
        Arc::new(UInt64Array::from_iter_values(tokens().map(|token| token.lex().orth().get()))),
        Arc::new(BooleanArray::from(
            tokens().map(|token| token.record().spacy()).collect::<Vec<_>>(),
        )),
    ];
    columns.extend(attrs.iter().map(|attr| attr.column(docs)));
    columns
}
