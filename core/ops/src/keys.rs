//! The kernels that this machine can run.

use std::sync::OnceLock;

use lexpool_plugin::Key;

/// Returns the keys of kernels that this machine can run, the best last.
///
/// ```
/// use lexpool_ops::{Key, available_keys};
///
/// assert_eq!(available_keys().first(), Some(&Key::Scalar));
/// assert_eq!(available_keys().last(), Some(&Key::Parallel));
/// ```
pub fn available_keys() -> &'static [Key] {
    static AVAILABLE: OnceLock<Vec<Key>> = OnceLock::new();
    AVAILABLE.get_or_init(|| Key::ALL.into_iter().filter(|key| detect(*key)).collect())
}

fn detect(key: Key) -> bool {
    match key {
        Key::Scalar | Key::Parallel => true,
        #[cfg(target_arch = "x86_64")]
        Key::Sse42 => is_x86_feature_detected!("sse4.2"),
        #[cfg(target_arch = "x86_64")]
        Key::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        #[cfg(target_arch = "x86_64")]
        Key::Avx512 => {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
        }
        #[cfg(target_arch = "aarch64")]
        Key::Neon => std::arch::is_aarch64_feature_detected!("neon"),
        _ => false,
    }
}
