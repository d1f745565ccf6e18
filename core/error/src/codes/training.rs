//! Codes of training.

super::codes! {
    E143 = "E143" [Value]
        "a component has no labels to learn"
        "Give annotation of the kind that the component predicts, or labels under \
         `[initialize.components.NAME]`."
    E187 = "E187" [Value]
        "a label is not a string"
        "Give labels as strings."
    E203 = "E203" [Value]
        "a component that is not updated gives others their input, but sets no annotation"
        "Add it to `annotating_components` of `[training]`."
    E851 = "E851" [Value]
        "a category has another value than 0 and 1"
        "Give 1.0 for categories that a document has, and 0.0 for others."
    E857 = "E857" [Value]
        "the labels of a trainable lemmatizer lack their trees"
        "Give the object of `label_data`, with \"trees\" and \"labels\"."
    E867 = "E867" [Value]
        "a categorizer with exclusive categories has less than two labels"
        "Use `textcat_multilabel` for one label, or give documents of two categories."
    E886 = "E886" [Value]
        "a listener to replace is not among the settings of its component"
        "Give the section of the listener, such as `model.tok2vec`."
    E887 = "E887" [Value]
        "a component has another number of listeners than were given"
        "Give the sections of all listeners of the component."
    E888 = "E888" [Value]
        "a component has no listeners"
        "Give the name of a component such as `tok2vec`."
    E889 = "E889" [Value]
        "no component has the name, so no listener can be replaced"
        "Use names from `nlp.pipe_names`."
    E895 = "E895" [Value]
        "a document has several exclusive categories"
        "Use `textcat_multilabel`, or give each document one category."
    E898 = "E898" [Value]
        "a component has no model to save"
        "Set `self.model` in `__init__`, or override the methods that save."
    E899 = "E899" [Value]
        "a component has no vocab to save"
        "Set `self.vocab` in `__init__`, or override the methods that save."
    E910 = "E910" [Value]
        "the loss or a weight of a component is not a finite number"
        "Lower the learn rate, or look for values in the data that are not numbers."
    E913 = "E913" [Value]
        "a corpus has no path"
        "Give it: `--paths.train train.spacy --paths.dev dev.spacy`."
    E914 = "E914" [Value]
        "`before_to_disk` has not returned the pipeline"
        "Return `nlp`, or another pipeline, from the function."
    E915 = "E915" [Value]
        "a score with a weight is not a number"
        "Remove the score from `[training.score_weights]`, or set it to null."
    E919 = "E919" [Value]
        "a positive label needs two categories"
        "Leave `positive_label` out, or give examples of two categories."
    E920 = "E920" [Value]
        "the positive label is not among the categories"
        "Use a label from the component's `labels`."
    E921 = "E921" [NotImplemented]
        "the number of outputs of a network cannot be set"
        "Call `add_label`, which gives the network outputs."
    E922 = "E922" [Value]
        "a network with weights cannot get more outputs"
        "Add all labels before `nlp.initialize`."
    E953 = "E953" [Value]
        "a component learns from other documents than the one that it listens to"
        "Update both with the same examples, as `nlp.update` does."
    E986 = "E986" [Value]
        "a corpus to train or to evaluate with is empty"
        "Check `[corpora]`, `--paths.train`, `--paths.dev` and `max_length`."
    E989 = "E989" [Value]
        "`nlp.update` got two arguments by position"
        "Give it a list of Example objects alone."
    E1054 = "E1054" [Value]
        "a span finder got a reference of another text"
        "Make predicted documents of the texts of the references."
    E874 = "E874" [Value]
        "the network to pretrain does not give a row of numbers for each word"
        "Set `component` and `layer` of `[pretraining]` to a shared network, such as `tok2vec`."
    E875 = "E875" [Value]
        "the objective of a pretraining predicts word vectors, of which there are none"
        "Name a pipeline with vectors: `--initialize.vectors PATH`."
    E1020 = "E1020" [Value]
        "the name of the weights to go on from tells no epoch"
        "Give the first epoch: `--epoch-resume 4`."
    PRETRAINING_MISSING = "pretraining-missing" [Value]
        "a configuration has no settings of a pretraining"
        "Add them: `lexpool init fill-config config.cfg config.cfg --pretraining`."
    SCORING_ALIGNMENT = "scoring-alignment" [Value]
        "the alignment of an example is of other documents"
        "Make the example without `alignment`, or give one whose rows are the predicted tokens."
    SCORING_CATEGORY = "scoring-category" [Type]
        "a category to score has a value that is not a number"
        "Give numbers in `doc.cats`, or from the getter."
    STATE_CONTENT = "state-content" [Value]
        "the file of a paused training has contents that no training gives it"
        "Train again without `--resume`; the file was not written by this training."
    STATE_DIFFERENT = "state-different" [Value]
        "a paused training was begun with another configuration or corpus"
        "Undo the changes that the message lists, or train again without `--resume`."
    W089 = "W089" [Warning]
        "`nlp.begin_training` has a new name"
        "Call `nlp.initialize`."
    W093 = "W093" [Warning]
        "a linker of the first version learns nothing of a batch without linked entities"
        "Leave it out, or link entities of its references: `\"links\"` of `Example.from_dict`."
    TRAINING_CONFIG = "training-config" [Value]
        "the configuration of a training has unknown keys or wrong values"
        "Correct the keys that the message lists."
    TRAINING_CORPUS = "training-corpus" [Value]
        "documents of a corpus cannot be trained with"
        "Correct or remove the documents that the message lists."
    TRAINING_MEMORY = "training-memory" [Memory]
        "a training needs more memory than its limit"
        "Change what the message names, or give a higher limit: `--memory 8GB`."
    TRAINING_UNSUPPORTED = "training-unsupported" [Value]
        "the configuration of a training has parts that lexpool does not have"
        "Change the parts that the message lists, or train the pipeline with spaCy."
    WEIGHTS_DIFFERENT = "weights-different" [Value]
        "weights to begin with are those of other components, labels or sizes"
        "Undo the changes that the message lists, or train again without `--resume=weights` or `init_tok2vec`."
}
