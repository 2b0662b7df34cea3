//! Sockets of all programs on all hosts, and their events.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

use jettison_core::{DropReason, Duration, Time};
use jettison_measure::{DropRecord, Recorder};
use jettison_sockets::{CloseReason, Datagram, EchoRequest, SocketEvent, SocketId, SocketTable, TcpOptions};
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{Address, FlowId};
use socket2::{SockAddr, Socket as KernelSocket, Type};

use super::HostSockets;
use super::echo::EchoSocket;
use super::namespace::Namespaces;
use super::options::{apply, new_socket, set};
use super::owner::{Owner, Totals};
use super::poller::{Poller, Readiness};
use super::tcp::{ConnectionEvent, TcpSocket, is_temporary};
use super::tcp_info::TcpInfo;
use super::udp::{Incoming, Outgoing, UdpSocket};
use super::witness::Witness;

/// Poll interval of connections with outstanding data: the kernel signals buffer space, but not acknowledgements.
pub(super) const WATCH_INTERVAL: Duration = Duration::from_millis(1);
/// Maximum number of connections per poll, which limits the delay for other work.
const WATCHED_AT_ONCE: usize = 256;
/// Length of the accept queue.
const BACKLOG: libc::c_int = 1024;
/// Size of the read buffer in bytes.
const SCRATCH: usize = 256 << 10;
/// Maximum number of consecutive datagram batches from one socket, for fairness.
const DATAGRAM_BATCHES: usize = 8;
/// Poller token of the stop event; also the id of a socket that could not be opened. No socket table grows that far.
pub(super) const STOP_TOKEN: u64 = u64::MAX;

/// All sockets, with the events that they produced.
pub(super) struct Stack {
    hosts: Vec<(String, IpAddr)>,
    namespaces: Namespaces,
    pub(super) poller: Poller,
    owners: Vec<Owner>,
    sockets: SocketTable<Socket>,
    /// Socket events with the index of the receiving program.
    pub(super) events: VecDeque<(u32, SocketEvent)>,
    /// Connections that may have data to send or may have ended.
    dirty: Vec<u32>,
    /// Connections with outstanding data, and the index of the next to poll.
    watched: Vec<u32>,
    next_watched: usize,
    /// Datagrams to send in order.
    outbox: Vec<Outgoing>,
    inbox: Vec<Incoming>,
    scratch: Box<[MaybeUninit<u8>]>,
    notes: BTreeSet<String>,
    refused: u64,
    /// Takes what programs tell of their units, in a run with accounts.
    pub(super) witness: Option<Box<Witness>>,
}

enum Socket {
    Tcp(Box<TcpSocket>),
    Listener { owner: u32, socket: KernelSocket, options: TcpOptions },
    Udp(Box<UdpSocket>),
    Echo(Box<EchoSocket>),
}

impl Stack {
    pub(super) fn new(hosts: Vec<HostSockets>) -> io::Result<Stack> {
        let namespaces = Namespaces::new(hosts.iter().map(|host| host.namespace.clone()).collect());
        Ok(Stack {
            hosts: hosts.into_iter().map(|host| (host.name, host.address)).collect(),
            namespaces,
            poller: Poller::new()?,
            owners: Vec::new(),
            sockets: SocketTable::default(),
            events: VecDeque::new(),
            dirty: Vec::new(),
            watched: Vec::new(),
            next_watched: 0,
            outbox: Vec::new(),
            inbox: Vec::new(),
            scratch: vec![MaybeUninit::uninit(); SCRATCH].into_boxed_slice(),
            notes: BTreeSet::new(),
            refused: 0,
            witness: None,
        })
    }

    pub(super) fn add_owner(&mut self, flow: FlowId, host: usize) {
        self.owners.push(Owner::new(flow, host));
    }

    /// Moves the thread into a host's namespace.
    pub(super) fn enter(&mut self, host: usize) -> io::Result<()> {
        self.namespaces.enter(host)
    }

