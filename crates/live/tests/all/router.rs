//! Packets of real kernels through the router, between two network namespaces per test.

#![expect(clippy::disallowed_methods, reason = "the tests follow real traffic")]

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use jettison_core::{Rate, Seed, Time};
use jettison_link::{FixedRate, Propagation};
use jettison_live::LiveClock;
use jettison_live::device::{Offload, Tun};
use jettison_live::net::{Interface, Namespace, Route, set_up_host};
use jettison_live::router::{
    Classifier, Control, Ended, MeasuredFlow, Router, RouterOutcome, RouterPort, RouterSettings, Rule,
};
use jettison_measure::RecorderSettings;
use jettison_queue::QueueDiscipline;
use jettison_queue::codel::{Codel, CodelParameters};
use jettison_sim::{Carrier, DirectionSpec, LinkSpec, RouterPlan, WorldBuilder, WorldSettings};
use jettison_switch::{Pipeline, PortConfig, RecirculationSettings, Routes, Switch};
use jettison_wire::{Address, FlowId};

const DEVICE: &str = "jet0";
/// Timeout for calls.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Two namespaces connected by `host – router – host`.
struct Site {
    namespaces: [Namespace; 2],
    addresses: [IpAddr; 2],
    router: Router,
}

struct Setup {
    v4: bool,
    offload: Offload,
    rate: Rate,
    delay: jettison_core::Duration,
    ecn: bool,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            v4: true,
            offload: Offload::Checksum,
            rate: Rate::from_mbit(200),
            delay: jettison_core::Duration::from_millis(2),
            ecn: false,
        }
    }
}

/// Creates a site. Reports a skipped test and returns `None` if it cannot run.
fn site(test: &str, setup: &Setup) -> Option<Site> {
    let skipped = |why: &dyn std::fmt::Display| {
        let _ = writeln!(io::stderr(), "left out: {test} ({why})");
    };
    if !rustix::process::geteuid().is_root() {
        skipped(&"not root");
        return None;
    }
    if !std::path::Path::new("/dev/net/tun").exists() {
        skipped(&"no /dev/net/tun");
        return None;
    }
    let addresses: [IpAddr; 2] = match setup.v4 {
        true => [Ipv4Addr::new(198, 18, 0, 1).into(), Ipv4Addr::new(198, 18, 0, 2).into()],
        false => [1, 2].map(|last| Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last).into()),
    };
    let prefix = if setup.v4 { 32 } else { 128 };
    let host = |index: usize| {
        let namespace = Namespace::new().expect("root may create a namespace");
        let tun =
            namespace.enter(|| Tun::create(DEVICE, setup.offload)).expect("the namespace can be entered");
        let interface = Interface {
            name: DEVICE.to_owned(),
            mtu: 1500,
            addresses: vec![(addresses[index], prefix)],
            tx_queue_length: 10_000,
            up: true,
        };
        let to = (addresses[1 - index], prefix);
        let route = Route { to, via_device: DEVICE.to_owned(), congestion_control: Some("cubic".to_owned()) };
        set_up_host(&namespace, &interface, &[route], Some("cubic"))
            .expect("root may configure its namespace");
        (namespace, tun.expect("root may create a device"))
    };
    let [(one, first), (other, second)] = [host(0), host(1)];
    Some(Site { namespaces: [one, other], addresses, router: router(setup, addresses, [first, second]) })
}

