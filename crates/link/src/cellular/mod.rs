//! A cellular user plane: what a base station, the air and a phone do to a packet between its queue and the receiver.
//!
//! | file | what |
//! | --- | --- |
//! | `parameters.rs` | the table `cellular` of a link, and its ranges |
//! | `numerology.rs` | slots of NR (TS 38.211 §4.3.2) |
//! | `pdcp.rs` | the receiving PDCP entity: reordering (TS 38.323 §5.2.2) |
//! | `rlc/` | segmentation and reassembly; unacknowledged and acknowledged mode (TS 38.322 §5.2) |
//! | `harq.rs` | transport blocks and their retransmissions (TS 38.321 §5.3.2, §5.4.2) |
//! | `scheduler.rs` | which user a slot serves: proportional fair, with fading channels |
//! | `uplink.rs` | scheduling requests, buffer status reports and grants (TS 38.321 §5.4.4, §5.4.5) |
//! | `drx.rs` | discontinuous reception (TS 38.321 §5.7) |
//! | `plane.rs` | the whole, slot by slot |
//!
//! A [`UserPlane`] holds no packet: service data units (SDUs) have keys. Its caller opens a slot ([`UserPlane::advance`]), hands
//! it SDUs from the queue while the slot's transport block has room, and closes it. So the queue decides what is sent at the
//! latest instant, and what has begun to be sent is never discarded (TS 38.322 §5.4).

mod drx;
mod harq;
mod numerology;
mod parameters;
mod pdcp;
mod plane;
mod rlc;
mod scheduler;
mod uplink;

pub use numerology::Numerology;
pub use parameters::{
    CellularParameters, DrxParameters, FadingParameters, GrantParameters, HarqParameters, Numbering,
    PdcpParameters, PduSetParameters, RlcMode, RlcParameters, SchedulerParameters, UserParameters,
};
pub use plane::{Backlogged, Fate, Passage, Sdu, UserPlane, Wait};
