//! A profiler of op calls: their number, their time, and their time without the GIL.
//!
//! Holds unsafe code: asks the C API whether a thread holds the GIL.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lexpool::threads::ForkGuard;
use pyo3::ffi;
use pyo3::prelude::*;

/// One call of the trace.
struct Event {
    name: Box<str>,
    thread: u64,
    start: Instant,
    took: Duration,
    detached: bool,
}

struct Recording {
    since: Instant,
    events: Vec<Event>,
    lost: usize,
}

static RECORDING: Mutex<Option<Recording>> = Mutex::new(None);

/// Maximum number of calls in a trace.
const MAX_EVENTS: usize = 1 << 20;

/// Calls a function and records its time.
pub(super) fn called<T>(name: &str, detached: bool, call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = call();
    note(name, start, Instant::now(), detached);
    result
}

fn note(name: &str, start: Instant, end: Instant, detached: bool) {
    let mut recording = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(recording) = &mut *recording else { return };
    if recording.events.len() >= MAX_EVENTS {
        recording.lost += 1;
        return;
    }
    let (name, thread) = (name.into(), thread_number());
    recording.events.push(Event { name, thread, start, took: end - start, detached });
}

/// Returns a small number for this thread.
fn thread_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static OWN: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    OWN.with(|own| *own)
}

/// Starts to record all calls of ops, in all threads.
#[pyfunction]
fn profile_start() {
    let recording = Recording { since: Instant::now(), events: Vec::new(), lost: 0 };
    *RECORDING.lock().unwrap_or_else(PoisonError::into_inner) = Some(recording);
    lexpool_ops::set_hook(Some(|name, start, end| {
        // SAFETY: may be called from any thread.
        let detached = unsafe { ffi::PyGILState_Check() } == 0;
        let _busy = detached.then(ForkGuard::enter);
        note(name, start, end, detached);
    }));
}

/// Stops recording. Returns a row for each op (name, calls, seconds, seconds without the GIL), the
/// trace (name, thread, start and duration in microseconds, whether without the GIL), and the
/// number of calls that did not fit the trace.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "taken apart at once, in Python")]
fn profile_stop() -> (Vec<(String, usize, f64, f64)>, Vec<(String, u64, f64, f64, bool)>, usize) {
    lexpool_ops::set_hook(None);
    let ended = RECORDING.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(Recording { since, events, lost }) = ended else {
        return (Vec::new(), Vec::new(), 0);
    };
    let mut rows: HashMap<&str, (usize, Duration, Duration)> = HashMap::new();
    for event in &events {
        let row = rows.entry(&event.name).or_default();
        row.0 += 1;
        row.1 += event.took;
        row.2 += if event.detached { event.took } else { Duration::ZERO };
    }
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|(name, (calls, all, free))| {
            (name.to_owned(), calls, all.as_secs_f64(), free.as_secs_f64())
        })
        .collect();
    rows.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    let trace = events.iter().map(|event| {
        let begin = event.start.saturating_duration_since(since);
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let Event { name, thread, took, detached, .. } = event;
        (name.to_string(), *thread, micros(begin), micros(*took), *detached)
    });
    (rows, trace.collect(), lost)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(profile_start, module)?)?;
    module.add_function(wrap_pyfunction!(profile_stop, module)?)
}
