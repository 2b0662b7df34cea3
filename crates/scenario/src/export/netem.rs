//! A link's delay, loss and impairments as `netem` on what the receiving node gets: tc-netem(8). Where netem was measured to do
//! something else (docs/src/appendix/links.md, "Held to netem"), a comment says so.
//!
//! Behind the queue, as in the scenario: netem on the sender's device would hide the backlog from the sender's own limits. An
//! intermediate device (ifb) takes what the receiver's device gets.

use jettison_core::Duration;
use jettison_link::{
    Distribution, FourState, ImpairmentParameters, JitterParameters, LossParameters, OccurrenceParameters,
    ReorderParameters, Share,
};
use jettison_queue::tc_time;

use super::Direction;
use super::shell::Script;

/// The smallest packet that is counted for netem's limit.
const SMALLEST: u64 = 64;
/// Packets that netem may hold beyond those in flight.
const SPARE: u64 = 1000;

/// Options of netem.
pub(super) struct Netem {
    options: Vec<String>,
    notes: Vec<String>,
}

impl Netem {
    /// The link's delay, loss and impairments; `None` if it has none.
    pub fn of(direction: &Direction<'_>) -> Option<Netem> {
        let settings = &direction.settings;
        let (loss, impairments) = (&settings.loss, &settings.impairments);
        if settings.delay.is_zero() && loss.is_none() && impairments.is_none() {
            return None;
        }
        let mut netem = Netem { options: Vec::new(), notes: Vec::new() };
        if !settings.delay.is_zero() {
            netem.options.push(format!("delay {}", time(settings.delay)));
            netem.impair(impairments);
        }
        netem.lose(loss);
        netem.occur("duplicate", impairments.duplicate);
        netem.occur("corrupt", impairments.corrupt);
        if impairments.duplicate.is_some() && !loss.is_none() {
            netem.note("duplicate: of a packet that netem loses, the copy may arrive");
        }
        let changes =
            settings.changes.iter().filter(|change| change.delay.is_some() || change.loss.is_some());
        let changes = changes.count() + loss.changes.len();
        if changes > 0 {
            netem.note("delay and loss are those at the start of a run; their changes are left out");
        }
        let in_flight = match direction.rate() {
            Some(rate) => rate.bytes_in(settings.delay).get() / SMALLEST,
            None => 0,
        };
        netem.options.push(format!("limit {}", (in_flight + SPARE).min(u64::from(u32::MAX))));
        Some(netem)
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Jitter and reordering, which need a delay.
    fn impair(&mut self, impairments: &ImpairmentParameters) {
        if let Some(jitter) = &impairments.jitter {
            self.jitter(jitter);
        }
        if let Some(ReorderParameters { probability, correlation, gap, delay }) = impairments.reorder {
            self.options.push(format!("reorder {}", percent(probability.value())));
            if gap > 1 {
                self.options.push(format!("gap {gap}"));
            }
            self.uncorrelated("reorder", correlation);
            if !delay.is_zero() {
                self.note(format!("reorder: a packet that overtakes has no delay in netem, not {delay}"));
            }
        }
    }

    fn jitter(&mut self, jitter: &JitterParameters) {
        self.options.push(time(jitter.deviation));
        match (&jitter.table, jitter.distribution) {
            (Some(file), _) => {
                let name = file.rsplit('/').next().unwrap_or(file);
                let name = name.strip_suffix(".dist").unwrap_or(name);
                let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
                let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
                self.options.push(format!("distribution {name}"));
                self.note(format!("jitter: copy the table to {name}.dist in tc's folder, /usr/lib/tc"));
            }
            // What netem does without a distribution.
            (None, Distribution::Uniform) => {}
            (None, Distribution::Normal) => self.options.push("distribution normal".to_owned()),
            (None, Distribution::Pareto) => self.options.push("distribution pareto".to_owned()),
            (None, Distribution::Paretonormal) => self.options.push("distribution paretonormal".to_owned()),
        }
        if !jitter.reorder {
            self.note("jitter: in netem packets overtake each other; in the scenario they stay in order");
        }
        self.uncorrelated("jitter", jitter.correlation);
    }

    /// The only model of random loss.
    fn lose(&mut self, loss: &LossParameters) {
        let (p, correlation) = (loss.probability.value(), loss.correlation.value());
        if correlation > 0.0 && p > 0.0 {
            // The same chain: a loss follows a loss with p + c (1 - p), and another packet with p (1 - c).
            let (begins, ends) = (p * (1.0 - correlation), (1.0 - p) * (1.0 - correlation));
            self.options.push(format!("loss gemodel {} {} 100% 0%", percent(begins), percent(ends)));
            self.note(
                "loss: a correlation in netem would change the share, so the chain is written that it is",
            );
        } else if p > 0.0 {
            self.options.push(format!("loss random {}", percent(p)));
        }
        if let Some(chain) = &loss.gilbert_elliott {
            let of = |share: Share| percent(share.value());
            let (p, r, bad, good) = (of(chain.p), of(chain.r), of(chain.bad_loss), of(chain.good_loss));
            self.options.push(format!("loss gemodel {p} {r} {bad} {good}"));
        }
        if let Some(FourState { p13, p31, p32, p23, p14 }) = loss.four_state {
            let p31 = p31.map_or(1.0 - p13.value(), Share::value);
            let all = [p13.value(), p31, p32.value(), p23.value(), p14.value()].map(percent);
            self.options.push(format!("loss state {}", all.join(" ")));
        }
        if !loss.windows.is_empty() || !loss.scheduled.is_empty() {
            self.note("losses in windows and scheduled losses are left out: netem has none");
        }
    }

    fn occur(&mut self, name: &str, given: Option<OccurrenceParameters>) {
        if let Some(OccurrenceParameters { probability, correlation }) = given {
            self.options.push(format!("{name} {}", percent(probability.value())));
            self.uncorrelated(name, correlation);
        }
    }

    /// Says that a correlation is left out: netem's was measured to change the share, or to do nothing.
    fn uncorrelated(&mut self, name: &str, correlation: Share) {
        if correlation > Share::ZERO {
            self.note(format!("{name}: its correlation is left out; netem's does not keep the share"));
        }
    }

    /// Writes the commands for the receiver's device.
    pub fn write(&self, script: &mut Script, device: &str) {
        script.comment("The link's delay, loss and impairments, for what the receiver's device gets.");
        for note in &self.notes {
            script.comment(note);
        }
        let ifb = format!("ifb-{}", device.trim_matches('"'));
        script.line(format!("ifb=$(printf '%.15s' \"{ifb}\")"));
        script.line("ip link add \"$ifb\" type ifb 2>/dev/null || true");
        script.line("ip link set \"$ifb\" up");
        script.line(format!("tc qdisc del dev {device} ingress 2>/dev/null || true"));
        script.line("tc qdisc del dev \"$ifb\" root 2>/dev/null || true");
        script.line(format!("tc qdisc add dev {device} handle ffff: ingress"));
        script.line(format!(
            "tc filter add dev {device} parent ffff: protocol all prio 1 u32 match u32 0 0 action mirred egress redirect dev \"$ifb\""
        ));
        script.line(format!("tc qdisc add dev \"$ifb\" root handle 1: netem {}", self.options.join(" ")));
    }
}

/// A time in whole microseconds, in which tc counts.
fn time(time: Duration) -> String {
    tc_time("delay", Duration::from_micros(time.as_nanos() / 1_000)).unwrap_or_default()
}

fn percent(share: f64) -> String {
    // To nine decimals; more are errors of the multiplication.
    format!("{}%", (share * 1e11).round() / 1e9)
}
