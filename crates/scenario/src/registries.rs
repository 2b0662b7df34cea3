//! Components that a scenario may name (disciplines, transports, applications), and checks of the files that it names.
//!
//! The caller passes them in, so another crate or a Python class can add an entry without a change here.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use jettison_registry::{Entry, Kind as ComponentKind, ParameterError, Registry};
use jettison_sockets::Initiator;
use serde_json::{Value, json};

use crate::gauges::GaugesOf;

/// All components that a scenario may name by id.
#[derive(Debug)]
pub struct Registries {
    /// Queue disciplines that hold packets.
    pub disciplines: Kinds,
    /// Queue management that acts in a switch pipeline (iRED, CoDel++): only for output ports of routers.
    pub port_queues: Kinds,
    /// Transports of flows.
    pub transports: Kinds,
    /// Applications of flows.
    pub applications: Kinds,
    /// Whether an application can run over a transport.
    pub fits: Fits,
    /// The default transport of an application.
    pub usual_transport: UsualTransport,
    /// The end of an application's flows that initiates; the other end listens.
    pub initiator: InitiatorOf,
    /// Checks the trace of a link.
    pub trace: TraceCheck,
    /// The gauges of a variant's components.
    pub gauges: GaugesOf,
}

/// The entries of a registry for the checker: id, schema and check.
#[derive(Debug)]
pub struct Kinds {
    noun: &'static str,
    entries: IndexMap<String, Kind>,
}

/// One entry.
pub struct Kind {
    /// Summary and source in one line.
    pub description: String,
    /// JSON Schema of its parameters: an object schema without the `kind` key.
    pub schema: Value,
    /// Checks that it can be built from parameters (an object without `kind`) and the files that they name.
    #[allow(clippy::type_complexity)] // spelt out, it says what a check is
    pub check: Box<dyn Fn(&Value, ReadFile<'_>) -> Result<(), ParameterError>>,
}

/// Returns the content of a file that parameters name, or a complete message with the reason why it cannot be read.
#[derive(Clone, Copy)]
#[allow(clippy::type_complexity)] // the struct is the name of that type
pub struct ReadFile<'a>(pub &'a dyn Fn(&str) -> Result<Arc<[u8]>, String>);

/// Checks that an application (by id) can run over a transport (by id; `None` if the flow names none).
#[allow(clippy::type_complexity)] // the struct is the name of that type
pub struct Fits(pub Box<dyn Fn(&str, Option<&str>) -> Result<(), String>>);

/// Returns the id of the default transport of an application (by id); `None` if it uses no transport.
#[allow(clippy::type_complexity)] // spelt out, it says what it does
pub struct UsualTransport(pub Box<dyn Fn(&str) -> Option<String>>);

/// Returns the end that initiates flows of an application (by id).
#[allow(clippy::type_complexity)] // the struct is the name of that type
pub struct InitiatorOf(pub Box<dyn Fn(&str) -> Initiator>);

/// Checks the text of a trace file.
#[allow(clippy::type_complexity)] // the struct is the name of that type
pub struct TraceCheck(pub Box<dyn Fn(&str) -> Result<(), TraceProblem>>);

/// An error in a trace file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceProblem {
    /// The line, from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// Problem and remedy.
    pub message: String,
}

impl Kinds {
    /// An empty list; `noun` is the term for an entry in messages (`"queue discipline"`).
    pub fn new(noun: &'static str) -> Kinds {
        Kinds { noun, entries: IndexMap::new() }
    }

    /// The entries of a registry; `check` builds an entry and discards the result.
    pub fn of<K, C>(registry: &Registry<K>, check: C) -> Kinds
    where
        K: ComponentKind,
        C: Fn(&Entry<K>, &Value, ReadFile<'_>) -> Result<(), ParameterError> + Clone + 'static,
    {
        registry.iter().fold(Kinds::new(K::NAME), |kinds, entry| {
            let description = format!("{} ({})", entry.summary, entry.source);
            let (id, schema) = (entry.id, entry.schema().clone().to_value());
            let (entry, check) = (entry.clone(), check.clone());
            let check = Box::new(move |value: &Value, files: ReadFile<'_>| check(&entry, value, files));
            kinds.with(id, Kind { description, schema, check })
        })
    }

    /// Adds an entry, or replaces that of the same id.
    pub fn with(mut self, id: &str, kind: Kind) -> Kinds {
        self.entries.insert(id.to_owned(), kind);
        self
    }

    /// The term for an entry.
    pub fn noun(&self) -> &'static str {
        self.noun
    }
    /// All ids, in the order of registration.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
    /// All entries with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Kind)> {
        self.entries.iter().map(|(id, kind)| (id.as_str(), kind))
    }
    /// The entry with that id.
    pub fn kind(&self, id: &str) -> Option<&Kind> {
        self.entries.get(id)
    }
}

impl Registries {
    /// Registries without entries, where any application fits any transport and any trace is valid.
    pub fn empty() -> Registries {
        Registries {
            disciplines: Kinds::new("queue discipline"),
            port_queues: Kinds::new("queue discipline"),
            transports: Kinds::new("transport"),
            applications: Kinds::new("application"),
            fits: Fits(Box::new(|_, _| Ok(()))),
            usual_transport: UsualTransport(Box::new(|_| None)),
            initiator: InitiatorOf(Box::new(|_| Initiator::From)),
            trace: TraceCheck(Box::new(|_| Ok(()))),
            gauges: GaugesOf(Box::new(|_, _| Default::default())),
        }
    }

    /// The discipline with that id, whether it holds packets or acts in the pipeline.
    pub(crate) fn queue(&self, id: &str) -> Option<&Kind> {
        self.disciplines.kind(id).or_else(|| self.port_queues.kind(id))
    }
    /// The ids of all disciplines.
    pub(crate) fn queue_ids(&self) -> impl Iterator<Item = &str> {
        self.disciplines.ids().chain(self.port_queues.ids())
    }
}

impl Kind {
    /// An entry without parameters.
    pub fn plain(description: &str) -> Kind {
        Kind {
            description: description.to_owned(),
            schema: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            check: Box::new(|_, _| Ok(())),
        }
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").field("description", &self.description).finish_non_exhaustive()
    }
}
impl fmt::Debug for Fits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fits")
    }
}
impl fmt::Debug for UsualTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UsualTransport")
    }
}
impl fmt::Debug for InitiatorOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InitiatorOf")
    }
}
impl fmt::Debug for TraceCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TraceCheck")
    }
}
