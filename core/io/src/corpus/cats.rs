//! The categories of a document, unpacked.

use lexpool::codes;
use lexpool::msgpack::Value;
use lexpool::{Error, Result};

/// Decodes packed categories.
///
/// # Errors
///
/// `corpus-cats` for a category other than a name with a number.
pub fn cats_of(packed: &[u8]) -> Result<Vec<(String, f64)>> {
    let Value::Map(cats) = Value::from_bytes(packed)? else {
        return Err(Error::value(
            codes::CORPUS_CATS,
            "the categories of a document must be a dict",
        ));
    };
    let pair = |(label, score): (Value, Value)| {
        #[expect(clippy::cast_precision_loss, reason = "a score is a small number")]
        let score = match score {
            Value::Float(score) => Some(score),
            Value::UInt(score) => Some(score as f64),
            Value::Int(score) => Some(score as f64),
            Value::Bool(score) => Some(f64::from(u8::from(score))),
            _ => None,
        };
        match (label, score) {
            (Value::Str(label), Some(score)) => Ok((label, score)),
            (label, _) => {
                let text = format!("the category {label:?} is not a string with a number");
                Err(Error::value(codes::CORPUS_CATS, text))
            }
        }
    };
    cats.into_iter().map(pair).collect()
}
