//! The macro that declares records, and their reflection.
//!
//! Contains unsafe code: the macro's `unsafe impl` of `Zeroable` and `Pod`.
//! [`RecordInfo::assert_sound`] and the constants beside each struct prove the requirements of
//! these traits at compile time, so an invalid declaration does not build.

use bytemuck::Pod;

/// A plain record: all bit patterns are valid, and it has no padding.
///
/// Implemented only by this crate's `record!`.
pub trait Record: Pod {
    /// The layout, as declared.
    const INFO: RecordInfo;
}

/// The layout of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordInfo {
    /// The struct's name, the same in Rust, C and Cython.
    pub name: &'static str,
    /// The size of a record in bytes, and the stride of an array.
    pub size: usize,
    /// The alignment of the first byte.
    pub align: usize,
    /// A description of the record in one or two sentences.
    pub doc: &'static str,
    /// The fields in order of offset, without gaps.
    pub fields: &'static [Field],
}

/// One field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// The field's name.
    pub name: &'static str,
    /// The integer type.
    pub kind: Kind,
    /// The offset from the start of the record in bytes.
    pub offset: usize,
    /// A description of the field.
    pub doc: &'static str,
    /// The groups of bits of the field, lowest first; empty for a whole number.
    pub bits: &'static [Bits],
}

/// A group of neighbouring bits in a `u32` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bits {
    /// The group's name, in capitals.
    pub name: &'static str,
    /// The lowest bit.
    pub low: u32,
    /// The number of bits.
    pub width: u32,
    /// A description of the group.
    pub doc: &'static str,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Unsigned, one byte.
    U8,
    /// Unsigned, two bytes.
    U16,
    /// Unsigned, four bytes.
    U32,
    /// Unsigned, eight bytes.
    U64,
    /// Signed, one byte.
    I8,
    /// Signed, two bytes.
    I16,
    /// Signed, four bytes.
    I32,
    /// Signed, eight bytes.
    I64,
}

impl RecordInfo {
    /// The field of that name, if there is one.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Stops compilation unless the fields fill the record without a gap and every group of bits
    /// lies in a `u32` without overlapping its neighbour.
    pub(crate) const fn assert_sound(&self) {
        let mut end = 0;
        let mut i = 0;
        while i < self.fields.len() {
            let field = &self.fields[i];
            assert!(field.offset == end, "padding or overlap before a field");
            end += field.kind.size();
            let mut end_bit = 0;
            let mut j = 0;
            while j < field.bits.len() {
                let bits = &field.bits[j];
                assert!(matches!(field.kind, Kind::U32), "only a u32 is cut into bits");
                assert!(bits.low >= end_bit && bits.width > 0, "groups of bits overlap");
                end_bit = bits.low + bits.width;
                j += 1;
            }
            assert!(end_bit <= 32, "a group of bits reaches beyond its field");
            i += 1;
        }
        assert!(end == self.size, "padding after the last field");
    }
}

impl Bits {
    /// The largest value the group holds.
    pub const fn max(self) -> u32 {
        u32::MAX >> (32 - self.width)
    }

    /// The group's bits within the word.
    pub const fn mask(self) -> u32 {
        self.max() << self.low
    }

    /// The group's value in `word`.
    pub const fn get(self, word: u32) -> u32 {
        (word >> self.low) & self.max()
    }

    /// `word` with the group set to `value`, of which only the low `width` bits count.
    pub const fn put(self, word: u32, value: u32) -> u32 {
        (word & !self.mask()) | ((value & self.max()) << self.low)
    }
}

impl Kind {
    /// Bytes a value takes.
    pub const fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 => 4,
            Self::U64 | Self::I64 => 8,
        }
    }

    /// The Rust name, such as `u32`.
    pub const fn rust(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
        }
    }

    /// The name in C's `<stdint.h>` and Cython's `libc.stdint`, such as `uint32_t`.
    pub const fn c(self) -> &'static str {
        match self {
            Self::U8 => "uint8_t",
            Self::U16 => "uint16_t",
            Self::U32 => "uint32_t",
            Self::U64 => "uint64_t",
            Self::I8 => "int8_t",
            Self::I16 => "int16_t",
            Self::I32 => "int32_t",
            Self::I64 => "int64_t",
        }
    }

    /// The code in Python's `struct` and in a PEP 3118 format, native order.
    pub const fn buffer_code(self) -> char {
        match self {
            Self::U8 => 'B',
            Self::U16 => 'H',
            Self::U32 => 'I',
            Self::U64 => 'Q',
            Self::I8 => 'b',
            Self::I16 => 'h',
            Self::I32 => 'i',
            Self::I64 => 'q',
        }
    }

    /// The format string of the Arrow C data interface.
    pub const fn arrow_format(self) -> &'static str {
        match self {
            Self::U8 => "C",
            Self::U16 => "S",
            Self::U32 => "I",
            Self::U64 => "L",
            Self::I8 => "c",
            Self::I16 => "s",
            Self::I32 => "i",
            Self::I64 => "l",
        }
    }
}

