//! The command `lexpool`, called by `lexpool.__main__`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use lexpool_cli::{Assemble, Evaluate, Package, PythonSide, Resume, Train};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::runtime::error::check_signals;
use crate::runtime::gil;
use crate::runtime::items::Items;
use crate::runtime::python_side::{self, PythonName};

/// Runs the command `lexpool`; returns its exit code.
///
/// argv: the arguments, the name of the program first.
/// signals: those of which the second one ends the process at once.
///
/// Releases the GIL. Ctrl-C stops the command; the code is 130 then.
#[pyfunction]
// stub: (argv: Sequence[str], signals: Sequence[int])
fn main(py: Python<'_>, argv: Items<OsString>, signals: Items<i32>) -> u8 {
    lexpool_cli::end_at_second_signal(&signals.into_vec());
    let python = || PythonSide {
        evaluate: &evaluate,
        package: &package,
        assemble: &assemble,
        train: &train,
        find_package: &find_package,
        find_tables: &find_tables,
    };
    gil::waiting(py, || lexpool_cli::main_with_python(argv.into_vec(), &check_signals, python()))
}

/// Returns the folder of an installed pipeline; `None` if no package has this name.
fn find_package(name: &Path) -> Option<PathBuf> {
    Python::attach(|py| {
        let folder = python_side::INSTALLED_PIPELINE.call(py, (name,));
        folder.and_then(|folder| folder.extract::<Option<PathBuf>>()).unwrap_or_else(|raised| {
            raised.print(py);
            None
        })
    })
}

/// Returns the folder of the tables of `spacy-lookups-data`; `None` if it is not installed.
fn find_tables() -> Option<PathBuf> {
    Python::attach(|py| {
        let folder = python_side::INSTALLED_TABLES.call(py, ());
        folder.and_then(|folder| folder.extract::<Option<PathBuf>>()).unwrap_or_else(|raised| {
            raised.print(py);
            None
        })
    })
}

/// Runs `lexpool evaluate` in Python.
fn evaluate(args: &Evaluate) -> u8 {
    run(&python_side::EVALUATE, |named| {
        named.set_item("model", &args.model)?;
        named.set_item("data", &args.data)?;
        named.set_item("output", &args.output)?;
        named.set_item("code_path", &args.code)?;
        named.set_item("gold_preproc", args.gold_preproc)?;
        named.set_item("per_component", args.per_component)?;
        named.set_item("spans_key", &args.spans_key)?;
        named.set_item("quiet", args.quiet)
    })
}

/// Runs `lexpool package` in Python.
fn package(args: &Package) -> u8 {
    run(&python_side::PACKAGE, |named| {
        named.set_item("input_dir", &args.input)?;
        named.set_item("output_dir", &args.output)?;
        named.set_item("code_paths", &args.code)?;
        named.set_item("meta_path", &args.meta_path)?;
        named.set_item("create_meta", args.create_meta)?;
        named.set_item("name", &args.name)?;
        named.set_item("version", &args.version)?;
        named.set_item("build", &args.build)?;
        named.set_item("force", args.force)?;
        named.set_item("require_parent", !args.no_require_parent)?;
        named.set_item("quiet", args.quiet)
    })
}

/// Runs `lexpool assemble` in Python.
fn assemble(args: &Assemble, overrides: &[(String, String)]) -> u8 {
    run(&python_side::ASSEMBLE, |named| {
        named.set_item("config_path", &args.config)?;
        named.set_item("output_path", &args.output)?;
        named.set_item("code_path", &args.code)?;
        named.set_item("overrides", overrides)?;
        named.set_item("quiet", args.quiet)
    })
}

/// Runs `lexpool train` in Python.
fn train(args: &Train, overrides: &[(String, String)]) -> u8 {
    run(&python_side::TRAIN, |named| {
        named.set_item("config_path", &args.config)?;
        named.set_item("output_path", &args.output)?;
        named.set_item("code_path", &args.code)?;
        named.set_item("overrides", overrides)?;
        let resume =
            args.resume.map(|what| if what == Resume::State { "state" } else { "weights" });
        named.set_item("resume", resume)?;
        named.set_item("threads", args.threads)?;
        named.set_item("memory", args.memory)?;
        named.set_item("json", args.json)?;
        named.set_item("quiet", args.quiet)
    })
}

/// Calls a function of the package with named arguments; returns its result, an exit code.
fn run(function: &PythonName, set: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>) -> u8 {
    Python::attach(|py| {
        let call = || -> PyResult<u8> {
            let named = PyDict::new(py);
            set(&named)?;
            function.call_with(py, (), Some(&named))?.extract()
        };
        call().unwrap_or_else(|raised| {
            raised.print(py);
            1
        })
    })
}

/// Returns a text with the characters escaped that a terminal interprets, except for line breaks
/// and tabs.
#[pyfunction]
// stub: (text: str)
fn escape_lines(text: &str) -> String {
    lexpool::escape::lines(text).to_string()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(escape_lines, module)?)
}
