//! A list of strings as an image stores them: concatenated bytes, and the end offset of each
//! string.

/// Strings in order of insertion.
#[derive(Default)]
pub(super) struct StringList {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<u64>,
}

impl StringList {
    pub(super) fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len() as u64);
    }

    #[expect(clippy::cast_possible_truncation, reason = "offsets of bytes in memory")]
    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.bytes[start..self.ends[at] as usize]
    }
}
