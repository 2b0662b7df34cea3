//! Checks that a scenario can run live, before anything is created.

use std::collections::BTreeSet;
use std::path::Path;

use jettison_cc::{CONTROLS, Control};
use jettison_live::net::{Namespace, sysctl};
use jettison_live::process::{self, Privileges};
use jettison_registry::nearest;
use jettison_scenario::build::LivePlan;
use jettison_sockets::command::CommandParameters;
use jettison_tcp::EcnSwitch;

use super::command::{program_names, results_name, words};

/// Capabilities of the machine.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Whether this process has root's privileges.
    pub root: bool,
    /// Congestion controls of the kernel.
    pub congestion: Vec<String>,
    /// The reason why controls cannot be loaded through eBPF; `None` if they can.
    pub no_ebpf: Option<String>,
    /// Whether the kernel's TCP has accurate ECN feedback (RFC 9768).
    pub accurate_ecn: bool,
}

impl Machine {
    /// Whether a new network namespace would have this setting. Settings of devices can be checked only once the
    /// devices exist.
    fn has_sysctl(&self, name: &str) -> bool {
        let of_device = [".conf.", ".neigh."].iter().any(|part| name.contains(part));
        of_device || !name.starts_with("net.") || Path::new("/proc/sys").join(name.replace('.', "/")).exists()
    }

    /// Whether the kernel lets a host request accurate ECN for all controllers. Linux 6.18 has it for controllers that need it
    /// only.
    fn requests_accurate_ecn(&self) -> bool {
        let accepts = |namespace: Namespace| sysctl::set(&namespace, "net.ipv4.tcp_ecn", "3").is_ok();
        // Without root a namespace can only be created inside of the run, whose notes then have the reason.
        self.accurate_ecn && (!self.root || Namespace::new().is_ok_and(accepts))
    }

    /// Capabilities of this machine.
    pub fn of(privileges: &Privileges) -> Machine {
        let congestion = jettison_cc::available().unwrap_or_default();
        let no_ebpf = match (jettison_cc::missing(), privileges.root) {
            (Some(missing), _) => Some(missing.to_owned()),
            (None, false) => Some("loading requires root".to_owned()),
            (None, true) => None,
        };
        let accurate_ecn = Path::new("/proc/sys/net/ipv4/tcp_ecn_option").exists();
        Machine { root: privileges.root, congestion, no_ebpf, accurate_ecn }
    }
}

/// All reasons why a plan cannot run on this machine, one message each.
pub fn obstacles(plan: &LivePlan, machine: &Machine, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for host in &plan.hosts {
        if let Some(why) = missing_congestion_control(machine, &host.congestion) {
            found.push(format!("nodes.{}.congestion: {why}", host.name));
        }
        for (name, _) in host.sysctls.iter().filter(|(name, _)| !machine.has_sysctl(name)) {
            found.push(format!("nodes.{}.sysctls: this kernel has no `{name}`", host.name));
        }
    }
    for flow in &plan.flows {
        let Some(tcp) = &flow.tcp else { continue };
        let why = match jettison_live::host::kernel_congestion(tcp) {
            Ok(name) => missing_congestion_control(machine, name),
            Err(why) => Some(why.to_string()),
        };
        if let Some(why) = why {
            found.push(format!("flows.{}.transport.congestion: {why}", flow.name));
        }
        // Prague asks for it by itself.
        let wants_accurate = tcp.ecn == EcnSwitch::Accurate && tcp.congestion.kind != "prague";
        if wants_accurate && !machine.requests_accurate_ecn() {
            found.push(format!(
                "flows.{}.transport.ecn: \"accurate\" requires a kernel that accepts net.ipv4.tcp_ecn = 3, as Linux 7.2 does; \
                 this one does not",
                flow.name
            ));
        }
    }
    for name in duplicate_names(plan) {
        found.push(format!("flows: names of programs must be unique, got `{name}` twice; rename a flow"));
    }
    for command in &plan.commands {
        let flow = &plan.flows[command.flow.0 as usize].name;
        let own = &command.parameters;
        if let Some(user) = own.user.as_ref().filter(|_| !machine.root) {
            found.push(format!("flows.{flow}.app.user: running programs as `{user}` requires root"));
        }
        if let Some(user) = own.user.as_ref().filter(|user| machine.root && !process::has_user(user)) {
            found.push(format!("flows.{flow}.app.user: unknown user `{user}` on this machine"));
        }
        if let Some(directory) =
            own.directory.as_ref().map(|own| folder.join(own)).filter(|own| !own.is_dir())
        {
            found.push(format!("flows.{flow}.app.directory: {} is not a folder", directory.display()));
        }
        for (key, text) in [("at_from", &own.at_from), ("at_to", &own.at_to)] {
            if let Some(why) = text.as_ref().and_then(|text| unknown_program(text, own, folder)) {
                found.push(format!("flows.{flow}.app.{key}: {why}"));
            }
        }
    }
    found
}

