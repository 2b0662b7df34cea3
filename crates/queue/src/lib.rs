//! Queue disciplines: what decides order, drops and marks at one port.
//!
//! One file a discipline, named after its id. To add one: write the file, with a `discipline()` that describes it, and
//! add a line to [`registry::disciplines`]. Nothing here knows links, topology or the clock: time comes in as an
//! argument.
//!
//! What several disciplines share stands beside them: the store ([`Fifo`]), the words of their parameters
//! ([`Limit`], [`Threshold`], [`Hertz`], [`Dscp`]), CoDel's state machine ([`CodelState`]) and the measured
//! departure rate ([`DepartureRate`]).

pub mod codel;
mod codel_state;
mod departure_rate;
mod discipline;
mod dscp;
mod fifo;
mod hertz;
mod limit;
pub mod pi2;
pub mod priority;
pub mod red;
pub mod registry;
pub mod tail_drop;
#[cfg(test)]
mod testing;
mod threshold;
mod written;

pub use codel_state::{CodelSettings, CodelState, CodelStore};
pub use departure_rate::DepartureRate;
pub use discipline::{Backlog, QueueDiscipline};
pub use dscp::Dscp;
pub use fifo::Fifo;
pub use hertz::Hertz;
pub use limit::Limit;
pub use threshold::Threshold;
