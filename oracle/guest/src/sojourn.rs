//! Sojourn times per packet, by the BPF programs of sojourn.bpf.c.

use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use libbpf_rs::skel::{OpenSkel, Skel, SkelBuilder};
use libbpf_rs::{MapCore, MapFlags, OpenObject};
use nix::time::{ClockId, clock_gettime};

#[allow(clippy::all, missing_docs, dead_code, unsafe_code)]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/sojourn.skel.rs"));
}

/// As in sojourn.bpf.c.
const BIN_NS: u64 = 50_000;
const BINS: usize = 40_000;
const FIELDS: usize = 7;
const KEY: [u8; 4] = [0; 4];

/// The loaded programs.
pub struct Sojourn<'a> {
    programs: skeleton::SojournSkel<'a>,
}

impl<'a> Sojourn<'a> {
    pub fn load(storage: &'a mut MaybeUninit<OpenObject>) -> Result<Sojourn<'a>> {
        let open =
            skeleton::SojournSkelBuilder::default().open(storage).context("cannot read the BPF object")?;
        let mut programs = open.load().context("the kernel rejected the BPF programs")?;
        programs.attach().context("cannot attach the BPF programs")?;
        Ok(Sojourn { programs })
    }

    /// Forgets everything, and counts packets that leave in the window.
    pub fn open_window(&self, from: Instant, until: Instant) -> Result<()> {
        let mut record = vec![0_u8; (FIELDS + BINS) * 8];
        for (place, instant) in [from, until].into_iter().enumerate() {
            record[place * 8..][..8].copy_from_slice(&monotonic(instant)?.to_ne_bytes());
        }
        self.programs.maps.measured.update(&KEY, &record, MapFlags::ANY).context("cannot write the BPF map")
    }

    pub fn read(&self) -> Result<Sojourns> {
        let record =
            self.programs.maps.measured.lookup(&KEY, MapFlags::ANY)?.context("the BPF map is empty")?;
        ensure!(record.len() == (FIELDS + BINS) * 8, "the BPF map has another size than this program");
        let word = |place: usize| {
            let bytes = record[place * 8..].first_chunk().copied();
            u64::from_ne_bytes(bytes.unwrap_or_default())
        };
        Ok(Sojourns {
            packets: word(2),
            sum: word(3),
            highest: word(4),
            marks: word(5),
            unmatched: word(6),
            bins: (FIELDS..FIELDS + BINS).map(word).collect(),
        })
    }
}

/// An instant in nanoseconds of CLOCK_MONOTONIC, which `Instant` does not give.
fn monotonic(instant: Instant) -> Result<u64> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).context("cannot read the clock")?;
    let ahead = instant.saturating_duration_since(Instant::now());
    Ok(u64::try_from((Duration::from(now) + ahead).as_nanos())?)
}

/// What left in the window.
pub struct Sojourns {
    pub packets: u64,
    pub marks: u64,
    pub unmatched: u64,
    sum: u64,
    highest: u64,
    bins: Vec<u64>,
}

impl Sojourns {
    pub fn mean_ms(&self) -> f64 {
        self.sum as f64 / self.packets.max(1) as f64 / 1e6
    }

    pub fn highest_ms(&self) -> f64 {
        self.highest as f64 / 1e6
    }

    /// Middle of the bin that holds the quantile.
    pub fn quantile_ms(&self, share: f64) -> f64 {
        let rank = (self.packets as f64 * share) as u64;
        let mut seen = 0;
        let bin = self.bins.iter().position(|count| {
            seen += count;
            seen > rank
        });
        (bin.unwrap_or(0) as f64 + 0.5) * BIN_NS as f64 / 1e6
    }
}
