//! Names that live as long as the process, each once.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::TransferError;

/// More names than any program has, and longer ones: what damaged bytes can make us keep is bounded.
const MOST: usize = 4096;
const LONGEST: usize = 128;

/// That name for the rest of the process. The same name is kept once.
pub(super) fn interned(name: &str) -> Result<&'static str, TransferError> {
    static NAMES: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return Ok(known);
    }
    if names.len() >= MOST || name.len() > LONGEST {
        return Err(TransferError::Damaged("too many names, or too long a one"));
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let (first, again) = (interned("kept_once").unwrap(), interned("kept_once").unwrap());
        assert!(std::ptr::eq(first, again));
        assert!(interned(&"x".repeat(LONGEST + 1)).is_err());
    }
}
