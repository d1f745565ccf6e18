//! Values in the files of a model, and the error of a damaged one.

use std::collections::HashMap;

use lexpool_error::{Error, codes};
use lexpool_msgpack::Value;

/// Returns a map from texts to numbers.
pub(super) fn index_map(value: Option<&Value>) -> Option<HashMap<String, u32>> {
    let Value::Map(pairs) = value? else { return None };
    let pair = |(key, value): &(Value, Value)| match (key, value) {
        (Value::Str(key), Value::UInt(number)) => Some((key.clone(), u32::try_from(*number).ok()?)),
        _ => None,
    };
    pairs.iter().map(pair).collect()
}

pub(super) fn wrong(message: &str) -> Error {
    Error::value(codes::SEGMENT_DICTIONARY, format!("the model of pkuseg: {message}"))
}
