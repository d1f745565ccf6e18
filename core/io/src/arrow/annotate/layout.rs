//! Layout of the columns to add, by their names.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use lexpool::codes;
use lexpool::pipeline::{AnnotationKind, Step};
use lexpool::vocab::LexemeField;
use lexpool::{Error, Result};
use lexpool_structs::AttrId;

use crate::arrow::annotation::{CatRows, STRINGS};

/// A value computed for each token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenItem {
    Start,
    End,
    Space,
    Flag(AttrId),
    /// An attribute as a number.
    Number(AttrId),
    /// The string whose id is the value of an attribute.
    Text(AttrId),
    /// An id of annotation.
    Id(AttrId),
    /// The string of an id of annotation.
    IdText(AttrId),
    Head,
    EntIob,
    SentStart,
}

/// A column to add. Numbers are indices into [`ColumnLayout::items`].
#[derive(Clone, Debug)]
pub(super) enum AddedColumn {
    Tokens([usize; 4]),
    Count,
    Strings,
    Cats,
    List(usize),
}

/// The requested columns, and the items that they need.
#[derive(Debug)]
pub(super) struct ColumnLayout {
    pub(super) columns: Vec<AddedColumn>,
    /// The items, without repetition.
    pub(super) items: Vec<TokenItem>,
    /// The attributes whose ids occur in the columns; `ORTH` is always the first.
    pub(super) ids: Vec<AttrId>,
    /// The attributes of annotation whose ids occur in the columns.
    pub(super) annotation_ids: Vec<AttrId>,
    pub(super) has_strings: bool,
    pub(super) has_cats: bool,
}

const TOKEN_STRUCT: [(&str, TokenItem); 4] = [
    ("start", TokenItem::Start),
    ("end", TokenItem::End),
    ("orth", TokenItem::Number(AttrId::ORTH)),
    ("space", TokenItem::Space),
];

/// The columns of annotation that have numbers.
const NUMBERS: [(&str, TokenItem); 3] = [
    ("head", TokenItem::Head),
    ("ent_iob", TokenItem::EntIob),
    ("sent_start", TokenItem::SentStart),
];

/// The column of categories.
const CATS: &str = "cats";

impl ColumnLayout {
    pub(super) fn new(names: &[String]) -> Result<ColumnLayout> {
        let mut layout = ColumnLayout {
            columns: Vec::with_capacity(names.len()),
            items: Vec::new(),
            ids: Vec::new(),
            annotation_ids: Vec::new(),
            has_strings: false,
            has_cats: false,
        };
        for (i, name) in names.iter().enumerate() {
            if names[..i].contains(name) {
                let text = format!("the column {name:?} is requested twice");
                return Err(Error::value(codes::ARROW_COLUMNS, text));
            }
            let column = match name.as_str() {
                "tokens" => {
                    AddedColumn::Tokens(TOKEN_STRUCT.map(|(_, item)| layout.index_of(item)))
                }
                "n_tokens" => AddedColumn::Count,
                "strings" => {
                    layout.has_strings = true;
                    AddedColumn::Strings
                }
                CATS => {
                    layout.has_cats = true;
                    AddedColumn::Cats
                }
                name => match item(name) {
                    Some(item) => AddedColumn::List(layout.index_of(item)),
                    None => return Err(unknown(name)),
                },
            };
            layout.columns.push(column);
        }
        // Words are in `strings` even if no column has their ids.
        let is_used = |attr: &AttrId| {
            *attr == AttrId::ORTH || layout.items.contains(&TokenItem::Number(*attr))
        };
        layout.ids = AttrId::WORD_STRINGS.into_iter().filter(is_used).collect();
        let ids = STRINGS.into_iter().map(|(_, attr)| attr);
        layout.annotation_ids =
            ids.filter(|attr| layout.items.contains(&TokenItem::Id(*attr))).collect();
        Ok(layout)
    }

    /// Returns true if a column has annotation, so that the components of a pipeline must run.
    pub(super) fn annotates(&self) -> bool {
        self.columns.iter().any(|column| self.kind(column).is_some())
    }

    /// Checks that components set the annotation of the columns with these names.
    ///
    /// # Errors
    ///
    /// `arrow-columns` for the first one that no component sets.
    pub(super) fn check_steps(&self, names: &[String], steps: &[Step]) -> Result<()> {
        for (name, column) in names.iter().zip(&self.columns) {
            let Some(kind) = self.kind(column) else { continue };
            if steps.iter().any(|step| step.component.may_set(kind)) {
                continue;
            }
            let list = steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>().join(", ");
            let list = if list.is_empty() { "none" } else { &list };
            let text = format!(
                "the column {name:?} needs a component that sets it, such as {}; the components \
                 are: {list}",
                kind.usual_components()
            );
            return Err(Error::value(codes::ARROW_COLUMNS, text));
        }
        Ok(())
    }

