//! The record of a stretch of tokens.

use crate::record::record;

record! {
    /// A labelled stretch of tokens. Byte for byte spaCy's `SpanC`.
    pub struct SpanC: 40 bytes {
        /// String id the user gave the span.
        id: u64 @ 0,
        /// First token.
        start: i32 @ 8,
        /// Token after the last.
        end: i32 @ 12,
        /// First character.
        start_char: i32 @ 16,
        /// Character after the last.
        end_char: i32 @ 20,
        /// String id of the label.
        label: u64 @ 24,
        /// String id in the knowledge base.
        kb_id: u64 @ 32,
    }
}
