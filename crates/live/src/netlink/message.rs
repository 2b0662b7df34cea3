//! Netlink message format (netlink(7), `linux/netlink.h`): a header, a fixed part per message type, and attributes, all in
//! the machine's byte order and padded to four bytes.

use std::io;

/// Length of `struct nlmsghdr`.
const HEADER: usize = 16;
/// Length of `struct nlattr`.
const ATTRIBUTE_HEADER: usize = 4;

/// A message to the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    bytes: Vec<u8>,
}

impl Request {
    /// Creates a request of that type, with `flags` in addition to `NLM_F_REQUEST` and the type's `fixed` part.
    pub(crate) fn new(kind: u16, flags: i32, fixed: &[u8]) -> Request {
        let mut bytes = vec![0; HEADER];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&((libc::NLM_F_REQUEST | flags) as u16).to_ne_bytes());
        bytes.extend_from_slice(fixed);
        let mut request = Request { bytes };
        request.set_length();
        request
    }

    /// Appends an attribute.
    pub(crate) fn with(mut self, kind: u16, value: &[u8]) -> Request {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.bytes.extend_from_slice(&attribute(kind, value));
        self.set_length();
        self
    }

    /// The bytes to send.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn set_length(&mut self) {
        // Requests have a few hundred bytes.
        let length = self.bytes.len() as u32;
        self.bytes[..4].copy_from_slice(&length.to_ne_bytes());
    }
}

/// Serialises an attribute with its padding. Concatenated attributes form the value of a nested one.
pub(crate) fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = ATTRIBUTE_HEADER + value.len();
    let mut bytes = Vec::with_capacity(length.next_multiple_of(4));
    bytes.extend_from_slice(&(length as u16).to_ne_bytes());
    bytes.extend_from_slice(&kind.to_ne_bytes());
    bytes.extend_from_slice(value);
    bytes.resize(length.next_multiple_of(4), 0);
    bytes
}

/// Iterates over the messages of a datagram: type and body. Stops at a truncated message.
pub(crate) fn messages(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
        let kind = u16::from_ne_bytes(*bytes.get(4..)?.first_chunk()?);
        let body = bytes.get(HEADER..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, body))
    })
}

/// Iterates over attributes: type and value. Stops at a truncated attribute.
pub(crate) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*bytes.first_chunk()?));
        let kind = u16::from_ne_bytes(*bytes.get(2..)?.first_chunk()?) & libc::NLA_TYPE_MASK as u16;
        let value = bytes.get(ATTRIBUTE_HEADER..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

/// Error in a message of type `NLMSG_ERROR`; `None` for an acknowledgement.
pub(crate) fn failure(body: &[u8]) -> Option<io::Error> {
    let code = body.first_chunk().map_or(0, |code| i32::from_ne_bytes(*code));
    (code != 0).then(|| io::Error::from_raw_os_error(code.saturating_neg()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn requests_survive_a_round_trip() {
        let inner = [attribute(16, b"cubic\0"), attribute(2, &[])].concat();
        let request = Request::new(24, libc::NLM_F_ACK, &[1, 2, 3, 4, 5])
            .with(1, &[10, 0, 0, 1])
            .with(8, &inner)
            .with(9, b"x");
        let bytes = request.as_bytes();
        assert_eq!(u32::from_ne_bytes(*bytes.first_chunk().unwrap()) as usize, bytes.len());
        assert_eq!(u16::from_ne_bytes([bytes[6], bytes[7]]), 1 | 4, "NLM_F_REQUEST and NLM_F_ACK");
        let [(kind, body)] = messages(bytes).collect::<Vec<_>>()[..] else { panic!("one message") };
        assert_eq!((kind, &body[..8]), (24, [1, 2, 3, 4, 5, 0, 0, 0].as_slice()));
        let found: Vec<(u16, &[u8])> = attributes(&body[8..]).collect();
        assert_eq!(found, [(1, [10, 0, 0, 1].as_slice()), (8, &inner), (9, b"x")]);
        let found: Vec<(u16, &[u8])> = attributes(found[1].1).collect();
        assert_eq!(found, [(16, b"cubic\0".as_slice()), (2, &[])]);
    }

    #[test]
    fn consecutive_messages_are_separated() {
        let two = [Request::new(3, 0, &[1; 4]), Request::new(4, 0, &[])].map(|r| r.as_bytes().to_vec());
        let bytes = two.concat();
        assert_eq!(messages(&bytes).collect::<Vec<_>>(), [(3, [1; 4].as_slice()), (4, &[])]);
        assert_eq!(messages(&bytes[..bytes.len() - 1]).count(), 1);
    }

    #[test]
    fn attribute_flags_are_not_part_of_the_type() {
        let nested = attribute(7 | 0x8000, &[]);
        assert_eq!(attributes(&nested).collect::<Vec<_>>(), [(7, [].as_slice())]);
    }

    #[test]
    fn an_error_has_the_kernels_number() {
        assert!(failure(&0i32.to_ne_bytes()).is_none());
        let error = failure(&(-libc::EEXIST).to_ne_bytes()).unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::EEXIST));
        assert!(failure(&i32::MIN.to_ne_bytes()).is_some());
    }

    proptest! {
        #[test]
        fn parsing_arbitrary_bytes_terminates(bytes in prop::collection::vec(0u8..24, 0..200)) {
            for (_, body) in messages(&bytes) {
                prop_assert!(attributes(body).count() <= body.len());
            }
        }
    }
}
