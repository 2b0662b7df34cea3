//! The path: `sender` – `router` – `receiver`, three network namespaces. The router's device `neck` towards the receiver has the
//! shaper and the discipline; all delay is on the receiver's device, which only ACKs cross.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::job::Job;

pub const SENDER: &str = "sender";
pub const RECEIVER: &str = "receiver";
pub const RECEIVER_ADDRESS: &str = "10.0.2.2";
const ROUTER: &str = "router";
const NAMESPACES: [&str; 3] = [SENDER, ROUTER, RECEIVER];
/// Bytes that the shaper adds to an IP packet.
const ETHERNET: u64 = 14;
/// A full IP packet.
const PACKET: u64 = 1500;

/// The path while it exists.
pub struct Path {}

/// Counters of the kernel.
pub struct Counters {
    pub drops: u64,
    pub retransmits: u64,
    pub timeouts: u64,
}

pub fn build(job: &Job) -> Result<Path> {
    // Other namespaces may use only controllers that the first one allows to every user, which DCTCP is not by itself.
    std::fs::write("/proc/sys/net/ipv4/tcp_allowed_congestion_control", format!("reno {}", job.congestion))
        .with_context(|| format!("the kernel has no congestion control {}", job.congestion))?;
    for name in NAMESPACES {
        run(&format!("ip netns add {name}"))?;
        run(&format!("ip -n {name} link set lo up"))?;
    }
    wire(SENDER, "out", "10.0.1.1", ROUTER, "in", "10.0.1.2")?;
    wire(ROUTER, "neck", "10.0.2.1", RECEIVER, "out", RECEIVER_ADDRESS)?;
    run(&format!("ip -n {SENDER} route add default via 10.0.1.2"))?;
    run(&format!("ip -n {RECEIVER} route add default via 10.0.2.1"))?;
    within(ROUTER, "sysctl -qw net.ipv4.ip_forward=1")?;
    for host in [SENDER, RECEIVER] {
        for (key, value) in &job.sysctls {
            let file = format!("/proc/sys/net/{}", key.replace('.', "/"));
            within(host, &format!("sh -c \"echo {value} > {file}\""))?;
        }
        within(host, &format!("sysctl -qw net.ipv4.tcp_congestion_control={}", job.congestion))?;
    }
    let rate = u128::from(job.rate) * u128::from(PACKET + ETHERNET) / u128::from(PACKET);
    let burst = &job.burst;
    within(RECEIVER, &format!("tc qdisc add dev out root netem delay {}us limit 1000000", job.delay_us))?;
    within(ROUTER, "tc qdisc add dev neck root handle 1: htb default 1")?;
    within(
        ROUTER,
        &format!(
            "tc class add dev neck parent 1: classid 1:1 htb rate {rate}bit burst {burst} cburst {burst} quantum 1514"
        ),
    )?;
    within(ROUTER, &format!("tc qdisc add dev neck parent 1:1 handle 2: {}", job.qdisc))?;
    Ok(Path {})
}

impl Path {
    pub fn counters(&self) -> Result<Counters> {
        let text = output(&format!("ip netns exec {ROUTER} tc -s -j qdisc show dev neck"))?;
        let all: Vec<Value> = serde_json::from_str(&text).context("cannot parse the output of tc")?;
        let leaf = all.iter().find(|one| one["handle"] == "2:").context("the discipline is not there")?;
        let drops = leaf["drops"].as_u64().context("tc gives no drops")?;
        let snmp = output(&format!("ip netns exec {SENDER} cat /proc/net/snmp /proc/net/netstat"))?;
        Ok(Counters {
            drops,
            retransmits: counter(&snmp, "Tcp:", "RetransSegs")?,
            timeouts: counter(&snmp, "TcpExt:", "TCPTimeouts")?,
        })
    }

    /// Removes the namespaces, and with them their devices.
    pub fn remove(self) {
        for name in NAMESPACES {
            // What could not be removed makes the next `build` fail with a message.
            let _ = run(&format!("ip netns del {name}"));
        }
    }
}

/// A counter of a pair of lines as in /proc/net/snmp: names, then values.
fn counter(text: &str, group: &str, name: &str) -> Result<u64> {
    let mut lines = text.lines().filter(|line| line.starts_with(group));
    let (names, values) = lines.next().zip(lines.next()).with_context(|| format!("no group {group}"))?;
    let mut pairs = names.split_whitespace().zip(values.split_whitespace());
    let value = pairs.find(|(key, _)| *key == name).map(|(_, value)| value);
    value.with_context(|| format!("no counter {name}"))?.parse().context("a counter that is no number")
}

fn wire(
    left: &str,
    left_device: &str,
    left_address: &str,
    right: &str,
    right_device: &str,
    right_address: &str,
) -> Result<()> {
    run(&format!("ip link add {left_device} netns {left} type veth peer name {right_device} netns {right}"))?;
    for (name, device, address) in [(left, left_device, left_address), (right, right_device, right_address)] {
        run(&format!("ip -n {name} addr add {address}/24 dev {device}"))?;
        // One packet per segment: no segmentation offload.
        run(&format!("ip -n {name} link set {device} up txqueuelen 1000 gso_max_segs 1"))?;
        within(name, &format!("ethtool -K {device} tso off gso off gro off"))?;
    }
    Ok(())
}

fn within(namespace: &str, command: &str) -> Result<()> {
    run(&format!("ip netns exec {namespace} {command}"))
}

/// Splits at spaces, except within double quotes.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

fn run(command: &str) -> Result<()> {
    output(command).map(drop)
}

fn output(command: &str) -> Result<String> {
    let words = words(command);
    let done = Command::new(&words[0]).args(&words[1..]).stdin(Stdio::null()).output();
    let done = done.with_context(|| format!("cannot run {command}"))?;
    if !done.status.success() {
        bail!("{command}: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
