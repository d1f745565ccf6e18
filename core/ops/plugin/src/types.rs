//! Types of arguments and results, as text that people and generators read.

use std::fmt;
use std::str::FromStr;

use crate::failure::{Failure, FailureKind};
use crate::raw::Dtype;
use crate::records::DocView;
use crate::value::Value;

/// The type of an argument or a result.
///
/// ```
/// use lexpool_plugin::Type;
///
/// let parsed: Type = "dict[str, list[int] | None]".parse()?;
/// assert_eq!(parsed.to_string(), "dict[str, list[int] | None]");
/// # Ok::<(), lexpool_plugin::Failure>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// Python's `None`.
    None,
    /// Whatever there is.
    Any,
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A number with a fraction.
    Float,
    /// A string.
    Str,
    /// Bytes, or anything that lends some.
    Bytes,
    /// Something or nothing.
    Optional(Box<Type>),
    /// Values of one type in order.
    List(Box<Type>),
    /// Values by keys.
    Map(Box<Type>, Box<Type>),
    /// Numbers of one type in rows; with how many dimensions, if that matters.
    Array(Dtype, Option<u32>),
    /// Records by their name.
    Records(String),
    /// Records under a lease.
    RecordsMut(String),
    /// A document.
    Doc,
    /// A vocab.
    Vocab,
    /// Something to call.
    Callable,
    /// An object of a registered type.
    Object(String),
}

impl Type {
    /// Returns whether a value, with all nested values, is of this type.
    ///
    /// ```
    /// use lexpool_plugin::{Type, Value};
    ///
    /// let ty: Type = "list[int | None]".parse()?;
    /// assert!(ty.admits(Value::list(&[Value::int(1), Value::NONE]).unwrap()));
    /// assert!(!ty.admits(Value::list(&[Value::float(1.0)]).unwrap()));
    /// # Ok::<(), lexpool_plugin::Failure>(())
    /// ```
    pub fn admits(&self, value: Value<'_>) -> bool {
        match self {
            Type::None => value.is_none(),
            Type::Any => true,
            Type::Bool => value.as_bool().is_some(),
            Type::Int => value.as_int().is_some(),
            Type::Float => value.as_float().is_some(),
            Type::Str => value.as_str().is_some(),
            Type::Bytes => value.as_bytes().is_some(),
            Type::Optional(inner) => value.is_none() || inner.admits(value),
            Type::List(inner) => {
                value.as_list().is_some_and(|items| items.iter().all(|item| inner.admits(*item)))
            }
            Type::Map(key, item) => value.as_map().is_some_and(|pairs| {
                pairs.iter().all(|pair| key.admits(pair[0]) && item.admits(pair[1]))
            }),
            Type::Array(dtype, ndim) => value.as_array().is_some_and(|array| {
                array.dtype() == Some(*dtype)
                    && ndim.is_none_or(|ndim| array.shape().len() == ndim as usize)
                    && array.is_contiguous()
                    && (array.data() as usize) % dtype.size() == 0
            }),
            Type::Records(name) => value.as_records().is_some_and(|lent| lent.is_of(name)),
            Type::RecordsMut(name) => {
                value.as_records().is_some_and(|lent| lent.is_of(name) && lent.is_writable())
            }
            Type::Doc => value.as_doc().and_then(DocView::of).is_some(),
            Type::Vocab => value.as_vocab().is_some(),
            Type::Callable => value.as_function().is_some(),
            Type::Object(key) => value.as_object().is_some_and(|object| object.key() == key),
        }
    }

    /// Returns whether the type contains writable records.
    pub(crate) fn is_written(&self) -> bool {
        match self {
            Type::RecordsMut(_) => true,
            Type::Optional(inner) | Type::List(inner) => inner.is_written(),
            Type::Map(key, item) => key.is_written() || item.is_written(),
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::None => f.write_str("None"),
            Type::Any => f.write_str("Any"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Float => f.write_str("float"),
            Type::Str => f.write_str("str"),
            Type::Bytes => f.write_str("bytes"),
            Type::Optional(inner) => write!(f, "{inner} | None"),
            Type::List(inner) => write!(f, "list[{inner}]"),
            Type::Map(key, value) => write!(f, "dict[{key}, {value}]"),
            Type::Array(dtype, None) => write!(f, "array[{}]", dtype.name()),
            Type::Array(dtype, Some(ndim)) => write!(f, "array[{}, {ndim}]", dtype.name()),
            Type::Records(name) => write!(f, "records[{name}]"),
            Type::RecordsMut(name) => write!(f, "lease[{name}]"),
            Type::Doc => f.write_str("Doc"),
            Type::Vocab => f.write_str("Vocab"),
            Type::Callable => f.write_str("Callable"),
            Type::Object(key) => f.write_str(key),
        }
    }
}

impl FromStr for Type {
    type Err = Failure;

    /// Reads what `Display` writes.
    ///
    /// # Errors
    ///
    /// `op-type` if the text is not a type.
    fn from_str(text: &str) -> Result<Type, Failure> {
        let mut rest = text;
        let parsed = parse(&mut rest, 0).filter(|_| rest.trim().is_empty());
        parsed.ok_or_else(|| {
            let message = format!("{text:?} is not a type; a type is such as `list[int] | None`");
            Failure::new(FailureKind::Value, "op-type", message)
        })
    }
}

/// Maximum nesting depth of types, so that a hostile text cannot overflow the stack.
const DEEPEST: usize = 32;

fn parse(rest: &mut &str, depth: usize) -> Option<Type> {
    if depth > DEEPEST {
        return None;
    }
    *rest = rest.trim_start();
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    *rest = after;
    let mut ty = match name {
        "None" => Type::None,
        "Any" => Type::Any,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "float" => Type::Float,
        "str" => Type::Str,
        "bytes" => Type::Bytes,
        "Doc" => Type::Doc,
        "Vocab" => Type::Vocab,
        "Callable" => Type::Callable,
        "list" => Type::List(Box::new(bracketed(rest, |rest| parse(rest, depth + 1))?)),
        "dict" => bracketed(rest, |rest| {
            let key = parse(rest, depth + 1)?;
            eat(rest, ',')?;
            Some(Type::Map(Box::new(key), Box::new(parse(rest, depth + 1)?)))
        })?,
        "array" => bracketed(rest, |rest| {
            let dtype = Dtype::from_name(take_word(rest))?;
            let ndim =
                if eat(rest, ',').is_some() { Some(take_word(rest).parse().ok()?) } else { None };
            Some(Type::Array(dtype, ndim))
        })?,
        "records" => Type::Records(bracketed(rest, |rest| Some(take_word(rest).to_owned()))?),
        "lease" => Type::RecordsMut(bracketed(rest, |rest| Some(take_word(rest).to_owned()))?),
        key if key.contains('.') => Type::Object(key.to_owned()),
        _ => return None,
    };
    while eat(rest, '|').is_some() {
        if take_word(rest) != "None" || matches!(ty, Type::Optional(_)) {
            return None;
        }
        ty = Type::Optional(Box::new(ty));
    }
    Some(ty)
}

fn bracketed<T>(rest: &mut &str, inner: impl FnOnce(&mut &str) -> Option<T>) -> Option<T> {
    eat(rest, '[')?;
    let content = inner(rest)?;
    eat(rest, ']')?;
    Some(content)
}

fn eat(rest: &mut &str, c: char) -> Option<()> {
    *rest = rest.trim_start().strip_prefix(c)?;
    Some(())
}

fn take_word<'a>(rest: &mut &'a str) -> &'a str {
    let text = rest.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    *rest = after;
    word
}
