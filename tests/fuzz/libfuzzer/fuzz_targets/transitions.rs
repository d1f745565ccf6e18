#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("transitions"),
    |bytes: &[u8]| lexpool_fuzz::run("transitions", bytes)
);
