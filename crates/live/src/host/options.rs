//! Kernel socket options: those that `socket2` does not provide, and the mapping of TCP parameters to options.

#![allow(unsafe_code, reason = "ioctl and socket options")]

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd};

use jettison_core::Duration;
use jettison_tcp::Endpoint;
use jettison_tcp::{Switch, TcpParameters};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::congestion::kernel_congestion;
use super::tcp_info::TcpInfo;

/// `TCP_RTO_MAX_MS` of `linux/tcp.h` (Linux 6.15).
const TCP_RTO_MAX_MS: libc::c_int = 44;
/// `TCP_RTO_MIN_US` (Linux 6.16).
const TCP_RTO_MIN_US: libc::c_int = 45;
/// `TCP_DELACK_MAX_US` (Linux 6.16).
const TCP_DELACK_MAX_US: libc::c_int = 46;
/// `SIOCOUTQNSD` of `linux/sockios.h`: bytes written but not sent.
const SIOCOUTQNSD: libc::c_ulong = 0x894b;
/// Limit of unsent bytes in the kernel. A higher limit would hide the backlog from programs that react to back-pressure; a
/// lower one would let a fast link idle between two wakeups.
const NOT_SENT: u32 = 256 << 10;

/// Checks that a socket in the calling thread's namespace can use the congestion control of these parameters.
///
/// # Errors
/// The reason why it cannot.
pub fn check_congestion(parameters: &TcpParameters) -> Result<(), String> {
    let name = kernel_congestion(parameters)?;
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).map_err(|error| error.to_string())?;
    socket
        .set_tcp_congestion(name.as_bytes())
        .map_err(|error| format!("cannot use the kernel's congestion control `{name}`: {error}"))
}

/// Whether a socket in the calling thread's namespace can use this congestion control of the kernel, whose module is loaded if
/// there is one.
pub fn has_congestion(name: &str) -> bool {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None);
    socket.is_ok_and(|socket| socket.set_tcp_congestion(name.as_bytes()).is_ok())
}

