//! Codes of ops, plugins, memory and zones.

super::codes! {
    // ops and plugins
    OP_ARGUMENT = "op-argument" [Type]
        "an argument of an op has a wrong type"
        "Pass the types of the op's signature: `lexpool.ops.NAME.__doc__`."
    OP_ARGUMENTS = "op-arguments" [Value]
        "an op was called with too many arguments"
        "Pass the arguments of the op's signature: `lexpool ops NAME` shows it."
    OP_ARITY = "op-arity" [Type]
        "an op was called with a wrong number of arguments"
        "Pass the arguments of the op's signature: `lexpool.ops.NAME.__doc__`."
    OP_COMPONENT = "op-component" [Type]
        "the op cannot be a component"
        "Use an op that takes a Doc and needs no other argument."
    OP_DEFAULT = "op-default" [Value]
        "a default of an op's parameter is not valid"
        "Correct the default in the declaration of the op that the message names."
    OP_DUPLICATE = "op-duplicate" [Value]
        "an op or type of this name exists already"
        "Choose another name, or override the op with `lexpool.ops.override`."
    OP_FAILED = "op-failed" [Runtime]
        "an op failed without a code or a reason"
        "See the documentation of the library that registered the op, or report it to its author."
    OP_KEY = "op-key" [Value]
        "this machine cannot run kernels of the key"
        "Use one of the keys of `lexpool.ops.kernels()`."
    OP_LOST = "op-lost" [Runtime]
        "a thread of `map` ended early"
        "Report it; this is a bug in lexpool."
    OP_MAP = "op-map" [Type]
        "an op that writes records cannot be mapped"
        "Call it for one document at a time."
    OP_NAME = "op-name" [Value]
        "the name of an op is not valid"
        "Use a name such as `text.edit_distance`."
    OP_NULL = "op-null" [Value]
        "a plugin passed a null pointer"
        "Correct the plugin: pass valid addresses only."
    OP_OVERFLOW = "op-overflow" [Overflow]
        "an integer does not fit in 64 bits"
        "Pass a smaller number."
    OP_OVERLAP = "op-overlap" [Value]
        "two arguments share memory, and one of them is written"
        "Pass a copy of one of them."
    OP_PANIC = "op-panic" [Runtime]
        "an op panicked"
        "Report it to the author of the op; this is a bug in the op."
    OP_REMOVED = "op-removed" [Runtime]
        "the op was removed"
        "Register the op again."
    OP_RESULT = "op-result" [Type Value]
        "an op returned a value of another type than it declares"
        "Correct the op or the override, so that it returns the type of its signature."
    OP_SHAPE = "op-shape" [Value]
        "numbers do not fill the shape of an array"
        "Give as many numbers as the shape has."
    OP_SIGNATURE = "op-signature" [Type]
        "an op has another signature than the one asked for"
        "Use the signature that the message shows."
    OP_SIZE = "op-size" [Overflow Memory]
        "a value is too large to cross a call"
        "Pass at most 4 GiB or 2^32 items."
    OP_TYPE = "op-type" [Value]
        "the declaration names an unknown type"
        "Use a type such as `list[int] | None`."
    OP_UNKNOWN = "op-unknown" [Key]
        "no op has this name"
        "Use one of `lexpool.ops.names()`."
    OP_UNTYPED = "op-untyped" [Runtime]
        "an op from C has no typed entry in Rust"
        "Call the op with values (`Op::call`); it has no typed function."
    PLUGIN_CHANGED = "plugin-changed" [Import]
        "the file of a loaded plugin was replaced"
        "Start a new process."
    PLUGIN_NAMESPACE = "plugin-namespace" [Import]
        "the plugin of an entry point has its ops in another namespace"
        "Name the entry point after the namespace of the plugin's ops."
    PLUGIN_OPEN = "plugin-open" [Import]
        "the library cannot be opened"
        "Check that the file is a shared library built for this system."
    PLUGIN_PATH = "plugin-path" [Import]
        "an entry point of a plugin does not lead to the path of a library"
        "Correct the entry point of the package, so that it leads to the path of a shared library."
    PLUGIN_REFUSED = "plugin-refused" [Import]
        "a plugin's declarations are not valid"
        "Correct in the plugin what the message names."
    PLUGIN_SYMBOL = "plugin-symbol" [Import]
        "the library is not a plugin"
        "Export the entry symbol that the message names."
    PLUGIN_VERSION = "plugin-version" [Import]
        "the plugin was built for another version of lexpool"
        "Build the plugin against this lexpool, or update lexpool."
    PYTHON_CALLBACK = "python-callback" [Value Runtime]
        "a Python function that lexpool called raised an exception"
        "Fix the exception of the function, which is the cause of this one."
    PYTHON_ENDED = "python-ended" [Runtime]
        "a Python function was called after the interpreter had ended"
        "Stop threads before the interpreter ends."

    // memory, zones and processes
    FORKED = "forked" [Runtime]
        "a child process was forked while the call waited for threads"
        "Use the spawn start method, or fork before the call."
    FREE_THREADED = "free-threaded" [Import]
        "lexpool has no build for free-threaded Python"
        "Use an interpreter with the GIL, such as `python3.13` in place of `python3.13t`."
    POOL_FULL = "pool-full" [Memory]
        "a structure reached its largest number of items"
        "Divide the items among several structures."
    POOL_OUT_OF_MEMORY = "pool-out-of-memory" [Memory]
        "not enough memory"
        "Use smaller parts, or a machine with more memory."
    POOL_SIZE_OVERFLOW = "pool-size-overflow" [Memory]
        "a size does not fit in memory"
        "Give a smaller size."
    SECOND_INTERPRETER = "second-interpreter" [Import]
        "lexpool was imported in a subinterpreter"
        "Use threads, which lexpool runs without the GIL, or processes."
    ZONE_CLOSED = "zone-closed" [Runtime]
        "the memory zone is not open"
        "Use objects that were made in a zone before the zone ends."
    ZONE_OPEN = "zone-open" [Runtime]
        "a memory zone is open already"
        "Close it first; zones do not nest."
}
