//! Controllers of P4 switches written in Python, in virtual time.
//!
//! While Python runs, the switches of the world are in a [`SwitchChannel`], whose methods read and write them.
//! `jettison.p4` turns names and values to JSON and back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use jettison_core::{Duration, Time};
use jettison_p4_runtime::attached::{Attached, Notice, p4_switch};
use jettison_p4_runtime::named::Named;
use jettison_p4_runtime::proto::runtime::Update;
use jettison_p4_runtime::{Change, Fault};
use jettison_scenario::build::{Builder, ControlledNetwork, MakeSwitchController, RunSwitchController};
use jettison_sim::{ControlError, Injection, SwitchController};
use jettison_switch::{Port, Switch};
use jettison_wire::Packet;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::discipline::copied::{copied, refuse};
use crate::discipline::{Control, keep_state};
use crate::errors::{controller_error, refused};

/// A controller, prepared by `jettison.p4`.
#[derive(FromPyObject)]
pub struct PythonSwitchController {
    /// Its name in messages.
    name: String,
    /// Latency of the control channel in each direction, in nanoseconds.
    latency: u64,
    /// Makes the callable of a run.
    make: Py<PyAny>,
}

impl PythonSwitchController {
    /// Adds it to every run of `builder`.
    pub fn add_to(&self, py: Python<'_>, builder: &mut Builder, control: &Arc<Control>) {
        let (make, control) = (self.make.clone_ref(py), Arc::clone(control));
        let latency = Duration::from_nanos(self.latency);
        let make = move |_: u64, network: &ControlledNetwork| -> Result<Box<dyn SwitchController>, String> {
            keep_state();
            let attach = |switch: &jettison_scenario::build::ControlledSwitch| Attached::new(&switch.program);
            let attached: Vec<Attached> = network.switches.iter().map(attach).collect::<Result<_, _>>()?;
            let facts: Vec<(&str, &BTreeMap<String, u16>, Option<u16>)> =
                network.switches.iter().map(|each| (&*each.name, &each.ports, each.cpu_port)).collect();
            let addresses: BTreeMap<&str, String> =
                network.addresses.iter().map(|(node, address)| (&**node, address.to_string())).collect();
            Python::attach(|py| match make.call1(py, (facts, addresses)) {
                Ok(call) => {
                    let running = Running {
                        call,
                        attached,
                        latency,
                        incoming: VecDeque::from([(Time::ZERO, Event::Start)]),
                        outgoing: VecDeque::new(),
                        timer: None,
                        ended: false,
                        control: Arc::clone(&control),
                    };
                    Ok(Box::new(running) as Box<dyn SwitchController>)
                }
                Err(error) => {
                    let text = error.to_string();
                    control.fail(error);
                    Err(text)
                }
            })
        };
        let make = MakeSwitchController(Arc::new(make));
        builder.set_switch_controller(RunSwitchController { name: self.name.clone(), make });
    }
}

/// Something to tell the controller.
#[derive(Debug, Clone)]
enum Event {
    Start,
    Notice(usize, Notice),
}

/// Something that the controller sent to a switch.
#[derive(Debug, Clone)]
enum Request {
    Write(usize, Box<Update>),
    Acknowledge(usize, String, u64),
    Packet(Box<Injection>),
}

/// A controller in a run.
struct Running {
    call: Py<PyAny>,
    attached: Vec<Attached>,
    latency: Duration,
    /// On the way to the controller.
    incoming: VecDeque<(Time, Event)>,
    /// On the way to the switches.
    outgoing: VecDeque<(Time, Request)>,
    /// The controller's next timer.
    timer: Option<Time>,
    /// After an exception it is called no more.
    ended: bool,
    control: Arc<Control>,
}

impl Clone for Running {
    fn clone(&self) -> Running {
        keep_state();
        let (call, ended) = Python::attach(|py| match copied(py, &self.call, None) {
            Ok((call, _)) => (call, self.ended),
            Err(error) => {
                refuse("the object", error, |error| self.control.fail(error));
                (self.call.clone_ref(py), true)
            }
        });
        Running {
            call,
            ended,
            attached: self.attached.clone(),
            latency: self.latency,
            incoming: self.incoming.clone(),
            outgoing: self.outgoing.clone(),
            timer: self.timer,
            control: Arc::clone(&self.control),
        }
    }
}

impl SwitchController for Running {
    fn next_wakeup(&self) -> Option<Time> {
        if self.ended {
            return None;
        }
        let due = self.attached.iter().filter_map(Attached::next_due);
        let incoming = self.incoming.front().map(|(at, _)| *at);
        let outgoing = self.outgoing.front().map(|(at, _)| *at);
        due.chain(incoming).chain(outgoing).chain(self.timer).min()
    }

