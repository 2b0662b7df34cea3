//! A queue whose discipline is an object of Python.

use std::collections::BTreeMap;
use std::ffi::c_ulong;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use jettison_core::{DropReason, Gauge, Gauges, MarkReason, Rate, Time};
use jettison_measure::Outcomes;
use jettison_queue::{Backlog, QueueDiscipline};
use jettison_wire::Packet;
use pyo3::prelude::*;

use super::packet::{Act, Ledger, PacketView, reason_of};
use super::{Control, kept};
use crate::errors::{discipline_error, is_drop};

/// A gauge's value, and its unit where it has one.
#[derive(FromPyObject)]
enum Reported {
    WithUnit(f64, String),
    Plain(f64),
}

/// Keeps the packets, and asks an object what is to become of them.
pub struct PythonQueue {
    // The object's methods, and what it is called in messages.
    enqueue: Py<PyAny>,
    dequeue: Py<PyAny>,
    next_wakeup: Option<Py<PyAny>>,
    handle_wakeup: Option<Py<PyAny>>,
    capacity_changed: Option<Py<PyAny>>,
    gauges: Option<Py<PyAny>>,
    name: &'static str,
    control: Arc<Control>,
    thread: c_ulong,

    // State.
    packets: BTreeMap<u64, Packet>,
    bytes: u64,
    ledger: Arc<Ledger>,
    next_handle: u64,
    wakeup: Option<Time>,
    /// It has failed, and is not asked any more.
    failed: bool,
}

impl PythonQueue {
    /// An empty queue with that object as its discipline.
    pub fn new(
        object: &Bound<'_, PyAny>,
        name: &'static str,
        control: Arc<Control>,
    ) -> PyResult<PythonQueue> {
        let method = |name: &str| object.getattr_opt(name).map(|found| found.map(Bound::unbind));
        let needed = |name: &str| {
            let missing = || {
                let class = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
                discipline_error(object.py(), format!("`{class}` has no method `{name}`"))
            };
            method(name)?.ok_or_else(missing)
        };
        let (next_wakeup, handle_wakeup) = match (method("next_wakeup")?, method("handle_wakeup")?) {
            // Woken, a queue would only say again when.
            (Some(_), None) => (Some(needed("next_wakeup")?), Some(needed("handle_wakeup")?)),
            both => both,
        };
        Ok(PythonQueue {
            enqueue: needed("enqueue")?,
            dequeue: needed("dequeue")?,
            next_wakeup,
            handle_wakeup,
            capacity_changed: method("capacity_changed")?,
            gauges: method("gauges")?,
            name,
            thread: control.threads.enter(object.py())?,
            control,
            packets: BTreeMap::new(),
            bytes: 0,
            ledger: Arc::default(),
            next_handle: 0,
            wakeup: None,
            failed: false,
        })
    }

