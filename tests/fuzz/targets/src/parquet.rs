//! Texts of Parquet files from any bytes.

use lexpool::tokenizer::Tokenizer;
use lexpool_io::corpus::{CorpusWriter, DocUnit, InvalidUtf8, Parquet, ReadOptions, Source, Texts};

use crate::scratch;

pub(crate) fn run(bytes: &[u8]) {
    let Some((first, file)) = bytes.split_first() else { return };
    let column = [None, Some("text"), Some("nested.text")][usize::from(first % 3)];
    let options = ReadOptions {
        unit: DocUnit::Line,
        invalid: if first & 128 == 0 { InvalidUtf8::Refuse } else { InvalidUtf8::Replace },
        skip_blank: false,
    };
    let path = scratch::file("texts.parquet", file);
    let source = Source::Parquet { path, column: column.map(str::to_owned) };
    // A page of a few bytes may stand for many rows.
    for text in Texts::new(vec![source], options).take(10_000) {
        if text.is_err() {
            break;
        }
    }
}

/// A file that lexpool writes.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let docs =
        ["Let's go!", "", "caf\u{e9}", "caf\u{e9}"].map(|text| tokenizer.tokenize(text).unwrap());
    let mut writer = Parquet::new(Vec::new()).unwrap();
    writer.write(Parquet::<Vec<u8>>::piece(&docs).unwrap()).unwrap();
    let file = writer.finish().unwrap();
    vec![[&[0], file.as_slice()].concat()]
}
