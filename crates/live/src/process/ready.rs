//! Readiness of programs.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::command::Program;
use super::log;
use crate::net::Namespace;
use crate::{LiveError, clock};

/// Condition for readiness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// A socket with this port exists in the program's host. The check sends no packets.
    Port(u16, Transport),
    /// Its standard output or standard error contains this text.
    Output(String),
    /// This file exists; relative to the program's directory.
    File(PathBuf),
    /// This time has passed since its start.
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

/// Readiness check of a program; see [`super::command::Supervisor::watch`].
#[derive(Debug)]
pub struct Watch {
    flow: String,
    host: Arc<Namespace>,
    readiness: Readiness,
    log: PathBuf,
    start: Instant,
    begin: Instant,
    timeout: Duration,
    /// Number of bytes of both logs that were searched.
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

    /// Whether the program is ready.
    ///
    /// # Errors
    /// If the timeout has expired. It does not apply to a delay.
    pub fn poll(&mut self) -> Result<bool, LiveError> {
        let met = match &self.readiness {
            Readiness::Delay(delay) => return Ok(self.start.elapsed() >= *delay),
            Readiness::File(file) => file.exists(),
            &Readiness::Port(port, transport) => has_socket(&self.host, port, transport)?,
            Readiness::Output(text) => {
                let text = text.clone();
                self.appears_in_logs(text.as_bytes())
            }
        };
        if !met && self.begin.elapsed() >= self.timeout {
            return Err(LiveError::NotReady {
                flow: self.flow.clone(),
                what: self.unmet_condition(),
                timeout: self.timeout,
                log: log::as_suffix(&log::last_lines(&self.log)),
            });
        }
        Ok(met)
    }

    fn appears_in_logs(&mut self, text: &[u8]) -> bool {
        let logs = [log::output(&self.log), log::errors(&self.log)];
        for (path, read) in logs.iter().zip(&mut self.read) {
            let mut new_bytes = Vec::new();
            // The text may span the end of the last search.
            let from = read.saturating_sub(text.len() as u64);
            let got = File::open(path).and_then(|mut file| {
                file.seek(SeekFrom::Start(from))?;
                file.read_to_end(&mut new_bytes)
            });
            if got.is_ok() {
                *read = from + new_bytes.len() as u64;
            }
            if text.is_empty() || new_bytes.windows(text.len()).any(|window| window == text) {
                return true;
            }
        }
        false
    }

    fn unmet_condition(&self) -> String {
        match &self.readiness {
            Readiness::Port(port, Transport::Tcp) => format!("no socket listens on TCP port {port}"),
            Readiness::Port(port, Transport::Udp) => format!("no socket is bound to UDP port {port}"),
            Readiness::Output(text) => format!("its output does not contain {text:?}"),
            Readiness::File(file) => format!("the file {} does not exist", file.display()),
            Readiness::Delay(delay) => format!("the delay of {} s has not elapsed", delay.as_secs_f64()),
        }
    }
}

/// Searches the namespace's socket lists (proc_pid_net(5)).
fn has_socket(host: &Namespace, port: u16, transport: Transport) -> Result<bool, LiveError> {
    // TCP_LISTEN is 10 and an unconnected UDP socket is 7 (TCP_CLOSE) in include/net/tcp_states.h.
    let (files, state) = match transport {
        Transport::Tcp => (["tcp", "tcp6"], "0A"),
        Transport::Udp => (["udp", "udp6"], "07"),
    };
    host.enter(|| {
        files.iter().any(|file| {
            // The second file does not exist without IPv6 in the kernel.
            fs::read_to_string(format!("/proc/thread-self/net/{file}"))
                .is_ok_and(|text| lists_socket(&text, port, state))
        })
    })
}

fn lists_socket(text: &str, port: u16, state: &str) -> bool {
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
    fn a_connection_on_the_port_is_not_a_listener() {
        let text = "  sl  local_address rem_address   st tx_queue rx_queue\n\
                    0: 0100007F:1451 00000000:0000 0A 00000000:00000000 00:00000000\n\
                    1: 0100007F:1F90 0100007F:1451 01 00000000:00000000 00:00000000\n";
        assert!(lists_socket(text, 5201, "0A"));
        assert!(!lists_socket(text, 8080, "0A"));
    }
}
