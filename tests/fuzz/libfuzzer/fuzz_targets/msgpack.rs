#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lexpool_fuzz::run("msgpack", bytes));
