//! Linux's name of a discipline: the tree of queueing disciplines (qdiscs), classes and filters by which `tc` sets it up.
//!
//! A discipline's own file states it, as the fact [`InLinux`] of its registry entry: a function from its parameters to a
//! [`Qdisc`], or why Linux has none. Where Linux's differs, the function says so in a note; where Linux cannot be set so, it
//! refuses with the parameter's key. `jettison export tc` prints the tree as commands.

use std::fmt;
use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate};
use jettison_registry::{ParameterError, Registry, parameters};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Limit;
use crate::entry::Discipline;

/// Whether Linux has a discipline, and how `tc` writes it. The fact of a discipline's registry entry.
#[derive(Clone, Default)]
pub enum InLinux {
    /// Not stated, as for a discipline made at run time.
    #[default]
    Unstated,
    /// Linux has no such qdisc.
    Absent {
        /// The reason: a sentence without a full stop.
        reason: &'static str,
        /// The nearest that Linux has: "`pie` with …".
        nearest: &'static str,
    },
    /// Linux has it, for the parameters that the function accepts.
    Present(Write),
}

/// Writes a discipline's parameters as a qdisc.
#[derive(Clone)]
#[expect(clippy::type_complexity, reason = "written once")]
pub struct Write(Arc<dyn Fn(&Value, &QdiscContext<'_>) -> Result<Qdisc, ParameterError> + Send + Sync>);

impl InLinux {
    /// Linux has it: `write` makes the qdisc from parameters that were checked. An error has the key of the parameter that
    /// Linux cannot have, as seen from the discipline's own table.
    pub fn by<T: DeserializeOwned + JsonSchema + 'static>(
        write: fn(T, &QdiscContext<'_>) -> Result<Qdisc, ParameterError>,
    ) -> InLinux {
        InLinux::Present(Write(Arc::new(move |value, context| write(parameters(value)?, context))))
    }

    /// Linux does not have it.
    pub const fn lacks(reason: &'static str, nearest: &'static str) -> InLinux {
        InLinux::Absent { reason, nearest }
    }

    /// The qdisc for a table of parameters without `kind`, or the reason why there is none. `name` is that of the discipline.
    ///
    /// # Errors
    /// If Linux has no such qdisc, or cannot set it so, with the path of the key.
    pub fn qdisc(
        &self,
        name: &str,
        parameters: &Value,
        context: &QdiscContext<'_>,
    ) -> Result<Qdisc, ParameterError> {
        match self {
            InLinux::Present(write) => (write.0)(parameters, context),
            InLinux::Absent { reason, nearest } => {
                let message = format!("Linux has no queueing discipline for {name}: {reason}");
                Err(ParameterError::whole(message).with_help(format!("nearest: {nearest}")))
            }
            InLinux::Unstated => {
                let message = format!("{name} does not state which of Linux's queueing disciplines it is");
                Err(ParameterError::whole(message))
            }
        }
    }
}

impl fmt::Debug for InLinux {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InLinux::Unstated => f.write_str("Unstated"),
            InLinux::Absent { reason, .. } => write!(f, "Absent: {reason}"),
            InLinux::Present(_) => f.write_str("Present"),
        }
    }
}

/// What a qdisc is set up for.
#[derive(Clone, Copy)]
pub struct QdiscContext<'a> {
    /// The rate of the link; `None` if it varies.
    pub rate: Option<Rate>,
    /// Whether a shaper above bounds the rate already. If not, a qdisc that can shape sets `rate` itself and says so in
    /// [`Qdisc::shapes`].
    pub is_shaped: bool,
    /// What the link counts per packet beside the IP length.
    pub overhead: Bytes,
    /// The link-layer header that Linux counts in a packet's length: 14 bytes on an Ethernet device, 0 on a TUN device.
    pub header: Bytes,
    /// The largest IP length.
    pub mtu: Bytes,
    /// The registered disciplines, for disciplines that contain others.
    pub registry: &'a Registry<Discipline>,
}

impl QdiscContext<'_> {
    /// The qdisc of a discipline inside another: an id, or a table with its `kind`.
    ///
    /// # Errors
    /// If the discipline is unknown, or as [`InLinux::qdisc`].
    pub fn inner(&self, value: &Value) -> Result<Qdisc, ParameterError> {
        let (entry, parameters) = self.registry.chosen(value)?;
        entry.facts.qdisc(entry.name, &parameters, &QdiscContext { is_shaped: true, ..*self })
    }

    /// The length in Linux of `bytes` of IP length in packets of the largest size: each has the link-layer header.
    pub fn in_linux(&self, bytes: u64) -> u64 {
        let grown = u128::from(bytes) * u128::from(self.mtu.get() + self.header.get());
        u64::try_from(grown / u128::from(self.mtu.get().max(1))).unwrap_or(u64::MAX)
    }
}

