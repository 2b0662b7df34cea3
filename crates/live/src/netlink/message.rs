//! The form of netlink's messages (netlink(7), `linux/netlink.h`): a header, a part of fixed length for each kind, and
//! attributes, all in the machine's byte order and padded to four bytes.

use std::io;

/// `struct nlmsghdr`.
const HEADER: usize = 16;
/// `struct nlattr`.
const ATTRIBUTE_HEADER: usize = 4;

/// A message to the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    bytes: Vec<u8>,
}

impl Request {
    /// A request of that kind; `flags` beside `NLM_F_REQUEST`, `fixed` the kind's own part.
    pub(crate) fn new(kind: u16, flags: i32, fixed: &[u8]) -> Request {
        let mut bytes = vec![0; HEADER];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&((libc::NLM_F_REQUEST | flags) as u16).to_ne_bytes());
        bytes.extend_from_slice(fixed);
        let mut request = Request { bytes };
        request.set_length();
        request
    }

    /// With one more attribute.
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
        // Requests are some hundred bytes long.
        let length = self.bytes.len() as u32;
        self.bytes[..4].copy_from_slice(&length.to_ne_bytes());
    }
}

/// The bytes of an attribute with their padding: also what one that holds others has as its value.
pub(crate) fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = ATTRIBUTE_HEADER + value.len();
    let mut bytes = Vec::with_capacity(length.next_multiple_of(4));
    bytes.extend_from_slice(&(length as u16).to_ne_bytes());
    bytes.extend_from_slice(&kind.to_ne_bytes());
    bytes.extend_from_slice(value);
    bytes.resize(length.next_multiple_of(4), 0);
    bytes
}

/// The messages of a datagram: their kind, and what stands behind their header. Ends at one that is cut short.
pub(crate) fn messages(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
        let kind = u16::from_ne_bytes(*bytes.get(4..)?.first_chunk()?);
        let body = bytes.get(HEADER..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, body))
    })
}

/// The attributes in a part of a message: their kind and value. Ends at one that is cut short.
pub(crate) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*bytes.first_chunk()?));
        let kind = u16::from_ne_bytes(*bytes.get(2..)?.first_chunk()?) & libc::NLA_TYPE_MASK as u16;
        let value = bytes.get(ATTRIBUTE_HEADER..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

/// What a message of kind `NLMSG_ERROR` says; `None` if it only says that all went well.
pub(crate) fn failure(body: &[u8]) -> Option<io::Error> {
    let code = body.first_chunk().map_or(0, |code| i32::from_ne_bytes(*code));
    (code != 0).then(|| io::Error::from_raw_os_error(code.saturating_neg()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_is_read_back() {
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
    fn messages_follow_each_other() {
        let two = [Request::new(3, 0, &[1; 4]), Request::new(4, 0, &[])].map(|r| r.as_bytes().to_vec());
        let bytes = two.concat();
        assert_eq!(messages(&bytes).collect::<Vec<_>>(), [(3, [1; 4].as_slice()), (4, &[])]);
        assert_eq!(messages(&bytes[..bytes.len() - 1]).count(), 1);
    }

    #[test]
    fn flags_of_an_attribute_are_no_part_of_its_kind() {
        let nested = attribute(7 | 0x8000, &[]);
        assert_eq!(attributes(&nested).collect::<Vec<_>>(), [(7, [].as_slice())]);
    }

    #[test]
    fn a_failure_has_the_kernels_number() {
        assert!(failure(&0i32.to_ne_bytes()).is_none());
        let error = failure(&(-libc::EEXIST).to_ne_bytes()).unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::EEXIST));
        assert!(failure(&i32::MIN.to_ne_bytes()).is_some());
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_end(bytes in prop::collection::vec(0u8..24, 0..200)) {
            for (_, body) in messages(&bytes) {
                prop_assert!(attributes(body).count() <= body.len());
            }
        }
    }
}
