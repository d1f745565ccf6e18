//! Features of segments, and the meaning of whitespace between them.

/// The way in which whitespace becomes tokens. Whitespace is that of Python's `str.isspace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whitespace {
    /// A space behind a segment belongs to the segment's token; other whitespace is a token for
    /// each run. Segments of whitespace are left out. This is spaCy's `get_words_and_spaces`.
    Attached,
    /// The same, but a space belongs to the token before only if it is a segment of its own.
    AttachedSegments,
    /// Each segment is a token, also one of whitespace, and no space belongs to a token.
    Tokens,
}

/// The annotation of a segment. An empty string stands for an absent feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features<'f> {
    /// The fine-grained part of speech (`token.tag_`).
    pub tag: &'f str,
    /// The coarse part of speech (`token.pos_`), a name of Universal Dependencies such as `NOUN`.
    pub pos: &'f str,
    /// The lemma.
    pub lemma: &'f str,
    /// The norm.
    pub norm: &'f str,
    /// The morphological features in the form `Field=Value|Field=Value`.
    pub morph: &'f str,
}
