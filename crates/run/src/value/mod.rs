//! The value of a drop: what a queue's decisions are worth to the viewers.
//!
//! A *trial* takes one drop of a recorded run. From the instant of the drop the run is continued in several *arms*: as it
//! was decided (the base), with the packet spared, and with another packet dropped in its place that waited in the queue.
//! Each arm is continued under several *draws*: fresh random streams from just after the decision on, the same for all
//! arms of a trial. The *gain* of an arm is the viewers' quality over a bounded horizon less the base's under the same
//! draw.
//!
//! One changed packet changes the times of all that come after it, so a gain is mostly noise. Three things keep effect and
//! noise apart. The *null* is the distribution of gains of arms without an effect ([`Arm::Redraw`], other draws alone) or
//! with none to speak of ([`Arm::SwapOther`] of a drop that hit no viewer). Whatever is chosen after looking at gains is
//! chosen on one half and measured on the other: of the draws for a single decision, of the seeds for a class of
//! decisions. Intervals are over seeds, since the trials of a run are not independent.
//!
//! The statistics are pure functions of [`Trial`]s.

mod brief;
mod classes;
mod cluster;
mod features;
mod hindsight;
mod null;
mod plan;
mod quality;
mod shares;
mod store;
mod study;
mod summary;
mod table;
mod trial;

pub use brief::brief;
pub use classes::{ClassGain, Learned, class_gains, learn};
pub use cluster::{by_seed, half_of};
pub use hindsight::{Hindsight, hindsight};
pub use null::{Null, NullKind, null_of};
pub use plan::{Plan, PlanError, Quick, Viewer, Viewers};
pub use quality::{Reading, Sojourns};
pub use shares::{Shares, shares};
pub use store::{FOLDER, store};
pub use study::{Cell, Study, ValueError};
pub use summary::{Class, Interval, Judged, Summary, summarise};
pub use trial::{Arm, Feature, Gains, Measure, Trial, Values};