fn router(setup: &Setup, addresses: [IpAddr; 2], tuns: [Tun; 2]) -> Router {
    let mut world = WorldBuilder::new(WorldSettings { seed: Seed(1), recorder: RecorderSettings::default() });
    let hosts = addresses.map(|address| world.outside_host(address.to_string(), Address::from(address)));
    let switch = world.router("r", switch);
    let direction = |name: String, rate| {
        let parameters = CodelParameters { ecn: setup.ecn, ..CodelParameters::default() };
        let queue: Box<dyn QueueDiscipline> =
            Box::new(Codel::new(&parameters).expect("the defaults are valid"));
        let propagation = Propagation::new(setup.delay);
        let carrier = Carrier::Fixed(FixedRate::new(rate));
        DirectionSpec {
            name,
            carrier,
            propagation,
            loss: None,
            impairments: None,
            queue,
            hooks: None,
            tapped: false,
        }
    };
    for (host, rate) in hosts.into_iter().zip([Rate::from_mbit(1000), setup.rate]) {
        let name = if rate == setup.rate { "bottleneck" } else { "access" };
        let forward = direction(format!("{name}.forward"), rate);
        let reverse = direction(format!("{name}.reverse"), rate);
        let ends = if rate == setup.rate { [switch, host] } else { [host, switch] };
        world.link(LinkSpec { ends, forward, reverse });
    }
    let flow = world.flow("f", hosts[0], hosts[1], Vec::new());
    let rule = Rule { from: hosts[0], to: hosts[1], protocol: None, port: None, flow };
    Router {
        world: world.build().expect("the hosts are connected"),
        ports: hosts.into_iter().zip(tuns).map(|(host, tun)| RouterPort { host, tun }).collect(),
        classifier: Classifier::new(addresses.map(Address::from).into_iter().zip(hosts), vec![rule]),
        measured: vec![MeasuredFlow { flow, receivers: [Some(hosts[1]), None] }],
        settings: RouterSettings::default(),
        clock: LiveClock::start(),
    }
}

fn switch(plan: RouterPlan) -> Box<dyn Switch> {
    let mut routes = Routes::new();
    for (address, port) in plan.routes {
        routes.add_host(address, port);
    }
    let ports = plan.ports.into_iter().map(|port| PortConfig { discipline: port.queue, hooks: port.hooks });
    Box::new(Pipeline::native(routes, ports.collect(), RecirculationSettings::default()))
}

