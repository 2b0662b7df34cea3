//! The route family of netlink (rtnetlink(7)): devices, addresses, routes and queueing disciplines of the calling thread's
//! namespace.

use std::io::{self, Read};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

use super::message::{Request, failure, messages};

/// Timeout for the kernel's answer, which normally comes at once. Turns a hang into an error.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Receive buffer; the kernel fills at most half of it per datagram.
const BUFFER: usize = 64 << 10;

/// Sends a request with `NLM_F_ACK` and waits until the kernel has executed it.
///
/// # Errors
/// The kernel's error if it rejects the request.
pub(crate) fn transact(request: &Request) -> io::Result<()> {
    dump(request, |_| {})
}

/// Sends a request with `NLM_F_DUMP` and passes the body of each answer to `take`.
///
/// # Errors
/// The kernel's error if it rejects the request.
pub(crate) fn dump(request: &Request, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    // A socket belongs to the namespace in which it is created, so each request has its own.
    let protocol = Protocol::from(libc::NETLINK_ROUTE);
    let mut socket = Socket::new(Domain::from(libc::AF_NETLINK), Type::RAW, Some(protocol))?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    socket.send(request.as_bytes())?;
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = socket.read(&mut buffer)?;
        for (kind, body) in messages(&buffer[..count]) {
            match i32::from(kind) {
                libc::NLMSG_DONE => return Ok(()),
                // Also the type of an acknowledgement.
                libc::NLMSG_ERROR => return failure(body).map_or(Ok(()), Err),
                _ => take(body),
            }
        }
    }
}
