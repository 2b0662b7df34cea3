//! Congestion controllers that a run loads into the kernel for its duration.

use jettison_cc::{CONTROLS, Codepoint, Held, NewCwv, Prague, Settings};
use jettison_live::host::NewCwvSettings;
use jettison_live::net::Namespace;
use jettison_scenario::build::LivePlan;
use jettison_tcp::TcpParameters;
use jettison_tcp::congestion::Ect;

use super::check::Machine;

/// Controllers loaded for a run; unloaded on drop.
#[derive(Default)]
pub struct Controllers {
    held: Vec<Held>,
    /// Index of Prague if its data shall be ECT(1).
    sets_codepoint: Option<usize>,
    /// Names for which the kernel and eBPF both have an implementation, and the one in use.
    origins: Vec<(&'static str, &'static str)>,
}

impl Controllers {
    /// Loads the controls of `jettison cc` that a host or flow uses and the kernel does not have itself, with the flows'
    /// parameters. A loaded one is shared, so it stays when another run ends. Without the privileges to load one (`machine`), a
    /// loaded one must exist.
    pub fn load(plan: &LivePlan, machine: &Machine) -> Result<Controllers, String> {
        let of_hosts = plan.hosts.iter().map(|host| host.congestion.as_str());
        let of_flows = plan.flows.iter().filter_map(|flow| flow.tcp.as_ref());
        let of_flows = of_flows.filter_map(|tcp| jettison_live::host::kernel_congestion(tcp).ok());
        let names: Vec<&str> = of_hosts.chain(of_flows).collect();
        let is_there = |name: &&str| machine.congestion.iter().any(|known| known == name);
        let mut loaded = Controllers::default();
        for control in &CONTROLS {
            let wanted: Vec<&str> =
                names.iter().copied().filter(|name| control.names.contains(name)).collect();
            if wanted.is_empty() || (machine.no_ebpf.is_some() && wanted.iter().all(is_there)) {
                continue;
            }
            let settings = match control.id {
                "newcwv" => Settings::NewCwv(newcwv(plan)?),
                "prague" => Settings::Prague(prague(plan)?),
                _ => Settings::Dctcp,
            };
            let held = jettison_cc::hold_unless_own(settings).map_err(|error| error.to_string())?;
            loaded.origins.push((control.id, if held.is_some() { "eBPF" } else { "kernel" }));
            let sets_codepoint = settings == Settings::Prague(Prague { codepoint: Codepoint::Ect1 });
            if let Some(held) = held {
                loaded.sets_codepoint = loaded.sets_codepoint.or(sets_codepoint.then_some(loaded.held.len()));
                loaded.held.push(held);
            }
        }
        Ok(loaded)
    }

    /// Prepares a host's device: Prague's data leaves it as ECT(1).
    pub fn prepare(&mut self, namespace: &Namespace, device: &str) -> Result<(), String> {
        let Some(prague) = self.sets_codepoint.and_then(|index| self.held.get_mut(index)) else {
            return Ok(());
        };
        prague.set_codepoint_on(namespace.fd(), device).map_err(|error| error.to_string())
    }

    /// Controls of `jettison cc` that the run uses, and whether they are the `kernel`'s own or in `eBPF`.
    pub fn origins(&self) -> &[(&'static str, &'static str)] {
        &self.origins
    }
}

/// Parameters of the flows that use newCWV; hosts' programs get the same.
fn newcwv(plan: &LivePlan) -> Result<NewCwv, String> {
    let of = jettison_live::host::newcwv_settings;
    let all = agreed(plan, of, "newcwv", "`burst_segments` and `non_validated_period`")?;
    Ok(all.map_or_else(NewCwv::default, |NewCwvSettings { non_validated_period, burst_segments }| NewCwv {
        validity: Some(std::time::Duration::from_nanos(non_validated_period.as_nanos())),
        burst: Some(burst_segments),
    }))
}

/// Parameters of the flows that use Prague; hosts' programs get the same.
fn prague(plan: &LivePlan) -> Result<Prague, String> {
    let codepoint = agreed(plan, jettison_live::host::prague_codepoint, "prague", "`codepoint`")?;
    Ok(Prague {
        codepoint: match codepoint {
            Some(Ect::Ect0) => Codepoint::Ect0,
            Some(Ect::Ect1) | None => Codepoint::Ect1,
        },
    })
}

/// The parameters of all flows that use a control. The kernel has one set of them, so the flows must agree.
fn agreed<P: PartialEq>(
    plan: &LivePlan,
    of: impl Fn(&TcpParameters) -> Result<Option<P>, serde_json::Error>,
    control: &str,
    names: &str,
) -> Result<Option<P>, String> {
    let mut first: Option<(&str, P)> = None;
    for flow in &plan.flows {
        let Some(tcp) = &flow.tcp else { continue };
        let own = of(tcp).map_err(|error| format!("flows.{}.transport.congestion: {error}", flow.name))?;
        match (&first, own) {
            (_, None) => {}
            (None, Some(own)) => first = Some((&flow.name, own)),
            (Some((other, of_other)), Some(own)) if *of_other != own => {
                return Err(format!(
                    "flows.{}.transport.congestion: {names} must be those of flows.{other}, since the kernel's {control} has \
                     one set of parameters",
                    flow.name
                ));
            }
            (Some(_), Some(_)) => {}
        }
    }
    Ok(first.map(|(_, own)| own))
}
