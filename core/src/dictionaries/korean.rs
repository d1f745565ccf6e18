//! The Korean segmenter: words of mecab-ko-dic as spaCy's `KoreanTokenizer` makes tokens of them.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lexpool_lattice::mecab::{Analyzer, Dictionary, Files, Token, field};
use lexpool_segment::{Features, Segment, Segments, TokenDetails};

use super::find::{find_installed, missing};
use super::pieces::pieces;
use crate::escape::shown;
use crate::mapped_file;
use crate::strings::chars;
use crate::{Error, Result};

/// The length in bytes of the longest text that is analyzed at once.
const MAX_BYTES: usize = 1 << 16;

/// The field of features with the parts of a word: `가/VV/*+ㄴ다/EF/*`.
const EXPRESSION: usize = 7;

/// A segmenter with a compiled dictionary of `MeCab`'s for Korean.
pub struct KoreanSegmenter {
    dictionary: Dictionary,
    /// Memory of threads that analyze no text at the moment.
    analyzers: Mutex<Vec<Analyzer>>,
}

impl KoreanSegmenter {
    /// Opens a folder with the files `sys.dic`, `unk.dic`, `matrix.bin`, `char.bin` and, if there
    /// are settings, `dicrc`; or the folder of a package with these files in `dictionary`. Cost:
    /// about a millisecond.
    ///
    /// # Errors
    ///
    /// Those of opening the files, such as `file-not-found`; `segment-dictionary` if they are
    /// damaged or of another version or encoding.
    pub fn open(folder: &Path) -> Result<KoreanSegmenter> {
        let in_package = folder.join("dictionary");
        let folder = if in_package.is_dir() { &in_package } else { folder };
        let file = |name| mapped_file::map(&folder.join(name)).map(|(_, bytes)| bytes);
        let settings = folder.join("dicrc");
        let settings = match std::fs::read_to_string(&settings) {
            Ok(settings) => settings,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::io("read", &settings, error)),
        };
        let dictionary = Dictionary::open(&Files {
            words: file("sys.dic")?,
            unknown: file("unk.dic")?,
            costs: file("matrix.bin")?,
            chars: file("char.bin")?,
            settings: &settings,
        });
        let dictionary = dictionary.map_err(|error| error.context(shown(folder)))?;
        Ok(KoreanSegmenter { dictionary, analyzers: Mutex::default() })
    }

    /// Opens the dictionary of the package `python-mecab-ko-dic`, which is looked for in the
    /// folders of packages beside the program.
    ///
    /// # Errors
    ///
    /// `segmenter-data` if the package is in none; those of [`open`](KoreanSegmenter::open).
    pub fn installed() -> Result<KoreanSegmenter> {
        let words = find_installed("python-mecab-ko-dic", "/sys.dic");
        match words.as_deref().and_then(Path::parent) {
            Some(folder) => KoreanSegmenter::open(folder),
            None => Err(missing("Korean", "python-mecab-ko-dic")),
        }
    }

    /// Calls a function for each word, with its bytes.
    fn each_word(
        &self,
        text: &str,
        mut found: impl FnMut(Range<usize>, &Token<'_>) -> Result<()>,
    ) -> Result<()> {
        let pool = || self.analyzers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut analyzer = pool().pop().unwrap_or_default();
        let mut analyze = || {
            for piece in pieces(text, MAX_BYTES) {
                let start = piece.start;
                for word in analyzer.analyze(&self.dictionary, &text[piece])? {
                    found(start + word.range.start..start + word.range.end, &word)?;
                }
            }
            Ok(())
        };
        let result = analyze();
        pool().push(analyzer);
        result
    }
}

impl Segment for KoreanSegmenter {
    fn name(&self) -> &'static str {
        "mecab"
    }

    fn has_details(&self) -> bool {
        true
    }

    fn details(&self, text: &str) -> Result<Option<TokenDetails>> {
        let (mut tags, mut at) = (Vec::new(), 0);
        self.each_word(text, |range, word| {
            if text[range.clone()].chars().all(chars::is_space) {
                return Ok(());
            }
            if at < range.start {
                // Whitespace that is a token.
                tags.push(String::new());
            }
            tags.push(field(word.features, 0).unwrap_or_default().into_owned());
            at = range.end + usize::from(text[range.end..].starts_with(' '));
            Ok(())
        })?;
        if at < text.len() {
            tags.push(String::new());
        }
        Ok(Some(TokenDetails::FullTags(tags)))
    }

    fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()> {
        self.each_word(text, |range, word| {
            let tags = field(word.features, 0).unwrap_or_default();
            // A stem or a prefinal ending, before endings.
            let tag = tags.split('+').next().unwrap_or_default();
            let parts = field(word.features, EXPRESSION).unwrap_or_default();
            let lemma = match parts.split('/').next().unwrap_or_default() {
                "*" => &text[range.clone()],
                lemma => lemma,
            };
            let features = Features { tag, pos: pos(tag), lemma, ..Features::default() };
            out.push_with(range, &features)
        })
    }
}

/// Returns the part of speech of a tag, as spaCy assigns them; `X` for others.
fn pos(tag: &str) -> &'static str {
    match tag {
        "JKS" | "JKC" | "JKG" | "JKO" | "JKB" | "JKV" | "JKQ" | "JX" | "VCP" => "ADP",
        "JC" | "MAJ" => "CONJ",
        "MAG" => "ADV",
        "MM" => "DET",
        "IC" => "INTJ",
        "VV" => "VERB",
        "VA" | "VCN" => "ADJ",
        "VX" => "AUX",
        "NNG" | "NNB" | "NNBC" => "NOUN",
        "NNP" => "PROPN",
        "NP" => "PRON",
        "NR" | "SN" => "NUM",
        "SF" | "SE" | "SC" | "SSO" | "SSC" => "PUNCT",
        "SY" => "SYM",
        _ => "X",
    }
}
