//! What the machine has.

use std::path::Path;

/// Memory that programs may still take, in bytes; `None` where the system does not say.
pub(super) fn available_memory() -> Option<u64> {
    parse_available(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Free space of the file system that holds `folder`, or the nearest folder above it that exists, in bytes; `None` where there is
/// none to run out of.
pub(super) fn free_space(folder: &Path) -> Option<u64> {
    let start = std::path::absolute(folder).ok()?;
    let existing = start.ancestors().find(|folder| folder.is_dir())?;
    let system = rustix::fs::statvfs(existing).ok()?;
    // A file system without blocks, such as /proc, has no space to run out of.
    (system.f_blocks > 0).then(|| system.f_bavail.saturating_mul(system.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_kibibytes() {
        let text = "MemTotal:       24000000 kB\nMemFree: 5 kB\nMemAvailable:   1000 kB\n";
        assert_eq!(parse_available(text), Some(1_024_000));
        assert_eq!(parse_available("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn free_space_is_that_of_the_nearest_folder_that_exists() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("a/b");
        assert!(free_space(&missing).is_some_and(|bytes| bytes > 0));
    }
}
