//! TCP throughput through the router and through the reference forwarders.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use jettison_core::Rate;
use jettison_live::device::{Offload, Tun};
use jettison_live::net::Namespace;
use jettison_live::router::{Control, RouterOutcome, RouterSettings};
use jettison_live::{LiveError, clock};

use super::site::{ADDRESSES, Link, Site, router, through_router};
use super::{Figure, ROUNDS, forwarders};

/// Bytes per system call.
const CALL: usize = 256 * 1024;
/// Measured duration of each transfer.
const SPAN: Duration = Duration::from_secs(3);
/// Start-up phase of a connection, which is not measured.
const START: Duration = Duration::from_millis(500);
/// Timeout for calls: no more data arrive.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn measure() -> Result<Vec<Figure>, LiveError> {
    let [mut bare, mut ticking, mut unmerged, mut unsplit, mut split, mut p4] = [0.0f64; 6];
    let (mut unsplit_note, mut split_note) = (String::new(), String::new());
    let (mut unmerged_note, mut p4_note) = (String::new(), String::new());
    for _ in 0..ROUNDS {
        bare = bare.max(bare_rate()?);
        ticking = ticking.max(ticking_rate()?);
        let variants = [
            (&mut unmerged, &mut unmerged_note, Offload::Checksum, false, false),
            (&mut unsplit, &mut unsplit_note, Offload::Checksum, true, false),
            (&mut split, &mut split_note, Offload::Segmentation, true, false),
            (&mut p4, &mut p4_note, Offload::Checksum, true, true),
        ];
        for (best, note, offload, merge, router_in_p4) in variants {
            let (rate, outcome) = router_rate(offload, merge, router_in_p4)?;
            if rate > *best {
                (*best, *note) = (rate, describe(&outcome));
            }
        }
    }
    let none = String::new;
    Ok(vec![
        Figure("live-tcp-forwarder", bare, none()),
        Figure("live-tcp-ticking", ticking, none()),
        Figure("live-tcp", unsplit, unsplit_note),
        Figure("live-tcp/against-ticking", unsplit / ticking, none()),
        Figure("live-tcp/against-forwarder", unsplit / bare, none()),
        Figure("live-tcp-unmerged", unmerged, unmerged_note),
        Figure("live-tcp-unmerged/against-forwarder", unmerged / bare, none()),
        Figure("live-tcp-split", split, split_note),
        Figure("live-tcp-p4", p4, p4_note),
        Figure("live-tcp-split/against-whole", split / unsplit, none()),
    ])
}

fn describe(outcome: &RouterOutcome) -> String {
    let facts = &outcome.facts;
    let (packets, writes) =
        facts.ports.iter().fold((0, 0), |(p, w), port| (p + port.packets_out, w + port.writes));
    let lateness = outcome.lateness.all();
    format!(
        "{:.0} % of a core, {:.1} packets per write, lateness p50 {} p99 {}, {} rejected",
        facts.cpu_percent(),
        packets as f64 / writes.max(1) as f64,
        lateness.quantile(0.5),
        lateness.quantile(0.99),
        facts.refused(),
    )
}

fn bare_rate() -> Result<f64, LiveError> {
    forwarder_rate(Offload::Checksum, forwarders::bare)
}

fn ticking_rate() -> Result<f64, LiveError> {
    forwarder_rate(Offload::None, forwarders::ticking)
}

fn forwarder_rate(
    offload: Offload,
    forward: fn(&mut [Tun; 2], &Control) -> Result<(), LiveError>,
) -> Result<f64, LiveError> {
    let Site { namespaces, mut tuns } = Site::new(offload)?;
    let control = Control::new().map_err(LiveError::system("cannot create an eventfd"))?;
    thread::scope(|scope| {
        let running = scope.spawn(|| forward(&mut tuns, &control));
        let result = transfer(&namespaces);
        control.stop();
        running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        result
    })
}

fn router_rate(offload: Offload, merge: bool, router_in_p4: bool) -> Result<(f64, RouterOutcome), LiveError> {
    let Site { namespaces, tuns } = Site::new(offload)?;
    // Faster than any transfer on this machine.
    let link = Link {
        rate: Rate::from_mbit(100_000),
        delay: jettison_core::Duration::ZERO,
        codel: true,
        p4: router_in_p4,
    };
    // A normal thread like the references: the comparison is about the work per packet.
    let settings = RouterSettings { real_time: None, merge, ..RouterSettings::default() };
    through_router(router(tuns, link, settings)?, || transfer(&namespaces))
}

/// Goodput of one TCP connection (CUBIC) over [`SPAN`] after its start-up phase, in Gbit/s.
fn transfer(hosts: &[Namespace; 2]) -> Result<f64, LiveError> {
    let system = LiveError::system::<io::Error>;
    let [from, to] = hosts;
    let listener = to.enter(|| TcpListener::bind((ADDRESSES[1], 0)))?.map_err(system("cannot bind"))?;
    let address: SocketAddr = listener.local_addr().map_err(system("cannot read a socket's address"))?;
    let mut sender =
        from.enter(|| TcpStream::connect_timeout(&address, TIMEOUT))?.map_err(system("cannot connect"))?;
    let (mut receiver, _) = listener.accept().map_err(system("cannot accept"))?;
    sender.set_write_timeout(Some(TIMEOUT)).map_err(system("cannot set a timeout"))?;
    receiver.set_read_timeout(Some(TIMEOUT)).map_err(system("cannot set a timeout"))?;
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let sending = scope.spawn(|| {
            let bytes = vec![0x5a; CALL];
            while !done.load(Ordering::Relaxed) {
                if sender.write(&bytes).is_err() {
                    break; // the receiver has finished and closed the connection
                }
            }
        });
        let mut buffer = vec![0; CALL];
        let mut next = || match receiver.read(&mut buffer) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            read => read,
        };
        // The start-up phase is read but not counted.
        let mut receive = || -> io::Result<f64> {
            let began = clock::now();
            while began.elapsed() < START {
                next()?;
            }
            let (began, mut bytes) = (clock::now(), 0);
            while began.elapsed() < SPAN {
                bytes += next()?;
            }
            Ok(bytes as f64 * 8e-9 / began.elapsed().as_secs_f64())
        };
        let rate = receive();
        done.store(true, Ordering::Relaxed);
        // The sender may be blocked in a write, which fails once the connection is closed.
        drop(receiver);
        sending.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        rate.map_err(system("cannot receive"))
    })
}
