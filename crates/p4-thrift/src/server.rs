//! Serves a switch on a socket: a thread per connection, as clients have few.

use std::io::{self, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use jettison_core::Time;

use crate::codec::{Fields, Message, MessageKind, ReadError, read_message, write_message};
use crate::fault::{Fault, internal};
use crate::service::{Call, Device, Returned, Services, Target};

/// Maximum number of connections; further ones are closed at once.
const MAX_CONNECTIONS: usize = 64;

/// Something to do with a switch, at the switch's time.
pub type Job = Box<dyn FnOnce(&mut dyn Target, Time) + Send>;

/// Whoever has a switch.
pub trait Owner: Send + Sync {
    /// Executes a job, now or later. A job that is dropped was not executed.
    fn execute(&self, job: Job);
}

/// A switch and its services.
struct Served {
    owner: Arc<dyn Owner>,
    services: Mutex<Services>,
    connections: AtomicUsize,
}

/// Serves a switch on a bound listener.
///
/// # Errors
/// If the listener fails. It does not end otherwise.
pub fn serve(listener: &TcpListener, owner: Arc<dyn Owner>, device: Device) -> io::Result<()> {
    let services = Mutex::new(Services::new(device));
    let served = Arc::new(Served { owner, services, connections: AtomicUsize::new(0) });
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            // The client has gone already, or a signal came.
            Err(error) if is_passing(&error) => continue,
            Err(error) => return Err(error),
        };
        if served.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            served.connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let here = Arc::clone(&served);
        let spawned = thread::Builder::new().name("thrift".to_owned()).spawn(move || {
            // A connection that fails ends; the client sees that it is closed.
            let _ = converse(stream, &here);
            here.connections.fetch_sub(1, Ordering::Relaxed);
        });
        if spawned.is_err() {
            served.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted)
}

/// Answers the calls of a connection, one after the other.
fn converse(mut stream: TcpStream, served: &Arc<Served>) -> Result<(), ReadError> {
    // Answers are small, and clients wait for each.
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream.try_clone()?);
    while let Some(call) = read_message(&mut input)? {
        if !matches!(call.kind, MessageKind::Call | MessageKind::Oneway) {
            return Err(ReadError::Malformed("a client sends calls"));
        }
        let (name, sequence, kind, is_strict) = (call.name.clone(), call.sequence, call.kind, call.is_strict);
        let returned = execute(served, call);
        if kind == MessageKind::Call {
            stream.write_all(&write_message(&answer(&name, sequence, is_strict, returned)))?;
        }
    }
    Ok(())
}

/// Executes a call where the switch is.
fn execute(served: &Arc<Served>, call: Message) -> Returned {
    let (sender, result) = channel();
    let (here, since_epoch) = (Arc::clone(served), since_epoch());
    served.owner.execute(Box::new(move |target, now| {
        // A lock whose holder panicked still has usable services: calls change them in single steps.
        let mut services = here.services.lock().unwrap_or_else(PoisonError::into_inner);
        let call = Call { name: &call.name, arguments: &call.fields, now, since_epoch };
        // The client may have gone.
        let _ = sender.send(services.call(target, &call));
    }));
    result.recv().unwrap_or_else(|_| Err(internal("the switch has ended")))
}

#[expect(clippy::disallowed_methods, reason = "clients ask a live switch for the machine's time")]
fn since_epoch() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// The message that answers a call. Its name is that of the method, without the service.
fn answer(name: &str, sequence: i32, is_strict: bool, returned: Returned) -> Message {
    let name = name.rsplit_once(':').map_or(name, |(_, method)| method).to_owned();
    let (kind, fields) = match returned {
        Ok(Some(value)) => (MessageKind::Reply, Fields::new().with(0, value)),
        Ok(None) => (MessageKind::Reply, Fields::new()),
        // Every method declares one exception, as field 1, with one field.
        Err(Fault::Declared(code)) => {
            (MessageKind::Reply, Fields::new().with(1, Fields::new().with(1, code)))
        }
        Err(Fault::Application(kind, message)) => {
            (MessageKind::Exception, Fields::new().with(1, message).with(2, kind as i32))
        }
    };
    Message { kind, name, sequence, fields, is_strict }
}
