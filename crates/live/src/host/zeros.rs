//! Runs of zeros: payloads of zeros are stored as counts.

use jettison_tcp::Payload;

/// Source of zeros to send.
pub(super) static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Converts received bytes into at most two payloads: real bytes up to the last non-zero byte, and the number of zeros after
/// them. The second is `None` if one payload suffices.
pub(super) fn payloads(bytes: &[u8]) -> (Payload, Option<Payload>) {
    let real = bytes.len() - trailing_zeros(bytes);
    match (real, bytes.len() - real) {
        (0, zeros) => (Payload::Zeros(zeros as u64), None),
        // A short run of zeros does not justify a second payload.
        (_, zeros) if zeros < SHORT => (Payload::from(bytes), None),
        (real, zeros) => (Payload::from(&bytes[..real]), Some(Payload::Zeros(zeros as u64))),
    }
}

/// Minimum length of a run of zeros that is stored as a count.
const SHORT: usize = 64;

fn trailing_zeros(bytes: &[u8]) -> usize {
    // Whole lanes first: the compiler vectorises the comparison.
    let (rest, lanes) = bytes.as_rchunks::<64>();
    let whole = lanes.iter().rev().take_while(|lane| **lane == [0; 64]).count();
    let partial = match lanes.len() - whole {
        0 => rest,
        partial => &lanes[partial - 1],
    };
    64 * whole + partial.iter().rev().take_while(|byte| **byte == 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_zeros_is_a_count_and_no_byte_is_lost() {
        assert_eq!(payloads(&[0; 1000]), (Payload::Zeros(1000), None));
        assert_eq!(payloads(b"abc"), (Payload::from(&b"abc"[..]), None));
        let short = [&b"abc"[..], &[0; 10]].concat();
        assert_eq!(payloads(&short), (Payload::from(&short[..]), None));
        for (head, zeros) in [(1, 64), (63, 200), (64, 64), (65, 1000), (200, 127)] {
            let whole = [vec![7; head], vec![0; zeros]].concat();
            let expected = (Payload::from(&vec![7; head][..]), Some(Payload::Zeros(zeros as u64)));
            assert_eq!(payloads(&whole), expected, "{head} and {zeros}");
        }
        let inner = [&[0; 500][..], b"x"].concat();
        assert_eq!(payloads(&inner), (Payload::from(&inner[..]), None));
    }
}
