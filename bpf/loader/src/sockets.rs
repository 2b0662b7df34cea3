//! Number of sockets that use a control, in all network namespaces.

#[allow(unsafe_code, clippy::all, missing_docs, dead_code, reason = "generated")]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/sockets.skel.rs"));
}

use std::io::Read;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;

use anyhow::{Context, Result};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{Iter, MapHandle};

use crate::kernel::explain;

/// Sockets that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sockets {
    /// Connections that a program has open.
    pub open: u64,
    /// Connections that their programs have closed, and whose end the peer has not acknowledged. They disappear then, or when the
    /// kernel gives up.
    pub closing: u64,
}

impl Sockets {
    pub fn all(self) -> u64 {
        self.open + self.closing
    }
}

/// Counts the sockets in the map of a loaded control.
pub fn count(map: &MapHandle) -> Result<Sockets> {
    let mut storage = MaybeUninit::uninit();
    let open = skeleton::SocketsSkelBuilder::default().open(&mut storage);
    let open = open.map_err(|error| explain(error, "cannot read the BPF object that counts sockets"))?;
    let loaded = open.load().map_err(|error| explain(error, "the kernel rejected the count of sockets"))?;
    let link = loaded.progs.count_sockets.attach_iter(map.as_fd());
    let link = link.map_err(|error| explain(error, "the kernel rejected the count of sockets"))?;
    // The program runs once for each socket while the iterator is read.
    let mut iterator = Iter::new(&link).context("cannot start the count of sockets")?;
    iterator.read_to_end(&mut Vec::new()).context("cannot count the sockets")?;
    let counted =
        loaded.maps.bss_data.as_deref().context("the BPF object must have a section of counters")?;
    Ok(Sockets { open: counted.open, closing: counted.closing })
}