    /// Moves the thread back to its original namespace.
    pub(super) fn leave(&mut self) {
        if let Err(error) = self.namespaces.leave() {
            self.note(format!("the thread stays in the last host's namespace: {error}"));
        }
    }

    pub(super) fn note(&mut self, text: String) {
        self.notes.insert(text);
    }

    /// All messages for the user.
    pub(super) fn into_notes(mut self) -> Vec<String> {
        if self.refused > 0 {
            self.notes.insert(format!("the kernel rejected {} datagrams of built-in programs", self.refused));
        }
        self.notes.into_iter().collect()
    }

    fn host(&self, owner: u32) -> &(String, IpAddr) {
        &self.hosts[self.owners[owner as usize].host]
    }

    /// Notes an error at a program's host.
    fn note_error(&mut self, owner: u32, action: &str, error: &dyn std::fmt::Display) {
        let text = format!("host {}: {action}: {error}", self.host(owner).0);
        self.note(text);
    }

    // ---- requests of programs --------------------------------------------------------------------------------

    pub(super) fn tcp_connect(&mut self, owner: u32, remote: Endpoint, options: &TcpOptions) -> SocketId {
        match self.new_tcp(owner, options, 0) {
            Ok(socket) => self.add_connection(TcpSocket::to_connect(socket, owner, remote)),
            Err(error) => {
                self.note_error(owner, "cannot open a TCP socket", &error);
                let id = self.invalid_id();
                self.events.push_back((owner, SocketEvent::Closed(id, CloseReason::TimedOut)));
                id
            }
        }
    }

    pub(super) fn tcp_listen(&mut self, owner: u32, port: u16, options: &TcpOptions) -> SocketId {
        let listen = |stack: &mut Stack| {
            let socket = stack.new_tcp(owner, options, port)?;
            socket.listen(BACKLOG)?;
            let listener = Socket::Listener { owner, socket, options: options.clone() };
            stack.add_polled(listener)
        };
        listen(self).unwrap_or_else(|error| {
            self.note_error(owner, &format!("cannot listen on TCP port {port}"), &error);
            self.invalid_id()
        })
    }

    pub(super) fn udp_bind(&mut self, owner: u32, port: u16) -> SocketId {
        let bind = |stack: &mut Stack| {
            stack.enter(stack.owners[owner as usize].host)?;
            let socket = UdpSocket::bind(stack.host(owner).1, port, owner)?;
            let id = stack.add_polled(Socket::Udp(Box::new(socket)))?;
            stack.owners[owner as usize].udp.extend(stack.sockets.index(id));
            Ok(id)
        };
        bind(self).unwrap_or_else(|error: io::Error| {
            self.note_error(owner, &format!("cannot bind UDP port {port}"), &error);
            self.invalid_id()
        })
    }

    pub(super) fn write(&mut self, id: SocketId, payload: Payload) {
        if let Some(connection) = self.connection_mut(id) {
            connection.write(payload);
        }
    }

    pub(super) fn read(&mut self, id: SocketId, max: u64) -> Option<Payload> {
        let index = self.sockets.index(id)?;
        let Stack { sockets, scratch, events, dirty, .. } = self;
        let Some(Socket::Tcp(connection)) = sockets.get_mut(index) else { return None };
        mark(connection, index, dirty);
        let owner = connection.owner;
        connection.read(max, scratch, &mut |event| events.push_back((owner, socket_event(event, id))))
    }

    /// Counts what a connection receives as goodput of its program's flow.
    pub(super) fn count_goodput(&mut self, id: SocketId) {
        let Some(index) = self.sockets.index(id) else { return };
        if let Some(Socket::Tcp(connection)) = self.sockets.get_mut(index) {
            connection.counts_goodput = true;
        }
    }

