//! The browser: loads a page, waits, and loads the next.

use std::collections::VecDeque;

use jettison_core::{Duration, RandomStream, Time};
use jettison_measure::{FlowMeter, Reason, Status, Unit, UnitKind, metrics};
use jettison_sockets::{Application, SocketEvent, SocketId, Sockets, TcpOptions};
use jettison_tcp::{Endpoint, Payload};

use super::{PageParameters, server};
use crate::load::normal::{lognormal_mean, normal};

/// Time after which a connection that ended under a page is opened again.
const RETRY: Duration = Duration::from_secs(1);

/// A reader and the browser: one page at a time.
#[derive(Debug, Clone)]
pub struct Browser {
    // Parameters.
    parameters: PageParameters,
    server: Endpoint,
    options: TcpOptions,
    // State.
    sizes: RandomStream,
    think: RandomStream,
    page: Option<Page>,
    /// Pages clicked so far.
    pages: u64,
    /// The next click, or while a page loads the next attempt to open a lost connection.
    next: Option<Time>,
    is_stopped: bool,
}

/// A page that is being loaded.
#[derive(Debug, Clone)]
struct Page {
    clicked: Time,
    /// Number of the page, from 0.
    number: u64,
    /// Objects that have not been requested, with their sizes; the document is object 0.
    wanted: VecDeque<(u32, u64)>,
    /// Connections opened so far.
    opened: u32,
    connections: Vec<Connection>,
    /// Connections to open again.
    lost: u32,
    /// Whether the document has arrived, which names the objects.
    has_document: bool,
}

#[derive(Debug, Clone)]
struct Connection {
    socket: SocketId,
    /// Its number among those of the page.
    number: u32,
    state: State,
}

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The connection itself.
    Opening,
    /// The rest of the security handshake, in bytes.
    Securing(u64),
    /// Something to request.
    Idle,
    /// An answer of which `left` bytes are missing.
    Loading { object: u32, size: u64, left: u64 },
}

impl Browser {
    /// Creates a browser of the pages at `server`. The parameters are valid.
    pub fn new(
        parameters: PageParameters,
        server: Endpoint,
        options: TcpOptions,
        sizes: RandomStream,
        think: RandomStream,
    ) -> Browser {
        let (page, pages, next) = (None, 0, None);
        Browser { parameters, server, options, sizes, think, page, pages, next, is_stopped: false }
    }

    fn click(&mut self, now: Time, host: &mut dyn Sockets) {
        self.next = None;
        let mut page = Page {
            clicked: now,
            number: self.pages,
            wanted: (0..).zip(sizes(&self.parameters, &mut self.sizes)).collect(),
            opened: 0,
            connections: Vec::new(),
            lost: 0,
            has_document: false,
        };
        self.pages += 1;
        page.open(self.server, &self.options, host);
        self.page = Some(page);
    }

    /// Reads what has come on a connection of the page.
    fn read(&mut self, socket: SocketId, now: Time, host: &mut dyn Sockets) {
        let Some(page) = &mut self.page else { return };
        let Some(place) = page.place(socket) else { return };
        while let Some(payload) = host.read(socket, u64::MAX) {
            // One request at a time: nothing of another answer can follow.
            let state = &mut page.connections[place].state;
            match *state {
                State::Securing(left) => {
                    let left = left.saturating_sub(payload.len());
                    *state = if left > 0 { State::Securing(left) } else { State::Idle };
                    if left == 0 {
                        let asked = server::handshake(page.number, page.connections[place].number);
                        ended(asked, now, host);
                    }
                }
                State::Loading { object, size, left } => {
                    let left = left.saturating_sub(payload.len());
                    *state = if left > 0 { State::Loading { object, size, left } } else { State::Idle };
                    if left == 0 {
                        ended(server::object(page.number, object), now, host);
                    }
                    if left == 0 && !page.has_document {
                        // Only now the other connections have something to ask for.
                        page.has_document = true;
                        let more = self.parameters.connections.min(page.wanted.len() as u32);
                        for _ in 1..more {
                            page.open(self.server, &self.options, host);
                        }
                    }
                }
                State::Opening | State::Idle => {}
            }
        }
        page.request(place, self.parameters.request.get(), host);
        if page.is_loaded() {
            self.complete(now, host);
        }
    }

    fn complete(&mut self, now: Time, host: &mut dyn Sockets) {
        let Some(page) = self.page.take() else { return };
        host.meter().record(metrics::PAGE_LOAD_TIME, now.since(page.clicked));
        host.meter().count(metrics::PAGES, 1);
        if let Some(events) = host.meter().events() {
            events.loaded(
                page.clicked,
                now,
                Some(Unit::new(UnitKind::Object, self.pages.saturating_sub(1), 0)),
            );
        }
        page.connections.iter().for_each(|connection| host.close(connection.socket));
        self.next = None;
        if !self.is_stopped {
            let mean = self.parameters.think.as_secs_f64();
            self.next = Some(now + Duration::from_secs_f64(self.think.exponential(mean)));
        }
    }
}

