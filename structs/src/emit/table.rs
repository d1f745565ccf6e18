//! The layout of a record as a table for a terminal.

use super::{text, wrapped};
use crate::{Bits, RecordInfo};
use alloc::format;
use alloc::string::String;
use core::fmt::{self, Write};

/// The layout as text of at most 100 columns: a line a field, and a line a group of bits.
///
/// ```
/// use lexpool_structs::{EntityC, Record, emit};
///
/// let table = emit::layout_table(&EntityC::INFO);
/// assert!(table.contains("    16     8  u64    ent_id "));
/// ```
pub fn layout_table(info: &RecordInfo) -> String {
    let names = info.fields.iter().flat_map(|field| {
        let bits = field.bits.iter().map(|bits| INDENT.len() + bits.name.len());
        bits.chain([field.name.len()])
    });
    let width = names.chain(["name".len()]).max().unwrap_or_default();
    text(|out| {
        writeln!(out, "{}: {} bytes, aligned to {}", info.name, info.size, info.align)?;
        for line in wrapped(info.doc, COLUMNS) {
            writeln!(out, "{line}")?;
        }
        out.push('\n');
        row(out, width, ["offset", "size", "type", "name", "holds"])?;
        for field in info.fields {
            let (offset, size) = (format!("{}", field.offset), format!("{}", field.kind.size()));
            row(out, width, [&offset, &size, field.kind.rust(), field.name, field.doc])?;
            for bits in field.bits {
                let name = format!("{INDENT}{}", bits.name.to_ascii_lowercase());
                row(out, width, ["", "", &place(*bits), &name, bits.doc])?;
            }
        }
        Ok(())
    })
}

const COLUMNS: usize = 100;
const INDENT: &str = "  ";

/// The group's bits in the column of types, such as `:3-4`.
fn place(bits: Bits) -> String {
    match bits.width {
        1 => format!(":{}", bits.low),
        _ => format!(":{}-{}", bits.low, bits.low + bits.width - 1),
    }
}

/// Writes the cells; the last is broken into lines that stand below each other.
fn row(out: &mut String, width: usize, cells: [&str; 5]) -> fmt::Result {
    let [offset, size, kind, name, doc] = cells;
    let before = format!("{offset:>6}  {size:>4}  {kind:<5}  {name:<width$}  ");
    let lines = wrapped(doc, COLUMNS - before.len());
    let first = format!("{before}{}", lines.first().map_or("", String::as_str));
    writeln!(out, "{}", first.trim_end())?;
    for line in lines.iter().skip(1) {
        writeln!(out, "{:1$}{line}", "", before.len())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::layout_table;
    use crate::{Record, SpanC, TokenC, records};
    use std::string::ToString;

    #[test]
    fn no_line_is_wider_than_a_hundred_columns_or_ends_in_a_space() {
        for info in records() {
            for line in layout_table(info).lines() {
                assert!(line.len() <= 100, "{line}");
                assert_eq!(line.trim_end(), line);
            }
        }
    }

    #[test]
    fn every_field_has_a_line() {
        let table = layout_table(&SpanC::INFO);
        for field in SpanC::INFO.fields {
            assert!(table.lines().any(|line| {
                let cells: std::vec::Vec<_> = line.split_whitespace().take(4).collect();
                cells.first() == Some(&field.offset.to_string().as_str())
                    && cells.get(3) == Some(&field.name)
            }));
        }
    }

    #[test]
    fn packed_facts_show_their_bits() {
        let table = layout_table(&TokenC::INFO);
        assert!(table.contains(":1-2     sent_start  Sentence start:"), "{table}");
        assert!(table.contains(":0       spacy "), "{table}");
    }
}
