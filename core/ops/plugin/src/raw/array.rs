//! The C form of an array: address, shape and type of its items.
//!
//! Holds unsafe code: address, shape and type become slices, after a check.

/// The type of an array's items; the numbers are those of `lexpool_dtype` in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum Dtype {
    /// One byte, 0 or 1.
    Bool = 0,
    /// Signed, 8 bits.
    I8 = 1,
    /// Signed, 16 bits.
    I16 = 2,
    /// Signed, 32 bits.
    I32 = 3,
    /// Signed, 64 bits.
    I64 = 4,
    /// Unsigned, 8 bits.
    U8 = 5,
    /// Unsigned, 16 bits.
    U16 = 6,
    /// Unsigned, 32 bits.
    U32 = 7,
    /// Unsigned, 64 bits.
    U64 = 8,
    /// A float of 32 bits.
    F32 = 9,
    /// A float of 64 bits.
    F64 = 10,
}

impl Dtype {
    /// All dtypes, by their numbers.
    pub const ALL: [Dtype; 11] = [
        Dtype::Bool,
        Dtype::I8,
        Dtype::I16,
        Dtype::I32,
        Dtype::I64,
        Dtype::U8,
        Dtype::U16,
        Dtype::U32,
        Dtype::U64,
        Dtype::F32,
        Dtype::F64,
    ];

    /// NumPy's name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::Bool => "bool",
            Dtype::I8 => "int8",
            Dtype::I16 => "int16",
            Dtype::I32 => "int32",
            Dtype::I64 => "int64",
            Dtype::U8 => "uint8",
            Dtype::U16 => "uint16",
            Dtype::U32 => "uint32",
            Dtype::U64 => "uint64",
            Dtype::F32 => "float32",
            Dtype::F64 => "float64",
        }
    }

    /// Bytes of an item.
    pub const fn size(self) -> usize {
        match self {
            Dtype::Bool | Dtype::I8 | Dtype::U8 => 1,
            Dtype::I16 | Dtype::U16 => 2,
            Dtype::I32 | Dtype::U32 | Dtype::F32 => 4,
            Dtype::I64 | Dtype::U64 | Dtype::F64 => 8,
        }
    }

    /// Returns the dtype of a name.
    pub fn from_name(name: &str) -> Option<Dtype> {
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == name)
    }
}

/// The C form of an array: `lexpool_array`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ArrayC {
    /// Bytes of this struct.
    pub(crate) size: u32,
    /// A [`Dtype`].
    pub(crate) dtype: u32,
    /// The first item.
    pub(crate) data: *mut u8,
    /// Number of dimensions.
    pub(crate) ndim: u32,
    /// 1 if the items may be written.
    pub(crate) writable: u32,
    /// Items along each dimension.
    pub(crate) shape: *const isize,
    /// Bytes from one item to the next along each dimension; null for contiguous rows.
    pub(crate) strides: *const isize,
}

// SAFETY: the contract of `new`: the items may be read from any thread, and have at most one
// writer.
unsafe impl Send for ArrayC {}
// SAFETY: the contract of `new`.
unsafe impl Sync for ArrayC {}

impl ArrayC {
    /// Describes a borrowed array. `strides` are in bytes; null for contiguous rows.
    ///
    /// # Safety
    ///
    /// `shape`, and `strides` unless null, have `ndim` numbers; `data` has the items that they
    /// describe, of the dtype. All of it stays valid as long as the array, and only the borrower of
    /// a writable array writes the items meanwhile.
    #[inline]
    pub const unsafe fn new(
        dtype: Dtype,
        data: *mut u8,
        ndim: u32,
        shape: *const isize,
        strides: *const isize,
        writable: bool,
    ) -> ArrayC {
        let size = crate::size_of_u32::<ArrayC>();
        let (dtype, writable) = (dtype as u32, writable as u32);
        ArrayC { size, dtype, data, ndim, writable, shape, strides }
    }

