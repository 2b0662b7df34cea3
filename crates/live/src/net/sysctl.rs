//! Sysctls of one network namespace.
//!
//! `/proc/sys/net` shows the namespace of the thread that opens it (network_namespaces(7)), so files are read and written by a
//! thread in the namespace.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::Namespace;
use crate::LiveError;

/// Sets `name` (`net.ipv4.tcp_slow_start_after_idle`) in `namespace` only. As in sysctl(8), slashes may replace the dots,
/// which allows device names with dots.
///
/// # Errors
/// If the name is outside `net` and thus belongs to the whole machine, if the kernel does not have it in a namespace, or if
/// the kernel rejects the value. The message gives the current value.
pub fn set(namespace: &Namespace, name: &str, value: &str) -> Result<(), LiveError> {
    let path = path(name).map_err(|why| sysctl_error(name, value, why))?;
    namespace.enter(|| write(&path, value).map_err(|error| explain(name, value, &path, &error)))?
}

/// Reads `name` in `namespace`, without the line end.
pub fn read(namespace: &Namespace, name: &str) -> Result<String, LiveError> {
    let path = path(name).map_err(|why| sysctl_error(name, "", why))?;
    let text = namespace.enter(|| fs::read_to_string(&path))?;
    let text = text.map_err(LiveError::system(format!("cannot read sysctl {name}")))?;
    Ok(text.trim_end().to_owned())
}

/// Stops the IPv6 packets that a device sends by itself, in the calling thread's namespace: router solicitations, duplicate
/// address detection and everything that a link-local address causes (kernel documentation, networking/ip-sysctl:
/// `accept_ra`, `autoconf`, `router_solicitations`, `dad_transmits`, `addr_gen_mode` 1 = none).
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

/// Writes a sysctl in the calling thread's namespace.
pub(super) fn write(path: &Path, value: &str) -> io::Result<()> {
    // `fs::write` tries to create the file, which /proc rejects with a misleading "permission denied".
    use std::io::Write;
    fs::OpenOptions::new().write(true).open(path)?.write_all(value.as_bytes())
}

fn path(name: &str) -> Result<PathBuf, &'static str> {
    let relative = if name.contains('/') { name.to_owned() } else { name.replace('.', "/") };
    if !relative.starts_with("net/")
        || relative.split('/').any(|part| part.is_empty() || part.starts_with('.'))
    {
        return Err("the name must start with `net.`; other parameters apply to the whole machine");
    }
    Ok(Path::new("/proc/sys").join(relative))
}

fn explain(name: &str, value: &str, path: &Path, error: &io::Error) -> LiveError {
    let why = match error.kind() {
        ErrorKind::NotFound => "unknown parameter in a network namespace of this kernel".to_owned(),
        ErrorKind::PermissionDenied if path.exists() => {
            "read-only in a network namespace; it applies to the whole machine".to_owned()
        }
        _ => match fs::read_to_string(path) {
            Ok(now) => format!("{error}; its current value is {:?}", now.trim_end()),
            Err(_) => error.to_string(),
        },
    };
    sysctl_error(name, value, why)
}

fn sysctl_error(name: &str, value: &str, why: impl Into<String>) -> LiveError {
    LiveError::Sysctl { name: name.to_owned(), value: value.to_owned(), why: why.into() }
}
