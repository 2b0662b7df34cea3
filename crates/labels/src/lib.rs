#![forbid(unsafe_code)]
//! Labels that standards carry, and what they say in terms of an Octopus label.
//!
//! One file per format, each with a reader that never panics and a writer: RTP headers and their extensions ([`rtp`]), the
//! [dependency descriptor](dependency_descriptor) of AV1's RTP specification, [video frame marking](frame_marking) (RFC 9626),
//! WebRTC's [video layers allocation](layers_allocation), [PDU set marking](pdu_set) (3GPP TS 26.522), and object headers of
//! [Media over QUIC](moq).

pub mod bits;
pub mod dependency_descriptor;
mod error;
pub mod frame_marking;
pub mod layers_allocation;
pub mod moq;
pub mod pdu_set;
pub mod rtp;

pub use error::LabelError;
