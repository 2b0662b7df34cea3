//! Queue disciplines: what decides order, drops and marks at one port.
//!
//! One file a discipline, named after its id. To add one: write the file, with a `discipline()` that describes it, and
//! add a line to [`registry::disciplines`]. Nothing here knows links, topology or the clock: time comes in as an
//! argument.
//!
//! What several disciplines share stands beside them: the store ([`Fifo`]), the words of their parameters
//! ([`Limit`], [`Threshold`], [`Hertz`], [`Dscp`]), CoDel's state machine ([`CodelState`]), RED's ([`RedState`]), the
//! measured departure rate ([`DepartureRate`]), the instants of a controller's updates ([`UpdateTimer`]), state by flow
//! ([`FlowTable`]) and the packets of many queues ([`PacketPool`]).

pub mod blue;
pub mod cake;
pub mod codel;
mod codel_state;
mod departure_rate;
mod discipline;
mod dscp;
pub mod dualpi2;
mod fifo;
mod flow_table;
pub mod fq_codel;
pub mod fred;
mod hertz;
mod limit;
mod packet_pool;
pub mod pi2;
pub mod pie;
pub mod priority;
pub mod red;
pub mod red_dpm;
mod red_state;
pub mod registry;
pub mod sfq;
pub mod tail_drop;
#[cfg(test)]
mod testing;
mod threshold;
mod update_timer;
mod written;

pub use codel_state::{CodelSettings, CodelState, CodelStore};
pub use departure_rate::DepartureRate;
pub use discipline::{Backlog, QueueDiscipline};
pub use dscp::Dscp;
pub use fifo::Fifo;
pub use flow_table::{FlowTable, Found};
pub use hertz::Hertz;
pub use limit::Limit;
use packet_pool::Counted;
pub use packet_pool::{Chain, PacketPool};
pub use red_state::{RedDecision, RedSettings, RedState};
pub use threshold::Threshold;
pub use update_timer::UpdateTimer;
