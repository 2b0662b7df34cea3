//! Two hosts in network namespaces, and a path between them run by this process, which delays, drops and records packets.
//!
//! The namespaces have neither names nor processes: they end with their descriptors. Each has one TUN device.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Addresses of the two hosts.
pub const SENDER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
pub const RECEIVER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);

const MTU: i32 = 1500;

/// A network namespace.
pub struct Namespace(File);

impl Namespace {
    /// Its descriptor.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Runs `act` in the namespace, on a separate thread.
    pub fn inside<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| {
            let inside = scope.spawn(|| {
                // SAFETY: the call only moves this thread, which ends here.
                let moved = unsafe { libc::setns(self.0.as_raw_fd(), libc::CLONE_NEWNET) };
                assert_eq!(moved, 0, "setns: {}", std::io::Error::last_os_error());
                act()
            });
            inside.join().expect("the closure does not panic")
        })
    }
}

/// Two hosts connected by a path.
pub struct Network {
    pub sender: Namespace,
    pub receiver: Namespace,
    path: Arc<Path>,
    forwarder: Option<JoinHandle<()>>,
}

/// Settings and records of the path.
#[derive(Default)]
struct Path {
    is_over: AtomicBool,
    /// Whether to drop all packets in both directions.
    has_failed: AtomicBool,
    /// Number of the sender's next data packets to drop.
    drops: AtomicU32,
    /// Arrival times of the sender's data packets.
    seen: Mutex<Vec<Instant>>,
    /// The sender's data packets by ECN field (RFC 3168 §5): Not-ECT, ECT(1), ECT(0), CE, as they came.
    codepoints: [AtomicU32; 4],
    /// Data packets that were marked, and ACKs with ECE.
    marked: AtomicU32,
    echoes: AtomicU32,
    /// Whether to mark all of the sender's data packets.
    marks_all: AtomicBool,
    /// The longest time that a packet waited in the bottleneck, and their sum in nanoseconds with their number.
    waits: Mutex<Waits>,
    bottleneck: Option<Bottleneck>,
}

/// Waits of packets in the bottleneck.
#[derive(Debug, Default, Clone, Copy)]
pub struct Waits {
    pub packets: u32,
    pub total: Duration,
}

/// A link with a tail-drop queue in the sender's direction.
struct Bottleneck {
    /// Time to transmit a packet of any size.
    per_packet: Duration,
    /// Packets that the queue holds, with the one in transmission.
    limit: usize,
    /// The wait from which on ECN-capable packets are marked, all of them.
    mark_from: Option<Duration>,
    /// Ends of transmission of the packets in the queue.
    ends: Mutex<VecDeque<Instant>>,
}

impl Bottleneck {
    /// Queues a packet. Returns the end of its transmission, or `None` if the queue is full.
    fn queue(&self, now: Instant) -> Option<Instant> {
        let mut ends = self.ends.lock().expect("no thread panics while it holds the lock");
        while ends.front().is_some_and(|end| *end <= now) {
            ends.pop_front();
        }
        if ends.len() >= self.limit {
            return None;
        }
        let end = ends.back().map_or(now, |last| *last) + self.per_packet;
        ends.push_back(end);
        Some(end)
    }
}

impl Network {
    /// Creates a path that delays each packet by `one_way`.
    pub fn new(one_way: Duration) -> Network {
        Network::over(one_way, None)
    }

    /// Creates a path that also transmits the sender's packets one at a time, from a queue of `limit` packets.
    pub fn with_bottleneck(one_way: Duration, per_packet: Duration, limit: usize) -> Network {
        Network::over(
            one_way,
            Some(Bottleneck { per_packet, limit, mark_from: None, ends: Mutex::default() }),
        )
    }

    /// Creates a path with a bottleneck that marks packets that will wait for at least `mark_from`.
    pub fn with_marks(one_way: Duration, per_packet: Duration, limit: usize, mark_from: Duration) -> Network {
        let mark_from = Some(mark_from);
        Network::over(one_way, Some(Bottleneck { per_packet, limit, mark_from, ends: Mutex::default() }))
    }

    fn over(one_way: Duration, bottleneck: Option<Bottleneck>) -> Network {
        let (sender, from_sender) = host(SENDER);
        let (receiver, from_receiver) = host(RECEIVER);
        let path = Arc::new(Path { bottleneck, ..Path::default() });
        let forwarder = thread::spawn({
            let path = Arc::clone(&path);
            move || path.forward([from_sender, from_receiver], one_way)
        });
        Network { sender, receiver, path, forwarder: Some(forwarder) }
    }

