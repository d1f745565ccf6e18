//! Selection of the column that has the texts.

use ::parquet::basic::{ConvertedType, LogicalType, Type};
use ::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use lexpool::codes;
use lexpool::{Error, Result};

/// Default name of the text column.
const DEFAULT_NAME: &str = "text";

/// Returns the position of the column `name`; without a name, of the only column of strings or of
/// the column `text`.
pub(super) fn choose(schema: &SchemaDescriptor, name: Option<&str>) -> Result<usize> {
    let columns = schema.columns();
    let path = |at: usize| columns[at].path().string();
    let strings: Vec<usize> = (0..columns.len()).filter(|at| is_string(&columns[*at])).collect();
    let listed = || match &*strings {
        [] => "the file has no column of strings".to_owned(),
        [one] => format!("the file has one column of strings, {:?}", path(*one)),
        many => {
            let names: Vec<_> = many.iter().take(20).map(|at| format!("{:?}", path(*at))).collect();
            let more = if many.len() > names.len() { " and more" } else { "" };
            format!("the columns of strings are {}{more}", names.join(", "))
        }
    };
    let Some(name) = name else {
        let usual = strings.iter().copied().find(|at| path(*at) == DEFAULT_NAME);
        return match (&*strings, usual) {
            ([only], _) => Ok(*only),
            (_, Some(usual)) => Ok(usual),
            _ => {
                let text = format!("name the column of the texts: {}", listed());
                Err(Error::value(codes::NO_COLUMN, text))
            }
        };
    };
    let Some(at) = (0..columns.len()).find(|at| path(*at) == name) else {
        let text = format!("no column is named {name:?}; {}", listed());
        return Err(Error::value(codes::NO_COLUMN, text));
    };
    if !may_be_string(&columns[at]) {
        let kind = if columns[at].max_rep_level() > 0 {
            "lists".to_owned()
        } else {
            columns[at].physical_type().to_string()
        };
        let text = format!("column {name:?} has {kind}, not strings; {}", listed());
        return Err(Error::value(codes::COLUMN_TYPE, text));
    }
    Ok(at)
}

/// Returns `true` for a column of one byte string per row.
fn may_be_string(column: &ColumnDescriptor) -> bool {
    column.physical_type() == Type::BYTE_ARRAY && column.max_rep_level() == 0
}

fn is_string(column: &ColumnDescriptor) -> bool {
    let is_marked = column.converted_type() == ConvertedType::UTF8
        || matches!(column.logical_type_ref(), Some(LogicalType::String));
    may_be_string(column) && is_marked
}
