//! Lexemes as rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use lexpool::Result;
use lexpool::vocab::Vocab;
use lexpool_structs::LexemeC;

use super::strings::StringColumn;
use super::table::Table;

/// Converts the lexemes of a vocab and of its open zone to one batch, in the order of their
/// creation.
///
/// `text` (utf8 view) is the word; `orth`, `lower`, `norm`, `shape`, `prefix`, `suffix` and `lang`
/// (uint64) are ids of strings; `length` (uint64) is in characters; `flags` (uint64) has one bit
/// per flag, by its number; `id` (uint64) is the rank, 2^64 - 1 if there is none. No value is null.
///
/// Other threads may add words meanwhile. Cost: 90 bytes per lexeme; words of more than twelve
/// bytes are copied, since they have no common owner.
///
/// # Errors
///
/// `arrow-too-many` for more than 2 GiB of words.
pub fn lexemes(vocab: &Arc<Vocab>) -> Result<Table> {
    let snapshot = vocab.snapshot();
    let mut texts = StringColumn::default();
    let mut records = Vec::new();
    for ix in vocab.positions() {
        let Some(cell) = snapshot.cell(ix) else { continue };
        let record = cell.load();
        texts.push_single(snapshot.string(cell.orth()).unwrap_or_default())?;
        records.push(record);
    }
    let fields = COLUMNS.map(|(name, _)| Field::new(name, DataType::UInt64, false));
    let mut named = vec![Field::new("text", DataType::Utf8View, false)];
    named.extend(fields);
    let mut columns = vec![texts.finish()?];
    columns.extend(COLUMNS.map(|(_, read)| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(records.iter().map(read)))
    }));
    Table::new(Schema::new(named), [columns])
}

/// Name of a column, and its value.
type LexemeColumn = (&'static str, fn(&LexemeC) -> u64);

const COLUMNS: [LexemeColumn; 10] = [
    ("orth", |record| record.orth),
    ("lower", |record| record.lower),
    ("norm", |record| record.norm),
    ("shape", |record| record.shape),
    ("prefix", |record| record.prefix),
    ("suffix", |record| record.suffix),
    ("lang", |record| record.lang),
    ("length", |record| record.length),
    ("flags", |record| record.flags),
    ("id", |record| record.id),
];
