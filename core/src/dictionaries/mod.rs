//! Segmenters that read the dictionaries of Sudachi and `MeCab`, for Japanese and Korean.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc};
//! use lexpool::dictionaries::{JapaneseSegmenter, SplitMode};
//! use lexpool::tokenizer::Tokenizer;
//! use lexpool::vocab::{Getters, Vocab};
//!
//! let segmenter = JapaneseSegmenter::open(Path::new("system.dic"), SplitMode::A)?;
//! let vocab = Vocab::new(Getters::native("ja"))?;
//! let tokenizer = Tokenizer::with_segmenter(&vocab, Arc::new(segmenter), 1000)?;
//! assert_eq!(tokenizer.tokenize("猫が鳴く")?.len(), 3);
//! # Ok::<(), lexpool::Error>(())
//! ```
//!
//! Dictionaries are mapped into memory, and processes that use the same file share its pages. The
//! files are validated where they are read (`lexpool-lattice`).

mod find;
mod japanese;
mod japanese_pos;
mod korean;
mod pieces;

pub use japanese::{JapaneseSegmenter, SplitMode};
pub use korean::KoreanSegmenter;
