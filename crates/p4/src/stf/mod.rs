//! STF: packet tests.
