//! A packet as seen by a discipline in Python, and the discipline's actions on it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jettison_core::DropReason;
use jettison_wire::{Ecn, FlowId, OCTOPUS_PORT, OctopusHeader, Packet, Position, Transport};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::discipline_error;

/// State shared between a queue and the views of its packets.
#[derive(Default)]
pub struct Ledger {
    acts: Mutex<Vec<Act>>,
    /// Set when actions have no effect any more: the queue is gone, or its class has failed.
    closed: AtomicBool,
    /// The ledger of the copies of views, while the queue is copied.
    copies: Mutex<Option<Arc<Ledger>>>,
}

/// Ends the time in which views can be copied.
pub struct Copying<'a>(&'a Ledger);

impl Drop for Copying<'_> {
    fn drop(&mut self) {
        self.0.set_copies(None);
    }
}

/// An action of Python on a packet, identified by its handle.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Mark it CE.
    Mark(u64),
    /// Drop it.
    Drop(u64, DropReason),
    /// No references remain, so it can never be sent.
    Lost(u64),
}

impl Ledger {
    /// Takes the actions since the last call, in order.
    pub fn take(&self) -> Vec<Act> {
        std::mem::take(&mut *self.acts.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// Lets views be copied until the result is dropped: their copies belong to `other`, which also gets the actions that
    /// are still to be taken.
    pub fn copied_to(&self, other: &Arc<Ledger>) -> Copying<'_> {
        let acts = self.acts.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        *other.acts.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = acts;
        other.closed.store(self.closed.load(Ordering::Relaxed), Ordering::Relaxed);
        self.set_copies(Some(Arc::clone(other)));
        Copying(self)
    }

    fn set_copies(&self, to: Option<Arc<Ledger>>) {
        *self.copies.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = to;
    }

    /// Ignores all further actions.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn note(&self, act: Act) {
        if !self.closed.load(Ordering::Relaxed) {
            self.acts.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(act);
        }
    }
}

/// A packet in the queue, as its discipline sees it. This is a handle; the packet itself stays in the simulator.
#[pyclass(frozen, name = "Packet", module = "jettison.queues")]
pub struct PacketView {
    handle: u64,
    ledger: Arc<Ledger>,
    /// Set after it was sent or dropped; then it is read-only.
    gone: AtomicBool,
    marked: AtomicBool,
    /// IP length in bytes.
    #[pyo3(get)]
    size: u16,
    /// Number of the packet within the run.
    #[pyo3(get)]
    id: u32,
    /// Number of the scenario's flow, from 0; `None` without a flow.
    #[pyo3(get)]
    flow: Option<u32>,
    /// Time of arrival at the queue, in ns since the start of the run.
    #[pyo3(get)]
    arrived: u64,
    /// Time at which the sending host emitted the packet, in ns since the start of the run.
    #[pyo3(get)]
    sent: u64,
    /// Differentiated-services code point, 0 to 63.
    #[pyo3(get)]
    dscp: u8,
    /// Traffic class assigned by a switch; 0 is the highest priority.
    #[pyo3(get)]
    traffic_class: u8,
    ecn: Ecn,
    hash: u64,
    five_tuple: Option<(String, String, u8, u16, u16)>,
    message: Option<OctopusHeader>,
}

/// The label of the message that a packet is part of (the Octopus header).
#[pyclass(frozen, get_all, module = "jettison.queues")]
pub struct Message {
    /// Number of the message in its stream, modulo 2^29.
    number: u32,
    /// Stream of the flow.
    stream: u16,
    /// Priority, 0 to 7; higher values are less important.
    priority: u8,
    /// Whether it makes earlier messages of priority `threshold` or above obsolete.
    drop_flag: bool,
    /// 0 to 7; see `drop_flag`.
    threshold: u8,
    /// The message is obsolete while its stream has less than this bandwidth, in kbit/s; 0 for never.
    bitrate_threshold: u32,
    /// Maximum waiting time in ms, after which it may be dropped.
    slack: u16,
    /// Whether the packet is the first of the message.
    is_first: bool,
    /// Whether the packet is the last of the message.
    is_last: bool,
}

impl PacketView {
    /// Creates the view of an arriving packet with a handle.
    pub fn of(packet: &Packet, handle: u64, ledger: &Arc<Ledger>) -> PacketView {
        let five_tuple = packet.headers().map(|headers| {
            let (protocol, from, to) = match &headers.transport {
                Transport::Tcp(tcp) => (6, tcp.src_port, tcp.dst_port),
                Transport::Udp(udp) => (17, udp.src_port, udp.dst_port),
                Transport::Icmp(echo) => (1, echo.identifier, 0),
            };
            (headers.src.to_string(), headers.dst.to_string(), protocol, from, to)
        });
        PacketView {
            handle,
            ledger: Arc::clone(ledger),
            gone: AtomicBool::new(false),
            marked: AtomicBool::new(false),
            size: packet.meta.length,
            id: packet.meta.id,
            flow: (packet.meta.flow != FlowId::NONE).then_some(packet.meta.flow.0),
            arrived: packet.meta.enqueued_at.as_nanos(),
            sent: packet.meta.sent_at.as_nanos(),
            dscp: packet.dscp(),
            traffic_class: packet.meta.class,
            ecn: packet.ecn(),
            hash: packet.flow_hash(0),
            five_tuple,
            message: OctopusHeader::of_packet(packet, &[OCTOPUS_PORT]),
        }
    }

