//! The conversions that need calls of ops, as function pointers.
//!
//! An object that an op returns becomes an instance of a class, whose methods call ops, whose
//! arguments and results are converted: conversion and calls are recursive. The recursion leads
//! through these pointers, so that the files of conversions depend on none that makes a call.

use std::sync::OnceLock;

use lexpool_ops::plugin::Owned;
use pyo3::ffi;
use pyo3::prelude::*;

use super::function_ref::FunctionRef;

/// The conversions that need calls of ops.
pub(super) struct ConversionHooks {
    /// Returns the function of a callable. Requires a callable that lives, and the GIL.
    pub(super) to_function: unsafe fn(*mut ffi::PyObject) -> FunctionRef,
    /// Wraps a function as a callable.
    pub(super) wrap_function: fn(Python<'_>, Owned<'static>) -> PyResult<Py<PyAny>>,
    /// Wraps an object as an instance of its class.
    pub(super) wrap_object: fn(Python<'_>, Owned<'static>) -> PyResult<Py<PyAny>>,
}

static HOOKS: OnceLock<ConversionHooks> = OnceLock::new();

/// Sets the hooks; called once, when the module is made.
pub(super) fn set(hooks: ConversionHooks) {
    // A module that is made again sets the same functions.
    let _ = HOOKS.set(hooks);
}

/// Returns the hooks.
///
/// # Panics
///
/// If the module was not made; nothing converts before that.
pub(super) fn get() -> &'static ConversionHooks {
    HOOKS.get().expect("set when the module is made")
}
