//! The JSON section of an image: getters for new words, and settings.

use lexpool_structs::AttrId;
use serde_json::{Map, Value};

use crate::codes;
use crate::vocab::getters::Getters;
use crate::vocab::lex_attrs::NumWords;
use crate::{Error, Result};

/// The getters and settings of an image.
#[derive(Clone, Default)]
pub struct ImageMeta {
    /// The getters for new words. Files contain no functions; [`Getters::missing`] names their
    /// attributes.
    pub getters: Getters,
    /// The settings of the program that wrote the image. The vocab does not use them.
    pub settings: Map<String, Value>,
    /// The mode, shape and settings of the vectors; empty if there are none.
    pub(super) vectors: Map<String, Value>,
}

impl ImageMeta {
    pub(super) fn to_json(&self) -> Vec<u8> {
        let getters = &self.getters;
        let mut stop_words: Vec<&str> = getters.stop_words.iter().map(String::as_str).collect();
        let mut num_words: Vec<&str> = getters.num_words.words().collect();
        stop_words.sort_unstable();
        num_words.sort_unstable();
        let suffixes: Vec<&str> = getters.num_words.ordinal_suffixes().collect();
        let norms = getters.norms.iter().map(|(word, norm)| (word.clone(), norm.as_str().into()));
        let names = |attrs: &mut dyn Iterator<Item = AttrId>| -> Value {
            attrs.map(name).collect::<Vec<_>>().into()
        };
        let mut currency_words: Vec<&str> =
            getters.currency_words.iter().map(String::as_str).collect();
        currency_words.sort_unstable();
        let form = serde_json::to_value(getters.num_words.form()).unwrap_or_default();
        let fields: [(&str, Value); 13] = [
            ("written_by", concat!("lexpool ", env!("CARGO_PKG_VERSION")).into()),
            ("lang", getters.lang().into()),
            ("getters", names(&mut getters.native_attrs())),
            ("functions", names(&mut getters.custom_attrs())),
            ("stop_words", stop_words.into()),
            ("num_words", num_words.into()),
            ("ordinal_suffixes", suffixes.into()),
            ("number_form", form),
            ("currency_words", currency_words.into()),
            ("norm_suffixes", getters.norm_suffixes.clone().into()),
            ("norms", Value::Object(norms.collect())),
            ("settings", Value::Object(self.settings.clone())),
            ("vectors", Value::Object(self.vectors.clone())),
        ];
        let fields: Map<String, Value> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Value::Object(fields).to_string().into_bytes()
    }

    pub(super) fn read(json: &[u8]) -> Result<ImageMeta> {
        let mut fields: Map<String, Value> = serde_json::from_slice(json).map_err(|error| {
            Error::value(codes::IMAGE_META, format!("not a JSON object: {error}")).caused_by(error)
        })?;
        let lang = text(fields.get("lang").unwrap_or(&Value::Null), "lang")?;
        let mut getters = Getters::native(&lang);
        let native = attrs(&fields, "getters")?;
        let absent: Vec<AttrId> =
            getters.native_attrs().filter(|attr| !native.contains(attr)).collect();
        for attr in absent {
            getters.unset(attr);
        }
        for attr in attrs(&fields, "functions")? {
            getters.set_missing(attr);
        }
        getters.stop_words = texts(&fields, "stop_words")?.into_iter().collect();
        getters.num_words =
            NumWords::new(texts(&fields, "num_words")?, [], texts(&fields, "ordinal_suffixes")?);
        if let Some(form) = fields.remove("number_form").filter(|form| !form.is_null()) {
            let form = serde_json::from_value(form.clone())
                .map_err(|_| unexpected("number_form", "the form of numbers", &form))?;
            getters.num_words = getters.num_words.with_form(form);
        }
        getters.currency_words = texts(&fields, "currency_words")?.into_iter().collect();
        getters.norm_suffixes = texts(&fields, "norm_suffixes")?;
        let norms = object(&mut fields, "norms")?;
        getters.norms = norms
            .iter()
            .map(|(word, norm)| Ok((word.clone(), text(norm, "norms")?)))
            .collect::<Result<_>>()?;
        let (settings, vectors) =
            (object(&mut fields, "settings")?, object(&mut fields, "vectors")?);
        Ok(ImageMeta { getters, settings, vectors })
    }
}

fn name(attr: AttrId) -> Value {
    attr.name().map_or_else(|| attr.number().into(), Value::from)
}

fn attrs(fields: &Map<String, Value>, field: &str) -> Result<Vec<AttrId>> {
    let list = list(fields, field)?;
    let attr = |value: &Value| match value {
        Value::String(name) => AttrId::from_name(name),
        other => other.as_u64().and_then(|n| u32::try_from(n).ok()).map(AttrId::new),
    };
    list.iter()
        .map(|value| attr(value).ok_or_else(|| unexpected(field, "an attribute", value)))
        .collect()
}

fn texts(fields: &Map<String, Value>, field: &str) -> Result<Vec<String>> {
    list(fields, field)?.iter().map(|value| text(value, field)).collect()
}

fn list<'a>(fields: &'a Map<String, Value>, field: &str) -> Result<&'a [Value]> {
    match fields.get(field) {
        None => Ok(&[]),
        Some(Value::Array(values)) => Ok(values),
        Some(other) => Err(unexpected(field, "a list", other)),
    }
}

fn object(fields: &mut Map<String, Value>, field: &str) -> Result<Map<String, Value>> {
    match fields.remove(field) {
        None => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(other) => Err(unexpected(field, "an object", &other)),
    }
}

fn text(value: &Value, field: &str) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| unexpected(field, "text", value))
}

fn unexpected(field: &str, expected: &str, value: &Value) -> Error {
    let mut value_text: String = value.to_string().chars().take(80).collect();
    if value_text.chars().count() == 80 {
        value_text.push_str("...");
    }
    Error::value(codes::IMAGE_META, format!("{field:?}: expected {expected}, found {value_text}"))
}
