//! Events for the application.

/// An event of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// The handshake is complete.
    Connected,
    /// In-order data is available ([`super::Connection::readable`]).
    Readable,
    /// The peer acknowledged data; see [`super::Connection::unacknowledged`].
    Acknowledged,
    /// The peer closed its direction, and all its data has arrived.
    PeerClosed,
    /// Both directions are closed, or the connection failed. No event follows.
    Closed {
        /// Reason of the end.
        reason: CloseReason,
    },
}

/// Reason of a connection's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CloseReason {
    /// Both ends closed, and all data was delivered.
    Finished,
    /// The application aborted it.
    Aborted,
    /// The peer reset it.
    Reset,
    /// The peer did not respond.
    TimedOut,
}

/// Pending events: each kind at most once, delivered in the order of a connection's life.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Events {
    pending: u8,
    closed: Option<CloseReason>,
}

impl Events {
    const CONNECTED: u8 = 1;
    const READABLE: u8 = 2;
    const ACKNOWLEDGED: u8 = 4;
    const PEER_CLOSED: u8 = 8;

    #[inline]
    pub fn push(&mut self, event: ConnectionEvent) {
        match event {
            ConnectionEvent::Connected => self.pending |= Events::CONNECTED,
            ConnectionEvent::Readable => self.pending |= Events::READABLE,
            ConnectionEvent::Acknowledged => self.pending |= Events::ACKNOWLEDGED,
            ConnectionEvent::PeerClosed => self.pending |= Events::PEER_CLOSED,
            ConnectionEvent::Closed { reason } => self.closed = self.closed.or(Some(reason)),
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<ConnectionEvent> {
        if self.pending == 0 {
            return self.closed.take().map(|reason| ConnectionEvent::Closed { reason });
        }
        let lowest = self.pending & self.pending.wrapping_neg();
        self.pending &= !lowest;
        Some(match lowest {
            Events::CONNECTED => ConnectionEvent::Connected,
            Events::READABLE => ConnectionEvent::Readable,
            Events::ACKNOWLEDGED => ConnectionEvent::Acknowledged,
            _ => ConnectionEvent::PeerClosed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_once_each_and_closing_last() {
        let mut events = Events::default();
        events.push(ConnectionEvent::Closed { reason: CloseReason::Reset });
        events.push(ConnectionEvent::PeerClosed);
        events.push(ConnectionEvent::Readable);
        events.push(ConnectionEvent::Readable);
        assert_eq!(events.pop(), Some(ConnectionEvent::Readable));
        assert_eq!(events.pop(), Some(ConnectionEvent::PeerClosed));
        assert_eq!(events.pop(), Some(ConnectionEvent::Closed { reason: CloseReason::Reset }));
        assert_eq!(events.pop(), None);
    }
}
