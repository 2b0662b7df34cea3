#![forbid(unsafe_code)]
//! Traces of video from real encoders.
//!
//! Pictures come from a y4m file or from a generator ([`generate`]). An encoder, a program of its own ([`tools`]), encodes them;
//! what it wrote is taken apart into units, and the references between these are read from the bitstream. Then every
//! subset of layers that can be decoded is decoded, and ffmpeg compares it with the pictures ([`encode()`]). The result is a
//! [`jettison_video::content::LayeredVideo`].
//!
//! Nothing is linked: libvpx is used through a small program in C (`native/vp9-layers.c`), all else through ffmpeg. So
//! building Jettison needs none of them.

pub mod compare;
mod encode;
mod encoder;
mod error;
pub mod generate;
mod ivf;
mod measure;
pub mod picture;
mod process;
mod structure;
pub mod tools;
pub mod y4m;

pub use encode::{Encoded, Order, Progress, encode, read, spatial_shares, temporal_shares};
pub use encoder::EncoderName;
pub use error::Error;
pub use structure::Structure;
