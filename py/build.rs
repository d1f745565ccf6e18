//! Tells the crate whether the interpreter has a GIL, and refuses a free-threaded one.

/// If it is "1", a build for a free-threaded interpreter is made, for testing it.
const SWITCH: &str = "LEXPOOL_FREE_THREADED";

#[expect(clippy::disallowed_methods, reason = "a build is configured by its environment")]
fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    // Cargo alone links it on macOS, too.
    pyo3_build_config::add_extension_module_link_args();
    println!("cargo::rerun-if-env-changed={SWITCH}");
    let is_allowed = std::env::var_os(SWITCH).is_some_and(|value| value == "1");
    if pyo3_build_config::get().is_free_threaded() && !is_allowed {
        println!(
            "cargo::error=[free-threaded] lexpool has not been tested on free-threaded Python, for \
             which it is built here; build it for an interpreter with the GIL, or set {SWITCH}=1 to \
             test it"
        );
    }
}
