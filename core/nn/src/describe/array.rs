//! Arrays of a model file, as `msgpack-numpy` writes them.

use lexpool_error::{Error, Result, codes, limits};
use lexpool_msgpack::{Item, Reader};

/// Number of bytes whose numbers are checked together.
const FINITE_BLOCK: usize = 4096;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// `<f4`.
    F32,
    /// `<f8`, which is rounded to single precision when it is read.
    F64,
}

impl Dtype {
    fn from_name(name: &str) -> Option<Dtype> {
        match name {
            "<f4" => Some(Dtype::F32),
            "<f8" => Some(Dtype::F64),
            _ => None,
        }
    }

    /// Returns the size of an element in bytes.
    pub fn size(self) -> usize {
        match self {
            Dtype::F32 => 4,
            Dtype::F64 => 8,
        }
    }
}

/// An array in the bytes of a file: little-endian, in C order, not aligned.
///
/// Its bytes are as many as dtype and shape require.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayView<'a> {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: &'a [u8],
}

impl<'a> ArrayView<'a> {
    /// Returns the type of the elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Returns the lengths of the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    /// Returns whether the number of elements is 0.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns whether all elements are finite in single precision. Cost: linear.
    pub fn is_finite(&self) -> bool {
        match self.dtype {
            Dtype::F32 => {
                let are_finite = |numbers: &[u8]| {
                    let numbers = numbers
                        .chunks_exact(4)
                        .map(|item| f32::from_le_bytes(item.try_into().expect("four bytes")));
                    // Without a jump for each number, so that a block is a few instructions.
                    numbers.fold(true, |all, number| all & number.is_finite())
                };
                self.bytes.chunks(FINITE_BLOCK).all(are_finite)
            }
            Dtype::F64 => self.to_vec().iter().all(|number| number.is_finite()),
        }
    }

    /// Returns the bytes of the elements.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the elements in C order, in single precision. Cost: linear; memory for all of them.
    pub fn to_vec(&self) -> Vec<f32> {
        match self.dtype {
            Dtype::F32 => self.items(f32::from_le_bytes),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "thinc computes in single precision"
            )]
            Dtype::F64 => self.items(|bytes| f64::from_le_bytes(bytes) as f32),
        }
    }

    fn items<const N: usize>(&self, read: impl Fn([u8; N]) -> f32) -> Vec<f32> {
        let items = self.bytes.chunks_exact(N);
        items.map(|item| read(item.try_into().expect("a chunk of N bytes"))).collect()
    }

    /// Reads an array, or nil for a parameter that was not set.
    ///
    /// # Errors
    ///
    /// Those of [`Reader::item`]; `model-dtype` for elements other than floats of 32 or 64 bits;
    /// `model-file` if the item is not an array or its bytes do not fit its shape.
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Option<ArrayView<'a>>> {
        let pairs = match reader.item()? {
            Item::Nil => return Ok(None),
            Item::Map(pairs) => pairs,
            _ => return Err(invalid("an array is neither nil nor a map".to_owned())),
        };
        let (mut is_array, mut dtype, mut shape, mut bytes) = (false, None, None, None);
        for _ in 0..pairs {
            let key = match reader.item()? {
                Item::Bytes(key) => key,
                Item::Str(key) => key.as_bytes(),
                _ => return Err(invalid("a key of an array is not a name".to_owned())),
            };
            match key {
                b"nd" => is_array = reader.item()? == Item::Bool(true),
                b"type" => dtype = Some(reader.str()?),
                b"shape" => shape = Some(read_shape(reader)?),
                b"data" => bytes = Some(reader.bytes()?),
                _ => _ = reader.skip()?,
            }
        }
        let (Some(name), Some(shape), Some(bytes), true) = (dtype, shape, bytes, is_array) else {
            let text = "an array has no nd, type, shape or data".to_owned();
            return Err(invalid(text));
        };
        let Some(dtype) = Dtype::from_name(name) else {
            let text = format!("an array has the dtype {name:?}; a model has \"<f4\" or \"<f8\"");
            return Err(Error::value(codes::MODEL_DTYPE, text));
        };
        let size = shape.iter().try_fold(dtype.size(), |size, len| size.checked_mul(*len));
        if size != Some(bytes.len()) {
            let text = format!("an array of shape {shape:?} and {name} has {} bytes", bytes.len());
            return Err(invalid(text));
        }
        Ok(Some(ArrayView { dtype, shape, bytes }))
    }
}

fn read_shape(reader: &mut Reader<'_>) -> Result<Vec<usize>> {
    let dims = reader.array()?;
    limits::NETWORK_DIMENSIONS.check(dims, "the number of dimensions of an array")?;
    let lens = (0..dims).map(|_| {
        let len = reader.uint()?;
        usize::try_from(len).map_err(|_| invalid(format!("an array has the length {len}")))
    });
    lens.collect()
}

fn invalid(text: String) -> Error {
    Error::value(codes::MODEL_FILE, text)
}
