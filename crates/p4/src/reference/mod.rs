//! The reference machine: follows the specification word by word, on values of any size.
