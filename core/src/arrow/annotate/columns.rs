//! The columns that can be added, by name, and how rows become arrays.

use std::sync::Arc;

use arrow_array::types::{Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, ListArray, PrimitiveArray, StringArray, StructArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use lexpool_structs::AttrId;

use super::part::{Chars, Part, Values};
use crate::arrow::unfit;
use crate::vocab::LexemeField;
use crate::{Error, Result};

/// What is found out about each token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Start,
    End,
    Space,
    Flag(AttrId),
    /// An attribute as a number.
    Number(AttrId),
    /// An attribute as the string that its number is the id of.
    Text(AttrId),
}

/// A column to add. Numbers are positions among the items.
#[derive(Clone, Debug)]
pub(super) enum Column {
    Tokens([usize; 4]),
    Count,
    Strings,
    List(usize),
}

/// The columns asked for, and what has to be found out for them.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) columns: Vec<Column>,
    /// Each item once.
    pub(super) items: Vec<Item>,
    /// The attributes whose ids are given, `ORTH` first.
    pub(super) ids: Vec<AttrId>,
    pub(super) has_strings: bool,
}

const STRUCT: [(&str, Item); 4] = [
    ("start", Item::Start),
    ("end", Item::End),
    ("orth", Item::Number(AttrId::ORTH)),
    ("space", Item::Space),
];

impl Layout {
    pub(super) fn new(names: &[String]) -> Result<Layout> {
        let mut layout = Layout {
            columns: Vec::with_capacity(names.len()),
            items: Vec::new(),
            ids: Vec::new(),
            has_strings: false,
        };
        for (i, name) in names.iter().enumerate() {
            if names[..i].contains(name) {
                let text = format!("the column {name:?} is asked for twice");
                return Err(Error::value("arrow-columns", text));
            }
            let column = match name.as_str() {
                "tokens" => Column::Tokens(STRUCT.map(|(_, item)| layout.place(item))),
                "n_tokens" => Column::Count,
                "strings" => {
                    layout.has_strings = true;
                    Column::Strings
                }
                name => match item(name) {
                    Some(item) => Column::List(layout.place(item)),
                    None => return Err(unknown(name)),
                },
            };
            layout.columns.push(column);
        }
        // The words are there whenever strings are, also where no column has their ids.
        let wanted =
            |attr: &AttrId| *attr == AttrId::ORTH || layout.items.contains(&Item::Number(*attr));
        layout.ids = AttrId::WORD_STRINGS.into_iter().filter(wanted).collect();
        Ok(layout)
    }

    fn place(&mut self, item: Item) -> usize {
        self.items.iter().position(|other| *other == item).unwrap_or_else(|| {
            self.items.push(item);
            self.items.len() - 1
        })
    }

    /// The columns, of parts in the order of their rows.
    pub(super) fn assemble(&self, parts: Vec<Part>, signed: bool) -> Result<Vec<ArrayRef>> {
        let part = Part::joined(parts, self);
        let nulls: NullBuffer = part.rows.iter().map(Option::is_some).collect();
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let lens = || part.rows.iter().map(|len| len.unwrap_or(0));
        let offsets = offsets(lens(), "tokens")?;
        let counts = numbers(lens().collect(), signed, nulls.as_ref());
        let mut items = Vec::with_capacity(self.items.len());
        for values in part.items {
            items.push(match values {
                Values::Short(values) => numbers(values, signed, None),
                Values::Long(values) => long_numbers(values, signed),
                Values::Bits(values) => {
                    Arc::new(BooleanArray::new(BooleanBuffer::from(values), None))
                }
                Values::Chars(chars) => strings(chars)?,
            });
        }
        let list = |item: Arc<Field>, values, offsets: &OffsetBuffer<i32>| -> Result<ArrayRef> {
            let list = ListArray::try_new(item, offsets.clone(), values, nulls.clone());
            Ok(Arc::new(list.map_err(|error| unfit(&error))?))
        };
        let own = part.strings;
        let mut strings_column = None;
        if let Some((lens, chars)) = own {
            let offsets = self::offsets(lens.into_iter(), "strings")?;
            strings_column = Some((offsets, strings(chars)?));
        }
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            columns.push(match column {
                Column::Count => Arc::clone(&counts),
                Column::List(at) => {
                    list(column.item(self, signed), Arc::clone(&items[*at]), &offsets)?
                }
                Column::Tokens(places) => {
                    let arrays = places.map(|at| Arc::clone(&items[at])).to_vec();
                    let rows = StructArray::try_new(struct_fields(signed), arrays, None);
                    let rows = Arc::new(rows.map_err(|error| unfit(&error))?);
                    list(column.item(self, signed), rows, &offsets)?
                }
                Column::Strings => {
                    let (offsets, values) =
                        strings_column.as_ref().expect("asked for by this column");
                    list(column.item(self, signed), Arc::clone(values), offsets)?
                }
            });
        }
        Ok(columns)
    }
}

