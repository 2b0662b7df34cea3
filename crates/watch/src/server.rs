//! The server: a thread of its own, so that whoever publishes never waits for a browser.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::watch;

use crate::history::History;
use crate::routes;
use crate::snapshot::Event;

/// How long readers may take to read the last events once the server is told to end.
const FAREWELL: Duration = Duration::from_millis(500);

/// A page on loopback that shows what is [published](Watch::publish). It ends when this is dropped.
///
/// It starts a thread: a process that forks without `exec` should have done so before.
#[derive(Debug)]
pub struct Watch {
    address: SocketAddr,
    history: Arc<Mutex<History>>,
    /// The newest sequence number. Without a sender the readers and the server end.
    newest: Option<watch::Sender<u64>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Serves on 127.0.0.1, at `port`, or with 0 at any that is free.
    ///
    /// # Errors
    ///
    /// The port is in use or not permitted (the message names it), or the system has no thread or socket left.
    pub fn start(port: u16) -> io::Result<Watch> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| refused(port, &error))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let history = Arc::new(Mutex::new(History::default()));
        let (newest, news) = watch::channel(0);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let source = Source { history: history.clone(), news };
        let thread = std::thread::Builder::new()
            .name("watch".into())
            .spawn(move || runtime.block_on(serve(listener, source)))?;
        Ok(Watch { address, history, newest: Some(newest), thread: Some(thread) })
    }

    /// Where the page is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The page's address for a person.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Tells everyone who watches, now or later. Does not wait for anyone: a reader that is too slow misses snapshots.
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
            // If the server panicked there is nothing left to end.
            let _ = thread.join();
        }
    }
}

/// What the routes read from.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) history: Arc<Mutex<History>>,
    /// Changes when there is something new; closed when the server is to end.
    pub(crate) news: watch::Receiver<u64>,
}

/// A history is whole between any two statements that could panic, so a poisoned lock is as good as another.
pub(crate) fn locked(history: &Mutex<History>) -> MutexGuard<'_, History> {
    history.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: TcpListener, source: Source) {
    // Cannot fail: the listener is non-blocking, and the runtime has I/O.
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let (mut ending, mut ended) = (source.news.clone(), source.news.clone());
    let server = axum::serve(listener, routes::router(source))
        .with_graceful_shutdown(async move { while ending.changed().await.is_ok() {} });
    let deadline = async {
        while ended.changed().await.is_ok() {}
        tokio::time::sleep(FAREWELL).await;
    };
    // Readers that have not read all by then are cut off, with the runtime.
    tokio::select! {
        _ = server => {}
        () = deadline => {}
    }
}

fn refused(port: u16, error: &io::Error) -> io::Error {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "is in use; choose another, or 0 for any that is free".into(),
        io::ErrorKind::PermissionDenied => "is not permitted to this user; choose one above 1023".into(),
        _ => format!("cannot be used: {error}"),
    };
    io::Error::new(error.kind(), format!("port {port} of 127.0.0.1 {why}"))
}
