//! Batches that come through Arrow's C data interface: texts that are annotated, and strings that
//! are added to a store.
//!
//! The structs of the interface are as its contract demands: buffers of the size that lengths and
//! offsets say. What a sender may still get wrong is chosen: offsets between the first and the
//! last, bytes that are not UTF-8, counts of nulls, and parts of arrays.
//!
//! # Safety
//!
//! - A1: the buffers of an array hold as many items as its offset and length say; the last offset
//!   of a text column is within its bytes.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};
use lexpool::strings::StringStore;
use lexpool::tokenizer::Tokenizer;
use lexpool_io::arrow::{Annotator, AnnotatorOptions, add_strings, batch_from_c};

use crate::choices::Choices;
use crate::renewed::Renewed;

thread_local! {
    static TOKENIZER: Renewed<Arc<Tokenizer>> = const { Renewed::new() };
}

const PARTS: [&[u8]; 8] =
    [b"a", b" ", b"don't", b"(x)", b"\xc3\xa9", b"\xc3", b"\xff", b"\xf0\x9f\x98\x80"];

pub(crate) fn run(bytes: &[u8]) {
    let choices = &mut Choices::new(bytes);
    let (rows, offset) = (choices.below(6), choices.below(3));
    let columns = choices.list(2, |choices| column(choices, offset + rows));
    let names = ["text", "other"];
    let field = |(name, data): (&str, &ArrayData)| Field::new(name, data.data_type().clone(), true);
    let fields: Fields = names.into_iter().zip(&columns).map(field).collect();
    let mut data =
        ArrayData::builder(DataType::Struct(fields)).len(rows).offset(offset).child_data(columns);
    if choices.one_in(6) {
        data = data.null_bit_buffer(Some(Buffer::from(vec![choices.byte(); 2])));
    }
    // SAFETY: A1: `column` made as many rows.
    let data = unsafe { data.build_unchecked() };
    let schema = FFI_ArrowSchema::try_from(data.data_type()).expect("types of Arrow");
    let mut array = FFI_ArrowArray::new(&data);
    // SAFETY: both are of the same data, which follow A1.
    if let Ok(batch) = unsafe { batch_from_c(&schema, &raw mut array) } {
        assert_eq!(batch.num_rows(), rows);
        read(&batch);
    }
    // SAFETY: the array was moved out, which leaves a released one.
    assert!(unsafe { batch_from_c(&schema, &raw mut array) }.is_err());
}

fn read(batch: &RecordBatch) {
    Renewed::with(
        &TOKENIZER,
        2_000,
        || Arc::new(Tokenizer::blank("en").unwrap()),
        |tokenizer| {
            let columns = ["n_tokens", "lower_", "tokens"].map(str::to_owned).to_vec();
            let options = AnnotatorOptions { columns, ..AnnotatorOptions::default() };
            let annotator = Annotator::new(tokenizer, options).expect("known columns");
            if let Ok(annotated) = annotator.annotate(batch) {
                assert_eq!(annotated.num_rows(), batch.num_rows());
                assert_eq!(annotated.num_columns(), batch.num_columns() + 3);
                // Other columns are passed on unread, whatever they hold.
                for column in &annotated.columns()[batch.num_columns()..] {
                    column.to_data().validate_full().expect("a valid column");
                }
            }
        },
    );
    let store = StringStore::default();
    for name in ["text", "other"] {
        if let Ok(added) = add_strings(&store, batch, name) {
            assert!(added <= batch.num_rows());
        }
    }
}

/// A column of texts, bytes or numbers.
fn column(choices: &mut Choices<'_>, rows: usize) -> ArrayData {
    let offset = choices.below(3);
    let items = offset + rows;
    let nulls = choices
        .one_in(3)
        .then(|| Buffer::from((0..2).map(|_| choices.byte()).collect::<Vec<u8>>()));
    let kind = choices
        .of(&[
            DataType::Utf8,
            DataType::Utf8,
            DataType::LargeUtf8,
            DataType::Binary,
            DataType::Int64,
            DataType::Null,
        ]
        .each_ref())
        .clone();
    let data = ArrayData::builder(kind.clone()).len(rows).offset(offset);
    let data = match kind {
        DataType::Null => data,
        DataType::Int64 => {
            data.null_bit_buffer(nulls).add_buffer(Buffer::from(vec![0_u8; 8 * items]))
        }
        _ => {
            let bytes: Vec<u8> = (0..items)
                .flat_map(|_| choices.list(2, |choices| choices.of(&PARTS)))
                .flatten()
                .copied()
                .collect();
            let end = |choices: &mut Choices<'_>| {
                i32::try_from(choices.below(bytes.len() + 1)).expect("a few bytes")
            };
            let mut ends: Vec<i32> = (0..items).map(|_| end(choices)).collect();
            if !choices.one_in(3) {
                ends.sort_unstable();
            }
            let mut offsets = vec![0];
            offsets.extend(ends);
            if choices.one_in(6) {
                // Neither the first nor the last, whose values the contract binds.
                let at = choices.below(offsets.len());
                if at > 0 && at + 1 < offsets.len() {
                    offsets[at] = choices.of(&[-1, i32::MAX, i32::MIN]);
                }
            }
            let offsets = if kind == DataType::LargeUtf8 {
                Buffer::from_vec(offsets.into_iter().map(i64::from).collect::<Vec<_>>())
            } else {
                Buffer::from_vec(offsets)
            };
            data.null_bit_buffer(nulls).add_buffer(offsets).add_buffer(Buffer::from(bytes))
        }
    };
    // SAFETY: A1: the buffers have `items` items.
    unsafe { data.build_unchecked() }
}
