"""Methods of native classes in Python, which `py/src/runtime/python_side.rs` lists."""
