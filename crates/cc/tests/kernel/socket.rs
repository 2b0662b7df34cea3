//! A TCP connection over the network with a given congestion control.

use std::io::{Read, Write};
use std::mem::size_of;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread::{self, JoinHandle};

use crate::network::{Network, RECEIVER};
use crate::wait_for;

/// Socket buffer size, sufficient for every window of these tests.
const BUFFER: i32 = 8 << 20;

/// The sending end of a connection. The other end reads everything.
pub struct Sender {
    stream: Option<TcpStream>,
    reader: Option<JoinHandle<()>>,
}

/// Values of TCP_INFO.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    pub window: u32,
    pub ssthresh: u32,
    pub unacknowledged: u32,
    pub retransmitted: u32,
    pub is_open: bool,
    /// Packets delivered, and those that were marked among them.
    pub delivered: u32,
    pub delivered_ce: u32,
    /// Bytes per second; the greatest number where there is no pacing.
    pub pacing_rate: u64,
    /// Round-trip time, smoothed, in microseconds.
    pub rtt: u32,
}

impl Sender {
    /// Opens a connection that uses `control` from its first packet on.
    pub fn connect(network: &Network, control: &str) -> Sender {
        Sender::connect_to(network, control, None)
    }

    /// Opens such a connection to a receiver that has the control `receivers`.
    pub fn connect_to(network: &Network, control: &str, receivers: Option<&str>) -> Sender {
        let listener =
            network.receiver.inside(|| TcpListener::bind((RECEIVER, 0)).expect("any port is free"));
        if let Some(name) = receivers {
            set(&listener, libc::IPPROTO_TCP, libc::TCP_CONGESTION, name.as_bytes());
        }
        set(&listener, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &BUFFER.to_ne_bytes());
        let port = listener.local_addr().expect("the listener is bound").port();
        let reader = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection arrives");
            let mut read = vec![0; 1 << 16];
            while matches!(stream.read(&mut read), Ok(1..)) {}
        });
        // The control is set before connecting, so that the system's default never applies.
        let stream = network.sender.inside(|| {
            // SAFETY: the descriptor is new and owned by us.
            let stream = unsafe {
                let descriptor = libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
                assert!(descriptor >= 0, "{}", std::io::Error::last_os_error());
                <TcpStream as std::os::fd::FromRawFd>::from_raw_fd(descriptor)
            };
            choose(&stream, control);
            set(&stream, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, &BUFFER.to_ne_bytes());
            connect(&stream, port);
            stream
        });
        stream.set_nodelay(true).expect("the socket is a TCP socket");
        Sender { stream: Some(stream), reader: Some(reader) }
    }

    /// Closes the connection without waiting for the other end, which must end later.
    pub fn close(mut self) {
        self.stream = None;
        self.reader = None;
    }

    /// Changes the congestion control.
    pub fn switch_to(&self, control: &str) {
        choose(self.stream(), control);
    }

    /// Writes `packets` full packets.
    pub fn write(&self, packets: usize) {
        let bytes = vec![0; packets * 1448];
        (&mut self.stream()).write_all(&bytes).expect("the other end reads");
    }

    /// Writes `packets` full packets and waits until all data are acknowledged.
    pub fn send(&self, packets: usize) {
        self.write(packets);
        self.finish();
    }

    /// Waits until all data are acknowledged and no loss recovery is active.
    pub fn finish(&self) {
        wait_for("the acknowledgement of all data", || {
            let info = self.info();
            info.unacknowledged == 0 && info.is_open
        });
    }

    pub fn info(&self) -> Info {
        // With the members up to `delivered_ce` (linux/tcp.h), which libc's struct does not have.
        let mut info = [0u8; 200];
        let mut length = info.len() as libc::socklen_t;
        let to = info.as_mut_ptr().cast();
        // SAFETY: `info` has room for `length` bytes.
        let done = unsafe {
            libc::getsockopt(self.stream().as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, to, &mut length)
        };
        assert_eq!(done, 0, "TCP_INFO: {}", std::io::Error::last_os_error());
        let word = |at: usize| u32::from_ne_bytes([info[at], info[at + 1], info[at + 2], info[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        Info {
            window: word(80),
            ssthresh: word(76),
            unacknowledged: word(24),
            retransmitted: word(100),
            // After marks the kernel reduces the window until it sends again (TCP_CA_CWR).
            is_open: matches!(info[1], 0 | 2),
            delivered: word(192),
            delivered_ce: word(196),
            pacing_rate: long(104),
            rtt: word(68),
        }
    }

    fn stream(&self) -> &TcpStream {
        self.stream.as_ref().expect("the stream exists until the sender is dropped")
    }
}

impl Drop for Sender {
    /// Closes the connection before the network ends, which ends the reader.
    fn drop(&mut self) {
        self.stream = None;
        if let Some(reader) = self.reader.take() {
            let ended = reader.join();
            assert!(ended.is_ok() || thread::panicking(), "the reader panicked");
        }
    }
}

fn choose(stream: &TcpStream, control: &str) {
    set(stream, libc::IPPROTO_TCP, libc::TCP_CONGESTION, control.as_bytes());
}

fn connect(stream: &TcpStream, port: u16) {
    let to = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(RECEIVER).to_be() },
        sin_zero: [0; 8],
    };
    let length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    // SAFETY: `to` has `length` bytes.
    let done = unsafe { libc::connect(stream.as_raw_fd(), std::ptr::from_ref(&to).cast(), length) };
    assert_eq!(done, 0, "connect: {}", std::io::Error::last_os_error());
}

fn set(socket: &impl AsRawFd, level: i32, option: i32, value: &[u8]) {
    let length = value.len() as libc::socklen_t;
    // SAFETY: `value` has `length` bytes.
    let done = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value.as_ptr().cast(), length) };
    assert_eq!(done, 0, "setsockopt {level} {option}: {}", std::io::Error::last_os_error());
}
