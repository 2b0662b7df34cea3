//! Simple forwarders as references for the router.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use jettison_live::device::{Device, Tun, VnetHeader};
use jettison_live::router::Control;
use jettison_live::{LiveError, clock};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Interval at which the forwarders check for a stop request.
const STOP_INTERVAL: Duration = Duration::from_millis(10);
/// Maximum number of consecutive reads, as in the router.
const READS: usize = 16;

/// Minimal forwarder in user space: reads from one device and writes to the other in one thread.
pub(super) fn bare(tuns: &mut [Tun; 2], control: &Control) -> Result<(), LiveError> {
    while !control.is_stopped() {
        let [first, second] = &mut *tuns;
        let ready = readable([first.as_fd(), second.as_fd()], STOP_INTERVAL)?;
        for (from, ready) in ready.into_iter().enumerate() {
            for _ in 0..if ready { READS } else { 0 } {
                let (reader, writer) =
                    if from == 0 { (&mut *first, &mut *second) } else { (&mut *second, &mut *first) };
                let Some((header, packet)) =
                    reader.read().map_err(LiveError::system("cannot read from the device"))?
                else {
                    break;
                };
                // Rejected packets are lost, as in the router.
                let _ = writer.write(header, &[IoSlice::new(packet)]);
            }
        }
    }
    Ok(())
}

/// FIFO with a tick of 1 ms, like Mahimahi's `mm-link`: reads one packet per device and wakeup, queues a copy, and releases
/// the queue at the end of each millisecond. The link rate is unlimited.
pub(super) fn ticking(tuns: &mut [Tun; 2], control: &Control) -> Result<(), LiveError> {
    let tick = Duration::from_millis(1);
    let mut queues: [VecDeque<(VnetHeader, Vec<u8>)>; 2] = Default::default();
    let mut next = clock::now() + tick;
    while !control.is_stopped() {
        let idle = queues.iter().all(VecDeque::is_empty);
        let wait = if idle { STOP_INTERVAL } else { next.saturating_duration_since(clock::now()) };
        let ready = readable([tuns[0].as_fd(), tuns[1].as_fd()], wait)?;
        for (from, ready) in ready.into_iter().enumerate() {
            if ready
                && let Some((header, packet)) =
                    tuns[from].read().map_err(LiveError::system("cannot read from the device"))?
            {
                queues[from].push_back((header, packet.to_vec()));
            }
        }
        let now = clock::now();
        if now >= next {
            for (from, queue) in queues.iter_mut().enumerate() {
                for (header, packet) in queue.drain(..) {
                    let _ = tuns[1 - from].write(header, &[IoSlice::new(&packet)]);
                }
            }
            while next <= now {
                next += tick;
            }
        }
    }
    Ok(())
}

/// Waits until a device is readable.
fn readable(devices: [BorrowedFd<'_>; 2], wait: Duration) -> Result<[bool; 2], LiveError> {
    let mut polled = devices.map(|device| PollFd::from_borrowed_fd(device, PollFlags::IN));
    let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
    poll(&mut polled, Some(&wait)).map_err(LiveError::system("cannot poll the devices"))?;
    Ok(polled.map(|polled| polled.revents().contains(PollFlags::IN)))
}
