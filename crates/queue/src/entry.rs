//! Queue disciplines as a kind of component: what one is built from.

use jettison_core::RandomStream;
use jettison_registry::{Kind, Registry};

use crate::QueueDiscipline;

/// The kind of queue disciplines.
pub enum Discipline {}

impl Kind for Discipline {
    const KEY: &'static str = "queue";
    const NAME: &'static str = "queue discipline";
    type Context<'a> = BuildContext<'a>;
    type Built = Box<dyn QueueDiscipline>;
    type Facts = ();
}

/// What a discipline may need to know of its place when it is built.
pub struct BuildContext<'a> {
    /// Gives the random stream of this queue's component of that name.
    pub random: &'a dyn Fn(&str) -> RandomStream,
    /// The disciplines that there are, for those that hold others (bands).
    pub registry: &'a Registry<Discipline>,
}
