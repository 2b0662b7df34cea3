//! The threads of runs, as seen by Python.

#![allow(unsafe_code, reason = "functions of the interpreter's C API")]

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::c_ulong;
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::ffi;
use pyo3::prelude::*;

/// Threads that currently run Python disciplines, with their numbers of queues.
#[derive(Default)]
pub struct Threads {
    queues: Mutex<BTreeMap<c_ulong, usize>>,
}

impl Threads {
    /// Registers a queue of this thread; returns Python's id of the thread.
    pub fn enter(&self, py: Python<'_>) -> PyResult<c_ulong> {
        let ident: c_ulong = py.import("threading")?.call_method0("get_ident")?.extract()?;
        *self.lock().entry(ident).or_default() += 1;
        Ok(ident)
    }

    /// Removes a queue of a thread.
    pub fn leave(&self, ident: c_ulong) {
        let mut queues = self.lock();
        if let Some(count) = queues.get_mut(&ident) {
            *count -= 1;
            if *count == 0 {
                queues.remove(&ident);
            }
        }
    }

    /// Raises `KeyboardInterrupt` in each of the threads, wherever it is in Python code.
    pub fn interrupt(&self, py: Python<'_>) {
        let idents: Vec<c_ulong> = self.lock().keys().copied().collect();
        let exception = py.get_type::<PyKeyboardInterrupt>();
        for ident in idents {
            // SAFETY: the interpreter's lock is held, and an unknown id has no effect.
            unsafe { ffi::PyThreadState_SetAsyncExc(ident as _, exception.as_ptr()) };
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<c_ulong, usize>> {
        self.queues.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Keeps Python's state of this thread until the thread ends, unless Python started the thread. Otherwise each call
/// of a discipline would create and destroy the state, which takes several times longer than the call.
pub fn keep_state() {
    thread_local! {
        static KEPT: OnceCell<Option<State>> = const { OnceCell::new() };
    }
    KEPT.with(|kept| {
        kept.get_or_init(State::of_this_thread);
    });
}

/// Python's state of a thread that Python did not start. The thread does not hold the interpreter's lock because of
/// it.
struct State {
    gil: ffi::PyGILState_STATE,
    thread: *mut ffi::PyThreadState,
}

impl State {
    /// `None` if the thread already has a state, which its creator destroys.
    fn of_this_thread() -> Option<State> {
        // SAFETY: the interpreter runs, because its module is the caller. The thread has no state, so the first call
        // creates one and takes the lock, and the second releases the lock.
        unsafe {
            if !ffi::PyGILState_GetThisThreadState().is_null() {
                return None;
            }
            let gil = ffi::PyGILState_Ensure();
            Some(State { gil, thread: ffi::PyEval_SaveThread() })
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: this is the state's own thread, at its end. The caller that waits for the run still exists, so the
        // interpreter does too.
        unsafe {
            ffi::PyEval_RestoreThread(self.thread);
            ffi::PyGILState_Release(self.gil);
        }
    }
}
