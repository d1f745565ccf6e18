//! Layers as they run: each takes a value and returns one.
//!
//! A network is a tree of modules. Before it runs, the shapes of values are passed through the tree
//! once ([`Module::output_shape`]), so that a network whose parts do not fit is refused when it is
//! read, and a running module may rely on the shapes.

mod attention;
mod char_embed;
mod containers;
mod dense;
mod encoder;
mod inputs;
mod leaves;
mod ngrams;
mod reading;
mod row_cache;
mod spans;
mod steps;
mod word_rows;

use std::fmt;

use lexpool_error::Result;
use lexpool_structs::AttrId;

use crate::describe::{BoundBlueprint, ModelNode, Node, NodeIx};
use crate::infer::rows::Rows;
use crate::infer::sums::GemmOrder;
use crate::infer::tokens::TokenSource;

pub use char_embed::word_bytes;
pub(crate) use reading::read_network;

/// The source of modules: a description with its file, and the order in which they will add.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) bound: &'a BoundBlueprint<'a>,
    pub(crate) order: GemmOrder,
}

impl<'a> Source<'a> {
    /// Returns a node of the description.
    fn layer(self, ix: NodeIx) -> &'a Node {
        self.bound.blueprint().node(ix)
    }

    /// Returns a node of the file.
    fn node(self, ix: NodeIx) -> &'a ModelNode<'a> {
        self.bound.node(ix)
    }
}

/// The input of a network.
pub(crate) struct Context<'a> {
    pub(crate) tokens: &'a dyn TokenSource,
    /// Ranges of tokens, for networks that score spans.
    pub(crate) spans: &'a [(usize, usize)],
    pub(crate) order: GemmOrder,
}

/// The input or result of a module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// The document of the [`Context`].
    Tokens,
    /// Columns of ids, one number for each token.
    Ids(Vec<Vec<u64>>),
    /// Keys with their counts.
    Keys(Vec<(u64, f32)>),
    Rows(Rows),
}

/// The shape of a value, known before a network runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Tokens,
    /// So many columns of ids.
    Ids(usize),
    Keys,
    /// Rows of so many numbers.
    Rows(RowUnit, usize),
}

/// The thing that a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowUnit {
    /// Each token of the document.
    Token,
    /// Each token of each span.
    SpanToken,
    /// The document, or each span.
    Sequence,
}

/// A layer.
pub(crate) trait Module: fmt::Debug + Send + Sync {
    /// Returns the shape of the result for that of the input.
    ///
    /// # Errors
    ///
    /// The reason why the module cannot take the input.
    fn output_shape(&self, input: Shape) -> Result<Shape, String>;

    /// Runs the layer on a value of a shape that [`output_shape`](Module::output_shape) accepts.
    ///
    /// # Errors
    ///
    /// A reason that lies in the document, such as a missing attribute.
    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value>;

    /// Runs the layer on the values of several documents: a result for each, as of
    /// [`run`](Module::run).
    fn run_all(&self, group: &[Context<'_>], values: Vec<Value>) -> Result<Vec<Value>> {
        group.iter().zip(values).map(|(context, value)| self.run(context, value)).collect()
    }

    /// Returns how many rows before and after a row its result depends on; `None` if on others too.
    fn reach(&self) -> Option<usize> {
        None
    }

    /// Collects the parts of tokens that its rows are made of; returns whether each row depends on
    /// one token.
    fn collect_word_inputs(&self, _inputs: &mut WordInputs) -> bool {
        false
    }

    /// Returns whether it makes rows of ids.
    fn takes_ids(&self) -> bool {
        false
    }

    /// Runs the layer on rows whose outer ones only serve their neighbours: the result lacks the
    /// first and the last `margin` rows. The margin is the [`reach`](Module::reach) or more.
    fn run_within(&self, context: &Context<'_>, rows: Rows, margin: usize) -> Result<Rows> {
        let result = self.run(context, Value::Rows(rows))?.into_rows();
        Ok(result.without_margin(margin))
    }

    /// Appends what the module requires of documents.
    fn collect_needs(&self, _needs: &mut Needs) {}
}

/// The requirements of a network on documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The widths of word vectors.
    pub vector_widths: Vec<usize>,
    /// The widths of the tensors that listeners read.
    pub tensor_widths: Vec<usize>,
}

/// The parts of a token that a row is made of.
#[derive(Debug, Default)]
pub(crate) struct WordInputs {
    attrs: Vec<AttrId>,
    has_vector: bool,
}

impl WordInputs {
    /// Adds an attribute.
    pub(crate) fn add(&mut self, attr: AttrId) {
        if !self.attrs.contains(&attr) {
            self.attrs.push(attr);
        }
    }

    /// Adds the word vector.
    pub(crate) fn add_vector(&mut self) {
        self.has_vector = true;
    }
}

impl Value {
    /// Returns columns of ids, which the shapes of the network promise.
    fn into_ids(self) -> Vec<Vec<u64>> {
        match self {
            Value::Ids(columns) => columns,
            other => unreachable!("shapes were checked: expected ids, not {other:?}"),
        }
    }

    /// Returns rows, which the shapes of the network promise.
    pub(crate) fn into_rows(self) -> Rows {
        match self {
            Value::Rows(rows) => rows,
            other => unreachable!("shapes were checked: expected rows, not {other:?}"),
        }
    }
}

/// Returns what has a row, and the width of rows.
fn rows_of(shape: Shape) -> Result<(RowUnit, usize), String> {
    match shape {
        Shape::Rows(unit, width) => Ok((unit, width)),
        other => Err(format!("it takes rows of numbers, not {other}")),
    }
}

impl fmt::Display for RowUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowUnit::Token => "each token",
            RowUnit::SpanToken => "each token of a span",
            RowUnit::Sequence => "each document or span",
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Tokens => f.write_str("a document"),
            Shape::Ids(columns) => write!(f, "{columns} columns of ids"),
            Shape::Keys => f.write_str("keys with counts"),
            Shape::Rows(unit, width) => write!(f, "rows of {width} numbers for {unit}"),
        }
    }
}
