//! Codes of files, corpora, vocab images, look-up tables and the command.

super::codes! {
    // files
    COMPONENT_NAME = "component-name" [Value]
        "a component cannot be saved under its name"
        "Give it another name: `name=` of `nlp.add_pipe`, or `nlp.rename_pipe`."
    CONFIG_REFERENCE = "config-reference" [Value]
        "a reference of a configuration cannot be replaced by its value"
        "Correct the reference `${section.key}` in the key that the message names."
    CONFIG_SYNTAX = "config-syntax" [Value]
        "a configuration cannot be read"
        "Correct the line or section that the message names."
    CONFIG_VALUE = "config-value" [Value]
        "a configuration has a value of another kind than its key takes"
        "Correct the value of the section and key that the message names."
    DISK_FULL = "disk-full" [Os]
        "the disk or the quota is full"
        "Free space; the file at the target path is as it was before."
    FILE_IO = "file-io" [Os]
        "the operating system reported an error on a file"
        "Fix what the operating system reports at the end of the message, then run again."
    FILE_NOT_FOUND = "file-not-found" [Os]
        "the file does not exist"
        "Check the path; a relative path starts at the current folder."
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
        "Run again when no other program writes to the file."
    INTERRUPTED = "interrupted" [Interrupt]
        "stopped by Ctrl-C or a signal"
        "Run again; `lexpool run` keeps finished outputs and goes on with the others, and `lexpool \
         train --resume` goes on where it was stopped."
    JSON_DOC = "json-doc" [Value]
        "a line of JSON is not a document"
        "Correct the field that the message names."
    JSON_SYNTAX = "json-syntax" [Value]
        "a line is not valid JSON"
        "Correct the line and column that the message names."
    NEEDS_PYTHON = "needs-python" [Runtime]
        "the command runs in Python, and this program is without it"
        "Install the Python package, which has the same command: `pip install lexpool`."
    NO_COLUMN = "no-column" [Value]
        "the text column is not given or does not exist"
        "Name one of the columns that the message lists (`--column` of the command)."
    NO_FIELD = "no-field" [Value]
        "the text field is not given or does not exist"
        "Name one of the fields that the message lists (`--field` of the command)."
    NOT_UTF8 = "not-utf8" [Value]
        "a text is not UTF-8"
        "Convert the file to UTF-8, or replace invalid bytes: `--errors replace`."
    PARQUET_INVALID = "parquet-invalid" [Value]
        "the Parquet file is not valid"
        "Write the Parquet file again; it is damaged or of another format."
    PIPE_CLOSED = "pipe-closed" [Os]
        "the reader of a pipe closed it"
        "Ignore it if the reader had read enough, as `head` does; else see why the reader ended."
    PIPE_UNREAD = "pipe-unread" [Os]
        "nothing reads from the pipe"
        "Start the program that reads from the pipe first."
    SAVED_FORM = "saved-form" [Value]
        "a saved file, or bytes, have another form than what reads them expects"
        "Save them again; they are damaged or hold something else. The message names the part."
    SAVE_MIXED = "save-mixed" [Value]
        "the parts of a pipeline's folder are of different saves"
        "Copy or save the whole folder again; remove its file `written-together` if the parts were put \
         together on purpose."
    SAVE_REPLACED = "save-replaced" [Os]
        "a pipeline's folder was replaced while it was loaded"
        "Load it again when no other program saves to the folder."
    STRINGS_JSON = "strings-json" [Value]
        "the file is not a JSON list of strings"
        "Give a list such as `[\"apple\", \"pear\"]`."

    // the command and its runs
    NO_PATTERNS = "no-patterns" [Value]
        "the file has no patterns"
        "Give a file with one pattern in JSON on each line."
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
        "Wait until the other run ends, or give another output folder."
    SHARDS_FAILED = "shards-failed" [Value]
        "some inputs failed"
        "Fix what the messages above report, then run the command again; it retries only the \
         inputs that failed."
    STOPPED = "stopped" [Interrupt]
        "the work was stopped because another part of it failed"
        "Fix the first error; it stopped the other parts of the work."
    TERMINATED = "terminated" [Interrupt]
        "stopped by SIGTERM, as `kill` and container managers send it"
        "Run again; `lexpool run` keeps finished outputs and goes on with the others, and `lexpool \
         train --resume` goes on where it was stopped."
    THREADS = "threads" [Memory]
        "the operating system did not start a thread"
        "Ask for fewer threads, or raise the limit of processes (`ulimit -u`)."
    WORKER_LOST = "worker-lost" [Runtime]
        "a worker thread ended early"
        "Report it; this is a bug in lexpool."

    // Arrow
    ARROW_COLUMNS = "arrow-columns" [Value Runtime]
        "a column of tokens to add is not known, is named twice, or is set by no component"
        "Use each of the columns that the message lists at most once; add a component that sets \
         the column; report a message that says it is a bug in lexpool."
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
        "Name a column of strings that the message lists."
    ARROW_TOO_LONG = "arrow-too-long" [Value]
        "strings do not fit the requested Arrow type"
        "Request large_utf8, or no schema."
    ARROW_TOO_MANY = "arrow-too-many" [Value]
        "a batch would have more rows than Arrow can index"
        "Take fewer documents or rows at once."

    // containers
    CONTAINER_CHECKSUM = "container-checksum" [Value]
        "a checksum of the file does not match"
        "Copy the file again, or write it again; it was changed or damaged."
    CONTAINER_ENDIAN = "container-endian" [Value]
        "this machine is big-endian; arrays in files are little-endian"
        "Save in a format of spaCy's (`to_disk`, `to_bytes`), or use a little-endian machine."
    CONTAINER_KIND = "container-kind" [Value]
        "the file is of another kind"
        "Give a file of the kind that the message names."
    CONTAINER_TABLE = "container-table" [Value]
        "the table of the file's sections is not valid"
        "Write the file again; it was changed or damaged."
    CONTAINER_TRUNCATED = "container-truncated" [Value]
        "the file has another size than its header says"
        "Copy the file again, or write it again; it was cut or lengthened."
    CONTAINER_VERSION = "container-version" [Value]
        "the file was written by another version of lexpool"
        "Update lexpool, or write the file again with this version."

    // corpus
    COLUMN_TYPE = "column-type" [Value]
        "a column does not have strings"
        "Name a column of strings that the message lists."
    CORPUS_BATCH = "corpus-batch" [Value]
        "a batch of the corpus is damaged"
        "Write the corpus again; `lexpool corpus verify` names each damaged batch."
    CORPUS_BROKEN = "corpus-broken" [Value]
        "`lexpool corpus verify` found damaged files"
        "Write the files again that the messages above name."
    CORPUS_CATS = "corpus-cats" [Value]
        "the categories of a document are not a dict from strings to numbers"
        "Set `doc.cats` to a dict from strings to numbers."
    CORPUS_CHECKSUM = "corpus-checksum" [Value]
        "a part of the corpus has another checksum than the one it was written with"
        "Write the corpus again; the file was changed or damaged."
    CORPUS_COLUMN = "corpus-column" [Value]
        "a column of a corpus does not exist or is not valid"
        "Use one of the columns or types that the message lists; give a new column a name of its \
         own and one value for each document."
    CORPUS_DOCUMENT = "corpus-document" [Value]
        "a document of the corpus is not valid"
        "Write the corpus again; the file is damaged."
    CORPUS_FOOTER = "corpus-footer" [Value Runtime]
        "the footer of the corpus is not valid"
        "Write the corpus again; the file is truncated or damaged."
    CORPUS_INDEX = "corpus-index" [Index]
        "no document {i} in the corpus"
        "Give a position from 0 to len(corpus) - 1."
    CORPUS_LEXICON = "corpus-lexicon" [Value]
        "the lexicon of the corpus is not valid"
        "Write the corpus again; the file is damaged."
    CORPUS_MAGIC = "corpus-magic" [Value]
        "the file is not a corpus"
        "Convert the file: `lexpool corpus convert`."
    CORPUS_MERGE = "corpus-merge" [Value]
        "the corpora cannot be merged"
        "Give at least one corpus, and corpora with the same columns."
    CORPUS_SCHEMA = "corpus-schema" [Value]
        "the Arrow file has other columns than a corpus, or other types"
        "Convert its documents: `lexpool corpus convert`."
    CORPUS_SEAL = "corpus-seal" [Value]
        "the corpus was not finished, or its end was changed"
        "Write the corpus again; a writer finishes it when it is closed."
    CORPUS_TOO_MANY = "corpus-too-many" [Value]
        "a batch of the corpus is too large"
        "Write fewer documents into one batch."
    CORPUS_TRUNCATED = "corpus-truncated" [Value]
        "the corpus is truncated"
        "Write the corpus again; the file is incomplete."
    CORPUS_VERSION = "corpus-version" [Value]
        "the corpus was written by a newer lexpool"
        "Update lexpool to the version that the message names."
    FILE_FORM = "file-form" [Value]
        "the ending of a file's name does not tell its format"
        "Name the file with the ending .corpus, .spacy, .conllu or .jsonl."

    // vocab images
    IMAGE_INDEX = "image-index" [Value]
        "the hash index of the vocab image is damaged"
        "Save the vocab again (`Vocab.save`); the file was changed or damaged."
    IMAGE_LEXEMES = "image-lexemes" [Value]
        "the lexemes of the vocab image are damaged"
        "Save the vocab again (`Vocab.save`); the file was changed or damaged."
    IMAGE_LIMIT = "image-limit" [Value Overflow]
        "the vocab does not fit an image"
        "Save with `Vocab.to_disk`, or keep fewer words; an image has fewer than 2^30 strings."
    IMAGE_MEMORY = "image-memory" [Memory]
        "the vocab image does not fit in memory"
        "Open the file by its path, which maps it into memory (`Vocab.open`)."
    IMAGE_META = "image-meta" [Value]
        "the settings in the vocab image are not valid"
        "Save the vocab again (`Vocab.save`); the file was changed or damaged."
    IMAGE_SECTION = "image-section" [Value]
        "the sections of the vocab image do not fit each other"
        "Save the vocab again (`Vocab.save`); the file was changed or damaged."
    IMAGE_STRINGS = "image-strings" [Value]
        "the strings of the vocab image are damaged"
        "Save the vocab again (`Vocab.save`); the file was changed or damaged."
    IMAGE_VECTORS = "image-vectors" [Value]
        "the vectors in the vocab image are not valid"
        "Save the vocab again (`Vocab.save`); the file was changed or damaged."

    // look-up tables
    LOOKUPS_JSON = "lookups-json" [Value]
        "the file of a look-up table is not a JSON object of values by words"
        "Correct or remove the file that the message names, or install its package again."
    LOOKUPS_LIMIT = "lookups-limit" [Overflow]
        "a look-up table is too large for a file, or its name is taken"
        "Divide the table, or give it another name."
    LOOKUPS_MANIFEST = "lookups-manifest" [Value]
        "the manifest of the file of look-up tables is damaged"
        "Build the file again (`lexpool lookups build`); it was changed or damaged."
    LOOKUPS_TABLE = "lookups-table" [Value]
        "a look-up table in a file is damaged"
        "Build the file again (`lexpool lookups build`); `lexpool lookups info --verify` checks it."

    // MessagePack
    MSGPACK_ARRAY = "msgpack-array" [Value]
        "a map that stands for a NumPy array is not valid"
        "Write the data again by `srsly` or lexpool; they are damaged or of another origin."
    MSGPACK_DEPTH = "msgpack-depth" [Value]
        "lists and maps are nested too deeply"
        "Nest fewer lists and dicts in each other."
    MSGPACK_FORMAT = "msgpack-format" [Value]
        "the bytes are not MessagePack"
        "Write the data again; they are damaged or hold something else."
    MSGPACK_RANGE = "msgpack-range" [Overflow]
        "an integer does not fit in 64 bits"
        "Store the integer as a string."
    MSGPACK_SIZE = "msgpack-size" [Value]
        "a value is too long for MessagePack"
        "Split the value; strings, lists and dicts have at most 2^32 - 1 items."
    MSGPACK_TRUNCATED = "msgpack-truncated" [Value]
        "the message is truncated"
        "Write the data again; they are incomplete."
    MSGPACK_TYPE = "msgpack-type" [Value Type]
        "a value of another type is expected, or the type has no form in MessagePack"
        "Use strings, numbers, bytes, lists, dicts and NumPy arrays."
}
