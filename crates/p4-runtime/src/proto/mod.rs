//! Protobuf messages. Fields that this switch neither reads nor writes are left out; decoding skips them.

pub mod info;
pub mod role;
pub mod runtime;
