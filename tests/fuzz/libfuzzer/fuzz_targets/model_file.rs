#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("model_file"),
    |bytes: &[u8]| lexpool_fuzz::run("model_file", bytes)
);
