#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("retokenize"),
    |bytes: &[u8]| lexpool_fuzz::run("retokenize", bytes)
);
