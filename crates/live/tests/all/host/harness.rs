//! Two hosts in their own namespaces, with flows between them as in scenarios.

use std::fs::File;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use jettison_apps::applications;
use jettison_core::{Duration, RandomStream, Seed, Time};
use jettison_live::LiveClock;
use jettison_live::host::{HostSockets, HostsOutcome, LiveHosts, LiveProgram, Stop, Watched};
use jettison_measure::{Metric, Recorder, RecorderSettings, RunRecord};
use jettison_messages::OctopusParameters;
use jettison_sockets::OctopusOptions;
use jettison_sockets::{Application, ControllerFactory, SocketEvent, Sockets, TcpOptions};
use jettison_sockets::{FlowContext, FlowTransport, Initiator};
use jettison_tcp::Endpoint;
use jettison_tcp::TcpParameters;
use jettison_wire::FlowId;
use nix::sched::{CloneFlags, setns, unshare};
use serde_json::Value;

/// Two namespaces, connected by a veth pair.
pub struct Pair {
    pub namespaces: [Arc<OwnedFd>; 2],
    _alone: MutexGuard<'static, ()>,
}

/// IPv4 addresses of both hosts.
pub const V4: [&str; 2] = ["10.77.0.1", "10.77.0.2"];
/// IPv6 addresses of both hosts.
pub const V6: [&str; 2] = ["fd77::1", "fd77::2"];

/// Serialises the tests: two cores are not enough for several networks.
static ALONE: Mutex<()> = Mutex::new(());

/// The pair shared by most tests, or the reason why it could not be created.
static SHARED: OnceLock<Result<[Arc<OwnedFd>; 2], String>> = OnceLock::new();

impl Pair {
    /// Returns the shared pair. Reports a skipped test and returns `None` if rights or tools are missing.
    pub fn new(test: &str) -> Option<Pair> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        Pair::of(SHARED.get_or_init(joined_namespaces).clone(), alone, test)
    }

    /// Creates a pair for one test, which may break it.
    pub fn private(test: &str) -> Option<Pair> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        Pair::of(joined_namespaces(), alone, test)
    }

    fn of(
        made: Result<[Arc<OwnedFd>; 2], String>,
        alone: MutexGuard<'static, ()>,
        test: &str,
    ) -> Option<Pair> {
        match made {
            Ok(namespaces) => Some(Pair { namespaces, _alone: alone }),
            Err(reason) => {
                eprintln!("left out: {test} ({reason})");
                None
            }
        }
    }

    /// The hosts with these addresses.
    pub fn hosts(&self, addresses: [&str; 2]) -> Vec<HostSockets> {
        let host = |at: usize| HostSockets {
            name: format!("h{}", at + 1),
            address: address(addresses[at]),
            namespace: Arc::clone(&self.namespaces[at]),
        };
        vec![host(0), host(1)]
    }

    /// Runs a closure on a thread in one of the namespaces.
    pub fn inside<T: Send>(&self, at: usize, run: impl FnOnce() -> T + Send) -> T {
        inside(&self.namespaces[at], run)
    }
}

/// Creates two namespaces connected by a pair of virtual Ethernet devices.
fn joined_namespaces() -> Result<[Arc<OwnedFd>; 2], String> {
    let namespaces = [new_namespace()?, new_namespace()?];
    let other = format!("/proc/{}/fd/{}", std::process::id(), namespaces[1].as_raw_fd());
    ip(&namespaces[0], &["link", "add", "v0", "type", "veth", "peer", "name", "v1", "netns", &other])?;
    for (at, device) in ["v0", "v1"].into_iter().enumerate() {
        let namespace = &namespaces[at];
        ip(namespace, &["addr", "add", &format!("{}/24", V4[at]), "dev", device])?;
        ip(namespace, &["addr", "add", &format!("{}/64", V6[at]), "dev", device, "nodad"])?;
        ip(namespace, &["link", "set", "lo", "up"])?;
        ip(namespace, &["link", "set", device, "up"])?;
        let path = "/proc/sys/net/ipv4/ping_group_range";
        inside(namespace, move || std::fs::write(path, "0 2147483647")).map_err(|error| error.to_string())?;
    }
    wait_until_connected(&namespaces)?;
    Ok(namespaces)
}

