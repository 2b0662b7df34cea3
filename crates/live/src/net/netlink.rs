//! One request to the kernel's route netlink, from the calling thread's namespace.

use std::io;

use rtnetlink::{Error, Handle, new_connection};

use crate::LiveError;

/// Runs `request` on a connection in the calling thread's namespace, and waits for its answer.
pub(super) fn run<R>(
    what: &str,
    request: impl AsyncFnOnce(Handle) -> Result<R, Error>,
) -> Result<R, LiveError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .map_err(LiveError::system("netlink could not be reached"))?;
    runtime.block_on(async {
        let (connection, handle, _unasked) =
            new_connection().map_err(LiveError::system("netlink could not be reached"))?;
        tokio::spawn(connection);
        request(handle)
            .await
            .map_err(|error| LiveError::System { what: what.to_owned(), source: reason(error) })
    })
}

fn reason(error: Error) -> io::Error {
    match error {
        Error::NetlinkError(message) => message.to_io(),
        other => io::Error::other(other.to_string()),
    }
}