/// Runs `traffic` while the router forwards its packets.
fn through<R>(router: Router, traffic: impl FnOnce() -> R) -> (R, RouterOutcome) {
    let control = Control::new().expect("a descriptor is available");
    thread::scope(|scope| {
        let running = scope.spawn(|| router.run(Time::MAX, &control, None));
        // The router must stop even if the traffic panics, since the scope waits for it.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(traffic));
        control.stop();
        let outcome = running.join().expect("the router does not panic");
        match result {
            Ok(result) => (result, outcome),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn kernel_drops(outcome: &RouterOutcome) -> u64 {
    assert!(matches!(outcome.facts.ended, Ended::Stopped), "{:?}", outcome.facts.ended);
    outcome.facts.refused()
}

/// Opens a connection from the first host to the second.
fn connection(namespaces: &[Namespace; 2], to: IpAddr) -> (TcpStream, TcpStream) {
    let listener = namespaces[1].enter(|| TcpListener::bind((to, 0))).expect("entered").expect("a free port");
    let address = listener.local_addr().expect("the listener is bound");
    let connect = || TcpStream::connect_timeout(&address, TIMEOUT);
    let sender = namespaces[0].enter(connect).expect("entered").expect("the other side listens");
    let (receiver, _) = listener.accept().expect("the client has connected");
    for stream in [&sender, &receiver] {
        stream.set_read_timeout(Some(TIMEOUT)).expect("not zero");
        stream.set_write_timeout(Some(TIMEOUT)).expect("not zero");
    }
    (sender, receiver)
}

/// Pseudo-random bytes, which reveal displaced data.
fn pattern(length: usize) -> Vec<u8> {
    let mut state = 1u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Sends `bytes` and compares them with the received ones.
fn transfer(namespaces: &[Namespace; 2], to: IpAddr, bytes: &[u8]) {
    let (mut sender, mut receiver) = connection(namespaces, to);
    thread::scope(|scope| {
        scope.spawn(move || sender.write_all(bytes).expect("the receiver reads"));
        let mut received = vec![0; bytes.len()];
        receiver.read_exact(&mut received).expect("all bytes arrive");
        assert!(received == bytes, "the bytes are unchanged");
        assert_eq!(receiver.read(&mut [0]).expect("the stream ends"), 0);
    });
}

fn ping(namespace: &Namespace, to: IpAddr) -> String {
    let run =
        || Command::new("ping").args(["-n", "-c", "3", "-i", "0.2", "-W", "5", &to.to_string()]).output();
    match namespace.enter(run).expect("entered") {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => format!("cannot run ping: {error}"),
    }
}

fn ping_and_tcp_work(test: &str, v4: bool) {
    let Some(Site { namespaces, addresses, router }) = site(test, &Setup { v4, ..Setup::default() }) else {
        return;
    };
    let (replies, mut outcome) = through(router, || {
        transfer(&namespaces, addresses[1], &pattern(1_000_000));
        ping(&namespaces[0], addresses[1])
    });
    assert_eq!(kernel_drops(&outcome), 0);
    if replies.starts_with("cannot run ping") {
        let _ = writeln!(io::stderr(), "left out: the ping of {test} ({replies})");
    } else {
        assert!(replies.contains("3 received"), "{replies}");
        // Four link delays of 2 ms.
        let fastest = replies.split("mdev = ").nth(1).and_then(|rest| rest.split('/').next());
        let fastest: f64 = fastest.and_then(|text| text.parse().ok()).expect("a summary of RTTs");
        assert!((8.0..30.0).contains(&fastest), "{fastest} ms");
        assert!(replies.contains("ttl=63"), "there is one router on the path: {replies}");
    }
    let goodput = outcome.world.recorder().flow(FlowId(0)).map(|flow| flow.goodput_bytes());
    assert!(goodput.is_some_and(|bytes| bytes >= 1_000_000), "{goodput:?}");
    assert!(outcome.lateness.all().count() > 700);
    assert!(outcome.facts.cpu_percent() > 0.0);
}

#[test]
fn ping_and_tcp_work_over_ipv4() {
    ping_and_tcp_work("ping_and_tcp_work_over_ipv4", true);
}

#[test]
fn ping_and_tcp_work_over_ipv6() {
    ping_and_tcp_work("ping_and_tcp_work_over_ipv6", false);
}

#[test]
fn ten_megabytes_arrive_unchanged_with_every_offload() {
    let bytes = pattern(10_000_000);
    for (offload, v4) in [
        (Offload::None, true),
        (Offload::Checksum, false),
        (Offload::Segmentation, true),
        (Offload::Segmentation, false),
    ] {
        let setup = Setup { v4, offload, rate: Rate::from_mbit(900), ..Setup::default() };
        let test = "ten_megabytes_arrive_unchanged_with_every_offload";
        let Some(Site { namespaces, addresses, router }) = site(test, &setup) else { return };
        let ((), mut outcome) = through(router, || transfer(&namespaces, addresses[1], &bytes));
        assert_eq!(kernel_drops(&outcome), 0);
        let [from, to] = &outcome.facts.ports[..] else { panic!("two ports") };
        let is_split = offload == Offload::Segmentation;
        assert_eq!(from.reads + 100 < from.packets_in, is_split, "{from:?}");
        assert_eq!(to.writes + 100 < to.packets_out, offload != Offload::None, "{to:?}");
        // The queues saw packets of the MTU: 10 MB need at least 6,900.
        assert!(from.packets_in > 6_900, "{from:?}");
        let forward = outcome.world.recorder().queue(0);
        let mean = forward.departed_bytes() / forward.departed_packets().max(1);
        assert!(mean <= 1514, "{mean} bytes per packet");
    }
}

#[test]
fn a_link_achieves_its_rate() {
    let setup = Setup { rate: Rate::from_mbit(20), ..Setup::default() };
    let Some(Site { namespaces, addresses, router }) = site("a_link_achieves_its_rate", &setup) else {
        return;
    };
    let socket = |host: usize| {
        let bind = || UdpSocket::bind((addresses[host], 0));
        namespaces[host].enter(bind).expect("entered").expect("a free port")
    };
    let (sender, receiver) = (socket(0), socket(1));
    receiver.set_read_timeout(Some(Duration::from_millis(500))).expect("not zero");
    let to: SocketAddr = receiver.local_addr().expect("the socket is bound");
    let (mbit, _) = through(router, || {
        thread::scope(|scope| {
            scope.spawn(|| {
                // 30 Mbit/s for 2.5 s.
                let began = Instant::now();
                for index in 0..6250u32 {
                    thread::sleep((Duration::from_micros(400) * index).saturating_sub(began.elapsed()));
                    sender.send_to(&[7; 1472], to).expect("the device accepts packets");
                }
            });
            let mut buffer = [0; 2048];
            let mut arrivals = Vec::new();
            while receiver.recv(&mut buffer).is_ok() {
                arrivals.push(Instant::now());
            }
            // Between 0.5 s and 2 s the link is never idle.
            let first = arrivals.first().expect("packets arrive").to_owned();
            let within = |at: &&Instant| (500..2000).contains(&at.duration_since(first).as_millis());
            let measured: Vec<&Instant> = arrivals.iter().filter(within).collect();
            let span = measured[measured.len() - 1].duration_since(*measured[0]);
            (measured.len() - 1) as f64 * 1514.0 * 8e-6 / span.as_secs_f64()
        })
    });
    assert!((mbit - 20.0).abs() < 0.4, "{mbit} Mbit/s");
}

#[test]
fn a_mark_reaches_the_receiver_with_correct_checksums() {
    let setup = Setup { rate: Rate::from_mbit(10), ecn: true, ..Setup::default() };
    let test = "a_mark_reaches_the_receiver_with_correct_checksums";
    let Some(Site { namespaces, addresses, router }) = site(test, &setup) else { return };
    for namespace in &namespaces {
        // 1 enables ECN requests (kernel documentation, networking/ip-sysctl).
        let set = || std::fs::write("/proc/sys/net/ipv4/tcp_ecn", "1");
        namespace.enter(set).expect("entered").expect("root may set it");
    }
    let ((), mut outcome) = through(router, || transfer(&namespaces, addresses[1], &pattern(3_000_000)));
    assert_eq!(kernel_drops(&outcome), 0);
    let recorder = outcome.world.recorder();
    let marks: u64 = (0..4).map(|queue| recorder.queue(queue).total_marks()).sum();
    let drops: u64 = (0..4).map(|queue| recorder.queue(queue).total_drops()).sum();
    assert!(marks > 0, "packets of a standing queue with ECN are marked");
    assert_eq!(drops, 0, "and none is dropped");
    let read = || std::fs::read_to_string("/proc/thread-self/net/netstat").expect("root may read it");
    let text = namespaces[1].enter(read).expect("entered");
    let line = |at: usize| text.lines().filter(|line| line.starts_with("IpExt:")).nth(at).expect("two lines");
    let fields = line(0).split(' ').zip(line(1).split(' ')).collect::<Vec<_>>();
    let field = |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let seen = field("InCEPkts").and_then(|count| count.parse::<u64>().ok());
    assert_eq!(seen, Some(marks), "the kernel counted each mark");
    assert_eq!(field("InCsumErrors"), Some("0"));
}

#[test]
fn a_device_name_in_use_is_rejected() {
    let Some(site) = site("a_device_name_in_use_is_rejected", &Setup::default()) else { return };
    let again = site.namespaces[0].enter(|| Tun::create(DEVICE, Offload::Checksum)).expect("entered");
    assert_eq!(again.err().and_then(|error| error.raw_os_error()), Some(16), "EBUSY");
    for name in ["", "a name that is far too long", "nul\0"] {
        let refused = Tun::create(name, Offload::None).expect_err("the name is invalid");
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
    }
}
