//! The server, on its own thread: publishing never waits for a browser.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::watch;

use crate::history::History;
use crate::routes;
use crate::snapshot::Event;

/// Time for readers to receive the last events when the server shuts down.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

/// A page on loopback that shows [published](Watch::publish) events. The server ends when this value is dropped.
///
/// Starts a thread: a process that forks without `exec` must do so before.
#[derive(Debug)]
pub struct Watch {
    address: SocketAddr,
    history: Arc<Mutex<History>>,
    /// Sends the newest sequence number. Dropping the sender ends readers and server.
    newest: Option<watch::Sender<u64>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts the server on 127.0.0.1 at `port`; 0 selects a free port.
    ///
    /// # Errors
    ///
    /// If the port is in use or not permitted (the message names it), or if no thread or socket is available.
    pub fn start(port: u16) -> io::Result<Watch> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| bind_error(port, &error))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let history = Arc::new(Mutex::new(History::default()));
        let (newest, receiver) = watch::channel(0);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let source = Source { history: history.clone(), newest: receiver };
        let thread = std::thread::Builder::new()
            .name("watch".into())
            .spawn(move || runtime.block_on(serve(listener, source)))?;
        Ok(Watch { address, history, newest: Some(newest), thread: Some(thread) })
    }

    /// Address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Publishes an event to current and future readers. Never waits: a slow reader misses snapshots.
    pub fn publish(&self, event: &Event) {
        let json = serde_json::to_string(event).expect("events are plain data with text as keys");
        let sequence = locked(&self.history).push(event, json.into());
        if let Some(newest) = &self.newest {
            newest.send_replace(sequence);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.newest = None;
        if let Some(thread) = self.thread.take() {
            // After a panic of the server there is nothing left to end.
            let _ = thread.join();
        }
    }
}

/// Data source of the routes.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) history: Arc<Mutex<History>>,
    /// Changes with each event; closed when the server shuts down.
    pub(crate) newest: watch::Receiver<u64>,
}

/// Locks the history. It is consistent between any two statements that may panic, so a poisoned lock can be used.
pub(crate) fn locked(history: &Mutex<History>) -> MutexGuard<'_, History> {
    history.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: TcpListener, source: Source) {
    // Cannot fail: the listener is non-blocking, and the runtime has I/O.
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let (mut ending, mut ended) = (source.newest.clone(), source.newest.clone());
    let server = axum::serve(listener, routes::router(source))
        .with_graceful_shutdown(async move { while ending.changed().await.is_ok() {} });
    let deadline = async {
        while ended.changed().await.is_ok() {}
        tokio::time::sleep(SHUTDOWN_GRACE).await;
    };
    // Slower readers are disconnected when the runtime ends.
    tokio::select! {
        _ = server => {}
        () = deadline => {}
    }
}

fn bind_error(port: u16, error: &io::Error) -> io::Error {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "is in use; choose another port, or 0 for any free port".into(),
        io::ErrorKind::PermissionDenied => "is not permitted for this user; the port must be > 1023".into(),
        _ => format!("is not available: {error}"),
    };
    io::Error::new(error.kind(), format!("port {port} of 127.0.0.1 {why}"))
}
