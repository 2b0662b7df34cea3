//! The program that sets the ECN codepoint of Prague's packets, on the devices through which they leave.

#![allow(unsafe_code, reason = "functions of libbpf")]

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::ptr;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use libbpf_rs::libbpf_sys;
use rustix::net::{AddressFamily, SocketType};
use rustix::thread::LinkNameSpaceType;

use crate::kernel::newest_program;

/// Its name, which the kernel cuts after 15 characters.
const PROGRAM: &str = "prague_codepoin";

/// The program on a device, until this value is dropped or while its link is pinned.
pub struct Attached {
    pub device: String,
    link: OwnedFd,
}

impl Attached {
    /// Pins the link.
    pub fn pin(&self, path: &Path) -> Result<()> {
        pin(&self.link, path)
    }
}

/// Pins a link or a program.
pub fn pin(object: &OwnedFd, path: &Path) -> Result<()> {
    let name = CString::new(path.as_os_str().as_encoded_bytes()).context("a path has no NUL")?;
    // SAFETY: the descriptor and the string outlive the call.
    let done = unsafe { libbpf_sys::bpf_obj_pin(object.as_raw_fd(), name.as_ptr()) };
    if done < 0 {
        return Err(io::Error::from_raw_os_error(-done))
            .with_context(|| format!("cannot pin {}", path.display()));
    }
    Ok(())
}

/// Attaches the program to a device of this thread's network namespace.
pub fn attach(device: &str) -> Result<Attached> {
    let program = program()?;
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    let index = rustix::net::netdevice::name_to_index(socket.as_fd(), device).map_err(|_| {
        anyhow!("no network device `{device}`; known: {}", devices().unwrap_or_default().join(", "))
    })?;
    let index = i32::try_from(index).context("the index of a device is positive")?;
    // SAFETY: the program outlives the call, which has no options.
    let link = unsafe {
        libbpf_sys::bpf_link_create(program.as_raw_fd(), index, libbpf_sys::BPF_TCX_EGRESS, ptr::null())
    };
    if link < 0 {
        bail!("cannot attach the program for packets to `{device}`: {}", io::Error::from_raw_os_error(-link));
    }
    // SAFETY: the descriptor is new and owned by us.
    Ok(Attached { device: device.to_owned(), link: unsafe { OwnedFd::from_raw_fd(link) } })
}

/// The program of the loaded control.
pub fn program() -> Result<OwnedFd> {
    let program = newest_program(PROGRAM).context("prague is not loaded")?;
    // SAFETY: the call takes a number and returns a descriptor or a negative error.
    let descriptor = unsafe { libbpf_sys::bpf_prog_get_fd_by_id(program.id) };
    if descriptor < 0 {
        bail!(
            "cannot open the program the program for packets: {}",
            io::Error::from_raw_os_error(-descriptor)
        );
    }
    // SAFETY: the descriptor is new and owned by us.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Attaches the program to a device of the network namespace that `namespace` is the file of.
pub fn attach_in(namespace: &str, device: &str) -> Result<Attached> {
    let file = File::open(namespace).with_context(|| format!("cannot open {namespace}"))?;
    thread::scope(|scope| {
        let inside = scope.spawn(|| {
            rustix::thread::move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))
                .with_context(|| format!("cannot enter {namespace}"))?;
            attach(device)
        });
        inside.join().map_err(|_| anyhow!("cannot attach the program for packets"))?
    })
}

/// The devices of this network namespace, but not its loopback.
pub fn devices() -> Result<Vec<String>> {
    const LIST: &str = "/proc/thread-self/net/dev";
    let list = fs::read_to_string(LIST).with_context(|| format!("cannot read {LIST}"))?;
    let names = list.lines().skip(2).filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned()));
    Ok(names.filter(|name| name != "lo").collect())
}
