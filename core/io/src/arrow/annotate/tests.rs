use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int64Array, LargeStringArray, RecordBatch,
    RecordBatchIterator, RecordBatchReader, StringArray, StringViewArray,
};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use lexpool::strings::StrId;
use lexpool::tokenizer::Tokenizer;
use lexpool_structs::AttrId;

use super::*;

const TEXTS: [Option<&str>; 6] = [
    Some("Let's go to N.Y., caf\u{e9} owners!"),
    None,
    Some(""),
    Some("  spaces  and\nlines "),
    Some("don't don't nsubj gimme"),
    None,
];

fn annotator(columns: &[&str], change: impl FnOnce(&mut AnnotatorOptions)) -> Annotator {
    let tokenizer = Arc::new(Tokenizer::blank("en").unwrap());
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    let mut options = AnnotatorOptions { columns, threads: 1, ..AnnotatorOptions::default() };
    change(&mut options);
    Annotator::new(&tokenizer, options).unwrap()
}

fn batch(texts: ArrayRef) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values((0..).take(texts.len())));
    RecordBatch::try_from_iter_with_nullable([("id", ids, false), ("body", texts, true)]).unwrap()
}

fn utf8<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> RecordBatch {
    batch(Arc::new(texts.into_iter().collect::<StringArray>()))
}

/// Enough sentences for several tasks.
fn many() -> Vec<Option<String>> {
    let text = |n: usize| {
        let words = ["It's", "a", "caf\u{e9}", "U.S.", "don't", "(well-known)", "x"];
        let sentence = (0..n % 50).map(|i| words[(i * i + n) % 7].to_owned() + &n.to_string());
        (n % 11 != 3).then(|| sentence.collect::<Vec<_>>().join(" "))
    };
    (0..3000).map(text).collect()
}

#[test]
fn columns_hold_what_documents_do() {
    let names = ["tokens", "n_tokens", "lower", "norm_", "orth_", "is_alpha", "length"];
    let annotator = annotator(&names, |_| ());
    let done = annotator.annotate(&utf8(TEXTS)).unwrap();
    for (row, text) in TEXTS.into_iter().enumerate() {
        let Some(text) = text else {
            for name in names {
                assert!(done[name].is_null(row), "{name}");
            }
            continue;
        };
        let doc = annotator.tokenizer().tokenize(text).unwrap();
        let list = |name: &str| done[name].as_list::<i32>().value(row);
        assert_eq!(done["n_tokens"].as_primitive::<UInt32Type>().value(row) as usize, doc.len());
        let tokens = list("tokens");
        let tokens = tokens.as_struct();
        let number = |name: &str, i| tokens[name].as_primitive::<UInt32Type>().value(i) as usize;
        assert_eq!(tokens.len(), doc.len());
        for (i, token) in doc.iter().enumerate() {
            assert_eq!(number("start", i)..number("end", i), token.idx()..token.end_char());
            let orth = tokens["orth"].as_primitive::<UInt64Type>().value(i);
            assert_eq!(orth, token.lex().orth().get());
            assert_eq!(tokens["space"].as_boolean().value(i), token.record().spacy());
            assert_eq!(list("orth_").as_string::<i32>().value(i), token.text());
            let norm = doc.snapshot().string(token.norm()).unwrap();
            assert_eq!(list("norm_").as_string::<i32>().value(i), norm);
            let lower = list("lower").as_primitive::<UInt64Type>().value(i);
            assert_eq!(lower, token.attr(AttrId::LOWER));
            let length = list("length").as_primitive::<UInt64Type>().value(i);
            assert_eq!(length, token.attr(AttrId::LENGTH));
            assert_eq!(list("is_alpha").as_boolean().value(i), token.attr(AttrId::IS_ALPHA) != 0);
        }
    }
}

#[test]
fn strings_are_those_of_the_ids_once_each_and_in_order() {
    let done = annotator(&["orth", "norm", "strings"], |_| ()).annotate(&utf8(TEXTS)).unwrap();
    for (row, text) in TEXTS.into_iter().enumerate() {
        assert_eq!(done["strings"].is_null(row), text.is_none());
        let ids = |name: &str| {
            done[name].as_list::<i32>().value(row).as_primitive::<UInt64Type>().values().to_vec()
        };
        let mut expected = Vec::new();
        for id in ids("orth").into_iter().zip(ids("norm")).flat_map(|(orth, norm)| [orth, norm]) {
            if !expected.contains(&id) {
                expected.push(id);
            }
        }
        let strings = done["strings"].as_list::<i32>().value(row);
        let strings = strings.as_string::<i32>().iter().flatten();
        let given: Vec<u64> = strings.map(|string| StrId::of(string).get()).collect();
        assert_eq!(given, expected, "row {row}");
    }
}