    /// Drops the sender's next `packets` data packets.
    pub fn drop_next(&self, packets: u32) {
        self.path.drops.store(packets, Ordering::SeqCst);
    }

    /// Drops all packets from now on.
    pub fn fail(&self) {
        self.path.has_failed.store(true, Ordering::SeqCst);
    }

    /// Delivers packets again.
    pub fn repair(&self) {
        self.path.has_failed.store(false, Ordering::SeqCst);
    }

    /// Marks the sender's ECN-capable data packets from now on, or no longer.
    pub fn mark_all(&self, marks: bool) {
        self.path.marks_all.store(marks, Ordering::SeqCst);
    }

    /// The sender's data packets by ECN field, since the beginning.
    pub fn codepoints(&self) -> [u32; 4] {
        self.path.codepoints.each_ref().map(|count| count.load(Ordering::SeqCst))
    }

    /// Packets marked, and ACKs with ECE, since the last call.
    pub fn take_marks(&self) -> (u32, u32) {
        (self.path.marked.swap(0, Ordering::SeqCst), self.path.echoes.swap(0, Ordering::SeqCst))
    }

    /// Waits in the bottleneck since the last call.
    pub fn take_waits(&self) -> Waits {
        std::mem::take(&mut *self.path.waits.lock().expect("the forwarder does not panic"))
    }

    /// Arrival times of the sender's data packets since the last call.
    pub fn take_seen(&self) -> Vec<Instant> {
        std::mem::take(&mut *self.path.seen.lock().expect("the forwarder does not panic"))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.path.is_over.store(true, Ordering::SeqCst);
        if let Some(forwarder) = self.forwarder.take() {
            let ended = forwarder.join();
            assert!(ended.is_ok() || thread::panicking(), "the forwarder panicked");
        }
    }
}

impl Path {
    fn forward(&self, mut devices: [File; 2], one_way: Duration) {
        let mut in_flight: [VecDeque<(Instant, Vec<u8>)>; 2] = Default::default();
        let mut packet = [0; 2048];
        while !self.is_over.load(Ordering::SeqCst) {
            let due = in_flight.iter().filter_map(|queue| queue.front()).map(|(due, _)| *due).min();
            wait(&devices, due);
            for from in 0..2 {
                while let Ok(length) = devices[from].read(&mut packet) {
                    let now = Instant::now();
                    let packet = &mut packet[..length];
                    let passes = self.passes(packet, from == 0, now);
                    let bottleneck = self.bottleneck.as_ref().filter(|_| from == 0);
                    let send = || bottleneck.map_or(Some(now), |link| link.queue(now));
                    if let Some(sent) = passes.then(send).flatten() {
                        self.mark(packet, bottleneck, sent.saturating_duration_since(now));
                        in_flight[from].push_back((sent + one_way, packet.to_vec()));
                    }
                }
            }
            for from in 0..2 {
                while in_flight[from].front().is_some_and(|(due, _)| *due <= Instant::now()) {
                    if let Some((_, packet)) = in_flight[from].pop_front() {
                        // A socket that was closed in the meantime is not an error.
                        let _ = devices[1 - from].write(&packet);
                    }
                }
            }
        }
    }

    /// Marks a packet that will leave after `wait`, if the path marks it.
    fn mark(&self, packet: &mut [u8], bottleneck: Option<&Bottleneck>, wait: Duration) {
        let Some(link) = bottleneck else {
            if self.marks_all.load(Ordering::SeqCst) && tcp_payload(packet).is_some_and(|length| length > 0) {
                self.set_ce(packet);
            }
            return;
        };
        // Its own transmission is no wait.
        let wait = wait.saturating_sub(link.per_packet);
        let mut waits = self.waits.lock().expect("no thread panics while it holds the lock");
        waits.packets += 1;
        waits.total += wait;
        drop(waits);
        if link.mark_from.is_some_and(|least| wait >= least) {
            self.set_ce(packet);
        }
    }

    /// Sets CE in an ECN-capable IPv4 packet, with its checksum (RFC 1624 §3).
    fn set_ce(&self, packet: &mut [u8]) {
        if packet[1] & 3 == 0 || packet[1] & 3 == 3 {
            return;
        }
        let word = |packet: &[u8], at: usize| u32::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
        let old = word(packet, 0);
        packet[1] |= 3;
        let mut sum = (!word(packet, 10) & 0xffff) + (!old & 0xffff) + word(packet, 0);
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        let checksum = !u16::try_from(sum).expect("the carry was added");
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        self.marked.fetch_add(1, Ordering::SeqCst);
    }