    pub(super) fn connection(&self, id: SocketId) -> Option<&TcpSocket> {
        match self.sockets.get(self.sockets.index(id)?) {
            Some(Socket::Tcp(connection)) => Some(connection),
            _ => None,
        }
    }

    fn connection_mut(&mut self, id: SocketId) -> Option<&mut TcpSocket> {
        let index = self.sockets.index(id)?;
        let Some(Socket::Tcp(connection)) = self.sockets.get_mut(index) else { return None };
        mark(connection, index, &mut self.dirty);
        Some(connection)
    }

    /// Closes a socket of any kind.
    pub(super) fn close(&mut self, id: SocketId) {
        if let Some(connection) = self.connection_mut(id) {
            connection.close();
            return;
        }
        if let Some(index) = self.sockets.index(id) {
            // Pending datagrams leave first. A closed descriptor leaves the poller by itself.
            self.flush_datagrams(None);
            if let Some(Socket::Udp(socket)) = self.sockets.remove(index) {
                self.owners[socket.owner as usize].udp.retain(|other| *other != index);
            }
        }
    }

    pub(super) fn abort(&mut self, id: SocketId) {
        if let Some(connection) = self.connection_mut(id) {
            connection.abort();
        }
    }

    pub(super) fn observe(&mut self, owner: u32, socket: SocketId) {
        self.owners[owner as usize].observed = Some(socket);
    }

    /// Adds a datagram to the batch that is sent after the program's call.
    pub(super) fn send_to(&mut self, id: SocketId, remote: Endpoint, datagram: &Datagram) {
        if let Some(socket) = self.sockets.index(id) {
            self.outbox.push(Outgoing { socket, remote, datagram: *datagram });
        }
    }

    /// Approximate number of a program's packets that wait in its host for the device.
    pub(super) fn device_backlog(&self, owner: u32) -> u64 {
        let owner = &self.owners[owner as usize];
        let queued = owner.udp.iter().filter_map(|index| match self.sockets.get(*index) {
            Some(Socket::Udp(socket)) => Some(socket.backlog()),
            _ => None,
        });
        let waiting = self.outbox.iter().filter(|out| owner.udp.contains(&out.socket)).count();
        queued.sum::<u64>() + waiting as u64
    }

    pub(super) fn send_echo(&mut self, owner: u32, remote: Address, request: &EchoRequest, now: Time) {
        if self.owners[owner as usize].echo.is_none() {
            let open = |stack: &mut Stack| {
                stack.enter(stack.owners[owner as usize].host)?;
                let socket = EchoSocket::new(stack.host(owner).1, owner)?;
                stack.add_polled(Socket::Echo(Box::new(socket)))
            };
            match open(self) {
                Ok(id) => self.owners[owner as usize].echo = self.sockets.index(id),
                Err(error) => return self.note_error(owner, "cannot open a socket for ICMP echo", &error),
            }
        }
        let socket = self.owners[owner as usize].echo.and_then(|index| self.sockets.get_mut(index));
        if let Some(Socket::Echo(socket)) = socket
            && let Err(error) = socket.send(remote.into(), request, now)
        {
            self.note_error(owner, "cannot send an echo request", &error);
        }
    }

    // ---- events of the kernel --------------------------------------------------------------------------------