/// Names that two flows' programs and their files would share.
fn duplicate_names(plan: &LivePlan) -> Vec<String> {
    let names: Vec<String> =
        plan.commands.iter().flat_map(|command| program_names(plan, command)).map(|(_, name)| name).collect();
    let files = names.iter().flat_map(|name| [name.clone(), results_name(name)]);
    let mut seen = BTreeSet::new();
    files.filter(|file| !seen.insert(file.clone())).collect()
}

/// Reason why the kernel cannot use a congestion control.
fn missing_congestion_control(machine: &Machine, name: &str) -> Option<String> {
    // A module of the kernel's own is loaded when a socket asks for it.
    if machine.congestion.iter().any(|known| known == name) || jettison_live::host::has_congestion(name) {
        return None;
    }
    if name == "prague" && !machine.accurate_ecn {
        let requirement =
            "it requires accurate ECN (AccECN, RFC 9768), which this kernel lacks; Linux 6.18 has it";
        return Some(format!("`{name}` cannot be loaded: {requirement}"));
    }
    if Control::find(name).is_some_and(|control| control.names.contains(&name)) {
        return machine.no_ebpf.as_ref().map(|why| format!("`{name}` cannot be loaded: {why}"));
    }
    let known = machine.congestion.join(", ");
    let ours: Vec<&str> = CONTROLS.iter().flat_map(|control| control.names).copied().collect();
    Some(format!(
        "this kernel has no `{name}`; it has {known}, and through eBPF {}{}",
        ours.join(", "),
        near(name, machine, &ours)
    ))
}

/// The known name that was presumably meant, as a continuation of a message.
fn near(name: &str, machine: &Machine, ours: &[&str]) -> String {
    let known = machine.congestion.iter().map(String::as_str).chain(ours.iter().copied());
    nearest(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// Reason why a command's program cannot be started. Placeholders other than `{folder}` cannot be checked yet.
fn unknown_program(text: &str, own: &CommandParameters, folder: &Path) -> Option<String> {
    let program = words(text).ok()?.into_iter().next()?;
    let program = match program.strip_prefix("{folder}/") {
        Some(rest) => folder.join(rest).display().to_string(),
        None if program.contains('{') => return None,
        None => program,
    };
    let path =
        own.environment.get("PATH").cloned().or_else(|| std::env::var("PATH").ok()).unwrap_or_default();
    let start = own.directory.as_ref().map_or_else(|| folder.to_path_buf(), |own| folder.join(own));
    let found = match program.contains('/') {
        true => executable(&start.join(&program)),
        false => std::env::split_paths(&path).any(|folder| executable(&folder.join(&program))),
    };
    match found {
        true => None,
        false if program.contains('/') => Some(format!("`{program}` does not exist or is not executable")),
        false => Some(format!("no program `{program}` in PATH ({path})")),
    }
}

fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let file = path.metadata();
    file.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
