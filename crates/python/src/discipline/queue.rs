//! A queue with a discipline implemented by a Python object.

use std::collections::BTreeMap;
use std::ffi::c_ulong;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use jettison_core::{DropReason, Gauge, Gauges, MarkReason, Rate, Time};
use jettison_measure::Outcomes;
use jettison_queue::{Backlog, QueueDiscipline};
use jettison_wire::Packet;
use pyo3::prelude::*;

use super::copied::{Generator, copied, refuse};
use super::packet::{Act, Ledger, PacketView, reason_of};
use super::{Control, keep_state, kept};
use crate::errors::{discipline_error, is_drop};

/// A gauge's value, with its unit if given.
#[derive(FromPyObject)]
enum Reported {
    WithUnit(f64, String),
    Plain(f64),
}

/// Queue that holds the packets and asks a Python object about their fate.
pub struct PythonQueue {
    // The object, its methods, and its name in messages.
    object: Py<PyAny>,
    enqueue: Py<PyAny>,
    dequeue: Py<PyAny>,
    next_wakeup: Option<Py<PyAny>>,
    handle_wakeup: Option<Py<PyAny>>,
    capacity_changed: Option<Py<PyAny>>,
    gauges: Option<Py<PyAny>>,
    name: &'static str,
    /// The generator that the object has as `random`, with the stream that seeds those of forks.
    random: Option<Generator>,
    control: Arc<Control>,
    thread: c_ulong,

    // State.
    packets: BTreeMap<u64, Packet>,
    bytes: u64,
    ledger: Arc<Ledger>,
    next_handle: u64,
    wakeup: Option<Time>,
    /// Set after a failure; the object is not called any more.
    failed: bool,
}

impl PythonQueue {
    /// Creates an empty queue with a Python object as its discipline.
    pub fn new(
        object: &Bound<'_, PyAny>,
        name: &'static str,
        random: Option<Generator>,
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
            // A wakeup without a handler would only ask for the next wakeup.
            (Some(_), None) => (Some(needed("next_wakeup")?), Some(needed("handle_wakeup")?)),
            both => both,
        };
        Ok(PythonQueue {
            object: object.clone().unbind(),
            enqueue: needed("enqueue")?,
            dequeue: needed("dequeue")?,
            next_wakeup,
            handle_wakeup,
            capacity_changed: method("capacity_changed")?,
            gauges: method("gauges")?,
            name,
            random,
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

    /// Calls the object, unless it has failed. Errors end the run.
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
                        "in queue discipline `{}`, {:.6} s into the run",
                        self.name,
                        now.as_nanos() as f64 / 1e9
                    );
                    // Python 3.10 has no notes on exceptions.
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

    /// Applies the actions on packets.
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

    /// Fails if a packet was lost in a reference cycle, which only Python's garbage collector finds.
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
            return Err(
                self.wrong(py, format!("next_wakeup() must return nanoseconds or None, got {answer}"))
            );
        };
        self.wakeup = at.map(Time::from_nanos);
        match self.wakeup {
            Some(at) if at < now => {
                let (at, now) = (at.as_nanos(), now.as_nanos());
                Err(self.wrong(
                    py,
                    format!("next_wakeup() must return a time from now ({now} ns) on, got {at} ns"),
                ))
            }
            _ => Ok(()),
        }
    }

    fn take(&mut self, handle: u64) -> Option<Packet> {
        let packet = self.packets.remove(&handle)?;
        self.bytes -= u64::from(packet.meta.length);
        Some(packet)
    }

    /// Reads the object's gauges by name: values, or pairs of a value and its unit.
    fn reported(&self, py: Python<'_>, method: &Py<PyAny>) -> PyResult<BTreeMap<String, Reported>> {
        let answer = method.bind(py).call0()?;
        answer.extract().or_else(|_| {
            let answer = answer.repr()?;
            let required = "must return a dict of numbers, or of pairs of a number and its unit, by name";
            Err(self.wrong(py, format!("gauges() {required}, got {answer}")))
        })
    }

    fn wrong(&self, py: Python<'_>, message: String) -> PyErr {
        discipline_error(py, format!("queue discipline `{}`: {message}", self.name))
    }

    /// Offers a packet to the object. The inner error is the reason for which it refused the packet.
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
                    let what =
                        format!("enqueue() must return True (accepted) or False (dropped), got {answer}");
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
        "packet {id} ({length} bytes) is lost: it was neither sent nor dropped, and no references to it remain"
    )
}

impl PythonQueue {
    /// A copy with its own object and packets.
    fn copied(&self, py: Python<'_>) -> PyResult<PythonQueue> {
        let ledger = Arc::default();
        let (object, random) = {
            let _copies = self.ledger.copied_to(&ledger);
            copied(py, &self.object, self.random.as_ref())?
        };
        let mut copy = PythonQueue::new(object.bind(py), self.name, random, Arc::clone(&self.control))?;
        copy.packets.clone_from(&self.packets);
        copy.bytes = self.bytes;
        copy.ledger = ledger;
        copy.next_handle = self.next_handle;
        copy.wakeup = self.wakeup;
        copy.failed = self.failed;
        Ok(copy)
    }

    /// A queue in the place of one that cannot be copied. It drops all packets.
    fn placeholder(&self, py: Python<'_>) -> PythonQueue {
        let method = |of: &Option<Py<PyAny>>| of.as_ref().map(|method| method.clone_ref(py));
        PythonQueue {
            object: self.object.clone_ref(py),
            enqueue: self.enqueue.clone_ref(py),
            dequeue: self.dequeue.clone_ref(py),
            next_wakeup: method(&self.next_wakeup),
            handle_wakeup: None,
            capacity_changed: None,
            gauges: None,
            name: self.name,
            random: None,
            // Of no thread that could be interrupted.
            thread: 0,
            control: Arc::clone(&self.control),
            packets: BTreeMap::new(),
            bytes: 0,
            ledger: Arc::default(),
            next_handle: 0,
            wakeup: None,
            failed: true,
        }
    }
}

impl Clone for PythonQueue {
    fn clone(&self) -> PythonQueue {
        keep_state();
        Python::attach(|py| {
            self.copied(py).unwrap_or_else(|error| {
                let part = format!("queue discipline `{}`", self.name);
                refuse(&part, error, |error| self.control.fail(error));
                self.placeholder(py)
            })
        })
    }
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
        // Drop it last: the object may have acted on other packets during the call.
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
                let what = format!("dequeue() must return a packet or None, got {}", answer.repr()?);
                return Err(queue.wrong(py, what));
            };
            let view = view.get();
            match () {
                () if !view.is_of(&queue.ledger) => {
                    let what = format!("dequeue() returned {}, which is in another queue", view.describe());
                    Err(queue.wrong(py, what))
                }
                () if !view.leave() => {
                    let what =
                        format!("dequeue() returned {}, which was already sent or dropped", view.describe());
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
                    let what = format!(
                        "after the wakeup at {} ns, next_wakeup() must return a later time, got the same",
                        now.as_nanos()
                    );
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
        let description = || kept(&format!("Reported by queue discipline `{}`.", self.name));
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
        // Packets still queued at the end of a run are not lost.
        self.ledger.close();
    }
}
