//! Component kinds, and the self-description of one component.

use std::fmt;
use std::panic::Location;
use std::sync::{Arc, LazyLock};

use jettison_core::Gauge;
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::parameters::{checked, read};
use crate::style::{Colour, Line};
use crate::{ParameterDoc, ParameterError, Style, parameter_docs};

/// A kind of component. Implementors are uninhabited types that select the kind in [`Entry`] and
/// [`Registry`](crate::Registry).
pub trait Kind: 'static {
    /// The word for the kind in catalogues: `queue`, `controller`.
    const KEY: &'static str;
    /// The noun for one of them in messages: `queue discipline`.
    const NAME: &'static str;
    /// Context for building: what a component may need from its surroundings.
    type Context<'a>;
    /// The type that is built.
    type Built;
    /// Additional facts that entries of this kind declare; `()` for most kinds.
    type Facts: Clone + Default + Send + Sync;
}

/// Self-description and builder of one component.
///
/// A component's file makes one with [`Entry::new`] and the setters named after the fields:
/// `Entry::<Discipline>::new("codel", "CoDel", build).source("RFC 8289")`.
pub struct Entry<K: Kind> {
    /// The id that scenario files write: `fq-pie`.
    pub id: &'static str,
    /// The display name in legends and tables: `FQ-PIE`.
    pub name: &'static str,
    /// Other names in results: `fifo` is tail drop. Scenario files use the id only.
    pub aliases: &'static [&'static str],
    /// Plot style; `None` leaves the choice to the plot.
    pub style: Option<Style>,
    /// One line for `jettison list`.
    pub summary: &'static str,
    /// The document that it implements: RFC or paper, with the section if relevant.
    pub source: &'static str,
    /// Its page of the book, below `docs/src`; `None` for a component made at run time.
    pub page: Option<&'static str>,
    /// Internal state published as series.
    pub gauges: &'static [Gauge],
    /// The source file that declares it, below the workspace's root.
    pub file: &'static str,
    /// Additional facts of this kind.
    pub facts: K::Facts,
    /// Minimal parameters, for components that require some: a function that returns the table.
    pub example: Option<fn() -> Value>,
    schema: Arc<LazySchema>,
    build: Arc<Build<K>>,
}

/// A schema, computed on first use.
struct LazySchema(LazyLock<Schema, Box<dyn FnOnce() -> Schema + Send>>);

/// Builds a component from a table of parameters.
struct Build<K: Kind>(
    #[expect(clippy::type_complexity, reason = "written once")]
    Box<dyn Fn(&Value, &K::Context<'_>) -> Result<K::Built, ParameterError> + Send + Sync>,
);

impl<K: Kind> Entry<K> {
    /// Describes a component with parameters of type `T`; `build` makes it from parameters and context.
    #[track_caller]
    pub fn new<T: DeserializeOwned + JsonSchema + 'static>(
        id: &'static str,
        name: &'static str,
        build: fn(T, &K::Context<'_>) -> Result<K::Built, ParameterError>,
    ) -> Entry<K> {
        let schema = LazySchema::new(|| schema_for!(T));
        let own = Arc::clone(&schema);
        let build = move |value: &Value, context: &K::Context<'_>| build(read(&own.0, value)?, context);
        Entry::with(id, name, schema, Build(Box::new(build)))
    }

    /// Describes a component made at run time. `schema` describes the table of parameters, which is checked before `build`
    /// gets it.
    #[track_caller]
    pub fn dynamic(
        id: &'static str,
        name: &'static str,
        schema: Schema,
        build: impl Fn(&Value, &K::Context<'_>) -> Result<K::Built, ParameterError> + Send + Sync + 'static,
    ) -> Entry<K> {
        let schema = LazySchema::new(move || schema);
        let own = Arc::clone(&schema);
        let build = move |value: &Value, context: &K::Context<'_>| build(&*checked(&own.0, value)?, context);
        Entry::with(id, name, schema, Build(Box::new(build)))
    }

    /// Describes a component of another kind with the same description and parameters, made by `build`.
    pub fn derived<L: Kind>(
        &self,
        facts: L::Facts,
        build: impl Fn(&Value, &L::Context<'_>) -> Result<L::Built, ParameterError> + Send + Sync + 'static,
    ) -> Entry<L> {
        let Entry { id, name, aliases, style, summary, source, page, gauges, file, example, .. } = *self;
        let (schema, build) = (Arc::clone(&self.schema), Arc::new(Build(Box::new(build))));
        Entry { id, name, aliases, style, summary, source, page, gauges, file, facts, example, schema, build }
    }

    #[track_caller]
    fn with(id: &'static str, name: &'static str, schema: Arc<LazySchema>, build: Build<K>) -> Entry<K> {
        Entry {
            id,
            name,
            aliases: &[],
            style: None,
            summary: "",
            source: "",
            page: None,
            gauges: &[],
            file: Location::caller().file(),
            facts: K::Facts::default(),
            example: None,
            schema,
            build: Arc::new(build),
        }
    }

    /// Sets other names in results.
    pub fn aliases(mut self, aliases: &'static [&'static str]) -> Entry<K> {
        self.aliases = aliases;
        self
    }
    /// Sets the plot style.
    pub fn style(mut self, colour: Colour, line: Line) -> Entry<K> {
        self.style = Some(Style { colour, line });
        self
    }
    /// Sets the summary: one line, without a full stop.
    pub fn summary(mut self, summary: &'static str) -> Entry<K> {
        self.summary = summary;
        self
    }
    /// Sets the document that it implements.
    pub fn source(mut self, source: &'static str) -> Entry<K> {
        self.source = source;
        self
    }
    /// Sets its page of the book, below `docs/src`.
    pub fn page(mut self, page: &'static str) -> Entry<K> {
        self.page = Some(page);
        self
    }
    /// Sets the internal state published as series.
    pub fn gauges(mut self, gauges: &'static [Gauge]) -> Entry<K> {
        self.gauges = gauges;
        self
    }
    /// Sets the additional facts of this kind.
    pub fn facts(mut self, facts: K::Facts) -> Entry<K> {
        self.facts = facts;
        self
    }
    /// Sets minimal parameters, for components that require some.
    pub fn example(mut self, example: fn() -> Value) -> Entry<K> {
        self.example = Some(example);
        self
    }

    /// The JSON Schema of its parameters: an object schema without the `kind` key.
    pub fn schema(&self) -> &Schema {
        &self.schema.0
    }

    /// Documentation of each parameter.
    pub fn parameters(&self) -> Vec<ParameterDoc> {
        parameter_docs(self.schema())
    }

    /// Builds it from its parameters: a table without `kind`, or `null` for all defaults.
    ///
    /// # Errors
    /// With the path of the offending key, relative to that table.
    pub fn build(&self, parameters: &Value, context: &K::Context<'_>) -> Result<K::Built, ParameterError> {
        (self.build.0)(parameters, context)
    }
}

impl LazySchema {
    fn new(make: impl FnOnce() -> Schema + Send + 'static) -> Arc<LazySchema> {
        Arc::new(LazySchema(LazyLock::new(Box::new(make))))
    }
}

impl<K: Kind> Clone for Entry<K> {
    fn clone(&self) -> Entry<K> {
        let (facts, schema, build) = (self.facts.clone(), Arc::clone(&self.schema), Arc::clone(&self.build));
        Entry { facts, schema, build, ..*self }
    }
}

impl<K: Kind> fmt::Debug for Entry<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("kind", &K::KEY).field("id", &self.id).finish_non_exhaustive()
    }
}
