//! Traffic classes ("tins"): which DSCP belongs to which, and each one's share of the rate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classification of packets into tins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Tins {
    /// One tin for all packets.
    BestEffort,
    /// Eight tins, by the IP precedence (the upper three bits of the DSCP).
    Precedence,
    /// Bulk, best effort and voice, by DSCP.
    Diffserv3,
    /// Bulk, best effort, video and voice, by DSCP.
    Diffserv4,
    /// Eight tins, by DSCP.
    Diffserv8,
}

/// The tins of a classification, in the order in which `tc -s` prints them.
#[derive(Debug, Clone)]
pub struct Classes {
    /// Names, for gauges.
    pub names: &'static [&'static str],
    /// Threshold of each tin as a share of the rate.
    pub shares: Vec<f64>,
    /// Index of each tin, lowest priority first.
    pub priority: Vec<u8>,
    /// Tin of each DSCP.
    pub by_dscp: [u8; 64],
}

const NUMBERED: [&str; 8] = ["tin-0", "tin-1", "tin-2", "tin-3", "tin-4", "tin-5", "tin-6", "tin-7"];

impl Tins {
    /// The tins. Thresholds of `diffserv3` and `diffserv4` are those of tc-cake(8); those of the eight tins, each 7/8 of the one
    /// before, and the DSCPs that the manual page leaves open were measured with Linux 6.1.
    pub fn classes(self) -> Classes {
        let map = |other: u8, tins: &[(u8, &[u8])]| {
            let mut by_dscp = [other; 64];
            for (tin, dscps) in tins {
                dscps.iter().for_each(|dscp| by_dscp[usize::from(*dscp)] = *tin);
            }
            by_dscp
        };
        let eight = |by_dscp| Classes {
            names: &NUMBERED,
            shares: std::iter::successors(Some(1.0), |share| Some(share * 0.875)).take(8).collect(),
            priority: (0..8).collect(),
            by_dscp,
        };
        match self {
            Tins::BestEffort => {
                Classes { names: &["best-effort"], shares: vec![1.0], priority: vec![0], by_dscp: [0; 64] }
            }
            Tins::Precedence => eight(std::array::from_fn(|dscp| dscp as u8 >> 3)),
            Tins::Diffserv3 => Classes {
                names: &["bulk", "best-effort", "voice"],
                shares: vec![1.0 / 16.0, 1.0, 0.25],
                priority: vec![1, 0, 2],
                by_dscp: map(1, &[(0, &[1, 8]), (2, &[4, 44, 46, 48, 56])]),
            },
            Tins::Diffserv4 => Classes {
                names: &["bulk", "best-effort", "video", "voice"],
                shares: vec![1.0 / 16.0, 1.0, 0.5, 0.25],
                priority: vec![1, 0, 2, 3],
                by_dscp: map(
                    1,
                    &[
                        (0, &[1, 8]),
                        (2, &[4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38]),
                        (3, &[32, 40, 44, 46, 48, 56]),
                    ],
                ),
            },
            Tins::Diffserv8 => eight(map(
                2,
                &[
                    (0, &[1]),
                    (1, &[2, 8, 10, 12, 14]),
                    (3, &[24, 26, 28, 30, 34, 36, 38]),
                    (4, &[4, 18, 20, 22]),
                    (5, &[16]),
                    (6, &[32, 40, 44, 46]),
                    (7, &[48, 56]),
                ],
            )),
        }
    }

    /// Linux's keyword.
    pub const fn keyword(self) -> &'static str {
        match self {
            Tins::BestEffort => "besteffort",
            Tins::Precedence => "precedence",
            Tins::Diffserv3 => "diffserv3",
            Tins::Diffserv4 => "diffserv4",
            Tins::Diffserv8 => "diffserv8",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dscps_have_the_tins_that_linux_gives_them() {
        // Counters of `tc -s qdisc show` after a ping of each DSCP, Linux 6.1.
        let measured: [(Tins, &str); 4] = [
            (Tins::Diffserv3, "1011211101111111111111111111111111111111111121212111111121111111"),
            (Tins::Diffserv4, "1011211101111111212121212121212131212121311131313111111131111111"),
            (Tins::Diffserv8, "2012422212121212524242423232323262323232622262627222222272222222"),
            (Tins::Precedence, "0000000011111111222222223333333344444444555555556666666677777777"),
        ];
        for (tins, digits) in measured {
            let ours: String = tins.classes().by_dscp.iter().map(|tin| char::from(b'0' + tin)).collect();
            assert_eq!(ours, digits, "{tins:?}");
        }
        assert_eq!(Tins::BestEffort.classes().by_dscp, [0; 64]);
    }

    #[test]
    fn every_tin_has_a_name_a_share_and_a_priority() {
        for tins in [Tins::BestEffort, Tins::Precedence, Tins::Diffserv3, Tins::Diffserv4, Tins::Diffserv8] {
            let classes = tins.classes();
            let count = classes.names.len();
            assert_eq!((classes.shares.len(), classes.priority.len()), (count, count));
            assert!((0..count as u8).all(|tin| classes.priority.contains(&tin)));
            assert!(classes.by_dscp.iter().all(|tin| usize::from(*tin) < count));
        }
    }
}
