//! Kernel parameters of one namespace.
//!
//! What lies under `/proc/sys/net` belongs to the namespace of the thread that opens it (network_namespaces(7)), so a thread
//! in the namespace does the reading and writing.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::Namespace;
use crate::LiveError;

/// Sets `name` (`net.ipv4.tcp_slow_start_after_idle`) in `namespace` only. As with sysctl(8), slashes may take the dots'
/// place for the sake of device names with dots.
///
/// # Errors
/// Names outside `net`, which would be the whole machine's; names that the kernel does not have in a namespace; values that
/// it refuses. The message names what is there now.
pub fn set(namespace: &Namespace, name: &str, value: &str) -> Result<(), LiveError> {
    let path = path(name).map_err(|why| refused(name, value, why))?;
    namespace.enter(|| write(&path, value).map_err(|error| explain(name, value, &path, &error)))?
}

/// The value of `name` in `namespace`, without the line's end.
pub fn read(namespace: &Namespace, name: &str) -> Result<String, LiveError> {
    let path = path(name).map_err(|why| refused(name, "", why))?;
    let text = namespace.enter(|| fs::read_to_string(&path))?;
    let text = text.map_err(LiveError::system(format!("sysctl {name}")))?;
    Ok(text.trim_end().to_owned())
}

/// Stops what a device would send of its own accord over IPv6, in the calling thread's namespace: router solicitations,
/// probes for duplicate addresses, and all that comes of a link-local address (kernel documentation,
/// networking/ip-sysctl: `accept_ra`, `autoconf`, `router_solicitations`, `dad_transmits`, `addr_gen_mode` 1 = none).
pub(super) fn silence(device: &str) -> Result<(), LiveError> {
    let parameters = [
        ("accept_ra", "0"),
        ("autoconf", "0"),
        ("router_solicitations", "0"),
        ("dad_transmits", "0"),
        ("addr_gen_mode", "1"),
    ];
    for (parameter, value) in parameters {
        let path = Path::new("/proc/sys/net/ipv6/conf").join(device).join(parameter);
        write(&path, value).map_err(LiveError::system(path.display().to_string()))?;
    }
    Ok(())
}

/// Writes in the calling thread's namespace.
pub(super) fn write(path: &Path, value: &str) -> io::Result<()> {
    // `fs::write` would ask for the file to be created, which /proc answers with a misleading "permission denied".
    use std::io::Write;
    fs::OpenOptions::new().write(true).open(path)?.write_all(value.as_bytes())
}

fn path(name: &str) -> Result<PathBuf, &'static str> {
    let relative = if name.contains('/') { name.to_owned() } else { name.replace('.', "/") };
    if !relative.starts_with("net/")
        || relative.split('/').any(|part| part.is_empty() || part.starts_with('.'))
    {
        return Err("only parameters under `net.` belong to a namespace; others are the whole machine's");
    }
    Ok(Path::new("/proc/sys").join(relative))
}

fn explain(name: &str, value: &str, path: &Path, error: &io::Error) -> LiveError {
    let why = match error.kind() {
        ErrorKind::NotFound => "this kernel has no such parameter in a network namespace".to_owned(),
        ErrorKind::PermissionDenied if path.exists() => {
            "the kernel lets nobody change it in a network namespace; it belongs to the whole machine"
                .to_owned()
        }
        _ => match fs::read_to_string(path) {
            Ok(now) => format!("{error}; it is {:?} now", now.trim_end()),
            Err(_) => error.to_string(),
        },
    };
    refused(name, value, why)
}

fn refused(name: &str, value: &str, why: impl Into<String>) -> LiveError {
    LiveError::Sysctl { name: name.to_owned(), value: value.to_owned(), why: why.into() }
}
