#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("lookups"),
    |bytes: &[u8]| lexpool_fuzz::run("lookups", bytes)
);
