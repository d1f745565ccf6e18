//! Conversion of arrays of other libraries to the types that a corpus has.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, LargeBinaryArray, LargeListArray, LargeStringArray, ListArray, StructArray,
    make_array, new_null_array,
};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field};
use lexpool::codes;
use lexpool::{Error, Result};

use super::schema;

/// Validates an array, and converts views, dictionaries and null arrays to supported types. Cost: a
/// copy for those, a pass over the values for all others.
///
/// # Errors
///
/// `corpus-column` for a type that a corpus does not support, and for invalid values.
pub(super) fn normalize(name: &str, values: &ArrayRef) -> Result<ArrayRef> {
    // First, since another library made the array.
    let wrong = |error: ArrowError| {
        Error::value(codes::CORPUS_COLUMN, format!("the column {name:?} is invalid: {error}"))
    };
    values.to_data().validate_full().map_err(wrong)?;
    let column = converted(values, 0).map_err(wrong)?;
    column.ok_or_else(|| {
        let kind = values.data_type();
        let text = format!("the column {name:?} has the type {kind}; {}", schema::TYPES);
        Error::value(codes::CORPUS_COLUMN, text)
    })
}

/// Limit of the nesting of lists and structs, which readers of the schema have too.
const MAX_DEPTH: usize = 16;

/// Converts an array, or returns `None` for a type that a corpus does not support.
fn converted(values: &ArrayRef, depth: usize) -> Result<Option<ArrayRef>, ArrowError> {
    let below = |values: &ArrayRef| converted(values, depth + 1);
    Ok(Some(match values.data_type() {
        _ if depth > MAX_DEPTH => return Ok(None),
        kind if schema::is_supported(kind) => ArrayRef::clone(values),
        DataType::Null => new_null_array(&DataType::LargeUtf8, values.len()),
        DataType::Utf8View => {
            Arc::new(values.as_string_view().iter().collect::<LargeStringArray>())
        }
        DataType::BinaryView => {
            Arc::new(values.as_binary_view().iter().collect::<LargeBinaryArray>())
        }
        DataType::Dictionary(..) => return below(&decoded_dictionary(values)?),
        DataType::List(field) => {
            let list = values.as_list::<i32>();
            let Some(items) = below(list.values())? else { return Ok(None) };
            let (field, offsets) = (retyped(field, &items), list.offsets().clone());
            Arc::new(ListArray::try_new(field, offsets, items, list.nulls().cloned())?)
        }
        DataType::LargeList(field) => {
            let list = values.as_list::<i64>();
            let Some(items) = below(list.values())? else { return Ok(None) };
            let (field, offsets) = (retyped(field, &items), list.offsets().clone());
            Arc::new(LargeListArray::try_new(field, offsets, items, list.nulls().cloned())?)
        }
        DataType::Struct(fields) if !fields.is_empty() => {
            let rows = values.as_struct();
            let columns =
                rows.columns().iter().map(below).collect::<Result<Option<Vec<_>>, _>>()?;
            let Some(columns) = columns else { return Ok(None) };
            let fields = fields.iter().zip(&columns).map(|(field, column)| retyped(field, column));
            Arc::new(StructArray::try_new(fields.collect(), columns, rows.nulls().cloned())?)
        }
        _ => return Ok(None),
    }))
}

/// Returns a field with the type of its values. Metadata is dropped: its order differs from run to
/// run, and the bytes of a corpus must not.
fn retyped(field: &Field, values: &ArrayRef) -> Arc<Field> {
    Arc::new(Field::new(field.name(), values.data_type().clone(), field.is_nullable()))
}

