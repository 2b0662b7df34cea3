//! The loop under a clock that a test moves and devices that it fills.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::IoSlice;
use std::rc::Rc;

use jettison_core::{Bytes, Rate, Seed};
use jettison_link::{FixedRate, Propagation};
use jettison_measure::RecorderSettings;
use jettison_queue::QueueDiscipline;
use jettison_queue::codel::{Codel, CodelParameters};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_sim::{Carrier, DirectionSpec, LinkSpec, WorldBuilder, WorldSettings};
use jettison_wire::image::Zeros;
use jettison_wire::{Ecn, FlowId};

use super::super::{MeasuredFlow, RouterSettings, RouterSnapshot, Rule};
use super::*;
use crate::device::testing::{Tcp, packet};
use crate::device::{Offload, VnetHeader};

/// A packet with its header, and when it comes or was written.
#[derive(Debug, Clone)]
struct Frame(Time, VnetHeader, Vec<u8>);

/// Frames that a device and its test share.
#[derive(Clone, Default)]
struct Frames(Rc<RefCell<VecDeque<Frame>>>);

impl Frames {
    fn borrow(&self) -> std::cell::Ref<'_, VecDeque<Frame>> {
        self.0.borrow()
    }

    fn next_at(&self) -> Option<Time> {
        self.borrow().front().map(|Frame(at, ..)| *at)
    }
}

/// A device whose packets come at instants that a test chose.
struct Scripted {
    clock: Rc<Cell<Time>>,
    offload: Offload,
    incoming: Frames,
    written: Frames,
    /// The packet that was read last.
    read: Vec<u8>,
    /// From this write on, the kernel refuses.
    refuses_from: usize,
    breaks: bool,
}

impl Device for Scripted {
    fn offload(&self) -> Offload {
        self.offload
    }
    fn read(&mut self) -> io::Result<Option<(VnetHeader, &[u8])>> {
        if self.breaks {
            return Err(io::Error::from_raw_os_error(libc::EBADFD));
        }
        if self.incoming.next_at().is_none_or(|at| at > self.clock.get()) {
            return Ok(None);
        }
        let Some(Frame(_, header, bytes)) = self.incoming.0.borrow_mut().pop_front() else { return Ok(None) };
        self.read = bytes;
        Ok(Some((header, &self.read)))
    }
    fn write(&mut self, header: VnetHeader, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let mut written = self.written.0.borrow_mut();
        if written.len() >= self.refuses_from {
            return Err(io::Error::from_raw_os_error(libc::ENOBUFS));
        }
        written.push_back(Frame(
            self.clock.get(),
            header,
            parts.iter().flat_map(|part| part.to_vec()).collect(),
        ));
        Ok(())
    }
}

/// A clock that moves when the loop waits.
struct Script {
    clock: Rc<Cell<Time>>,
    incoming: Vec<Frames>,
    /// The first wait at or after the first instant lasts until the second.
    stall: Option<(Time, Time)>,
    waits: u64,
    /// At which wait somebody says stop.
    stops: Option<(u64, Control)>,
    breaks: bool,
}

impl Surroundings for Script {
    fn now(&mut self) -> Time {
        self.clock.get()
    }
    fn wait(&mut self, until: Time, readable: &mut [bool]) -> Result<(), usize> {
        self.waits += 1;
        if let Some((at, control)) = &self.stops
            && self.waits == *at
        {
            control.stop();
        }
        let arrivals = self.incoming.iter().filter_map(Frames::next_at);
        let mut next = arrivals.fold(until, Time::min).max(self.clock.get());
        if let Some((from, to)) = self.stall
            && next >= from
        {
            next = to.max(next);
            self.stall = None;
        }
        self.clock.set(next);
        for (queue, readable) in self.incoming.iter().zip(readable) {
            *readable |= queue.next_at().is_some_and(|at| at <= next);
        }
        if self.breaks { Err(1) } else { Ok(()) }
    }
}

