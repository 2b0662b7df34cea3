//! One kernel UDP socket. Datagrams are sent and received in batches, with one system call per batch.

#![allow(unsafe_code, reason = "sendmmsg and recvmmsg")]

use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use jettison_sockets::Datagram;
use jettison_tcp::Endpoint;
use jettison_wire::InlineBytes;
use socket2::{Protocol, SockAddr, SockAddrStorage, Socket, Type};

use super::options::{endpoint, new_socket, out_queue, set_traffic_class, sock_addr};
use super::zeros::ZEROS;

/// Maximum number of datagrams per system call.
pub(super) const BATCH: usize = 32;
/// Size of the buffer for control messages; a traffic class takes 24 bytes.
const CONTROL: usize = 64;
/// Approximate send buffer usage of a packet of 1,500 bytes, including the kernel's bookkeeping.
const BUFFERED_PACKET: u64 = 2304;

/// A UDP socket.
#[derive(Debug)]
pub(super) struct UdpSocket {
    socket: Socket,
    pub(super) owner: u32,
    address: IpAddr,
    traffic_class: u8,
    /// Its own end.
    local: Option<Endpoint>,
}

/// A datagram to send.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outgoing {
    /// Index of the socket in the stack's table.
    pub(super) socket: u32,
    pub(super) remote: Endpoint,
    pub(super) datagram: Datagram,
}

/// A received datagram.
#[derive(Debug, Clone, Copy)]
pub(super) struct Incoming {
    pub(super) from: Endpoint,
    pub(super) datagram: Datagram,
}

