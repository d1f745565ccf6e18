//! The programs in `examples` print their results.
#![cfg(feature = "arrow")]

#[path = "../../tests/example_output/mod.rs"]
mod example_output;

#[test]
fn the_example_prints_what_it_has_read() {
    let Some(output) = example_output::output("read_and_write_corpus") else { return };
    let corpus = "2 documents, 5 tokens\n2 PRON\n2 VERB\n1 PUNCT\nThey <- slept\nslept <- slept\n";
    let lines = output.strip_prefix(corpus).unwrap_or_else(|| panic!("{output}"));
    assert!(lines.starts_with(r#"{"text":"She reads. ","#), "{lines}");
}