/// Two hosts with a link between them.
struct Setup {
    rate: Rate,
    ecn: bool,
    offload: Offload,
    merge: bool,
    /// From the first host.
    packets: Vec<Frame>,
    /// From the second.
    replies: Vec<Frame>,
    stall: Option<(Time, Time)>,
    refuses_from: usize,
    breaks: bool,
    stops_at: Option<u64>,
    warm_up: Time,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            rate: Rate::from_mbit(12),
            ecn: false,
            offload: Offload::Checksum,
            merge: false,
            packets: Vec::new(),
            replies: Vec::new(),
            stall: None,
            refuses_from: usize::MAX,
            breaks: false,
            stops_at: None,
            warm_up: Time::ZERO,
        }
    }
}

struct Ran {
    ended: Ended,
    engine: Engine<Scripted>,
    /// What was written to each host.
    written: [Frames; 2],
    waits: u64,
    snapshots: Vec<RouterSnapshot>,
}

fn run(setup: Setup, end: Time) -> Ran {
    let mut world = WorldBuilder::new(WorldSettings {
        seed: Seed(1),
        recorder: RecorderSettings { warm_up: setup.warm_up, ..RecorderSettings::default() },
    });
    let addresses = [Address::v4(198, 18, 0, 1), Address::v4(198, 18, 0, 2)];
    let hosts = addresses.map(|address| world.outside_host("h", address));
    let direction = |name: &str| {
        let queue: Box<dyn QueueDiscipline> = match setup.ecn {
            false => Box::new(TailDrop::new(TailDropParameters::default())),
            true => {
                let parameters =
                    CodelParameters { ecn: true, maxpacket: Bytes::new(1), ..CodelParameters::default() };
                Box::new(Codel::new(&parameters).expect("the parameters are right"))
            }
        };
        let propagation = Propagation::new(Duration::ZERO);
        let carrier = Carrier::Fixed(FixedRate::new(setup.rate));
        DirectionSpec {
            name: name.to_owned(),
            carrier,
            propagation,
            loss: None,
            queue,
            hooks: None,
            tapped: false,
        }
    };
    world.link(LinkSpec { ends: hosts, forward: direction("l.forward"), reverse: direction("l.reverse") });
    let flow = world.flow("f", hosts[0], hosts[1], Vec::new());
    let world = world.build().expect("both hosts are joined");
    let clock = Rc::new(Cell::new(Time::ZERO));
    let written = [Frames::default(), Frames::default()];
    let incoming =
        [setup.packets, setup.replies].map(|packets| Frames(Rc::new(RefCell::new(packets.into()))));
    let mut ports = Vec::new();
    for index in 0..2 {
        let device = Scripted {
            clock: clock.clone(),
            offload: setup.offload,
            incoming: incoming[index].clone(),
            written: written[index].clone(),
            read: Vec::new(),
            refuses_from: setup.refuses_from,
            breaks: setup.breaks && index == 1,
        };
        ports.push(Port::new(hosts[index], device, format!("port{index}"), 1500, setup.merge));
    }
    let rule = Rule { from: hosts[0], to: hosts[1], protocol: Some(6), port: None, flow };
    let classifier = Classifier::new(addresses.into_iter().zip(hosts), vec![rule]);
    let meter = Meter::new(&[MeasuredFlow { flow, receivers: [Some(hosts[1]), None] }]);
    let RouterSettings { gather, snapshot_every, .. } = RouterSettings::default();
    let mut engine = Engine::new(world, ports, classifier, meter, gather, snapshot_every);
    let control = Control::new().expect("a descriptor is left");
    let stops = setup.stops_at.map(|at| (at, control.clone()));
    let mut script = Script {
        clock,
        incoming: incoming.to_vec(),
        stall: setup.stall,
        waits: 0,
        stops,
        breaks: setup.breaks,
    };
    let mut snapshots = Vec::new();
    let sink = &mut |snapshot: &RouterSnapshot| snapshots.push(snapshot.clone());
    let ended = engine.run(&mut script, end, &control, Some(sink));
    Ran { ended, engine, written, waits: script.waits, snapshots }
}

