#![deny(unsafe_code)]
//! The Python module `jettison._jettison`, the native part of the package `jettison`.
//!
//! A thin layer: `jettison-scenario` reads and checks scenarios, `jettison-run` and `jettison-report` run them and
//! collect results. This crate converts arguments and errors, releases the interpreter's lock during runs, and passes
//! tables through Arrow's C stream interface without copies.

mod controller;
mod declared;
mod discipline;
mod errors;
mod explain;
#[cfg(feature = "testing")]
mod forked;
mod run;
mod scenario;
mod steps;
mod sweep;
mod switches;
#[cfg(feature = "testing")]
mod synthetic;
mod tables;
mod whatif;

use pyo3::prelude::*;

/// The native part of `jettison`. Its names are not part of the package's interface.
#[pymodule]
mod _jettison {
    #[pymodule_export]
    use crate::declared::{appearance, catalogue, felt_metrics, mean_interval, metrics, reasons, schemes};
    #[cfg(feature = "testing")]
    #[pymodule_export]
    use crate::discipline::driven::drive;
    #[pymodule_export]
    use crate::discipline::packet::{Message, PacketView};
    #[pymodule_export]
    use crate::explain::explain;
    #[cfg(feature = "testing")]
    #[pymodule_export]
    use crate::forked::forked;
    #[pymodule_export]
    use crate::run::{check_results, default_jobs, run};
    #[pymodule_export]
    use crate::scenario::{Checked, check, find, toml_of, toml_value, with_axis, with_some_arms};
    #[pymodule_export]
    use crate::steps::Worlds;
    #[cfg(feature = "testing")]
    #[pymodule_export]
    use crate::steps::plain_run;
    #[pymodule_export]
    use crate::sweep::{
        Keys, create_store, identity, is_whole_partition, open_store, option_value, partition, summarise,
        write_partition,
    };
    #[cfg(feature = "testing")]
    #[pymodule_export]
    use crate::synthetic::synthetic;
    #[pymodule_export]
    use crate::tables::{Stream, Tables};
    #[pymodule_export]
    use crate::whatif::whatif;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", jettison_build_info::VERSION)?;
        module.add("__commit__", jettison_build_info::COMMIT)
    }
}
