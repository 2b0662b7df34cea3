//! Externs of PSA.

use super::Run;
use crate::compiled::plan::PsaPlan;
use crate::objects::Meter;

impl Run<'_> {
    pub(super) fn psa(&mut self, plan: &PsaPlan) {
        match plan {
            PsaPlan::CountDirect(counter) => {
                let bytes = self.plane.packet_bytes;
                self.plane.objects.counter_mut(*counter).count_selected(bytes);
            }
            PsaPlan::Mark { meter, index, colour, to } => {
                let colour = colour.map_or(Meter::GREEN, |slot| self.word(slot) as u8);
                let (now, bytes) = (self.plane.now, self.plane.packet_bytes);
                let index = index.map(|slot| self.word(slot));
                let meter = self.plane.objects.meter_mut(*meter);
                let colour = match index {
                    Some(index) => meter.mark(index, colour, now, bytes).unwrap_or(colour),
                    None => meter.mark_selected(colour, now, bytes),
                };
                self.store[*to as usize] = u64::from(colour);
            }
            PsaPlan::Clear { algorithm, to } => {
                self.store[*to as usize] = self.plane.objects.hashes().begin(*algorithm);
            }
            PsaPlan::Update { algorithm, from, pack, to } => {
                self.pack(pack);
                let state = self.word(*from);
                let hashes = self.plane.objects.hashes();
                self.store[*to as usize] = hashes.extend(*algorithm, state, self.hashed.bytes());
            }
            PsaPlan::Get { algorithm, from, to } => {
                let state = self.word(*from);
                self.store[*to as usize] = self.plane.objects.hashes().end(*algorithm, state);
            }
        }
    }
}
