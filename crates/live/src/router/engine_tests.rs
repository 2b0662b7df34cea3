//! Tests of the event loop with a simulated clock and scripted devices.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::IoSlice;
use std::rc::Rc;

use jettison_core::{Bytes, Rate, Seed};
use jettison_link::{FixedRate, ImpairmentParameters, Impairments, OccurrenceChoice, Propagation, Share};
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

/// Time of arrival or writing, header and bytes of a packet.
#[derive(Debug, Clone)]
struct Frame(Time, VnetHeader, Vec<u8>);

/// Queue of frames shared by a device and its test.
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

/// A device with scripted arrivals.
struct Scripted {
    clock: Rc<Cell<Time>>,
    offload: Offload,
    incoming: Frames,
    written: Frames,
    /// The packet that was read last.
    read: Vec<u8>,
    /// Number of writes after which the kernel rejects packets.
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

/// Environment whose clock advances when the loop waits.
struct Script {
    clock: Rc<Cell<Time>>,
    incoming: Vec<Frames>,
    /// The first wait at or after the first time lasts until the second.
    stall: Option<(Time, Time)>,
    waits: u64,
    /// Number of the wait at which a stop is requested.
    stops: Option<(u64, Control)>,
    breaks: bool,
}

impl Environment for Script {
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

/// Two hosts connected by a link.
struct Setup {
    rate: Rate,
    ecn: bool,
    offload: Offload,
    merge: bool,
    /// Packets from the first host.
    packets: Vec<Frame>,
    /// Packets from the second host.
    replies: Vec<Frame>,
    stall: Option<(Time, Time)>,
    refuses_from: usize,
    breaks: bool,
    stops_at: Option<u64>,
    warm_up: Time,
    impairments: ImpairmentParameters,
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
            impairments: ImpairmentParameters::default(),
        }
    }
}

struct Ran {
    ended: Ended,
    engine: Engine<Scripted>,
    /// Packets written to each host.
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
                Box::new(Codel::new(&parameters).expect("the parameters are valid"))
            }
        };
        let propagation = Propagation::new(Duration::ZERO);
        let carrier = Carrier::Fixed(FixedRate::new(setup.rate));
        DirectionSpec {
            name: name.to_owned(),
            carrier,
            propagation,
            loss: None,
            impairments: (!setup.impairments.is_none()).then(|| {
                let random = |stream: &str| Seed(1).stream(&[name, stream]);
                Impairments::new(&setup.impairments, Duration::ZERO, &random).expect("valid")
            }),
            queue,
            hooks: None,
            tapped: false,
        }
    };
    world.link(LinkSpec { ends: hosts, forward: direction("l.forward"), reverse: direction("l.reverse") });
    let flow = world.flow("f", hosts[0], hosts[1], Vec::new());
    let world = world.build().expect("both hosts are connected");
    let clock = Rc::new(Cell::new(Time::ZERO));
    let written = [Frames::default(), Frames::default()];
    // The script and the devices share the queues: the script needs the next arrival time to advance the clock.
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
    let control = Control::new().expect("a descriptor is available");
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

/// Packets of 1,486 bytes, or 1,500 with 14 bytes of link header: 1 ms at 12 Mbit/s.
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
fn a_late_wakeup_costs_no_rate_and_is_recorded() {
    let ms = Time::from_millis;
    let stall = Some((ms(10), ms(47)));
    let ran = run(Setup { packets: full(100, |_| Time::ZERO), stall, ..Setup::default() }, ms(200));
    assert!(matches!(ran.ended, Ended::Complete));
    let written = ran.written[1].borrow();
    let times: Vec<u64> = written.iter().map(|Frame(at, ..)| at.as_micros()).collect();
    // One packet per millisecond. Those of the stall leave together at its end; later ones are not delayed.
    let expected: Vec<u64> =
        (1..=100).map(|ms| if (10..47).contains(&ms) { 47_000 } else { ms * 1000 }).collect();
    assert_eq!(times, expected);
    let lateness = &ran.engine.lateness.queues()[0];
    assert_eq!((lateness.count(), lateness.max().as_millis()), (100, 37));
    assert_eq!(lateness.quantile(0.5).as_millis(), 0);
    assert_eq!(ran.engine.lateness.queues()[1].count(), 0);
}

#[test]
fn the_thread_only_wakes_for_events() {
    // Ten packets: one wakeup per arrival and per departure, ten samples of the recorder, five snapshots.
    let at = |index: u32| Time::from_millis(u64::from(index) * 50 + 7);
    let ran = run(Setup { packets: full(10, at), ..Setup::default() }, Time::from_secs(1));
    assert_eq!(ran.written[1].borrow().len(), 10);
    assert!(ran.waits < 60, "{} waits", ran.waits);
}