    fn passes(&self, packet: &[u8], is_senders: bool, now: Instant) -> bool {
        if self.has_failed.load(Ordering::SeqCst) {
            return false;
        }
        let Some(payload) = tcp_payload(packet) else { return false };
        if !is_senders {
            self.echoes.fetch_add(u32::from(has_ece(packet)), Ordering::SeqCst);
        }
        if !is_senders || payload == 0 {
            return true;
        }
        self.codepoints[usize::from(packet[1] & 3)].fetch_add(1, Ordering::SeqCst);
        self.seen.lock().expect("no thread panics while it holds the lock").push(now);
        let dropped =
            self.drops.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |drops| drops.checked_sub(1)).is_ok();
        !dropped
    }
}

/// Length of a TCP segment's payload; `None` for other packets than TCP over IPv4.
fn tcp_payload(packet: &[u8]) -> Option<usize> {
    let (first, protocol) = (packet.first()?, packet.get(9)?);
    if first >> 4 != 4 || *protocol != 6 {
        return None;
    }
    let header = usize::from(first & 15) * 4;
    let offset = usize::from(packet.get(header + 12)? >> 4) * 4;
    packet.len().checked_sub(header + offset)
}

/// Whether a TCP packet over IPv4 has ECE.
fn has_ece(packet: &[u8]) -> bool {
    packet.get(usize::from(packet[0] & 15) * 4 + 13).is_some_and(|flags| flags & 0x40 != 0)
}

/// Waits until a device is readable or until `due`, at most 50 ms.
fn wait(devices: &[File; 2], due: Option<Instant>) {
    let longest = Duration::from_millis(50);
    let timeout = due.map_or(longest, |due| due.saturating_duration_since(Instant::now()).min(longest));
    let mut polled = devices.each_ref().map(|device| libc::pollfd {
        fd: device.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    });
    let timeout = libc::timespec { tv_sec: 0, tv_nsec: i64::from(timeout.subsec_nanos()) };
    // SAFETY: `polled` and `timeout` outlive the call; there is no signal mask.
    unsafe { libc::ppoll(polled.as_mut_ptr(), 2, &timeout, std::ptr::null()) };
}

/// Creates a namespace with a TUN device as its only connection.
fn host(address: Ipv4Addr) -> (Namespace, File) {
    let made = thread::spawn(move || {
        // SAFETY: the call only moves this thread, which ends here.
        let moved = unsafe { libc::unshare(libc::CLONE_NEWNET) };
        assert_eq!(moved, 0, "unshare: {}", std::io::Error::last_os_error());
        let namespace = File::open("/proc/thread-self/ns/net").expect("a thread has a network namespace");
        (Namespace(namespace), device(address))
    });
    made.join().expect("root may create a namespace and a device")
}

/// Creates a TUN device in this thread's namespace, up, with `address`/24.
fn device(address: Ipv4Addr) -> File {
    const NAME: &[u8] = b"path";
    let mut options = OpenOptions::new();
    let tun = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun");
    let tun = tun.expect("/dev/net/tun exists");
    // SAFETY: all zeros is a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(NAME) {
        *to = i8::from_ne_bytes([*from]) as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as i16;
    ioctl(&tun, libc::TUNSETIFF, &mut request);

    // SAFETY: the descriptor is new and owned by us.
    let socket = unsafe {
        let descriptor = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        assert!(descriptor >= 0, "{}", std::io::Error::last_os_error());
        <File as std::os::fd::FromRawFd>::from_raw_fd(descriptor)
    };
    request.ifr_ifru.ifru_mtu = MTU;
    ioctl(&socket, libc::SIOCSIFMTU, &mut request);
    for (request_code, address) in
        [(libc::SIOCSIFADDR, address), (libc::SIOCSIFNETMASK, Ipv4Addr::new(255, 255, 255, 0))]
    {
        let inet = libc::sockaddr_in {
            sin_family: libc::AF_INET as libc::sa_family_t,
            sin_port: 0,
            sin_addr: libc::in_addr { s_addr: u32::from(address).to_be() },
            sin_zero: [0; 8],
        };
        // SAFETY: both types have 16 bytes (sockaddr(3type)).
        request.ifr_ifru.ifru_addr =
            unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(inet) };
        ioctl(&socket, request_code, &mut request);
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
    ioctl(&socket, libc::SIOCSIFFLAGS, &mut request);
    tun
}

fn ioctl(file: &File, code: libc::Ioctl, request: &mut libc::ifreq) {
    // SAFETY: each of these requests takes an `ifreq`, which outlives the call.
    let done = unsafe { libc::ioctl(file.as_raw_fd(), code, std::ptr::from_mut(request)) };
    assert_eq!(done, 0, "ioctl {code:#x}: {}", std::io::Error::last_os_error());
}
