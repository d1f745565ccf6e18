#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("config"),
    |bytes: &[u8]| lexpool_fuzz::run("config", bytes)
);
