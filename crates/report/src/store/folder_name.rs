//! Names of the folders and files of variants and ports.
//!
//! A name depends on the variant's name alone, so that it stays the same when variants are added, and two variants never share
//! one, on file systems that ignore case either.

use sha2::{Digest, Sha256};

/// Maximum length of the readable part, in bytes: with the hash and an extension it stays far below the 255 of file systems.
const LONGEST: usize = 120;
/// Stands between the readable part and the hash. A name with it gets a hash, so that no name can look like another's folder.
const MARK: char = '~';

/// The folder of `name`: the name itself if it is short and only has characters that are the same on all file systems; else a
/// readable part of it, `~` and the start of its SHA-256.
pub(super) fn folder_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.,=+@".contains(c);
    // Windows drops a dot at the end.
    let has_plain_ends = !name.starts_with('.') && !name.ends_with('.');
    if !name.is_empty() && name.len() <= LONGEST && has_plain_ends && name.chars().all(plain) {
        return name.to_owned();
    }
    let clean = |c: char| if c.is_alphanumeric() || "-_.,=+@".contains(c) { c } else { '_' };
    let mut readable: String = name.chars().map(clean).collect();
    let end = (0..=LONGEST.min(readable.len())).rev().find(|at| readable.is_char_boundary(*at));
    readable.truncate(end.unwrap_or(0));
    if readable.starts_with('.') {
        readable.insert(0, '_');
    }
    let digest = Sha256::digest(name);
    let hash: String = digest.iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    format!("{readable}{MARK}{hash}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn plain_names_stay_and_others_are_told_apart() {
        for plain in ["default", "queue=codel,congestion=cubic", "r-1", "n=0.5"] {
            assert_eq!(folder_name(plain), plain);
        }
        let names = ["x/y", "x_y", "x y", "X_y", "x_Y", "", ".x", "_x", "x.", "x~y", "é", "e\u{301}"];
        let folders: BTreeSet<String> = names.iter().map(|name| folder_name(name).to_lowercase()).collect();
        assert_eq!(folders.len(), names.len(), "{folders:?}");
        assert!(folder_name("x/y").starts_with("x_y~"), "{}", folder_name("x/y"));
        // A name that is written like the folder of another.
        assert_ne!(folder_name(&folder_name("x/y")), folder_name("x/y"));
    }

    #[test]
    fn folders_of_long_names_are_short_and_distinct() {
        let long = |end: &str| format!("{}{end}", "é".repeat(300));
        let (a, b) = (folder_name(&long("a")), folder_name(&long("b")));
        assert!(a != b && a.len() < 200, "{a}");
        assert_ne!(folder_name(&"a".repeat(300)), folder_name(&"a".repeat(301)));
        assert!(!folder_name("../..").contains('/') && !folder_name("../..").starts_with('.'));
    }
}