    /// Asks the object something, unless it has failed before. What goes wrong ends the run.
    fn ask<T>(
        &mut self,
        now: Time,
        out: Option<&mut dyn Outcomes>,
        question: impl FnOnce(&mut PythonQueue, Python<'_>) -> PyResult<T>,
    ) -> Option<T> {
        if self.failed {
            return None;
        }
        Python::attach(|py| {
            let answered = question(self, py).and_then(|answer| {
                if let Some(out) = out {
                    self.settle(py, now, out)?;
                }
                self.ask_wakeup(py, now)?;
                Ok(answer)
            });
            match answered {
                Ok(answer) => Some(answer),
                Err(error) => {
                    let place = format!(
                        "in the queue discipline `{}`, {:.6} s into the run",
                        self.name,
                        now.as_nanos() as f64 / 1e9
                    );
                    // Python 3.10 has no notes.
                    let _ = error.value(py).call_method1("add_note", (place,));
                    self.failed = true;
                    self.ledger.close();
                    self.wakeup = None;
                    self.control.fail(error);
                    None
                }
            }
        })
    }

    /// Does what was said of packets.
    fn settle(&mut self, py: Python<'_>, now: Time, out: &mut dyn Outcomes) -> PyResult<()> {
        for act in self.ledger.take() {
            match act {
                Act::Mark(handle) => {
                    if let Some(packet) = self.packets.get_mut(&handle)
                        && packet.mark_ce()
                    {
                        out.marked(packet, MarkReason::Python, now);
                    }
                }
                Act::Drop(handle, reason) => {
                    if let Some(packet) = self.take(handle) {
                        out.dropped(packet, reason, now);
                    }
                }
                Act::Lost(handle) => {
                    if let Some(packet) = self.packets.get(&handle) {
                        return Err(self.wrong(py, lost_message(packet)));
                    }
                }
            }
        }
        Ok(())
    }

    /// Fails if a packet is lost that nothing but itself refers to: Python finds such only when it looks for them.
    fn find_lost(&mut self) {
        Python::attach(|py| {
            if py.import("gc").and_then(|gc| gc.call_method0("collect")).is_err() {
                return;
            }
            let lost = self.ledger.take().into_iter().find_map(|act| match act {
                Act::Lost(handle) => self.packets.get(&handle),
                Act::Mark(_) | Act::Drop(..) => None,
            });
            if let Some(packet) = lost {
                self.control.fail(self.wrong(py, lost_message(packet)));
            }
        });
    }

    fn ask_wakeup(&mut self, py: Python<'_>, now: Time) -> PyResult<()> {
        let Some(method) = &self.next_wakeup else { return Ok(()) };
        let answer = method.bind(py).call0()?;
        let Ok(at) = answer.extract::<Option<u64>>() else {
            let answer = answer.repr()?;
            return Err(self.wrong(py, format!("next_wakeup() gave {answer}: give nanoseconds, or None")));
        };
        self.wakeup = at.map(Time::from_nanos);
        match self.wakeup {
            Some(at) if at < now => {
                let (at, now) = (at.as_nanos(), now.as_nanos());
                Err(self.wrong(py, format!("next_wakeup() gave {at} ns, and it is {now} ns already")))
            }
            _ => Ok(()),
        }
    }

    fn take(&mut self, handle: u64) -> Option<Packet> {
        let packet = self.packets.remove(&handle)?;
        self.bytes -= u64::from(packet.meta.length);
        Some(packet)
    }

    /// Asks the object for its gauges: values, or pairs of a value and its unit, by name.
    fn reported(&self, py: Python<'_>, method: &Py<PyAny>) -> PyResult<BTreeMap<String, Reported>> {
        let answer = method.bind(py).call0()?;
        answer.extract().or_else(|_| {
            let answer = answer.repr()?;
            let wanted = "give a dict of numbers, or of pairs of a number and its unit, by name";
            Err(self.wrong(py, format!("gauges() gave {answer}: {wanted}")))
        })
    }

    fn wrong(&self, py: Python<'_>, what: String) -> PyErr {
        discipline_error(py, format!("queue discipline `{}`: {what}", self.name))
    }

    /// Whether the object took the packet; if not, why.
    fn offer(
        &self,
        py: Python<'_>,
        view: &Bound<'_, PacketView>,
        now: Time,
    ) -> PyResult<Result<(), DropReason>> {
        match self.enqueue.bind(py).call1((view, now.as_nanos())) {
            Ok(answer) => match answer.extract::<bool>() {
                Ok(true) => Ok(Ok(())),
                Ok(false) => Ok(Err(DropReason::Python)),
                Err(_) => {
                    let answer = answer.repr()?;
                    let what = format!(
                        "enqueue() gave {answer}: give True if the packet was taken, False if it is to be dropped"
                    );
                    Err(self.wrong(py, what))
                }
            },
            Err(error) if is_drop(py, &error) => {
                let reason: String = error.value(py).getattr("reason")?.extract()?;
                Ok(Err(reason_of(&reason)?))
            }
            Err(error) => Err(error),
        }
    }
}

fn lost_message(packet: &Packet) -> String {
    let (id, length) = (packet.meta.id, packet.meta.length);
    format!(
        "packet {id} ({length} bytes) is lost: it was neither sent nor dropped, and nothing refers to it any more"
    )
}

impl QueueDiscipline for PythonQueue {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if self.failed {
            return out.dropped(packet, DropReason::Python, now);
        }
        packet.meta.enqueued_at = now;
        packet.meta.enq_qdepth = self.packets.len() as u32;
        let handle = self.next_handle;
        self.next_handle += 1;
        self.bytes += u64::from(packet.meta.length);
        let view = PacketView::of(&packet, handle, &self.ledger);
        self.packets.insert(handle, packet);
        let mut refused = None;
        self.ask(now, Some(out), |queue, py| {
            let view = Bound::new(py, view)?;
            if let Err(reason) = queue.offer(py, &view, now)?
                && view.get().leave()
            {
                refused = Some(reason);
            }
            Ok(())
        });
        // After what the object did to other packets meanwhile.
        if let Some(reason) = refused
            && let Some(packet) = self.take(handle)
        {
            out.dropped(packet, reason, now);
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let handle = self.ask(now, Some(out), |queue, py| {
            let answer = queue.dequeue.bind(py).call1((now.as_nanos(),))?;
            if answer.is_none() {
                return Ok(None);
            }
            let Ok(view) = answer.cast::<PacketView>() else {
                let what = format!("dequeue() gave {}: give a packet, or None", answer.repr()?);
                return Err(queue.wrong(py, what));
            };
            let view = view.get();
            match () {
                () if !view.is_of(&queue.ledger) => {
                    let what = format!("dequeue() gave {}, which is of another queue", view.describe());
                    Err(queue.wrong(py, what))
                }
                () if !view.leave() => {
                    let what =
                        format!("dequeue() gave {}, which was sent or dropped before", view.describe());
                    Err(queue.wrong(py, what))
                }
                () => Ok(Some(view.handle())),
            }
        });
        self.take(handle??)
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        self.ask(now, Some(out), |queue, py| {
            if let Some(method) = &queue.handle_wakeup {
                method.bind(py).call1((now.as_nanos(),))?;
            }
            queue.ask_wakeup(py, now)?;
            match queue.wakeup {
                Some(at) if at <= now => {
                    let what = format!("woken at {} ns, it wants to be woken then again", now.as_nanos());
                    Err(queue.wrong(py, what))
                }
                _ => Ok(()),
            }
        });
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.wakeup
    }