#[test]
fn a_text_gets_the_same_in_any_type_of_column() {
    let annotator = annotator(&["tokens", "strings"], |_| ());
    let expected = annotator.annotate(&utf8(TEXTS)).unwrap();
    let columns: [ArrayRef; 3] = [
        Arc::new(TEXTS.into_iter().collect::<LargeStringArray>()),
        Arc::new(TEXTS.into_iter().collect::<StringViewArray>()),
        Arc::new(TEXTS.into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for column in columns {
        let done = annotator.annotate(&batch(Arc::clone(&column))).unwrap();
        assert_eq!(done.columns()[2..], expected.columns()[2..], "{}", column.data_type());
        assert!(done["body"].to_data().ptr_eq(&column.to_data()), "passed on without a copy");
    }
}

#[test]
fn a_row_gets_the_same_on_any_threads_in_any_slice() {
    let texts = many();
    let whole = utf8(texts.iter().map(Option::as_deref));
    let columns = ["tokens", "strings", "lower_", "is_title"];
    let expected = annotator(&columns, |_| ()).annotate(&whole).unwrap();
    for threads in [0, 2, 3] {
        let annotator = annotator(&columns, |options| options.threads = threads);
        assert_eq!(annotator.annotate(&whole).unwrap(), expected, "{threads} threads");
    }
    let annotator = annotator(&columns, |options| options.threads = 2);
    for (start, len) in [(2000, 1000), (0, 1), (1, 1999), (700, 0)] {
        let done = annotator.annotate(&whole.slice(start, len)).unwrap();
        assert_eq!(done, expected.slice(start, len), "{len} rows from {start}");
    }
}

#[test]
fn rows_that_are_null_or_not_there_have_columns_all_the_same() {
    let annotator = annotator(&["tokens", "n_tokens", "strings"], |_| ());
    let nothing = annotator.annotate(&utf8([])).unwrap();
    assert_eq!((nothing.num_rows(), nothing.num_columns()), (0, 5));
    let nulls = annotator.annotate(&utf8([None, None])).unwrap();
    assert_eq!(nulls["tokens"].null_count(), 2);
    let no_values = DictionaryArray::<Int32Type>::new(
        [None::<i32>, None].into_iter().collect(),
        Arc::new(StringArray::from(Vec::<&str>::new())),
    );
    assert_eq!(
        annotator.annotate(&batch(Arc::new(no_values))).unwrap()["n_tokens"].null_count(),
        2
    );
}

#[test]
fn numbers_with_a_sign_have_the_same_bits() {
    let columns = ["n_tokens", "orth", "end"];
    let plain = annotator(&columns, |_| ()).annotate(&utf8(TEXTS)).unwrap();
    let signed = annotator(&columns, |options| options.signed = true);
    let signed = signed.annotate(&utf8(TEXTS)).unwrap();
    let values = |name: &str| {
        (
            Arc::clone(plain[name].as_list::<i32>().values()),
            Arc::clone(signed[name].as_list::<i32>().values()),
        )
    };
    let (orths, with_sign) = values("orth");
    let with_sign = with_sign.as_primitive::<Int64Type>().values().to_vec();
    let orths = orths.as_primitive::<UInt64Type>().values().to_vec();
    assert!(with_sign.iter().any(|id| *id < 0));
    assert_eq!(with_sign.iter().map(|id| id.cast_unsigned()).collect::<Vec<_>>(), orths);
    let (ends, with_sign) = values("end");
    let with_sign =
        with_sign.as_primitive::<Int32Type>().values().iter().map(|end| end.cast_unsigned());
    assert!(with_sign.eq(ends.as_primitive::<UInt32Type>().values().iter().copied()));
    assert_eq!(signed["n_tokens"].data_type(), &DataType::Int32);
}

#[test]
fn wrong_columns_are_errors_that_say_what_there_is() {
    let input = utf8(TEXTS);
    let error = |columns: &[&str], text: Option<&str>, prefix: &str| {
        let annotator = annotator(columns, |options| {
            options.text = text.map(str::to_owned);
            options.prefix = prefix.to_owned();
        });
        let error = annotator.annotate(&input).unwrap_err();
        (error.code(), error.message().to_owned())
    };
    let (code, text) = error(&["tokens"], Some("text"), "");
    assert_eq!(code, "arrow-text-column");
    assert!(text.contains("\"text\"") && text.contains("\"body\" (Utf8)"), "{text}");
    let (code, text) = error(&["tokens"], Some("id"), "");
    assert!(code == "arrow-text-column" && text.contains("Int64"), "{text}");
    let (code, text) = error(&["id"], None, "");
    assert!(code == "arrow-columns" && text.contains("prefix"), "{text}");
    let prefixed = annotator(&["id"], |options| options.prefix = "lex_".to_owned());
    assert!(prefixed.annotate(&input).is_ok());

    let tokenizer = Arc::new(Tokenizer::blank("xx").unwrap());
    for (columns, name) in
        [(vec!["lemma_"], "lemma_"), (vec!["LOWER"], "LOWER"), (vec!["end", "end"], "end")]
    {
        let columns = columns.into_iter().map(str::to_owned).collect();
        let options = AnnotatorOptions { columns, ..AnnotatorOptions::default() };
        let error = Annotator::new(&tokenizer, options).err().unwrap();
        assert!(error.code() == "arrow-columns" && error.message().contains(name), "{error}");
    }
}

#[test]
fn the_only_column_of_strings_is_taken_and_of_two_neither() {
    let annotator = annotator(&["n_tokens"], |_| ());
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["one two"]));
    let two = RecordBatch::try_from_iter([("a", Arc::clone(&texts)), ("b", texts)]).unwrap();
    assert_eq!(annotator.annotate(&two).unwrap_err().code(), "arrow-text-column");
    let one = two.project(&[1]).unwrap();
    let counts = annotator.annotate(&one).unwrap();
    assert_eq!(counts["n_tokens"].as_primitive::<UInt32Type>().values(), &[2]);
    let none = two.project(&[]).unwrap();
    assert!(annotator.annotate(&none).unwrap_err().message().contains("columns are none"));
}

