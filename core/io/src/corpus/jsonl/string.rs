//! JSON strings.

use lexpool::escape::is_interpreted;

/// Appends a JSON string, with quotes. Control characters that a terminal may obey are escaped too;
/// other characters stay UTF-8.
pub fn push_json_string(out: &mut Vec<u8>, string: &str) {
    out.push(b'"');
    let bytes = string.as_bytes();
    let mut from = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if !IS_SPECIAL[usize::from(byte)] {
            continue;
        }
        if byte >= 0x7f {
            let obeyed = string[at..].chars().next().filter(|c| is_interpreted(*c));
            if let Some(c) = obeyed {
                out.extend_from_slice(&bytes[from..at]);
                from = at + c.len_utf8();
                out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes());
            }
            continue;
        }
        out.extend_from_slice(&bytes[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => {
                let hex = |digit: u8| b"0123456789abcdef"[usize::from(digit & 15)];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte)]);
            }
        }
    }
    out.extend_from_slice(&bytes[from..]);
    out.push(b'"');
}

/// Bytes that cannot be copied into a JSON string: those that JSON escapes, DEL, and the first
/// bytes of other characters that a terminal may obey.
const IS_SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        special[byte] = true;
        byte += 1;
    }
    let others = *b"\"\\\x7f\xc2\xd8\xe2";
    let mut i = 0;
    while i < others.len() {
        special[others[i] as usize] = true;
        i += 1;
    }
    special
};
