//! Embeddings of the bytes of a word.

use lexpool_error::Result;
use lexpool_structs::AttrId;

use super::inputs::tokens_of;
use super::{Context, Module, RowUnit, Shape, Value, WordInputs};
use crate::infer::rows::Rows;
use crate::infer::table::Table;

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
    use super::super::word_rows::WordRows;
    use super::*;
    use crate::infer::sums::GemmOrder;
    use crate::infer::tokens::{TensorView, TokenSource, WordVectors};

    struct Words<'a>(&'a [&'a str]);

    impl TokenSource for Words<'_> {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn column(&self, attr: AttrId) -> Result<Vec<u64>> {
            assert_eq!(attr, AttrId::ORTH);
            Ok(self.0.iter().map(|word| word.bytes().map(u64::from).sum()).collect())
        }

        fn text(&self, token: usize) -> &str {
            self.0[token]
        }

        fn tensor(&self) -> Option<TensorView<'_>> {
            None
        }

        fn vectors(&self) -> Option<&dyn WordVectors> {
            None
        }
    }

    /// The embedding of a byte is its value, and as much negated.
    fn embedded(n_bytes: usize) -> CharEmbed {
        let numbers = (0..n_bytes).flat_map(|_| 0..=u8::MAX).map(f32::from);
        let table = Table::from(numbers.flat_map(|value| [value, -value]).collect::<Vec<f32>>());
        CharEmbed::new(&[n_bytes, BYTES, 2], table).unwrap()
    }

    #[test]
    fn each_word_has_the_row_of_its_bytes_also_from_the_cache() {
        let cached = WordRows::new(Box::new(embedded(3))).unwrap();
        for words in [&["cat", "a", "cat"][..], &["a", "hut", "cat"]] {
            let tokens = Words(words);
            let context = Context { tokens: &tokens, spans: &[], order: GemmOrder::Generic };
            let rows = cached.run(&context, Value::Tokens).unwrap().into_rows();
            let expected = words.iter().map(|word| {
                let bytes = word_bytes(word, 3).map(f32::from);
                bytes.flat_map(|value| [value, -value]).collect::<Vec<f32>>()
            });
            assert!(rows.rows().eq(expected), "{words:?}: {rows:?}");
        }
    }

    #[test]
    fn bytes_are_taken_from_both_ends_by_turns() {
        for (word, expected) in [("", ""), ("a", "a"), ("ab", "ab"), ("jumping", "jgunmip")] {
            let bytes: Vec<u8> = from_both_ends(word.as_bytes()).collect();
            assert_eq!(bytes, expected.as_bytes(), "{word:?}");
        }
    }
}
