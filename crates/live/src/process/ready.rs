//! When a program is ready for others.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::command::Program;
use super::log;
use crate::net::Namespace;
use crate::{LiveError, clock};

/// What makes a program ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// A socket waits at this port in the program's host. Nothing is sent to find out.
    Port(u16, Transport),
    /// Its output or error output holds this text.
    Output(String),
    /// This file exists; relative to the program's directory.
    File(PathBuf),
    /// So much time has passed since it was started.
    Delay(Duration),
}

/// The protocol of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A listening socket.
    Tcp,
    /// A bound socket.
    Udp,
}

/// A program being watched; [`super::command::Supervisor::watch`].
#[derive(Debug)]
pub struct Watch {
    flow: String,
    host: Arc<Namespace>,
    readiness: Readiness,
    log: PathBuf,
    start: Instant,
    begin: Instant,
    timeout: Duration,
    /// How much of both logs was looked through.
    read: [u64; 2],
}

impl Watch {
    pub(super) fn new(program: &Program, start: Instant, readiness: Readiness, timeout: Duration) -> Self {
        let readiness = match (readiness, &program.directory) {
            (Readiness::File(file), Some(directory)) => Readiness::File(directory.join(file)),
            (other, _) => other,
        };
        Self {
            flow: program.name.clone(),
            host: program.host.clone(),
            readiness,
            log: program.log.clone(),
            start,
            begin: clock::now(),
            timeout,
            read: [0; 2],
        }
    }

    /// Whether the program is ready now.
    ///
    /// # Errors
    /// The time is over. A delay is never too long.
    pub fn poll(&mut self) -> Result<bool, LiveError> {
        let met = match &self.readiness {
            Readiness::Delay(delay) => return Ok(self.start.elapsed() >= *delay),
            Readiness::File(file) => file.exists(),
            &Readiness::Port(port, transport) => waits(&self.host, port, transport)?,
            Readiness::Output(text) => {
                let text = text.clone();
                self.appeared(text.as_bytes())
            }
        };
        if !met && self.begin.elapsed() >= self.timeout {
            return Err(LiveError::NotReady {
                flow: self.flow.clone(),
                what: self.expectation(),
                timeout: self.timeout,
                log: log::as_end_of_sentence(&log::last_lines(&self.log)),
            });
        }
        Ok(met)
    }

    fn appeared(&mut self, text: &[u8]) -> bool {
        let logs = [log::output(&self.log), log::errors(&self.log)];
        for (path, read) in logs.iter().zip(&mut self.read) {
            let mut news = Vec::new();
            // The text may lie across the place where the last look ended.
            let from = read.saturating_sub(text.len() as u64);
            let got = File::open(path).and_then(|mut file| {
                file.seek(SeekFrom::Start(from))?;
                file.read_to_end(&mut news)
            });
            if got.is_ok() {
                *read = from + news.len() as u64;
            }
            if text.is_empty() || news.windows(text.len()).any(|window| window == text) {
                return true;
            }
        }
        false
    }

    fn expectation(&self) -> String {
        match &self.readiness {
            Readiness::Port(port, Transport::Tcp) => format!("nothing listens at TCP port {port}"),
            Readiness::Port(port, Transport::Udp) => format!("no socket has UDP port {port}"),
            Readiness::Output(text) => format!("its output does not hold {text:?}"),
            Readiness::File(file) => format!("there is no file {}", file.display()),
            Readiness::Delay(delay) => format!("{} s have not passed", delay.as_secs_f64()),
        }
    }
}

/// Looks at the lists of sockets of the namespace (proc_pid_net(5)).
fn waits(host: &Namespace, port: u16, transport: Transport) -> Result<bool, LiveError> {
    // TCP_LISTEN is 10; a UDP socket without a peer is 7 (TCP_CLOSE), as include/net/tcp_states.h numbers them.
    let (files, state) = match transport {
        Transport::Tcp => (["tcp", "tcp6"], "0A"),
        Transport::Udp => (["udp", "udp6"], "07"),
    };
    host.enter(|| {
        files.iter().any(|file| {
            // Without IPv6 in the kernel the second is absent.
            fs::read_to_string(format!("/proc/thread-self/net/{file}"))
                .is_ok_and(|text| listed(&text, port, state))
        })
    })
}

fn listed(text: &str, port: u16, state: &str) -> bool {
    text.lines().skip(1).any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let local = words.next().and_then(|local| local.rsplit_once(':'));
        let has_port = local.is_some_and(|(_, hex)| u16::from_str_radix(hex, 16) == Ok(port));
        has_port && words.nth(1) == Some(state)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_at_the_port_is_no_listener() {
        let text = "  sl  local_address rem_address   st tx_queue rx_queue\n\
                    0: 0100007F:1451 00000000:0000 0A 00000000:00000000 00:00000000\n\
                    1: 0100007F:1F90 0100007F:1451 01 00000000:00000000 00:00000000\n";
        assert!(listed(text, 5201, "0A"));
        assert!(!listed(text, 8080, "0A"));
    }
}
