#![forbid(unsafe_code)]
//! Component registries: one entry type, one parameter error and one list type for every kind of component.
//!
//! A *kind* ([`Kind`]) is a class of components: queue disciplines, congestion controllers, adaptation rules. It
//! defines the context that components are built in ([`Kind::Context`]) and the type built ([`Kind::Built`]). A component
//! describes itself in an [`Entry`]: id, display name, plot style, summary, source, page of the book, typed parameters, and the
//! function that builds it. A [`Registry`] is the list of entries of a kind. Lists live apart from entries: a component's file
//! imports no list.
//!
//! Parameters are a serde struct with a JSON Schema. [`parameters`] reads them and reports an unknown key, a missing key, a
//! wrong type or a value out of range as a [`ParameterError`]: the path of the key, what is required, what was found, and the
//! nearest known name. [`schema::walk`] applies the same check to any JSON Schema; the scenario checker uses it for whole files.
//!
//! ```
//! use jettison_registry::{Entry, Kind, ParameterError, Registry, Style, style};
//! use serde_json::json;
//!
//! enum Filter {}
//! impl Kind for Filter {
//!     const KEY: &'static str = "filter";
//!     const NAME: &'static str = "filter";
//!     type Context<'a> = ();
//!     type Built = f64;
//!     type Facts = ();
//! }
//!
//! /// Parameters of the exponentially weighted moving average.
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Ewma {
//!     /// Weight of a new sample.
//!     weight: f64,
//! }
//!
//! fn build(parameters: Ewma, _: &()) -> Result<f64, ParameterError> {
//!     let Ewma { weight } = parameters;
//!     ParameterError::require((0.0..=1.0).contains(&weight), "weight", "be in [0, 1]", weight)?;
//!     Ok(weight)
//! }
//!
//! let filters: Registry<Filter> = Registry::from([Entry::<Filter>::new("ewma", "EWMA", build)
//!     .style(style::BLUE, style::Line::Solid)
//!     .summary("exponentially weighted moving average")]);
//! let built = |value| filters.build(&value, &());
//! assert_eq!(built(json!({ "kind": "ewma", "weight": 0.5 })), Ok(0.5));
//! let refused = |value| built(value).unwrap_err().to_string();
//! assert_eq!(refused(json!({ "kind": "ewma", "weight": 1.5 })), "weight: must be in [0, 1], got 1.5");
//! assert_eq!(refused(json!({ "kind": "ewma", "weight": "x" })), "weight: must be a number, got \"x\"");
//! assert_eq!(refused(json!("emwa")), "unknown filter `emwa`; did you mean `ewma`?");
//! ```

mod choice;
mod components;
mod deadlines;
mod docs;
mod entry;
mod error;
mod nearest;
mod parameters;
mod path;
mod registry;
pub mod schema;
pub mod style;

pub use choice::{Choice, Choices};
pub use deadlines::check_deadlines;
pub use docs::{EntryDoc, ParameterDoc, parameter_docs};
pub use entry::{Entry, Kind};
pub use error::{ParameterError, Problem};
pub use nearest::{nearest, suggestion};
pub use parameters::parameters;
pub use path::{KeyPath, PathError, Step};
pub use registry::Registry;
pub use style::Style;