impl Column {
    /// The column's field; null where the text is.
    pub(super) fn field(&self, name: &str, layout: &Layout, signed: bool) -> Field {
        let kind = match self {
            Column::Count => short(signed),
            _ => DataType::List(self.item(layout, signed)),
        };
        Field::new(name, kind, true)
    }

    /// What the lists of the column are of.
    fn item(&self, layout: &Layout, signed: bool) -> Arc<Field> {
        let kind = match self {
            Column::Tokens(_) => DataType::Struct(struct_fields(signed)),
            Column::Count | Column::Strings => DataType::Utf8,
            Column::List(at) => layout.items[*at].kind(signed),
        };
        Arc::new(Field::new("item", kind, false))
    }
}

impl Item {
    fn kind(self, signed: bool) -> DataType {
        match self {
            Item::Start | Item::End => short(signed),
            Item::Space | Item::Flag(_) => DataType::Boolean,
            Item::Number(_) if signed => DataType::Int64,
            Item::Number(_) => DataType::UInt64,
            Item::Text(_) => DataType::Utf8,
        }
    }
}

/// What a column of lists holds.
fn item(name: &str) -> Option<Item> {
    if let Some((_, item)) = STRUCT.iter().find(|(own, _)| *own == name) {
        return Some(*item);
    }
    let (bare, is_text) = name.strip_suffix('_').map_or((name, false), |bare| (bare, true));
    if bare.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let attr = AttrId::from_name(bare).filter(|attr| attr.number() != 0)?;
    let is_id = AttrId::WORD_STRINGS.contains(&attr);
    match (is_text, is_id) {
        (true, true) => Some(Item::Text(attr)),
        (true, false) => None,
        (false, true) => Some(Item::Number(attr)),
        (false, false) if attr.is_flag() => Some(Item::Flag(attr)),
        (false, false) => LexemeField::of(attr).map(|_| Item::Number(attr)),
    }
}

fn unknown(name: &str) -> Error {
    let mut names: Vec<String> =
        ["tokens", "n_tokens", "strings", "start", "end", "space"].map(str::to_owned).into();
    for attr in AttrId::all() {
        let Some(own) = attr.name().map(str::to_lowercase) else { continue };
        if item(&own).is_some() && !names.contains(&own) {
            names.push(own.clone());
        }
        if AttrId::WORD_STRINGS.contains(&attr) {
            names.push(own + "_");
        }
    }
    let text = format!("there is no column {name:?} to add; there are {}", names.join(", "));
    Error::value("arrow-columns", text)
}

fn short(signed: bool) -> DataType {
    if signed { DataType::Int32 } else { DataType::UInt32 }
}

fn struct_fields(signed: bool) -> Fields {
    STRUCT.iter().map(|(name, item)| Field::new(*name, item.kind(signed), false)).collect()
}

/// Where each row's values begin.
fn offsets(lens: impl Iterator<Item = u32>, what: &str) -> Result<OffsetBuffer<i32>> {
    let mut offsets = vec![0_i32];
    let mut end = 0_u64;
    for len in lens {
        end += u64::from(len);
        let Ok(end) = i32::try_from(end) else {
            let text = format!("a batch has more than 2^31 - 1 {what}; take fewer rows at once");
            return Err(Error::value("arrow-too-many", text));
        };
        offsets.push(end);
    }
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets)))
}

fn strings(chars: Chars) -> Result<ArrayRef> {
    let offsets = offsets(chars.lens.into_iter(), "bytes of strings")?;
    let array = StringArray::try_new(offsets, Buffer::from_vec(chars.bytes), None);
    Ok(Arc::new(array.map_err(|error| unfit(&error))?))
}

/// Numbers below 2^31, with a sign if so wished.
fn numbers(values: Vec<u32>, signed: bool, nulls: Option<&NullBuffer>) -> ArrayRef {
    let (len, bytes, nulls) = (values.len(), Buffer::from_vec(values), nulls.cloned());
    if signed {
        let values = ScalarBuffer::new(bytes, 0, len);
        return Arc::new(PrimitiveArray::<Int32Type>::new(values, nulls));
    }
    Arc::new(PrimitiveArray::<UInt32Type>::new(ScalarBuffer::new(bytes, 0, len), nulls))
}

/// Numbers of 64 bits, which stay as they are where the type has a sign.
fn long_numbers(values: Vec<u64>, signed: bool) -> ArrayRef {
    let (len, bytes) = (values.len(), Buffer::from_vec(values));
    if signed {
        return Arc::new(PrimitiveArray::<Int64Type>::new(ScalarBuffer::new(bytes, 0, len), None));
    }
    Arc::new(PrimitiveArray::<UInt64Type>::new(ScalarBuffer::new(bytes, 0, len), None))
}
