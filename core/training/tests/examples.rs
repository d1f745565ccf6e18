//! The programs in `examples` print their results.

#[path = "../../tests/example_output/mod.rs"]
mod example_output;

#[test]
fn the_example_tags_a_sentence_that_it_has_not_seen() {
    let Some(output) = example_output::output("train_tagger") else { return };
    assert!(output.ends_with("the/DT\ndog/NN\nworks/VBZ\n./.\n"), "{output}");
}
