//! Serialization of vectors to bytes and to a folder, in spaCy's formats.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::npy::{each_chunk, read_npy, read_npy_keys, write_npy};
use super::npy_numbers::to_floats;
use super::{Floret, KeyMap, Mode, RowTable, Vectors};
use crate::codes;
use crate::escape::shown;
use crate::files::{AtomicFile, Links};
use crate::msgpack::{Item, Reader, Writer};
use crate::strings::{JsonLayout, push_json};
use crate::{Error, Result};

/// The parts of vectors to be written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorParts {
    /// The keys with their rows.
    pub keys: bool,
    /// The table and the settings.
    pub table: bool,
    /// The keys in the folder format of old spaCy versions, in which the position of a key is its
    /// row; only read.
    pub old_keys: bool,
}

impl Default for VectorParts {
    /// Selects all parts.
    fn default() -> VectorParts {
        VectorParts { keys: true, table: true, old_keys: true }
    }
}

/// Parts that were read and validated; [`Vectors::apply`] puts them into vectors.
#[derive(Debug, Default)]
pub struct LoadedVectors {
    rows: Option<RowTable>,
    keys: Option<Keys>,
    settings: Option<Settings>,
    strings: Option<String>,
}

/// Mode, subword settings, and the attribute if the file has it; in default mode it does not.
type Settings = (Mode, Floret, Option<u32>);

#[derive(Debug)]
enum Keys {
    Replace(KeyMap),
    Merge(KeyMap),
}

impl LoadedVectors {
    /// Returns the strings of the message, as JSON.
    pub fn strings(&self) -> Option<&str> {
        self.strings.as_deref()
    }

    /// Validates that the rows of the keys are in the table that was read.
    fn check(self) -> Result<LoadedVectors> {
        let (Some(rows), Some(Keys::Replace(keys) | Keys::Merge(keys))) = (&self.rows, &self.keys)
        else {
            return Ok(self);
        };
        if let Some((key, row)) = keys.iter().find(|&(_, row)| row as usize >= rows.len()) {
            let len = rows.len();
            let text = format!("the key {key} has row {row}, but the table has {len} rows");
            return Err(Error::value(codes::VECTORS_ROW, text));
        }
        Ok(self)
    }
}

impl Vectors {
    /// Serializes the vectors as a `MessagePack` message, with the strings of the keys as JSON if
    /// given.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for a table of 4 GiB or more, the limit of the format.
    pub fn to_bytes(&self, strings: Option<&str>, parts: VectorParts) -> Result<Vec<u8>> {
        let count =
            usize::from(strings.is_some()) + usize::from(parts.keys) + 2 * usize::from(parts.table);
        let mut out = Writer::new();
        out.map(count)?;
        if let Some(strings) = strings {
            out.str("strings")?;
            out.str(strings)?;
        }
        if parts.keys {
            out.str("key2row")?;
            out.bytes(&self.keys_message()?)?;
        }
        if parts.table {
            out.str("vectors")?;
            out.bytes(&self.table_message()?)?;
            out.str("vectors.cfg")?;
            out.str(&self.settings_json(JsonLayout::Compact))?;
        }
        Ok(out.into_bytes())
    }

    /// Reads the given parts of a message, if present.
    ///
    /// # Errors
    ///
    /// Those of [`Reader`]; `vectors-type`, `vectors-truncated` and `vectors-shape` for an invalid
    /// table, `vectors-row` for keys with a row outside of the table, `vectors-settings` and those
    /// of [`Floret::check`] for invalid settings.
    pub fn read_bytes(bytes: &[u8], parts: VectorParts) -> Result<LoadedVectors> {
        let mut loaded = LoadedVectors::default();
        let mut reader = Reader::new(bytes);
        for _ in 0..reader.map()? {
            match reader.item()? {
                Item::Str("strings") => loaded.strings = Some(text(&mut reader)?.to_owned()),
                Item::Str("key2row") if parts.keys => {
                    loaded.keys = Some(Keys::Merge(read_keys(reader.bytes()?)?));
                }
                Item::Str("vectors") if parts.table => {
                    loaded.rows = Some(read_table(reader.bytes()?)?);
                }
                Item::Str("vectors.cfg") if parts.table => {
                    loaded.settings = Some(read_settings(text(&mut reader)?)?);
                }
                Item::Str(_) => drop(reader.skip()?),
                _ => {
                    return Err(Error::value(
                        codes::MSGPACK_TYPE,
                        "expected a map with text as keys for vectors",
                    ));
                }
            }
        }
        reader.finish()?;
        loaded.check()
    }

    /// Writes the vectors, without strings, into an existing folder.
    ///
    /// # Errors
    ///
    /// `file-not-found`, `file-permission`, `disk-full`, `file-io`.
    pub fn to_folder(&self, folder: &Path, parts: VectorParts) -> Result<()> {
        if parts.table {
            write(&folder.join("vectors"), |out| write_npy(&self.rows, out))?;
        }
        if parts.keys {
            let message = self.keys_message()?;
            write(&folder.join("key2row"), |out| out.write_all(&message))?;
        }
        if parts.table {
            let settings = self.settings_json(JsonLayout::Lines);
            write(&folder.join("vectors.cfg"), |out| out.write_all(settings.as_bytes()))?;
        }
        Ok(())
    }