    /// Handles a ready socket.
    pub(super) fn on_ready(&mut self, token: u64, ready: Readiness, now: Time) {
        let id = SocketId(token);
        let Some(index) = self.sockets.index(id) else { return };
        let Stack { sockets, scratch, events, dirty, inbox, witness, .. } = self;
        match sockets.get_mut(index) {
            Some(Socket::Tcp(connection)) => {
                mark(connection, index, dirty);
                let owner = connection.owner;
                let mut tell = |event| {
                    if let (ConnectionEvent::Connected, Some(witness)) = (event, &mut *witness) {
                        witness.connected(id);
                    }
                    events.push_back((owner, socket_event(event, id)));
                };
                connection.on_ready(ready, scratch, &mut tell);
                connection.watch(&mut tell);
            }
            Some(Socket::Udp(socket)) => {
                for _ in 0..DATAGRAM_BATCHES {
                    let is_more = socket.receive(inbox);
                    events.extend(inbox.iter().map(|Incoming { from, datagram }| {
                        (socket.owner, SocketEvent::Datagram { socket: id, from: *from, datagram: *datagram })
                    }));
                    if !is_more {
                        break;
                    }
                }
            }
            Some(Socket::Echo(socket)) => {
                while let Some((sequence, rtt)) = socket.receive(now) {
                    events.push_back((socket.owner, SocketEvent::EchoReply { sequence, rtt }));
                }
            }
            Some(Socket::Listener { .. }) => self.accept(index, id),
            None => {}
        }
    }

    fn accept(&mut self, index: u32, listener: SocketId) {
        for _ in 0..BACKLOG {
            let Some(Socket::Listener { owner, socket, options }) = self.sockets.get(index) else { return };
            let (owner, parameters) = (*owner, options.parameters.clone());
            match socket.accept4(libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC) {
                Ok((accepted, _)) => {
                    // Connections inherit the listener's options, but not always the traffic class.
                    if parameters.dscp != 0 {
                        let address = self.host(owner).1;
                        let _ = super::options::set_traffic_class(&accepted, address, parameters.dscp << 2);
                    }
                    let connection = TcpSocket::accepted(accepted, socket, owner);
                    let id = self.add_connection(connection);
                    self.tell_opened(id, false);
                    self.events.push_back((owner, SocketEvent::Accepted { listener, socket: id }));
                }
                Err(error) if is_temporary(&error) => return,
                Err(error) => {
                    // A connection that was reset before it was accepted is ignored; a lack of descriptors ends the loop.
                    if error.kind() != io::ErrorKind::ConnectionAborted {
                        return self.note_error(owner, "cannot accept a TCP connection", &error);
                    }
                }
            }
        }
    }

