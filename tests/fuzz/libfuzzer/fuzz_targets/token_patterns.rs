#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("token_patterns"),
    |bytes: &[u8]| lexpool_fuzz::run("token_patterns", bytes)
);
