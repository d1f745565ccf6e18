//! Sudachi's dictionaries in both formats, written by these tests: words, units, unknown words,
//! numerals, and files that are damaged.

mod files;

use bytes::Bytes;
use files::{Entry, Format, dictionary};
use lexpool_lattice::sudachi::{Analyzer, Dictionary, MAX_BYTES, Mode, Morpheme};
use proptest::prelude::*;

const FORMATS: [Format; 2] = [Format::Blocks, Format::Legacy];

/// Words of a small dictionary. Their costs make the paths that the tests expect.
const WORDS: [Entry; 12] = [
    Entry::new("東京", "名詞-固有名詞", "トウキョウ"),
    Entry::new("都", "名詞-普通名詞", "ト"),
    Entry::new("東京都", "名詞-固有名詞", "トウキョウト").units(&[0, 1]),
    Entry::new("に", "助詞", "ニ"),
    Entry::new("行く", "動詞", "イク"),
    Entry::new("行っ", "動詞", "イッ").lemma(4).norm(4),
    Entry::new("た", "助動詞", "タ"),
    Entry::new("abc", "名詞-普通名詞", "エービーシー"),
    Entry::new(",", "補助記号-読点", ","),
    Entry::new("ナン", "名詞-普通名詞", "ナン"),
    Entry::new(" ", "空白", " "),
    Entry::new("とても長い単語なので長さの欄に収まらない言葉", "名詞-普通名詞", "ナガイ"),
];

/// The files of tests/files, which tests in Python open, with the first of the words.
const FILES: [(&str, Format); 2] = [("blocks.dic", Format::Blocks), ("legacy.dic", Format::Legacy)];

#[test]
fn the_files_of_the_repository_are_those_of_this_writer() {
    for (name, format) in FILES {
        let bytes = dictionary(&WORDS[..11], format);
        assert!(files::reference(name) == bytes, "tests/files/dictionaries/{name} is another file");
    }
}

fn open(format: Format) -> Dictionary {
    Dictionary::open(&dictionary(&WORDS, format)).unwrap()
}

/// Returns each word as `text/category/lemma/norm/reading`.
fn words(format: Format, text: &str, mode: Mode) -> Vec<String> {
    let (dictionary, mut analyzer) = (open(format), Analyzer::default());
    let words = analyzer.analyze(&dictionary, text, mode).unwrap();
    words
        .map(|word| {
            let mut forms = [String::new(), String::new(), String::new()];
            word.push_lemma(&mut forms[0]);
            word.push_norm(&mut forms[1]);
            word.push_reading(&mut forms[2]);
            let category = word.part_of_speech().unwrap().category();
            format!("{}/{category}/{}", &text[word.range()], forms.join("/"))
        })
        .collect()
}