    /// The first item.
    pub fn data(&self) -> *mut u8 {
        self.data
    }

    /// Bytes from one item to the next along each dimension; `None` for contiguous rows.
    #[inline]
    pub fn strides(&self) -> Option<&[isize]> {
        if self.strides.is_null() {
            return None;
        }
        // SAFETY: the contract of `new`: as many strides as dimensions.
        Some(unsafe { std::slice::from_raw_parts(self.strides, self.ndim as usize) })
    }

    /// Returns whether the items may be written.
    pub fn is_writable(&self) -> bool {
        self.writable != 0
    }

    /// The lengths of the dimensions.
    #[inline]
    pub fn shape(&self) -> &[isize] {
        if self.shape.is_null() {
            return &[];
        }
        // SAFETY: the contract of `new`: as many lengths as dimensions.
        unsafe { std::slice::from_raw_parts(self.shape, self.ndim as usize) }
    }

    /// The number of items in all.
    #[inline]
    pub fn len(&self) -> usize {
        let lens = self.shape().iter().map(|len| usize::try_from(*len).unwrap_or(0));
        lens.fold(1, usize::saturating_mul)
    }

    /// Returns whether the array is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dtype of the items; `None` if this version does not know its number.
    #[inline]
    pub fn dtype(&self) -> Option<Dtype> {
        Dtype::ALL.get(self.dtype as usize).copied()
    }

    /// Returns whether the items are contiguous in row-major order.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        let Some(strides) = self.strides() else { return true };
        // An empty array is contiguous.
        if self.shape().contains(&0) {
            return true;
        }
        let mut expected = self.dtype().map_or(0, |dtype| signed(dtype.size()));
        for (stride, len) in strides.iter().zip(self.shape()).rev() {
            if *len > 1 && *stride != expected {
                return false;
            }
            expected *= (*len).max(1);
        }
        true
    }

    /// The items, if they are of the type and contiguous.
    #[inline]
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        let data = self.data as *const T;
        if self.dtype() != Some(T::DTYPE) || !self.is_contiguous() || !data.is_aligned() {
            return None;
        }
        if data.is_null() || self.is_empty() {
            return Some(&[]);
        }
        // SAFETY: the contract of `new`; Rust code does not write them meanwhile, because
        // overlapping arguments are rejected if one of them is written.
        Some(unsafe { std::slice::from_raw_parts(data, self.len()) })
    }

    /// The range of addresses of the items.
    pub(crate) fn extent(&self) -> (usize, usize) {
        let start = self.data as usize;
        (start, start + self.len() * self.dtype().map_or(0, Dtype::size))
    }
}

/// A number type of arrays: `i8` to `i64`, `u16` to `u64`, `f32` or `f64`.
///
/// Sealed: an array becomes a slice by this name alone, so the size and alignment of a type must be
/// those of its `Dtype`.
pub trait Element: sealed::Sealed + bytemuck::AnyBitPattern + Send + Sync + 'static {
    /// The dtype.
    const DTYPE: Dtype;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($type:ty => $dtype:ident),* $(,)?) => {$(
        impl sealed::Sealed for $type {}

        impl Element for $type {
            const DTYPE: Dtype = Dtype::$dtype;
        }

        const _: () = {
            assert!(size_of::<$type>() == Dtype::$dtype.size(), "an item is as large as its Dtype says");
            // A width of 8 bytes may be aligned to 4, as on 32-bit x86.
            assert!(Dtype::$dtype.size() % align_of::<$type>() == 0, "items side by side are aligned");
        };
    )*};
}

elements! {
    i8 => I8, i16 => I16, i32 => I32, i64 => I64, u16 => U16, u32 => U32, u64 => U64,
    f32 => F32, f64 => F64,
}

/// Converts a length, which fits because an array fits in memory.
pub(crate) fn signed(len: usize) -> isize {
    isize::try_from(len).unwrap_or(isize::MAX)
}