/// Waits until the pair carries packets: earlier packets are lost while the ends resolve each other's addresses.
fn wait_until_connected(namespaces: &[Arc<OwnedFd>; 2]) -> Result<(), String> {
    for addresses in [V4, V6] {
        let bind = |at: usize| UdpSocket::bind(SocketAddr::new(address(addresses[at]), 5999));
        let [one, other] = [0, 1].map(|at| inside(&namespaces[at], || bind(at)));
        let (one, other) =
            (one.map_err(|error| error.to_string())?, other.map_err(|error| error.to_string())?);
        other
            .set_read_timeout(Some(std::time::Duration::from_millis(20)))
            .map_err(|error| error.to_string())?;
        let target = SocketAddr::new(address(addresses[1]), 5999);
        let comes = |_| {
            // Fails while there is no route.
            let _ = one.send_to(&[1], target);
            other.recv(&mut [0]).is_ok()
        };
        if !(0..200).any(comes) {
            return Err("no packet arrived over the pair of devices".to_owned());
        }
    }
    Ok(())
}

pub fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

pub fn endpoint(at: &str, port: u16) -> Endpoint {
    Endpoint { address: address(at).into(), port }
}

fn new_namespace() -> Result<Arc<OwnedFd>, String> {
    let made = thread::spawn(|| {
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| format!("cannot create a network namespace: {error}"))?;
        File::open("/proc/thread-self/ns/net").map_err(|error| error.to_string())
    });
    let file = made.join().expect("the thread does not panic")?;
    Ok(Arc::new(OwnedFd::from(file)))
}

fn inside<T: Send>(namespace: &OwnedFd, run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET).expect("the namespace is our own");
            run()
        });
        thread.join().expect("the thread does not panic")
    })
}