fn texts(text: &str, mode: Mode) -> Vec<String> {
    let of = |format| {
        let words = words(format, text, mode);
        words.iter().map(|word| word.split('/').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let found = of(Format::Blocks);
    assert_eq!(found, of(Format::Legacy));
    found
}

#[test]
fn words_have_the_forms_of_the_dictionary() {
    for format in FORMATS {
        let expected = [
            "東京都/名詞-固有名詞/東京都/東京都/トウキョウト",
            "に/助詞/に/に/ニ",
            "行っ/動詞/行く/行く/イッ",
            "た/助動詞/た/た/タ",
        ];
        assert_eq!(words(format, "東京都に行った", Mode::C), expected);
        let long = WORDS[11].text;
        assert_eq!(
            words(format, long, Mode::A)[0],
            format!("{long}/名詞-普通名詞/{long}/{long}/ナガイ")
        );
    }
}

#[test]
fn long_words_are_split_into_units() {
    assert_eq!(texts("東京都に", Mode::C), ["東京都", "に"]);
    assert_eq!(texts("東京都に", Mode::B), ["東京", "都", "に"]);
    assert_eq!(texts("東京都に", Mode::A), ["東京", "都", "に"]);
    let (dictionary, mut analyzer) = (open(Format::Blocks), Analyzer::default());
    let word = analyzer.analyze(&dictionary, "東京都", Mode::C).unwrap().next().unwrap();
    let units = word.split(Mode::A).unwrap();
    assert_eq!(units.iter().map(Morpheme::range).collect::<Vec<_>>(), [0..6, 6..9]);
    assert_eq!(units[0].split(Mode::A).unwrap().len(), 1);
}

#[test]
fn ranges_are_those_of_the_text_before_it_was_normalized() {
    assert_eq!(texts("ＡＢＣに東京（みやこ）", Mode::C), ["ＡＢＣ", "に", "東京（みやこ）"]);
    // A character that stands for several words belongs to the first.
    assert_eq!(texts("㍿", Mode::C), ["㍿", ""]);
    assert!(texts("", Mode::C).is_empty());
}

#[test]
fn unknown_words_are_as_long_as_their_characters_are_alike() {
    let found = words(Format::Blocks, "xyzに", Mode::C);
    assert_eq!(found, ["xyz/名詞-普通名詞-一般/xyz/xyz/xyz", "に/助詞/に/に/ニ"]);
    // Katakana that the dictionary knows in part is joined.
    assert_eq!(texts("ナンデヤネン", Mode::C), ["ナンデヤネン"]);
    assert_eq!(texts("ナン", Mode::C), ["ナン"]);
}

#[test]
fn numerals_are_one_word_whose_norm_is_the_number() {
    let found = words(Format::Blocks, "1,200に", Mode::C);
    assert_eq!(found[0], "1,200/名詞-数詞/1,200/1200/1,200");
    assert_eq!(texts("1,20に", Mode::C), ["1", ",", "20", "に"]);
    assert_eq!(texts("1,", Mode::C), ["1", ","]);
}

#[test]
fn a_text_that_is_too_long_is_refused() {
    let (dictionary, mut analyzer) = (open(Format::Blocks), Analyzer::default());
    let long = "に".repeat(MAX_BYTES / 3 + 1);
    let refused = analyzer.analyze(&dictionary, &long, Mode::A).map(|_| ()).unwrap_err();
    assert_eq!(refused.code(), "E025");
    let longest = "に".repeat(MAX_BYTES / 3);
    assert_eq!(analyzer.analyze(&dictionary, &longest, Mode::A).unwrap().len(), MAX_BYTES / 3);
}

#[test]
fn other_files_are_refused() {
    let refused = |file: &[u8]| {
        let error = Dictionary::open(&Bytes::copy_from_slice(file)).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "segment-dictionary", "{error}");
        error.message().to_owned()
    };
    assert!(refused(b"").contains("expected a system dictionary"));
    assert!(refused(b"SudachiBinaryDic\x02\0\0\0\0\0\0\0").contains("version Some(2)"));
    let user = 0x9fde_b5a9_0168_d868_u64.to_le_bytes();
    assert!(refused(&user).contains("user dictionary"));
    for format in FORMATS {
        let whole = dictionary(&WORDS, format);
        // Each section is missing in turn.
        for len in (0..whole.len()).step_by(whole.len() / 40 + 1) {
            let _ = Dictionary::open(&whole.slice(..len)).map(|_| ());
        }
        refused(&whole[..64]);
    }
    let no_symbols: Vec<Entry> = vec![Entry::new("に", "助詞", "ニ")];
    let bytes = files::without_symbols(&no_symbols);
    assert!(refused(&bytes).contains("補助記号-一般"));
}

proptest! {
    /// Readers neither panic nor read beyond a file, whatever it contains.
    #[test]
    fn damaged_files_make_wrong_words_at_worst(
        legacy: bool,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
        text in "[東京都に行くったabcナン1,. （）]{0,12}",
    ) {
        let format = if legacy { Format::Legacy } else { Format::Blocks };
        let mut bytes = dictionary(&WORDS, format).to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(dictionary) = Dictionary::open(&bytes.into()) {
            let mut analyzer = Analyzer::default();
            for mode in [Mode::A, Mode::B, Mode::C] {
                let Ok(words) = analyzer.analyze(&dictionary, &text, mode) else { continue };
                let mut forms = String::new();
                for word in words {
                    prop_assert!(text.get(word.range()).is_some());
                    word.push_lemma(&mut forms);
                    word.push_norm(&mut forms);
                    word.push_reading(&mut forms);
                    let _ = (word.part_of_speech(), word.split(Mode::A).map(|units| units.len()));
                }
            }
        }
    }

    #[test]
    fn words_tile_the_text(text in "[東京都に行くったabcナン1,.Ａ㍿ｶﾞー〜（かな） \\n]{0,16}") {
        let (dictionary, mut analyzer) = (open(Format::Blocks), Analyzer::default());
        let mut end = 0;
        for word in analyzer.analyze(&dictionary, &text, Mode::A).unwrap() {
            prop_assert_eq!(word.range().start, end);
            end = word.range().end;
        }
        prop_assert_eq!(end, text.len());
    }
}
