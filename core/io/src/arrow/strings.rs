//! Column of strings from a string store, in which each long string is stored once.

use std::sync::Arc;

use ahash::AHashMap;
use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use lexpool::codes;
use lexpool::{Error, Result};

use super::errors::internal;

/// Builder of a column of strings, which are identified by numbers such as ids.
#[derive(Default)]
pub(super) struct StringColumn {
    views: Vec<u128>,
    valid: Vec<bool>,
    /// Bytes of the strings that are too long for their views.
    long: Vec<u8>,
    seen: AHashMap<u64, Option<u128>>,
}

impl StringColumn {
    pub(super) fn with_capacity(len: usize) -> StringColumn {
        let (views, valid) = (Vec::with_capacity(len), Vec::with_capacity(len));
        StringColumn { views, valid, ..StringColumn::default() }
    }

    /// Appends the string of a number, or null if `find` returns `None`. `find` is called once per
    /// number.
    ///
    /// # Errors
    ///
    /// `arrow-too-many` if distinct strings have more than 2 GiB.
    pub(super) fn push<'a>(
        &mut self,
        number: u64,
        find: impl FnOnce(u64) -> Option<&'a str>,
    ) -> Result<()> {
        let view = if let Some(view) = self.seen.get(&number) {
            *view
        } else {
            let view = find(number).map(|string| self.view(string)).transpose()?;
            self.seen.insert(number, view);
            view
        };
        self.views.push(view.unwrap_or_default());
        self.valid.push(view.is_some());
        Ok(())
    }

    /// Appends a string that occurs once.
    ///
    /// # Errors
    ///
    /// As for [`push`](StringColumn::push).
    pub(super) fn push_single(&mut self, string: &str) -> Result<()> {
        let view = self.view(string)?;
        self.views.push(view);
        self.valid.push(true);
        Ok(())
    }

    pub(super) fn finish(self) -> Result<ArrayRef> {
        let nulls = NullBuffer::from(self.valid);
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let buffers: Vec<_> =
            (!self.long.is_empty()).then(|| Buffer::from_vec(self.long)).into_iter().collect();
        let array = StringViewArray::try_new(ScalarBuffer::from(self.views), buffers, nulls);
        Ok(Arc::new(array.map_err(|error| internal(&error))?))
    }

    fn view(&mut self, string: &str) -> Result<u128> {
        let view = |at| make_view(string.as_bytes(), 0, at);
        if string.len() <= 12 {
            return Ok(view(0));
        }
        let at = self.long.len();
        if i32::try_from(at + string.len()).is_err() {
            let text = "a column of strings has more than 2 GiB of distinct ones; take fewer rows";
            return Err(Error::value(codes::ARROW_TOO_MANY, text));
        }
        self.long.extend_from_slice(string.as_bytes());
        Ok(view(u32::try_from(at).expect("checked to be less than 2^31")))
    }
}
