//! Why bytes are not a label.

/// An error of a parser or a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// The bytes end within the named part.
    #[error("truncated {0}")]
    Truncated(&'static str),
    /// The bytes contradict the format; the text says how.
    #[error("{0}")]
    Malformed(&'static str),
    /// A dependency descriptor refers to a structure that was not received.
    #[error("the dependency structure of this descriptor was not received")]
    NoStructure,
    /// A value does not fit its field; the text says which.
    #[error("{0} does not fit its field")]
    TooLarge(&'static str),
}
