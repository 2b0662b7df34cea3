//! The route family of netlink (rtnetlink(7)): devices, addresses, routes and queueing disciplines of the calling thread's
//! namespace.

use std::io::{self, Read};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

use super::message::{Request, failure, messages};

/// The kernel answers at once. Should it not, that is an error and no hang.
const PATIENCE: Duration = Duration::from_secs(10);
/// The kernel fills at most half of this at once.
const BUFFER: usize = 64 << 10;

/// Sends a request that has `NLM_F_ACK`, and waits until the kernel has done it.
///
/// # Errors
/// The kernel's reason, if it refuses.
pub(crate) fn transact(request: &Request) -> io::Result<()> {
    dump(request, |_| {})
}

/// Sends a request that has `NLM_F_DUMP`, and hands on what is behind the header of each message of the answer.
///
/// # Errors
/// The kernel's reason, if it refuses.
pub(crate) fn dump(request: &Request, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    // A socket belongs to the namespace in which it is made, so each request has its own.
    let protocol = Protocol::from(libc::NETLINK_ROUTE);
    let mut socket = Socket::new(Domain::from(libc::AF_NETLINK), Type::RAW, Some(protocol))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send(request.as_bytes())?;
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = socket.read(&mut buffer)?;
        for (kind, body) in messages(&buffer[..count]) {
            match i32::from(kind) {
                libc::NLMSG_DONE => return Ok(()),
                // Also the acknowledgement.
                libc::NLMSG_ERROR => return failure(body).map_or(Ok(()), Err),
                _ => take(body),
            }
        }
    }
}
