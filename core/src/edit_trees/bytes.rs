//! Edit trees as bytes: the file `trees` of spaCy's trainable lemmatizer.
//!
//! The message is a map with the list `trees`, in which each node is a map of four numbers (a
//! match) or of two string ids (a substitution).

use super::{EditNode, EditTrees, TreeId};
use crate::msgpack::{Item, Reader, Writer};
use crate::strings::StrId;
use crate::{Error, Result, codes};

/// The number that stands for a missing tree.
const NONE: u32 = u32::MAX;

impl EditTrees {
    /// Encodes the trees, byte for byte as spaCy does. The strings are not part of it.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for values that the format cannot express.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Writer::new();
        out.map(1)?;
        out.str("trees")?;
        out.array(self.len())?;
        let number = |tree: Option<TreeId>| tree.map_or(NONE, TreeId::get);
        for node in &self.nodes {
            let fields: &[(&str, u64)] = match node {
                EditNode::Match { prefix_len, suffix_len, prefix_tree, suffix_tree } => &[
                    ("prefix_len", u64::from(*prefix_len)),
                    ("suffix_len", u64::from(*suffix_len)),
                    ("prefix_tree", u64::from(number(*prefix_tree))),
                    ("suffix_tree", u64::from(number(*suffix_tree))),
                ],
                EditNode::Subst { orig, subst } => &[("orig", orig.get()), ("subst", subst.get())],
            };
            out.map(fields.len())?;
            for (name, value) in fields {
                out.str(name)?;
                out.uint(*value);
            }
        }
        Ok(out.into_bytes())
    }

    /// Decodes trees.
    ///
    /// # Errors
    ///
    /// `E1026` for a node that is neither a match nor a substitution, with numbers out of range, or
    /// with a tree below it that does not come before it; `edit-tree-size` for a tree of too many
    /// nodes; `msgpack-...` for bytes that are not a message.
    pub fn from_bytes(bytes: &[u8]) -> Result<EditTrees> {
        let mut reader = Reader::new(bytes);
        let mut trees = None;
        for _ in 0..reader.map()? {
            match reader.str()? {
                "trees" => trees = Some(read_trees(&mut reader)?),
                _ => drop(reader.skip()?),
            }
        }
        reader.finish()?;
        trees.ok_or_else(|| invalid("the list \"trees\" is missing".to_owned()))
    }
}

fn read_trees(reader: &mut Reader<'_>) -> Result<EditTrees> {
    let mut trees = EditTrees::new();
    for i in 0..reader.array()? {
        let place = || format!("edit tree {i}");
        let fields = read_fields(reader).map_err(|error| error.context(place()))?;
        let node = fields.node(trees.len()).map_err(|error| error.context(place()))?;
        trees.push(node).map_err(|error| error.context(place()))?;
    }
    Ok(trees)
}

/// The values of a node by their names.
#[derive(Default)]
struct NodeFields {
    values: [Option<u64>; NAMES.len()],
}

/// The names of a match, then those of a substitution.
const NAMES: [&str; 6] =
    ["prefix_len", "suffix_len", "prefix_tree", "suffix_tree", "orig", "subst"];

fn read_fields(reader: &mut Reader<'_>) -> Result<NodeFields> {
    let mut fields = NodeFields::default();
    let Item::Map(len) = reader.item()? else {
        return Err(invalid("a node is a map".to_owned()));
    };
    for _ in 0..len {
        let name = reader.str()?;
        let Some(at) = NAMES.iter().position(|known| *known == name) else {
            return Err(invalid(format!("{name:?} is not a value of a node")));
        };
        let Item::UInt(value) = reader.item()? else {
            return Err(invalid(format!("{name:?} is a number of 0 or more")));
        };
        fields.values[at] = Some(value);
    }
    Ok(fields)
}

impl NodeFields {
    /// Makes the node that comes after `before` others.
    fn node(&self, before: usize) -> Result<EditNode> {
        match self.values {
            [
                Some(prefix_len),
                Some(suffix_len),
                Some(prefix_tree),
                Some(suffix_tree),
                None,
                None,
            ] => Ok(EditNode::Match {
                prefix_len: length("prefix_len", prefix_len)?,
                suffix_len: length("suffix_len", suffix_len)?,
                prefix_tree: below("prefix_tree", prefix_tree, before)?,
                suffix_tree: below("suffix_tree", suffix_tree, before)?,
            }),
            [None, None, None, None, Some(orig), Some(subst)] => {
                Ok(EditNode::Subst { orig: StrId::new(orig), subst: StrId::new(subst) })
            }
            values => {
                let present_names = NAMES.iter().zip(values).filter(|(_, value)| value.is_some());
                let names: Vec<_> = present_names.map(|(name, _)| *name).collect();
                let text = format!(
                    "the values are {names:?}; expected {:?} or {:?}",
                    &NAMES[..4],
                    &NAMES[4..]
                );
                Err(invalid(text))
            }
        }
    }
}

fn length(name: &str, value: u64) -> Result<u32> {
    u32::try_from(value).map_err(|_| invalid(format!("{name:?} is {value}, above 2^32 - 1")))
}

/// Checks the number of a tree below the one that comes after `before` others.
fn below(name: &str, value: u64, before: usize) -> Result<Option<TreeId>> {
    if value == u64::from(NONE) {
        return Ok(None);
    }
    let number = u32::try_from(value).ok().filter(|_| value < before as u64);
    number.map(|number| Some(TreeId::new(number))).ok_or_else(|| {
        let text =
            format!("{name:?} is {value}; expected a tree before this one, or {NONE} for none");
        invalid(text)
    })
}

fn invalid(text: String) -> Error {
    Error::value(codes::E1026, text)
}
