//! The tensor of a document: a row of numbers for each token.

use std::ops::Range;

use crate::codes;
use crate::{Error, Result};

/// Rows of numbers of one width, such as the vectors that a network computes for tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    width: usize,
    /// The rows one after another; `width` divides their length. Empty for a width of 0.
    numbers: Vec<f32>,
}

impl Tensor {
    /// Makes rows of `width` numbers each.
    ///
    /// ```
    /// use lexpool::tokens::Tensor;
    /// let tensor = Tensor::new(2, vec![0.0, 1.0, 2.0, 3.0])?;
    /// assert_eq!(tensor.len(), 2);
    /// assert_eq!(tensor.row(1), [2.0, 3.0]);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `tensor-shape` if the numbers do not fill whole rows.
    pub fn new(width: usize, numbers: Vec<f32>) -> Result<Tensor> {
        // The remainder by 0 is the number itself: without a width, no number has a place.
        if numbers.len().checked_rem(width).unwrap_or(numbers.len()) == 0 {
            return Ok(Tensor { width, numbers });
        }
        let text = format!("{} numbers do not fill rows of {width} numbers", numbers.len());
        Err(Error::value(codes::TENSOR_SHAPE, text))
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.numbers.len().checked_div(self.width).unwrap_or(0)
    }

    /// Returns whether the tensor has no numbers.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns a row.
    ///
    /// # Panics
    ///
    /// If `i` is not below the number of rows.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.numbers[i * self.width..(i + 1) * self.width]
    }

    /// Returns all numbers, row after row.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Copies a range of rows. Panics as [`row`](Tensor::row) does.
    pub(super) fn slice(&self, rows: Range<usize>) -> Tensor {
        let numbers = self.numbers[rows.start * self.width..rows.end * self.width].to_vec();
        Tensor { width: self.width, numbers }
    }

    /// Copies the rows of the given positions; a row of zeros for `None`.
    pub(super) fn rearranged(&self, origins: &[Option<usize>]) -> Tensor {
        let mut numbers = Vec::with_capacity(origins.len() * self.width);
        for origin in origins {
            match origin {
                Some(i) => numbers.extend_from_slice(self.row(*i)),
                None => numbers.resize(numbers.len() + self.width, 0.0),
            }
        }
        Tensor { width: self.width, numbers }
    }

    /// Concatenates tensors. Returns `None` for those of several widths, or without any.
    pub(super) fn joined(tensors: &[&Tensor]) -> Option<Tensor> {
        let width = tensors.first()?.width;
        if tensors.iter().any(|tensor| tensor.width != width) {
            return None;
        }
        let numbers = tensors.iter().flat_map(|tensor| &tensor.numbers).copied().collect();
        Some(Tensor { width, numbers })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::structs::AttrId;
    use crate::tokens::tests::{split_first, words};
    use crate::tokens::{ARRAY_ATTRS, Doc, JoinedDocs, Retokenization};

    /// Words with a tensor of two columns, whose rows begin with these numbers.
    fn with_rows(firsts: &[f32]) -> Doc {
        let mut doc = words(firsts.len());
        let numbers = firsts.iter().flat_map(|first| [*first, first + 0.5]).collect();
        doc.set_tensor(Some(Arc::new(Tensor::new(2, numbers).unwrap()))).unwrap();
        doc
    }

    /// The first number of each row.
    fn firsts(doc: &Doc) -> Vec<f32> {
        let tensor = doc.tensor().expect("a tensor");
        assert_eq!(tensor.len(), doc.len());
        (0..tensor.len()).map(|i| tensor.row(i)[0]).collect()
    }

    #[test]
    fn numbers_fill_whole_rows() {
        assert_eq!(Tensor::new(3, vec![0.0; 6]).unwrap().len(), 2);
        assert_eq!(Tensor::new(0, Vec::new()).unwrap().len(), 0);
        for (width, len) in [(3, 4), (0, 1)] {
            let error = Tensor::new(width, vec![0.0; len]).unwrap_err();
            assert_eq!(error.code(), "tensor-shape");
        }
    }

    #[test]
    fn a_tensor_has_a_row_for_each_token() {
        let mut doc = with_rows(&[1.0, 2.0]);
        let before = Arc::clone(doc.tensor().unwrap());
        let other = Arc::new(Tensor::new(1, vec![0.0; 3]).unwrap());
        let error = doc.set_tensor(Some(other)).unwrap_err();
        assert_eq!(error.code(), "tensor-shape");
        assert!(error.message().contains("3 rows") && error.message().contains("2 tokens"));
        assert!(Arc::ptr_eq(doc.tensor().unwrap(), &before));
        doc.set_tensor(None).unwrap();
        assert!(doc.tensor().is_none());
    }

    #[test]
    fn a_copy_shares_the_tensor_and_a_cut_has_the_rows_of_its_span() {
        let doc = with_rows(&[1.0, 2.0, 3.0, 4.0]);
        let copy = doc.try_clone().unwrap();
        assert!(Arc::ptr_eq(doc.tensor().unwrap(), copy.tensor().unwrap()));
        assert_eq!(firsts(&doc.span(1, 3).unwrap().to_doc().unwrap()), [2.0, 3.0]);
        assert!(words(2).span(0, 1).unwrap().to_doc().unwrap().tensor().is_none());
    }

    #[test]
    fn a_merged_token_has_the_row_of_its_last_token_and_parts_have_zeros() {
        let mut doc = with_rows(&[1.0, 2.0, 3.0, 4.0]);
        let mut plan = Retokenization::new(&doc);
        plan.merge(&doc, 1..3, &[]).unwrap();
        plan.apply(&mut doc).unwrap();
        assert_eq!(firsts(&doc), [1.0, 3.0, 4.0]);
        split_first(&mut doc);
        assert_eq!(firsts(&doc), [0.0, 0.0, 3.0, 4.0]);
        assert_eq!(doc.tensor().unwrap().row(1), [0.0, 0.0]);
    }

    #[test]
    fn a_plan_that_fails_leaves_the_tensor() {
        let mut doc = with_rows(&[1.0, 2.0]);
        let plan = Retokenization::new(&doc);
        split_first(&mut doc);
        assert!(plan.apply(&mut doc).is_err());
        assert_eq!(firsts(&doc), [0.0, 0.0, 2.0]);
    }

    #[test]
    fn an_edit_that_keeps_the_tokens_keeps_the_tensor() {
        let mut doc = with_rows(&[1.0, 2.0]);
        let _pin = doc.pin();
        doc.attrs_mut().set(0, AttrId::SPACY, 0).unwrap();
        assert_eq!(firsts(&doc), [1.0, 2.0]);
        doc.replace_with(with_rows(&[5.0]));
        assert_eq!(firsts(&doc), [5.0]);
        doc.replace_with(words(1));
        assert!(doc.tensor().is_none());
    }

    #[test]
    fn joined_documents_have_all_rows_or_none() {
        let joined = |docs: &[&Doc]| {
            let mut docs = docs.to_vec();
            let empty = Doc::empty(docs[0].vocab());
            docs.push(&empty);
            JoinedDocs::new(&docs, true, &ARRAY_ATTRS).unwrap().unwrap().doc
        };
        let doc = with_rows(&[1.0, 2.0]);
        let cut = doc.span(1, 2).unwrap().to_doc().unwrap();
        assert_eq!(firsts(&joined(&[&doc, &cut, &doc])), [1.0, 2.0, 2.0, 1.0, 2.0]);
        let mut other = cut.try_clone().unwrap();
        other.set_tensor(None).unwrap();
        assert!(joined(&[&doc, &other]).tensor().is_none());
        other.set_tensor(Some(Arc::new(Tensor::new(1, vec![0.0]).unwrap()))).unwrap();
        assert!(joined(&[&doc, &other]).tensor().is_none());
    }
}