    fn uses_wakeups(&self) -> bool {
        self.next_wakeup.is_some()
    }

    fn capacity_changed(&mut self, rate: Rate, now: Time) {
        self.ask(now, None, |queue, py| {
            if let Some(method) = &queue.capacity_changed {
                method.bind(py).call1((rate.as_bits(), now.as_nanos()))?;
            }
            Ok(())
        });
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let Some(method) = self.gauges.as_ref().filter(|_| !self.failed) else { return };
        let description = || kept(&format!("Reported by the queue discipline `{}`.", self.name));
        Python::attach(|py| match self.reported(py, method) {
            Ok(values) => {
                for (name, value) in values {
                    let name = kept(&format!("{}_{name}", self.name.replace('-', "_")));
                    let (value, unit) = match value {
                        Reported::WithUnit(value, unit) => (value, kept(&unit)),
                        Reported::Plain(value) => (value, "1"),
                    };
                    out.set(&Gauge::new(name, unit, description()), value);
                }
            }
            Err(error) => self.control.fail(error),
        });
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u64, bytes: self.bytes }
    }
}

impl Drop for PythonQueue {
    fn drop(&mut self) {
        if !self.failed && !self.packets.is_empty() && !self.control.looked.swap(true, Ordering::Relaxed) {
            self.find_lost();
        }
        self.control.threads.leave(self.thread);
        // What is left in the queue when a run ends is not lost.
        self.ledger.close();
    }
}