/// Packets of 1,486 bytes on the wire less its 14: 1,500 bytes take 1 ms at 12 Mbit/s.
fn full(count: u32, at: impl Fn(u32) -> Time) -> Vec<Frame> {
    let base = Tcp { traffic_class: Ecn::Ect0 as u8, payload: vec![5; 1434], ..Tcp::default() };
    let tcp = |index: u32| Tcp {
        id: base.id.wrapping_add(index as u16),
        sequence: base.sequence + 1434 * index,
        ..base.clone()
    };
    (0..count)
        .map(|index| Frame(at(index), VnetHeader::of(Some(base.place())), tcp(index).partial()))
        .collect()
}

#[test]
fn a_late_wake_up_loses_no_rate_and_is_recorded() {
    let ms = Time::from_millis;
    let stall = Some((ms(10), ms(47)));
    let ran = run(Setup { packets: full(100, |_| Time::ZERO), stall, ..Setup::default() }, ms(200));
    assert!(matches!(ran.ended, Ended::Complete));
    let written = ran.written[1].borrow();
    let times: Vec<u64> = written.iter().map(|Frame(at, ..)| at.as_micros()).collect();
    // One each millisecond, but those of the stall at its end, in one go; behind it nothing is delayed.
    let expected: Vec<u64> =
        (1..=100).map(|ms| if (10..47).contains(&ms) { 47_000 } else { ms * 1000 }).collect();
    assert_eq!(times, expected);
    let lateness = &ran.engine.lateness.queues()[0];
    assert_eq!((lateness.count(), lateness.max().as_millis()), (100, 37));
    assert_eq!(lateness.quantile(0.5).as_millis(), 0);
    assert_eq!(ran.engine.lateness.queues()[1].count(), 0);
}

#[test]
fn sleeps_from_event_to_event_and_not_between() {
    // Ten packets: one wake-up for each arrival and each departure, ten samples of the recorder, five snapshots.
    let at = |index: u32| Time::from_millis(u64::from(index) * 50 + 7);
    let ran = run(Setup { packets: full(10, at), ..Setup::default() }, Time::from_secs(1));
    assert_eq!(ran.written[1].borrow().len(), 10);
    assert!(ran.waits < 60, "{} waits", ran.waits);
}

#[test]
fn bytes_leave_as_they_came_and_flows_are_measured() {
    let packets = full(3, |index| Time::from_millis(10 * u64::from(index)));
    let mut ran = run(Setup { packets: packets.clone(), ..Setup::default() }, Time::from_millis(100));
    let written = ran.written[1].borrow();
    let bytes: Vec<_> = written.iter().map(|Frame(_, header, bytes)| (*header, bytes.clone())).collect();
    assert_eq!(bytes, packets.into_iter().map(|Frame(_, header, bytes)| (header, bytes)).collect::<Vec<_>>());
    let meter = ran.engine.world.recorder().flow(FlowId(0)).map(|flow| flow.goodput_bytes());
    assert_eq!(meter, Some(3 * 1434));
    let facts = &ran.engine.ports[1].facts;
    assert_eq!((facts.packets_out, facts.writes, facts.refused), (3, 3, 0));
    assert_eq!(ran.engine.ports[0].facts.packets_in, 3);
}

#[test]
fn a_mark_leaves_right_checksums() {
    // Twice what the link carries, for two seconds.
    let packets = full(4000, |index| Time::from_micros(500 * u64::from(index)));
    let ran = run(Setup { packets, ecn: true, ..Setup::default() }, Time::from_secs(3));
    let mut marked = 0;
    for Frame(_, header, bytes) in ran.written[1].borrow().iter() {
        let mut image = Vec::new();
        packet(bytes.clone(), header.partial()).write_ip_image(&mut image, usize::MAX);
        let read = Packet::from_ip_image(&image, Zeros::Kept).unwrap();
        assert!(read.headers().is_some(), "both checksums are right");
        marked += u32::from(read.ecn() == Ecn::Ce);
    }
    assert!(marked > 10, "{marked} marks");
}

