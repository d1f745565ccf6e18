//! Matches as rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use lexpool::Result;
use lexpool::matcher::Matches;
use lexpool::strings::StrId;
use lexpool::vocab::Vocab;

use super::strings::StringColumn;
use super::table::Table;

/// Converts matches to one batch, in their order.
///
/// `doc` (uint32) is the number of the document, `start` and `end` (uint32) are token positions,
/// `key` (uint64) is an id, and `label` (utf8 view) its string in the vocab, null if there is none.
/// With `with_chars`, for matches in texts, `start_char` and `end_char` (uint32) follow. Cost: a
/// copy of the columns, and 16 bytes per match.
///
/// # Errors
///
/// `arrow-too-many` for more than 2 GiB of labels.
pub fn matches(matches: &Matches, vocab: &Arc<Vocab>, with_chars: bool) -> Result<Table> {
    let snapshot = vocab.snapshot();
    let mut labels = StringColumn::with_capacity(matches.len());
    for key in matches.keys() {
        labels.push(*key, |key| snapshot.string(StrId::new(key)))?;
    }
    let short = |numbers: &[u32]| -> ArrayRef { Arc::new(UInt32Array::from(numbers.to_vec())) };
    let mut fields: Vec<_> =
        ["doc", "start", "end"].map(|name| Field::new(name, DataType::UInt32, false)).into();
    fields.push(Field::new("key", DataType::UInt64, false));
    fields.push(Field::new("label", DataType::Utf8View, true));
    let mut columns = vec![
        short(matches.docs()),
        short(matches.starts()),
        short(matches.ends()),
        Arc::new(UInt64Array::from(matches.keys().to_vec())),
        labels.finish()?,
    ];
    if let Some((starts, ends)) = matches.chars().filter(|_| with_chars) {
        for (name, numbers) in [("start_char", starts), ("end_char", ends)] {
            fields.push(Field::new(name, DataType::UInt32, false));
            columns.push(short(numbers));
        }
    }
    Table::new(Schema::new(fields), [columns])
}

#[cfg(test)]
mod tests {
    use lexpool::matcher::DocMatch;
    use lexpool::vocab::Getters;

    use super::*;

    #[test]
    fn labels_are_the_strings_of_keys() {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let key = vocab.strings().add("a label of some length").unwrap();
        let mut doc_matches = Matches::default();
        for (key, doc) in [(key, 0), (StrId::new(12345), 7)] {
            doc_matches.push_with_chars(DocMatch { key, start: 1, end: 2, doc }, 3..5).unwrap();
        }
        let table = matches(&doc_matches, &vocab, true).unwrap();
        assert_eq!((table.rows(), table.schema().fields().len()), (2, 7));
        assert_eq!(table.batches()[0].column_by_name("label").unwrap().null_count(), 1);
        assert_eq!(matches(&doc_matches, &vocab, false).unwrap().schema().fields().len(), 5);
        let none = matches(&Matches::default(), &vocab, true).unwrap();
        assert_eq!((none.rows(), none.schema().fields().len()), (0, 7));
    }
}
