//! The format of a Python buffer.

use super::text;
use crate::RecordInfo;
use alloc::string::String;
use core::fmt::Write;

/// The PEP 3118 format of one record, which `numpy.asarray(memoryview(...))` reads as named fields.
///
/// ```
/// use lexpool_structs::{Record, TokenC, emit};
///
/// assert_eq!(emit::buffer_format(&TokenC::INFO), "T{I:lex:I:idx:I:byte:I:facts:}");
/// ```
pub fn buffer_format(info: &RecordInfo) -> String {
    text(|out| {
        out.push_str("T{");
        for field in info.fields {
            write!(out, "{}:{}:", field.kind.buffer_code(), field.name)?;
        }
        out.push('}');
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::buffer_format;
    use crate::{Record, SpanC};

    #[test]
    fn a_format_has_each_field_with_its_code() {
        let format = "T{Q:id:i:start:i:end:i:start_char:i:end_char:Q:label:Q:kb_id:}";
        assert_eq!(buffer_format(&SpanC::INFO), format);
    }
}
