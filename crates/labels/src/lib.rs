#![forbid(unsafe_code)]
//! Labels that standards carry, and what they say in terms of an Octopus label.
//!
//! One file per format, each with a reader that never panics and a writer: RTP headers and their extensions ([`rtp`]), the
//! [dependency descriptor](dependency_descriptor) of AV1's RTP specification, [video frame marking](frame_marking) (RFC 9626),
//! WebRTC's [video layers allocation](layers_allocation), [PDU set marking](pdu_set) (3GPP TS 26.522), and object headers of
//! [Media over QUIC](moq). A [`Classifier`] makes Octopus labels of them, of real RTP packets or of what a standard would carry of
//! a simulated sender's own labels ([`reduce`]).

pub mod bits;
mod classify;
pub mod dependency_descriptor;
mod error;
pub mod frame_marking;
pub mod inspect;
pub mod layers_allocation;
pub mod moq;
pub mod pdu_set;
mod read;
pub mod reduce;
pub mod rtp;

pub use classify::{Classifier, Classify, Droppers, LabelSource, Labels, Missing, RtpFormat};
pub use error::LabelError;
pub use read::{Label, StreamReader};
