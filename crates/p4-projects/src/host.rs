//! Commands that set a host up, as far as they are settings of its interface.

use std::net::Ipv4Addr;

use crate::network::Host;
use crate::settings::mac;

/// Takes a command as a setting of the host: its gateway, a neighbour, or a route that it has anyway. Returns false if it is none
/// of these.
pub(crate) fn take(host: &mut Host, command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let after = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at + 1).copied()
    };
    let address = |word: Option<&str>| word?.parse::<Ipv4Addr>().ok();
    match words[..] {
        // route(8) and ip-route(8)
        ["route", "add", "default", ..] => set_gateway(host, address(after("gw"))),
        ["ip", "route", "add" | "replace", "default", ..] => set_gateway(host, address(after("via"))),
        ["ip", "route", "add" | "replace", subnet, "dev", _] => {
            let Some((network, prefix)) = subnet.split_once('/') else { return false };
            // The kernel makes this route by itself.
            prefix.parse() == Ok(host.prefix) && address(Some(network)).is_some_and(|own| host.is_near(own))
        }
        // arp(8) and ip-neighbour(8)
        ["arp", .., "-s", ip, hardware] | ["arp", "-s", ip, hardware, ..] => {
            add_neighbour(host, address(Some(ip)), hardware)
        }
        ["ip", "neigh" | "neighbour", "add" | "replace", ip, ..] => {
            after("lladdr").is_some_and(|hardware| add_neighbour(host, address(Some(ip)), hardware))
        }
        _ => false,
    }
}

fn set_gateway(host: &mut Host, gateway: Option<Ipv4Addr>) -> bool {
    host.gateway = gateway.or(host.gateway);
    gateway.is_some()
}

fn add_neighbour(host: &mut Host, address: Option<Ipv4Addr>, hardware: &str) -> bool {
    let (Some(address), Ok(mac)) = (address, mac(hardware)) else { return false };
    host.neighbours.retain(|(known, _)| *known != address);
    host.neighbours.push((address, mac));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> Host {
        Host {
            name: "h1".to_owned(),
            address: Ipv4Addr::new(10, 0, 1, 1),
            prefix: 24,
            mac: [8, 0, 0, 0, 1, 1],
            gateway: None,
            neighbours: Vec::new(),
            commands: Vec::new(),
        }
    }

    #[test]
    fn routes_and_neighbours_are_settings() {
        let mut host = host();
        for command in [
            "route add default gw 10.0.1.10 dev eth0",
            "arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00",
            "arp -s 10.0.1.11 08:00:00:00:01:0b -i eth0",
            "ip neigh add 10.0.1.12 lladdr 08:00:00:00:01:0c dev eth0",
            "ip route add 10.0.1.0/24 dev eth0",
        ] {
            assert!(take(&mut host, command), "{command}");
        }
        assert_eq!(host.gateway, Some(Ipv4Addr::new(10, 0, 1, 10)));
        let last: Vec<u8> = host.neighbours.iter().map(|(_, mac)| mac[5]).collect();
        assert_eq!(last, [0, 11, 12]);
        assert!(take(&mut host, "ip route replace default via 10.0.1.20"));
        assert_eq!(host.gateway, Some(Ipv4Addr::new(10, 0, 1, 20)));
    }

    #[test]
    fn other_commands_are_left() {
        for command in [
            "",
            "route add default gw nowhere",
            "ip route add 10.9.0.0/16 dev eth0",
            "arp -s 10.0.1.10 nonsense",
            "ip neigh add 10.0.1.12 dev eth0",
            "python3 -m http.server &",
        ] {
            assert!(!take(&mut host(), command), "{command}");
        }
    }
}
