//! Deserializer of the fields of a line.

use std::fmt;

use lexpool::Result;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::corpus::texts::json_error;

/// The fields of a line, of which only `text` is validated.
#[derive(Default)]
pub(super) struct LineFields {
    pub(super) text: String,
    pub(super) tokens: Option<Value>,
    pub(super) ents: Option<Value>,
    pub(super) sents: Option<Value>,
    pub(super) cats: Option<Value>,
    pub(super) spans: Option<Value>,
}

impl LineFields {
    pub(super) fn parse(line: &str) -> Result<LineFields> {
        let mut json = serde_json::Deserializer::from_str(line);
        let fields = LineSeed.deserialize(&mut json).and_then(|fields| json.end().map(|()| fields));
        fields.map_err(|error| json_error(&error))
    }
}

/// Deserializer of a line. It borrows nothing, since strings may be escaped.
struct LineSeed;

impl<'de> DeserializeSeed<'de> for LineSeed {
    type Value = LineFields;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<LineFields, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for LineSeed {
    type Value = LineFields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a string under \"text\"")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<LineFields, M::Error> {
        let (mut text, mut given) = (None, LineFields::default());
        while let Some(name) = map.next_key::<String>()? {
            let twice = |is_there: bool| {
                let error = || M::Error::custom(format_args!("{name:?} is given twice"));
                if is_there { Err(error()) } else { Ok(()) }
            };
            let place = match &*name {
                "text" => {
                    twice(text.is_some())?;
                    text = Some(map.next_value::<Option<String>>()?.unwrap_or_default());
                    continue;
                }
                "tokens" => &mut given.tokens,
                "ents" => &mut given.ents,
                "sents" => &mut given.sents,
                "cats" => &mut given.cats,
                "spans" => &mut given.spans,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            twice(place.is_some())?;
            *place = map.next_value::<Option<Value>>()?;
        }
        given.text = text.ok_or_else(|| M::Error::custom("no field is named \"text\""))?;
        Ok(given)
    }
}