    fn handle(&mut self, switches: &mut [Box<dyn Switch>], now: Time, out: &mut Vec<Injection>) {
        if self.ended {
            // Nobody takes what the switches still have.
            for (attached, switch) in self.attached.iter_mut().zip(switches.iter_mut()) {
                if let Some(switch) = p4_switch(switch.as_mut()) {
                    drop(attached.poll(switch, now));
                }
            }
            return;
        }
        if let Err(error) = self.deliver(switches, now, out) {
            return self.fail(error);
        }
        for (at, (attached, switch)) in self.attached.iter_mut().zip(switches.iter_mut()).enumerate() {
            let Some(switch) = p4_switch(switch.as_mut()) else { continue };
            let due = now.saturating_add(self.latency);
            let notices = attached.poll(switch, now).into_iter();
            self.incoming.extend(notices.map(|notice| (due, Event::Notice(at, notice))));
        }
        let mut events = Vec::new();
        while let Some((_, event)) = self.incoming.pop_front_if(|(at, _)| *at <= now) {
            events.push(event);
        }
        if events.is_empty() && self.timer.is_none_or(|at| at > now) {
            return;
        }
        if let Err(error) = self.tell(switches, events, now) {
            return self.fail(error);
        }
        // Without latency the controller's packets enter now, and its changes have been made.
        if let Err(error) = self.deliver(switches, now, out) {
            self.fail(error);
        }
    }

    fn refused(&mut self, error: &ControlError) {
        self.fail(Python::attach(|py| controller_error(py, error)));
    }
}

impl Running {
    fn fail(&mut self, error: PyErr) {
        self.ended = true;
        self.control.fail(error);
    }

    /// Executes the requests that have reached their switches.
    fn deliver(
        &mut self,
        switches: &mut [Box<dyn Switch>],
        now: Time,
        out: &mut Vec<Injection>,
    ) -> PyResult<()> {
        while let Some((_, request)) = self.outgoing.pop_front_if(|(at, _)| *at <= now) {
            let done = match request {
                Request::Packet(injection) => {
                    out.push(*injection);
                    Ok(())
                }
                Request::Write(at, update) => match p4_switch(switches[at].as_mut()) {
                    Some(switch) => self.attached[at].write(switch, &update, now),
                    None => Ok(()),
                },
                Request::Acknowledge(at, digest, list) => self.attached[at].acknowledge(&digest, list),
            };
            done.map_err(|fault| {
                let text = format!("a switch refused a request at {now}: {fault}");
                Python::attach(|py| refused(py, text, fault.code.name()))
            })?;
        }
        Ok(())
    }

    /// Calls Python.
    fn tell(&mut self, switches: &mut [Box<dyn Switch>], events: Vec<Event>, now: Time) -> PyResult<()> {
        // The switches are in the channel during the call.
        let absent = || -> Box<dyn Switch> { Box::new(jettison_sim::Absent) };
        let session = Session {
            now,
            direct: self.latency == Duration::ZERO,
            due: now.saturating_add(self.latency),
            switches: switches.iter_mut().map(|switch| std::mem::replace(switch, absent())).collect(),
            attached: std::mem::take(&mut self.attached),
            requests: Vec::new(),
        };
        Python::attach(|py| {
            let channel = Py::new(py, SwitchChannel(Mutex::new(Some(session))))?;
            let arguments = events.iter().map(|event| event.arguments(py)).collect::<PyResult<Vec<_>>>();
            let called = arguments.and_then(|events| {
                let answer = self.call.call1(py, (&channel, now.as_nanos(), events))?;
                answer.extract::<Option<u64>>(py)
            });
            let session = channel.get().lock().take();
            if let Some(Session { switches: back, attached, requests, .. }) = session {
                for (place, switch) in switches.iter_mut().zip(back) {
                    *place = switch;
                }
                self.attached = attached;
                self.outgoing.extend(requests);
            }
            self.timer = called?.map(Time::from_nanos);
            Ok(())
        })
    }
}