impl Page {
    fn place(&self, socket: SocketId) -> Option<usize> {
        self.connections.iter().position(|connection| connection.socket == socket)
    }

    fn open(&mut self, server: Endpoint, options: &TcpOptions, host: &mut dyn Sockets) {
        let socket = host.tcp_connect(server, options);
        host.count_goodput(socket);
        self.connections.push(Connection { socket, number: self.opened, state: State::Opening });
        self.opened += 1;
    }

    /// Requests what is wanted next on a connection that is idle.
    fn request(&mut self, place: usize, request: u64, host: &mut dyn Sockets) {
        let connection = &mut self.connections[place];
        if connection.state != State::Idle {
            return;
        }
        if let Some((object, size)) = self.wanted.pop_front() {
            send(connection.socket, size, request, server::object(self.number, object), host);
            connection.state = State::Loading { object, size, left: size };
        }
    }

    fn is_loaded(&self) -> bool {
        let loads = |connection: &Connection| matches!(connection.state, State::Loading { .. });
        self.wanted.is_empty() && !self.connections.iter().any(loads)
    }

    /// Takes a connection away that ended; what it was loading is wanted again.
    fn lose(&mut self, place: usize) {
        if let State::Loading { object, size, .. } = self.connections.swap_remove(place).state {
            self.wanted.push_front((object, size));
        }
        self.lost += 1;
    }
}

/// Sizes of the next page, the document first. Drawn at once, so that all arms of a comparison load the same pages.
pub(super) fn sizes(parameters: &PageParameters, random: &mut RandomStream) -> VecDeque<u64> {
    let PageParameters { document, objects, object, variation, .. } = parameters;
    let scale = object.get() as f64 / lognormal_mean(*variation);
    let objects = (0..*objects).map(|_| {
        let deviation = if *variation > 0.0 { normal(random) } else { 0.0 };
        (libm::round(scale * libm::exp(variation * deviation)) as u64).max(1)
    });
    core::iter::once(document.get()).chain(objects).collect()
}

/// Tells that the answer to a request is there.
fn ended(request: Unit, now: Time, host: &mut dyn Sockets) {
    if let Some(endings) = host.meter().endings() {
        endings.unit(server::response(request), Status::Shown, Reason::None, now);
    }
}

/// Sends a request for `size` bytes.
fn send(socket: SocketId, size: u64, request: u64, unit: Unit, host: &mut dyn Sockets) {
    host.carries(socket, unit, request);
    host.write(socket, Payload::from(&size.to_be_bytes()[..]));
    if request > server::HEAD {
        host.write(socket, Payload::Zeros(request - server::HEAD));
    }
}

impl Application for Browser {
    fn start(&mut self, now: Time, _: &mut dyn Sockets) {
        self.next = Some(now);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let request = self.parameters.request.get();
        match event {
            SocketEvent::Connected(socket) => {
                let Some(page) = &mut self.page else { return };
                let Some(place) = page.place(socket) else { return };
                let handshake = self.parameters.handshake.get();
                if handshake > 0 {
                    page.connections[place].state = State::Securing(handshake);
                    let unit = server::handshake(page.number, page.connections[place].number);
                    send(socket, handshake, request, unit, host);
                } else {
                    page.connections[place].state = State::Idle;
                    page.request(place, request, host);
                }
            }
            SocketEvent::Readable(socket) => self.read(socket, now, host),
            SocketEvent::PeerClosed(socket) => host.close(socket),
            SocketEvent::Closed(socket, _) => {
                let Some(page) = &mut self.page else { return };
                let Some(place) = page.place(socket) else { return };
                page.lose(place);
                host.meter().failed();
                self.next = Some(now + RETRY);
            }
            _ => {}
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        if self.next.is_none_or(|at| at > now) {
            return;
        }
        let Some(page) = &mut self.page else { return self.click(now, host) };
        self.next = None;
        for _ in 0..std::mem::take(&mut page.lost) {
            page.open(self.server, &self.options, host);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    /// The reader clicks no more; a page that is loading is loaded to its end.
    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.is_stopped = true;
        if self.page.is_none() {
            self.next = None;
        }
    }

    fn finish(&mut self, _: Time, meter: &mut FlowMeter) {
        if self.is_stopped && self.page.is_some() {
            meter.count(metrics::UNFINISHED, 1);
        }
    }
}
