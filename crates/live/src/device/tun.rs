//! A TUN or TAP device (kernel documentation, networking/tuntap).
//!
//! Created by `ioctl` and not with the crate `tun-rs`, which enables checksum and segmentation offload together (the default
//! here is checksums alone) and hides the [`VnetHeader`], which the router keeps with each packet.

#![allow(unsafe_code, reason = "ioctl on a TUN device")]

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use super::{Device, Offload, VnetHeader};

/// A TUN device, which carries IP packets, or a TAP device, which carries Ethernet frames. It exists as long as this value.
#[derive(Debug)]
pub struct Tun {
    file: File,
    name: String,
    offload: Offload,
    /// Whether it carries frames.
    frames: bool,
    /// The packet that was read last or is being written.
    buffer: Box<[u8]>,
}

/// Device node that creates TUN devices.
const CLONE_DEVICE: &str = "/dev/net/tun";
/// Maximum name length, without the terminating zero (IFNAMSIZ of netdevice(7)).
const NAME_LENGTH: usize = libc::IFNAMSIZ - 1;

impl Tun {
    /// Creates a device in the calling thread's network namespace. The kernel replaces `%d` in the name by the first free
    /// number. The device has no address yet and is down. Reads and writes never block; they work from any thread and
    /// namespace.
    ///
    /// # Errors
    /// If `/dev/net/tun` cannot be opened, the name is taken or too long, or the thread may not create devices.
    pub fn create(name: &str, offload: Offload) -> io::Result<Tun> {
        Tun::open(name, offload, libc::IFF_TUN)
    }

    /// Creates a TAP device with a hardware address, likewise. The kernel leaves no work to the router: frames are complete.
    ///
    /// # Errors
    /// As [`Tun::create`], and if the kernel refuses the hardware address.
    pub fn create_tap(name: &str, mac: [u8; 6]) -> io::Result<Tun> {
        let tap = Tun::open(name, Offload::None, libc::IFF_TAP)?;
        let mut request: libc::ifreq = zeroed_request();
        // SAFETY: the union holds the hardware address for this call; all of its bytes are plain data.
        let address = unsafe { &mut request.ifr_ifru.ifru_hwaddr };
        address.sa_family = libc::ARPHRD_ETHER;
        for (place, byte) in address.sa_data.iter_mut().zip(mac) {
            *place = byte as libc::c_char;
        }
        // SAFETY: SIOCSIFHWADDR reads one `ifreq`, which lives across the call.
        check(unsafe { libc::ioctl(tap.file.as_raw_fd(), libc::SIOCSIFHWADDR as _, &mut request) })?;
        Ok(tap)
    }

    fn open(name: &str, offload: Offload, kind: libc::c_int) -> io::Result<Tun> {
        if name.is_empty() || name.len() > NAME_LENGTH || name.contains('\0') {
            let message = format!("device name must have 1 to {NAME_LENGTH} bytes and no NUL, got {name:?}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open(CLONE_DEVICE)?;
        // IFF_TUN_EXCL: an existing device of that name belongs to another process.
        let mut flags = kind | libc::IFF_NO_PI | libc::IFF_TUN_EXCL;
        if offload != Offload::None {
            flags |= libc::IFF_VNET_HDR;
        }
        let mut request: libc::ifreq = zeroed_request();
        for (place, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
            *place = byte as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = flags as libc::c_short;
        // SAFETY: TUNSETIFF reads and writes one `ifreq`, which lives across the call.
        check(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &mut request) })?;
        let accepted = match offload {
            Offload::None => 0,
            Offload::Checksum => libc::TUN_F_CSUM,
            Offload::Segmentation => {
                libc::TUN_F_CSUM
                    | libc::TUN_F_TSO4
                    | libc::TUN_F_TSO6
                    | libc::TUN_F_TSO_ECN
                    | UDP_SEGMENTATION
            }
        };
        if offload != Offload::None && set_offload(&file, accepted).is_err() {
            // Kernels before 6.2 do not know the UDP bits, and segment datagrams themselves.
            set_offload(&file, accepted & !UDP_SEGMENTATION)?;
        }
        // The kernel expands a pattern such as `jettison%d`.
        let given = request.ifr_name.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8);
        let name = String::from_utf8_lossy(&given.collect::<Vec<u8>>()).into_owned();
        Ok(Tun { file, name, offload, frames: kind == libc::IFF_TAP, buffer: vec![0; BUFFER].into() })
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Device for Tun {
    fn offload(&self) -> Offload {
        self.offload
    }

    fn carries_frames(&self) -> bool {
        self.frames
    }

    #[inline]
    fn read(&mut self) -> io::Result<Option<(VnetHeader, &[u8])>> {
        let length = match self.file.read(&mut self.buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        };
        if self.offload == Offload::None {
            return Ok(Some((VnetHeader::default(), &self.buffer[..length])));
        }
        match self.buffer[..length].split_first_chunk() {
            Some((header, packet)) => Ok(Some((VnetHeader::parse(header), packet))),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    #[inline]
    fn write(&mut self, header: VnetHeader, parts: &[IoSlice<'_>]) -> io::Result<()> {
        match (self.offload, parts) {
            (Offload::None, [whole]) => self.file.write(whole)?,
            (_, [whole]) if whole.len() <= SHORT => {
                let length = VnetHeader::LENGTH + whole.len();
                self.buffer[..VnetHeader::LENGTH].copy_from_slice(&header.emit());
                self.buffer[VnetHeader::LENGTH..length].copy_from_slice(whole);
                self.file.write(&self.buffer[..length])?
            }
            (_, parts) => {
                let bytes = header.emit();
                let mut all = [IoSlice::new(&[]); MOST_PARTS + 1];
                let Some(places) = all.get_mut(1..=parts.len()) else {
                    return Err(io::ErrorKind::InvalidInput.into());
                };
                places.copy_from_slice(parts);
                all[0] = IoSlice::new(&bytes);
                let before = usize::from(self.offload == Offload::None);
                self.file.write_vectored(&all[before..=parts.len()])?
            }
        };
        Ok(())
    }
}

/// Length up to which copying a packet costs less than a vectored write: 40 ns against a third of a microsecond.
const SHORT: usize = 4096;
/// The largest packet with its virtio header.
const BUFFER: usize = 65_535 + VnetHeader::LENGTH;
/// Maximum number of parts of [`Device::write`].
pub(super) const MOST_PARTS: usize = 127;

/// TUN_F_USO4 and TUN_F_USO6 of linux/if_tun.h, which are accepted only together.
const UDP_SEGMENTATION: libc::c_uint = 0x20 | 0x40;

fn set_offload(file: &File, accepted: libc::c_uint) -> io::Result<()> {
    // SAFETY: TUNSETOFFLOAD takes its bits by value.
    check(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETOFFLOAD as _, libc::c_ulong::from(accepted)) })
}

fn zeroed_request() -> libc::ifreq {
    // SAFETY: an `ifreq` consists of plain integers, for which zero is valid.
    unsafe { std::mem::zeroed() }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
