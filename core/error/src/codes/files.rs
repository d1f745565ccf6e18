//! Codes of files, corpora, vocab images and the command.

super::codes! {
    // files
    COMPONENT_NAME = "component-name" [Value]
        "a component cannot be saved under its name"
        "Rename it: `nlp.rename_pipe`."
    DISK_FULL = "disk-full" [Os]
        "the disk or the quota is full"
        "Free space; the file at the target path is as it was before."
    FILE_IO = "file-io" [Os]
        "the operating system reported an error on a file"
        "See the cause in the message."
    FILE_NOT_FOUND = "file-not-found" [Os]
        "the file does not exist"
        "Check the path."
    FILE_PERMISSION = "file-permission" [Os]
        "no permission for the file"
        "Check the owner and mode of the file and its folder."
    FILE_TOO_LARGE = "file-too-large" [Os]
        "the file exceeds the largest size allowed here"
        "Raise the limit (`ulimit -f`) or write smaller parts."
    FOLDER_LINK = "folder-link" [Os]
        "a part of a folder to save is a symbolic link"
        "Remove the link, or save to another folder."
    INPUT_CHANGED = "input-changed" [Os]
        "an input was changed while it was read"
        "Run again when nothing writes to the file."
    INTERRUPTED = "interrupted" [Interrupt]
        "stopped by Ctrl-C or a signal"
        "Run again; finished outputs are kept."
    JSON_DOC = "json-doc" [Value]
        "a line of JSON is not a document"
        "Correct the field that the message names."
    JSON_SYNTAX = "json-syntax" [Value]
        "a line is not valid JSON"
        "Correct the line and column that the message names."
    NO_COLUMN = "no-column" [Value]
        "the text column is not given or does not exist"
        "Name one of the columns that the message lists."
    NO_FIELD = "no-field" [Value]
        "the text field is not given or does not exist"
        "Name one of the fields that the message lists."
    NOT_UTF8 = "not-utf8" [Value]
        "a text is not UTF-8"
        "Convert the file, or pass the option that replaces invalid bytes."
    PARQUET_INVALID = "parquet-invalid" [Value]
        "the Parquet file is not valid"
        "Write the file again."
    PIPE_CLOSED = "pipe-closed" [Os]
        "the reader of a pipe closed it"
        "Not an error if the reader had enough, as `head` has."
    PIPE_UNREAD = "pipe-unread" [Os]
        "nothing reads from the pipe"
        "Start the reader first."
    STRINGS_JSON = "strings-json" [Value]
        "the file is not a JSON list of strings"
        "Give a list such as `[\"apple\", \"pear\"]`."

    // the command and its runs
    NO_PATTERNS = "no-patterns" [Value]
        "the file has no patterns"
        "Give a file with a pattern in each line."
    PATTERN_SYNTAX = "pattern-syntax" [Value]
        "a file of patterns has errors"
        "Correct the lines and fields that the message lists."
    PIPELINE_SYNTAX = "pipeline-syntax" [Value]
        "a file that describes a pipeline has errors"
        "Correct the line that the message names."
    RUN_LINK = "run-link" [Runtime]
        "the folder of a run's manifest is a symbolic link"
        "Remove the link, or give another output folder."
    RUN_LOCKED = "run-locked" [Runtime]
        "another run writes to the same folder"
        "Wait for it, or give another output folder."
    SHARDS_FAILED = "shards-failed" [Value]
        "some inputs failed"
        "See the messages above; run the command again to retry only those."
    STOPPED = "stopped" [Interrupt]
        "the work was stopped because another part of it failed"
        "See the first error."
    THREADS = "threads" [Memory]
        "the operating system did not start a thread"
        "Give a lower number of threads, or raise the limit of the user's processes."
    WORKER_LOST = "worker-lost" [Runtime]
        "a worker thread ended early"
        "This is a bug in lexpool; please report it."

    // Arrow
    ARROW_COLUMNS = "arrow-columns" [Value Runtime]
        "a column of tokens to add is not known, or is named twice"
        "Use the columns that the message lists."
    ARROW_INVALID = "arrow-invalid" [Value]
        "an array does not follow the Arrow specification"
        "Validate the array where it was made (`array.validate(full=True)`)."
    ARROW_SCHEMA = "arrow-schema" [Value]
        "the requested schema does not fit the table"
        "Request the columns that the message lists, in the same types or their large forms."
    ARROW_STRINGS = "arrow-strings" [Value]
        "a column to read strings from does not exist or has another type"
        "Name a column of strings, or of lists of strings."
    ARROW_TEXT_COLUMN = "arrow-text-column" [Value]
        "the text column does not have strings"
        "Name a column of strings."
    ARROW_TOO_LONG = "arrow-too-long" [Value]
        "strings do not fit the requested Arrow type"
        "Request large_utf8, or no schema."
    ARROW_TOO_MANY = "arrow-too-many" [Value]
        "a batch would have more rows than Arrow can index"
        "Take fewer documents at once."

    // corpus
    COLUMN_TYPE = "column-type" [Value]
        "a column does not have strings"
        "Name a column of strings."
    CORPUS_BATCH = "corpus-batch" [Value]
        "a batch of the corpus is damaged"
        "Write the corpus again; `lexpool corpus check` names every damaged batch."
    CORPUS_BROKEN = "corpus-broken" [Value]
        "a check of corpora found damaged files"
        "Write the files again that the report names."
    CORPUS_CATS = "corpus-cats" [Value]
        "the categories of a document are not a dict from strings to numbers"
        "Set `doc.cats` to such a dict."
    CORPUS_CHECKSUM = "corpus-checksum" [Value]
        "a part of the corpus has another checksum than the one it was written with"
        "The file was changed or damaged; write it again."
    CORPUS_COLUMN = "corpus-column" [Value]
        "an extension column of a corpus is not valid"
        "Give one value of one type for each document, under a name of its own."
    CORPUS_DOCUMENT = "corpus-document" [Value]
        "a document of the corpus is not valid"
        "Write the corpus again."
    CORPUS_FOOTER = "corpus-footer" [Value Runtime]
        "the footer of the corpus is not valid"
        "The file is truncated or damaged; write it again."
    CORPUS_INDEX = "corpus-index" [Index]
        "no document {i} in the corpus"
        "Give a position from 0 to len(corpus) - 1."
    CORPUS_LEXICON = "corpus-lexicon" [Value]
        "the lexicon of the corpus is not valid"
        "Write the corpus again."
    CORPUS_MAGIC = "corpus-magic" [Value]
        "the file is not a corpus"
        "Convert it: `lexpool corpus convert`."
    CORPUS_MERGE = "corpus-merge" [Value]
        "the corpora cannot be merged"
        "Give at least one corpus, and corpora with the same columns."
    CORPUS_SCHEMA = "corpus-schema" [Value]
        "the Arrow file has other columns than a corpus"
        "Convert its documents: `lexpool corpus convert`."
    CORPUS_SEAL = "corpus-seal" [Value]
        "the corpus was not finished, or its end was changed"
        "Write it again; a writer finishes a corpus when it is closed."
    CORPUS_TOO_MANY = "corpus-too-many" [Value]
        "a batch of the corpus is too large"
        "Write fewer documents in a batch."
    CORPUS_TRUNCATED = "corpus-truncated" [Value]
        "the corpus is truncated"
        "Write it again."
    CORPUS_VERSION = "corpus-version" [Value]
        "the corpus was written by a newer lexpool"
        "Update lexpool to the version that the message names."
    FILE_FORM = "file-form" [Value]
        "the form of a file cannot be told from its name"
        "Name the file .corpus, .spacy, .conllu or .jsonl."

    // vocab images
    IMAGE_CHECKSUM = "image-checksum" [Value]
        "a section of the vocab image has another checksum than the one it was written with"
        "The file was changed or damaged; save the vocab again."
    IMAGE_ENDIAN = "image-endian" [Value]
        "this machine is big-endian"
        "Vocab images are little-endian; use `Vocab.to_disk`."
    IMAGE_INDEX = "image-index" [Value]
        "the hash index of the vocab image is damaged"
        "Save the vocab again."
    IMAGE_LEXEMES = "image-lexemes" [Value]
        "the lexemes of the vocab image are damaged"
        "Save the vocab again."
    IMAGE_LIMIT = "image-limit" [Value Overflow]
        "the vocab does not fit an image"
        "An image has fewer than 2^30 strings."
    IMAGE_MAGIC = "image-magic" [Value]
        "the file is not a vocab image"
        "Give a file that `Vocab.save` wrote."
    IMAGE_MEMORY = "image-memory" [Memory]
        "the vocab image does not fit in memory"
        "Map it from a file instead of bytes."
    IMAGE_META = "image-meta" [Value]
        "the settings in the vocab image are not valid"
        "Save the vocab again."
    IMAGE_SECTION = "image-section" [Value]
        "the section table of the vocab image is not valid"
        "Save the vocab again."
    IMAGE_STRINGS = "image-strings" [Value]
        "the strings of the vocab image are damaged"
        "Save the vocab again."
    IMAGE_TRUNCATED = "image-truncated" [Value]
        "the vocab image is truncated"
        "Save the vocab again."
    IMAGE_VECTORS = "image-vectors" [Value]
        "the vectors in the vocab image are not valid"
        "Save the vocab again."
    IMAGE_VERSION = "image-version" [Value]
        "the vocab image was written by a newer lexpool"
        "Update lexpool to the version that the message names."

    // MessagePack
    MSGPACK_ARRAY = "msgpack-array" [Value]
        "a map that stands for a NumPy array is not valid"
        "The data are damaged, or were not written by `srsly` or lexpool."
    MSGPACK_DEPTH = "msgpack-depth" [Value]
        "lists and maps are nested too deeply"
        "Flatten the value."
    MSGPACK_FORMAT = "msgpack-format" [Value]
        "the bytes are not MessagePack"
        "The data are damaged or hold something else."
    MSGPACK_RANGE = "msgpack-range" [Overflow]
        "an integer does not fit in 64 bits"
        "Store it as a string."
    MSGPACK_SIZE = "msgpack-size" [Value]
        "a value is too long for MessagePack"
        "Split it."
    MSGPACK_TRUNCATED = "msgpack-truncated" [Value]
        "the message is truncated"
        "The data are damaged; write them again."
    MSGPACK_TYPE = "msgpack-type" [Value Type]
        "a value of another type is expected, or the type has no form in MessagePack"
        "Use strings, numbers, bytes, lists, dicts and NumPy arrays."
}
