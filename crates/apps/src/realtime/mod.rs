//! Real-time media: what is worth the less the later it comes.

pub mod conference;
pub mod haptic;
