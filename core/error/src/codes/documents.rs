//! Codes of documents, strings, vectors, transition systems and the forms in which documents are
//! saved.

super::codes! {
    // documents
    ATTR_READ_ONLY = "attr-read-only" [Value]
        "the attribute of a lexeme is read-only"
        "Change the getters, or another attribute."
    ATTRIBUTE_VALUE = "attribute-value" [Value]
        "an attribute of a token has an impossible value"
        "The bytes are damaged or were written for other attributes."
    BUFFER_ORDER = "buffer-order" [Type]
        "numbers are in another byte order than this machine's"
        "Convert the array: `array.astype(array.dtype.newbyteorder(\"=\"))`."
    DOC_BYTES = "doc-bytes" [Value]
        "the bytes are not a document"
        "Give what `Doc.to_bytes` returned."
    EDIT_IOB = "edit-iob" [Value]
        "an edit leaves a token inside an entity that has no beginning"
        "Set the beginning of each entity as well."
    EDIT_STALE = "edit-stale" [Value]
        "the records belong to another document, or tokens were merged or split since"
        "Open a new lease or copy."
    EDIT_TOKEN = "edit-token" [Value]
        "an edit changed a field that must not change"
        "Change only annotation: sentence starts, entities, tags, heads."
    FEATS_SYNTAX = "feats-syntax" [Value]
        "morphological features are not valid"
        "Write them as in \"Case=Nom|Number=Sing\"."
    OUT_OF_MEMORY = "out-of-memory" [Memory]
        "not enough memory"
        "Use smaller parts, or a machine with more memory."
    SPAN_GROUP = "span-group" [Value]
        "the bytes are not span groups"
        "Give what `SpanGroup.to_bytes` or `SpanGroups.to_bytes` returned."
    SPLIT_ATTRS = "split-attrs" [Value]
        "a value for each part of a split token is missing"
        "Give a list with one value for each part."
    STALE_PLAN = "stale-plan" [Runtime]
        "the plan was made for tokens that were merged or split since"
        "Make a new plan."
    UNKNOWN_ID = "unknown-id" [Value]
        "an id has no string in the bytes or in the vocab"
        "Load the vocab's strings first, or store strings with the documents."
    TOO_MANY_WORDS = "too-many-words" [Overflow]
        "two tokenizations have too many words to align"
        "Align shorter texts."

    // strings and vocab
    GETTERS_MISSING = "getters-missing" [Runtime]
        "a new word needs the getters of attributes, which were not loaded"
        "Set `vocab.lex_attr_getters` as they were when the vocab was saved."
    HASH_COLLISION = "hash-collision" [Value]
        "two strings have the same id"
        "Change one of them, or use a store that is not strict."
    TOO_MANY_NORMS = "too-many-norms" [Overflow]
        "special cases have too many norms"
        "Use fewer different norms."
    TOO_MANY_STRINGS = "too-many-strings" [Overflow]
        "the store has 2^32 strings"
        "Use several vocabs or memory zones."
    UNKNOWN_LANGUAGE = "unknown-language" [Value]
        "no rules for the language"
        "Use a code that the message lists, or \"xx\" for any language."
    LANG_SYNTAX = "lang-syntax" [Value]
        "a data file of a language has an error"
        "This is a bug in lexpool; please report it."
    VOCAB_FROZEN = "vocab-frozen" [Runtime]
        "the vocab is frozen and takes no new words"
        "Open a memory zone for text with new words, or add the words before `freeze`."

    // lemmatizer and components
    LEMMA_TABLE = "lemma-table" [Value]
        "a table of the lemmatizer is not valid"
        "Correct the table that the message names."
    COMPONENT_PANIC = "component-panic" [Runtime]
        "a component panicked"
        "This is a bug of the component; please report it."

    // vectors
    VECTORS_MEMORY = "vectors-memory" [Memory]
        "the vectors do not fit in memory"
        "Use fewer rows, a smaller width, or mapped vectors."
    VECTORS_NPY = "vectors-npy" [Value]
        "the file is not a 2-D .npy array"
        "Save the vectors with `numpy.save`."
    VECTORS_ROW = "vectors-row" [Value Index Key]
        "no such row in the vectors table"
        "Give a row below len(vectors)."
    VECTORS_SETTINGS = "vectors-settings" [Value]
        "the settings of the vectors are not valid"
        "Save the vectors again."
    VECTORS_SHAPE = "vectors-shape" [Value]
        "the array has another shape than the vectors need"
        "Give rows of one width."
    VECTORS_TRUNCATED = "vectors-truncated" [Value]
        "the array is truncated"
        "Save the vectors again."
    VECTORS_TYPE = "vectors-type" [Value]
        "the array has a type that vectors cannot have"
        "Convert it: `array.astype(\"float32\")`."

    // Bloom filters
    BLOOM_BYTES = "bloom-bytes" [Value]
        "the bytes are not a Bloom filter"
        "The file is damaged or holds something else; write it again."
    BLOOM_SIZE = "bloom-size" [Value]
        "the size of a Bloom filter is out of range"
        "Give at least one member and an error rate between 0 and 1."
    ARROW_BATCHES = "arrow-batches" [Value]
        "an Arrow array was requested from a stream of several batches"
        "Read the stream, or make one batch."

    // CoNLL-U
    CONLLU_IDS = "conllu-ids" [Type]
        "the ids of sentences in user data do not fit the document"
        "Give one id for each sentence."
    CONLLU_SENTENCES = "conllu-sentences" [Value]
        "n_sents is 0"
        "Give 1 or more."
    CONLLU_SYNTAX = "conllu-syntax" [Value]
        "a line of CoNLL-U is not valid"
        "Correct the line and column that the message names."

    // DocBin
    CHECKSUM = "checksum" [Value]
        "the bytes have another checksum than the one they were written with"
        "The file was changed or damaged; write it again."
    DOCBIN_ATTRS = "docbin-attrs" [Value]
        "the attributes of a DocBin are not valid"
        "The file is damaged; write it again."
    DOCBIN_INDEX = "docbin-index" [Index]
        "no document {i} in the DocBin"
        "Give a position below len(doc_bin)."
    DOCBIN_LENGTHS = "docbin-lengths" [Value]
        "the lengths of a DocBin do not fit its rows"
        "The file is damaged; write it again."
    DOCBIN_PARTS = "docbin-parts" [Value]
        "a part of the DocBin is missing"
        "The file is damaged or is not a DocBin."
    DOCBIN_SPACES = "docbin-spaces" [Value]
        "the spaces of a DocBin are not 0 or 1"
        "The file is damaged; write it again."
    DOCBIN_STRINGS = "docbin-strings" [Value]
        "the strings of a DocBin are not valid"
        "The file is damaged; write it again."
    DOCBIN_USER_DATA = "docbin-user-data" [Value Type]
        "user data of a document is not valid"
        "Store a dict of serializable values."
    ZLIB_LIMIT = "zlib-limit" [Value]
        "compressed data inflate beyond the limit"
        "Raise the limit (`max_bytes`, `--max-bytes`) if you trust the file."
    ZLIB_MESSAGE = "zlib-message" [Value]
        "the inflated data are not a DocBin"
        "The file holds something else."

    // transition systems
    BEAM_DENSITY = "beam-density" [Value]
        "the beam density is outside of 0 to 1"
        "Give a number from 0 to 1."
    BEAM_EMPTY = "beam-empty" [Value]
        "no parse of the beam has a valid transition"
        "Check the labels, or use a wider beam."
    BEAM_WIDTH = "beam-width" [Value]
        "the beam width is 0"
        "Give 1 or more."
    PROJECTIVE_CYCLE = "projective-cycle" [Value]
        "the heads have a cycle"
        "Correct the heads."
    PROJECTIVE_LABEL = "projective-label" [Value]
        "a label has the delimiter of pseudo-projective labels twice"
        "Rename the label."
    STATE_BUFFER = "state-buffer" [Runtime]
        "the buffer is empty"
        "Apply only transitions that are valid in the state."
    STATE_DOC = "state-doc" [Value]
        "the state was made without a document"
        "Make it from a Doc."
    STATE_ENTITY = "state-entity" [Runtime]
        "the state has no open entity to close"
        "Apply only transitions that are valid in the state."
    STATE_FEATURES = "state-features" [Value]
        "the number of features is not one that models have"
        "Use 1, 2, 3, 6, 8 or 13."
    STATE_LENGTH = "state-length" [Value]
        "the state has another length, or too many tokens"
        "Give documents of fewer than 2^31 tokens, and states of one length."
    STATE_STACK = "state-stack" [Runtime]
        "the stack is empty"
        "Apply only transitions that are valid in the state."
    STATE_TOKEN = "state-token" [Index]
        "no token {i} in the state"
        "Give a position below len(state)."
    TRANSITION_BYTES = "transition-bytes" [Value]
        "the bytes of a transition system are not valid"
        "Give what `to_bytes` returned."
    TRANSITION_CLASS = "transition-class" [Index]
        "no such class"
        "Give a number below n_moves."
    TRANSITION_DOC = "transition-doc" [Value]
        "the state and the document have different lengths"
        "Use the document that the state was made of."
    TRANSITION_DTYPE = "transition-dtype" [Type]
        "a scorer returned an array of another type"
        "Return float32 with a row for each state and a column for each class."
    TRANSITION_ENDLESS = "transition-endless" [Value]
        "a sequence of transitions does not end"
        "This is a bug in lexpool; please report it."
    TRANSITION_GOLD = "transition-gold" [Value]
        "the gold annotation does not fit the state"
        "Give gold annotation with one value for each token."
    TRANSITION_LABEL = "transition-label" [Type]
        "a label is neither a string nor an id"
        "Pass a str or an int."
    TRANSITION_MOVE = "transition-move" [Value]
        "no transition has this name"
        "Use one of the names that the message lists."
    TRANSITION_NAN = "transition-nan" [Value]
        "a score is not a number"
        "Check the model's weights."
    TRANSITION_ROW = "transition-row" [Value]
        "a row of scores has another length than the classes"
        "Give one score for each class."
    TRANSITION_SCORER = "transition-scorer" [Type]
        "the scorer is not callable"
        "Pass a function from features to scores, or an op."
    TRANSITION_SCORES = "transition-scores" [Value]
        "scores have another shape than states and classes"
        "Return a row for each state and a column for each class."
    TRANSITION_SYSTEM = "transition-system" [Value]
        "the kind of transition system is not known"
        "Use \"arc_eager\" or \"biluo\"."
}