/// A column of three rows with these offsets, not validated; the second row is null.
fn unvalidated(offsets: [i32; 4], bytes: &[u8]) -> RecordBatch {
    let data = ArrayData::builder(DataType::Utf8)
        .len(3)
        .add_buffer(arrow_buffer::Buffer::from_slice_ref(offsets))
        .add_buffer(arrow_buffer::Buffer::from_slice_ref(bytes))
        .null_bit_buffer(Some(arrow_buffer::Buffer::from_slice_ref([0b101_u8])));
    // SAFETY: the strings are validated before they are read.
    let data = unsafe { data.build_unchecked() };
    RecordBatch::try_from_iter_with_nullable([("text", arrow_array::make_array(data), true)])
        .unwrap()
}

#[test]
fn bytes_that_are_no_utf8_or_not_there_are_refused() {
    let annotator = annotator(&["n_tokens"], |_| ());
    let wrong = [
        ([0, 1, 1, 2], &b"a\xff"[..], "row 2 is not UTF-8"),
        // A character of two bytes, cut in the middle.
        ([0, 1, 1, 2], "\u{e9}".as_bytes(), "row 0 is not UTF-8"),
        ([0, 1, 1, 9], b"ab", "row 2 has the range Some(1..9) of 2 bytes"),
        ([0, 1, 2, 1], b"ab", "row 2 has the range"),
        ([-1, 1, 1, 2], b"ab", "row 0 has the range None"),
    ];
    for (offsets, bytes, text) in wrong {
        let error = annotator.annotate(&unvalidated(offsets, bytes)).unwrap_err();
        assert!(error.code() == "arrow-invalid" && error.message().contains(text), "{error}");
    }
    // Bytes of a null row are not read.
    let done = annotator.annotate(&unvalidated([0, 1, 2, 3], b"a\xffb")).unwrap();
    assert_eq!(done["n_tokens"].null_count(), 1);
}

#[test]
fn a_reader_ends_at_the_first_error_and_hands_it_on() {
    let annotator = Arc::new(annotator(&["n_tokens"], |_| ()));
    let good = utf8(TEXTS);
    let failed = || ArrowError::CDataInterface("the stream broke".to_owned());
    let batches = vec![Ok(good.clone()), Err(failed()), Ok(good.clone())];
    let input = RecordBatchIterator::new(batches, good.schema());
    let mut reader = annotator.reader(Box::new(input)).unwrap();
    assert_eq!(reader.next().unwrap().unwrap(), annotator.annotate(&good).unwrap());
    assert!(reader.next().unwrap().unwrap_err().to_string().contains("the stream broke"));
    assert!(reader.next().is_none());
}

#[test]
fn a_reader_that_panics_is_an_error() {
    let annotator = Arc::new(annotator(&["n_tokens"], |_| ()));
    let good = utf8(TEXTS);
    let batches = (0..2).map(|n| if n == 0 { Ok(utf8(TEXTS)) } else { panic!("on purpose") });
    let mut reader =
        annotator.reader(Box::new(RecordBatchIterator::new(batches, good.schema()))).unwrap();
    assert_eq!(reader.schema().fields().len(), 3);
    assert!(reader.next().unwrap().is_ok());
    assert!(reader.next().unwrap().is_err() && reader.next().is_none());
}
