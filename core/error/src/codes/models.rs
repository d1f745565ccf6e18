//! Codes of trained models.

super::codes! {
    GRADIENT_SHAPE = "gradient-shape" [Value]
        "a gradient does not belong to the network or to its last results"
        "Pass the gradient of the rows that the forward pass returned, with its tape, to the same \
         network."
    KB_ENCODING = "kb-encoding" [Value]
        "the encoding of a context has another width than the vectors of the knowledge base"
        "Use the knowledge base that the model was trained with."
    KB_FILE = "kb-file" [Value]
        "the bytes are not a knowledge base"
        "Save the knowledge base again; the file was changed, cut short or damaged."
    KB_NUMBER = "kb-number" [Overflow]
        "the knowledge base has a number that its bytes cannot represent"
        "Replace vectors with NaN or infinity, or save the knowledge base with `to_disk`."
    KB_SIZE = "kb-size" [Overflow]
        "the knowledge base has too many entities"
        "Split the entities over several knowledge bases."
    MODEL_ARCHITECTURE = "model-architecture" [Value]
        "the configuration names an architecture that lexpool lacks"
        "Exclude the component (`lexpool.load(path, exclude=[...])`), or run it with spaCy."
    MODEL_CFG = "model-cfg" [Value]
        "a file with the settings of a trained component is damaged"
        "Save the pipeline with spaCy again; the file was changed or damaged."
    MODEL_DTYPE = "model-dtype" [Value]
        "an array of the model has elements of the type {dtype}"
        "Save the pipeline with spaCy again; thinc saves floats of 32 bits."
    MODEL_FILE = "model-file" [Value]
        "the bytes are not a model file of thinc"
        "Save the pipeline with spaCy again; the file was changed or damaged."
    MODEL_FILES = "model-files" [Value]
        "a file of a trained component is missing"
        "Copy the whole folder of the pipeline, or save it with spaCy again."
    MODEL_LABELS = "model-labels" [Value]
        "a component has another number of labels than its network has outputs"
        "Save the pipeline with spaCy again; its files `cfg` and `model` belong to different trainings."
    MODEL_LAYER = "model-layer" [Value]
        "the model has a layer that lexpool cannot run"
        "Exclude the component (`lexpool.load(path, exclude=[...])`), or run it with spaCy."
    MODEL_NAN = "model-nan" [Value]
        "a parameter of the model is not a finite number"
        "Train the pipeline again: its weights have diverged, or the file is damaged."
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
    NUMBER_LIMIT = "number-limit" [Value]
        "a number of a file, a configuration or a call is above its limit"
        "Give a number up to the limit that the message names; `lexpool.errors.limits()` lists all."
    OPTIMIZER_SETTINGS = "optimizer-settings" [Value]
        "an optimizer cannot be made of its settings or saved state"
        "Correct the section `training.optimizer`, or go on without the saved state."
    PACKAGE_EXISTS = "package-exists" [Value]
        "the folder of a package exists already"
        "Remove it, or replace it by `--force`."
    PACKAGE_FILES = "package-files" [Value]
        "a file or folder that a package is made of is missing"
        "Name the folder of a pipeline, which `nlp.to_disk` wrote, and files that exist."
    PACKAGE_META = "package-meta" [Value]
        "the metadata of a package are not valid"
        "Correct the value in meta.json that the message names, or give it as an option."
    PACKAGE_NAME = "package-name" [Value]
        "a name cannot be that of a package"
        "Use letters of ASCII, digits and _, with a letter or a digit first and last."
    PACK_NAME = "pack-name" [Value]
        "a packed pipeline has a file whose name leads elsewhere"
        "Pack the pipeline again (`lexpool model pack`); the file was changed or damaged."
    PACK_VOCAB = "pack-vocab" [Value]
        "a packed pipeline has a vocab of its own"
        "Load the folder of the pipeline, or leave the vocab of the file out: `exclude=[\"vocab\"]`."
    PIPELINE_UNSUPPORTED = "pipeline-unsupported" [Value]
        "the pipeline has parts that lexpool cannot run, or that only Python can"
        "Exclude or disable the components that the message lists, or run the pipeline with spaCy."
    NOT_TRAINABLE = "not-trainable" [NotImplemented]
        "a component or network does not learn in this way"
        "Train components by `nlp.update` or `lexpool train`."
    THINC_ARRAY = "thinc-array" [Value]
        "an array does not fit a kernel of `lexpool.thinc`"
        "Pass contiguous arrays of the shapes that the message names; an output shares no memory with \
         other arrays of the call."
}
