//! No program can leak the contexts of departed packets.

use jettison_core::Duration;
use jettison_switch::{Packets, RecirculationSettings, Switch};
use proptest::prelude::*;

use super::*;
use crate::DROP_PORT;
use crate::testing::*;
use jettison_p4_exec::Standard;

proptest! {
    /// Each byte of a packet's header selects one action; each pass uses the next byte.
    #[test]
    fn contexts_of_departed_packets_are_released(
        packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 14), 1..40), depth in 1u64..5
    ) {
        let mut plan = plan(empty_program());
        plan.ports = vec![bmv2(1, depth), bmv2(2, depth), bmv2(8, depth)];
        plan.recirculation = RecirculationSettings { limit: Packets(2), ..RecirculationSettings::default() };
        plan.commands = group(1, 3, &[0, 1, 2]).into_iter().chain([to_port(1)])
            .map(|command| (Time::ZERO, command)).collect();
        let config = MirrorSession { truncate: Some(9), ..MirrorSession::to_group(1) };
        plan.commands.push((Time::ZERO, Command::MirroringAdd { session: 6, config }));
        let mut resubmitted = 0u32;
        let mut world = World::of(plan, 14, move |state, plane| {
            let decide = state.header.first().copied().unwrap_or(0);
            if !state.header.is_empty() { state.header.rotate_left(1); }
            state.send_to(u64::from(decide % 5)); // ports 3 and 4 do not exist
            state.set(Standard::Priority, u64::from(decide >> 5));
            if decide & 1 != 0 { clone(plane, false, 4 + u32::from(decide >> 6), FIRST); }
            if decide & 6 == 6 { state.send_to(DROP_PORT); }
            if decide & 12 == 12 { state.set(Standard::McastGrp, u64::from(decide >> 4) % 3); }
            resubmitted += 1;
            if decide & 0x30 == 0x30 && !resubmitted.is_multiple_of(7) { plane.effects.resubmit = Some(FIRST); }
        }, |state, plane| {
            let decide = state.header.first().copied().unwrap_or(0);
            if !state.header.is_empty() { state.header.rotate_left(1); }
            if decide & 3 == 3 && state.get(Standard::InstanceType) != 2 { clone(plane, true, 4 + u32::from(decide >> 6), FIRST); }
            if decide & 12 == 12 { plane.effects.recirculate = Some(if decide & 64 == 0 { NOTHING } else { FIRST }); }
            if decide & 0x30 == 0x30 { state.send_to(DROP_PORT); }
            if decide & 0xc0 == 0xc0 { state.header.push(1); plane.effects.truncate = Some(u32::from(decide & 31)); }
        });
        let mut now = Time::ZERO;
        for (number, bytes) in packets.into_iter().enumerate() {
            now += Duration::from_nanos(300);
            world.arrive(number as u16 % 3, jettison_wire::Packet::from_frame(bytes), now);
            world.wake(now);
            let _ = world.poll(number as u16 % 3, now);
        }
        // Endless loops are not the subject of this test; the number of rounds bounds them.
        for _ in 0..300 {
            now += Duration::from_micros(5);
            world.wake(now);
            for port in 0..3 { let _ = world.poll(port, now); }
        }
        let waiting: u64 = (0..3).map(|port| world.switch.backlog(Port(port)).packets).sum();
        let inside = waiting as usize + world.switch.pipeline().recirculating();
        prop_assert_eq!(world.switch.simple_switch().packets_inside(), inside);
    }
}
