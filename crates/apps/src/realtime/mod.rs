//! Real-time media, whose value falls with delay.

pub mod conference;
pub mod haptic;
