//! Instructions of the processor that are found when the program runs.
//!
//! Contains unsafe code: a function compiled for AVX2 and FMA. Invariant:
//!
//! - `P1`: a value of `Avx2` exists only if the processor has AVX2 and FMA.

/// Permission to use AVX2 and FMA (P1).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Returns the permission if the processor has the instructions. Cost: a load, after the first
    /// call.
    pub fn detect() -> Option<Avx2> {
        let found = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        found.then_some(Avx2(()))
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
    #[cfg(target_arch = "x86_64")]
    if Avx2::detect().is_some() {
        // SAFETY: P1: the processor has AVX2 and FMA.
        return unsafe { with_avx2(function) };
    }
    function()
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
