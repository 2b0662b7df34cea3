//! Link models as a kind of component: what one is built from.

use std::sync::Arc;

use jettison_core::Bytes;
use jettison_registry::{Kind, ParameterError};

use crate::trace::{Grants, Trace};
use crate::{CellFile, LinkModel};

/// The kind of link models.
pub enum Link {}

impl Kind for Link {
    const KEY: &'static str = "link";
    const NAME: &'static str = "link model";
    type Context<'a> = LinkContext<'a>;
    type Built = Box<dyn LinkModel>;
    type Facts = ();
}

/// What a link model may need to know of its place when it is built.
pub struct LinkContext<'a> {
    /// The trace of that name, read and checked by the caller, who also keeps it for the other runs; the error is a
    /// whole message that names the file.
    pub trace: &'a dyn Fn(&str) -> Result<Arc<Trace>, String>,
    /// The grants in that file, likewise.
    pub grants: &'a dyn Fn(&CellFile) -> Result<Arc<Grants>, String>,
}

/// More than any encapsulation adds, and small enough that sizes never overflow.
const LARGEST_OVERHEAD: u32 = 65_535;

/// Bytes that a link adds to a packet's IP length, the value of its key `overhead`.
pub(crate) fn overhead(bytes: Bytes) -> Result<u32, ParameterError> {
    u32::try_from(bytes.get()).ok().filter(|bytes| *bytes <= LARGEST_OVERHEAD).ok_or_else(|| {
        ParameterError::must("overhead", &format!("be at most {LARGEST_OVERHEAD} bytes"), bytes)
    })
}
