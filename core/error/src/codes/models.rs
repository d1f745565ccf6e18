//! Codes of trained models.

super::codes! {
    MODEL_DTYPE = "model-dtype" [Value]
        "an array of the model has elements of the type {dtype}"
        "Save the pipeline with spaCy again; thinc saves floats of 32 bits."
    MODEL_FILE = "model-file" [Value]
        "the bytes are not a model file of thinc"
        "Save the pipeline with spaCy again; the file was changed or damaged."
    MODEL_LAYER = "model-layer" [Value]
        "the model has a layer that lexpool cannot run"
        "Exclude the component (`lexpool.load(path, exclude=[...])`), or run it with spaCy."
    MODEL_STRUCTURE = "model-structure" [Value]
        "the parameters of the model do not fit its layers"
        "Save the pipeline with spaCy again; the file was changed, or belongs to another configuration."
}