/// Replaces the keys of a dictionary by their values.
fn decoded_dictionary(values: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let dictionary = values.as_any_dictionary();
    if dictionary.values().is_empty() {
        return Ok(new_null_array(dictionary.values().data_type(), values.len()));
    }
    let entries = dictionary.values().to_data();
    let mut decoded_values = MutableArrayData::new(vec![&entries], true, values.len());
    for (i, key) in dictionary.normalized_keys().into_iter().enumerate() {
        if values.is_null(i) {
            decoded_values.try_extend_nulls(1)?;
        } else {
            decoded_values.try_extend(0, key, key + 1)?;
        }
    }
    Ok(make_array(decoded_values.freeze()))
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int8Type;
    use arrow_array::{
        Date32Array, Decimal128Array, DictionaryArray, Int32Array, NullArray, StringArray,
        StringViewArray,
    };
    use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

    use super::*;

    fn strings(values: &ArrayRef) -> Vec<Option<&str>> {
        values.as_string::<i64>().iter().collect()
    }

    #[test]
    fn views_dictionaries_and_nothing_become_large_strings() {
        let texts = [Some("a"), None, Some("long enough not to be held in a view")];
        let view: ArrayRef = Arc::new(StringViewArray::from_iter(texts));
        let coded = DictionaryArray::<Int8Type>::from_iter(texts);
        let of_views = DictionaryArray::<Int8Type>::new(
            coded.keys().clone(),
            Arc::new(StringViewArray::from(vec!["a", "long enough not to be held in a view"])),
        );
        let nested: ArrayRef = Arc::new(of_views);
        assert_eq!(strings(&normalize("x", &view).unwrap()), texts);
        assert_eq!(strings(&normalize("x", &nested).unwrap()), texts);
        // As a dictionary of them, and as a plain array.
        let coded: ArrayRef = Arc::new(coded);
        let column = normalize("x", &coded.slice(1, 2)).unwrap();
        assert_eq!(column.as_string::<i32>().iter().collect::<Vec<_>>(), texts[1..]);
        let nothing: ArrayRef = Arc::new(NullArray::new(2));
        assert_eq!(strings(&normalize("x", &nothing).unwrap()), [None, None]);
        let keys = Int32Array::from(vec![None::<i32>; 2]);
        let empty = DictionaryArray::new(keys, Arc::new(StringViewArray::from(Vec::<&str>::new())));
        let empty: ArrayRef = Arc::new(empty);
        assert_eq!(strings(&normalize("x", &empty).unwrap()), [None, None]);
    }

    #[test]
    fn what_lies_in_lists_and_structs_is_made_plain_too() {
        let words: ArrayRef = Arc::new(StringViewArray::from(vec!["a", "b", "c"]));
        let field = |name: &str, values: &ArrayRef| {
            Arc::new(
                Field::new(name, values.data_type().clone(), true)
                    .with_metadata([("key".to_owned(), "value".to_owned())].into()),
            )
        };
        let rows = StructArray::new(vec![field("word", &words)].into(), vec![words], None);
        let rows: ArrayRef = Arc::new(rows);
        let ends = OffsetBuffer::from_lengths([1, 0, 2]);
        let list: ArrayRef = Arc::new(ListArray::new(field("item", &rows), ends, rows, None));
        let column = normalize("x", &list.slice(1, 2)).unwrap();
        let word = Field::new("word", DataType::LargeUtf8, true);
        let item = Field::new("item", DataType::Struct(vec![word].into()), true);
        assert_eq!(*column.data_type(), DataType::List(Arc::new(item)));
        let lists = column.as_list::<i32>();
        assert_eq!((lists.value_length(0), lists.value_length(1)), (0, 2));
        assert_eq!(strings(lists.value(1).as_struct().column(0)), [Some("b"), Some("c")]);
    }

    #[test]
    fn types_that_are_not_read_back_are_refused_by_name() {
        let date: ArrayRef = Arc::new(Date32Array::from(vec![1]));
        assert_eq!(&normalize("x", &date).unwrap(), &date);
        let price: ArrayRef = Arc::new(Decimal128Array::from(vec![1]));
        let listed = ListArray::new(
            Arc::new(Field::new("item", price.data_type().clone(), true)),
            OffsetBuffer::from_lengths([1]),
            Arc::clone(&price),
            None,
        );
        for column in [price, Arc::new(listed)] {
            let error = normalize("price", &column).unwrap_err();
            assert_eq!(error.code(), "corpus-column");
            assert!(error.message().contains("\"price\" has the type "), "{error}");
            assert!(error.message().contains("Decimal128(38, 10)"), "{error}");
        }
        let mut deep: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        for depth in 0..20 {
            assert_eq!(normalize("x", &deep).is_ok(), depth <= MAX_DEPTH, "{depth}");
            let field = Arc::new(Field::new("item", deep.data_type().clone(), true));
            deep = Arc::new(ListArray::new(field, OffsetBuffer::from_lengths([1]), deep, None));
        }
    }

    #[test]
    fn values_that_are_not_of_their_type_are_refused() {
        let (ends, bytes) = (OffsetBuffer::from_lengths([1]), Buffer::from([0xff]));
        // SAFETY: the array is only validated, and the validation must fail.
        let wrong: ArrayRef = Arc::new(unsafe { StringArray::new_unchecked(ends, bytes, None) });
        let error = normalize("x", &wrong).unwrap_err();
        assert!(error.message().contains("is invalid"), "{error}");
        let keys = ScalarBuffer::from(vec![7_i8]);
        let coded = arrow_data::ArrayData::builder(DataType::Dictionary(
            Box::new(DataType::Int8),
            Box::new(DataType::Utf8),
        ))
        .len(1)
        .add_buffer(keys.into_inner())
        .add_child_data(StringArray::from(vec!["a"]).to_data());
        // SAFETY: the array is only validated, and the validation must fail.
        let coded = make_array(unsafe { coded.build_unchecked() });
        assert!(normalize("x", &coded).is_err());
    }
}
