//! Input files: regular files of limited size.
//!
//! A device such as `/dev/zero` has no end, a FIFO may never have a writer, and a terminal waits for input. All
//! are refused before they are opened.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Maximum size of what people write: scenarios, figures of papers, P4 programs and commands, packet tests.
pub const TEXT: u64 = 16 << 20;
/// Maximum size of data that is read as a whole: traces, profiles, content of videos, manifests.
pub const DATA: u64 = 1 << 30;

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// If the file cannot be read, is not a regular file, or is larger. The message names neither the file nor what it is for.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, about) = open_checked(path)?;
    if about.len() > limit {
        return Err(too_large(limit, Some(about.len())));
    }
    // The length is a hint: files of /proc have none, and others grow.
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit, None)) } else { Ok(bytes) }
}

/// Reads a regular file of at most `limit` bytes of UTF-8.
///
/// # Errors
/// As [`read`], and if the file is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let wrong = |error: std::string::FromUtf8Error| {
        io::Error::new(ErrorKind::InvalidData, format!("must be UTF-8 text: {}", error.utf8_error()))
    };
    String::from_utf8(read(path, limit)?).map_err(wrong)
}

/// Opens a regular file of any size, to be read piece by piece.
///
/// # Errors
/// If the file cannot be opened or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_checked(path).map(|(file, _)| file)
}

fn open_checked(path: &Path) -> io::Result<(File, Metadata)> {
    // Before it is opened: to open a FIFO waits for a writer.
    require_regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // Once more: another file may have taken its place.
    let about = file.metadata()?;
    require_regular(&about)?;
    Ok((file, about))
}

fn require_regular(about: &Metadata) -> io::Result<()> {
    if about.is_file() {
        return Ok(());
    }
    let found = kind(about.file_type());
    let error = if about.is_dir() { ErrorKind::IsADirectory } else { ErrorKind::InvalidInput };
    Err(io::Error::new(error, format!("must be a regular file, got {found}")))
}

#[cfg(unix)]
fn kind(of: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match of {
        of if of.is_dir() => "a folder",
        of if of.is_fifo() => "a pipe (FIFO)",
        of if of.is_socket() => "a socket",
        of if of.is_char_device() => "a character device",
        of if of.is_block_device() => "a block device",
        _ => "something else",
    }
}

#[cfg(not(unix))]
fn kind(of: FileType) -> &'static str {
    if of.is_dir() { "a folder" } else { "something else" }
}

fn too_large(limit: u64, found: Option<u64>) -> io::Error {
    let found = found.map(|found| format!(", got {}", size(found))).unwrap_or_default();
    io::Error::new(ErrorKind::FileTooLarge, format!("must be at most {}{found}", size(limit)))
}

fn size(bytes: u64) -> String {
    match bytes {
        exact if exact >= 1 << 30 && exact % (1 << 30) == 0 => format!("{} GiB", exact >> 30),
        exact if exact >= 1 << 20 && exact % (1 << 20) == 0 => format!("{} MiB", exact >> 20),
        other => format!("{other} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_within_the_limit_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        let error = read(&path, 4).unwrap_err();
        assert_eq!(error.to_string(), "must be at most 4 bytes, got 5 bytes");
        fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path, 5).unwrap_err().to_string().contains("UTF-8"));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_a_regular_file_is_refused_before_it_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for (path, found) in [
            (Path::new("/dev/zero"), "got a character device"),
            (&link, "got a character device"),
            (&fifo, "got a pipe (FIFO)"),
            (&socket, "got a socket"),
            (folder.path(), "got a folder"),
        ] {
            for error in [read(path, TEXT).map(drop).unwrap_err(), open(path).map(drop).unwrap_err()] {
                assert!(error.to_string().contains(found), "{}: {error}", path.display());
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_without_a_length_is_read_up_to_the_limit() {
        assert!(!read(Path::new("/proc/self/status"), TEXT).unwrap().is_empty());
        let error = read(Path::new("/proc/self/status"), 10).unwrap_err();
        assert_eq!(error.to_string(), "must be at most 10 bytes");
    }

    #[test]
    fn sizes_are_whole_units_or_bytes() {
        assert_eq!([size(TEXT), size(DATA), size(DATA + 1)], ["16 MiB", "1 GiB", "1073741825 bytes"]);
    }
}
