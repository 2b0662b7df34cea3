#![allow(clippy::disallowed_methods)]
use jettison_core::*; use jettison_transport::*; use jettison_transport::tcp::*; use jettison_wire::*;
use std::collections::VecDeque;
fn main() {
    let loss: u64 = std::env::args().nth(1).map_or(0, |a| a.parse().unwrap());
    let p = TcpParameters { congestion: "newreno".into(), receive_buffer: Bytes::new(400_000), initial_window: 250, ..Default::default() };
    let a = Endpoint::new(Address::v4(10,0,0,1), 1); let b = Endpoint::new(Address::v4(10,0,0,2), 2);
    let mut now = Time::ZERO;
    let mut c = Connection::connect(&p, p.controller(None).unwrap(), a, b, 1, now);
    let syn = c.poll_transmit(now).unwrap();
    now += Duration::from_millis(10);
    let mut s = Connection::accept(&p, p.controller(None).unwrap(), b, a, 9, &syn, now).unwrap();
    c.write(Payload::Zeros(u64::MAX/2));
    let mut fwd: VecDeque<(Time, Packet)> = VecDeque::new(); let mut rev: VecDeque<(Time, Packet)> = VecDeque::new();
    let start = std::time::Instant::now();
    let mut n = 0u64;
    let d = Duration::from_millis(10);
    let mut busy = now;
    while n < 20_000_000 {
        while let Some(x) = s.poll_transmit(now) { rev.push_back((now + d, x)); }
        while let Some(x) = c.poll_transmit(now) { n += 1; if loss > 0 && n % loss == 0 { continue } busy = busy.max(now) + Duration::from_micros(100); fwd.push_back((busy + d, x)); }
        let t = [fwd.front().map(|x| x.0), rev.front().map(|x| x.0), c.next_wakeup(), s.next_wakeup()].into_iter().flatten().min().unwrap();
        now = now.max(t);
        if rev.front().is_some_and(|x| x.0 <= now) { let x = rev.pop_front().unwrap(); c.handle_packet(&x.1, now); while c.poll_event().is_some() {} c.poll_rtt_sample(); }
        else if fwd.front().is_some_and(|x| x.0 <= now) { let x = fwd.pop_front().unwrap(); s.handle_packet(&x.1, now); while s.poll_event().is_some() {} while s.read(u64::MAX).is_some() {} }
        else { c.handle_wakeup(now); s.handle_wakeup(now); }
    }
    let e = start.elapsed();
    println!("{} ns a packet; {:?}", e.as_nanos() as f64 / n as f64, c.statistics());
}
