//! Features of segments, details of tokens, and the meaning of whitespace between segments.

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

/// Details of the tokens of a text beside their features, an item a token. In Python they are in
/// `doc.user_data`, under the key that spaCy's tokenizer uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenDetails {
    /// All tags of each token, joined by `+`; an empty string for whitespace (`full_tags`).
    FullTags(Vec<String>),
    /// For each token that consists of shorter units, these units in one or several lengths, the
    /// shortest first (`sub_tokens`).
    SubTokens(Vec<Option<Vec<Vec<SubToken>>>>),
}

/// A shorter unit of a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubToken {
    /// The text of the unit.
    pub text: String,
    /// The tag.
    pub tag: String,
    /// The type of inflection and the inflected form.
    pub inflection: String,
    /// The lemma.
    pub lemma: String,
    /// The norm.
    pub norm: String,
    /// The reading in katakana.
    pub reading: String,
}