/// A queueing discipline of Linux.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Qdisc {
    /// Its name for `tc`: `fq_codel`.
    pub kind: &'static str,
    /// Words of `tc` after the name.
    pub options: Vec<String>,
    /// The qdiscs that take the place of those it makes itself, with the minor number of their class. One that contains a
    /// single qdisc (tbf, red, netem) has it at class 1.
    pub children: Vec<(u16, Qdisc)>,
    /// Classes that have to be made (htb, drr).
    pub classes: Vec<Class>,
    /// Filters, in the order of their application.
    pub filters: Vec<Filter>,
    /// The rate that it shapes to, if it does.
    pub shapes: Option<Rate>,
    /// Bytes that a size table (tc-stab(8)) adds to each packet's length in Linux, for this qdisc and all below it.
    pub size_table: Option<i64>,
    /// What differs between it and the discipline: sentences without a full stop.
    pub notes: Vec<String>,
}

/// A class of a qdisc.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Class {
    /// Minor number.
    pub minor: u16,
    /// Words of `tc` after the qdisc's name.
    pub options: Vec<String>,
    /// Its qdisc, if it has no classes; `None` leaves the kernel's default.
    pub child: Option<Qdisc>,
    /// Classes below it.
    pub classes: Vec<Class>,
}

/// A filter that leads packets to a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Protocol: `ip`, `ipv6` or `all`.
    pub protocol: &'static str,
    /// Classifier and match, such as `u32 match ip dsfield 0xb8 0xfc`.
    pub matches: String,
    /// Minor number of the class.
    pub class: u16,
    /// Words after the class, such as an action.
    pub action: Vec<String>,
}

impl Qdisc {
    /// A qdisc with its defaults.
    pub fn new(kind: &'static str) -> Qdisc {
        Qdisc { kind, ..Qdisc::default() }
    }

    /// Adds an option with a value.
    pub fn option(mut self, name: &str, value: impl fmt::Display) -> Qdisc {
        self.options.extend([name.to_owned(), value.to_string()]);
        self
    }

    /// Adds a word.
    pub fn word(mut self, word: &str) -> Qdisc {
        self.options.push(word.to_owned());
        self
    }

    /// Adds a time. `tc` counts in microseconds.
    ///
    /// # Errors
    /// If it is no whole number of microseconds; `key` is the parameter's.
    pub fn time(self, name: &str, key: &str, time: Duration) -> Result<Qdisc, ParameterError> {
        let text = tc_time(key, time)?;
        Ok(self.option(name, text))
    }

    /// Adds `limit` in packets. A limit in bytes becomes one in packets of the largest size.
    pub fn packet_limit(mut self, limit: Limit, context: &QdiscContext<'_>) -> Qdisc {
        let mtu = context.mtu.get().max(1);
        let by_bytes = if limit.bytes == u64::MAX { u64::MAX } else { (limit.bytes / mtu).max(1) };
        let packets = limit.packets.min(by_bytes);
        if limit.bytes != u64::MAX {
            self.notes.push(format!(
                "limit {limit}: Linux's {} counts packets, not bytes; {packets} of {mtu} bytes",
                self.kind
            ));
        }
        if packets > MOST {
            self.notes.push(format!("limit {limit}: Linux counts to {MOST} packets"));
        }
        self.option("limit", packets.min(MOST))
    }

    /// Adds `limit` in bytes of IP length, converted to what Linux counts.
    pub fn byte_limit(mut self, bytes: u64, context: &QdiscContext<'_>) -> Qdisc {
        let (in_linux, header) = (context.in_linux(bytes), context.header.get());
        if in_linux != bytes {
            self.notes.push(format!(
                "limit {}: Linux counts the link-layer header too, {header} bytes per packet",
                Bytes::new(bytes)
            ));
        }
        self.option("limit", in_linux.min(MOST))
    }

    /// Adds a note: what differs.
    pub fn note(mut self, note: impl Into<String>) -> Qdisc {
        self.notes.push(note.into());
        self
    }