#[test]
fn what_the_kernel_refuses_is_counted_and_said() {
    let packets = full(10, |index| Time::from_millis(10 * u64::from(index)));
    let ran = run(Setup { packets, refuses_from: 4, ..Setup::default() }, Time::from_millis(200));
    let facts = &ran.engine.ports[1].facts;
    assert_eq!((facts.packets_out, facts.refused), (4, 6));
    assert!(facts.refusal.as_deref().is_some_and(|why| why.contains("No buffer space")), "{facts:?}");
}

#[test]
fn a_busy_port_starves_no_other() {
    // More at once than one batch, from both sides.
    let setup = Setup {
        packets: full(500, |_| Time::ZERO),
        replies: full(500, |_| Time::ZERO),
        rate: Rate::from_mbit(10_000),
        ..Setup::default()
    };
    let ran = run(setup, Time::from_millis(5));
    assert_eq!(ran.written.map(|written| written.borrow().len()), [500, 500]);
}

#[test]
fn what_is_no_packet_or_not_to_be_carried_is_counted() {
    let good = Tcp::default();
    let to = |address: [u8; 4]| {
        let mut bytes = good.partial();
        bytes[16..20].copy_from_slice(&address);
        bytes
    };
    let junk = vec![
        Vec::new(),
        vec![0x45; 3],
        vec![0; 1400],
        Tcp { payload: vec![0; 1500], ..good.clone() }.partial(), // longer than the MTU
        to([224, 0, 0, 22]),
        to([255, 255, 255, 255]),
        to([169, 254, 0, 9]),
    ];
    let count = junk.len() as u64;
    let packets = junk.into_iter().chain([good.partial()]);
    let packets = packets.map(|bytes| Frame(Time::ZERO, VnetHeader::default(), bytes)).collect();
    let ran = run(Setup { packets, ..Setup::default() }, Time::from_millis(5));
    assert_eq!(ran.engine.ports[0].facts.not_carried, count);
    assert_eq!(ran.written[1].borrow().len(), 1);
}

#[test]
fn super_packets_are_split_for_the_queue_and_merged_for_the_host() {
    let whole = Tcp { payload: (0..40_000).map(|at| (at / 7) as u8).collect(), ..Tcp::default() };
    let header = whole.super_header(1448);
    for (rate, merged) in [(10_000, true), (12, false)] {
        let setup = Setup {
            packets: vec![Frame(Time::ZERO, header, whole.partial())],
            offload: Offload::Segmentation,
            merge: true,
            rate: Rate::from_mbit(rate),
            ..Setup::default()
        };
        let mut ran = run(setup, Time::from_millis(100));
        let parts = 40_000usize.div_ceil(1448);
        assert_eq!(ran.engine.ports[0].facts.packets_in, parts as u64);
        assert_eq!(ran.engine.world.recorder().queue(0).departed_packets(), parts as u64);
        let written = ran.written[1].borrow();
        if merged {
            let Frame(_, with, bytes) = &written[0];
            assert_eq!((written.len(), *with), (1, header));
            assert!(*bytes == whole.partial(), "the same bytes");
        } else {
            // A slow link brings them one by one, and none waits for the next.
            assert_eq!(written.len(), parts);
            assert!(ran.engine.lateness.queues()[0].max() < Duration::from_micros(1));
        }
    }
}

#[test]
fn packets_that_come_together_are_written_together_if_that_is_wanted() {
    for (offload, merge, writes) in [
        (Offload::Checksum, true, 1),
        (Offload::Checksum, false, 20),
        (Offload::None, true, 20), // nothing says there what a packet stands for
    ] {
        let mut packets = full(20, |_| Time::ZERO);
        if offload == Offload::None {
            packets.iter_mut().for_each(|Frame(_, header, _)| *header = VnetHeader::default());
        }
        let rate = Rate::from_mbit(10_000);
        let ran = run(Setup { packets, offload, merge, rate, ..Setup::default() }, Time::from_millis(5));
        let facts = &ran.engine.ports[1].facts;
        assert_eq!((facts.packets_out, facts.writes), (20, writes), "{offload:?}, {merge}");
        let bytes: usize = ran.written[1].borrow().iter().map(|Frame(_, _, bytes)| bytes.len()).sum();
        assert_eq!(bytes, 20 * 1434 + 52 * writes as usize);
    }
}

