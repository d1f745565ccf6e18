#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("doc_bytes"),
    |bytes: &[u8]| lexpool_fuzz::run("doc_bytes", bytes)
);
