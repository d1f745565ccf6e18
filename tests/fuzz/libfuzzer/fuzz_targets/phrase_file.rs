#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("phrase_file"),
    |bytes: &[u8]| lexpool_fuzz::run("phrase_file", bytes)
);