    /// Returns the files that [`to_folder`](Vectors::to_folder) writes, by name.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for more keys than the format can express.
    pub fn to_files(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let mut table = Vec::new();
        write_npy(&self.rows, &mut table)
            .map_err(|error| Error::io("write to", Path::new("vectors"), error))?;
        let settings = self.settings_json(JsonLayout::Lines);
        Ok(vec![
            ("vectors", table),
            ("key2row", self.keys_message()?),
            ("vectors.cfg", settings.into_bytes()),
        ])
    }

    /// Reads the given parts from a folder, if present.
    ///
    /// # Errors
    ///
    /// Those of [`read_bytes`](Vectors::read_bytes), `vectors-npy`, `file-permission`, `file-io`.
    pub fn read_folder(folder: &Path, parts: VectorParts) -> Result<LoadedVectors> {
        let mut loaded = LoadedVectors::default();
        let file = |name: &str, selected: bool| {
            let path = folder.join(name);
            match fs::read(&path) {
                _ if !selected => Ok(None),
                Ok(bytes) => Ok(Some((bytes, path))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(Error::io("read", &path, error)),
            }
        };
        if let Some((bytes, path)) = file("vectors", parts.table)? {
            loaded.rows = Some(read_npy(&bytes).map_err(|error| error.context(shown(&path)))?);
        }
        if let Some((bytes, path)) = file("keys", parts.old_keys)? {
            let keys = read_npy_keys(&bytes).map_err(|error| error.context(shown(&path)))?;
            loaded.keys = Some(Keys::Merge(keys.into_iter().zip(0..).collect()));
        }
        if let Some((bytes, path)) = file("key2row", parts.keys)? {
            let keys = read_keys(&bytes).map_err(|error| error.context(shown(&path)))?;
            loaded.keys = Some(Keys::Replace(keys));
        }
        if let Some((bytes, path)) = file("vectors.cfg", parts.table)? {
            let json = String::from_utf8_lossy(&bytes);
            let settings = read_settings(&json).map_err(|error| error.context(shown(&path)))?;
            loaded.settings = Some(settings);
        }
        loaded.check().map_err(|error| error.context(shown(folder)))
    }

    /// Replaces each part by the part that was read, if any. Keys of a message are merged with the
    /// keys that still have a row.
    pub fn apply(&mut self, loaded: LoadedVectors) {
        if let Some(rows) = loaded.rows {
            self.rows = rows;
        }
        match loaded.keys {
            Some(Keys::Replace(keys)) => self.keys = keys,
            Some(Keys::Merge(keys)) => {
                let len = self.rows.len();
                self.keys.retain(|_, row| (row as usize) < len);
                keys.iter().for_each(|(key, row)| self.keys.insert(key, row));
            }
            None => {}
        }
        if let Some((mode, floret, attr)) = loaded.settings {
            (self.mode, self.floret, self.attr) = (mode, floret, attr.unwrap_or(self.attr));
        }
        self.find_free();
    }

    fn keys_message(&self) -> Result<Vec<u8>> {
        let mut out = Writer::new();
        out.map(self.keys.len())?;
        for (key, row) in self.keys.iter() {
            out.uint(key);
            out.uint(row.into());
        }
        Ok(out.into_bytes())
    }

    fn table_message(&self) -> Result<Vec<u8>> {
        let mut out = Writer::new();
        out.map(5)?;
        out.bytes(b"nd")?;
        out.bool(true);
        out.bytes(b"type")?;
        out.str("<f4")?;
        out.bytes(b"kind")?;
        out.bytes(b"")?;
        out.bytes(b"shape")?;
        out.array(2)?;
        out.uint(self.rows.len() as u64);
        out.uint(self.rows.width() as u64);
        out.bytes(b"data")?;
        let mut data = Vec::new();
        each_chunk(&self.rows, |bytes| {
            data.extend_from_slice(bytes);
            Ok::<(), Error>(())
        })?;
        out.bytes(&data)?;
        Ok(out.into_bytes())
    }

    /// Returns mode and settings as JSON, as in files.
    pub(crate) fn settings_text(&self) -> String {
        self.settings_json(JsonLayout::Compact)
    }

    /// Parses the JSON of [`settings_text`](Vectors::settings_text), and returns the attribute if
    /// present.
    pub(crate) fn settings_of(json: &str) -> Result<(Mode, Floret, Option<u32>)> {
        read_settings(json)
    }

    fn settings_json(&self, layout: JsonLayout) -> String {
        let mut fields = vec![("mode", quoted(self.mode.name()))];
        if self.mode == Mode::Floret {
            let Floret { minn, maxn, hash_count, hash_seed, bow, eow } = &self.floret;
            fields.extend([
                ("minn", minn.to_string()),
                ("maxn", maxn.to_string()),
                ("hash_count", hash_count.to_string()),
                ("hash_seed", hash_seed.to_string()),
                ("bow", quoted(bow)),
                ("eow", quoted(eow)),
                ("attr", self.attr.to_string()),
            ]);
        }
        let (before, end) = match layout {
            JsonLayout::Compact => ("", ""),
            JsonLayout::Lines => ("\n  ", "\n"),
        };
        let mut json = String::from("{");
        for (i, (name, value)) in fields.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(json, "{comma}{before}\"{name}\":{value}")
                .expect("writing to a string cannot fail");
        }
        json + end + "}"
    }
}

