//! Codes of documents, strings, vectors, transition systems and the forms in which documents are
//! saved.

super::codes! {
    // documents
    ATTR_READ_ONLY = "attr-read-only" [Value]
        "the attribute of a lexeme is read-only"
        "Set another attribute; a word keeps its text and its length."
    ATTRIBUTE_VALUE = "attribute-value" [Value]
        "an attribute of a token has an impossible value"
        "Write the bytes again, with the attributes that they are read with."
    BUFFER_ORDER = "buffer-order" [Type]
        "numbers are in another byte order than this machine's"
        "Convert the array: `array.astype(array.dtype.newbyteorder(\"=\"))`."
    DOC_BYTES = "doc-bytes" [Value]
        "the bytes are not a document"
        "Pass what `Doc.to_bytes` returned."
    EDIT_IOB = "edit-iob" [Value]
        "an edit leaves a token inside an entity that has no beginning"
        "Mark the first token of each entity as its beginning (IOB value 3) as well."
    EDIT_STALE = "edit-stale" [Value]
        "the records belong to another document, or tokens were merged or split since"
        "Take a new lease (`doc.c.writable()`) or a new copy of the records."
    EDIT_TOKEN = "edit-token" [Value]
        "an edit changed a field that must not change"
        "Change only annotation, such as sentence starts, entities, tags and heads; make a new Doc \
         for other words or spaces."
    FEATS_SYNTAX = "feats-syntax" [Value]
        "morphological features are not valid"
        "Write them in the form \"Case=Nom|Number=Sing\"."
    OUT_OF_MEMORY = "out-of-memory" [Memory]
        "not enough memory"
        "Use smaller parts, or a machine with more memory."
    SPAN_GROUP = "span-group" [Value]
        "the bytes are not span groups"
        "Pass what `SpanGroup.to_bytes` or `SpanGroups.to_bytes` returned."
    SPLIT_ATTRS = "split-attrs" [Value]
        "an attribute of a split has a string, or more values than parts"
        "Give a list with at most one value for each part."
    STALE_PLAN = "stale-plan" [Runtime]
        "the plan was made for tokens that were merged or split since"
        "Begin a new retokenization and repeat its merges and splits."
    TENSOR_SHAPE = "tensor-shape" [Value]
        "a tensor has another shape than expected"
        "Give a row of numbers for each token, all rows of one width."
    UNKNOWN_ID = "unknown-id" [Value]
        "an id has no string in the bytes or in the vocab"
        "Load the vocab's strings first, or write the documents together with their strings."
    TOO_MANY_WORDS = "too-many-words" [Overflow]
        "two tokenizations have too many words to align"
        "Align shorter texts."

    // strings and vocab
    GETTERS_MISSING = "getters-missing" [Runtime]
        "a new word needs the getters of attributes, which were not loaded"
        "Set `vocab.lex_attr_getters` as they were when the vocab was saved."
    HASH_COLLISION = "hash-collision" [Value]
        "two strings have the same id"
        "Change one of the strings, or make the store count collisions: \
         `strings.set_strict(False)`."
    SEGMENT_DICTIONARY = "segment-dictionary" [Value]
        "the dictionary of a segmenter is damaged"
        "Install the package that the dictionary is from again, or correct the file that the message names."
    SEGMENT_RANGE = "segment-range" [Value]
        "a segmenter returned a range that is no segment of the text"
        "Correct the segmenter: its segments are in order, do not overlap, and split no character."
    SEGMENTER_DATA = "segmenter-data" [Value]
        "the data of a segmenter is missing"
        "Install the package that the message names, or give the path of the data."
    SEGMENTER_RULES = "segmenter-rules" [Value]
        "a tokenizer with a segmenter has no rules and no special cases"
        "Make a tokenizer with rules, or correct tokens by `doc.retokenize()`."
    TOO_MANY_NORMS = "too-many-norms" [Overflow]
        "special cases have too many norms"
        "Use fewer different norms."
    TOO_MANY_STRINGS = "too-many-strings" [Overflow]
        "the store has 2^32 strings"
        "Use several vocabs, or drop words by memory zones (`nlp.memory_zone()`)."
    UNKNOWN_LANGUAGE = "unknown-language" [Value]
        "lexpool has no tokenizer rules for the language"
        "Use a code that the message lists; \"xx\" has rules for any language. \
         `Tokenizer.from_spacy` takes over spaCy's tokenizers."
    LANG_SYNTAX = "lang-syntax" [Value]
        "a data file of a language has an error"
        "Report it; this is a bug in lexpool."
    VOCAB_FROZEN = "vocab-frozen" [Runtime]
        "the vocab is frozen and takes no new words"
        "Open a memory zone (`nlp.memory_zone()`) for text with new words, or add the words before \
         `vocab.freeze()`."

    // lemmatizer and components
    EDIT_TREE_SIZE = "edit-tree-size" [Value]
        "an edit tree, or what it gives, is too large"
        "Use shorter forms and lemmas; an edit tree has at most 65,536 nodes."
    LEMMA_TABLE = "lemma-table" [Value]
        "a table of the lemmatizer is not valid"
        "Correct the table that the message names, or load the tables of spacy-lookups-data."
    COMPONENT_PANIC = "component-panic" [Runtime]
        "a component panicked"
        "Report it to the author of the component; this is a bug in the component."

    // vectors
    VECTORS_MEMORY = "vectors-memory" [Memory]
        "the vectors do not fit in memory, or have too many rows"
        "Use fewer rows or a smaller width, or open a vocab file with vectors, which is \
         memory-mapped (`Vocab.open`)."
    VECTORS_NPY = "vectors-npy" [Value]
        "the file is not a 2-D .npy array"
        "Save a 2-D array with `numpy.save`."
    VECTORS_ROW = "vectors-row" [Value Index Key]
        "no such row in the vectors table, or the row has no key"
        "Give a row below `len(vectors)` that has a key."
    VECTORS_SETTINGS = "vectors-settings" [Value]
        "the settings of the vectors are not valid"
        "Save the vectors again with `vectors.to_disk` or `vectors.to_bytes`."
    VECTORS_SHAPE = "vectors-shape" [Value]
        "a vector or an array has another shape than expected"
        "Give vectors of the table's width, in rows of one length."
    VECTORS_TRUNCATED = "vectors-truncated" [Value]
        "the array is truncated"
        "Save the vectors again; the file is incomplete."
    VECTORS_TYPE = "vectors-type" [Value]
        "the array has a type that vectors cannot have"
        "Convert it: `array.astype(\"float32\")`."

    // Bloom filters
    BLOOM_BYTES = "bloom-bytes" [Value]
        "the bytes are not a Bloom filter"
        "Write the filter again; the bytes are damaged or hold something else."
    BLOOM_SIZE = "bloom-size" [Value]
        "the size of a Bloom filter is out of range"
        "Give at least one member and an error rate between 0 and 1, or fewer members."
    ARROW_BATCHES = "arrow-batches" [Value]
        "an Arrow array was requested from a stream of several batches"
        "Read the batches one by one as a stream, or make a single batch."

    // CoNLL-U
    CONLLU_IDS = "conllu-ids" [Type]
        "the ids in `doc.user_data[\"conllu\"]` have a wrong type"
        "Set `doc.user_data[\"conllu\"]` to `{\"id\": ..., \"sent_ids\": [...]}`; each id is a str \
         or None."
    CONLLU_SENTENCES = "conllu-sentences" [Value]
        "n_sents is 0"
        "Give an `n_sents` of 1 or more, or leave it out."
    CONLLU_SYNTAX = "conllu-syntax" [Value]
        "a line of CoNLL-U is not valid"
        "Correct the line and column that the message names."

    // converters
    CONVERT_JSON = "convert-json" [Value]
        "a file is not the JSON that spaCy 2 trained with"
        "Correct the value that the message names; the file is a list of documents with paragraphs, \
         sentences and tokens."
    CONVERT_SYNTAX = "convert-syntax" [Value]
        "a line of an annotated file cannot be converted"
        "Correct the line that the message names, or name another converter (`-c`)."

    // DocBin
    CHECKSUM = "checksum" [Value]
        "the bytes have another checksum than the one they were written with"
        "Write the file again; it was changed or damaged."
    DOCBIN_ATTRS = "docbin-attrs" [Value]
        "the attributes of a DocBin are not valid"
        "Write the DocBin again; the bytes are damaged."
    DOCBIN_INDEX = "docbin-index" [Index]
        "document {i} is outside of the DocBin, which has {len}"
        "Give a position below len(doc_bin)."
    DOCBIN_LENGTHS = "docbin-lengths" [Value]
        "the lengths of a DocBin do not fit its rows"
        "Write the DocBin again; the bytes are damaged."
    DOCBIN_PARTS = "docbin-parts" [Value]
        "a part of the DocBin is missing"
        "Write the DocBin again; the bytes are damaged or are not a DocBin."
    DOCBIN_SPACES = "docbin-spaces" [Value]
        "the spaces of a DocBin are not 0 or 1"
        "Write the DocBin again; the bytes are damaged."
    DOCBIN_STRINGS = "docbin-strings" [Value]
        "the strings of a DocBin are not valid"
        "Write the DocBin again; the bytes are damaged, or a word has 4 GiB or more."
    DOCBIN_USER_DATA = "docbin-user-data" [Value Type]
        "user data of a document is not valid"
        "Set `doc.user_data` to a dict of strings, numbers, lists and dicts."
    ZLIB_LIMIT = "zlib-limit" [Value]
        "compressed data inflate beyond the limit"
        "Raise the limit if you trust the file: `max_bytes=` of `DocBin.from_bytes` and \
         `from_disk`, `--max-bytes` of `lexpool corpus`."
    ZLIB_MESSAGE = "zlib-message" [Value]
        "the inflated data are not a DocBin"
        "Pass what `DocBin.to_bytes` returned, or a file that `DocBin.to_disk` wrote."

    // transition systems
    BEAM_DENSITY = "beam-density" [Value]
        "the beam density is outside of 0 to 1"
        "Give a density from 0 to 1."
    BEAM_EMPTY = "beam-empty" [Value]
        "no parse of the beam has a valid transition"
        "Check that the labels of the gold annotation were added, or use a wider beam."
    BEAM_WIDTH = "beam-width" [Value]
        "the beam width is less than 1 or above its limit"
        "Give a width from 1 to 1024."
    PROJECTIVE_CYCLE = "projective-cycle" [Value]
        "the heads have a cycle"
        "Correct the heads, so that each chain of heads ends at a root."
    PROJECTIVE_LABEL = "projective-label" [Value]
        "a label has the delimiter of pseudo-projective labels twice"
        "Rename the label, so that it has \"||\" at most once."
    PROJECTIVE_LIMIT = "projective-limit" [Value]
        "the search for the heads of lifted arcs takes too many steps"
        "Divide the document, or set heads without cycles and crossing arcs."
    STATE_BUFFER = "state-buffer" [Runtime]
        "the buffer is empty"
        "Apply only transitions that are valid in the state."
    STATE_DOC = "state-doc" [Value]
        "the state was made without a document"
        "Make the state from a Doc: `StateClass(doc)`."
    STATE_ENTITY = "state-entity" [Runtime]
        "the state has no open entity to close"
        "Apply only transitions that are valid in the state."
    STATE_FEATURES = "state-features" [Value]
        "the number of features is not one that models have"
        "Use 1, 2, 3, 6, 8 or 13."
    STATE_LENGTH = "state-length" [Value]
        "the state has another length, or too many tokens"
        "Give documents of fewer than 2^31 tokens, and copy states of one length only."
    STATE_STACK = "state-stack" [Runtime]
        "the stack is empty"
        "Apply only transitions that are valid in the state."
    STATE_TOKEN = "state-token" [Index]
        "no token {i} in the state"
        "Give a position below len(state)."
    TRANSITION_BYTES = "transition-bytes" [Value]
        "the bytes of a transition system are not valid"
        "Pass what the transition system's `to_bytes` returned, or leave out the part that the \
         message names by `exclude`."
    TRANSITION_CLASS = "transition-class" [Index]
        "no class has this number"
        "Give a class from 0 to `n_moves - 1`."
    TRANSITION_DOC = "transition-doc" [Value]
        "the state and the document have different lengths"
        "Use the document that the state was made from."
    TRANSITION_DTYPE = "transition-dtype" [Type]
        "a scorer returned an array of another type"
        "Return float32 with a row for each state and a column for each class."
    TRANSITION_ENDLESS = "transition-endless" [Value]
        "a sequence of transitions does not end"
        "Report it; this is a bug in lexpool."
    TRANSITION_GOLD = "transition-gold" [Value]
        "the gold annotation does not fit the state"
        "Give gold annotation with one value for each token, and one for each state."
    TRANSITION_LABEL = "transition-label" [Type]
        "a label is neither a string nor an id"
        "Pass a str or an int."
    TRANSITION_MOVE = "transition-move" [Value]
        "the name of a transition does not begin with the name of a move"
        "Begin the name with a move that the message lists, such as \"L-nsubj\"."
    TRANSITION_NAN = "transition-nan" [Value]
        "a score is not a number"
        "Check the weights and inputs of the model that computes the scores."
    TRANSITION_ROW = "transition-row" [Value]
        "a row of scores has another length than the classes"
        "Give one score for each class."
    TRANSITION_SCORER = "transition-scorer" [Type]
        "the scorer is not callable"
        "Pass a function from features to scores, or an op."
    TRANSITION_SCORES = "transition-scores" [Value]
        "scores have another shape than states and classes"
        "Return scores with a row for each state and a column for each class."
    TRANSITION_SYSTEM = "transition-system" [Value]
        "the kind of transition system is not known"
        "Use \"arc_eager\" or \"ner\"."
}
