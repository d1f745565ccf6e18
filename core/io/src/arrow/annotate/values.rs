//! Values of a column, one for each token.

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type, Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use lexpool::Result;

use crate::arrow::packed_strings::PackedStrings;

/// Values of an item of the layout. Unsigned numbers are below the maximum of the signed type, or
/// ids, whose bits a signed column keeps.
pub(super) enum TokenValues {
    Short(Vec<u32>),
    Long(Vec<u64>),
    Bits(Vec<bool>),
    Strings(PackedStrings),
    /// Annotation, which may be unset.
    Annotation(AnnotationValues, Vec<bool>),
}

/// Values of annotation; where it is unset, any value.
pub(super) enum AnnotationValues {
    Short(Vec<u32>),
    Long(Vec<u64>),
    /// Numbers from 0 to 3.
    Byte(Vec<u8>),
    Sign(Vec<i8>),
    Strings(PackedStrings),
}

impl TokenValues {
    pub(super) fn append(&mut self, other: TokenValues) {
        match (self, other) {
            (TokenValues::Short(all), TokenValues::Short(mut more)) => all.append(&mut more),
            (TokenValues::Long(all), TokenValues::Long(mut more)) => all.append(&mut more),
            (TokenValues::Bits(all), TokenValues::Bits(mut more)) => all.append(&mut more),
            (TokenValues::Strings(all), TokenValues::Strings(more)) => all.append(more),
            (
                TokenValues::Annotation(all, valid),
                TokenValues::Annotation(more, mut more_valid),
            ) => {
                all.append(more);
                valid.append(&mut more_valid);
            }
            _ => unreachable!("parts of one layout have the same items"),
        }
    }

    /// Converts the values to an array, of signed numbers if `signed` is set.
    pub(super) fn into_array(self, signed: bool) -> Result<ArrayRef> {
        Ok(match self {
            TokenValues::Short(values) => numbers(values, signed, None),
            TokenValues::Long(values) => long_numbers(values, signed, None),
            TokenValues::Bits(values) => {
                Arc::new(BooleanArray::new(BooleanBuffer::from(values), None))
            }
            TokenValues::Strings(strings) => strings.into_utf8(None)?,
            TokenValues::Annotation(values, valid) => {
                let nulls = NullBuffer::from(valid);
                values.into_array(signed, (nulls.null_count() > 0).then_some(nulls))?
            }
        })
    }
}

impl AnnotationValues {
    fn append(&mut self, other: AnnotationValues) {
        match (self, other) {
            (AnnotationValues::Short(all), AnnotationValues::Short(mut more)) => {
                all.append(&mut more);
            }
            (AnnotationValues::Long(all), AnnotationValues::Long(mut more)) => {
                all.append(&mut more);
            }
            (AnnotationValues::Byte(all), AnnotationValues::Byte(mut more)) => {
                all.append(&mut more);
            }
            (AnnotationValues::Sign(all), AnnotationValues::Sign(mut more)) => {
                all.append(&mut more);
            }
            (AnnotationValues::Strings(all), AnnotationValues::Strings(more)) => all.append(more),
            _ => unreachable!("parts of one layout have the same items"),
        }
    }

    fn into_array(self, signed: bool, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        Ok(match self {
            AnnotationValues::Short(values) => numbers(values, signed, nulls),
            AnnotationValues::Long(values) => long_numbers(values, signed, nulls),
            AnnotationValues::Byte(values) if signed => {
                let (len, bytes) = (values.len(), Buffer::from_vec(values));
                Arc::new(PrimitiveArray::<Int8Type>::new(ScalarBuffer::new(bytes, 0, len), nulls))
            }
            AnnotationValues::Byte(values) => {
                Arc::new(PrimitiveArray::<UInt8Type>::new(values.into(), nulls))
            }
            AnnotationValues::Sign(values) => {
                Arc::new(PrimitiveArray::<Int8Type>::new(values.into(), nulls))
            }
            AnnotationValues::Strings(strings) => strings.into_utf8(nulls)?,
        })
    }
}

/// Builds an array of numbers below 2^31, signed or unsigned.
pub(super) fn numbers(values: Vec<u32>, signed: bool, nulls: Option<NullBuffer>) -> ArrayRef {
    let (len, bytes) = (values.len(), Buffer::from_vec(values));
    if signed {
        let values = ScalarBuffer::new(bytes, 0, len);
        return Arc::new(PrimitiveArray::<Int32Type>::new(values, nulls));
    }
    Arc::new(PrimitiveArray::<UInt32Type>::new(ScalarBuffer::new(bytes, 0, len), nulls))
}

/// Builds an array of 64-bit numbers; a signed one reinterprets the bits.
fn long_numbers(values: Vec<u64>, signed: bool, nulls: Option<NullBuffer>) -> ArrayRef {
    let (len, bytes) = (values.len(), Buffer::from_vec(values));
    if signed {
        let values = ScalarBuffer::new(bytes, 0, len);
        return Arc::new(PrimitiveArray::<Int64Type>::new(values, nulls));
    }
    Arc::new(PrimitiveArray::<UInt64Type>::new(ScalarBuffer::new(bytes, 0, len), nulls))
}
