//! The columns of a corpus, and the types that other columns may have.

use std::sync::Arc;

use arrow_ipc::Type;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use lexpool::Result;
use lexpool::codes;
use lexpool_structs::{EntityC, SyntaxC, TagC, TokenC};

use super::errors::invalid_at;

/// Positions of lexpool's own columns, which come first.
pub(super) const TEXT: usize = 0;
pub(super) const TOKENS: usize = 1;
pub(super) const TAGS: usize = 2;
pub(super) const SYNTAX: usize = 3;
pub(super) const ENTITIES: usize = 4;
pub(super) const SPANS: usize = 5;
pub(super) const CATS: usize = 6;
pub(super) const SPAN_GROUPS: usize = 7;
pub(super) const USER_DATA: usize = 8;
pub(super) const UNKNOWN_SPACES: usize = 9;
pub(super) const OWN: usize = 10;

/// Returns lexpool's own columns. In a compressed file the tokens are packed.
pub(super) fn own(compressed: bool) -> Vec<Field> {
    let tokens = if compressed { DataType::LargeBinary } else { records::<TokenC>() };
    vec![
        Field::new("text", DataType::LargeUtf8, false),
        Field::new("tokens", tokens, false),
        Field::new("tags", records::<TagC>(), true),
        Field::new("syntax", records::<SyntaxC>(), true),
        Field::new("entities", records::<EntityC>(), true),
        Field::new("spans", list(DataType::Struct(span_fields())), true),
        Field::new("cats", list(DataType::Struct(cat_fields())), true),
        Field::new("span_groups", DataType::LargeBinary, true),
        Field::new("user_data", DataType::LargeBinary, true),
        Field::new("unknown_spaces", DataType::Boolean, false),
    ]
}

pub(super) fn span_fields() -> Fields {
    let names = ["start", "end", "start_char", "end_char"];
    let numbers = names.map(|name| Field::new(name, DataType::UInt32, false));
    let mut fields = vec![Field::new("group", DataType::Utf8, false)];
    fields.extend(numbers);
    fields.push(Field::new("label", DataType::Utf8, false));
    fields.extend(["kb_id", "id"].map(|name| Field::new(name, DataType::UInt64, false)));
    Fields::from(fields)
}

pub(super) fn cat_fields() -> Fields {
    Fields::from(vec![
        Field::new("label", DataType::Utf8, false),
        Field::new("score", DataType::Float64, false),
    ])
}

/// Returns the field of a list's items.
pub(super) fn item(kind: DataType) -> Arc<Field> {
    Arc::new(Field::new("item", kind, false))
}

fn list(kind: DataType) -> DataType {
    DataType::List(item(kind))
}

fn records<T>() -> DataType {
    list(record::<T>())
}

/// Returns the Arrow type of a record.
pub(super) fn record<T>() -> DataType {
    DataType::FixedSizeBinary(i32::try_from(size_of::<T>()).expect("a record is small"))
}

/// Reads the schema of a file; the flag is set if the tokens are packed.
///
/// # Errors
///
/// `corpus-schema` if it is not the schema of a corpus, or has a column of an unsupported type.
pub(super) fn read(schema: arrow_ipc::Schema<'_>, at: usize) -> Result<(SchemaRef, bool)> {
    let fields = schema.fields().filter(|_| schema.endianness() == arrow_ipc::Endianness::Little);
    let fields = fields.ok_or_else(|| {
        invalid_at(codes::CORPUS_SCHEMA, at, "the schema has no fields, or is not little-endian")
    })?;
    for field in fields {
        validate_field(field, at)?;
    }
    let schema = arrow_ipc::convert::fb_to_schema(schema);
    let is = |compressed| {
        let fields = own(compressed);
        schema.fields().len() >= fields.len()
            && fields.iter().zip(schema.fields()).all(|(own, field)| own == &**field)
    };
    let layout = [false, true].into_iter().find(|compressed| is(*compressed));
    let compressed = layout.ok_or_else(|| {
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let text = format!(
            "the first columns must be those of a corpus (text, tokens, ...), but they are \
             {names:?}; convert documents of another format first"
        );
        invalid_at(codes::CORPUS_SCHEMA, at, text)
    })?;
    Ok((Arc::new(schema), compressed))
}

/// Supported types, for error messages.
pub(super) const TYPES: &str = "a corpus supports numbers, strings, binary data, booleans, dates, \
                                timestamps, lists and structs, without dictionaries";

/// Returns `true` if a column may have a type without children; see [`validate_field`] for files.
pub(super) fn is_supported(kind: &DataType) -> bool {
    match kind {
        DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::Timestamp(..)
        | DataType::Date32
        | DataType::Date64 => true,
        DataType::FixedSizeBinary(width) => WIDTHS.contains(width),
        _ => kind.is_integer() || kind.is_floating(),
    }
}

/// Lengths of fixed-size binary data.
const WIDTHS: std::ops::Range<i32> = 1..1 << 20;

/// Checks that a column of a file has a supported type. Arrow's own reader accepts more types, but
/// panics at some damaged ones.
fn validate_field(field: arrow_ipc::Field<'_>, at: usize) -> Result<()> {
    let children = field.children().map_or(0, |children| children.len());
    let is_known = match field.type_type() {
        Type::Bool | Type::Utf8 | Type::LargeUtf8 | Type::Binary | Type::LargeBinary => {
            children == 0
        }
        Type::Int => field
            .type_as_int()
            .is_some_and(|int| children == 0 && matches!(int.bitWidth(), 8 | 16 | 32 | 64)),
        Type::FloatingPoint => {
            let precision = field.type_as_floating_point().map(|float| float.precision());
            children == 0 && precision.is_some_and(|it| (0..3).contains(&it.0))
        }
        Type::Timestamp => {
            let unit = field.type_as_timestamp().map(|timestamp| timestamp.unit());
            children == 0 && unit.is_some_and(|it| (0..4).contains(&it.0))
        }
        Type::Date => {
            let unit = field.type_as_date().map(|date| date.unit());
            children == 0 && unit.is_some_and(|it| (0..2).contains(&it.0))
        }
        Type::FixedSizeBinary => {
            let width = field.type_as_fixed_size_binary().map(|binary| binary.byteWidth());
            children == 0 && width.is_some_and(|width| WIDTHS.contains(&width))
        }
        Type::List | Type::LargeList => children == 1,
        Type::Struct_ => children > 0,
        _ => false,
    };
    if !is_known || field.dictionary().is_some() || field.name().is_none() {
        let (name, kind) = (field.name().unwrap_or_default(), field.type_type());
        let text =
            format!("the column {name:?} has the type {kind:?} with {children} children; {TYPES}");
        return Err(invalid_at(codes::CORPUS_SCHEMA, at, text));
    }
    field.children().into_iter().flatten().try_for_each(|child| validate_field(child, at))
}

/// Returns lexpool's own columns followed by others.
///
/// # Errors
///
/// `corpus-column` for a name that is taken.
pub(super) fn with_columns(others: &[Arc<Field>], compressed: bool) -> Result<SchemaRef> {
    let mut fields: Vec<Arc<Field>> = own(compressed).into_iter().map(Arc::new).collect();
    for other in others {
        if let Some(same) = fields.iter().find(|field| field.name() == other.name()) {
            let text = format!("the column name {:?} is taken; rename the column", same.name());
            return Err(lexpool::Error::value(codes::CORPUS_COLUMN, text));
        }
        fields.push(Arc::clone(other));
    }
    Ok(Arc::new(Schema::new(fields)))
}
