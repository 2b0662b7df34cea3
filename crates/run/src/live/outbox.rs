//! What a run tells the command while it goes, without ever waiting for it.
//!
//! A command that does not listen (it was stopped, its disk is slow) must not hold up a packet, so a thread of its own writes,
//! and what finds it busy is not told: the next snapshot and the next progress come soon.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use jettison_live::process::Link;

use super::message::Message;

/// So many messages may wait.
const ROOM: usize = 8;

/// The way to the command. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outbox(SyncSender<Message>);

/// The thread that writes.
#[derive(Debug)]
pub struct Postman(JoinHandle<()>);

impl Outbox {
    /// Opens one.
    pub fn open(link: &Link) -> std::io::Result<(Outbox, Postman)> {
        let link = link.clone();
        // One that is gone has asked the run to end, which is noticed elsewhere.
        Outbox::through(move |bytes| drop(link.send(&bytes)))
    }

    fn through(mut write: impl FnMut(Vec<u8>) + Send + 'static) -> std::io::Result<(Outbox, Postman)> {
        let (sender, receiver) = sync_channel::<Message>(ROOM);
        let thread = thread::Builder::new().name("outbox".to_owned()).spawn(move || {
            for message in receiver {
                write(message.to_bytes());
            }
        })?;
        Ok((Outbox(sender), Postman(thread)))
    }

    /// Tells it if there is room.
    pub fn tell(&self, message: Message) {
        let _ = self.0.try_send(message);
    }
}

impl Postman {
    /// Waits until everything is delivered; all outboxes must be closed.
    pub fn finish(self) {
        let _ = self.0.join();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn whoever_tells_never_waits_for_the_command() {
        let (arrived, arrivals) = channel();
        let (go_on, gate) = channel::<()>();
        let busy = move |bytes: Vec<u8>| {
            let _ = gate.recv();
            let _ = arrived.send(bytes);
        };
        let (outbox, postman) = Outbox::through(busy).expect("a thread can be started");
        // The command reads nothing: all of these return, or this test never ends.
        for number in 0..100 {
            outbox.tell(Message::Progress(f64::from(number)));
        }
        drop((outbox, go_on));
        postman.finish();
        let told: Vec<Vec<u8>> = arrivals.iter().collect();
        assert!((ROOM..=ROOM + 1).contains(&told.len()), "{}", told.len());
        assert!(matches!(Message::from_bytes(&told[0]), Some(Message::Progress(first)) if first == 0.0));
    }
}
