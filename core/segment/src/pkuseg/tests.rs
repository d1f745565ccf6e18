//! Models made by the format, beside a slow form of the algorithm.

use lexpool_msgpack::Value;
use proptest::prelude::*;

use super::*;
use crate::buffer::SegmentBuffer;

fn text(text: &str) -> Value {
    Value::Str(text.to_owned())
}

fn texts(all: &[&str]) -> Value {
    Value::Array(all.iter().map(|one| text(one)).collect())
}

fn numbered(names: &[&str]) -> Value {
    Value::Map((0..).zip(names).map(|(number, name)| (text(name), Value::UInt(number))).collect())
}

const FEATURES: [&str; 9] =
    ["$$", "c.a", "c-1.a", "c1.b", "cc1.a.b", "w1.ab", "w-1.ab", "ww.l.ab*ab", "c.**Num"];
const TAGS: [&str; 3] = ["B", "I", "B_single"];

fn features() -> Vec<u8> {
    let parts = [
        ("unigram", texts(&["ab"])),
        ("bigram", texts(&["ab*ab"])),
        ("feature_to_idx", numbered(&FEATURES)),
        ("tag_to_idx", numbered(&TAGS)),
    ];
    let parts = parts.into_iter().map(|(name, part)| (text(name), part)).collect();
    Value::Map(parts).to_bytes().unwrap()
}

/// Returns an array in NumPy's format.
fn npy(kind: &str, len: usize, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len},), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

/// Returns an archive of files, without checksums.
fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let short = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
    let long = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    for (name, bytes) in files {
        let start = archive.len();
        archive.extend(b"PK\x03\x04");
        archive.extend([0; 14]);
        archive.extend([long(bytes.len()), long(bytes.len())].concat());
        archive.extend([short(name.len()), short(0)].concat());
        archive.extend(name.as_bytes());
        archive.extend(bytes);
        directory.extend(b"PK\x01\x02");
        directory.extend([0; 16]);
        directory.extend([long(bytes.len()), long(bytes.len())].concat());
        directory.extend(short(name.len()));
        directory.extend([0; 12]);
        directory.extend(long(start));
        directory.extend(name.as_bytes());
    }
    let start = archive.len();
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([short(files.len()), short(files.len())].concat());
    archive.extend([long(directory.len()), long(start)].concat());
    archive.extend(short(0));
    archive
}

fn weights(sizes: [i64; 2], weights: &[f64]) -> Vec<u8> {
    let sizes = sizes.map(i64::to_le_bytes).concat();
    let bytes: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
    zip(&[("sizes.npy", npy("<i8", 2, &sizes)), ("w.npy", npy("<f8", weights.len(), &bytes))])
}

const N_WEIGHTS: usize = TAGS.len() * (FEATURES.len() + TAGS.len());

fn model(own: &[f64], processors: Option<&Value>) -> Result<Pkuseg> {
    let processors = processors.map(|value| value.to_bytes().unwrap());
    let (features, weights) = (features(), weights([3, 9], own));
    Pkuseg::from_files(&PkusegFiles {
        features: &features,
        weights: &weights,
        processors: processors.as_deref(),
    })
}

fn words(model: &Pkuseg, text: &str) -> Vec<String> {
    let mut buffer = SegmentBuffer::default();
    buffer.cut(model, text, &mut || Ok(())).unwrap();
    buffer.iter().map(|segment| text[segment.range()].to_owned()).collect()
}

/// Returns the score of a sequence of tags, feature by feature.
fn score(own: &[f64], piece: &str, tags: &[usize]) -> f64 {
    let names: Vec<&str> = piece
        .split("")
        .filter(|c| !c.is_empty())
        .map(|c| if c == "1" { "**Num" } else { c })
        .collect();
    let at = |i: usize| names.get(i).copied().unwrap_or("");
    let word = |from: Option<usize>| from.is_some_and(|i| at(i) == "a" && at(i + 1) == "b");
    let mut sum = 0.0;
    for (i, tag) in tags.iter().enumerate() {
        let before = i.checked_sub(1).map_or("", at);
        let holds = [
            true,
            at(i) == "a",
            before == "a",
            at(i + 1) == "b",
            at(i) == "a" && at(i + 1) == "b",
            word(Some(i)),
            word(i.checked_sub(1)),
            word(i.checked_sub(2)) && word(Some(i)),
            at(i) == "**Num",
        ];
        let found = (0..9).filter(|feature| holds[*feature]);
        sum += found.map(|feature| own[feature * 3 + tag]).sum::<f64>();
        if i > 0 {
            sum += 1.0 + own[27 + tag * 3 + tags[i - 1]];
        }
    }
    sum
}

