//! Namespaces, addresses, routes, sysctls and counters on the real kernel. All traffic stays in the tests' own namespaces.

#![expect(clippy::disallowed_methods, reason = "the tests follow the real clock")]

use crate::common;

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;
use std::time::Duration;

use common::{is_held, root, soon};
use jettison_live::net::{
    CongestionControl, Interface, Namespace, Route, add_route, choose_congestion_control, configure,
    counters, set_up_host, sysctl,
};
use nix::sys::socket::{getsockopt, setsockopt, sockopt};
use socket2::{Domain, SockAddr, Socket, Type};

#[test]
fn a_namespace_has_only_loopback_and_ends_with_its_descriptor() {
    if !root("a_namespace_has_only_loopback_and_ends_with_its_descriptor") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let devices = namespace.enter(|| fs::read_to_string("/proc/thread-self/net/dev").unwrap()).unwrap();
    assert_eq!(devices.lines().skip(2).count(), 1, "{devices}");
    namespace.enter(|| UdpSocket::bind("127.0.0.1:9").unwrap().connect("127.0.0.1:9").unwrap()).unwrap();
    let inode = namespace.inode().unwrap().to_string();
    assert!(is_held(&inode));
    drop(namespace);
    soon("no process holds the namespace", || !is_held(&inode));
}

#[test]
fn the_calling_thread_stays_or_returns() {
    if !root("the_calling_thread_stays_or_returns") {
        return;
    }
    let here = || Namespace::current().unwrap().inode().unwrap();
    let home = here();
    let namespace = Namespace::new().unwrap();
    let there = namespace.inode().unwrap();
    assert_ne!(home, there);
    assert_eq!(namespace.enter(here).unwrap(), there);
    assert_eq!(here(), home);
    let stay = namespace.within().unwrap();
    assert_eq!(here(), there);
    drop(stay);
    assert_eq!(here(), home);
    std::panic::catch_unwind(|| {
        let _stay = namespace.within().unwrap();
        panic!("during the stay");
    })
    .unwrap_err();
    assert_eq!(here(), home);
}

#[test]
fn a_sysctl_is_set_in_its_namespace_only() {
    if !root("a_sysctl_is_set_in_its_namespace_only") {
        return;
    }
    let name = "net.ipv4.ip_default_ttl";
    let (machine, one) = (Namespace::current().unwrap(), Namespace::new().unwrap());
    let before = sysctl::read(&machine, name).unwrap();
    sysctl::set(&one, name, "77").unwrap();
    assert_eq!(sysctl::read(&one, name).unwrap(), "77");
    assert_eq!(sysctl::read(&machine, name).unwrap(), before);

    let message = |name, value| sysctl::set(&one, name, value).unwrap_err().to_string();
    assert!(message("net.ipv4.no_such", "1").contains("net.ipv4.no_such to \"1\": unknown parameter"));
    assert!(message(name, "lots").ends_with("its current value is \"77\""), "{}", message(name, "lots"));
    assert!(message("kernel.hostname", "x").contains("must start with `net.`"));
    assert!(message("net/../kernel/hostname", "x").contains("must start with `net.`"));
}

#[test]
fn an_unknown_congestion_control_is_named_with_the_available_ones() {
    if !root("an_unknown_congestion_control_is_named_with_the_available_ones") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    assert_eq!(choose_congestion_control(&namespace, "reno").unwrap(), CongestionControl::Namespace);
    assert_eq!(sysctl::read(&namespace, "net.ipv4.tcp_congestion_control").unwrap(), "reno");
    let message = choose_congestion_control(&namespace, "nonesuch").unwrap_err().to_string();
    assert!(message.contains("\"nonesuch\"") && message.contains("reno"), "{message}");
}

