#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("pattern_source"),
    |bytes: &[u8]| lexpool_fuzz::run("pattern_source", bytes)
);
