//! What only `jettison live` heeds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a live run treats packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Live {
    /// Largest IP packet of the hosts' devices, in bytes.
    #[schemars(range(min = 576, max = 65_535))]
    pub mtu: u16,
    /// What the hosts' kernels may leave to the router.
    pub offload: Offload,
    /// Writes packets of a TCP connection together that reach a host at about the same time, as a network card does (generic
    /// receive offload). Packets of a link up to about 300 Mbit/s come one by one all the same.
    pub merge: bool,
}

/// What a host's kernel leaves to the router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Offload {
    /// Nothing: every packet comes with its checksums.
    None,
    /// Checksums: packets keep their size, and no checksum is computed for a wire that is not there.
    #[default]
    Checksum,
    /// Segmentation as well: the router splits what comes in one piece. For rates above
    /// 2 Gbit/s; queue disciplines still see packets of the MTU.
    Segmentation,
}

impl Default for Live {
    fn default() -> Live {
        Live { mtu: 1500, offload: Offload::Checksum, merge: true }
    }
}