/// Runs `ip` in a namespace.
pub fn ip(namespace: &OwnedFd, arguments: &[&str]) -> Result<(), String> {
    let run = || Command::new("ip").args(arguments).output();
    let output = inside(namespace, run).map_err(|error| format!("cannot run `ip`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
}

/// A run under construction.
pub struct Run {
    hosts: Vec<HostSockets>,
    addresses: [String; 2],
    recorder: Recorder,
    programs: Vec<LiveProgram>,
    watched: Vec<Watched>,
    next_port: u16,
}

impl Run {
    pub fn new(pair: &Pair, addresses: [&str; 2]) -> Run {
        let settings =
            RecorderSettings { interval: Duration::from_millis(100), ..RecorderSettings::default() };
        Run {
            hosts: pair.hosts(addresses),
            addresses: addresses.map(str::to_owned),
            recorder: Recorder::new(settings),
            programs: Vec::new(),
            watched: Vec::new(),
            next_port: 6000,
        }
    }

    /// Adds a flow of a registered application from the first to the second host. Returns its port.
    pub fn flow(&mut self, name: &str, kind: &str, app: Value, transport: &FlowTransport) -> u16 {
        self.flow_until(name, kind, app, transport, Time::MAX)
    }

    pub fn flow_until(
        &mut self,
        name: &str,
        kind: &str,
        app: Value,
        transport: &FlowTransport,
        stop: Time,
    ) -> u16 {
        let registry = applications();
        let entry = registry.entry(kind).expect("a registered application");
        let port = self.next_port;
        self.next_port += 1;
        let random = |purpose: &str| random(name, purpose);
        let context = FlowContext {
            remote: endpoint(&self.addresses[1], port),
            hardware: None,
            server: endpoint(&self.addresses[0], port),
            transport,
            random: &random,
            files: &|name| Err(format!("unknown file {name}")),
        };
        let built = entry.build(&app, &context).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let flow = FlowId(self.recorder.add_flow(name).index);
        let span = |begins: Initiator| match begins == entry.facts.initiator {
            true => (Time::ZERO, stop),
            false => (Time::ZERO, Time::MAX),
        };
        for (host, application, begins) in
            [(0, Some(built.from), Initiator::From), (1, built.to, Initiator::To)]
        {
            if let Some(application) = application {
                let (start, stop) = span(begins);
                self.programs.push(LiveProgram { flow, host, application, start, stop });
            }
        }
        port
    }

    /// Adds the test's own program at one host.
    pub fn program(&mut self, name: &str, host: usize, application: impl Application + 'static) -> FlowId {
        let flow = FlowId(self.recorder.add_flow(name).index);
        let (start, stop) = (Time::ZERO, Time::MAX);
        self.programs.push(LiveProgram { flow, host, application: Box::new(application), start, stop });
        flow
    }

    /// Adds a flow carried by external programs.
    pub fn watch(&mut self, name: &str, watched: impl FnOnce(FlowId) -> Watched) {
        let flow = FlowId(self.recorder.add_flow(name).index);
        self.watched.push(watched(flow));
    }

    pub fn go(self, end: Duration) -> Done {
        let stop = Stop::new().expect("a descriptor is available");
        self.go_until(end, &stop)
    }

    pub fn go_until(self, end: Duration, stop: &Stop) -> Done {
        let Run { hosts, programs, watched, recorder, .. } = self;
        let clock = LiveClock::start();
        let hosts =
            LiveHosts::new(hosts, programs, watched, recorder, clock).expect("descriptors are available");
        let HostsOutcome { recorder, notes, .. } = hosts.run(Time::ZERO + end, stop);
        Done { record: recorder.finish(clock.now()), notes, ended: clock.now() }
    }
}

/// Result of a run.
pub struct Done {
    pub record: RunRecord,
    pub notes: Vec<String>,
    pub ended: Time,
}

impl Done {
    /// Mean of a flow's summary value; NaN without a value.
    pub fn mean(&self, flow: &str, metric: Metric) -> f64 {
        self.record.summary_value(flow, metric).map_or(f64::NAN, |value| value.mean)
    }

    /// Values of a flow's series.
    pub fn series(&self, flow: &str, metric: Metric) -> Vec<f64> {
        let found = self.record.series.iter().find(|series| {
            series.metric == metric && series.part.is_empty() && self.record.name(series.object) == flow
        });
        found.map(|series| series.values().expect("the series is in memory")).unwrap_or_default()
    }
}

fn random(flow: &str, purpose: &str) -> RandomStream {
    Seed(7).stream(&["flows", flow, purpose])
}

/// TCP with these parameters.
pub fn tcp(parameters: TcpParameters) -> FlowTransport {
    FlowTransport::Tcp(options(parameters))
}

pub fn options(parameters: TcpParameters) -> TcpOptions {
    let parameters = Arc::new(parameters);
    let shared = Arc::clone(&parameters);
    let controller = ControllerFactory::new(move || shared.controller(None).expect("our own controller"));
    TcpOptions { parameters, controller }
}

pub fn newreno() -> TcpParameters {
    TcpParameters { congestion: "newreno".into(), ..TcpParameters::default() }
}

pub fn udp() -> FlowTransport {
    FlowTransport::Udp { traffic_class: 0 }
}

pub fn octopus() -> FlowTransport {
    let parameters = Arc::new(OctopusParameters::default());
    let shared = Arc::clone(&parameters);
    let controller = Arc::new(move || {
        let files = |name: &str| Err(format!("unknown file {name}"));
        shared.controller(&shared.path_context(None, &files)).expect("our own controller")
    });
    FlowTransport::Octopus(OctopusOptions { parameters, controller })
}

/// A program that logs its events.
#[derive(Clone)]
pub struct Script<S, E> {
    pub start: S,
    pub on_event: E,
    pub log: Log,
}

/// Event handler that does nothing.
pub fn ignore(_: SocketEvent, _: Time, _: &mut dyn Sockets) {}

/// Log of events with their times.
pub type Log = Arc<Mutex<Vec<(Time, SocketEvent)>>>;

impl<S, E> Application for Script<S, E>
where
    S: FnMut(Time, &mut dyn Sockets) + Clone + Send,
    E: FnMut(SocketEvent, Time, &mut dyn Sockets) + Clone + Send,
{
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        (self.start)(now, host);
    }
    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        self.log.lock().expect("no thread panicked").push((now, event));
        (self.on_event)(event, now, host);
    }
}

/// A program that calls a closure once at a given time.
#[derive(Clone)]
pub struct At<F> {
    pub at: Option<Time>,
    pub call: F,
}

impl<F: FnMut(Time) + Clone + Send> Application for At<F> {
    fn start(&mut self, _: Time, _: &mut dyn Sockets) {}
    fn handle_event(&mut self, _: SocketEvent, _: Time, _: &mut dyn Sockets) {}
    fn handle_wakeup(&mut self, now: Time, _: &mut dyn Sockets) {
        if self.at.take_if(|at| *at <= now).is_some() {
            (self.call)(now);
        }
    }
    fn next_wakeup(&self) -> Option<Time> {
        self.at
    }
}
