//! Vocabs in the folders of spaCy's pipelines: strings, vectors and norms.

use std::path::Path;
use std::sync::Arc;

use lexpool_structs::AttrId;

use super::getters::{AttrValue, Getter, Getters};
use super::vocab::Vocab;
use crate::codes;
use crate::escape::shown;
use crate::lookups::{LookupTable, Lookups};
use crate::msgpack::Value;
use crate::seeded::IdMap;
use crate::strings::StrId;
use crate::vectors::{VectorParts, Vectors};
use crate::{Error, Result};

/// The parts of a vocab's folder to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderParts {
    /// The strings, `strings.json`.
    pub strings: bool,
    /// The word vectors: `vectors`, `key2row` and `vectors.cfg`, as far as they exist.
    pub vectors: bool,
    /// The tables, `lookups.bin` if it exists, of which the norms are used.
    pub lookups: bool,
}

impl Default for FolderParts {
    /// Selects all parts.
    fn default() -> FolderParts {
        FolderParts { strings: true, vectors: true, lookups: true }
    }
}

impl Vocab {
    /// Reads the folder `vocab` of a pipeline that spaCy wrote, and forgets all lexemes, so that
    /// words get their attributes from the new data. Present strings stay.
    ///
    /// The table `lexeme_norm` takes precedence over the norms of the getters. Vectors replace the
    /// present ones; a table without rows counts as no vectors.
    ///
    /// # Errors
    ///
    /// `file-not-found` for a folder without `strings.json`, `file-permission`, `file-io`;
    /// `strings-json`; those of [`Vectors::read_folder`] and [`Lookups::read`], with the path;
    /// `msgpack-type` for a norm of another type than text. A part may have been read then.
    pub fn read_folder(&self, folder: &Path, parts: FolderParts) -> Result<()> {
        if parts.strings {
            let path = folder.join("strings.json");
            let json = std::fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
            self.strings().add_json(&json).map_err(|error| error.context(shown(&path)))?;
        }
        if parts.vectors {
            let mut vectors = Vectors::with_shape(0, 0)?;
            vectors.apply(Vectors::read_folder(folder, VectorParts::default())?);
            let has_rows = !vectors.rows().is_empty();
            self.set_vectors(has_rows.then(|| Arc::new(vectors)));
        }
        let path = folder.join("lookups.bin");
        if parts.lookups && path.exists() {
            let used = self.use_norms(&Lookups::read(&path)?);
            used.map_err(|error| error.context(shown(&path)))?;
        }
        self.forget_lexemes();
        Ok(())
    }

    /// Uses the table `lexeme_norm` for the norms of new words, if there is one. It takes
    /// precedence over the norms of the getters.
    ///
    /// # Errors
    ///
    /// `msgpack-type` for a norm of another type than text.
    pub fn use_norms(&self, lookups: &Lookups) -> Result<()> {
        match lookups.table("lexeme_norm") {
            Some(norms) => self.set_attrs(with_norms(&self.attrs(), norms)?),
            None => Ok(()),
        }
    }
}

/// Returns getters that look norms up in a table first.
///
/// The table has ids of words and the getters have words, so a function joins them; it is called
/// once for each new word.
fn with_norms(getters: &Getters, table: &LookupTable) -> Result<Getters> {
    let mut norms = IdMap::default();
    for (word, norm) in table.iter() {
        let Value::Str(norm) = norm else {
            let text = format!("lexeme_norm: expected text as the norm of the id {word}");
            return Err(Error::value(codes::MSGPACK_TYPE, text));
        };
        norms.insert(word.get(), norm.as_str().into());
    }
    let norms: IdMap<Box<str>> = norms;
    let before = getters.clone();
    let norm = move |word: &str| match norms.get(&StrId::of(word).get()) {
        Some(norm) => Ok(Some(AttrValue::Text(norm.as_ref().to_owned()))),
        None => Ok(before.native_value(AttrId::NORM, word)),
    };
    let mut getters = getters.clone();
    getters.set(AttrId::NORM, Getter::Custom(Arc::new(norm)));
    Ok(getters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::VectorParts;
    use crate::vocab::OOV_RANK;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("strings.json"), "[\"cat\",\"own\"]").unwrap();
        let norm = |word: &str, norm: &str| {
            (Value::UInt(StrId::of(word).get()), Value::Str(norm.to_owned()))
        };
        let norms = Value::Map(vec![norm("cos", "because"), norm("Cos", "cosine")]);
        let tables = Value::Map(vec![(Value::Str("lexeme_norm".to_owned()), norms)]);
        std::fs::write(folder.path().join("lookups.bin"), tables.to_bytes().unwrap()).unwrap();
        let mut vectors = Vectors::with_shape(2, 3).unwrap();
        vectors.add(StrId::of("cat").get(), Some(1), Some(&[1.0, 2.0, 3.0])).unwrap();
        vectors.to_folder(folder.path(), VectorParts::default()).unwrap();
        folder
    }

    #[test]
    fn a_folder_gives_its_strings_norms_and_vectors() {
        let folder = folder();
        let mut getters = Getters::native("en");
        getters.norms.extend([("cos", "cos."), ("'s", "is")].map(|(a, b)| (a.into(), b.into())));
        let vocab = Vocab::new(getters).unwrap();
        assert_eq!(vocab.lexeme("cos").unwrap().norm(), "cos.");
        vocab.read_folder(folder.path(), FolderParts::default()).unwrap();
        assert!(vocab.strings().contains(StrId::of("own")));
        let norms =
            ["cos", "Cos", "'s", "CAT"].map(|word| vocab.lexeme(word).unwrap().norm().to_owned());
        assert_eq!(norms, ["because", "cosine", "is", "cat"]);
        let vectors = vocab.vectors().unwrap();
        assert_eq!(vectors.get(StrId::of("cat").get()), Some(&[1.0, 2.0, 3.0][..]));
        assert_eq!(vocab.lexeme("cat").unwrap().attr(AttrId::ID), 1);
        assert_eq!(vocab.lexeme("dog").unwrap().attr(AttrId::ID), OOV_RANK);
    }

    #[test]
    fn parts_are_left_out() {
        let folder = folder();
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let none = FolderParts { strings: false, vectors: false, lookups: false };
        vocab.read_folder(folder.path(), none).unwrap();
        assert!(!vocab.strings().contains(StrId::of("own")) && vocab.vectors().is_none());
        assert_eq!(vocab.lexeme("cos").unwrap().norm(), "cos");
    }

    #[test]
    fn a_damaged_file_is_named() {
        for (file, code) in [
            ("strings.json", "strings-json"),
            ("lookups.bin", "msgpack-truncated"),
            ("vectors", "vectors-truncated"),
            ("key2row", "msgpack-truncated"),
            ("vectors.cfg", "vectors-settings"),
        ] {
            let folder = folder();
            let path = folder.path().join(file);
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
            let vocab = Vocab::new(Getters::native("en")).unwrap();
            let error = vocab.read_folder(folder.path(), FolderParts::default()).unwrap_err();
            assert_eq!(error.code(), code, "{file}: {error}");
            assert!(error.message().contains(file), "{error}");
        }
    }
}
