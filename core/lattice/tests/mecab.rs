//! A dictionary of `MeCab`'s, written by these tests: words, whitespace, unknown words, and files
//! that are damaged.

mod files;

use files::{MecabClass, MecabWord, mecab_chars, mecab_costs, mecab_words};
use lexpool_lattice::mecab::{Analyzer, Dictionary, Files, field};
use proptest::prelude::*;

const WORDS: [MecabWord; 7] = [
    ("나", 100, 150, "NP,*,F,나,*,*,*,*"),
    ("나", 200, 180, "VV,*,F,나,*,*,*,*"),
    ("는", 100, 120, "JX,*,T,는,*,*,*,*"),
    ("간다", 100, 180, "VV+EF,*,F,간다,Inflect,VV,EF,가/VV/*+ㄴ다/EF/*"),
    ("는간다", 250, 150, "NNG,*,F,는간다,*,*,*,*"),
    (",", 100, 140, "SC,*,*,*,*,*,*,*"),
    ("가는", 400, 180, "\"a,b\"\"c\",*,F"),
];

const UNKNOWN: [MecabWord; 4] = [
    ("DEFAULT", 3000, 140, "SY,*,*,*,*,*,*,*"),
    ("SPACE", 3000, 140, "SP,*,*,*,*,*,*,*"),
    ("HANGUL", 3000, 150, "UNKNOWN,*,*,*,*,*,*,*"),
    ("ALPHA", 3000, 150, "SL,*,*,*,*,*,*,*"),
];

const CLASSES: [MecabClass; 4] = [
    ("DEFAULT", '\0'..='\0', false, true, 0),
    ("SPACE", '\t'..=' ', false, true, 0),
    ("HANGUL", '가'..='힣', false, false, 2),
    ("ALPHA", 'a'..='z', true, true, 0),
];

fn files() -> [Vec<u8>; 4] {
    let unknown = mecab_words(&UNKNOWN);
    [mecab_words(&WORDS), unknown, mecab_costs(), mecab_chars(&CLASSES)]
}

#[test]
fn the_files_of_the_repository_are_those_of_this_writer() {
    for (name, bytes) in ["sys.dic", "unk.dic", "matrix.bin", "char.bin"].iter().zip(files()) {
        let reference = files::reference(&format!("mecab/{name}"));
        assert!(reference == bytes, "tests/files/dictionaries/mecab/{name} is another file");
    }
}

fn open(files: [Vec<u8>; 4], settings: &str) -> lexpool_error::Result<Dictionary> {
    let [words, unknown, costs, chars] = files.map(Into::into);
    Dictionary::open(&Files { words, unknown, costs, chars, settings })
}

fn words(settings: &str, text: &str) -> Vec<String> {
    let dictionary = open(files(), settings).unwrap();
    let mut analyzer = Analyzer::default();
    let words = analyzer.analyze(&dictionary, text).unwrap();
    words
        .map(|word| {
            let mark = if word.is_unknown { "?" } else { "" };
            format!("{}/{}{mark}", &text[word.range.clone()], field(word.features, 0).unwrap())
        })
        .collect()
}

#[test]
fn the_path_of_least_cost_wins() {
    assert_eq!(words("", "나는간다"), ["나/NP", "는/JX", "간다/VV+EF"]);
    // Both spellings of a word are tried.
    let dictionary = open(files(), "").unwrap();
    let mut analyzer = Analyzer::default();
    let word = analyzer.analyze(&dictionary, "간다").unwrap().next().unwrap();
    assert_eq!(field(word.features, 7).as_deref(), Some("가/VV/*+ㄴ다/EF/*"));
    assert_eq!(field(word.features, 8), None);
    let word = analyzer.analyze(&dictionary, "가는").unwrap().next().unwrap();
    assert_eq!(field(word.features, 0).as_deref(), Some("a,b\"c"));
}

#[test]
fn whitespace_is_skipped_and_raises_the_cost_of_what_follows() {
    assert_eq!(words("", "  나 는\n간다 "), ["나/NP", "는/JX", "간다/VV+EF"]);
    assert_eq!(words("", " 나 는간다"), ["나/NP", "는/JX", "간다/VV+EF"]);
    let settings = "cost-factor = 800\nleft-space-penalty-factor = 100,3000,120,6000\n";
    assert_eq!(words(settings, "나 는간다"), ["나/NP", "는간다/NNG"]);
    assert_eq!(words(settings, "나는간다"), ["나/NP", "는/JX", "간다/VV+EF"]);
    assert!(words("", "").is_empty() && words("", " \n").is_empty());
    let refused = open(files(), "left-space-penalty-factor = 100,x").unwrap_err();
    assert_eq!(refused.code(), "segment-dictionary");
}

#[test]
fn unknown_words_are_as_the_class_of_their_characters_says() {
    // All letters, of which the dictionary has none.
    assert_eq!(words("", "나abc나"), ["나/NP", "abc/SL?", "나/NP"]);
    // One or two syllables; of equal paths, the one with the shorter last word.
    assert_eq!(words("", "뷁뷁뷁"), ["뷁뷁/UNKNOWN?", "뷁/UNKNOWN?"]);
    // Signs together, characters beyond the table among them.
    assert_eq!(words("", "!\u{1f34e}나"), ["!\u{1f34e}/SY?", "나/NP"]);
    // A run of more characters than a word may have is divided.
    assert_eq!(words("", &"a".repeat(26)).len(), 2);
    assert_eq!(words("", &"a".repeat(25)).len(), 1);
}

#[test]
fn other_files_are_refused() {
    for (number, part) in ["sys.dic", "unk.dic", "matrix.bin", "char.bin"].iter().enumerate() {
        let mut short = files();
        let len = short[number].len();
        short[number].truncate(len - 1);
        let refused = open(short, "").unwrap_err();
        assert_eq!(refused.code(), "segment-dictionary");
        assert!(refused.message().contains(part), "{refused}");
    }
    let mut charset = files();
    charset[0][40..45].copy_from_slice(b"EUCKR");
    assert!(open(charset, "").unwrap_err().message().contains("EUCKR"));
    let mut classes = files();
    classes[1] = mecab_words(&UNKNOWN[..3]);
    assert!(open(classes, "").unwrap_err().message().contains("class 3"));
}

proptest! {
    /// Readers neither panic nor read beyond a file, whatever it contains.
    #[test]
    fn damaged_files_make_wrong_words_at_worst(
        damage in prop::collection::vec((0..4_usize, any::<prop::sample::Index>(), any::<u8>()), 1..16),
        text in "[나는간다abc, \n뷁!]{0,12}",
    ) {
        let mut bytes = files();
        for (file, at, byte) in damage {
            let at = at.index(bytes[file].len());
            bytes[file][at] = byte;
        }
        if let Ok(dictionary) = open(bytes, "") {
            let mut analyzer = Analyzer::default();
            if let Ok(words) = analyzer.analyze(&dictionary, &text) {
                for word in words {
                    prop_assert!(text.get(word.range).is_some());
                    let _ = (field(word.features, 0), field(word.features, 7));
                }
            }
        }
    }

    #[test]
    fn words_are_in_order_and_whitespace_is_between_them(text in "[나는간다abc, \n뷁!]{0,16}") {
        let dictionary = open(files(), "").unwrap();
        let mut analyzer = Analyzer::default();
        let mut end = 0;
        for word in analyzer.analyze(&dictionary, &text).unwrap() {
            prop_assert!(text[end..word.range.start].trim().is_empty());
            prop_assert!(!word.range.is_empty());
            end = word.range.end;
        }
        prop_assert!(text[end..].trim().is_empty());
    }
}
