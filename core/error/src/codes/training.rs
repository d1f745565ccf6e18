//! Codes of training.

super::codes! {
    E143 = "E143" [Value]
        "a component has no labels to learn"
        "Give annotation of the kind that the component predicts, or labels under \
         `[initialize.components.NAME]`."
    E203 = "E203" [Value]
        "a component that is not updated gives others their input, but sets no annotation"
        "Add it to `annotating_components` of `[training]`."
    E851 = "E851" [Value]
        "a category has another value than 0 and 1"
        "Give 1.0 for categories that a document has, and 0.0 for others."
    E867 = "E867" [Value]
        "a categorizer with exclusive categories has less than two labels"
        "Use `textcat_multilabel` for one label, or give documents of two categories."
    E895 = "E895" [Value]
        "a document has several exclusive categories"
        "Use `textcat_multilabel`, or give each document one category."
    E910 = "E910" [Value]
        "the loss of a component is not a number"
        "Lower the learn rate, or look for values in the data that are not numbers."
    E913 = "E913" [Value]
        "a corpus has no path"
        "Give it: `--paths.train train.spacy --paths.dev dev.spacy`."
    E915 = "E915" [Value]
        "a score with a weight is not a number"
        "Remove the score from `[training.score_weights]`, or set it to null."
    E986 = "E986" [Value]
        "a corpus to train or to evaluate with is empty"
        "Check `[corpora]`, `--paths.train`, `--paths.dev` and `max_length`."
    STATE_CHECKSUM = "state-checksum" [Value]
        "the file of a paused training has another checksum than it was written with"
        "Train again without `--resume`; the file was changed or damaged."
    STATE_CONTENT = "state-content" [Value]
        "the file of a paused training has contents that no training gives it"
        "Train again without `--resume`; the file was not written by this training."
    STATE_DIFFERENT = "state-different" [Value]
        "a paused training was begun with another configuration or corpus"
        "Undo the changes that the message lists, or train again without `--resume`."
    STATE_MAGIC = "state-magic" [Value]
        "the file of a paused training is a file of another kind"
        "Give the folder that `lexpool train -o` was given."
    STATE_TRUNCATED = "state-truncated" [Value]
        "the file of a paused training has another length than its header says"
        "Train again without `--resume`; the file was cut or lengthened."
    STATE_VERSION = "state-version" [Value]
        "the file of a paused training has another version than this lexpool reads"
        "Go on with the lexpool that wrote it, or train again without `--resume`."
    TRAINING_CONFIG = "training-config" [Value]
        "the configuration of a training has unknown keys or wrong values"
        "Correct the keys that the message lists."
    TRAINING_CORPUS = "training-corpus" [Value]
        "documents of a corpus cannot be trained with"
        "Correct or remove the documents that the message lists."
    TRAINING_UNSUPPORTED = "training-unsupported" [Value]
        "the configuration of a training has parts that lexpool does not have"
        "Change the parts that the message lists, or train the pipeline with spaCy."
}