    /// Adds a note if `holds`.
    pub fn note_if(self, holds: bool, note: &str) -> Qdisc {
        if holds { self.note(note) } else { self }
    }

    /// Puts `child` in the place of the queue at class `minor`.
    pub fn child(mut self, minor: u16, child: Qdisc) -> Qdisc {
        self.children.push((minor, child));
        self
    }
}

/// Largest number of 32 bits: of packets or bytes of a limit.
const MOST: u64 = u32::MAX as u64;

/// A time as `tc` writes it: `5ms`, `1250us`.
///
/// # Errors
/// If it is no whole number of microseconds, at `key`.
pub fn tc_time(key: &str, time: Duration) -> Result<String, ParameterError> {
    let nanos = time.as_nanos();
    ParameterError::require(nanos.is_multiple_of(1_000), key, "be whole microseconds for `tc`", time)?;
    Ok(if nanos.is_multiple_of(1_000_000) {
        format!("{}ms", nanos / 1_000_000)
    } else {
        format!("{}us", nanos / 1_000)
    })
}

/// A rate as `tc` writes it: `50mbit`, `12345bit`.
pub fn tc_rate(rate: Rate) -> String {
    let bits = rate.as_bits();
    match bits {
        0 => "0bit".to_owned(),
        _ if bits.is_multiple_of(1_000_000) => format!("{}mbit", bits / 1_000_000),
        _ if bits.is_multiple_of(1_000) => format!("{}kbit", bits / 1_000),
        _ => format!("{bits}bit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines;
    use serde_json::json;

    /// The qdisc of a discipline at 50 Mbit/s on an Ethernet device.
    fn written(value: Value) -> Result<Qdisc, ParameterError> {
        let registry = disciplines();
        let context = QdiscContext {
            rate: Some(Rate::from_mbit(50)),
            is_shaped: true,
            overhead: Bytes::new(14),
            header: Bytes::new(14),
            mtu: Bytes::new(1500),
            registry: &registry,
        };
        context.inner(&value)
    }

    fn words(value: Value) -> (String, Vec<String>) {
        let qdisc = written(value).unwrap();
        (format!("{} {}", qdisc.kind, qdisc.options.join(" ")), qdisc.notes)
    }

    #[test]
    fn a_limit_is_in_packets_or_in_bytes_with_the_link_layer_header() {
        assert_eq!(
            words(json!({ "kind": "tail-drop", "limit": "64 packets" })),
            ("pfifo limit 64".into(), vec![])
        );
        let (bytes, notes) = words(json!({ "kind": "tail-drop", "limit": "96 kB" }));
        assert_eq!((bytes.as_str(), notes.len()), ("bfifo limit 96896", 1));
        // 150 kB are 100 packets of 1,500 bytes.
        let both = |limit: &str| words(json!({ "kind": "tail-drop", "limit": limit })).0;
        assert_eq!(both("99 packets, 150 kB"), "pfifo limit 99");
        assert_eq!(both("101 packets, 150 kB"), "bfifo limit 151400");
        assert_eq!(both("unlimited"), "pfifo limit 4294967295");
    }

    #[test]
    fn codel_has_tc_names_and_whole_microseconds() {
        let (text, notes) = words(json!("codel"));
        assert_eq!(text, "codel limit 1000 target 5ms interval 100ms noecn");
        assert_eq!(notes, [""; 0]);
        let set = json!({ "kind": "codel", "target": "1.25 ms", "limit": "150 kB", "ecn": true });
        let (text, notes) = words(set);
        assert_eq!(text, "codel limit 100 target 1250us interval 100ms ecn");
        assert!(notes[0].contains("packets, not bytes"), "{notes:?}");
    }

    #[test]
    fn a_ce_threshold_and_its_selector_are_written() {
        let (text, _) = words(json!({ "kind": "codel", "ce_threshold": "1 ms" }));
        assert_eq!(text, "codel limit 1000 target 5ms interval 100ms noecn ce_threshold 1ms");
        let set = json!({ "kind": "fq-codel", "ce_threshold": "1 ms", "ce_threshold_selector": "0x01/0x03" });
        assert!(words(set).0.ends_with(" ce_threshold 1ms ce_threshold_selector 0x01/0x03"));
    }

    #[test]
    fn dualpi2_is_written_by_its_manual_page() {
        let (text, notes) = words(json!({ "kind": "dualpi2", "preset": "linux" }));
        assert_eq!(
            text,
            "dualpi2 limit 10000 target 15ms tupdate 16ms alpha 0.16 beta 3.2 coupling_factor 2 \
             classic_protection 10% step_thresh 1ms min_qlen_step 0 drop_on_overload drop_dequeue l4s_ect split_gso"
        );
        assert_eq!(notes.len(), 1, "{notes:?}");
        // The RFC's ramp from 800 to 1,200 us, and its 1/16.
        let (text, notes) = words(json!("dualpi2"));
        assert!(text.contains("step_thresh 1ms min_qlen_step 1") && text.contains("protection 6%"), "{text}");
        assert_eq!(notes.len(), 4, "{notes:?}");
        let step =
            json!({ "kind": "dualpi2", "preset": "linux", "min_th": "0 ms", "th_len": 5, "ect": "any" });
        let (text, _) = words(step);
        assert!(text.contains("step_thresh 5p drop_on_overload") && text.contains("any_ect"), "{text}");
        let refused = |value| written(value).unwrap_err().path;
        assert_eq!(refused(json!({ "kind": "dualpi2", "l_dscp": ["NQB"] })), ["l_dscp"]);
        assert_eq!(refused(json!({ "kind": "dualpi2", "k": 1.5 })), ["k"]);
        assert_eq!(refused(json!({ "kind": "dualpi2", "scheduler": "ts-fifo" })), ["scheduler"]);
    }

    #[test]
    fn what_linux_cannot_set_is_refused_at_its_key() {
        let refused = |value| written(value).unwrap_err().to_string();
        assert_eq!(
            refused(json!({ "kind": "codel", "target": "1500 ns" })),
            "target: must be whole microseconds for `tc`, got 1.5 us"
        );
        let clock = refused(json!({ "kind": "codel", "clock": "1 us" }));
        assert!(clock.starts_with("clock: must be unset for `tc`"), "{clock}");
        let table = refused(json!({ "kind": "codel", "control_law": "table" }));
        assert!(table.starts_with("control_law: must be \"exact\""), "{table}");
    }

    #[test]
    fn defaults_are_written_in_full() {
        let all = [
            (
                "fq-codel",
                "fq_codel limit 10240 flows 1024 quantum 1514 target 5ms interval 100ms ecn drop_batch 64",
            ),
            ("pie", "pie limit 1000 target 15ms tupdate 15ms alpha 2 beta 20 no_dq_rate_estimator noecn"),
            (
                "fq-pie",
                "fq_pie limit 10240 flows 1024 quantum 1514 memory_limit 33554432 target 15ms tupdate 15ms alpha 2 \
                 beta 20 no_dq_rate_estimator ecn_prob 10 noecn",
            ),
            ("sfq", "sfq limit 1000 quantum 1514 depth 127 flows 1024 divisor 1024 perturb 10"),
        ];
        for (id, text) in all {
            assert_eq!(words(json!(id)).0, text);
        }
    }

    #[test]
    fn pies_gains_are_sixteenths() {
        let pie =
            |key: &str, value: Value| written(json!({ "kind": "pie", key: value })).unwrap_err().to_string();
        assert_eq!(
            pie("alpha", json!("0.1 Hz")),
            "alpha: must be a multiple of 1/16 Hz in [0, 2 Hz] for `tc`, got 0.1 Hz"
        );
        assert!(pie("beta", json!("3 Hz")).contains("got 3 Hz"));
        assert!(pie("on_off", json!(true)).starts_with("on_off: must be false"));
        assert!(pie("derandomise", json!(false)).starts_with("derandomise: must be true"));
    }

    #[test]
    fn drr_has_a_class_for_each_band_and_a_filter_for_the_rest() {
        let set = json!({ "kind": "drr", "bands": 2, "quanta": ["3000 bytes"], "dscp": { "EF": 0 } });
        let qdisc = written(set).unwrap();
        assert_eq!((qdisc.kind, qdisc.options.len()), ("drr", 0));
        let classes: Vec<(u16, String)> =
            qdisc.classes.iter().map(|class| (class.minor, class.options.join(" "))).collect();
        assert_eq!(classes, [(1, "quantum 3028".to_owned()), (2, "quantum 1514".to_owned())]);
        let last = qdisc.filters.last().unwrap();
        assert_eq!((last.protocol, last.matches.as_str(), last.class), ("all", "matchall", 2));
    }

    #[test]
    fn a_discipline_that_linux_lacks_names_the_nearest() {
        let error = written(json!("pi2")).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("Linux has no queueing discipline for PI2:") && text.contains("nearest: `pie`"),
            "{text}"
        );
        assert!(error.path.is_empty());
    }

    #[test]
    fn every_discipline_states_what_linux_has() {
        let context = |registry| QdiscContext {
            rate: Some(Rate::from_mbit(50)),
            is_shaped: false,
            overhead: Bytes::new(14),
            header: Bytes::new(14),
            mtu: Bytes::new(1500),
            registry,
        };
        let registry = disciplines();
        for entry in registry.iter() {
            let mut example = entry.example.map_or(Value::Null, |example| example());
            if BY_CLASS.contains(&entry.id) {
                let refused = entry.facts.qdisc(entry.name, &example, &context(&registry)).unwrap_err();
                assert_eq!(refused.path, ["dscp"], "{}", entry.id);
                example = json!({ "dscp": { "EF": 0 } });
            }
            match (&entry.facts, entry.facts.qdisc(entry.name, &example, &context(&registry))) {
                (InLinux::Unstated, _) => panic!("{} does not say", entry.id),
                (_, Ok(qdisc)) => assert!(!qdisc.kind.is_empty(), "{}", entry.id),
                (InLinux::Absent { reason, nearest }, _) => {
                    assert!(!reason.ends_with('.') && !nearest.is_empty())
                }
                (InLinux::Present(_), Err(error)) => panic!("{}: its defaults: {error}", entry.id),
            }
        }
    }

    /// Those that take a switch's traffic class by default, which Linux does not have.
    const BY_CLASS: [&str; 3] = ["priority", "ets", "drr"];

    #[test]
    fn red_has_bytes_and_a_burst_for_its_weight() {
        let (text, notes) = words(json!("red"));
        assert_eq!(
            text,
            "red limit 1514000 min 7570 max 22710 avpkt 514 burst 127 probability 0.02 bandwidth 50mbit"
        );
        assert_eq!(notes.len(), 4, "{notes:?}");
        let set = json!({ "kind": "red", "adaptive": true, "target_delay": "5 ms", "ecn": true,
            "mark_above_max": false, "min_th": "10 kB", "max_th": "30 kB", "w_q": 0.0625, "s": "1 ms" });
        let (text, _) = words(set);
        // 5 ms at 50 Mbit/s are 31,250 bytes; the lower threshold is half of it, in whole bytes.
        assert!(text.contains(" min 15770 max 47312 "), "{text}");
        assert!(text.ends_with(" bandwidth 4112kbit ecn harddrop adaptive"), "{text}");
        let refused =
            |key: &str, value: Value| written(json!({ "kind": "red", key: value })).unwrap_err().path;
        assert_eq!(refused("gentle", json!(true)), ["gentle"]);
        assert_eq!(refused("victim", json!("random")), ["victim"]);
    }

    #[test]
    fn priority_is_prio_with_filters_by_dscp() {
        let bands = json!(["tail-drop", "fq-codel"]);
        let qdisc = written(json!({ "kind": "priority", "bands": bands, "dscp": { "EF": 0 } })).unwrap();
        assert_eq!(qdisc.kind, "prio");
        assert_eq!(qdisc.options.join(" "), format!("bands 2 priomap{}", " 1".repeat(16)));
        assert_eq!(
            qdisc.children.iter().map(|child| child.1.kind).collect::<Vec<_>>(),
            ["pfifo", "fq_codel"]
        );
        let filters: Vec<(&str, &str, u16)> =
            qdisc.filters.iter().map(|one| (one.protocol, one.matches.as_str(), one.class)).collect();
        assert_eq!(filters, [("ip", "flower ip_tos 0xb8/0xfc", 1), ("ipv6", "flower ip_tos 0xb8/0xfc", 1)]);
        let refused = |bands| written(json!({ "kind": "priority", "bands": bands, "dscp": {} })).unwrap_err();
        assert_eq!(refused(1).to_string(), "bands: must be at least 2 for `tc`, got 1");
        assert_eq!(refused(17).to_string(), "bands: must be at most 16 for `tc`, got 17");
    }

    #[test]
    fn rates_are_written_in_the_largest_whole_unit() {
        let written = |bits| tc_rate(Rate::from_bits(bits));
        assert_eq!(
            [50_000_000, 1_500_000, 9_600, 12_345].map(written),
            ["50mbit", "1500kbit", "9600bit", "12345bit"]
        );
    }
}