    /// Returns the kind of annotation of a column; `None` for a column of tokens.
    fn kind(&self, column: &AddedColumn) -> Option<AnnotationKind> {
        match column {
            AddedColumn::Cats => Some(AnnotationKind::Categories),
            AddedColumn::List(at) => self.items[*at].annotation(),
            AddedColumn::Tokens(_) | AddedColumn::Count | AddedColumn::Strings => None,
        }
    }

    fn index_of(&mut self, item: TokenItem) -> usize {
        self.items.iter().position(|other| *other == item).unwrap_or_else(|| {
            self.items.push(item);
            self.items.len() - 1
        })
    }
}

impl AddedColumn {
    /// Returns the field of the column, which is null if the text is.
    pub(super) fn field(&self, name: &str, layout: &ColumnLayout, signed: bool) -> Field {
        let kind = match self {
            AddedColumn::Count => short(signed),
            _ => DataType::List(self.item(layout, signed)),
        };
        Field::new(name, kind, true)
    }

    /// Returns the field of the column's lists.
    pub(super) fn item(&self, layout: &ColumnLayout, signed: bool) -> Arc<Field> {
        let (kind, is_nullable) = match self {
            AddedColumn::Tokens(_) => (DataType::Struct(struct_fields(signed)), false),
            AddedColumn::Cats => (DataType::Struct(CatRows::fields()), false),
            AddedColumn::Count | AddedColumn::Strings => (DataType::Utf8, false),
            AddedColumn::List(at) => {
                let item = layout.items[*at];
                (item.kind(signed), item.annotation().is_some())
            }
        };
        Arc::new(Field::new("item", kind, is_nullable))
    }
}

impl TokenItem {
    fn kind(self, signed: bool) -> DataType {
        match self {
            TokenItem::Start | TokenItem::End | TokenItem::Head => short(signed),
            TokenItem::Space | TokenItem::Flag(_) => DataType::Boolean,
            TokenItem::Number(_) | TokenItem::Id(_) if signed => DataType::Int64,
            TokenItem::Number(_) | TokenItem::Id(_) => DataType::UInt64,
            TokenItem::Text(_) | TokenItem::IdText(_) => DataType::Utf8,
            TokenItem::EntIob if !signed => DataType::UInt8,
            TokenItem::EntIob | TokenItem::SentStart => DataType::Int8,
        }
    }

    /// Returns the kind of annotation; `None` for a value that the tokenizer sets.
    fn annotation(self) -> Option<AnnotationKind> {
        match self {
            TokenItem::Id(attr) | TokenItem::IdText(attr) => AnnotationKind::of_attr(attr),
            TokenItem::Head => Some(AnnotationKind::Trees),
            TokenItem::EntIob => Some(AnnotationKind::Entities),
            TokenItem::SentStart => Some(AnnotationKind::Sentences),
            _ => None,
        }
    }
}

/// Returns the item of a column of lists.
fn item(name: &str) -> Option<TokenItem> {
    if let Some((_, item)) = TOKEN_STRUCT.iter().find(|(own, _)| *own == name) {
        return Some(*item);
    }
    let (bare, is_text) = name.strip_suffix('_').map_or((name, false), |bare| (bare, true));
    if bare.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    if let Some((_, attr)) = STRINGS.iter().find(|(own, _)| *own == bare) {
        return Some(if is_text { TokenItem::IdText(*attr) } else { TokenItem::Id(*attr) });
    }
    if let Some((_, item)) = NUMBERS.iter().find(|(own, _)| *own == name) {
        return Some(*item);
    }
    let attr = AttrId::from_name(bare).filter(|attr| attr.number() != 0)?;
    let is_id = AttrId::WORD_STRINGS.contains(&attr);
    match (is_text, is_id) {
        (true, true) => Some(TokenItem::Text(attr)),
        (true, false) => None,
        (false, true) => Some(TokenItem::Number(attr)),
        (false, false) if attr.is_flag() => Some(TokenItem::Flag(attr)),
        (false, false) => LexemeField::of(attr).map(|_| TokenItem::Number(attr)),
    }
}

/// Returns the error for an unknown name, which lists the known ones.
fn unknown(name: &str) -> Error {
    let mut names: Vec<String> =
        ["tokens", "n_tokens", "strings", "start", "end", "space"].map(str::to_owned).into();
    for attr in AttrId::all() {
        let Some(own) = attr.name().map(str::to_lowercase) else { continue };
        if item(&own).is_some() && !names.contains(&own) {
            names.push(own.clone());
        }
        if AttrId::WORD_STRINGS.contains(&attr) || STRINGS.iter().any(|(_, id)| *id == attr) {
            names.push(own + "_");
        }
    }
    names.push(CATS.to_owned());
    let text = format!("unknown column {name:?}; the columns are {}", names.join(", "));
    Error::value(codes::ARROW_COLUMNS, text)
}

fn short(signed: bool) -> DataType {
    if signed { DataType::Int32 } else { DataType::UInt32 }
}

pub(super) fn struct_fields(signed: bool) -> Fields {
    TOKEN_STRUCT.iter().map(|(name, item)| Field::new(*name, item.kind(signed), false)).collect()
}
