//! Linux's `cake`: tc-cake(8).

use jettison_core::Duration;
use jettison_registry::ParameterError;

use super::{AckFilter, CakeParameters};
use crate::{Encoding, Limit, Qdisc, QdiscContext, tc_rate};

/// Writes the parameters as `tc` does.
pub fn qdisc(parameters: CakeParameters, _: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    parameters.check()?;
    let defaults = CakeParameters::default();
    let aqm = parameters.aqm(parameters.bandwidth);
    for (key, time, own) in
        [("target", parameters.target, aqm.target), ("interval", parameters.interval, aqm.interval)]
    {
        let by_rtt =
            CakeParameters { target: None, interval: None, ..parameters.clone() }.aqm(parameters.bandwidth);
        let same = [by_rtt.target, by_rtt.interval].contains(&own);
        ParameterError::unless(time.is_none() || same, key, || {
            "must be left out for `tc`: Linux's CAKE derives it from `rtt`".to_owned()
        })?;
    }
    ParameterError::unless(parameters.flows == defaults.flows, "flows", || {
        format!("must be {} for `tc`: Linux's CAKE has that many", defaults.flows)
    })?;
    ParameterError::unless(parameters.ecn, "ecn", || {
        "must be true for `tc`: Linux's CAKE always marks ECN-capable packets".to_owned()
    })?;
    let qdisc = match parameters.bandwidth {
        Some(rate) => Qdisc { shapes: Some(rate), ..Qdisc::new("cake").option("bandwidth", tc_rate(rate)) },
        None => Qdisc::new("cake").word("unlimited"),
    };
    let flag = |qdisc: Qdisc, set: bool, word: &str| if set { qdisc.word(word) } else { qdisc };
    let qdisc =
        flag(qdisc, parameters.autorate_ingress, "autorate-ingress").time("rtt", "rtt", parameters.rtt.0)?;
    let qdisc = qdisc.word(parameters.tins.keyword()).word(parameters.isolation().keyword());
    let qdisc = flag(qdisc, parameters.nat, "nat");
    let qdisc = flag(qdisc, parameters.wash, "wash");
    let qdisc = qdisc.word(match parameters.ack_filter {
        AckFilter::Off => "no-ack-filter",
        AckFilter::Conservative => "ack-filter",
        AckFilter::Aggressive => "ack-filter-aggressive",
    });
    let qdisc = flag(qdisc, parameters.ingress, "ingress");
    let qdisc = qdisc.option("overhead", parameters.overhead.overhead).option("mpu", parameters.overhead.mpu);
    let qdisc = qdisc.word(match parameters.overhead.encoding {
        Encoding::None => "noatm",
        Encoding::Atm => "atm",
        Encoding::Ptm => "ptm",
    });
    let qdisc = match parameters.memlimit {
        Some(memlimit) => qdisc.option("memlimit", memlimit.get()),
        None => qdisc,
    };
    let longest = Duration::from_micros(u64::from(u32::MAX));
    Ok(qdisc
        .note_if(
            parameters.limit != Limit::UNLIMITED,
            "limit: Linux's CAKE has a limit of memory only (`memlimit`)",
        )
        .note_if(parameters.quantum.is_some(), "quantum: Linux's CAKE derives it from the rate")
        .note_if(
            parameters.maxpacket != defaults.maxpacket,
            "maxpacket: Linux's CAKE takes the MTU of the device",
        )
        .note_if(parameters.rtt.0 > longest, "rtt: Linux counts to 2^32 - 1 microseconds"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines;
    use jettison_core::{Bytes, Rate};
    use serde_json::{Value, json};

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

    #[test]
    fn parameters_are_written_as_tc_reads_them() {
        let text = |value| written(value).unwrap().options.join(" ");
        assert_eq!(
            text(json!("cake")),
            "unlimited rtt 100ms diffserv3 triple-isolate no-ack-filter overhead 14 mpu 0 noatm"
        );
        let all = json!({ "kind": "cake", "bandwidth": "1.5 Mbit/s", "overhead": "pppoe-vcmux", "rtt": "regional",
            "tins": "diffserv8", "isolation": "dual-srchost", "nat": true, "wash": true, "ack_filter": "aggressive",
            "ingress": true, "autorate_ingress": true, "memlimit": "1 MB" });
        assert_eq!(
            text(all.clone()),
            "bandwidth 1500kbit autorate-ingress rtt 30ms diffserv8 dual-srchost nat wash ack-filter-aggressive ingress \
             overhead 32 mpu 0 atm memlimit 1000000"
        );
        assert_eq!(written(all).unwrap().shapes, Some(Rate::from_kbit(1_500)));
        let limited = written(json!({ "kind": "cake", "limit": "100 packets" })).unwrap();
        assert!(limited.notes[0].contains("memlimit"), "{:?}", limited.notes);
    }

    #[test]
    fn what_linux_cannot_set_is_refused_at_its_key() {
        for (key, value) in [("flows", json!(512)), ("ecn", json!(false)), ("target", json!("7 ms"))] {
            let error = written(json!({ "kind": "cake", key: value })).unwrap_err().to_string();
            assert!(error.starts_with(key), "{error}");
        }
        assert!(written(json!({ "kind": "cake", "target": "5 ms", "interval": "100 ms" })).is_ok());
    }
}
