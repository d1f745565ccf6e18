use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding};
use ::parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use ::parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader,
    ParquetMetaDataWriter,
};
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use lexpool::{Error, Result};
use tempfile::TempDir;

use crate::corpus::{DocUnit, InvalidUtf8, ReadOptions, Source, SourceText, Texts};

const OPTIONS: ReadOptions =
    ReadOptions { unit: DocUnit::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };

const NULLABLE: &str = "message m { required int64 id; optional binary text (UTF8); }";

/// Values of the column `text`, some of them null.
fn rows(count: usize) -> Vec<Option<String>> {
    let row = |i: usize| match i % 7 {
        3 => None,
        5 => Some(String::new()),
        _ => Some(format!("text {} \u{e9}\u{1f600} {}", i % 40, "and more ".repeat(i % 5))),
    };
    (0..count).map(row).collect()
}

/// Writes a file with row groups of these sizes.
fn write(
    folder: &TempDir,
    properties: WriterPropertiesBuilder,
    groups: &[Vec<Option<String>>],
) -> PathBuf {
    let path = folder.path().join("in.parquet");
    let schema = Arc::new(parse_message_type(NULLABLE).unwrap());
    let file = fs::File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build())).unwrap();
    for rows in groups {
        let mut group = writer.next_row_group().unwrap();
        let mut ids = group.next_column().unwrap().unwrap();
        let numbers: Vec<i64> = (0..rows.len()).map(|i| i64::try_from(i).unwrap()).collect();
        ids.typed::<Int64Type>().write_batch(&numbers, None, None).unwrap();
        ids.close().unwrap();
        let mut texts = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> =
            rows.iter().flatten().map(|row| ByteArray::from(row.as_str())).collect();
        let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.is_some())).collect();
        texts.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
        texts.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
    path
}

fn read(path: PathBuf, column: Option<&str>) -> Result<Vec<SourceText>> {
    let column = column.map(str::to_owned);
    Texts::new(vec![Source::Parquet { path, column }], OPTIONS).collect()
}

fn fault(path: PathBuf, column: Option<&str>) -> Error {
    read(path, column).unwrap_err()
}

// Codecs that lexpool decompresses itself: files of pyarrow, in tests/shell/test_parquet.py.
#[test]
fn rows_come_back_in_order_whatever_codec_encoding_and_version_they_are_written_with() {
    let folder = tempfile::tempdir().unwrap();
    let groups = [rows(500), rows(0), rows(33)];
    let expected: Vec<String> =
        groups.iter().flatten().map(|row| row.clone().unwrap_or_default()).collect();
    let codecs =
        [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4, Compression::LZ4_RAW];
    for codec in codecs {
        for encoding in [
            None,
            Some(Encoding::PLAIN),
            Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
            Some(Encoding::DELTA_BYTE_ARRAY),
        ] {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let mut properties = WriterProperties::builder()
                    .set_compression(codec)
                    .set_writer_version(version)
                    .set_data_page_row_count_limit(50)
                    .set_write_batch_size(10);
                if let Some(encoding) = encoding {
                    properties = properties
                        .set_dictionary_enabled(false)
                        .set_column_encoding("text".into(), encoding);
                }
                let path = write(&folder, properties, &groups);
                let size = fs::metadata(&path).unwrap().len();
                let found = read(path, None).unwrap();
                let texts: Vec<_> = found.iter().map(|read| read.text.as_str()).collect();
                assert_eq!(texts, expected, "{codec:?} {encoding:?} {version:?}");
                assert_eq!(found.iter().map(|read| read.bytes).sum::<u64>(), size);
                assert!(found[40].location.to_string().ends_with("in.parquet, row 41"));
            }
        }
    }
}

#[test]
fn a_column_that_is_not_there_or_not_of_strings_is_answered_with_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, WriterProperties::builder(), &[rows(3)]);
    let error = fault(path.clone(), Some("body"));
    assert_eq!(error.code(), "no-column");
    assert!(error.message().ends_with(
        "in.parquet: no column is named \"body\"; the file has one column of strings, \"text\""
    ));
    let error = fault(path, Some("id"));
    assert_eq!(error.code(), "column-type");
    assert!(error.message().contains("column \"id\" has INT64, not strings"), "{error}");
}