#[test]
fn bytes_are_forwarded_unchanged_and_flows_are_measured() {
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
fn checksums_are_correct_after_a_mark() {
    // Twice the link rate for two seconds.
    let packets = full(4000, |index| Time::from_micros(500 * u64::from(index)));
    let ran = run(Setup { packets, ecn: true, ..Setup::default() }, Time::from_secs(3));
    let mut marked = 0;
    for Frame(_, header, bytes) in ran.written[1].borrow().iter() {
        let mut image = Vec::new();
        packet(bytes.clone(), header.partial()).write_ip_image(&mut image, usize::MAX);
        let read = Packet::from_ip_image(&image, Zeros::Kept).unwrap();
        assert!(read.headers().is_some(), "both checksums are correct");
        marked += u32::from(read.ecn() == Ecn::Ce);
    }
    assert!(marked > 10, "{marked} marks");
}

#[test]
fn a_corrupted_packet_is_written_with_a_wrong_bit_and_counted() {
    let packets = full(20, |index| Time::from_millis(10 * u64::from(index)));
    let always = OccurrenceChoice::Share(Share::ONE).parameters();
    let impairments = ImpairmentParameters { corrupt: Some(always), ..Default::default() };
    let setup = Setup { packets, impairments, merge: true, ..Setup::default() };
    let mut ran = run(setup, Time::from_millis(300));
    let written = ran.written[1].borrow();
    assert_eq!(written.len(), 20);
    for Frame(_, header, bytes) in written.iter() {
        assert_eq!(header.partial(), None, "the kernel must not complete the checksum");
        let mut image = Vec::new();
        packet(bytes.clone(), None).write_ip_image(&mut image, usize::MAX);
        assert!(Packet::from_ip_image(&image, Zeros::Kept).unwrap().headers().is_none(), "a wrong checksum");
    }
    assert_eq!(ran.engine.world.recorder().flow(FlowId(0)).map(|flow| flow.goodput_bytes()), Some(0));
    let record = ran.engine.world.finish();
    assert_eq!(record.drops.len(), 20);
    assert!(record.drops.iter().all(|drop| drop.unwrap().drop_reason() == Some(DropReason::Corrupted)));
}

#[test]
fn copies_are_written_unchanged() {
    let packets = full(20, |index| Time::from_millis(10 * u64::from(index)));
    let always = OccurrenceChoice::Share(Share::ONE).parameters();
    let impairments = ImpairmentParameters { duplicate: Some(always), ..Default::default() };
    let ran =
        run(Setup { packets: packets.clone(), impairments, ..Setup::default() }, Time::from_millis(300));
    let written = ran.written[1].borrow();
    assert_eq!(written.len(), 40);
    for (pair, Frame(_, _, sent)) in written.iter().collect::<Vec<_>>().chunks(2).zip(&packets) {
        assert!(pair.iter().all(|Frame(_, _, bytes)| bytes == sent));
    }
}

#[test]
fn packets_rejected_by_the_kernel_are_counted_with_the_error() {
    let packets = full(10, |index| Time::from_millis(10 * u64::from(index)));
    let ran = run(Setup { packets, refuses_from: 4, ..Setup::default() }, Time::from_millis(200));
    let facts = &ran.engine.ports[1].facts;
    assert_eq!((facts.packets_out, facts.refused), (4, 6));
    assert!(facts.refusal.as_deref().is_some_and(|why| why.contains("No buffer space")), "{facts:?}");
}

#[test]
fn a_busy_port_does_not_starve_others() {
    // More than one batch at once, from both sides.
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
fn malformed_and_link_local_packets_are_counted() {
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
            // On a slow link each packet is written at once, without waiting for the next.
            assert_eq!(written.len(), parts);
            assert!(ran.engine.lateness.queues()[0].max() < Duration::from_micros(1));
        }
    }
}

#[test]
fn simultaneous_packets_are_merged_if_enabled() {
    for (offload, merge, writes) in [
        (Offload::Checksum, true, 1),
        (Offload::Checksum, false, 20),
        (Offload::None, true, 20), // no virtio header to describe a super-packet
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
fn the_router_stops_on_request_and_when_a_device_fails() {
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
fn snapshots_are_taken_every_200_ms_and_add_up() {
    let packets = full(2000, |index| Time::from_micros(500 * u64::from(index)));
    let mut ran = run(Setup { packets, ..Setup::default() }, Time::from_millis(1500));
    let snapshots = &ran.snapshots;
    let times: Vec<u64> = snapshots.iter().map(|snapshot| snapshot.at.as_micros() / 1000).collect();
    assert_eq!(times, [200, 400, 600, 800, 1000, 1200, 1400]);
    let first = &snapshots[0].queues[0];
    assert_eq!((first.departed_bytes, first.backlog.packets), (201 * 1500, 200));
    assert!(first.sojourn.is_some_and(|sojourn| sojourn.as_millis() > 40));
    assert!(snapshots[0].queues[1].sojourn.is_none());
    // The queue holds 1,000 packets, the whole excess.
    assert_eq!(snapshots[4].queues[0].drops, []);
    let bytes: u64 = snapshots.iter().map(|snapshot| snapshot.queues[0].departed_bytes).sum();
    assert_eq!(bytes, 1401 * 1500);
    assert_eq!(snapshots[6].flow_bytes, [1400 * 1434]);
    assert!(ran.engine.world.recorder().queue(0).departed_bytes() >= bytes);
}

#[test]
fn snapshots_continue_across_the_warm_up_and_lateness_restarts() {
    let arrivals = |index: u32| Time::from_micros(500 * u64::from(index));
    let results = [Time::ZERO, Time::from_micros(700_300)].map(|warm_up| {
        let setup = Setup { packets: full(2000, arrivals), warm_up, ..Setup::default() };
        let ran = run(setup, Time::from_millis(1500));
        let measured = ran.engine.lateness.all().count();
        let of = |snapshot: &RouterSnapshot| {
            let queue = &snapshot.queues[0];
            (queue.departed_bytes, queue.drops.clone(), snapshot.flow_bytes.clone())
        };
        (ran.snapshots.iter().map(of).collect::<Vec<_>>(), measured)
    });
    assert_eq!(results[0].0, results[1].0);
    assert_eq!((results[0].1, results[1].1), (1500, 800));
}

#[test]
fn multicast_and_link_local_packets_are_not_forwarded() {
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
