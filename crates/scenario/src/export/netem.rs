//! A link's delay and loss as `netem` on what the receiving node gets: tc-netem(8).
//!
//! Behind the queue, as in the scenario: netem on the sender's device would hide the backlog from the sender's own limits. An
//! intermediate device (ifb) takes what the receiver's device gets.

use jettison_core::Duration;
use jettison_link::Share;
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
    /// The link's delay and loss; `None` if it has neither.
    pub fn of(direction: &Direction<'_>) -> Option<Netem> {
        let settings = &direction.settings;
        let loss = settings.loss_parameters();
        if settings.delay.is_zero() && loss.is_none() {
            return None;
        }
        let mut netem = Netem { options: Vec::new(), notes: Vec::new() };
        if !settings.delay.is_zero() {
            // tc counts in microseconds.
            let micros = Duration::from_micros(settings.delay.as_nanos() / 1_000);
            netem.options.push(format!("delay {}", tc_time("delay", micros).unwrap_or_default()));
        }
        let percent = |share: Share| format!("{}%", share.value() * 100.0);
        if loss.probability > Share::ZERO {
            netem.options.push(format!("loss random {}", percent(loss.probability)));
        }
        if let Some(chain) = &loss.gilbert_elliott {
            netem.options.push(format!(
                "loss gemodel {} {} {} {}",
                percent(chain.p),
                percent(chain.r),
                percent(chain.bad_loss),
                percent(chain.good_loss),
            ));
        }
        if !loss.windows.is_empty() || !loss.scheduled.is_empty() {
            netem
                .notes
                .push("losses in windows and scheduled losses are left out: netem has none".to_owned());
        }
        let changes =
            settings.changes.iter().filter(|change| change.delay.is_some() || change.loss.is_some());
        let changes = changes.count() + loss.changes.len();
        if changes > 0 {
            netem.notes.push(
                "delay and loss are those at the start of a run; their changes are left out".to_owned(),
            );
        }
        let in_flight = match direction.rate() {
            Some(rate) => rate.bytes_in(settings.delay).get() / SMALLEST,
            None => 0,
        };
        netem.options.push(format!("limit {}", (in_flight + SPARE).min(u64::from(u32::MAX))));
        Some(netem)
    }

    /// Writes the commands for the receiver's device.
    pub fn write(&self, script: &mut Script, device: &str) {
        script.comment("The link's delay and loss, for what the receiver's device gets.");
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
