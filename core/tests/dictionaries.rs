//! Documents of Japanese and Korean texts with small dictionaries that the tests write.

#![allow(clippy::disallowed_methods, reason = "tests make files of any kind")]

#[path = "../lattice/tests/files/mod.rs"]
mod files;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use files::{
    Entry, Format, MecabClass, MecabWord, dictionary, mecab_chars, mecab_costs, mecab_words,
};
use lexpool::dictionaries::{JapaneseSegmenter, KoreanSegmenter, SplitMode};
use lexpool::loading::{LoadOptions, load};
use lexpool::segment::{Segment, TokenDetails};
use lexpool::structs::AttrId;
use lexpool::tokenizer::{Tokenizer, segmenters};
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};
use proptest::prelude::*;

const WORDS: [Entry; 7] = [
    Entry::new("東京", "名詞-固有名詞-地名-一般", "トウキョウ"),
    Entry::new("都", "名詞-普通名詞-一般", "ト"),
    Entry::new("東京都", "名詞-固有名詞-地名-一般", "トウキョウト").units(&[0, 1]),
    Entry::new("に", "助詞-格助詞", "ニ"),
    Entry::new("行く", "動詞-非自立可能", "イク"),
    Entry::new("行っ", "動詞-非自立可能", "=").lemma(4).norm(4),
    Entry::new(" ", "空白", " "),
];

/// Writes the dictionary of Japanese to a folder, as the package has it.
fn write_japanese(package: &Path) {
    fs::create_dir_all(package.join("resources")).unwrap();
    fs::write(package.join("resources/system.dic"), dictionary(&WORDS, Format::Blocks)).unwrap();
}

fn write_korean(folder: &Path) {
    const WORDS: [MecabWord; 3] = [
        ("나", 100, 150, "NP,*,F,나,*,*,*,*"),
        ("는", 100, 120, "JX,*,T,는,*,*,*,*"),
        ("간다", 100, 180, "VV+EF,*,F,간다,Inflect,VV,EF,가/VV/*+ㄴ다/EF/*"),
    ];
    const UNKNOWN: [MecabWord; 2] =
        [("DEFAULT", 3000, 140, "SY,*,*,*,*,*,*,*"), ("SPACE", 3000, 140, "SP,*,*,*,*,*,*,*")];
    const CLASSES: [MecabClass; 2] =
        [("DEFAULT", '\0'..='\0', false, true, 0), ("SPACE", '\t'..=' ', false, true, 0)];
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("sys.dic"), mecab_words(&WORDS)).unwrap();
    fs::write(folder.join("unk.dic"), mecab_words(&UNKNOWN)).unwrap();
    fs::write(folder.join("matrix.bin"), mecab_costs()).unwrap();
    fs::write(folder.join("char.bin"), mecab_chars(&CLASSES)).unwrap();
}

fn tokenizer(segmenter: Arc<dyn Segment>) -> Tokenizer {
    let vocab = Vocab::new(Getters::native("ja")).unwrap();
    Tokenizer::with_segmenter(&vocab, segmenter, 100).unwrap()
}

/// Returns each token as `text/tag/pos/lemma/norm/morph`, with `_` for a space of its own.
fn rows(doc: &Doc) -> Vec<String> {
    let attrs = [AttrId::TAG, AttrId::POS, AttrId::LEMMA, AttrId::NORM, AttrId::MORPH];
    let row = |token: lexpool::tokens::Token<'_>| {
        let space = if token.record().spacy() { "_" } else { "" };
        let attrs = attrs.map(|attr| token.text_of(attr).to_owned());
        format!("{}{space}/{}", token.text(), attrs.join("/"))
    };
    doc.iter().map(row).collect()
}

#[test]
fn japanese_words_have_the_annotation_of_the_dictionary() {
    let package = tempfile::tempdir().unwrap();
    write_japanese(package.path());
    let open = |mode| JapaneseSegmenter::open(package.path(), mode).unwrap();
    let short = tokenizer(Arc::new(open(SplitMode::A)));
    assert_eq!(
        rows(&short.tokenize("東京都 に  行っ").unwrap()),
        [
            "東京/名詞-固有名詞-地名-一般/PROPN/東京/東京/Reading=トウキョウ",
            "都_/名詞-普通名詞-一般/NOUN/都/都/Reading=ト",
            "に_/助詞-格助詞/ADP/に/に/Reading=ニ",
            " /空白/SPACE/ / /",
            "行っ/動詞-非自立可能/AUX/行く/行く/Reading=_",
        ]
    );
    assert_eq!(open(SplitMode::A).details("東京都").unwrap(), None);
    let TokenDetails::SubTokens(units) =
        open(SplitMode::C).details(" 東京都 に  ").unwrap().unwrap()
    else {
        panic!("Japanese has shorter units")
    };
    let long = tokenizer(Arc::new(open(SplitMode::C))).tokenize(" 東京都 に  ").unwrap();
    let texts: Vec<&str> = long.iter().map(|token| token.text()).collect();
    assert_eq!(texts, [" ", "東京都", "に", " "]);
    assert_eq!(units.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, false]);
    let lengths = units[1].as_ref().unwrap();
    assert_eq!(lengths.len(), 2, "units of modes A and B");
    assert_eq!(lengths[0][1].text, "都");
    assert_eq!(
        (lengths[0][0].tag.as_str(), lengths[0][0].reading.as_str()),
        ("名詞-固有名詞-地名-一般", "トウキョウ")
    );
}