#[test]
fn a_file_of_something_else_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [&b""[..], b"PAR1", b"plain text, and quite some of it", &[b'P'; 4096]] {
        let path = folder.path().join("in.parquet");
        fs::write(&path, bytes).unwrap();
        let error = fault(path, None);
        assert_eq!(error.code(), "parquet-invalid", "{bytes:?}");
        assert!(error.message().contains("in.parquet: not a valid Parquet file: "), "{error}");
    }
}

/// Metadata of a file with other row counts: of the file, and of its groups.
fn recounted(path: &PathBuf, rows: i64, groups: &[i64]) -> ParquetMetaData {
    let file = fs::File::open(path).unwrap();
    let found = ParquetMetaDataReader::new().parse_and_finish(&file).unwrap();
    let was = found.file_metadata();
    let (creator, extra) = (was.created_by().map(str::to_owned), was.key_value_metadata().cloned());
    let schema = was.schema_descr_ptr();
    let all = FileMetaData::new(was.version(), rows, creator, extra, schema, None);
    let mut changed = ParquetMetaDataBuilder::new(all);
    for (group, rows) in found.row_groups().iter().zip(groups) {
        let group = group.clone().into_builder().set_num_rows(*rows).build().unwrap();
        changed = changed.add_row_group(group);
    }
    changed.build()
}

/// Rewrites a file with other row counts of its groups, and their sum.
fn recount(path: &PathBuf, groups: &[i64]) {
    let changed = recounted(path, groups.iter().sum(), groups);
    let mut bytes = fs::read(path).unwrap();
    let footer = bytes.len() - 8;
    let len = u32::from_le_bytes(*bytes[footer..].first_chunk().unwrap());
    bytes.truncate(footer - len as usize);
    ParquetMetaDataWriter::new(&mut bytes, &changed).finish().unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn counts_of_rows_that_do_not_agree_are_refused_and_no_row_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    for (groups, expected) in [
        ([20, 10], None),
        ([20, 9], Some("row group 2 announces 9 rows, but 10 values of the column")),
        ([-20, 10], Some("row group 1 announces -20 rows")),
        ([0, 10], Some("row group 1 announces 0 rows")),
    ] {
        let path = write(&folder, WriterProperties::builder(), &[rows(20), rows(10)]);
        recount(&path, &groups);
        match (read(path, None), expected) {
            (Ok(found), None) => assert_eq!(found.len(), 30),
            (Err(error), Some(expected)) => {
                assert_eq!(error.code(), "parquet-invalid");
                assert!(error.message().contains(expected), "{error}");
            }
            (other, _) => panic!("{groups:?}: {other:?}"),
        }
    }
}

#[test]
fn a_count_of_all_rows_that_its_groups_do_not_add_up_to_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, WriterProperties::builder(), &[rows(20), rows(10)]);
    let counted = |all| match super::count_rows(&recounted(&path, all, &[20, 10]), 1) {
        Ok(rows) => rows.to_string(),
        Err(super::ReadError::Invalid(text)) => text,
        Err(super::ReadError::Io(error)) => error.to_string(),
    };
    assert_eq!(counted(30), "30");
    for all in [-1, 0, 20, 31] {
        assert_eq!(counted(all), format!("the file announces {all} rows, but its row groups 30"));
    }
}

#[test]
fn changed_and_cut_off_files_are_errors_or_read_and_never_end_the_process() {
    let folder = tempfile::tempdir().unwrap();
    for encoding in [Encoding::PLAIN, Encoding::DELTA_BYTE_ARRAY, Encoding::RLE_DICTIONARY] {
        let mut properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        if encoding != Encoding::RLE_DICTIONARY {
            properties = properties
                .set_dictionary_enabled(false)
                .set_column_encoding("text".into(), encoding);
        }
        let path = write(&folder, properties, &[rows(20)]);
        let bytes = fs::read(&path).unwrap();
        let mut refused = 0;
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                fs::write(&path, changed).unwrap();
                refused += usize::from(read(path.clone(), Some("text")).is_err());
            }
            fs::write(&path, &bytes[..at]).unwrap();
            assert!(read(path.clone(), None).is_err(), "cut off at {at}");
        }
        assert!(refused > bytes.len() / 4);
    }
}