/// Creates a non-blocking socket of that type for the address family of `address`.
pub(super) fn new_socket(address: IpAddr, kind: Type, protocol: Option<Protocol>) -> io::Result<Socket> {
    let domain = if address.is_ipv4() { Domain::IPV4 } else { Domain::IPV6 };
    let socket = Socket::new(domain, kind, protocol)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

pub(super) fn sock_addr(endpoint: Endpoint) -> SockAddr {
    SockAddr::from(SocketAddr::new(endpoint.address.into(), endpoint.port))
}

pub(super) fn endpoint(address: SocketAddr) -> Endpoint {
    // IPv4-mapped IPv6 addresses become IPv4 addresses.
    Endpoint { address: address.ip().to_canonical().into(), port: address.port() }
}

/// Applies a flow's parameters to a TCP socket. Returns one message per rejected option.
pub(super) fn apply(socket: &Socket, address: IpAddr, parameters: &TcpParameters) -> Vec<String> {
    let defaults = TcpParameters::default();
    let mut refused = Vec::new();
    let mut check = |option: &str, result: io::Result<()>| {
        if let Err(error) = result {
            refused.push(format!("{option}: {error}"));
        }
    };
    // As in the simulator, small segments are sent at once (RFC 9293 §3.7.4 allows it).
    check("TCP_NODELAY", socket.set_tcp_nodelay(true));
    check("TCP_NOTSENT_LOWAT", socket.set_tcp_notsent_lowat(NOT_SENT));
    match kernel_congestion(parameters) {
        Ok(name) => {
            check(&format!("congestion control `{name}`"), socket.set_tcp_congestion(name.as_bytes()));
        }
        Err(error) => check("congestion", Err(io::Error::other(error))),
    }
    if parameters.dscp != 0 {
        check("dscp", set_traffic_class(socket, address, parameters.dscp << 2));
    }
    if parameters.mss != defaults.mss {
        // The socket option is the MSS of RFC 9293 §3.7.1, which includes TCP options (RFC 6691); timestamps take 12 bytes.
        let options = if parameters.timestamps { 12 } else { 0 };
        check("mss", socket.set_tcp_mss(u32::from(parameters.mss) + options));
    }
    if parameters.receive_buffer != defaults.receive_buffer {
        check("receive_buffer", set_receive_buffer(socket, parameters.receive_buffer.get()));
    }
    if parameters.pacing == Switch::On {
        // Any limit enables the kernel's pacing; this one never lowers the window's own rate.
        let no_limit = u64::MAX - 1;
        check("pacing", set(socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, no_limit));
    }
    if parameters.min_rto != defaults.min_rto {
        let micros = clamped(parameters.min_rto.as_micros());
        check("min_rto", set(socket, libc::IPPROTO_TCP, TCP_RTO_MIN_US, micros));
    }
    if parameters.max_rto != defaults.max_rto {
        let millis = clamped(parameters.max_rto.as_millis());
        check("max_rto", set(socket, libc::IPPROTO_TCP, TCP_RTO_MAX_MS, millis));
    }
    if parameters.delayed_ack_timeout != defaults.delayed_ack_timeout {
        let micros = clamped(parameters.delayed_ack_timeout.as_micros());
        check("delayed_ack_timeout", set(socket, libc::IPPROTO_TCP, TCP_DELACK_MAX_US, micros));
    }
    if parameters.max_retransmissions != defaults.max_retransmissions {
        let timeout = std::time::Duration::from_nanos(retransmission_time(parameters).as_nanos());
        check("max_retransmissions", socket.set_tcp_user_timeout(Some(timeout)));
    }
    refused
}

/// Duration of the maximum number of consecutive timeouts, starting at the minimum RTO and doubling each time. The kernel
/// counts retransmissions in the same way (`tcp_retries2` in its `ip-sysctl` document).
fn retransmission_time(parameters: &TcpParameters) -> Duration {
    let mut rto = parameters.min_rto;
    let mut sum = Duration::ZERO;
    for _ in 0..=parameters.max_retransmissions.min(1000) {
        sum = sum.saturating_add(rto);
        rto = rto.saturating_mul(2).min(parameters.max_rto);
    }
    sum
}

fn set_receive_buffer(socket: &Socket, bytes: u64) -> io::Result<()> {
    let size = clamped(bytes.min(i32::MAX as u64 / 2));
    // Exceeding `rmem_max` requires the privilege.
    if set(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, size).is_ok() {
        return Ok(());
    }
    socket.set_recv_buffer_size(size as usize)?;
    // The kernel doubles the value for its own bookkeeping (socket(7)).
    let got = socket.recv_buffer_size()? / 2;
    if got < size as usize {
        return Err(io::Error::other(format!(
            "limited to {got} bytes by net.core.rmem_max without root, required: {size}"
        )));
    }
    Ok(())
}

fn clamped(value: u64) -> libc::c_int {
    value.min(libc::c_int::MAX as u64) as libc::c_int
}

/// Sets the IPv4 TOS or IPv6 traffic class of outgoing packets.
pub(super) fn set_traffic_class(socket: &Socket, address: IpAddr, class: u8) -> io::Result<()> {
    match address {
        IpAddr::V4(_) => socket.set_tos_v4(u32::from(class)),
        IpAddr::V6(_) => socket.set_tclass_v6(u32::from(class)),
    }
}

/// Bytes of a connection that are not acknowledged yet, with a FIN counted as one byte; for a datagram socket, the bytes in
/// its send buffer.
pub(super) fn out_queue(socket: &Socket) -> u64 {
    queue_length(socket, libc::TIOCOUTQ)
}

/// Bytes of a connection that were not sent yet, with a FIN counted as one byte.
pub(super) fn not_sent(socket: &Socket) -> u64 {
    queue_length(socket, SIOCOUTQNSD)
}

fn queue_length(socket: &Socket, request: libc::c_ulong) -> u64 {
    let mut value: libc::c_int = 0;
    // SAFETY: the descriptor is open while borrowed, and both requests write one `int`.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), request as _, &raw mut value) };
    if result < 0 { 0 } else { value.max(0) as u64 }
}

/// Reads `TCP_INFO` of a connection.
pub(super) fn tcp_info(socket: &Socket) -> Option<TcpInfo> {
    let mut bytes = [0_u8; TcpInfo::LENGTH];
    let mut length = bytes.len() as libc::socklen_t;
    // SAFETY: the descriptor is open while borrowed; at most `length` bytes are written to `bytes`, which has as many.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    (result == 0).then(|| TcpInfo::parse(&bytes[..bytes.len().min(length as usize)]))
}

/// Sets an option with a plain value.
pub(super) fn set<T: Copy>(
    socket: &Socket,
    level: libc::c_int,
    name: libc::c_int,
    value: T,
) -> io::Result<()> {
    // SAFETY: the descriptor is open while borrowed, and the kernel reads `size_of::<T>()` bytes of `value`.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw const value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_retransmission_time_is_the_sum_of_the_timeouts() {
        let parameters = TcpParameters { max_retransmissions: 3, ..TcpParameters::default() };
        assert_eq!(retransmission_time(&parameters), Duration::from_millis(200 + 400 + 800 + 1600));
        // The documentation gives 924.6 seconds for `tcp_retries2` = 15.
        assert_eq!(retransmission_time(&TcpParameters::default()), Duration::from_millis(924_600));
    }

    #[test]
    fn an_unknown_congestion_control_is_named_in_the_error() {
        let named = |name: &str| TcpParameters { congestion: name.into(), ..TcpParameters::default() };
        assert_eq!(check_congestion(&named("newreno")), Ok(()));
        assert!(check_congestion(&named("vegas")).is_err_and(|error| error.contains("vegas")));
    }
}
