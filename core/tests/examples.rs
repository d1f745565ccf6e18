//! The programs in `examples` print their results.

mod example_output;

use example_output::output;

/// Each example with what it prints.
const EXAMPLES: [(&str, &str); 3] = [
    ("count_words", "49 tokens, 38 different words\n    2 and\n    2 i\n    2 little\n    2 me\n"),
    (
        "find_matches",
        "duration: 6 hours and 20 minutes\nduration: five hours\n\
         city: New York\ncity: San Francisco\ncity: new york\n",
    ),
    (
        "run_pipeline",
        "components: sentencizer, entity_ruler\n\
         sentences: 2\nORG: Acme\nMONEY: $5 million\nsentences: 1\nORG: Acme\n",
    ),
];

#[test]
fn each_example_prints_its_result() {
    for (example, printed) in EXAMPLES {
        if let Some(output) = output(example) {
            assert_eq!(output, printed, "{example}");
        }
    }
}
