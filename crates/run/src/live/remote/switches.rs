//! The controlled switches, in the router's thread.

use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use jettison_core::{Duration, Time};
use jettison_live::router::Control;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_runtime::device::{Device, GivenBack, Lent};
use jettison_p4_runtime::node::Node;
use jettison_p4_runtime::server::{self as p4runtime, Streams};
use jettison_p4_thrift::Target;
use jettison_p4_thrift::server as thrift;
use jettison_p4_v1model::P4Switch;
use jettison_sim::{Absent, Injection, SwitchController};
use jettison_switch::Switch;

/// Jobs in one call of the controller.
const JOBS: usize = 8;
/// Time until the next call if there are more.
const PAUSE: Duration = Duration::from_micros(50);

/// Something that a client wants of a switch.
pub(super) enum Job {
    P4Runtime(p4runtime::Job),
    Thrift(thrift::Job),
}

/// A switch of the router's thread, for the threads that speak with clients.
pub(super) struct Remote {
    /// Number of the switch.
    pub at: usize,
    pub jobs: Sender<(usize, Job)>,
    pub router: Control,
}

impl Remote {
    fn send(&self, job: Job) {
        // A router that has ended drops the job, and with it the request.
        if self.jobs.send((self.at, job)).is_ok() {
            self.router.nudge();
        }
    }
}

impl p4runtime::Owner for Remote {
    fn execute(&self, job: p4runtime::Job) {
        self.send(Job::P4Runtime(job));
    }
}

impl thrift::Owner for Remote {
    fn execute(&self, job: thrift::Job) {
        self.send(Job::Thrift(job));
    }
}

/// A controlled switch, with a node of P4Runtime if it speaks that.
pub(super) enum Held {
    Node(Box<Node<Lent>>, Streams),
    Plain(Lent),
}

impl Held {
    fn device_mut(&mut self) -> &mut Lent {
        match self {
            Held::Node(node, _) => node.device_mut(),
            Held::Plain(lent) => lent,
        }
    }

    fn next_due(&self) -> Option<Time> {
        match self {
            Held::Node(node, _) => node.next_due(),
            Held::Plain(_) => None,
        }
    }

    fn execute(&mut self, job: Job, now: Time) {
        match (job, self) {
            (Job::P4Runtime(job), Held::Node(node, _)) => job(&mut **node, now),
            // Only switches with a node have a server of P4Runtime.
            (Job::P4Runtime(_), Held::Plain(_)) => {}
            (Job::Thrift(job), held) => job(held, now),
        }
    }

    /// Sends what the switch has for controllers, and gives the switch back.
    fn finish(&mut self, now: Time) -> Option<GivenBack> {
        match self {
            Held::Node(node, streams) => {
                // Only a standalone switch can fail here; this switch's time passes with the world's.
                let _ = node.advance(now);
                streams.deliver(node.take_messages());
            }
            // Thrift has no messages to clients. What is not taken would call this controller again at once.
            Held::Plain(lent) => {
                if let Some(switch) = lent.switch_mut() {
                    drop(switch.take_to_cpu());
                    switch.plane_mut().effects.digests.clear();
                }
            }
        }
        self.device_mut().give_back()
    }
}

impl Target for Held {
    fn switch(&mut self) -> Option<&mut P4Switch<Compiled>> {
        self.device_mut().switch_mut()
    }

    fn reset(&mut self) {
        match self {
            Held::Node(node, _) => node.reset(),
            Held::Plain(lent) => {
                if let Some(switch) = lent.switch_mut() {
                    switch.reset_control_plane();
                }
            }
        }
    }
}

/// All controlled switches.
#[derive(Clone)]
pub(super) struct LiveControl(Arc<Mutex<Inside>>);

struct Inside {
    held: Vec<Held>,
    jobs: Receiver<(usize, Job)>,
    /// When to go on with jobs.
    again: Option<Time>,
}

impl LiveControl {
    pub fn new(held: Vec<Held>, jobs: Receiver<(usize, Job)>) -> LiveControl {
        LiveControl(Arc::new(Mutex::new(Inside { held, jobs, again: None })))
    }
}

impl SwitchController for LiveControl {
    fn next_wakeup(&self) -> Option<Time> {
        let inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inside.held.iter().filter_map(Held::next_due).chain(inside.again).min()
    }

    fn handle(&mut self, switches: &mut [Box<dyn Switch>], now: Time, out: &mut Vec<Injection>) {
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Inside { held, jobs, again } = &mut *inside;
        for (held, switch) in held.iter_mut().zip(switches.iter_mut()) {
            held.device_mut().lend(std::mem::replace(switch, Box::new(Absent)));
        }
        *again = None;
        for done in 0.. {
            if done == JOBS {
                *again = Some(now.saturating_add(PAUSE));
                break;
            }
            let Ok((at, job)) = jobs.try_recv() else { break };
            if let Some(held) = held.get_mut(at) {
                held.execute(job, now);
            }
        }
        for (at, (held, switch)) in held.iter_mut().zip(switches.iter_mut()).enumerate() {
            if let Some((returned, entering)) = held.finish(now) {
                *switch = returned;
                let entering = entering.into_iter();
                out.extend(entering.map(|(port, packet)| Injection { switch: at, port, packet }));
            }
        }
    }
}
