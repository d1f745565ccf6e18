//! Errors of memory, sizes, limits and zones.

#![forbid(unsafe_code)]

use std::fmt;

/// The reason why an allocation, an append or a zone call failed.
///
/// Programs compare the stable [`Error::code`]; the message is for people and contains the numbers.
///
/// ```
/// use lexpool_pool::{SegmentedVec, Error};
///
/// let items = SegmentedVec::with_limit(1);
/// items.push(7_u32)?;
/// let error = items.push(8).unwrap_err();
/// assert_eq!(error.code(), "pool-full");
/// assert_eq!(error.to_string(), "cannot add an item: the limit of 1 is reached");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    OutOfMemory { bytes: usize },
    SizeOverflow { what: &'static str, requested: usize, limit: usize },
    Full { limit: u32 },
    ZoneClosed { generation: u64 },
    ZoneOpen { generation: u64 },
}

impl Error {
    /// Returns the stable code of this error, one of `pool-out-of-memory`, `pool-size-overflow`,
    /// `pool-full`, `zone-closed` and `zone-open`.
    pub fn code(&self) -> &'static str {
        match self.kind {
            Kind::OutOfMemory { .. } => "pool-out-of-memory",
            Kind::SizeOverflow { .. } => "pool-size-overflow",
            Kind::Full { .. } => "pool-full",
            Kind::ZoneClosed { .. } => "zone-closed",
            Kind::ZoneOpen { .. } => "zone-open",
        }
    }

    pub(crate) fn out_of_memory(bytes: usize) -> Self {
        Self { kind: Kind::OutOfMemory { bytes } }
    }

    pub(crate) fn size_overflow(what: &'static str, requested: usize, limit: usize) -> Self {
        Self { kind: Kind::SizeOverflow { what, requested, limit } }
    }

    /// The error of more records of `T` than the address space can hold.
    pub(crate) fn too_many<T>(requested: usize) -> Self {
        let limit = isize::MAX.unsigned_abs() / size_of::<T>().max(1);
        Self::size_overflow("records", requested, limit)
    }

    pub(crate) fn full(limit: u32) -> Self {
        Self { kind: Kind::Full { limit } }
    }

    pub(crate) fn zone_closed(generation: u64) -> Self {
        Self { kind: Kind::ZoneClosed { generation } }
    }

    pub(crate) fn zone_open(generation: u64) -> Self {
        Self { kind: Kind::ZoneOpen { generation } }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::OutOfMemory { bytes } => {
                write!(f, "out of memory: cannot allocate {bytes} bytes")
            }
            Kind::SizeOverflow { what, requested, limit } => {
                write!(f, "{requested} {what} requested, but at most {limit} fit")
            }
            Kind::Full { limit } => {
                write!(f, "cannot add an item: the limit of {limit} is reached")
            }
            Kind::ZoneClosed { generation } => {
                write!(f, "zone closed: there is no open zone of generation {generation}")
            }
            Kind::ZoneOpen { generation } => {
                write!(f, "zone open: close the zone of generation {generation} first")
            }
        }
    }
}

impl std::error::Error for Error {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_message_carries_its_numbers() {
        let errors = [
            (Error::out_of_memory(31), "pool-out-of-memory", "31"),
            (Error::size_overflow("bytes", 32, 5), "pool-size-overflow", "32 bytes"),
            (Error::full(33), "pool-full", "33"),
            (Error::zone_closed(34), "zone-closed", "34"),
            (Error::zone_open(35), "zone-open", "35"),
        ];
        for (error, code, number) in errors {
            assert_eq!(error.code(), code);
            assert!(error.to_string().contains(number), "{error}");
        }
    }

    #[test]
    fn as_many_records_fit_as_the_address_space_can_hold() {
        let limit = isize::MAX.unsigned_abs() / 8;
        let told = Error::too_many::<u64>(usize::MAX).to_string();
        assert!(told.ends_with(&format!("records requested, but at most {limit} fit")), "{told}");
    }
}
