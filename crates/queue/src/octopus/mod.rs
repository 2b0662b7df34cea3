//! Octopus's parts that are not the discipline alone: the dropping verdict, which the send buffer shares.

mod verdict;

pub use verdict::{Droppers, VerdictOptions};
