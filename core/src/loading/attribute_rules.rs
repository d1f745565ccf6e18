//! The attribute ruler from its file.

use std::sync::Arc;

use lexpool_structs::AttrId;

use super::patterns::pattern_json;
use crate::codes;
use crate::escape::shown;
use crate::matcher::Matcher;
use crate::msgpack::Value;
use crate::pipeline::{AttributeRule, AttributeRuler, Component, ComponentSource};
use crate::strings::StrId;
use crate::vocab::Vocab;
use crate::{Error, Result};

/// The values of `ENT_IOB`, by number.
const IOB: [&str; 4] = ["", "I", "O", "B"];

/// Makes an attribute ruler of the file `patterns` of its folder.
pub(super) fn attribute_ruler(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    source.check_keys(&["validate", "scorer"])?;
    let path = source.path("patterns");
    let rules = Value::from_bytes(&source.read("patterns")?);
    let made = rules.and_then(|rules| match rules {
        Value::Array(rules) => compile(source, &rules),
        _ => Err(Error::value(codes::MSGPACK_TYPE, "expected a list of rules")),
    });
    Ok(Arc::new(made.map_err(|error| error.context(shown(&path)))?))
}

fn compile(source: &ComponentSource<'_>, rules: &[Value]) -> Result<AttributeRuler> {
    let mut builder = Matcher::builder();
    let mut made = Vec::with_capacity(rules.len());
    for (number, rule) in rules.iter().enumerate() {
        let key = number.to_string();
        let failed = |why: &str| Error::value(codes::MSGPACK_TYPE, format!("rule {number}: {why}"));
        let Some(Value::Array(patterns)) = rule.get("patterns") else {
            return Err(failed("expected a list of patterns"));
        };
        for pattern in patterns {
            let json = pattern_json(pattern);
            builder =
                builder.json(&key, &json.map_err(|why| failed(&format!("a pattern: {why}")))?);
        }
        let Some(Value::Map(attrs)) = rule.get("attrs") else {
            return Err(failed("expected a map of attributes"));
        };
        let index = match rule.get("index") {
            None => 0,
            Some(Value::UInt(index)) => i64::try_from(*index).unwrap_or(i64::MAX),
            Some(Value::Int(index)) => *index,
            Some(_) => return Err(failed("expected an integer as index")),
        };
        let mut own = Vec::with_capacity(attrs.len());
        for (name, value) in attrs {
            if matches!(name, Value::Str(name) if name == "_") {
                let reason = "sets extension attributes, which exist in Python only";
                return Err(source.unsupported(reason));
            }
            own.extend(
                attribute(source.vocab(), name, value)
                    .map_err(|error| error.context(format!("rule {number}")))?,
            );
        }
        made.push(AttributeRule { key: StrId::of(&key), attrs: own, index });
    }
    AttributeRuler::new(Arc::new(builder.build()?), made)
}

/// Returns the number and the value of an attribute; `None` for an unknown name, which spaCy
/// ignores.
fn attribute(vocab: &Vocab, name: &Value, value: &Value) -> Result<Option<(AttrId, u64)>> {
    let attr = match name {
        Value::Str(name) => match AttrId::from_name(name) {
            Some(attr) => attr,
            None => return Ok(None),
        },
        Value::UInt(number) => match u32::try_from(*number) {
            Ok(number) => AttrId::new(number),
            Err(_) => return Ok(None),
        },
        _ => {
            let text = "expected names or numbers of attributes";
            return Err(Error::value(codes::MSGPACK_TYPE, text));
        }
    };
    let number = match value {
        Value::Str(text) if attr == AttrId::ENT_IOB => {
            IOB.iter().position(|iob| iob == text).map(|at| at as u64).ok_or_else(|| {
                let text = format!("ENT_IOB is one of {IOB:?} or a number, not {text:?}");
                Error::value(codes::E1025, text)
            })?
        }
        Value::Str(text) if attr == AttrId::MORPH => vocab.morphology().add(text)?.get(),
        Value::Str(text) => vocab.strings().add(text)?.get(),
        Value::UInt(id) if attr == AttrId::MORPH => {
            let analysis = vocab.strings().get(StrId::new(*id)).map(|text| text.to_string());
            let analysis = analysis.ok_or_else(|| {
                let text = format!("the id {id} of MORPH, whose string was not added");
                Error::value(codes::E018, text)
            })?;
            vocab.morphology().add(&analysis)?.get()
        }
        Value::UInt(number) => *number,
        // Negative numbers are stored as two's complement, as in spaCy.
        Value::Int(number) => u64::from_ne_bytes(number.to_ne_bytes()),
        Value::Bool(truth) => u64::from(*truth),
        other => {
            let name = attr.name().unwrap_or("an attribute");
            let text = format!("expected text or a number as {name}, found {other:?}");
            return Err(Error::value(
                codes::MSGPACK_TYPE,
                text.chars().take(120).collect::<String>(),
            ));
        }
    };
    Ok(Some((attr, number)))
}
