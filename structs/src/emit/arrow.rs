//! The Arrow type of a record.

use crate::RecordInfo;
use alloc::vec::Vec;

/// An Arrow type in the words of Arrow's C data interface.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrowType {
    /// The name of the column; the record's own name for the record.
    pub name: &'static str,
    /// The format string: `+s` for a struct, `I` for a `u32`, and so on.
    pub format: &'static str,
    /// The types of a struct's columns.
    pub children: Vec<ArrowType>,
}

/// The record as an Arrow struct with one column a field, none of them nullable.
///
/// Arrow keeps each column apart where an array of records keeps each record together, so values
/// are gathered by field on the way there.
///
/// ```
/// use lexpool_structs::{EntityC, Record, emit};
///
/// let entity = emit::arrow_type(&EntityC::INFO);
/// assert_eq!(entity.format, "+s");
/// assert_eq!((entity.children[0].name, entity.children[0].format), ("ent_type", "L"));
/// ```
pub fn arrow_type(info: &RecordInfo) -> ArrowType {
    let children = info.fields.iter().map(|field| ArrowType {
        name: field.name,
        format: field.kind.arrow_format(),
        children: Vec::new(),
    });
    ArrowType { name: info.name, format: "+s", children: children.collect() }
}

#[cfg(test)]
mod tests {
    use super::arrow_type;
    use crate::records;

    #[test]
    fn a_record_is_a_struct_with_a_column_for_each_field() {
        for info in records() {
            let record = arrow_type(info);
            assert_eq!((record.name, record.format), (info.name, "+s"));
            assert_eq!(record.children.len(), info.fields.len());
            for (column, field) in record.children.iter().zip(info.fields) {
                assert_eq!((column.name, column.format), (field.name, field.kind.arrow_format()));
                assert!(column.children.is_empty());
            }
        }
    }
}