/// Kind of an event, the switch, and up to three values.
type EventArguments = (&'static str, usize, Py<PyAny>, Py<PyAny>, Py<PyAny>);

impl Event {
    /// The event as `jettison.p4` takes it: kind, switch, and up to three values.
    fn arguments(&self, py: Python<'_>) -> PyResult<EventArguments> {
        let none = || py.None();
        let json = |text: serde_json::Result<String>| -> PyResult<Py<PyAny>> {
            let text = text.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
            Ok(text.into_pyobject(py)?.into_any().unbind())
        };
        Ok(match self {
            Event::Start => ("start", 0, none(), none(), none()),
            Event::Notice(at, Notice::PacketIn { payload, fields }) => {
                let payload = PyBytes::new(py, payload).into_any().unbind();
                let fields = fields.into_pyobject(py)?.into_any().unbind();
                ("packet-in", *at, payload, fields, none())
            }
            Event::Notice(at, Notice::Digest { name, list, messages }) => {
                let name = name.into_pyobject(py)?.into_any().unbind();
                let list = list.into_pyobject(py)?.into_any().unbind();
                ("digest", *at, name, list, json(serde_json::to_string(messages))?)
            }
            Event::Notice(at, Notice::Idle { entries }) => {
                ("idle", *at, json(serde_json::to_string(entries))?, none(), none())
            }
        })
    }
}

/// The switches of a run during a call of its controller.
struct Session {
    now: Time,
    /// Whether changes are made at once.
    direct: bool,
    /// When requests reach the switches.
    due: Time,
    switches: Vec<Box<dyn Switch>>,
    attached: Vec<Attached>,
    requests: Vec<(Time, Request)>,
}

/// Access to the switches of a run while its controller is called.
#[pyclass(frozen)]
pub struct SwitchChannel(Mutex<Option<Session>>);

impl SwitchChannel {
    fn lock(&self) -> MutexGuard<'_, Option<Session>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Does something with the switches; its error becomes an exception.
    fn with<T>(&self, py: Python<'_>, inner: impl FnOnce(&mut Session) -> Result<T, Fault>) -> PyResult<T> {
        let mut held = self.lock();
        let session = held.as_mut().ok_or_else(|| {
            controller_error(py, "a switch can be used only while a run calls its controller")
        })?;
        inner(session).map_err(|fault| refused(py, &fault, fault.code.name()))
    }
}

#[pymethods]
impl SwitchChannel {
    /// Changes an entity: `insert`, `modify` or `delete`.
    fn write(&self, py: Python<'_>, switch: usize, change: &str, entity: &str) -> PyResult<()> {
        let change = match change {
            "insert" => Change::Insert,
            "modify" => Change::Modify,
            _ => Change::Delete,
        };
        let named = parse(py, entity)?;
        self.with(py, |session| {
            let update = session.attached[switch].update(change, &named)?;
            if !session.direct {
                session.requests.push((session.due, Request::Write(switch, Box::new(update))));
                return Ok(());
            }
            match p4_switch(session.switches[switch].as_mut()) {
                Some(p4) => session.attached[switch].write(p4, &update, session.now),
                None => Ok(()),
            }
        })
    }

    /// Reads what an entity selects.
    fn read(&self, py: Python<'_>, switch: usize, entity: &str) -> PyResult<String> {
        let named = parse(py, entity)?;
        let found = self.with(py, |session| match p4_switch(session.switches[switch].as_mut()) {
            Some(p4) => session.attached[switch].read(p4, &named, session.now),
            None => Ok(Vec::new()),
        })?;
        serde_json::to_string(&found).map_err(|error| controller_error(py, error))
    }

    /// Sends a packet into a switch.
    fn packet_out(
        &self,
        py: Python<'_>,
        switch: usize,
        payload: Vec<u8>,
        fields: BTreeMap<String, String>,
    ) -> PyResult<()> {
        self.with(py, |session| {
            let Some(p4) = p4_switch(session.switches[switch].as_mut()) else { return Ok(()) };
            let sent: (Port, Packet) = session.attached[switch].packet_out(p4, payload, &fields)?;
            let injection = Injection { switch, port: sent.0, packet: sent.1 };
            session.requests.push((session.due, Request::Packet(Box::new(injection))));
            Ok(())
        })
    }

    /// Acknowledges a digest list.
    fn acknowledge(&self, py: Python<'_>, switch: usize, digest: &str, number: u64) -> PyResult<()> {
        self.with(py, |session| match session.direct {
            true => session.attached[switch].acknowledge(digest, number),
            false => {
                let request = Request::Acknowledge(switch, digest.to_owned(), number);
                session.requests.push((session.due, request));
                Ok(())
            }
        })
    }

    /// Checks that a switch has an object.
    fn check(&self, py: Python<'_>, switch: usize, kind: &str, name: &str) -> PyResult<()> {
        self.with(py, |session| session.attached[switch].names().check(kind, name))
    }
}

fn parse(py: Python<'_>, entity: &str) -> PyResult<Named> {
    serde_json::from_str(entity).map_err(|error| controller_error(py, format!("a wrong request: {error}")))
}
