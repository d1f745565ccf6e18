//! Chinese: a linear-chain conditional random field over characters, as pkuseg, with the files of
//! spacy-pkuseg.

mod features;
mod npz;
mod processors;
#[cfg(test)]
mod tests;
mod values;

use lexpool_chars as chars;
use lexpool_error::Result;
use lexpool_msgpack::Value;

use crate::buffer::Segments;
use crate::segment::Segment;
use features::FeatureTable;
use processors::{MergedWords, UserWords};
use values::{index_map, wrong};

/// The files of a pkuseg model.
#[derive(Clone, Copy, Debug)]
pub struct PkusegFiles<'f> {
    /// `features.msgpack`: features, tags, and words that features refer to.
    pub features: &'f [u8],
    /// `weights.npz`: the weights of the features.
    pub weights: &'f [u8],
    /// `pkuseg_processors` of spaCy: words of the user, and words to be merged.
    pub processors: Option<&'f [u8]>,
}

/// A segmenter for Chinese with pkuseg's algorithm and the files that spaCy's trained pipelines
/// have (X. Sun et al., "Fast online training with frequency-adaptive learning rates for Chinese
/// word segmentation", ACL 2012).
#[derive(Debug)]
pub struct Pkuseg {
    features: FeatureTable,
    /// For each tag, whether it begins a word.
    begins: Vec<bool>,
    /// The weights of features by tag, then those of tags by the tag before them.
    weights: Vec<f64>,
    user_words: UserWords,
    merged_words: Option<MergedWords>,
}

impl Pkuseg {
    /// Reads a model.
    ///
    /// # Errors
    ///
    /// `segment-dictionary`, with the file, for damaged files and for those that do not fit each
    /// other; those of [`Value::from_bytes`].
    pub fn from_files(files: &PkusegFiles<'_>) -> Result<Pkuseg> {
        let data = Value::from_bytes(files.features)?;
        let features = FeatureTable::read(&data)?;
        let begins = read_tags(&data)?;
        let npz::Weights { n_tags, n_features, values: weights } = npz::read(files.weights)?;
        let fits = n_tags == begins.len()
            && n_features == features.len()
            && n_tags.checked_mul(n_features + n_tags) == Some(weights.len());
        if !fits {
            let text = format!(
                "weights.npz has {n_tags} tags, {n_features} features and {} weights; \
                 features.msgpack has {} tags and {} features",
                weights.len(),
                begins.len(),
                features.len()
            );
            return Err(wrong(&text));
        }
        let (user_words, merged_words) = match files.processors {
            Some(bytes) => processors::read(&Value::from_bytes(bytes)?)?,
            None => Default::default(),
        };
        Ok(Pkuseg { features, begins, weights, user_words, merged_words })
    }

    /// Cuts a piece without whitespace and words of the user, and appends the end of each word.
    fn cut_piece(&self, piece: &[char], ends: &mut Vec<usize>) {
        let first = ends.len();
        let tags = self.tags(piece);
        ends.extend((1..piece.len()).filter(|at| self.begins[tags[*at]]));
        ends.push(piece.len());
        if let Some(merged) = &self.merged_words {
            merged.merge(piece, first, ends);
        }
    }

    /// Returns the likeliest sequence of tags (Viterbi, from the end).
    fn tags(&self, piece: &[char]) -> Vec<usize> {
        let n_tags = self.begins.len();
        let mut scores = vec![0.0; n_tags * piece.len()];
        self.features.for_each(piece, |at, feature| {
            let tag_weights = &self.weights[feature * n_tags..][..n_tags];
            let sums = &mut scores[at * n_tags..][..n_tags];
            sums.iter_mut().zip(tag_weights).for_each(|(sum, weight)| *sum += weight);
        });
        let edges = &self.weights[self.features.len() * n_tags..];
        // The best next tag behind each tag of each character but the last.
        let mut next = vec![0; n_tags * piece.len().saturating_sub(1)];
        let mut best: Vec<f64> = scores[scores.len() - n_tags..].to_vec();
        for at in (0..piece.len() - 1).rev() {
            let tag_scores = &scores[at * n_tags..][..n_tags];
            let through = |tag: usize, follower: usize| {
                best[follower] + tag_scores[tag] + (1.0 + edges[follower * n_tags + tag])
            };
            let before = (0..n_tags)
                .map(|tag| {
                    let mut top = (through(tag, 0), 0);
                    for follower in 1..n_tags {
                        let score = through(tag, follower);
                        if score >= top.0 {
                            top = (score, follower);
                        }
                    }
                    next[at * n_tags + tag] = top.1;
                    top.0
                })
                .collect();
            best = before;
        }
        let mut tag = 0;
        for other in 1..n_tags {
            if best[tag] < best[other] {
                tag = other;
            }
        }
        let mut tags = vec![tag];
        for row in next.chunks_exact(n_tags) {
            tag = row[tag];
            tags.push(tag);
        }
        tags
    }
}

impl Segment for Pkuseg {
    fn name(&self) -> &'static str {
        "pkuseg"
    }

    fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()> {
        let mut chars: Vec<char> = Vec::new();
        let mut ends = Vec::new();
        for part in text.split(chars::is_space).filter(|part| !part.is_empty()) {
            let mut byte = part.as_ptr() as usize - text.as_ptr() as usize;
            chars.clear();
            chars.extend(part.chars());
            ends.clear();
            let mut start = 0;
            for (end, is_word) in self.user_words.pieces(&chars) {
                if is_word {
                    ends.push(end);
                } else {
                    let first = ends.len();
                    self.cut_piece(&chars[start..end], &mut ends);
                    ends[first..].iter_mut().for_each(|own| *own += start);
                }
                start = end;
            }
            let mut last = 0;
            for end in &ends {
                let len: usize = chars[last..*end].iter().map(|c| c.len_utf8()).sum();
                out.push(byte..byte + len)?;
                (byte, last) = (byte + len, *end);
            }
        }
        Ok(())
    }
}

/// The number of tags up to which a model is read; pkuseg has five. A text takes memory for all
/// tags of each character.
const MAX_TAGS: usize = 16;

/// Reads which tags begin a word: those with a B in their names.
fn read_tags(data: &Value) -> Result<Vec<bool>> {
    let expected = || {
        let text = format!("features.msgpack: expected 1 to {MAX_TAGS} tags, numbered from 0 on");
        wrong(&text)
    };
    let tags = index_map(data.get("tag_to_idx")).ok_or_else(expected)?;
    let mut begins = vec![None; tags.len()];
    for (name, number) in &tags {
        let slot = begins.get_mut(*number as usize).ok_or_else(expected)?;
        *slot = Some(name.contains('B'));
    }
    let begins: Option<Vec<bool>> = begins.into_iter().collect();
    begins.filter(|begins| (1..=MAX_TAGS).contains(&begins.len())).ok_or_else(expected)
}
