#![no_main]

libfuzzer_sys::fuzz_target!(
    init: lexpool_fuzz::write_seeds("plugin_tables"),
    |bytes: &[u8]| lexpool_fuzz::run("plugin_tables", bytes)
);
