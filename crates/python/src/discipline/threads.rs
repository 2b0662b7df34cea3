//! The threads of runs, as Python sees them.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::c_ulong;
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::ffi;
use pyo3::prelude::*;

/// The threads that Python disciplines run in at the moment, and how many queues each has.
#[derive(Default)]
pub struct Threads {
    queues: Mutex<BTreeMap<c_ulong, usize>>,
}

impl Threads {
    /// This thread has one more queue; gives Python's number of the thread.
    pub fn enter(&self, py: Python<'_>) -> PyResult<c_ulong> {
        let ident: c_ulong = py.import("threading")?.call_method0("get_ident")?.extract()?;
        *self.lock().entry(ident).or_default() += 1;
        Ok(ident)
    }

    /// That thread has one less.
    pub fn leave(&self, ident: c_ulong) {
        let mut queues = self.lock();
        if let Some(count) = queues.get_mut(&ident) {
            *count -= 1;
            if *count == 0 {
                queues.remove(&ident);
            }
        }
    }

    /// Raises `KeyboardInterrupt` in each of them, wherever it is in Python.
    pub fn interrupt(&self, py: Python<'_>) {
        let idents: Vec<c_ulong> = self.lock().keys().copied().collect();
        let exception = py.get_type::<PyKeyboardInterrupt>();
        for ident in idents {
            // SAFETY: the interpreter's lock is held, and a number that no thread has does nothing.
            unsafe { ffi::PyThreadState_SetAsyncExc(ident as _, exception.as_ptr()) };
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<c_ulong, usize>> {
        self.queues.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Keeps what Python knows of this thread until the thread ends, if it is none of Python's own. Without that it is made and thrown
/// away with every call of a discipline, which takes several times longer than the call.
pub fn keep_state() {
    thread_local! {
        static KEPT: OnceCell<Option<State>> = const { OnceCell::new() };
    }
    KEPT.with(|kept| {
        kept.get_or_init(State::of_this_thread);
    });
}

/// Python's state of a thread that Python did not start. The thread holds no lock because of it.
struct State {
    gil: ffi::PyGILState_STATE,
    thread: *mut ffi::PyThreadState,
}

impl State {
    /// `None` if the thread has one already: whoever made that ends it.
    fn of_this_thread() -> Option<State> {
        // SAFETY: the interpreter runs, because what is called here is called by its module. The thread has no state, so that the
        // first call makes one and takes the lock, and the second gives the lock back.
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
        // SAFETY: this is the thread that the state is of, at its end: whoever waits for the run has not gone, and so the interpreter
        // has not either.
        unsafe {
            ffi::PyEval_RestoreThread(self.thread);
            ffi::PyGILState_Release(self.gil);
        }
    }
}
