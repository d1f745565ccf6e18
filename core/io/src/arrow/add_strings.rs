//! Import of the strings of batches into a string store.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch};
use lexpool::codes;
use lexpool::strings::{StrId, StringStore};
use lexpool::{Error, ErrorKind, Result};

use super::annotate::{TextColumn, invalid, is_text};

/// Adds the strings of a column permanently, such as the column `strings` of an
/// [`Annotator`](super::Annotator), and returns how many of them were new. The column may have
/// strings or lists of strings, of any Arrow type.
///
/// Two strings of one id are an error even if the store is not [strict](StringStore::set_strict),
/// since the ids of batches from other machines would be ambiguous. Cost: a look-up per string.
///
/// # Errors
///
/// `hash-collision` with both strings; those before them are added. `arrow-strings` if there is no
/// such column, `arrow-invalid` for bytes that are not UTF-8; errors of
/// [`add_permanent`](StringStore::add_permanent).
pub fn add_strings(store: &StringStore, batch: &RecordBatch, column: &str) -> Result<usize> {
    let Some(values) = batch.column_by_name(column) else {
        let schema = batch.schema();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let text = format!("no column is named {column:?}; the columns are {}", names.join(", "));
        return Err(Error::value(codes::ARROW_STRINGS, text));
    };
    let mut new = 0;
    let added = each(values, &mut |string| {
        new += usize::from(add(store, string)?);
        Ok(())
    });
    added.map_err(|error| error.context(format_args!("column {column:?}")))?;
    Ok(new)
}

/// Calls `f` with each string of a column of strings or of lists of strings.
fn each(values: &ArrayRef, f: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    if let Some(lists) = values.as_list_opt::<i32>() {
        return each_of_lists(lists, f);
    }
    if let Some(lists) = values.as_list_opt::<i64>() {
        return each_of_lists(lists, f);
    }
    let texts = texts(values)?;
    (0..texts.len()).filter_map(|row| texts.get(row)).try_for_each(f)
}

fn each_of_lists<O: OffsetSizeTrait>(
    lists: &GenericListArray<O>,
    f: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<()> {
    let limit = lists.values().len();
    let ends = lists.value_offsets().iter().map(|end| end.to_usize().filter(|end| *end <= limit));
    let Some(ends) = ends.collect::<Option<Vec<usize>>>().filter(|ends| ends.is_sorted()) else {
        return Err(invalid(&format!("its lists exceed the {limit} values")));
    };
    // Only the values of these lists: they may be a small slice of a large column.
    let (first, last) = (ends[0], ends[lists.len()]);
    let values = lists.values().slice(first, last - first);
    let texts = texts(&values)?;
    for row in (0..lists.len()).filter(|row| lists.is_valid(*row)) {
        (ends[row]..ends[row + 1]).filter_map(|at| texts.get(at - first)).try_for_each(&mut *f)?;
    }
    Ok(())
}

fn texts(values: &ArrayRef) -> Result<TextColumn<'_>> {
    if !is_text(values.data_type()) {
        let text = format!("expected strings or lists of strings, not {}", values.data_type());
        return Err(Error::value(codes::ARROW_STRINGS, text));
    }
    TextColumn::new(values)
}

/// Adds a string; returns `true` if it was new.
fn add(store: &StringStore, string: &str) -> Result<bool> {
    let id = StrId::of(string);
    let is_new = store.get_permanent(id).is_none();
    if is_new {
        store.add_permanent(string)?;
    }
    // Checked for new strings too, since another thread may have added another string first.
    match store.get_permanent(id) {
        Some(stored) if stored != string => {
            let text = format!("{string:?} has the same id {id} as {stored:?} in the store");
            Err(Error::new(ErrorKind::Value, codes::HASH_COLLISION, text))
        }
        _ => Ok(is_new),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{LargeListBuilder, ListBuilder, StringBuilder, StringViewBuilder};
    use arrow_array::{Int32Array, StringArray};

    use super::*;

    fn batch(values: ArrayRef) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable([("strings", values, true)]).unwrap()
    }

    #[test]
    fn strings_of_any_column_are_added_once() {
        let store = StringStore::new();
        let mut lists = ListBuilder::new(StringBuilder::new());
        lists.append_value([Some("caf\u{e9}"), None, Some("tea")]);
        lists.append_null();
        lists.append_value([Some("tea"), Some("nsubj"), Some("")]);
        let lists = batch(Arc::new(lists.finish()));
        assert_eq!(add_strings(&store, &lists.slice(1, 2), "strings").unwrap(), 1);
        assert_eq!(add_strings(&store, &lists, "strings").unwrap(), 1);
        let mut large = LargeListBuilder::new(StringViewBuilder::new());
        large.append_value([Some("tea"), Some("a string too long for a view")]);
        assert_eq!(add_strings(&store, &batch(Arc::new(large.finish())), "strings").unwrap(), 1);
        let plain: ArrayRef = Arc::new(StringArray::from(vec!["one", "tea", "one"]));
        assert_eq!(add_strings(&store, &batch(plain), "strings").unwrap(), 1);
        assert_eq!(store.len(), 4);
    }

    #[test]
    fn two_strings_of_one_id_are_an_error_also_in_a_store_that_is_not_strict() {
        let store = StringStore::new();
        let column: ArrayRef =
            Arc::new(StringArray::from(vec!["before", "nwhmcsvgydilzqao", "jpimytqaE87myorS"]));
        let error = add_strings(&store, &batch(column), "strings").unwrap_err();
        assert_eq!(error.code(), "hash-collision");
        assert!(error.message().contains("nwhmcsvgydilzqao"), "{error}");
        assert_eq!(store.len(), 2);
    }

    #[test]
    fn a_column_of_something_else_is_named() {
        let store = StringStore::new();
        let numbers = batch(Arc::new(Int32Array::from(vec![1])));
        for column in ["strings", "words"] {
            let error = add_strings(&store, &numbers, column).unwrap_err();
            assert!(error.code() == "arrow-strings" && error.message().contains(column));
        }
    }
}