#[test]
fn korean_words_have_the_first_of_their_tags() {
    let package = tempfile::tempdir().unwrap();
    write_korean(&package.path().join("dictionary"));
    let segmenter = segmenters::open("mecab", Some(package.path())).unwrap();
    assert_eq!(
        segmenter.details("나는  간다\n").unwrap(),
        Some(TokenDetails::FullTags(["NP", "JX", "", "VV+EF", ""].map(str::to_owned).to_vec()))
    );
    assert_eq!(
        rows(&tokenizer(segmenter).tokenize("나는  간다\n").unwrap()),
        ["나/NP/PRON/나/나/", "는_/JX/ADP/는/는/", " //// /", "간다/VV/VERB/가/간다/", "\n////\n/"]
    );
    assert!(KoreanSegmenter::open(&package.path().join("dictionary")).is_ok());
}

#[test]
fn the_configuration_of_a_pipeline_names_its_dictionary() {
    let root = tempfile::tempdir().unwrap();
    let dictionary = root.path().join("sudachi");
    write_japanese(&dictionary);
    write_korean(&root.path().join("mecab"));
    let words = |lang: &str, settings: &str, text: &str| {
        let folder = root.path().join("pipeline");
        fs::create_dir_all(&folder).unwrap();
        let config = format!(
            "[nlp]\nlang = \"{lang}\"\npipeline = []\n[nlp.tokenizer]\n{settings}\n\
             [nlp.vectors]\n@vectors = \"spacy.Vectors.v1\"\n"
        );
        fs::write(folder.join("config.cfg"), config).unwrap();
        let loaded = load(&folder, &LoadOptions::default())?;
        let doc = loaded.pipeline.tokenizer().tokenize(text)?;
        Ok(doc.iter().map(|token| token.text().to_owned()).collect::<Vec<_>>())
    };
    let code = |found: lexpool::Result<Vec<String>>| found.unwrap_err().code();
    let settings = |mode: &str| {
        format!(
            "@tokenizers = \"spacy.ja.JapaneseTokenizer\"\ndictionary = {dictionary:?}\n\
             split_mode = {mode}"
        )
    };
    assert_eq!(words("ja", &settings("null"), "東京都").unwrap(), ["東京", "都"]);
    assert_eq!(words("ja", &settings("\"C\""), "東京都").unwrap(), ["東京都"]);
    assert_eq!(code(words("ja", &settings("\"D\""), "東京都")), "config-value");
    assert_eq!(code(words("ja", &settings("1"), "東京都")), "config-value");
    let korean = format!(
        "@tokenizers = \"spacy.ko.KoreanTokenizer\"\ndictionary = {:?}",
        root.path().join("mecab")
    );
    assert_eq!(words("ko", &korean, "나는 간다").unwrap(), ["나", "는", "간다"]);
    let missing = "@tokenizers = \"spacy.ko.KoreanTokenizer\"";
    assert_eq!(code(words("ko", missing, "나")), "segmenter-data");
}

proptest! {
    #[test]
    fn each_token_has_its_details(text in "[東京都に行っx \\n\u{3000}]{0,24}", middle: bool) {
        let package = tempfile::tempdir().unwrap();
        write_japanese(package.path());
        write_korean(&package.path().join("dictionary"));
        let mode = if middle { SplitMode::B } else { SplitMode::C };
        let segmenter = segmenters::open_sudachi(Some(package.path()), mode).unwrap();
        let doc = tokenizer(Arc::clone(&segmenter)).tokenize(&text).unwrap();
        let Some(TokenDetails::SubTokens(units)) = segmenter.details(&text).unwrap() else {
            panic!("Japanese has shorter units")
        };
        prop_assert_eq!(units.len(), doc.len());
        for (token, lengths) in doc.iter().zip(units) {
            for units in lengths.into_iter().flatten() {
                let joined: String = units.iter().map(|unit| unit.text.as_str()).collect();
                prop_assert_eq!(joined, token.text());
            }
        }
        let korean = segmenters::open("mecab", Some(package.path())).unwrap();
        let doc = tokenizer(Arc::clone(&korean)).tokenize(&text).unwrap();
        let Some(TokenDetails::FullTags(tags)) = korean.details(&text).unwrap() else {
            panic!("Korean has all tags")
        };
        prop_assert_eq!(tags.len(), doc.len());
    }
}
