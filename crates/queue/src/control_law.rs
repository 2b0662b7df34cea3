//! CoDel's control law, t + INTERVAL / √count (RFC 8289 §5.6): exact, by a lookup table for data planes without square
//! roots, or as P4-CoDel has it.

use jettison_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Computation of INTERVAL / √count, and what it is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ControlLaw {
    /// With the square root.
    #[default]
    Exact,
    /// As in `p4/lib/control_law.p4`: a factor with 16 fractional bits, looked up by the six leading bits of the count.
    /// Within 0.8 % of the exact value up to a count of 65,535; constant from 65,536 on.
    Table,
    /// As P4-CoDel (Kundel et al. 2018, `ralfkundel/p4-codel`) and `p4/lib/p4_codel.p4`: INTERVAL / √c, c being the highest
    /// power of two that is not above the count, from the time of the signal on; no step from a count of 1,024 on; and
    /// neither MAXPACKET nor an empty queue ends dropping state.
    P4Codel,
}

impl ControlLaw {
    /// Returns the time to the next signal. The tables compute in units of `tick`. With P4-CoDel's law, counts of 1,024 and
    /// more have no step of their own ([`ControlLaw::steps`]); this returns that of 1,023.
    #[inline]
    pub(crate) fn step(self, interval: Duration, count: u32, tick: Duration) -> Duration {
        match self {
            ControlLaw::P4Codel => {
                let tick = tick.as_nanos().max(1);
                let ticks = u128::from(interval.as_nanos() / tick) * u128::from(power_factor(count));
                Duration::from_nanos(
                    u64::try_from(ticks >> POWER_FRACTION).unwrap_or(u64::MAX).saturating_mul(tick),
                )
            }
            ControlLaw::Exact => {
                let step = interval.as_nanos() as f64 / libm::sqrt(f64::from(count));
                Duration::from_nanos(step as u64)
            }
            ControlLaw::Table => {
                let tick = tick.as_nanos().max(1);
                let ticks = u128::from(interval.as_nanos() / tick) * u128::from(factor(count));
                Duration::from_nanos(
                    u64::try_from(ticks >> FRACTION).unwrap_or(u64::MAX).saturating_mul(tick),
                )
            }
        }
    }

    /// Whether a signal with this count sets the time of the next one. P4-CoDel's table ends at 1,023: beyond it the time
    /// remains, so that each packet is dropped until the delay falls below target.
    #[inline]
    pub(crate) fn steps(self, count: u32) -> bool {
        self != ControlLaw::P4Codel || count < POWER_CAP
    }
}

/// Fractional bits of a factor of P4-CoDel's table.
const POWER_FRACTION: u32 = 32;
/// Count from which on P4-CoDel's table has no entry.
const POWER_CAP: u32 = 1 << 10;

/// P4-CoDel's table: 2^32 / √c, rounded down; c is the highest power of two that is not above the count, and 1 for 0.
fn power_factor(count: u32) -> u64 {
    let power = count.clamp(1, POWER_CAP - 1).ilog2();
    ((1u128 << (2 * POWER_FRACTION)) >> power).isqrt() as u64
}

/// Fractional bits of a factor.
const FRACTION: u32 = 16;
/// Leading bits of a count that select the table entry.
const LEADING: u32 = 6;
/// Count from which on the factor is constant.
const CAP: u32 = 1 << 16;