#[test]
fn stops_when_told_and_when_a_device_breaks() {
    let packets = full(100, |_| Time::ZERO);
    let ran =
        run(Setup { packets: packets.clone(), stops_at: Some(20), ..Setup::default() }, Time::from_secs(1));
    assert!(matches!(ran.ended, Ended::Stopped));
    assert!(ran.engine.world.now() < Time::from_millis(30));
    let ran = run(Setup { packets, breaks: true, ..Setup::default() }, Time::from_secs(1));
    let Ended::Failed { device, error } = ran.ended else { panic!("it failed") };
    assert_eq!((device.as_str(), error.raw_os_error()), ("port1", Some(libc::EBADFD)));
}

#[test]
fn snapshots_come_each_fifth_of_a_second_and_add_up() {
    let packets = full(2000, |index| Time::from_micros(500 * u64::from(index)));
    let mut ran = run(Setup { packets, ..Setup::default() }, Time::from_millis(1500));
    let snapshots = &ran.snapshots;
    let times: Vec<u64> = snapshots.iter().map(|snapshot| snapshot.at.as_micros() / 1000).collect();
    assert_eq!(times, [200, 400, 600, 800, 1000, 1200, 1400]);
    let first = &snapshots[0].queues[0];
    assert_eq!((first.departed_bytes, first.backlog.packets), (201 * 1500, 200));
    assert!(first.sojourn.is_some_and(|sojourn| sojourn.as_millis() > 40));
    assert!(snapshots[0].queues[1].sojourn.is_none());
    // The queue holds 1000 packets, of 1000 in excess.
    assert_eq!(snapshots[4].queues[0].drops, []);
    let bytes: u64 = snapshots.iter().map(|snapshot| snapshot.queues[0].departed_bytes).sum();
    assert_eq!(bytes, 1401 * 1500);
    assert_eq!(snapshots[6].flow_bytes, [1400 * 1434]);
    assert!(ran.engine.world.recorder().queue(0).departed_bytes() >= bytes);
}

#[test]
fn snapshots_go_on_past_the_warm_up_and_lateness_begins_anew() {
    let arrivals = |index: u32| Time::from_micros(500 * u64::from(index));
    let told = [Time::ZERO, Time::from_micros(700_300)].map(|warm_up| {
        let setup = Setup { packets: full(2000, arrivals), warm_up, ..Setup::default() };
        let ran = run(setup, Time::from_millis(1500));
        let measured = ran.engine.lateness.all().count();
        let of = |snapshot: &RouterSnapshot| {
            let queue = &snapshot.queues[0];
            (queue.departed_bytes, queue.drops.clone(), snapshot.flow_bytes.clone())
        };
        (ran.snapshots.iter().map(of).collect::<Vec<_>>(), measured)
    });
    assert_eq!(told[0].0, told[1].0);
    assert_eq!((told[0].1, told[1].1), (1500, 800));
}

#[test]
fn neither_multicast_nor_link_local_addresses_are_carried() {
    let v6 = |text: &str| Address::from(text.parse::<std::net::IpAddr>().expect("an address"));
    for (address, carried) in [
        ("198.18.0.1", true),
        ("169.253.1.1", true),
        ("169.254.1.1", false),
        ("239.1.1.1", false),
        ("255.255.255.255", false),
        ("fd00::1", true),
        ("2001:db8::1", true),
        ("fe80::1", false),
        ("febf::1", false),
        ("fec0::1", true),
        ("ff02::16", false),
    ] {
        assert_eq!(is_carried(v6(address)), carried, "{address}");
    }
}