/// A Rust type that a field may have; every one is plain data of its kind's size.
pub(crate) trait Scalar: Pod {
    const KIND: Kind;
}

macro_rules! scalars {
    ($($ty:ident $kind:ident),+) => {
        $(
            impl Scalar for $ty {
                const KIND: Kind = Kind::$kind;
            }
            const _: () = assert!(size_of::<$ty>() == Kind::$kind.size());
        )+
    };
}

scalars!(u8 U8, u16 U16, u32 U32, u64 U64, i8 I8, i16 I16, i32 I32, i64 I64);

/// Declares a record: `field: type @ offset`, and after a `u32` its groups of bits, if any, as
/// `NAME @ low..end`, which become associated constants of type [`Bits`].
///
/// The documentation comments go into the reflection; so they are short and hold no example.
macro_rules! record {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident: $size:literal bytes {
            $(
                $(#[doc = $field_doc:literal])+
                $field:ident: $ty:ident @ $offset:literal
                $({
                    $(
                        $(#[doc = $bits_doc:literal])+
                        $bits:ident @ $low:literal..$end:literal,
                    )+
                })?,
            )+
        }
    ) => {
        $(#[doc = $doc])+
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $(
                $(#[doc = $field_doc])+
                pub $field: $ty,
            )+
        }

        $($(
            impl $name {
                $(
                    $(#[doc = $bits_doc])+
                    pub const $bits: $crate::record::Bits = $crate::record::Bits {
                        name: stringify!($bits),
                        low: $low,
                        width: $end - $low,
                        doc: concat!($($bits_doc),+).trim_ascii(),
                    };
                )+
            }
        )?)+

        // SAFETY: every field is a `Scalar`, hence `Zeroable`; `INFO` names each field's `KIND`.
        unsafe impl bytemuck::Zeroable for $name {}

        // SAFETY: the struct is `repr(C)` and `Copy`, every field is a `Scalar`, hence `Pod`, and
        // the constants below prove that the fields fill it without padding.
        unsafe impl bytemuck::Pod for $name {}

        impl $crate::record::Record for $name {
            const INFO: $crate::record::RecordInfo = $crate::record::RecordInfo {
                name: stringify!($name),
                size: size_of::<$name>(),
                align: align_of::<$name>(),
                doc: concat!($($doc),+).trim_ascii(),
                fields: &[$(
                    $crate::record::Field {
                        name: stringify!($field),
                        kind: <$ty as $crate::record::Scalar>::KIND,
                        offset: core::mem::offset_of!($name, $field),
                        doc: concat!($($field_doc),+).trim_ascii(),
                        bits: &[$($($name::$bits),+)?],
                    }
                ),+],
            };
        }

        const _: () = {
            assert!(size_of::<$name>() == $size, "the size differs from the one declared");
            $(
                assert!(
                    core::mem::offset_of!($name, $field) == $offset,
                    concat!("`", stringify!($field), "` is not at the offset declared")
                );
            )+
            <$name as $crate::record::Record>::INFO.assert_sound();
        };
    };
}

pub(crate) use record;

#[cfg(test)]
mod tests {
    use super::{Bits, Field, Kind, RecordInfo};
    use crate::{Record, TokenC, records};
    use std::panic::catch_unwind;

    #[test]
    fn a_group_of_bits_leaves_its_neighbours_alone() {
        let bits = Bits { name: "MIDDLE", low: 8, width: 8, doc: "" };
        assert_eq!(bits.mask(), 0xff00);
        assert_eq!(bits.put(0xffff_ffff, 0), 0xffff_00ff);
        assert_eq!(bits.put(0, 0x1ab), 0xab00);
        assert_eq!(bits.get(0x1234_5678), 0x56);
    }

    #[test]
    fn a_group_may_be_the_whole_word() {
        let bits = Bits { name: "ALL", low: 0, width: 32, doc: "" };
        assert_eq!(bits.max(), u32::MAX);
        assert_eq!(bits.put(7, u32::MAX), u32::MAX);
    }

    #[test]
    fn every_record_and_field_is_documented_and_named_once() {
        for info in records() {
            assert!(info.doc.ends_with('.'), "{}: {:?}", info.name, info.doc);
            for field in info.fields {
                assert!(!field.doc.is_empty(), "{}.{}", info.name, field.name);
                assert_eq!(info.field(field.name), Some(field));
            }
        }
    }

    const fn bits(low: u32, width: u32) -> Bits {
        Bits { name: "BITS", low, width, doc: "" }
    }

    const fn field(kind: Kind, offset: usize, bits: &'static [Bits]) -> Field {
        Field { name: "field", kind, offset, doc: "", bits }
    }

    const fn record(size: usize, fields: &'static [Field]) -> RecordInfo {
        RecordInfo { name: "Record", size, align: 4, doc: "", fields }
    }

    #[test]
    fn a_layout_with_gaps_or_overlaps_is_refused() {
        use Kind::{U8, U32};
        const PADDING: &str = "padding or overlap before a field";
        const END: &str = "padding after the last field";
        const WORD: &str = "only a u32 is cut into bits";
        const OVERLAP: &str = "groups of bits overlap";
        const BEYOND: &str = "a group of bits reaches beyond its field";
        let refused: [(&str, RecordInfo); 12] = [
            (PADDING, record(8, &const { [field(U32, 4, &[])] })),
            (PADDING, record(8, &const { [field(U32, 0, &[]), field(U32, 3, &[])] })),
            (PADDING, record(8, &const { [field(U32, 0, &[]), field(U8, 5, &[])] })),
            (END, record(8, &const { [field(U32, 0, &[])] })),
            (END, record(4, &const { [field(U32, 0, &[]), field(U32, 4, &[])] })),
            (WORD, record(1, &const { [field(U8, 0, &const { [bits(0, 8)] })] })),
            (OVERLAP, record(4, &const { [field(U32, 0, &const { [bits(0, 0)] })] })),
            (OVERLAP, record(4, &const { [field(U32, 0, &const { [bits(0, 9), bits(8, 1)] })] })),
            (OVERLAP, record(4, &const { [field(U32, 0, &const { [bits(3, 5), bits(6, 4)] })] })),
            (BEYOND, record(4, &const { [field(U32, 0, &const { [bits(0, 33)] })] })),
            (BEYOND, record(4, &const { [field(U32, 0, &const { [bits(0, 1), bits(31, 2)] })] })),
            (
                BEYOND,
                record(8, &const { [field(U32, 0, &[]), field(U32, 4, &const { [bits(32, 1)] })] }),
            ),
        ];
        for (message, info) in refused {
            let refusal = catch_unwind(|| info.assert_sound()).unwrap_err();
            assert_eq!(refusal.downcast_ref::<&str>(), Some(&message), "{info:?}");
        }
        record(4, &const { [field(U32, 0, &const { [bits(0, 9), bits(9, 22), bits(31, 1)] })] })
            .assert_sound();
    }

    #[test]
    fn every_kind_has_its_size_and_its_names() {
        for (kind, size, rust, c, code, arrow) in [
            (Kind::U8, 1, "u8", "uint8_t", 'B', "C"),
            (Kind::U16, 2, "u16", "uint16_t", 'H', "S"),
            (Kind::U32, 4, "u32", "uint32_t", 'I', "I"),
            (Kind::U64, 8, "u64", "uint64_t", 'Q', "L"),
            (Kind::I8, 1, "i8", "int8_t", 'b', "c"),
            (Kind::I16, 2, "i16", "int16_t", 'h', "s"),
            (Kind::I32, 4, "i32", "int32_t", 'i', "i"),
            (Kind::I64, 8, "i64", "int64_t", 'q', "l"),
        ] {
            assert_eq!((kind.size(), kind.rust(), kind.c()), (size, rust, c));
            assert_eq!((kind.buffer_code(), kind.arrow_format()), (code, arrow));
        }
    }

    #[test]
    fn a_field_is_found_by_name() {
        assert_eq!(TokenC::INFO.field("byte").map(|f| (f.kind, f.offset)), Some((Kind::U32, 8)));
        assert_eq!(TokenC::INFO.field("morph"), None);
    }
}
