//! Interned names, which live as long as the process.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::TransferError;

/// Limits far above any program's names: they bound the memory that damaged bytes can claim.
const MOST: usize = 4096;
const LONGEST: usize = 512;

fn names() -> MutexGuard<'static, HashSet<&'static str>> {
    static NAMES: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Interns a name for the rest of the process.
pub(crate) fn kept(name: &str) -> &'static str {
    let mut names = names();
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    kept
}

/// Interns a name from untrusted bytes.
pub(super) fn interned(name: &str) -> Result<&'static str, TransferError> {
    let is_known = names().contains(name);
    if !is_known && (names().len() >= MOST || name.len() > LONGEST) {
        return Err(TransferError::Damaged("too many names, or a name is too long"));
    }
    Ok(kept(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_interned_once() {
        let (first, again) = (interned("kept_once").unwrap(), interned("kept_once").unwrap());
        assert!(std::ptr::eq(first, again));
        assert!(interned(&"x".repeat(LONGEST + 1)).is_err());
    }
}
