//! The flows: a sending and a receiving thread for each.

use std::fs::File;
use std::io::{ErrorKind, Read, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use nix::sched::{CloneFlags, setns};
use socket2::{SockRef, Socket};

use crate::job::{Flow, Job};
use crate::path::{RECEIVER, RECEIVER_ADDRESS, SENDER};

const FIRST_PORT: u16 = 5000;
/// Bytes of one `write` and of one `read`.
const PIECE: usize = 1 << 16;

/// The flows while they run.
pub struct Traffic {
    received: Arc<AtomicU64>,
    completions: Receiver<(usize, f64)>,
    sockets: Receiver<Socket>,
    threads: Vec<JoinHandle<()>>,
}

/// What arrived.
pub struct Delivered {
    /// Bytes that the receivers read in the window.
    pub bytes: u64,
    /// Time from each write to the arrival of its last byte, for those that arrived, in order of flow and write.
    pub completion_ms: Vec<f64>,
}

/// The window in which bytes count, and the clock's zero.
#[derive(Clone, Copy)]
struct Clock {
    zero: Instant,
    from: Instant,
    until: Instant,
}

pub fn start(job: &Job, zero: Instant, offset: Duration, from: Instant, until: Instant) -> Result<Traffic> {
    let clock = Clock { zero: zero + offset, from, until };
    let received = Arc::new(AtomicU64::new(0));
    let (completed, completions) = channel();
    let (opened, sockets) = channel();
    let mut threads = Vec::new();
    for (index, flow) in job.flows.iter().enumerate() {
        let port = FIRST_PORT + u16::try_from(index)?;
        let listener = within(RECEIVER, move || TcpListener::bind((RECEIVER_ADDRESS, port)))??;
        let (flow_to_receive, received, completed) = (flow.clone(), Arc::clone(&received), completed.clone());
        let opened_by_receiver = opened.clone();
        threads.push(std::thread::spawn(move || {
            // A connection that breaks has fewer completions, which the host compares.
            let _ = receive(
                &listener,
                index,
                &flow_to_receive,
                clock,
                &received,
                &completed,
                &opened_by_receiver,
            );
        }));
        let (flow, opened) = (flow.clone(), opened.clone());
        threads.push(std::thread::spawn(move || {
            let _ = send(&flow, port, clock, &opened);
        }));
    }
    Ok(Traffic { received, completions, sockets, threads })
}

impl Traffic {
    /// Breaks the connections, and returns what arrived.
    pub fn finish(self) -> Delivered {
        let mut completions: Vec<(usize, f64)> = self.completions.try_iter().collect();
        let bytes = self.received.load(Ordering::Relaxed);
        for socket in self.sockets.try_iter() {
            let _ = socket.set_linger(Some(Duration::ZERO));
            let _ = socket.shutdown(Shutdown::Both);
        }
        for thread in self.threads {
            let _ = thread.join();
        }
        // Stable: the writes of a flow stay in order.
        completions.sort_by_key(|(flow, _)| *flow);
        Delivered { bytes, completion_ms: completions.into_iter().map(|(_, ms)| ms).collect() }
    }
}

/// Runs `work` in a thread of its own inside the namespace.
fn within<T: Send + 'static>(namespace: &str, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let namespace = namespace.to_owned();
    let thread = std::thread::spawn(move || enter(&namespace).map(|()| work()));
    thread.join().map_err(|_| anyhow!("a thread of the traffic panicked"))?
}

fn enter(namespace: &str) -> Result<()> {
    let file =
        File::open(format!("/run/netns/{namespace}")).with_context(|| format!("no namespace {namespace}"))?;
    setns(file, CloneFlags::CLONE_NEWNET).with_context(|| format!("cannot enter {namespace}"))
}

fn send(flow: &Flow, port: u16, clock: Clock, opened: &Sender<Socket>) -> Result<()> {
    enter(SENDER)?;
    sleep_until(clock.zero + Duration::from_micros(flow.start_us));
    let address: SocketAddr = format!("{RECEIVER_ADDRESS}:{port}").parse()?;
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    opened.send(SockRef::from(&stream).try_clone()?)?;
    let zeros = vec![0_u8; PIECE];
    if flow.writes.is_empty() {
        while Instant::now() < clock.until {
            stream.write_all(&zeros)?;
        }
        return Ok(());
    }
    for write in &flow.writes {
        sleep_until(clock.zero + Duration::from_micros(write.at_us));
        let mut left = write.bytes;
        while left > 0 {
            let piece = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            stream.write_all(&zeros[..piece])?;
            left -= piece as u64;
        }
    }
    Ok(())
}

fn receive(
    listener: &TcpListener,
    index: usize,
    flow: &Flow,
    clock: Clock,
    received: &AtomicU64,
    completed: &Sender<(usize, f64)>,
    opened: &Sender<Socket>,
) -> Result<()> {
    let (mut stream, _) = accept(listener, clock.until)?;
    // Inherited from the listener.
    stream.set_read_timeout(None)?;
    opened.send(SockRef::from(&stream).try_clone()?)?;
    let mut buffer = vec![0_u8; PIECE];
    let mut total = 0;
    let mut ends = flow.writes.iter().scan(0, |sum, write| {
        *sum += write.bytes;
        Some((*sum, write.at_us))
    });
    let mut next = ends.next();
    loop {
        let length = stream.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        let now = Instant::now();
        total += length as u64;
        if now >= clock.from && now < clock.until {
            received.fetch_add(length as u64, Ordering::Relaxed);
        }
        while let Some((end, at_us)) = next.filter(|(end, _)| total >= *end) {
            let begun = clock.zero + Duration::from_micros(at_us);
            completed.send((index, now.saturating_duration_since(begun).as_secs_f64() * 1e3))?;
            let _ = end;
            next = ends.next();
        }
    }
}

/// Accepts one connection; gives up at the end of the run.
fn accept(listener: &TcpListener, until: Instant) -> Result<(TcpStream, SocketAddr)> {
    const STEP: Duration = Duration::from_millis(100);
    SockRef::from(listener).set_read_timeout(Some(STEP))?;
    loop {
        match listener.accept() {
            Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < until => {}
            result => return Ok(result?),
        }
    }
}

fn sleep_until(instant: Instant) {
    std::thread::sleep(instant.saturating_duration_since(Instant::now()));
}
