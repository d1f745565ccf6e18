//! The table of languages: their files and the aliases of their codes.

/// A data file: its name, for errors, and its text.
pub(super) struct LangSource<'t> {
    pub(super) name: &'t str,
    pub(super) text: &'t str,
}

/// Makes a data file of the library from its name without the ending.
macro_rules! data_file {
    ($name:literal) => {
        LangSource {
            name: concat!($name, ".toml"),
            text: include_str!(concat!("rules/", $name, ".toml")),
        }
    };
}

/// Makes the table from codes, each with its aliases.
macro_rules! languages {
    ($($code:literal: $aliases:literal,)*) => {
        &[$(Language { code: $code, aliases: $aliases, source: data_file!($code) }),*]
    };
}

/// A language with rules of its own.
struct Language {
    code: &'static str,
    /// Other codes of ISO 639 for it, separated by spaces.
    aliases: &'static str,
    source: LangSource<'static>,
}

/// The files that precede those of all languages.
pub(super) static SHARED: [LangSource<'_>; 2] = [data_file!("base"), data_file!("families")];

/// The languages in the order of their codes.
static LANGUAGES: &[Language] = languages! {
    "af": "afr",
    "am": "amh",
    "ar": "ara",
    "az": "aze",
    "bg": "bul",
    "bn": "ben",
    "bo": "bod tib",
    "ca": "cat",
    "cs": "ces cze",
    "da": "dan",
    "de": "deu ger",
    "dsb": "",
    "el": "ell gre",
    "en": "eng",
    "es": "spa",
    "et": "est",
    "eu": "eus baq",
    "fa": "fas per",
    "fi": "fin",
    "fo": "fao",
    "fr": "fra fre",
    "ga": "gle",
    "gd": "gla",
    "grc": "",
    "gu": "guj",
    "he": "heb iw",
    "hi": "hin",
    "hr": "hrv scr",
    "hsb": "",
    "ht": "hat",
    "hu": "hun",
    "hy": "hye arm",
    "id": "ind in",
    "is": "isl ice",
    "it": "ita",
    "ja": "jpn",
    "kmr": "ku kur",
    "kn": "kan",
    "ko": "kor",
    "ky": "kir",
    "la": "lat",
    "lb": "ltz",
    "lg": "lug",
    "lij": "",
    "lt": "lit",
    "lv": "lav",
    "mk": "mkd mac",
    "ml": "mal",
    "mr": "mar",
    "ms": "msa may zsm",
    "nb": "nob",
    "ne": "nep",
    "nl": "nld dut",
    "nn": "nno",
    "pl": "pol",
    "pt": "por",
    "ro": "ron rum mo mol",
    "ru": "rus",
    "sa": "san",
    "si": "sin",
    "sk": "slk slo",
    "sl": "slv",
    "sq": "sqi alb",
    "sr": "srp scc",
    "sv": "swe",
    "ta": "tam",
    "te": "tel",
    "th": "tha",
    "ti": "tir",
    "tl": "tgl fil",
    "tn": "tsn",
    "tr": "tur",
    "tt": "tat",
    "uk": "ukr",
    "ur": "urd",
    "vi": "vie",
    "xx": "mul",
    "yo": "yor",
    "zh": "zho chi cmn",
};

/// Returns the codes of the languages that [`load`](super::load) accepts, in order.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.code)
}

/// Returns the code of a language, given by this code or by an alias of ISO 639, such as `deu`,
/// `ger` or `iw`; `None` for an unknown one.
///
/// ```
/// use lexpool::tokenizer::lang;
/// assert_eq!(lang::resolve("eng"), Some("en"));
/// assert_eq!(lang::resolve("tlh"), None);
/// ```
pub fn resolve(code: &str) -> Option<&'static str> {
    let is_it = |language: &&Language| {
        language.code == code || language.aliases.split_whitespace().any(|alias| alias == code)
    };
    LANGUAGES.iter().find(is_it).map(|language| language.code)
}

/// Returns the aliases of a code.
pub fn aliases(code: &str) -> impl Iterator<Item = &'static str> {
    let language = LANGUAGES.iter().find(|language| language.code == code);
    language.map_or("", |language| language.aliases).split_whitespace()
}

/// Returns the file of a language.
pub(super) fn source(code: &str) -> Option<&'static LangSource<'static>> {
    LANGUAGES.iter().find(|language| language.code == code).map(|language| &language.source)
}

/// Returns the codes nearest to an unknown one: those that share its first letter, or all.
pub fn nearest(code: &str) -> Vec<&'static str> {
    let first = code.chars().next().map(|first| first.to_ascii_lowercase());
    let is_near = |language: &&Language| first.is_some() && language.code.chars().next() == first;
    let near: Vec<&str> = LANGUAGES.iter().filter(is_near).map(|language| language.code).collect();
    if near.is_empty() { languages().collect() } else { near }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    #[test]
    fn each_data_file_is_in_the_table_and_all_add_less_than_140_kb_to_a_package() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tokenizer/lang/rules");
        let files = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        let sources = || SHARED.iter().chain(LANGUAGES.iter().map(|language| &language.source));
        let mut table: Vec<_> = sources().map(|source| source.name).collect();
        table.sort_unstable();
        assert_eq!(table, names);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        for source in sources() {
            encoder.write_all(source.text.as_bytes()).unwrap();
        }
        let size = encoder.finish().unwrap().len();
        assert!(size < 140_000, "{size}");
    }
}