proptest! {
    #[test]
    fn tags_have_the_best_score_of_all_sequences(
        own in prop::collection::vec(-3.0..3.0_f64, N_WEIGHTS),
        piece in "[abc1]{1,5}",
    ) {
        let model = model(&own, None).unwrap();
        let chars: Vec<char> = piece.chars().collect();
        let found = score(&own, &piece, &model.tags(&chars));
        let count = 3_usize.pow(u32::try_from(chars.len()).unwrap());
        let sequences = (0..count).map(|mut number| {
            let digit = |_| {
                let digit = number % 3;
                number /= 3;
                digit
            };
            chars.iter().map(digit).collect::<Vec<usize>>()
        });
        let best = sequences.map(|tags| score(&own, &piece, &tags)).fold(f64::MIN, f64::max);
        prop_assert!((found - best).abs() < 1e-9, "{found} {best}");
    }
}

/// Weights by which each character begins a word.
fn singles() -> Vec<f64> {
    let mut own = vec![0.0; N_WEIGHTS];
    own[2] = 9.0;
    own
}

#[test]
fn words_of_the_user_come_first_and_parts_are_merged_last() {
    let pair = |word: &str| Value::Array(vec![text(word), text("")]);
    let processors = Value::Array(vec![
        Value::Array(vec![pair("xy"), pair("xyzw")]),
        Value::Bool(true),
        texts(&["abc"]),
        texts(&["de", "d", "f", "fg"]),
    ]);
    let model = model(&singles(), Some(&processors)).unwrap();
    assert_eq!(words(&model, " axyb abcd"), ["a", "xy", "b", "abc", "d"]);
    // "xyz" is on the way to a longer word; "e" alone is not a word.
    assert_eq!(words(&model, "xyza de"), ["xyz", "a", "de"]);
    assert_eq!(words(&model, "fg xyz"), ["fg", "xy", "z"]);
    assert!(words(&model, " \n").is_empty());
}

proptest! {
    /// The slow form replaces one run after another in a list of words.
    #[test]
    fn merged_words_are_those_of_a_slow_form(
        common in prop::collection::vec("[ab]{2,8}", 0..6),
        other in prop::collection::vec("[ab]{1,8}", 0..6),
        text in "[abc]{1,24}",
    ) {
        let texts = |all: &[String]| Value::Array(all.iter().map(|one| self::text(one)).collect());
        let processors = Value::Array(vec![
            Value::Array(vec![]), Value::Bool(true), texts(&common), texts(&other),
        ]);
        let mut expected: Vec<String> = text.chars().map(String::from).collect();
        for len in (2..=7).rev() {
            for at in 0.. {
                let Some(run) = expected.get(at..at + len) else { break };
                let merged = run.concat();
                let is_word = |word: &String| common.contains(word) || other.contains(word);
                if common.contains(&merged) || other.contains(&merged) && !run.iter().all(is_word) {
                    expected.splice(at..at + len, [merged]);
                }
            }
        }
        prop_assert_eq!(words(&model(&singles(), Some(&processors)).unwrap(), &text), expected);
    }
}

#[test]
fn a_model_of_many_tags_is_refused() {
    let names: Vec<String> = (0..17).map(|number| format!("B{number}")).collect();
    let tags: Vec<&str> = names.iter().map(String::as_str).collect();
    let parts = [
        ("unigram", texts(&[])),
        ("feature_to_idx", numbered(&["$$"])),
        ("tag_to_idx", numbered(&tags)),
    ];
    let parts = parts.into_iter().map(|(name, part)| (text(name), part)).collect();
    let features = Value::Map(parts).to_bytes().unwrap();
    let weights = weights([17, 1], &[0.0; 17 * 18]);
    let files = PkusegFiles { features: &features, weights: &weights, processors: None };
    let error = Pkuseg::from_files(&files).unwrap_err();
    assert!(error.to_string().contains("1 to 16 tags"), "{error}");
}

#[test]
fn files_that_do_not_fit_are_refused() {
    assert_eq!(words(&model(&singles(), None).unwrap(), "ab"), ["a", "b"]);
    assert_eq!(model(&[0.0; 5], None).unwrap_err().code(), "segment-dictionary");
    assert_eq!(model(&[f64::NAN; N_WEIGHTS], None).unwrap_err().code(), "segment-dictionary");
    let (features, weights) = (features(), weights([3, 9], &singles()));
    for len in 0..weights.len() {
        let files = PkusegFiles { features: &features, weights: &weights[..len], processors: None };
        assert_eq!(Pkuseg::from_files(&files).unwrap_err().code(), "segment-dictionary", "{len}");
    }
    for len in 0..features.len() {
        let files = PkusegFiles { features: &features[..len], weights: &weights, processors: None };
        assert!(Pkuseg::from_files(&files).is_err(), "{len}");
    }
    assert!(model(&singles(), Some(&Value::UInt(1))).is_err());
}
