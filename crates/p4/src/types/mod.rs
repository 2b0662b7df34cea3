//! Checks a syntax tree and elaborates it.
