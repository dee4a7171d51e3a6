//! Turns mistakes of the user into `ValueError`, refusals of the system into `OSError`, and panics into `RuntimeError`.

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sibp::format::FormatError;
use sibp::index::IndexFileError;
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A mistake in an argument, by the argument's name.
pub fn wrong(argument: &str, problem: impl Display) -> PyErr {
    PyValueError::new_err(format!("{argument}: {problem}"))
}

/// A `ValueError` whose message needs no argument name.
pub fn value_error(problem: impl Display) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// A file that cannot be read or written, or holds something else.
pub fn file_error(error: &FormatError) -> PyErr {
    let mut cause = error;
    while let FormatError::InFile { problem, .. } = cause {
        cause = problem;
    }
    match cause {
        FormatError::Io { reason, .. } => os_error(reason, error),
        _ => value_error(error),
    }
}

/// Turns an index file error into a Python exception.
pub fn index_file_error(error: &IndexFileError) -> PyErr {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(now) = cause {
        if let Some(reason) = now.downcast_ref::<std::io::Error>() {
            return os_error(reason, error);
        }
        cause = now.source();
    }
    value_error(error)
}

/// The subclass of `OSError` that matches the reason, with the library's message.
fn os_error(reason: &std::io::Error, words: &dyn Display) -> PyErr {
    match reason.raw_os_error() {
        Some(number) => PyOSError::new_err((number, words.to_string())),
        None => PyOSError::new_err(words.to_string()),
    }
}

/// Works without the interpreter's lock; a panic becomes a `RuntimeError`.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| panicked(panic.as_ref()))
}

/// Works with the interpreter's lock held, for what is short or cannot leave its thread; a panic becomes a `RuntimeError`.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panicked(panic.as_ref()))
}

/// Turns a panic into a `RuntimeError` with the panic's message.
pub fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    PyRuntimeError::new_err(format!("a mistake in sibp, please report it: {}", text.unwrap_or("unknown panic")))
}

/// Panics on purpose, so that a test can see the resulting exception.
#[pyfunction]
#[pyo3(name = "_panic_on_purpose")]
pub fn panic_on_purpose(py: Python<'_>) -> PyResult<()> {
    detached(py, || panic!("on purpose"))
}
