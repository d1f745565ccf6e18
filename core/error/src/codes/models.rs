//! Codes of trained models.

super::codes! {
    MODEL_ARCHITECTURE = "model-architecture" [Value]
        "the configuration names an architecture that lexpool lacks"
        "Exclude the component (`lexpool.load(path, exclude=[...])`), or run it with spaCy."
    MODEL_DTYPE = "model-dtype" [Value]
        "an array of the model has elements of the type {dtype}"
        "Save the pipeline with spaCy again; thinc saves floats of 32 bits."
    MODEL_FILE = "model-file" [Value]
        "the bytes are not a model file of thinc"
        "Save the pipeline with spaCy again; the file was changed or damaged."
    MODEL_LAYER = "model-layer" [Value]
        "the model has a layer that lexpool cannot run"
        "Exclude the component (`lexpool.load(path, exclude=[...])`), or run it with spaCy."
    MODEL_SETTINGS = "model-settings" [Value]
        "a setting of a network is missing or has a wrong type"
        "Correct the section of the configuration that the message names."
    MODEL_SPAN = "model-span" [Value]
        "a span to be scored lies outside of the document"
        "Pass spans of this document, with start <= end."
    MODEL_STRUCTURE = "model-structure" [Value]
        "the parameters of the model do not fit its layers"
        "Save the pipeline with spaCy again; the file was changed, or belongs to another configuration."
    MODEL_TENSOR = "model-tensor" [Value]
        "the tensor of a document has another shape than a component expects"
        "Run the shared tok2vec of the same pipeline, or leave `doc.tensor` empty."
    MODEL_VECTORS = "model-vectors" [Value]
        "a network takes word vectors of another width than the vocab has"
        "Load the pipeline with its own vocab, or set vectors of that width."
}
