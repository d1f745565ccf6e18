#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("special_cases"),
    |bytes: &[u8]| lexpool_fuzz::run("special_cases", bytes)
);
