//! Hashes of the files in a folder of results.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use indexmap::IndexMap;
use sha2::{Digest, Sha256};

use super::folder::MANIFEST;
use super::seal::hex;
use crate::model::FileHash;

/// File with the durations; it carries its own seal, because it differs between repetitions.
pub(super) const TIMING: &str = "timing.json";

/// Files that carry a seal instead of being listed in the manifest.
pub(super) const SEALED: [&str; 2] = [MANIFEST, TIMING];

/// Hashes all files in `folder` except the sealed ones, sorted by path. `known` are hashes of files that were read
/// already.
pub(super) fn hash_folder(
    folder: &Path,
    known: &BTreeMap<String, FileHash>,
) -> io::Result<IndexMap<String, FileHash>> {
    let files: Vec<(String, PathBuf)> =
        files_in(folder)?.into_iter().filter(|(name, _)| !SEALED.contains(&name.as_str())).collect();
    let unknown: Vec<&PathBuf> =
        files.iter().filter(|(name, _)| !known.contains_key(name)).map(|(_, path)| path).collect();
    let mut hashes = hash_all(&unknown).into_iter();
    let mut all = IndexMap::new();
    for (name, _) in &files {
        let hash = match known.get(name) {
            Some(hash) => hash.clone(),
            None => hashes.next().expect("one for each unknown file")?,
        };
        all.insert(name.clone(), hash);
    }
    Ok(all)
}

/// Hashes files on all cores; the results are in the order of `paths`.
pub(super) fn hash_all<P: AsRef<Path> + Sync>(paths: &[P]) -> Vec<io::Result<FileHash>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(paths.len());
    let (next, hashes) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(paths.len())));
    let work = || {
        while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < paths.len()) {
            let hash = hash_file(paths[at].as_ref());
            hashes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((at, hash));
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut hashes = hashes.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    hashes.sort_by_key(|(at, _)| *at);
    hashes.into_iter().map(|(_, hash)| hash).collect()
}

/// Hashes a file.
pub(super) fn hash_file(path: &Path) -> io::Result<FileHash> {
    let (mut file, mut digest, mut bytes) = (File::open(path)?, Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(FileHash { bytes, sha256: hex(&digest.finalize()) }),
            read => {
                digest.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
}

/// All regular files below `folder`, sorted: the path relative to it with `/`, and the path. A program of a live run
/// may leave anything else among its logs; links and pipes are not followed.
pub(super) fn files_in(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let (mut found, mut open) = (Vec::new(), vec![(String::new(), folder.to_owned())]);
    while let Some((below, folder)) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push((format!("{name}/"), entry.path()));
            } else if kind.is_file() {
                found.push((name, entry.path()));
            }
        }
    }
    found.sort();
    Ok(found)
}
