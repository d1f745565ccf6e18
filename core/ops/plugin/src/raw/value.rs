//! The C form of a value: a tag, a length, and a number or an address.

/// The kind of a value, with the numbers of `lexpool_tag` in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum Tag {
    /// Python's `None`.
    None = 0,
    /// 0 or 1.
    Bool = 1,
    /// A signed number of 64 bits.
    Int = 2,
    /// A double.
    Float = 3,
    /// UTF-8.
    Str = 4,
    /// Bytes.
    Bytes = 5,
    /// Values in order.
    List = 6,
    /// Pairs of values, keys first.
    Map = 7,
    /// Numbers of one type in rows.
    Array = 8,
    /// An object of a registered type.
    Object = 9,
    /// A function.
    Function = 10,
    /// Records, to be read or, under a lease, written.
    Records = 11,
    /// A document.
    Doc = 12,
    /// A vocab.
    Vocab = 13,
    /// A failure.
    Failure = 14,
}

impl Tag {
    /// All tags, by their numbers.
    pub(crate) const ALL: [Tag; 15] = [
        Tag::None,
        Tag::Bool,
        Tag::Int,
        Tag::Float,
        Tag::Str,
        Tag::Bytes,
        Tag::List,
        Tag::Map,
        Tag::Array,
        Tag::Object,
        Tag::Function,
        Tag::Records,
        Tag::Doc,
        Tag::Vocab,
        Tag::Failure,
    ];

    /// Returns Python's name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Tag::None => "None",
            Tag::Bool => "bool",
            Tag::Int => "int",
            Tag::Float => "float",
            Tag::Str => "str",
            Tag::Bytes => "bytes",
            Tag::List => "list",
            Tag::Map => "dict",
            Tag::Array => "array",
            Tag::Object => "object",
            Tag::Function => "callable",
            Tag::Records => "records",
            Tag::Doc => "Doc",
            Tag::Vocab => "Vocab",
            Tag::Failure => "failure",
        }
    }
}

/// The bit of a tag that marks an owned value: its holder releases what it points to.
pub const OWNED: u32 = 1 << 31;

/// The C form of a value: `lexpool_value`. Any bytes are a valid `ValueC`, but its pointer need not
/// be valid.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ValueC {
    /// A [`Tag`], perhaps with [`OWNED`].
    pub tag: u32,
    /// Bytes of a string, items of a list, pairs of a map; otherwise 0.
    pub len: u32,
    /// The number itself, or an address.
    pub bits: u64,
}

impl ValueC {
    /// The address in a value that has one.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it was an address of this machine's")]
    pub fn address<T>(self) -> *const T {
        self.bits as usize as *const T
    }
}

/// The header of everything that an owned value points to.
#[derive(Debug)]
#[repr(C)]
pub struct OwnedC {
    /// Releases one reference. The holder of the value calls it once.
    pub release: unsafe extern "C" fn(*mut OwnedC),
}

const _: () = assert!(size_of::<ValueC>() == 16 && align_of::<ValueC>() == 8, "lexpool_value");
