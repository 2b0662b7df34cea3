//! TCP throughput through the router and through what it is compared with.

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

/// Bytes of one call to the kernel.
const CALL: usize = 256 * 1024;
/// How long each transfer is measured.
const SPAN: Duration = Duration::from_secs(3);
/// What a connection takes to find its speed; not measured.
const START: Duration = Duration::from_millis(500);
/// A call that takes this long fails: nothing arrives any more.
const TOO_LONG: Duration = Duration::from_secs(5);

pub(super) fn measure() -> Result<Vec<Figure>, LiveError> {
    let [mut bare, mut ticking, mut unmerged, mut unsplit, mut split] = [0.0f64; 5];
    let (mut unsplit_note, mut split_note) = (String::new(), String::new());
    let mut unmerged_note = String::new();
    for _ in 0..ROUNDS {
        bare = bare.max(through_bare()?);
        ticking = ticking.max(through_ticking()?);
        let ours = [
            (&mut unmerged, &mut unmerged_note, Offload::Checksum, false),
            (&mut unsplit, &mut unsplit_note, Offload::Checksum, true),
            (&mut split, &mut split_note, Offload::Segmentation, true),
        ];
        for (best, note, offload, merge) in ours {
            let (rate, outcome) = through_ours(offload, merge)?;
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
        Figure("live-tcp-split/against-whole", split / unsplit, none()),
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

fn through_bare() -> Result<f64, LiveError> {
    through_forwarder(Offload::Checksum, forwarders::bare)
}

fn through_ticking() -> Result<f64, LiveError> {
    through_forwarder(Offload::None, forwarders::ticking)
}

fn through_forwarder(
    offload: Offload,
    forward: fn(&mut [Tun; 2], &Control) -> Result<(), LiveError>,
) -> Result<f64, LiveError> {
    let Site { namespaces, mut tuns } = Site::new(offload)?;
    let control = Control::new().map_err(LiveError::system("an eventfd could not be made"))?;
    thread::scope(|scope| {
        let running = scope.spawn(|| forward(&mut tuns, &control));
        let result = transfer(&namespaces);
        control.stop();
        running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        result
    })
}

fn through_ours(offload: Offload, merge: bool) -> Result<(f64, RouterOutcome), LiveError> {
    let Site { namespaces, tuns } = Site::new(offload)?;
    // Faster than anything here.
    let link = Link { rate: Rate::from_mbit(100_000), delay: jettison_core::Duration::ZERO, codel: true };
    // A normal thread, as the others are: what is compared is the work of a packet.
    let settings = RouterSettings { real_time: None, merge, ..RouterSettings::default() };
    through_router(router(tuns, link, settings)?, || transfer(&namespaces))
}

/// One TCP connection (CUBIC) for [`SPAN`]: its goodput in Gbit/s after its start.
fn transfer(hosts: &[Namespace; 2]) -> Result<f64, LiveError> {
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
            while began.elapsed() < SPAN {
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