impl UdpSocket {
    /// Creates a socket bound to that address and port in the thread's current namespace.
    pub(super) fn bind(address: IpAddr, port: u16, owner: u32) -> io::Result<UdpSocket> {
        let socket = new_socket(address, Type::DGRAM, Some(Protocol::UDP))?;
        match address {
            IpAddr::V4(_) => socket.set_recv_tos_v4(true)?,
            IpAddr::V6(_) => socket.set_recv_tclass_v6(true)?,
        }
        // A large buffer absorbs bursts from a router while the thread is busy. Without privilege the kernel limits the size.
        let _ = super::options::set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, 4_i32 << 20)
            .or_else(|_| socket.set_recv_buffer_size(4 << 20));
        socket.bind(&SockAddr::from(SocketAddr::new(address, port)))?;
        let local = socket.local_addr()?.as_socket().map(endpoint);
        Ok(UdpSocket { socket, owner, address, traffic_class: 0, local })
    }

    /// Its own end.
    pub(super) fn local(&self) -> Option<Endpoint> {
        self.local
    }

    /// Approximate number of packets that wait in this host for its device.
    pub(super) fn backlog(&self) -> u64 {
        out_queue(&self.socket).div_ceil(BUFFERED_PACKET)
    }

    /// Sends the leading datagrams of one traffic class, at most one batch. Returns how many the kernel accepted.
    pub(super) fn send(&mut self, batch: &[Outgoing]) -> io::Result<usize> {
        let Some(first) = batch.first() else { return Ok(0) };
        let class = first.datagram.traffic_class;
        if class != self.traffic_class {
            set_traffic_class(&self.socket, self.address, class)?;
            self.traffic_class = class;
        }
        // The traffic class is an option of the socket, so all datagrams of a call share it.
        let same_class = batch.iter().take(BATCH).take_while(|out| out.datagram.traffic_class == class);
        let mut names: [MaybeUninit<SockAddr>; BATCH] = [const { MaybeUninit::uninit() }; BATCH];
        let mut pieces = [[EMPTY; 2]; BATCH];
        // SAFETY: all zeros is a valid `mmsghdr`: null pointers with zero lengths.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
        let mut count = 0;
        for out in same_class {
            // Only the head has real bytes; the rest of the payload is zeros.
            let head = out.datagram.head.as_slice();
            let head = &head[..head.len().min(usize::from(out.datagram.length))];
            let rest = usize::from(out.datagram.length) - head.len();
            pieces[count] = [piece(head), piece(&ZEROS[..rest])];
            let name = names[count].write(sock_addr(out.remote));
            let header = &mut messages[count].msg_hdr;
            header.msg_name = name.as_ptr().cast_mut().cast();
            header.msg_namelen = name.len();
            header.msg_iov = pieces[count].as_mut_ptr();
            header.msg_iovlen = 2;
            count += 1;
        }
        // SAFETY: the first `count` headers point to names and pieces that outlive the call, and the pieces point to heads
        // in `batch` and to a static; the kernel only reads them.
        let sent = unsafe {
            libc::sendmmsg(
                self.socket.as_raw_fd(),
                messages.as_mut_ptr(),
                count as libc::c_uint,
                libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT,
            )
        };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
    }

    /// Receives one batch of datagrams into `out`. Returns whether more may wait.
    pub(super) fn receive(&self, out: &mut Vec<Incoming>) -> bool {
        out.clear();
        let mut heads = [[0_u8; InlineBytes::CAPACITY]; BATCH];
        let mut controls = [Control([0; CONTROL]); BATCH];
        let mut names: [SockAddrStorage; BATCH] = std::array::from_fn(|_| SockAddrStorage::zeroed());
        let mut pieces = [EMPTY; BATCH];
        // SAFETY: all zeros is a valid `mmsghdr`: null pointers with zero lengths.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
        for at in 0..BATCH {
            pieces[at] =
                libc::iovec { iov_base: heads[at].as_mut_ptr().cast(), iov_len: InlineBytes::CAPACITY };
            let header = &mut messages[at].msg_hdr;
            header.msg_name = (&raw mut names[at]).cast();
            header.msg_namelen = names[at].size_of();
            header.msg_iov = &raw mut pieces[at];
            header.msg_iovlen = 1;
            header.msg_control = controls[at].0.as_mut_ptr().cast();
            header.msg_controllen = CONTROL as _;
        }
        // SAFETY: each header points to its own name, piece and control buffer, with correct lengths, which outlive the call.
        // `MSG_TRUNC` returns the datagram's full length; at most the head's capacity is written.
        let count = unsafe {
            libc::recvmmsg(
                self.socket.as_raw_fd(),
                messages.as_mut_ptr(),
                BATCH as libc::c_uint,
                libc::MSG_DONTWAIT | libc::MSG_TRUNC,
                std::ptr::null_mut(),
            )
        };
        let count = usize::try_from(count).unwrap_or_default();
        for ((at, message), name) in messages[..count].iter().enumerate().zip(names) {
            // SAFETY: the kernel has written an address of that length.
            let from = unsafe { SockAddr::new(name, message.msg_hdr.msg_namelen) };
            let Some(from) = from.as_socket() else { continue };
            let length = message.msg_len as usize;
            let head = &heads[at][..length.min(InlineBytes::CAPACITY)];
            let datagram = Datagram {
                head: InlineBytes::new(head).unwrap_or_default(),
                length: length as u16, // a UDP payload is below 64 KiB
                traffic_class: traffic_class(&message.msg_hdr),
            };
            out.push(Incoming { from: endpoint(from), datagram });
        }
        count == BATCH
    }
}

impl AsFd for UdpSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Buffer with the alignment of control messages.
#[derive(Clone, Copy)]
#[repr(align(8))]
struct Control([u8; CONTROL]);

const EMPTY: libc::iovec = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };

fn piece(bytes: &[u8]) -> libc::iovec {
    libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}

/// IPv4 TOS or IPv6 traffic class in the control messages of a received datagram.
fn traffic_class(header: &libc::msghdr) -> u8 {
    // SAFETY: the kernel has written `msg_controllen` bytes of control messages; the macros stay within them. A TOS is a
    // byte, a traffic class an `int` (ip(7), ipv6(7)), which is read without assuming alignment.
    unsafe {
        let mut message = libc::CMSG_FIRSTHDR(header);
        while !message.is_null() {
            let data = libc::CMSG_DATA(message);
            match ((*message).cmsg_level, (*message).cmsg_type) {
                (libc::IPPROTO_IP, libc::IP_TOS) => return data.read(),
                (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) => {
                    return data.cast::<libc::c_int>().read_unaligned() as u8;
                }
                _ => message = libc::CMSG_NXTHDR(header, message),
            }
        }
    }
    0
}
