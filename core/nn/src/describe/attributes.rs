//! The attributes of a node, which a layer that runs and one that learns read alike.

use lexpool_error::limits::{self, Limit};
use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::Value;
use lexpool_structs::AttrId;

use super::model_file::ModelNode;

/// A node of a file, or of a network that learns.
pub(crate) trait Attributes {
    /// Returns the name of the node.
    fn node_name(&self) -> &str;

    /// Returns an attribute; `None` if the node lacks it or it is nil.
    ///
    /// # Errors
    ///
    /// `model-file` if its bytes are not one message.
    fn attribute(&self, name: &str) -> Result<Option<Value>>;

    /// Returns a dimension; `None` if it is unknown.
    fn dimension(&self, name: &str) -> Option<u64>;

    /// Returns the error `model-structure` about the node.
    fn error(&self, text: &str) -> Error {
        Error::value(codes::MODEL_STRUCTURE, format!("the layer {:?}: {text}", self.node_name()))
    }

    /// Returns an attribute that is a whole number up to a limit, or a default.
    ///
    /// # Errors
    ///
    /// `model-structure` for another value; that of [`Limit::check`] for a larger number. This
    /// holds for all methods below.
    fn count(&self, name: &str, default: usize, limit: Limit) -> Result<usize> {
        match self.attribute(name)? {
            None => Ok(default),
            Some(Value::UInt(number)) => {
                limit.check(number, format_args!("the layer {:?}: {name:?}", self.node_name()))
            }
            Some(other) => {
                Err(self.error(&format!("{name:?} is {other:?}; expected a whole number")))
            }
        }
    }

    /// Returns the number of neighbours on each side of a window.
    fn window(&self) -> Result<usize> {
        self.count("window_size", 1, limits::NETWORK_WINDOW)
    }

    /// Returns the number of rows of zeros around a document.
    fn padding(&self) -> Result<usize> {
        self.count("pad", 0, limits::NETWORK_WINDOW)
    }

    /// Returns the column of ids that an embedding reads.
    fn column(&self) -> Result<usize> {
        self.count("column", 0, limits::NETWORK_COLUMN)
    }

    /// Returns the seed of the hashes of an embedding.
    fn seed(&self) -> Result<u32> {
        let seed = match self.attribute("seed")? {
            Some(Value::UInt(_)) => self.count("seed", 0, limits::NETWORK_SEED)?,
            _ => return Err(self.error("its seed is not a whole number")),
        };
        u32::try_from(seed).map_err(|_| self.error("its seed is not a whole number"))
    }

    /// Returns the attributes of tokens that are read, in columns.
    fn columns(&self) -> Result<Vec<AttrId>> {
        match self.attribute("columns")? {
            Some(Value::Array(columns)) => {
                columns.iter().map(|column| self.token_attr(column)).collect()
            }
            other => Err(self.error(&format!("its columns are {other:?}, not a list"))),
        }
    }

    /// Returns the attribute of tokens whose n-grams are counted, and the length of the longest.
    fn ngrams(&self) -> Result<(AttrId, usize)> {
        let longest = self.count("ngram_size", 1, limits::NETWORK_NGRAM)?;
        let attr = self.attribute("attr")?.unwrap_or(Value::Nil);
        Ok((self.token_attr(&attr)?, longest))
    }

    /// Returns the attribute of tokens of a name or a number.
    fn token_attr(&self, value: &Value) -> Result<AttrId> {
        let attr = match value {
            Value::Str(name) => AttrId::from_name(name),
            Value::UInt(number) => u32::try_from(*number).ok().map(AttrId::new),
            _ => None,
        };
        let named = attr.filter(|attr| attr.name().is_some_and(|name| !name.is_empty()));
        named.ok_or_else(|| self.error(&format!("{value:?} is not an attribute of tokens")))
    }

    /// Returns the temperature of a softmax.
    fn temperature(&self) -> Result<f64> {
        match self.attribute("softmax_temperature")? {
            Some(Value::Float(temperature)) => Ok(temperature),
            #[expect(clippy::cast_precision_loss, reason = "temperatures are small")]
            Some(Value::UInt(temperature)) => Ok(temperature as f64),
            None => Ok(1.0),
            Some(other) => {
                let text = format!("its temperature is {other:?}; expected a number above 0");
                Err(self.error(&text))
            }
        }
    }

    /// Returns the width of the rows that a listener reads.
    fn listened_width(&self) -> Result<usize> {
        let width = self.dimension("nO").filter(|width| *width > 0);
        let width = width.ok_or_else(|| self.error("its dimension \"nO\" is missing or 0"))?;
        let place = format_args!("the layer {:?}: its dimension \"nO\"", self.node_name());
        limits::NETWORK_WIDTH.check(width, place)
    }
}

impl Attributes for ModelNode<'_> {
    fn node_name(&self) -> &str {
        self.name()
    }

    fn attribute(&self, name: &str) -> Result<Option<Value>> {
        Ok(self.attr(name)?.filter(|value| *value != Value::Nil))
    }

    fn dimension(&self, name: &str) -> Option<u64> {
        self.dim(name)
    }
}
