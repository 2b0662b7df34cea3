//! Mapping of our TCP parameters to the kernel's settings, and parameters without an equivalent.

use jettison_core::Duration;
use jettison_registry::Choices;
use jettison_tcp::congestion::{
    Controller, Ect, Growth, HyStart, InKernel, NewCwvParameters, PragueParameters, ReduceFrom,
};
use jettison_tcp::{EcnSwitch, Switch, TcpParameters};

/// Parameters of controllers that the kernel's have too: those of [`NewCwvSettings`], and [`prague_codepoint`].
const OF_CONTROLLERS: [(&str, &str); 3] =
    [("newcwv", "burst_segments"), ("newcwv", "non_validated_period"), ("prague", "codepoint")];

/// Parameters for the kernel's `newcwv`, as in [`NewCwvParameters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewCwvSettings {
    /// Interval after which an unvalidated window is reduced.
    pub non_validated_period: Duration,
    /// Maximum segments per ACK or write; 0 for no limit.
    pub burst_segments: u32,
}

/// The settings for `newcwv`; `None` for other controllers.
///
/// # Errors
/// If the parameters are not those of the controller.
pub fn newcwv_settings(parameters: &TcpParameters) -> Result<Option<NewCwvSettings>, serde_json::Error> {
    let Some(given) = parameters_of(parameters, "newcwv") else { return Ok(None) };
    let NewCwvParameters { non_validated_period, burst_segments, .. } = serde_json::from_value(given)?;
    Ok(Some(NewCwvSettings { non_validated_period, burst_segments }))
}

/// The codepoint of data for `prague`; `None` for other controllers.
///
/// # Errors
/// If the parameters are not those of the controller.
pub fn prague_codepoint(parameters: &TcpParameters) -> Result<Option<Ect>, serde_json::Error> {
    let Some(given) = parameters_of(parameters, "prague") else { return Ok(None) };
    let PragueParameters { codepoint, .. } = serde_json::from_value(given)?;
    Ok(Some(codepoint))
}

/// The parameters of the controller if it is a `kind`.
fn parameters_of(parameters: &TcpParameters, kind: &str) -> Option<serde_json::Value> {
    (parameters.congestion.kind == kind).then(|| {
        let mut given = parameters.congestion.parameters.clone();
        given.extend(parameters.congestion_parameters.clone());
        given.into()
    })
}

/// Name of the kernel's congestion control for these parameters.
///
/// `newcwv`, `newcwv_paced` and `prague` are the project's own, loaded by `jettison cc load`, as is `dctcp` for kernels without it. Use [`super::check_congestion`] to find
/// out whether a kernel provides the control.
///
/// # Errors
/// If the controller has no equivalent in the kernel.
pub fn kernel_congestion(parameters: &TcpParameters) -> Result<&'static str, String> {
    let kind = &parameters.congestion.kind;
    let known = in_kernel(parameters);
    let name = known.paced.filter(|_| parameters.pacing == Switch::On).or(known.name);
    name.ok_or_else(|| format!("`{kind}` has no equivalent among the kernel's congestion controls"))
}

/// The kernel's equivalent according to the controller's registry entry.
fn in_kernel(parameters: &TcpParameters) -> InKernel {
    let entry = Controller::registry().entry(&parameters.congestion.kind);
    entry.map(|entry| entry.facts).unwrap_or_default()
}

