//! Embeddings of the bytes of a word.

use lexpool_error::Result;
use lexpool_structs::AttrId;

use super::inputs::tokens_of;
use super::{Context, Module, RowUnit, Shape, Value, WordInputs};
use crate::rows::Rows;
use crate::table::Table;

/// Number of values of a byte.
const BYTES: usize = 256;
/// The byte that stands for those that a short word lacks; UTF-8 never has it.
const FILLER: u8 = 255;

/// Puts the embeddings of the first, last, second, second last, ... byte of each word side by side.
#[derive(Debug)]
pub(super) struct CharEmbed {
    /// A table for each place.
    tables: Table,
    n_bytes: usize,
    width: usize,
}

impl CharEmbed {
    /// Takes tables and their shape, (places, 256, columns).
    pub(super) fn new(shape: &[usize], tables: Table) -> Result<CharEmbed, String> {
        match *shape {
            [n_bytes, BYTES, width] if n_bytes > 0 && width > 0 => {
                Ok(CharEmbed { tables, n_bytes, width })
            }
            ref other => Err(format!("its tables have the shape {other:?}, not (n, 256, m)")),
        }
    }
}

impl Module for CharEmbed {
    fn collect_word_inputs(&self, inputs: &mut WordInputs) -> bool {
        inputs.add(AttrId::ORTH);
        true
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        tokens_of(input)?;
        Ok(Shape::Rows(RowUnit::Token, self.n_bytes * self.width))
    }

    fn run(&self, context: &Context<'_>, _value: Value) -> Result<Value> {
        let n_tokens = context.tokens.len();
        let mut numbers = Vec::with_capacity(n_tokens * self.n_bytes * self.width);
        for token in 0..n_tokens {
            let bytes = word_bytes(context.tokens.text(token), self.n_bytes);
            for (place, byte) in bytes.enumerate() {
                let start = (place * BYTES + usize::from(byte)) * self.width;
                numbers.extend(self.tables.numbers(start, self.width));
            }
        }
        Ok(Value::Rows(Rows::new(self.n_bytes * self.width, numbers)))
    }
}

/// Returns the first, last, second, second last, ... byte of a word, `n` in all; 255 in the place
/// of those that it lacks.
///
/// ```
/// assert_eq!(lexpool_nn::word_bytes("cat", 4).collect::<Vec<u8>>(), b"cta\xff");
/// ```
pub fn word_bytes(word: &str, n: usize) -> impl Iterator<Item = u8> + '_ {
    from_both_ends(word.as_bytes()).chain(std::iter::repeat(FILLER)).take(n)
}

/// Returns the first, last, second, second last, ... byte.
fn from_both_ends(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let len = bytes.len();
    (0..len).map(move |at| if at % 2 == 0 { bytes[at / 2] } else { bytes[len - 1 - at / 2] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_taken_from_both_ends_by_turns() {
        for (word, expected) in [("", ""), ("a", "a"), ("ab", "ab"), ("jumping", "jgunmip")] {
            let bytes: Vec<u8> = from_both_ends(word.as_bytes()).collect();
            assert_eq!(bytes, expected.as_bytes(), "{word:?}");
        }
    }
}
