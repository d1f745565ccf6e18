"""The subcommands of `lexpool` that are written in Python; the others are in Rust."""
