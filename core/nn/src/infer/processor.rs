//! Instructions of the processor that are found when the program runs.
//!
//! Contains unsafe code: functions compiled for AVX2, for AVX-512 and for NEON. Invariants:
//!
//! - `P1`: a value of `Avx2` exists only if the processor has AVX2 and FMA.
//! - `P2`: a value of `Avx512` exists only if the processor has AVX-512 F, BW, DQ and VL, and what
//!   `P1` names.
//! - `P3`: a value of `Neon` exists only if the processor has NEON.

use std::sync::atomic::{AtomicU8, Ordering};

/// Sets of instructions, each with those before it that its processors have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum InstructionSet {
    /// The instructions that each processor of the target has.
    Plain,
    /// NEON, of `AArch64`.
    Neon,
    /// AVX2 with FMA, of x86-64.
    Avx2,
    /// AVX-512 (F, BW, DQ and VL), of x86-64.
    Avx512,
}

/// The most that products may use, an [`InstructionSet`].
static LIMIT: AtomicU8 = AtomicU8::new(InstructionSet::Avx512 as u8);

/// Limits the instructions that networks use, in the whole process, for tests and for finding a
/// kernel with a defect. Results have the same bits with all instructions.
///
/// ```
/// use lexpool_nn::{InstructionSet, limit_instructions};
///
/// limit_instructions(InstructionSet::Plain);
/// limit_instructions(InstructionSet::Avx512); // as at the beginning
/// ```
pub fn limit_instructions(most: InstructionSet) {
    LIMIT.store(most as u8, Ordering::Relaxed);
}

/// Instructions that the processor has and the limit permits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instructions {
    Plain,
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(avx512)]
    Avx512(Avx512),
}

impl Instructions {
    /// Returns the best. Cost: some loads, after the first call.
    pub(crate) fn best() -> Instructions {
        let limit = LIMIT.load(Ordering::Relaxed);
        #[cfg(avx512)]
        if limit >= InstructionSet::Avx512 as u8 {
            if let Some(avx512) = Avx512::detect() {
                return Instructions::Avx512(avx512);
            }
        }
        #[cfg(target_arch = "x86_64")]
        if limit >= InstructionSet::Avx2 as u8 {
            if let Some(avx2) = Avx2::detect() {
                return Instructions::Avx2(avx2);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if limit >= InstructionSet::Neon as u8 {
            if let Some(neon) = Neon::detect() {
                return Instructions::Neon(neon);
            }
        }
        let _ = limit;
        Instructions::Plain
    }

    /// Returns all that the processor has.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Instructions> {
        let mut all = vec![Instructions::Plain];
        #[cfg(target_arch = "x86_64")]
        all.extend(Avx2::detect().map(Instructions::Avx2));
        #[cfg(avx512)]
        all.extend(Avx512::detect().map(Instructions::Avx512));
        #[cfg(target_arch = "aarch64")]
        all.extend(Neon::detect().map(Instructions::Neon));
        all
    }
}

/// Permission to use AVX2 and FMA (P1).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Returns the permission if the processor has the instructions. Cost: a load, after the first
    /// call.
    pub fn detect() -> Option<Avx2> {
        let is_supported = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        is_supported.then_some(Avx2(()))
    }
}

/// Permission to use AVX-512, AVX2 and FMA (P2).
#[cfg(avx512)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(Avx2);

#[cfg(avx512)]
impl Avx512 {
    /// Returns the permission if the processor has the instructions. Cost: some loads, after the
    /// first call.
    pub(crate) fn detect() -> Option<Avx512> {
        let is_supported = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        Avx2::detect().filter(|_| is_supported).map(Avx512)
    }

    /// Returns the permission for AVX2, which it includes.
    pub(crate) fn avx2(self) -> Avx2 {
        self.0
    }
}

/// Permission to use NEON (P3).
#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

#[cfg(target_arch = "aarch64")]
impl Neon {
    /// Returns the permission if the processor has the instructions. Cost: nothing, if the target
    /// requires them, as all systems with a standard library do.
    pub(crate) fn detect() -> Option<Neon> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Neon(()))
    }
}

/// Runs a function, compiled for AVX2 if the processor has it. The function must be inlined, with
/// all that it calls in loops. Results have the same bits: the compiler fuses no operations.
///
/// ```
/// use lexpool_nn::vectorized;
///
/// let mut rows = [1.0_f32, 2.0];
/// vectorized(|| rows.iter_mut().for_each(|x| *x *= 0.5));
/// assert_eq!(rows, [0.5, 1.0]);
/// ```
#[inline]
pub fn vectorized<T>(function: impl FnOnce() -> T) -> T {
    match Instructions::best() {
        // SAFETY: P1: the processor has AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2(_) => unsafe { with_avx2(function) },
        // SAFETY: P2: the processor has AVX2 and FMA.
        #[cfg(avx512)]
        Instructions::Avx512(_) => unsafe { with_avx2(function) },
        // The target requires NEON: the function is compiled for it anyway.
        #[cfg(target_arch = "aarch64")]
        Instructions::Neon(_) => function(),
        Instructions::Plain => function(),
    }
}

/// Runs a function with the instructions of AVX2.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2<T>(function: impl FnOnce() -> T) -> T {
    function()
}