/// Sysctls of a host's network namespace that implement these parameters where they differ from the kernel's defaults: name
/// below `/proc/sys`, and value. They apply to all sockets of the host.
pub fn sysctls(parameters: &TcpParameters) -> Vec<(&'static str, String)> {
    let defaults = TcpParameters::default();
    let mut all = Vec::new();
    let mut switch = |name, on: bool, default: bool| {
        if on != default {
            all.push((name, u8::from(on).to_string()));
        }
    };
    switch("net/ipv4/tcp_sack", parameters.sack, defaults.sack);
    switch("net/ipv4/tcp_dsack", parameters.dsack, defaults.dsack);
    switch("net/ipv4/tcp_timestamps", parameters.timestamps, defaults.timestamps);
    let idle = (parameters.slow_start_after_idle, defaults.slow_start_after_idle);
    switch("net/ipv4/tcp_slow_start_after_idle", idle.0, idle.1);
    switch("net/ipv4/tcp_recovery", parameters.rack_tlp, defaults.rack_tlp);
    switch("net/ipv4/tcp_frto", parameters.eifel, defaults.eifel);
    // The kernel's default is 2 (accept ECN, do not request it); DCTCP and Prague request it themselves. 3 accepts and requests
    // accurate ECN, so that a peer of Prague with another controller has it too.
    match parameters.ecn {
        EcnSwitch::Off => all.push(("net/ipv4/tcp_ecn", "0".to_owned())),
        _ if parameters.congestion.kind == "prague" => all.push(("net/ipv4/tcp_ecn", "3".to_owned())),
        EcnSwitch::Auto => {}
        EcnSwitch::On => all.push(("net/ipv4/tcp_ecn", "1".to_owned())),
        EcnSwitch::Accurate => all.push(("net/ipv4/tcp_ecn", "3".to_owned())),
    }
    if !parameters.rack_tlp {
        all.push(("net/ipv4/tcp_early_retrans", "0".to_owned()));
    }
    let ratio = |gain: f64| (gain * 100.0).round().to_string();
    if parameters.pacing_gain_slow_start != defaults.pacing_gain_slow_start {
        all.push(("net/ipv4/tcp_pacing_ss_ratio", ratio(parameters.pacing_gain_slow_start)));
    }
    if parameters.pacing_gain_avoidance != defaults.pacing_gain_avoidance {
        all.push(("net/ipv4/tcp_pacing_ca_ratio", ratio(parameters.pacing_gain_avoidance)));
    }
    all
}

/// Parameters with values other than the default that the kernel's TCP does not support, one line each. Excludes those of
/// [`sysctls`] and those that a socket option sets: congestion control, `mss`, `min_rto`, `max_rto`, `max_retransmissions`,
/// `delayed_ack_timeout`, `receive_buffer`, `pacing`, `dscp`.
pub fn unsupported(parameters: &TcpParameters) -> Vec<String> {
    let defaults = TcpParameters::default();
    let mut all = Vec::new();
    let mut say = |differs: bool, text: String| {
        if differs {
            all.push(text);
        }
    };
    let p = parameters;
    let controller = &p.congestion.kind;
    let is_ignored = |name: &&String| !OF_CONTROLLERS.contains(&(controller.as_str(), name.as_str()));
    let given = p.congestion.parameters.keys().chain(p.congestion_parameters.keys());
    let ignored: Vec<&str> = given.filter(is_ignored).map(String::as_str).collect();
    say(
        !ignored.is_empty(),
        format!("{}: the kernel's `{controller}` uses its own values", ignored.join(", ")),
    );
    say(
        p.initial_window != defaults.initial_window,
        format!("initial_window {}: the kernel uses 10 unless the route sets `initcwnd`", p.initial_window),
    );
    say(p.initial_rto != defaults.initial_rto, format!("initial_rto {}: the kernel uses 1 s", p.initial_rto));
    say(
        p.delayed_ack_segments != defaults.delayed_ack_segments,
        format!("delayed_ack_segments {}: the kernel uses 2", p.delayed_ack_segments),
    );
    say(
        p.lost_syns != defaults.lost_syns,
        format!("lost_syns {}: the kernel keeps its initial window after one lost SYN", p.lost_syns),
    );
    say(
        p.min_rto_bounds != defaults.min_rto_bounds,
        "min_rto_bounds: the kernel adds its minimum to the RTT".to_owned(),
    );
    say(!p.quick_acks, "quick_acks false: the kernel always uses quick acknowledgements".to_owned());
    say(
        p.tlp_max_ack_delay != defaults.tlp_max_ack_delay,
        format!("tlp_max_ack_delay {}: the kernel uses 200 ms", p.tlp_max_ack_delay),
    );
    // Built into the kernel, without a setting.
    say(!p.prr, "prr false: the kernel always uses proportional rate reduction".to_owned());
    say(!p.limited_transmit, "limited_transmit false: the kernel always uses limited transmit".to_owned());
    say(
        p.reduce_from != ReduceFrom::Window,
        "reduce_from: the kernel reduces the window, not the flight".to_owned(),
    );
    say(p.reduce_again, "reduce_again: the kernel does not reduce again in fast recovery".to_owned());
    say(p.growth != Growth::PerByte, "growth: the kernel counts acknowledged bytes".to_owned());
    say(
        !matches!(p.hystart, HyStart::Auto | HyStart::Linux),
        "hystart: a parameter of the kernel's cubic module".to_owned(),
    );
    say(
        // Only a controller that always paces cannot run without pacing.
        p.pacing == Switch::Off && in_kernel(p).always_paces,
        format!("pacing false: the kernel's `{controller}` always paces"),
    );
    say(
        p.pacing_quantum != defaults.pacing_quantum,
        format!("pacing_quantum {}: the kernel sends bursts of about 1 ms", p.pacing_quantum),
    );
    say(
        p.slow_start_after_idle && p.idle_restart != defaults.idle_restart,
        "idle_restart: the kernel halves the window for each RTO of idleness".to_owned(),
    );
    say(p.gso, "gso: `live.offload` decides what hosts hand over at once".to_owned());
    say(p.time_wait != defaults.time_wait, format!("time_wait {}: the kernel uses 60 s", p.time_wait));
    all
}

