#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("json_lines"),
    |bytes: &[u8]| lexpool_fuzz::run("json_lines", bytes)
);
