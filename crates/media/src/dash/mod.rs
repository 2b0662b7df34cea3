//! Adaptive streaming over HTTP (DASH, ISO/IEC 23009-1): what there is to stream, who chooses, and what it was worth.

pub mod abr;
pub mod content;
pub mod qoe;
