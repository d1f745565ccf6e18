#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("arrow_import"),
    |bytes: &[u8]| lexpool_fuzz::run("arrow_import", bytes)
);
