//! Copies of Python objects, for forks of a run.

use jettison_core::{RandomStream, fork};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A generator that an object got as `random`.
pub struct Generator {
    /// The `random.Random`.
    pub object: Py<PyAny>,
    /// The stream that seeded it.
    stream: RandomStream,
}

impl Generator {
    /// A generator seeded by a stream.
    pub fn new(py: Python<'_>, mut stream: RandomStream) -> PyResult<Generator> {
        let seed = stream.uniform(0, u64::MAX);
        let object = py.import("random")?.getattr("Random")?.call1((seed,))?;
        Ok(Generator { object: object.unbind(), stream })
    }

    /// The generator of a copy, entered in `memo`, so that the copies of all references lead to it. In a fork with fresh draws it is
    /// seeded anew.
    fn copied(&self, py: Python<'_>, memo: &Bound<'_, PyDict>) -> PyResult<Generator> {
        let copy = match fork::draw() {
            0 => {
                let object = py.import("copy")?.getattr("deepcopy")?.call1((&self.object,))?;
                Generator { object: object.unbind(), stream: self.stream.clone() }
            }
            _ => Generator::new(py, self.stream.clone())?,
        };
        memo.set_item(self.object.as_ptr() as usize, copy.object.bind(py))?;
        Ok(copy)
    }
}

/// A copy of an object by `copy.deepcopy`, with its generator if it has one.
pub fn copied(
    py: Python<'_>,
    object: &Py<PyAny>,
    random: Option<&Generator>,
) -> PyResult<(Py<PyAny>, Option<Generator>)> {
    let object = object.bind(py);
    if let Some(forkable) = object.getattr_opt("forkable")?
        && !forkable.is_truthy()?
    {
        return Err(PyTypeError::new_err("its class sets `forkable = False`"));
    }
    let memo = PyDict::new(py);
    let random = random.map(|random| random.copied(py, &memo)).transpose()?;
    let copy = py.import("copy")?.getattr("deepcopy")?.call1((object, memo))?;
    Ok((copy.unbind(), random))
}

/// Reports that a part written in Python cannot be copied. Outside of a fork the error ends the run, by `fail`.
pub fn refuse(part: &str, error: PyErr, fail: impl FnOnce(PyErr)) {
    if !fork::refuse(format!("{part} cannot be copied: {error}")) {
        fail(error);
    }
}
