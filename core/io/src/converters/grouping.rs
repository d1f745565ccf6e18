//! Numbers of sentences of a document.

/// Returns what to say about the number of sentences of a document, as spaCy's converters do.
pub(super) fn note_groups(n_sents: usize, notes: &mut Vec<String>) {
    match n_sents {
        0 => notes.push("all sentences make one document".to_owned()),
        1 => notes.push(
            "each sentence is a document; a pipeline learns boundaries of sentences only from \
             documents of several (-n 10)"
                .to_owned(),
        ),
        count => notes.push(format!("{count} sentences make a document")),
    }
}
