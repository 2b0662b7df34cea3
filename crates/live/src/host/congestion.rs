//! Our TCP's parameters in the kernel's words, and what it has none for.

use jettison_registry::Choices;
use jettison_tcp::congestion::{Controller, Growth, InKernel};
use jettison_tcp::{Switch, TcpParameters};

/// The kernel's name of the congestion control that these parameters ask for.
///
/// `newcwv` and `newcwv_paced` are the project's own, loaded by `jettison cc load`. Whether a kernel has one is another question:
/// see [`super::check_congestion`].
///
/// # Errors
/// If there is none.
pub fn kernel_congestion(parameters: &TcpParameters) -> Result<&'static str, String> {
    let kind = &parameters.congestion.kind;
    let known = in_kernel(parameters);
    let name = known.paced.filter(|_| parameters.pacing == Switch::On).or(known.name);
    name.ok_or_else(|| format!("the kernel has no congestion control for `{kind}`"))
}

/// What the entry of the controller says of the kernel's.
fn in_kernel(parameters: &TcpParameters) -> InKernel {
    let entry = Controller::registry().entry(&parameters.congestion.kind);
    entry.map(|entry| entry.facts).unwrap_or_default()
}

/// The settings of a host's network namespace that these parameters ask for, where they differ from a present kernel's own:
/// name below `/proc/sys`, and value. They hold for all sockets of the host.
pub fn sysctls(parameters: &TcpParameters) -> Vec<(&'static str, String)> {
    let usual = TcpParameters::default();
    let mut all = Vec::new();
    let mut switch = |name, on: bool, usual: bool| {
        if on != usual {
            all.push((name, u8::from(on).to_string()));
        }
    };
    switch("net/ipv4/tcp_sack", parameters.sack, usual.sack);
    switch("net/ipv4/tcp_dsack", parameters.dsack, usual.dsack);
    switch("net/ipv4/tcp_timestamps", parameters.timestamps, usual.timestamps);
    let idle = (parameters.slow_start_after_idle, usual.slow_start_after_idle);
    switch("net/ipv4/tcp_slow_start_after_idle", idle.0, idle.1);
    switch("net/ipv4/tcp_recovery", parameters.rack_tlp, usual.rack_tlp);
    switch("net/ipv4/tcp_frto", parameters.eifel, usual.eifel);
    // 2, the kernel's own, agrees if the peer asks and asks for nothing; DCTCP and Prague ask by themselves.
    match parameters.ecn {
        Switch::Auto => {}
        Switch::On => all.push(("net/ipv4/tcp_ecn", "1".to_owned())),
        Switch::Off => all.push(("net/ipv4/tcp_ecn", "0".to_owned())),
    }
    if !parameters.rack_tlp {
        all.push(("net/ipv4/tcp_early_retrans", "0".to_owned()));
    }
    let ratio = |gain: f64| (gain * 100.0).round().to_string();
    if parameters.pacing_gain_slow_start != usual.pacing_gain_slow_start {
        all.push(("net/ipv4/tcp_pacing_ss_ratio", ratio(parameters.pacing_gain_slow_start)));
    }
    if parameters.pacing_gain_avoidance != usual.pacing_gain_avoidance {
        all.push(("net/ipv4/tcp_pacing_ca_ratio", ratio(parameters.pacing_gain_avoidance)));
    }
    all
}

/// What these parameters ask for, beyond the defaults, that the kernel's TCP cannot be told: a line each. What [`sysctls`] names is
/// not among them, nor what a socket takes: congestion control, `mss`, `min_rto`, `max_rto`, `max_retransmissions`,
/// `delayed_ack_timeout`, `receive_buffer`, `pacing`, `dscp`.
pub fn unsupported(parameters: &TcpParameters) -> Vec<String> {
    let usual = TcpParameters::default();
    let mut all = Vec::new();
    let mut say = |differs: bool, text: String| {
        if differs {
            all.push(text);
        }
    };
    let p = parameters;
    let controller = &p.congestion.kind;
    say(
        !(p.congestion.parameters.is_empty() && p.congestion_parameters.is_empty()),
        format!("parameters of congestion: the kernel's `{controller}` has its own"),
    );
    say(
        p.initial_window != usual.initial_window,
        format!("initial_window {}: a route's matter (`initcwnd`), 10 otherwise", p.initial_window),
    );
    say(p.initial_rto != usual.initial_rto, format!("initial_rto {}: the kernel has 1 s", p.initial_rto));
    say(
        p.delayed_ack_segments != usual.delayed_ack_segments,
        format!("delayed_ack_segments {}: the kernel has 2", p.delayed_ack_segments),
    );
    say(
        p.tlp_max_ack_delay != usual.tlp_max_ack_delay,
        format!("tlp_max_ack_delay {}: the kernel has 200 ms", p.tlp_max_ack_delay),
    );
    say(!p.prr, "prr false: the kernel always has proportional rate reduction".to_owned());
    say(!p.limited_transmit, "limited_transmit false: the kernel always has it".to_owned());
    say(p.growth != Growth::PerByte, "growth: the kernel's windows grow by acknowledged bytes".to_owned());
    say(p.hystart != Switch::Auto, "hystart: a parameter of the kernel's cubic module".to_owned());
    say(
        p.pacing == Switch::Off && in_kernel(p).always_paces,
        format!("pacing false: the kernel's `{controller}` always paces"),
    );
    say(
        p.pacing_quantum != usual.pacing_quantum,
        format!("pacing_quantum {}: the kernel paces by about a millisecond's worth", p.pacing_quantum),
    );
    say(p.time_wait != usual.time_wait, format!("time_wait {}: the kernel has 60 s", p.time_wait));
    all
}

#[cfg(test)]
mod tests {
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
        // Every controller that a scenario may name is either there or refused.
        for id in jettison_tcp::congestion::controllers().ids() {
            assert!(named(id, Switch::Auto).is_ok(), "{id}");
        }
        assert!(named("vegas", Switch::Auto).is_err());
    }

    #[test]
    fn defaults_ask_for_nothing_and_what_cannot_be_had_is_said() {
        let usual = TcpParameters::default();
        assert_eq!(unsupported(&usual), Vec::<String>::new());
        assert_eq!(sysctls(&usual), Vec::new());
        let other = TcpParameters {
            initial_window: 3,
            prr: false,
            sack: false,
            ecn: Switch::On,
            pacing_gain_avoidance: 1.5,
            ..usual
        };
        let missing = unsupported(&other);
        assert_eq!(missing.len(), 2, "{missing:?}");
        assert!(missing[0].starts_with("initial_window 3"));
        let expected = [
            ("net/ipv4/tcp_sack", "0".to_owned()),
            ("net/ipv4/tcp_ecn", "1".to_owned()),
            ("net/ipv4/tcp_pacing_ca_ratio", "150".to_owned()),
        ];
        assert_eq!(sysctls(&other), expected);
    }
}
