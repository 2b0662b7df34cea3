//! TCP throughput through the router and through what it is compared with.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use jettison_core::Rate;

use super::site::{ADDRESSES, Link, Site, router, through_router};
use super::{Figure, Required, Spans, figure, forwarders};
use crate::device::{Offload, Tun};
use crate::net::Namespace;
use crate::router::{Control, RouterOutcome, RouterSettings};
use crate::{LiveError, clock};

/// Bytes of one call to the kernel.
const CALL: usize = 256 * 1024;
/// What a connection takes to find its speed; not measured.
const START: Duration = Duration::from_millis(500);
/// A call that takes this long fails: nothing arrives any more.
const TOO_LONG: Duration = Duration::from_secs(5);

pub(super) fn measure(spans: &Spans) -> Result<Vec<Figure>, LiveError> {
    let span = Duration::from_secs(spans.transfer.into());
    let [mut bare, mut ticking, mut two, mut unmerged, mut unsplit, mut split] = [0.0f64; 6];
    let (mut unsplit_note, mut split_note) = (String::new(), String::new());
    let mut unmerged_note = String::new();
    for _ in 0..spans.rounds {
        bare = bare.max(through_bare(span)?);
        ticking = ticking.max(through_ticking(1, span)?);
        two = two.max(through_ticking(2, span)?);
        let ours = [
            (&mut unmerged, &mut unmerged_note, Offload::Checksum, false),
            (&mut unsplit, &mut unsplit_note, Offload::Checksum, true),
            (&mut split, &mut split_note, Offload::Segmentation, true),
        ];
        for (best, note, offload, merge) in ours {
            let (rate, outcome) = through_ours(offload, merge, span)?;
            if rate > *best {
                (*best, *note) = (rate, describe(&outcome));
            }
        }
    }
    let at_least = |value| Some(Required::AtLeast(value));
    let none = String::new;
    Ok(vec![
        figure("TCP through a bare forwarder", bare, "Gbit/s", None, none()),
        figure("TCP through a FIFO that ticks in milliseconds", ticking, "Gbit/s", None, none()),
        figure("the same with a thread for each direction", two, "Gbit/s", None, none()),
        figure("TCP through the router", unsplit, "Gbit/s", at_least(1.5), unsplit_note),
        figure("the same, and nothing merged", unmerged, "Gbit/s", None, unmerged_note),
        figure("TCP through the router, split and merged", split, "Gbit/s", None, split_note),
        figure("router against the ticking FIFO", unsplit / ticking, "times", at_least(1.7), none()),
        figure("router against the bare forwarder", unsplit / bare, "times", at_least(0.85), none()),
        figure(
            "router that merges nothing against the forwarder",
            unmerged / bare,
            "times",
            at_least(0.85),
            none(),
        ),
        figure("split and merged against not", split / unsplit, "times", at_least(2.0), none()),
    ])
}

fn describe(outcome: &RouterOutcome) -> String {
    let facts = &outcome.facts;
    let (packets, writes) =
        facts.ports.iter().fold((0, 0), |(p, w), port| (p + port.packets_out, w + port.writes));
    let late = outcome.lateness.all();
    format!(
        "{:.0} % of a core, {:.1} packets a write, lateness p50 {} p99 {}, {} refused",
        facts.cpu_percent(),
        packets as f64 / writes.max(1) as f64,
        late.quantile(0.5),
        late.quantile(0.99),
        facts.refused(),
    )
}

fn through_bare(span: Duration) -> Result<f64, LiveError> {
    let Site { namespaces, mut tuns } = Site::new(Offload::Checksum)?;
    let control = Control::new().map_err(LiveError::system("an eventfd could not be made"))?;
    thread::scope(|scope| {
        let running = scope.spawn(|| forwarders::bare(&mut tuns, &control));
        finish(transfer(&namespaces, span), &control, vec![running])
    })
}

fn through_ticking(threads: usize, span: Duration) -> Result<f64, LiveError> {
    let Site { namespaces, tuns: [a, b] } = Site::new(Offload::None)?;
    let copy = |tun: &Tun| tun.try_clone().map_err(LiveError::system("a descriptor could not be copied"));
    let (mut there, mut back) = ([copy(&a)?, copy(&b)?], [b, a]);
    let control = Control::new().map_err(LiveError::system("an eventfd could not be made"))?;
    thread::scope(|scope| {
        let mut running = vec![scope.spawn(|| forwarders::ticking(&mut there, threads == 1, &control))];
        if threads > 1 {
            running.push(scope.spawn(|| forwarders::ticking(&mut back, false, &control)));
        }
        finish(transfer(&namespaces, span), &control, running)
    })
}

fn finish(
    result: Result<f64, LiveError>,
    control: &Control,
    running: Vec<thread::ScopedJoinHandle<'_, Result<(), LiveError>>>,
) -> Result<f64, LiveError> {
    control.stop();
    for thread in running {
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    }
    result
}

fn through_ours(offload: Offload, merge: bool, span: Duration) -> Result<(f64, RouterOutcome), LiveError> {
    let Site { namespaces, tuns } = Site::new(offload)?;
    // Faster than anything here.
    let link = Link { rate: Rate::from_mbit(100_000), delay: jettison_core::Duration::ZERO, codel: true };
    // A normal thread, as the others are: what is compared is the work of a packet.
    let settings = RouterSettings { real_time: None, merge, ..RouterSettings::default() };
    through_router(router(tuns, link, settings)?, || transfer(&namespaces, span))
}

/// One TCP connection (CUBIC) for so long: its goodput in Gbit/s after its start.
fn transfer(hosts: &[Namespace; 2], span: Duration) -> Result<f64, LiveError> {
    let system = LiveError::system::<io::Error>;
    let [from, to] = hosts;
    let listener = to.enter(|| TcpListener::bind((ADDRESSES[1], 0)))?.map_err(system("bind"))?;
    let address: SocketAddr = listener.local_addr().map_err(system("getsockname"))?;
    let mut sender =
        from.enter(|| TcpStream::connect_timeout(&address, TOO_LONG))?.map_err(system("connect"))?;
    let (mut receiver, _) = listener.accept().map_err(system("accept"))?;
    sender.set_write_timeout(Some(TOO_LONG)).map_err(system("setsockopt"))?;
    receiver.set_read_timeout(Some(TOO_LONG)).map_err(system("setsockopt"))?;
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let sending = scope.spawn(|| {
            let bytes = vec![0x5a; CALL];
            while !done.load(Ordering::Relaxed) {
                if sender.write(&bytes).is_err() {
                    break; // the receiver has what it wants
                }
            }
        });
        let mut buffer = vec![0; CALL];
        let mut next = || match receiver.read(&mut buffer) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            read => read,
        };
        let mut receive = || -> io::Result<f64> {
            let began = clock::now();
            while began.elapsed() < START {
                next()?;
            }
            let (began, mut bytes) = (clock::now(), 0);
            while began.elapsed() < span {
                bytes += next()?;
            }
            Ok(bytes as f64 * 8e-9 / began.elapsed().as_secs_f64())
        };
        let rate = receive();
        done.store(true, Ordering::Relaxed);
        drop(receiver);
        sending.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        rate.map_err(system("receive"))
    })
}
