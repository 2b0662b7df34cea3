use jettison_core::{Duration, Seed};
use jettison_measure::{RecorderSettings, metrics};
use jettison_sim::{World, WorldBuilder, WorldSettings};
use jettison_wire::Address;

use super::*;
use crate::device::testing::Tcp;

fn world() -> (World, NodeId, NodeId) {
    let settings = WorldSettings { seed: Seed(1), recorder: RecorderSettings::default() };
    let mut world = WorldBuilder::new(settings);
    let hosts = [1, 2].map(|last| world.outside_host(format!("h{last}"), Address::v4(198, 18, 0, last)));
    // The flows need no path, since nothing is sent.
    let mut built = world.build().expect("no flow needs a path");
    for name in ["f", "g"] {
        built.recorder().add_flow(name);
    }
    (built, hosts[0], hosts[1])
}

fn packet(flow: u32, tcp: &Tcp) -> Packet {
    let mut packet = tcp.packet();
    (packet.meta.flow, packet.meta.sent_at) = (FlowId(flow), Time::from_millis(10));
    packet
}

#[test]
fn goodput_is_each_byte_of_the_stream_when_it_is_first_written_to_the_receiver() {
    let (mut world, from, to) = world();
    let mut meter = Meter::new(&[MeasuredFlow { flow: FlowId(1), receivers: [Some(to), None] }]);
    let base = Tcp { sequence: u32::MAX - 150, ..Tcp::default() };
    let at = |offset: u32| Tcp { sequence: base.sequence.wrapping_add(offset), ..base.clone() };
    let now = Time::from_millis(25);
    // In order of arrival; the sequence numbers wrap around. The second value is the goodput so far.
    for (offset, total) in
        [(0, 100), (100, 200), (100, 200), (300, 300), (200, 400), (200, 400), (250, 400), (350, 450)]
    {
        meter.written(&packet(1, &at(offset)), to, now, world.recorder());
        let goodput = world.recorder().flow(FlowId(1)).map(|flow| flow.goodput_bytes());
        assert_eq!(goodput, Some(total), "after {offset}");
    }
    // The reverse direction and a flow that measures itself do not count.
    meter.written(&packet(1, &at(450)), from, now, world.recorder());
    meter.written(&packet(0, &at(450)), to, now, world.recorder());
    let record = world.finish();
    assert_eq!(record.summary_value("f", metrics::OWD), None);
    let owd = record.summary_value("g", metrics::OWD).unwrap();
    assert_eq!(owd.mean, Duration::from_millis(15).as_nanos() as f64 / 1e6);
}

#[test]
fn acknowledgements_do_not_count_and_a_syn_restarts_the_sequence() {
    let (mut world, _, to) = world();
    let mut meter = Meter::new(&[MeasuredFlow { flow: FlowId(0), receivers: [Some(to), None] }]);
    let base = Tcp { sequence: 10, ..Tcp::default() };
    let ack = Tcp { payload: Vec::new(), ..base.clone() };
    let syn = Tcp { flags: TcpFlags::SYN, sequence: 9, payload: Vec::new(), ..base.clone() };
    let data = base;
    for (tcp, total) in [(&ack, 0), (&data, 100), (&syn, 100), (&data, 200)] {
        meter.written(&packet(0, tcp), to, Time::from_millis(10), world.recorder());
        assert_eq!(world.recorder().flow(FlowId(0)).map(|flow| flow.goodput_bytes()), Some(total));
    }
}