    /// Whether any connection has outstanding data to poll for.
    pub(super) fn is_watching(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Polls connections for acknowledgements.
    pub(super) fn watch(&mut self) {
        let Stack { sockets, events, dirty, watched, next_watched, .. } = self;
        for _ in 0..watched.len().min(WATCHED_AT_ONCE) {
            if *next_watched >= watched.len() {
                *next_watched = 0;
            }
            let Some(&index) = watched.get(*next_watched) else { return };
            let mut has_outstanding = false;
            if sockets.get(index).is_some() {
                let id = sockets.id(index);
                if let Some(Socket::Tcp(connection)) = sockets.get_mut(index) {
                    let owner = connection.owner;
                    has_outstanding = connection.watch(&mut |event| {
                        events.push_back((owner, socket_event(event, id)));
                    });
                    connection.is_watched = has_outstanding;
                    mark(connection, index, dirty);
                }
            }
            if has_outstanding {
                *next_watched += 1;
            } else {
                watched.swap_remove(*next_watched);
            }
        }
    }

    /// Lets one connection send, or removes it if it has ended. False if no connection is left to handle.
    pub(super) fn settle_one(&mut self, recorder: &mut Recorder) -> bool {
        let Some(index) = self.dirty.pop() else { return false };
        if self.sockets.get(index).is_none() {
            return true;
        }
        let id = self.sockets.id(index);
        let Stack { sockets, poller, watched, owners, events, witness, .. } = self;
        let Some(Socket::Tcp(connection)) = sockets.get_mut(index) else { return true };
        connection.is_dirty = false;
        let was_new = connection.is_new();
        let settled = connection.settle(poller, id.0);
        if let Some(witness) = witness {
            if was_new {
                witness.opened(id, connection, true);
            }
            if settled.is_some() {
                witness.closed(id);
            }
        }
        let Some(reason) = settled else {
            if connection.needs_watch() && !connection.is_watched {
                connection.is_watched = true;
                watched.push(index);
            }
            return true;
        };
        let owner = connection.owner;
        let owned = &mut owners[owner as usize];
        if let Some(info) = connection.info() {
            if let Some(meter) = recorder.flow(owned.flow) {
                connection.sample_round_trip(&info, meter);
            }
            owned.totals.add(&info);
        }
        // The final acknowledgement of a connection that closed in order is reported before its end.
        if connection.has_unreported_acknowledgement() {
            events.push_back((owner, SocketEvent::Acknowledged(id)));
        }
        events.push_back((owner, SocketEvent::Closed(id, reason)));
        self.sockets.remove(index);
        true
    }

    /// Sends all waiting datagrams. Datagrams that the kernel rejects are lost and counted, never retried.
    pub(super) fn flush_datagrams(&mut self, mut recorder: Option<(&mut Recorder, Time)>) {
        let mut at = 0;
        // Consecutive datagrams of one socket share a system call.
        while let Some(first) = self.outbox.get(at) {
            let index = first.socket;
            let count = self.outbox[at..].iter().take_while(|out| out.socket == index).count();
            let Some(Socket::Udp(socket)) = self.sockets.get_mut(index) else {
                at += count;
                continue;
            };
            let error = match socket.send(&self.outbox[at..at + count]) {
                Ok(sent) if sent > 0 => {
                    at += sent;
                    continue;
                }
                Ok(_) => io::ErrorKind::WouldBlock.into(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            let (owner, length) = (socket.owner, self.outbox[at].datagram.length);
            at += 1;
            self.refused += 1;
            if let Some((recorder, now)) = &mut recorder {
                recorder.dropped(DropRecord {
                    time: *now,
                    queue: DropRecord::NO_QUEUE,
                    flow: self.owners[owner as usize].flow,
                    reason: refusal(&error),
                    length,
                });
            }
            if !is_temporary(&error) && error.raw_os_error() != Some(libc::ENOBUFS) {
                self.note_error(owner, "the kernel rejected a datagram", &error);
            }
        }
        self.outbox.clear();
    }

    // ---- measurements ----------------------------------------------------------------------------------------

    /// The observed connections with their flows.
    pub(super) fn observed(&self) -> impl Iterator<Item = (FlowId, TcpInfo)> + '_ {
        self.owners.iter().filter_map(|owner| Some((owner.flow, self.connection(owner.observed?)?.info()?)))
    }

    /// Records an RTT for each connection with acknowledgements since the last sample.
    pub(super) fn sample_round_trips(&mut self, recorder: &mut Recorder) {
        for index in 0..self.sockets.end() {
            if let Some(Socket::Tcp(connection)) = self.sockets.get_mut(index)
                && let Some(info) = connection.info()
                && let Some(meter) = recorder.flow(self.owners[connection.owner as usize].flow)
            {
                connection.sample_round_trip(&info, meter);
            }
        }
    }

    /// Starts the measurement: the totals so far are excluded from the summary.
    pub(super) fn start_measuring(&mut self) {
        for (owner, now) in self.totals().into_iter().enumerate() {
            self.owners[owner].before = now;
        }
    }

    /// Adds each sending program's retransmissions and timeouts since the warm-up to its flow's meter. Both ends of a flow may
    /// send.
    pub(super) fn summarise(&self, recorder: &mut Recorder) {
        for (owner, totals) in self.owners.iter().zip(self.totals()) {
            if let Some(meter) = recorder.flow(owner.flow).filter(|_| totals.senders > 0) {
                let retransmits = totals.retransmits - owner.before.retransmits;
                meter.sender_ended(retransmits, totals.timeouts - owner.before.timeouts);
            }
        }
    }

    /// Totals of each program's connections so far, closed ones included.
    fn totals(&self) -> Vec<Totals> {
        let mut totals: Vec<Totals> = self.owners.iter().map(|owner| owner.totals).collect();
        for index in 0..self.sockets.end() {
            if let Some(Socket::Tcp(connection)) = self.sockets.get(index)
                && let Some(info) = connection.info()
            {
                totals[connection.owner as usize].add(&info);
            }
        }
        totals
    }

    // ---- internals -------------------------------------------------------------------------------------------

    /// Creates a TCP socket bound to its host's address and to `port`.
    fn new_tcp(&mut self, owner: u32, options: &TcpOptions, port: u16) -> io::Result<KernelSocket> {
        self.enter(self.owners[owner as usize].host)?;
        let address = self.host(owner).1;
        let socket = new_socket(address, Type::STREAM, None)?;
        if port == 0 {
            // The kernel chooses the port when the peer is known, which allows more connections than ports (ip(7)).
            let _ = set(&socket, libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT, 1_i32);
        } else {
            socket.set_reuse_address(true)?;
        }
        socket.bind(&SockAddr::from(SocketAddr::new(address, port)))?;
        for refused in apply(&socket, address, &options.parameters) {
            self.note_error(owner, "TCP", &refused);
        }
        Ok(socket)
    }

    fn add_connection(&mut self, connection: TcpSocket) -> SocketId {
        let index = self.sockets.insert(Socket::Tcp(Box::new(connection)));
        if let Some(Socket::Tcp(connection)) = self.sockets.get_mut(index) {
            mark(connection, index, &mut self.dirty);
        }
        self.sockets.id(index)
    }

    /// Adds a socket that only waits for input.
    fn add_polled(&mut self, socket: Socket) -> io::Result<SocketId> {
        let index = self.sockets.insert(socket);
        let id = self.sockets.id(index);
        let fd = match self.sockets.get(index) {
            Some(Socket::Listener { socket, .. }) => socket.as_fd(),
            Some(Socket::Udp(socket)) => socket.as_fd(),
            Some(Socket::Echo(socket)) => socket.as_fd(),
            Some(Socket::Tcp(_)) | None => return Ok(id),
        };
        if let Err(error) = self.poller.add(fd, id.0, Readiness::IN) {
            self.sockets.remove(index);
            return Err(error);
        }
        Ok(id)
    }

    /// Its own end of a socket for datagrams.
    pub(super) fn datagram_end(&self, id: SocketId) -> Option<Endpoint> {
        match self.sockets.get(self.sockets.index(id)?) {
            Some(Socket::Udp(socket)) => socket.local(),
            _ => None,
        }
    }

    fn tell_opened(&mut self, id: SocketId, connects: bool) {
        let Some(index) = self.sockets.index(id) else { return };
        if let (Some(witness), Some(Socket::Tcp(connection))) = (&mut self.witness, self.sockets.get(index)) {
            witness.opened(id, connection, connects);
        }
    }

    /// Id of a socket that could not be opened.
    fn invalid_id(&self) -> SocketId {
        SocketId(STOP_TOKEN)
    }
}

fn mark(connection: &mut TcpSocket, index: u32, dirty: &mut Vec<u32>) {
    if !connection.is_dirty {
        connection.is_dirty = true;
        dirty.push(index);
    }
}

fn socket_event(event: ConnectionEvent, id: SocketId) -> SocketEvent {
    match event {
        ConnectionEvent::Connected => SocketEvent::Connected(id),
        ConnectionEvent::Readable => SocketEvent::Readable(id),
        ConnectionEvent::Acknowledged => SocketEvent::Acknowledged(id),
        ConnectionEvent::PeerClosed => SocketEvent::PeerClosed(id),
    }
}

fn refusal(error: &io::Error) -> DropReason {
    match error.raw_os_error() {
        Some(libc::ENETUNREACH | libc::EHOSTUNREACH | libc::ENETDOWN | libc::EADDRNOTAVAIL) => {
            DropReason::NoRoute
        }
        _ => DropReason::BufferFull,
    }
}
