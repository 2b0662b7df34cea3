//! Built-in includes, written from the P4_16 specification and the documented interfaces of v1model and PSA.

mod programs;

pub use programs::{included, program, programs};

/// `core.p4`: the core library of the specification.
pub const CORE: &str = include_str!("core.p4");

/// `v1model.p4`: the architecture of `simple_switch`. The macro `V1MODEL_VERSION` selects its version.
pub const V1MODEL: &str = include_str!("v1model.p4");

/// `psa.p4`: the Portable Switch Architecture.
pub const PSA: &str = include_str!("psa.p4");

/// Looks up a built-in include by name.
pub fn built_in(name: &str) -> Option<&'static str> {
    match name {
        "core.p4" => Some(CORE),
        "v1model.p4" => Some(V1MODEL),
        "psa.p4" => Some(PSA),
        _ => None,
    }
}
