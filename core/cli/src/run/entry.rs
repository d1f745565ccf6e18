//! Entry of the manifest.

use super::checksums::{InputDigest, OutputChecksum};

/// A complete output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ManifestEntry {
    /// The path of the input, as given.
    pub(super) input: String,
    /// The format that the input was read as.
    pub(super) kind: String,
    pub(super) digest: InputDigest,
    /// Digest of the pipeline.
    pub(super) pipeline_digest: String,
    pub(super) output: OutputChecksum,
    pub(super) documents: u64,
    pub(super) tokens: u64,
}
