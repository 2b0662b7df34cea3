//! Which flows' applications tell of units: only the packets of these are worth a router's log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jettison_wire::FlowId;

/// Flows whose applications have told of a unit, known to the hosts' and the router's threads.
#[derive(Debug, Clone, Default)]
pub struct Tells(Arc<[AtomicBool]>);

impl Tells {
    pub(crate) fn of(flows: usize) -> Tells {
        Tells((0..flows).map(|_| AtomicBool::new(false)).collect())
    }

    /// A flow's application tells of a unit, before the first packet of it leaves.
    #[inline]
    pub(super) fn set(&self, flow: FlowId) {
        if let Some(own) = self.0.get(flow.0 as usize) {
            own.store(true, Ordering::Release);
        }
    }

    #[inline]
    pub(super) fn has(&self, flow: FlowId) -> bool {
        self.0.get(flow.0 as usize).is_some_and(|own| own.load(Ordering::Acquire))
    }

    /// Whether any flow may tell.
    pub(super) fn is_known(&self, flow: FlowId) -> bool {
        (flow.0 as usize) < self.0.len()
    }
}
