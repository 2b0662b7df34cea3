//! The includes that are built in.
