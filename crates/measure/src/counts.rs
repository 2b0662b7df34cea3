//! Counts by reason.

use std::ops::{Deref, DerefMut};

/// One number for each of `N` reasons: an array that can start at zero whatever its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts<T, const N: usize>(pub [T; N]);

impl<T: Default + Copy, const N: usize> Default for Counts<T, N> {
    fn default() -> Counts<T, N> {
        Counts([T::default(); N])
    }
}

impl<T, const N: usize> Deref for Counts<T, N> {
    type Target = [T; N];
    #[inline]
    fn deref(&self) -> &[T; N] {
        &self.0
    }
}

impl<T, const N: usize> DerefMut for Counts<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T; N] {
        &mut self.0
    }
}
