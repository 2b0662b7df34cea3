//! Messages from a run to the command, sent without blocking.
//!
//! A command that does not read (stopped, or with a slow disk) must not delay packets. A separate thread writes;
//! while its queue is full, messages are discarded, as the next snapshot and progress come soon.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use jettison_live::process::Link;

use super::message::Message;

/// Capacity of the queue in messages.
const ROOM: usize = 8;

/// The queue's sending end. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outbox(SyncSender<Message>);

/// The thread that writes.
#[derive(Debug)]
pub struct OutboxThread(JoinHandle<()>);

impl Outbox {
    /// Starts the thread that writes to `link`.
    pub fn open(link: &Link) -> std::io::Result<(Outbox, OutboxThread)> {
        let link = link.clone();
        // If the command is gone, the run is being ended anyway.
        Outbox::through(move |bytes| drop(link.send(&bytes)))
    }

    fn through(mut write: impl FnMut(Vec<u8>) + Send + 'static) -> std::io::Result<(Outbox, OutboxThread)> {
        let (sender, receiver) = sync_channel::<Message>(ROOM);
        let thread = thread::Builder::new().name("outbox".to_owned()).spawn(move || {
            for message in receiver {
                write(message.to_bytes());
            }
        })?;
        Ok((Outbox(sender), OutboxThread(thread)))
    }

    /// Sends a message if the queue has room.
    pub fn tell(&self, message: Message) {
        let _ = self.0.try_send(message);
    }
}

impl OutboxThread {
    /// Waits until all messages are written. All outboxes must be dropped before.
    pub fn finish(self) {
        let _ = self.0.join();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn senders_never_wait_for_the_command() {
        let (arrived, arrivals) = channel();
        let (go_on, gate) = channel::<()>();
        let busy = move |bytes: Vec<u8>| {
            let _ = gate.recv();
            let _ = arrived.send(bytes);
        };
        let (outbox, writer) = Outbox::through(busy).expect("a thread can be started");
        // The command reads nothing: all of these return, or this test never ends.
        for number in 0..100 {
            outbox.tell(Message::Progress(f64::from(number)));
        }
        drop((outbox, go_on));
        writer.finish();
        let told: Vec<Vec<u8>> = arrivals.iter().collect();
        assert!((ROOM..=ROOM + 1).contains(&told.len()), "{}", told.len());
        assert!(matches!(Message::from_bytes(&told[0]), Some(Message::Progress(first)) if first == 0.0));
    }
}