#[test]
fn a_host_gets_its_congestion_control_even_where_the_kernel_restricts_defaults() {
    let test = "a_host_gets_its_congestion_control_even_where_the_kernel_restricts_defaults";
    if !root(test) {
        return;
    }
    let available = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    for name in available.split_whitespace() {
        let (one, two) = pair();
        for (namespace, device, last) in [(&one, "v1", 1), (&two, "v2", 2)] {
            set_up_host(namespace, &interface(device, v4(last)), &[default_route(device)], Some(name))
                .unwrap();
        }
        let listener = two.enter(|| TcpListener::bind((v4(2), 80)).unwrap()).unwrap();
        let client = one.enter(|| TcpStream::connect((v4(2), 80)).unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        for socket in [&client, &server] {
            let used = getsockopt(socket, sockopt::TcpCongestion).unwrap();
            assert_eq!(used.to_string_lossy().trim_end_matches('\0'), name);
        }
    }
}

#[test]
fn a_host_without_a_default_leaves_each_socket_its_choice_from_the_first_packet() {
    let test = "a_host_without_a_default_leaves_each_socket_its_choice_from_the_first_packet";
    if !root(test) {
        return;
    }
    let (one, two) = pair();
    for (namespace, device, last) in [(&one, "v1", 1), (&two, "v2", 2)] {
        set_up_host(namespace, &interface(device, v4(last)), &[default_route(device)], None).unwrap();
    }
    let available = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    for name in available.split_whitespace() {
        let listener = two.enter(|| TcpListener::bind((v4(2), 0)).unwrap()).unwrap();
        let to = SockAddr::from(listener.local_addr().unwrap());
        let client = one.enter(|| Socket::new(Domain::IPV4, Type::STREAM, None).unwrap()).unwrap();
        client.set_tcp_congestion(name.as_bytes()).unwrap();
        client.connect(&to).unwrap();
        let used = client.tcp_congestion().unwrap();
        assert_eq!(String::from_utf8_lossy(&used).trim_end_matches('\0'), name);
    }
}

#[test]
fn packets_follow_the_routes_of_both_families() {
    if !root("packets_follow_the_routes_of_both_families") {
        return;
    }
    let (one, two) = pair();
    for (namespace, device, last) in [(&one, "v1", 1), (&two, "v2", 2)] {
        let mut interface = interface(device, v4(last));
        interface.addresses.push((v6(u16::from(last)), 128));
        interface.mtu = 1400;
        configure(namespace, &interface).unwrap();
        add_route(namespace, &default_route(device)).unwrap();
        let route = Route { to: (Ipv6Addr::UNSPECIFIED.into(), 0), ..default_route(device) };
        add_route(namespace, &route).unwrap();
    }
    let mtu = one.enter(|| Command::new("ip").args(["link", "show", "v1"]).output().unwrap()).unwrap();
    let mtu = String::from_utf8_lossy(&mtu.stdout).into_owned();
    assert!(mtu.contains("mtu 1400") && mtu.contains("qlen 5000"), "{mtu}");
    for (from, to) in [(v4(1), v4(2)), (v6(1), v6(2))] {
        let receiver = two.enter(|| UdpSocket::bind((to, 7)).unwrap()).unwrap();
        receiver.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let sender = one.enter(|| UdpSocket::bind((from, 8)).unwrap()).unwrap();
        sender.send_to(b"hello", (to, 7)).unwrap();
        assert_eq!(receiver.recv_from(&mut [0; 9]).unwrap(), (5, SocketAddr::new(from, 8)));
    }
    let message = configure(&one, &interface("v9", v4(9))).unwrap_err().to_string();
    assert!(message.contains("unknown device v9 in this namespace"), "{message}");
}

#[test]
fn a_device_sends_nothing_by_itself() {
    if !root("a_device_sends_nothing_by_itself") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let mut device = namespace.enter(|| tun("t0")).unwrap();
    let interface = Interface { addresses: vec![(v4(1), 32), (v6(1), 128)], ..interface("t0", v4(1)) };
    configure(&namespace, &interface).unwrap();
    add_route(&namespace, &Route { to: (Ipv6Addr::UNSPECIFIED.into(), 0), ..default_route("t0") }).unwrap();
    // Duplicate address detection would delay the use of the address by a second.
    let socket = namespace.enter(|| UdpSocket::bind((v6(1), 8)).unwrap()).unwrap();
    // Router solicitations and group reports are sent within a second of the device's start (RFC 4861 §6.3.7, RFC 3810).
    std::thread::sleep(Duration::from_millis(1500));
    let mut packet = [0; 2000];
    assert_eq!(device.read(&mut packet).unwrap_err().kind(), ErrorKind::WouldBlock, "{:02x?}", &packet[..64]);
    socket.send_to(b"a datagram of ours", (v6(2), 7)).unwrap();
    assert_eq!(device.read(&mut packet).unwrap(), 40 + 8 + 18);
}

#[test]
fn without_an_ipv6_address_the_host_has_no_ipv6() {
    if !root("without_an_ipv6_address_the_host_has_no_ipv6") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let _device = namespace.enter(|| tun("t0")).unwrap();
    set_up_host(&namespace, &interface("t0", v4(1)), &[default_route("t0")], Some("reno")).unwrap();
    let addresses =
        namespace.enter(|| fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap()).unwrap();
    assert_eq!(addresses, "");
}

#[test]
fn drops_at_a_full_socket_and_a_full_device_are_counted() {
    if !root("drops_at_a_full_socket_and_a_full_device_are_counted") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let _device = namespace.enter(|| tun("t0")).unwrap();
    let interface = Interface { tx_queue_length: 2, ..interface("t0", v4(1)) };
    set_up_host(&namespace, &interface, &[default_route("t0")], Some("reno")).unwrap();
    let receiver = namespace.enter(|| UdpSocket::bind("127.0.0.1:7").unwrap()).unwrap();
    setsockopt(&receiver, sockopt::RcvBuf, &2048).unwrap();
    let sender = namespace.enter(|| UdpSocket::bind("0.0.0.0:8").unwrap()).unwrap();

    let quiet = counters::read(&namespace).unwrap();
    assert_eq!(counters::read(&namespace).unwrap().since(&quiet), []);
    for _ in 0..100 {
        sender.send_to(&[0; 1000], "127.0.0.1:7").unwrap();
    }
    let socket = counters::read(&namespace).unwrap();
    let drops = socket.since(&quiet);
    let full = drops.iter().find(|(name, _)| name.starts_with("UdpRcvbufErrors"));
    assert!(full.is_some_and(|&(_, drops)| (50..=100).contains(&drops)), "{drops:?}");
    for _ in 0..50 {
        // The kernel may report the drop to the sender as well.
        let _ = sender.send_to(&[0; 1000], (v4(2), 7));
    }
    let drops = counters::read(&namespace).unwrap().since(&socket);
    let lost: u64 =
        drops.iter().filter(|(name, _)| name.starts_with("device t0: ")).map(|(_, drops)| drops).sum();
    assert!(lost >= 40, "{drops:?}");
    assert_eq!(counters::read_machine().unwrap().since(&counters::read_machine().unwrap()), []);
}

/// Creates two namespaces connected by a pair of virtual Ethernet devices.
fn pair() -> (Namespace, Namespace) {
    let (one, two) = (Namespace::new().expect("root"), Namespace::new().expect("root"));
    let far = format!("/proc/{}/fd/{}", std::process::id(), two.fd().as_raw_fd());
    let add = || {
        let words = ["link", "add", "v1", "type", "veth", "peer", "name", "v2", "netns", &far];
        Command::new("ip").args(words).status().expect("ip is installed")
    };
    assert!(one.enter(add).expect("root").success());
    (one, two)
}

fn interface(name: &str, address: IpAddr) -> Interface {
    Interface {
        name: name.into(),
        mtu: 1500,
        addresses: vec![(address, 32)],
        tx_queue_length: 5000,
        up: true,
    }
}

fn default_route(device: &str) -> Route {
    Route { to: (Ipv4Addr::UNSPECIFIED.into(), 0), via_device: device.into(), congestion_control: None }
}

fn v4(last: u8) -> IpAddr {
    Ipv4Addr::new(198, 18, 0, last).into()
}

fn v6(last: u16) -> IpAddr {
    Ipv6Addr::new(0x2001, 0x2, 0, 0, 0, 0, 0, last).into()
}

/// Creates a TUN device in the calling thread's namespace (kernel documentation, networking/tuntap).
fn tun(name: &str) -> File {
    const TUNSETIFF: libc::Ioctl = 0x4004_54ca;
    let mut options = fs::OpenOptions::new();
    let file =
        options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun").expect("checked");
    let mut request = [0u8; 40];
    request[..name.len()].copy_from_slice(name.as_bytes());
    let flags = (libc::IFF_TUN | libc::IFF_NO_PI) as u16;
    request[16..18].copy_from_slice(&flags.to_ne_bytes());
    // SAFETY: the request is a `struct ifreq`: 16 bytes of name, then the flags.
    assert_eq!(unsafe { libc::ioctl(file.as_raw_fd(), TUNSETIFF, request.as_mut_ptr()) }, 0);
    file
}
