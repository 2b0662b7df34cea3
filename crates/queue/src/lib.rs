//! Queue disciplines: what decides order, drops and marks at one port.
//!
//! One file a discipline, named after its id. To add one: write the file, and add a line to
//! [`registry::disciplines`]. Nothing here knows links, topology or the clock: time comes in as an argument.

mod discipline;
mod fifo;
pub mod registry;

pub use discipline::{Backlog, QueueDiscipline};
pub use fifo::{Fifo, Limit};
