#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("phrases"),
    |bytes: &[u8]| lexpool_fuzz::run("phrases", bytes)
);