#[cfg(test)]
mod tests {
    use jettison_tcp::RestartRule;

    use super::*;

    #[test]
    fn our_controllers_have_the_kernels_names() {
        let named = |congestion: &str, pacing| {
            kernel_congestion(&TcpParameters {
                congestion: congestion.into(),
                pacing,
                ..TcpParameters::default()
            })
        };
        let expected = [
            ("newreno", "reno"),
            ("cubic", "cubic"),
            ("bbr", "bbr"),
            ("dctcp", "dctcp"),
            ("prague", "prague"),
            ("newcwv", "newcwv"),
        ];
        for (ours, theirs) in expected {
            assert_eq!(named(ours, Switch::Auto), Ok(theirs));
        }
        assert_eq!(named("newcwv", Switch::On), Ok("newcwv_paced"));
        // Every registered controller has an equivalent in the kernel, but the one that controls nothing.
        for id in jettison_tcp::congestion::controllers().ids() {
            assert_eq!(named(id, Switch::Auto).is_ok(), id != "constant", "{id}");
        }
        assert!(named("vegas", Switch::Auto).is_err());
    }

    #[test]
    fn defaults_change_nothing_and_unsupported_parameters_are_listed() {
        let defaults = TcpParameters::default();
        assert_eq!(unsupported(&defaults), Vec::<String>::new());
        assert_eq!(sysctls(&defaults), Vec::new());
        let other = TcpParameters {
            initial_window: 3,
            prr: false,
            sack: false,
            ecn: EcnSwitch::On,
            pacing_gain_avoidance: 1.5,
            ..defaults
        };
        let missing = unsupported(&other);
        assert_eq!(missing.len(), 2, "{missing:?}");
        assert!(missing[0].starts_with("initial_window 3"));
        let restarts =
            TcpParameters { idle_restart: RestartRule::Rfc5681, gso: true, ..TcpParameters::default() };
        let missing = unsupported(&restarts);
        assert_eq!(missing.len(), 2, "{missing:?}");
        assert!(missing[0].starts_with("idle_restart: ") && missing[1].starts_with("gso: "), "{missing:?}");
        let newcwv = |parameter: &str, value: u64| TcpParameters {
            congestion: "newcwv".into(),
            congestion_parameters: [(parameter.to_owned(), value.into())].into_iter().collect(),
            ..TcpParameters::default()
        };
        let four = newcwv("burst_segments", 4);
        assert_eq!(unsupported(&four), Vec::<String>::new());
        let settings = newcwv_settings(&four).unwrap().unwrap();
        assert_eq!((settings.burst_segments, settings.non_validated_period), (4, Duration::from_secs(300)));
        assert_eq!(newcwv_settings(&TcpParameters::default()).unwrap(), None);
        let prague = TcpParameters {
            congestion: "prague".into(),
            congestion_parameters: [("codepoint".to_owned(), "ect0".into())].into_iter().collect(),
            ..TcpParameters::default()
        };
        assert_eq!(unsupported(&prague), Vec::<String>::new());
        assert_eq!(prague_codepoint(&prague).unwrap(), Some(Ect::Ect0));
        assert_eq!(sysctls(&prague), [("net/ipv4/tcp_ecn", "3".to_owned())]);
        assert_eq!(
            sysctls(&TcpParameters { ecn: EcnSwitch::Off, ..prague }),
            [("net/ipv4/tcp_ecn", "0".to_owned())]
        );
        let missing = unsupported(&newcwv("bins", 4));
        assert_eq!(missing, ["bins: the kernel's `newcwv` uses its own values"]);
        let expected = [
            ("net/ipv4/tcp_sack", "0".to_owned()),
            ("net/ipv4/tcp_ecn", "1".to_owned()),
            ("net/ipv4/tcp_pacing_ca_ratio", "150".to_owned()),
        ];
        assert_eq!(sysctls(&other), expected);
    }
}