fn quoted(text: &str) -> String {
    let mut json = String::new();
    push_json(&mut json, text);
    json
}

/// Reads text, which spaCy writes as a string or as binary data.
fn text<'a>(reader: &mut Reader<'a>) -> Result<&'a str> {
    match reader.item()? {
        Item::Str(text) => Ok(text),
        Item::Bytes(bytes) => std::str::from_utf8(bytes).map_err(|error| {
            Error::value(codes::MSGPACK_FORMAT, "text that is not UTF-8").caused_by(error)
        }),
        _ => Err(Error::value(codes::MSGPACK_TYPE, "expected text for a part of vectors")),
    }
}

fn read_keys(bytes: &[u8]) -> Result<KeyMap> {
    let mut reader = Reader::new(bytes);
    let mut keys = KeyMap::new();
    for _ in 0..reader.map()? {
        let key = reader.uint()?;
        let row = reader.uint()?;
        let number = u32::try_from(row).map_err(|_| {
            Error::value(
                codes::VECTORS_ROW,
                format!("the key {key} has row {row}; row numbers have 32 bits"),
            )
        })?;
        keys.insert(key, number);
    }
    reader.finish()?;
    Ok(keys)
}

/// Reads the map that represents a NumPy array.
fn read_table(bytes: &[u8]) -> Result<RowTable> {
    let mut reader = Reader::new(bytes);
    let (mut descr, mut shape, mut data) = (None, None, None);
    for _ in 0..reader.map()? {
        match reader.bytes()? {
            b"type" => descr = Some(reader.str()?),
            b"data" => data = Some(reader.bytes()?),
            b"shape" => {
                let len = reader.array()?;
                shape = Some((0..len).map(|_| reader.uint()).collect::<Result<Vec<u64>>>()?);
            }
            _ => drop(reader.skip()?),
        }
    }
    reader.finish()?;
    let (Some(descr), Some(shape), Some(data)) = (descr, shape, data) else {
        let text = "the table lacks its type, shape or data";
        return Err(Error::value(codes::VECTORS_TYPE, text));
    };
    let lengths: Vec<usize> = shape.iter().filter_map(|&len| usize::try_from(len).ok()).collect();
    let (&[len, width], 2) = (&lengths[..], shape.len()) else {
        let text = format!("expected a 2-D array of vectors, found the shape {shape:?}");
        return Err(Error::value(codes::VECTORS_SHAPE, text));
    };
    RowTable::new(to_floats(descr, data)?, len, width)
}

fn read_settings(json: &str) -> Result<Settings> {
    let malformed =
        |why: String| Error::value(codes::VECTORS_SETTINGS, format!("settings of vectors: {why}"));
    let settings: serde_json::Map<String, serde_json::Value> = serde_json::from_str(json)
        .map_err(|error| malformed(error.to_string()).caused_by(error))?;
    let text = |name: &str, default: &str| match settings.get(name) {
        None => Ok(default.to_owned()),
        Some(serde_json::Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(malformed(format!("'{name}' is {other}, expected text"))),
    };
    let number = |name: &str, default: u32| match settings.get(name) {
        None => Ok(default),
        Some(value) => value
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .ok_or_else(|| malformed(format!("'{name}' is {value}, expected a number of 32 bits"))),
    };
    let mode = Mode::from_name(&text("mode", "default")?)?;
    let floret = Floret {
        minn: number("minn", 0)?,
        maxn: number("maxn", 0)?,
        hash_count: number("hash_count", 1)?,
        hash_seed: number("hash_seed", 0)?,
        bow: text("bow", "<")?,
        eow: text("eow", ">")?,
    };
    if mode == Mode::Floret {
        floret.check()?;
    }
    let attr = settings.contains_key("attr").then(|| number("attr", 0)).transpose()?;
    Ok((mode, floret, attr))
}

fn write(
    path: &Path,
    f: impl FnOnce(&mut BufWriter<&mut AtomicFile>) -> io::Result<()>,
) -> Result<()> {
    let mut file = AtomicFile::create(path, Links::Replaced)?;
    let mut out = BufWriter::new(&mut file);
    f(&mut out).and_then(|()| out.flush()).map_err(|error| Error::io("write to", path, error))?;
    drop(out);
    file.commit()
}
