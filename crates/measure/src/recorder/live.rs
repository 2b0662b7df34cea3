//! Recorders of a live run: one of the router, one of the applications, whose views are joined after the run.

use jettison_core::Time;
use jettison_wire::FlowId;

use super::Recorder;
use super::adopt::Renumbered;
use crate::wire::{Tells, Told, join};
use crate::{Endings, Identities, Provenance};

impl Recorder {
    /// Makes this the recorder of a router of real packets: what they carry is told by their headers. Of the flows whose applications
    /// tell of units it logs the packets' ways.
    pub fn watch_real_packets(&mut self, tells: Tells) {
        if self.settings.identities != Identities::Off {
            self.provenance = Some(Box::new(Provenance::of_real_packets(tells)));
        }
    }

    /// Makes this the recorder of applications on hosts' kernels: it has no packets, and its accounts are made by
    /// [`Recorder::join`]. Returns what takes the place of both, if there are to be accounts.
    pub fn leave_packets(&mut self) -> Option<Told> {
        self.provenance = None;
        self.settings.accounts.then(|| Told::of(self.flows.len()))
    }

    /// Takes the ends of units that a flow's applications have told.
    pub fn take_ended(&mut self, flow: FlowId) -> Endings {
        self.flow(flow).and_then(|meter| meter.endings().map(std::mem::take)).unwrap_or_default()
    }

    /// Makes the accounts of what this recorder's router has seen and of what the applications have told, in a run that ended at
    /// `end`. `numbers` are those of [`Recorder::adopt_flows`]. Returns the instant from which on the router's log was full, if it was.
    pub fn join(&mut self, told: &Told, numbers: &Renumbered, end: Time) -> Option<Time> {
        let seen = self.provenance.as_deref_mut().and_then(Provenance::take_log)?;
        let joined = join(&seen, told, |number| numbers.of(number), end);
        self.decisions.set_contents(&joined.contents);
        self.joined = Some(joined.accounts);
        seen.full_since()
    }
}