    /// Whether the packet is in the queue of this ledger.
    pub fn is_of(&self, ledger: &Arc<Ledger>) -> bool {
        Arc::ptr_eq(&self.ledger, ledger)
    }

    /// The packet's handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Marks the packet as gone; returns false if it already was.
    pub fn leave(&self) -> bool {
        !self.gone.swap(true, Ordering::Relaxed)
    }

    /// A short description.
    pub fn describe(&self) -> String {
        let flow = self.flow.map(|flow| format!(" of flow {flow}")).unwrap_or_default();
        format!("packet {} ({} bytes{flow})", self.id, self.size)
    }
}

#[pymethods]
impl PacketView {
    /// The ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    #[getter]
    fn ecn(&self) -> u8 {
        if self.marked.load(Ordering::Relaxed) { Ecn::Ce as u8 } else { self.ecn as u8 }
    }

    /// Source and destination address, protocol number, source and destination port; `None` for packets that are not
    /// IP.
    #[getter]
    fn five_tuple(&self) -> Option<(String, String, u8, u16, u16)> {
        self.five_tuple.clone()
    }

    /// A 64-bit hash of the five-tuple.
    #[getter]
    fn flow_hash(&self) -> u64 {
        self.hash
    }

    /// The label of its message; `None` if it is not Octopus traffic.
    #[getter]
    fn message(&self) -> Option<Message> {
        self.message.map(|header| Message {
            number: header.message.get(),
            stream: header.stream,
            priority: header.priority,
            drop_flag: header.drop_flag,
            threshold: header.threshold,
            bitrate_threshold: header.bitrate_threshold,
            slack: header.slack,
            is_first: matches!(header.position, Position::First | Position::Solo),
            is_last: matches!(header.position, Position::Last | Position::Solo),
        })
    }

    /// Marks the packet CE. Returns `False` without effect if its transport is not ECN-capable.
    fn mark(&self, py: Python<'_>) -> PyResult<bool> {
        if self.gone.load(Ordering::Relaxed) {
            return Err(self.has_left(py, "marked"));
        }
        if self.ecn == Ecn::NotEct {
            return Ok(false);
        }
        if !self.marked.swap(true, Ordering::Relaxed) {
            self.ledger.note(Act::Mark(self.handle));
        }
        Ok(true)
    }

    /// Drops the packet, whether queued or arriving. `reason` is its name in results.
    #[pyo3(signature = (reason="python"))]
    fn drop(&self, py: Python<'_>, reason: &str) -> PyResult<()> {
        let reason = reason_of(reason)?;
        if !self.leave() {
            return Err(self.has_left(py, "dropped"));
        }
        self.ledger.note(Act::Drop(self.handle, reason));
        Ok(())
    }

    /// The packet's view in a copy of its queue.
    fn __deepcopy__(&self, _memo: Bound<'_, PyAny>) -> PyResult<PacketView> {
        let to = self.ledger.copies.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        let ledger =
            to.ok_or_else(|| PyTypeError::new_err("a packet cannot be copied apart from its queue"))?;
        Ok(PacketView {
            ledger,
            gone: AtomicBool::new(self.gone.load(Ordering::Relaxed)),
            marked: AtomicBool::new(self.marked.load(Ordering::Relaxed)),
            five_tuple: self.five_tuple.clone(),
            ..*self
        })
    }

    fn __repr__(&self) -> String {
        let gone = if self.gone.load(Ordering::Relaxed) { ", gone" } else { "" };
        format!("<{}{gone}>", self.describe())
    }
}

impl PacketView {
    fn has_left(&self, py: Python<'_>, action: &str) -> PyErr {
        discipline_error(
            py,
            format!("{} cannot be {action}: it was already sent or dropped", self.describe()),
        )
    }
}

impl Drop for PacketView {
    fn drop(&mut self) {
        if !self.gone.load(Ordering::Relaxed) {
            self.ledger.note(Act::Lost(self.handle));
        }
    }
}

/// The reason with a name.
pub fn reason_of(name: &str) -> PyResult<DropReason> {
    DropReason::from_name(name).ok_or_else(|| {
        let known = DropReason::ALL.map(DropReason::name);
        let near = jettison_registry::nearest(name, known.iter().copied());
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        PyValueError::new_err(format!(
            "unknown reason `{name}` for a drop{near} (known: {})",
            known.join(", ")
        ))
    })
}