/// The table: 2^16 / √c, rounded down; c is the middle of the counts that share their leading bits.
fn factor(count: u32) -> u64 {
    let count = count.clamp(1, CAP);
    let shift = (count.ilog2() + 1).saturating_sub(LEADING);
    let middle = if count == CAP { CAP } else { (count >> shift << shift) + (1 << shift) / 2 };
    // ⌊√⌊x⌋⌋ is ⌊√x⌋.
    ((1u64 << (2 * FRACTION)) / u64::from(middle)).isqrt()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    const INTERVAL: Duration = Duration::from_millis(100);
    const MICROSECOND: Duration = Duration::from_micros(1);

    fn table(count: u32) -> Duration {
        ControlLaw::Table.step(INTERVAL, count, MICROSECOND)
    }

    /// The entries of the P4 table, one per prefix.
    fn entries() -> String {
        let mut text = String::new();
        let mut count = 1;
        while count < CAP {
            let width = 1 << (count.ilog2() + 1).saturating_sub(LEADING);
            writeln!(text, "{count:#010x} &&& {:#010x} : scale({});", u32::MAX - (width - 1), factor(count))
                .expect("writing to a string cannot fail");
            count += width;
        }
        text
    }

    #[test]
    fn the_table_is_that_of_the_p4_programs() {
        let file = include_str!("../../../p4/lib/control_law.p4");
        let lines = |text: &str| {
            let lines =
                text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(lines(file), lines(&entries()), "p4/lib/control_law.p4 must contain\n{}", entries());
        assert_eq!(lines(file).len(), 383);
        // The program's default action applies to counts beyond the table.
        let program = include_str!("../../../p4/lib/codel.p4");
        assert!(program.contains(&format!("default_action = scale({});", factor(CAP))));
    }

    #[test]
    fn p4_codels_steps_are_those_of_its_control_plane() {
        // ralfkundel/p4-codel, srcP4/commandsCodelRouter.txt: µs by the bits that a count has.
        let steps = [100_000, 70_710, 50_000, 35_355, 25_000, 17_677, 12_500, 8_838, 6_250, 4_419];
        for (power, step) in steps.into_iter().enumerate() {
            let (first, last) = (1 << power, (2 << power) - 1);
            for count in [first, last] {
                let law = ControlLaw::P4Codel;
                assert!(law.steps(count));
                assert_eq!(law.step(INTERVAL, count, MICROSECOND), Duration::from_micros(step), "{count}");
            }
        }
        assert_eq!(ControlLaw::P4Codel.step(INTERVAL, 0, MICROSECOND), INTERVAL);
        assert!(!ControlLaw::P4Codel.steps(1_024) && !ControlLaw::P4Codel.steps(u32::MAX));
        assert!(ControlLaw::Table.steps(u32::MAX) && ControlLaw::Exact.steps(u32::MAX));
    }

    #[test]
    fn p4_codels_factors_are_those_of_the_p4_programs() {
        let program = include_str!("../../../p4/lib/p4_codel.p4");
        for power in 0..10 {
            // Counts 0 and 1 share an entry.
            let (key, bits) = if power == 0 { (0, 1) } else { (1u32 << power, power) };
            let entry =
                format!("{key:#010x} &&& {:#010x} : scale({});", u32::MAX << bits, power_factor(1 << power));
            assert!(program.contains(&entry), "p4/lib/p4_codel.p4 must contain {entry}");
        }
    }

    #[test]
    fn the_table_is_exact_to_its_last_bit_up_to_63_and_within_0_8_percent_up_to_65_535() {
        for count in 1..CAP {
            let exact = ControlLaw::Exact.step(INTERVAL, count, MICROSECOND).as_nanos() as f64;
            let error = (table(count).as_nanos() as f64 - exact).abs();
            // A bit of the factor is 1.6 µs of 100 ms; a microsecond is the unit.
            let bits = 2_600.0;
            assert!(
                error <= bits + if count < 64 { 0.0 } else { 0.008 * exact },
                "{count}: {error} of {exact}"
            );
        }
    }

    #[test]
    fn steps_of_the_table_never_grow_and_stay_from_65_536_on() {
        assert_eq!(table(1), INTERVAL);
        assert_eq!(table(4), INTERVAL / 2);
        assert!((1..CAP + 10).all(|count| table(count + 1) <= table(count)));
        assert_eq!(table(CAP), Duration::from_micros(390), "100 ms / 256");
        assert_eq!(table(u32::MAX), table(CAP));
    }
}
