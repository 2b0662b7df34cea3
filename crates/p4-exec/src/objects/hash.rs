//! Hash functions of v1model and PSA, as in BMv2, over fields packed by a [`BitWriter`](super::BitWriter).

use jettison_core::RandomStream;

use crate::Frame;
use jettison_p4_front::ir::HashAlgorithm;

/// Computes a hash of bytes, with the initial parameters of the custom CRCs. `Random` is 0 here, because it does not
/// depend on data; [`Hashes::compute`] draws it from a random stream.
pub fn compute(algorithm: HashAlgorithm, data: &[u8]) -> u64 {
    let crc = match algorithm {
        HashAlgorithm::Crc16 | HashAlgorithm::Crc16Custom => Some(&CRC16),
        HashAlgorithm::Crc32 | HashAlgorithm::Crc32Custom => Some(&CRC32),
        _ => None,
    };
    digest(algorithm, crc, data, Frame::default())
}

/// Hash functions with two CRCs that the control plane can configure.
#[derive(Debug, Clone)]
pub struct Hashes {
    crc16: Crc,
    crc32: Crc,
}

/// Parameters of a CRC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrcParameters {
    /// Polynomial, highest bit first, without the leading 1.
    pub polynomial: u32,
    /// Initial remainder.
    pub initial: u32,
    /// Value XORed with the result.
    pub final_xor: u32,
    /// Whether each byte is processed from its lowest bit.
    pub reflect_data: bool,
    /// Whether the result is bit-reversed.
    pub reflect_remainder: bool,
}

impl CrcParameters {
    /// `crc16` (ARC), the initial parameters of `crc16_custom`.
    pub const CRC16: CrcParameters = CrcParameters {
        polynomial: 0x8005,
        initial: 0,
        final_xor: 0,
        reflect_data: true,
        reflect_remainder: true,
    };
    /// `crc32` (IEEE 802.3), the initial parameters of `crc32_custom`.
    pub const CRC32: CrcParameters = CrcParameters {
        polynomial: 0x04c1_1db7,
        initial: 0xffff_ffff,
        final_xor: 0xffff_ffff,
        reflect_data: true,
        reflect_remainder: true,
    };
}

impl Default for Hashes {
    fn default() -> Hashes {
        Hashes { crc16: CRC16.clone(), crc32: CRC32.clone() }
    }
}

impl Hashes {
    /// Sets `crc16_custom`; only the low 16 bits of the parameters are used.
    pub fn set_crc16(&mut self, parameters: CrcParameters) {
        self.crc16 = Crc::new(16, parameters);
    }

    /// Sets `crc32_custom`.
    pub fn set_crc32(&mut self, parameters: CrcParameters) {
        self.crc32 = Crc::new(32, parameters);
    }

    /// State of a checksum without data. Checksums are CRCs and `Csum16`; of other algorithms the state is 0.
    pub fn begin(&self, algorithm: HashAlgorithm) -> u64 {
        self.crc(algorithm).map_or(0, |crc| u64::from(crc.begin()))
    }

    /// State of a checksum after further bytes: a CRC's remainder, or a sum. A sum's bytes are whole 16-bit words but for
    /// the last.
    pub fn extend(&self, algorithm: HashAlgorithm, state: u64, data: &[u8]) -> u64 {
        match self.crc(algorithm) {
            Some(crc) => u64::from(crc.extend(state as u32, data)),
            None => {
                let sum = (state & 0xffff) as u32 + u32::from(ones_complement_sum(data));
                u64::from((sum & 0xffff) + (sum >> 16))
            }
        }
    }

    /// The checksum of a state.
    pub fn end(&self, algorithm: HashAlgorithm, state: u64) -> u64 {
        match self.crc(algorithm) {
            Some(crc) => u64::from(crc.end(state as u32)),
            None => !state & 0xffff,
        }
    }

    fn crc(&self, algorithm: HashAlgorithm) -> Option<&Crc> {
        match algorithm {
            HashAlgorithm::Crc16 => Some(&CRC16),
            HashAlgorithm::Crc32 => Some(&CRC32),
            HashAlgorithm::Crc16Custom => Some(&self.crc16),
            HashAlgorithm::Crc32Custom => Some(&self.crc32),
            _ => None,
        }
    }

    /// Computes the hash of bytes followed by a payload. `Random` draws 64 bits.
    #[inline]
    pub fn compute(
        &self,
        algorithm: HashAlgorithm,
        data: &[u8],
        payload: Frame<'_>,
        random: &mut RandomStream,
    ) -> u64 {
        let crc = match algorithm {
            HashAlgorithm::Random => return random.uniform(0, u64::MAX),
            HashAlgorithm::Crc16 => Some(&CRC16),
            HashAlgorithm::Crc32 => Some(&CRC32),
            HashAlgorithm::Crc16Custom => Some(&self.crc16),
            HashAlgorithm::Crc32Custom => Some(&self.crc32),
            HashAlgorithm::Identity | HashAlgorithm::Csum16 | HashAlgorithm::Xor16 => None,
        };
        digest(algorithm, crc, data, payload)
    }
}

fn digest(algorithm: HashAlgorithm, crc: Option<&Crc>, data: &[u8], payload: Frame<'_>) -> u64 {
    if let Some(crc) = crc {
        return u64::from(crc.compute(data, payload));
    }
    match algorithm {
        HashAlgorithm::Csum16 => u64::from(checksum(data, payload)),
        HashAlgorithm::Xor16 => u64::from(xor16(data, payload)),
        HashAlgorithm::Identity => identity(data, payload),
        _ => 0,
    }
}

/// Internet checksum (RFC 1071): complement of the ones' complement sum of 16-bit words. An odd last byte is the upper
/// half of a word. Zeros add nothing.
fn checksum(data: &[u8], payload: Frame<'_>) -> u16 {
    let data_sum = ones_complement_sum(data);
    let payload_sum = ones_complement_sum(payload.bytes);
    // RFC 1071 §2 (B): a sum of bytes that start in the lower half of a word is the byte-swapped sum.
    let payload_sum = if data.len() % 2 == 1 { payload_sum.swap_bytes() } else { payload_sum };
    let sum = u32::from(data_sum) + u32::from(payload_sum);
    !((sum & 0xffff) as u16 + (sum >> 16) as u16)
}

fn ones_complement_sum(bytes: &[u8]) -> u16 {
    let mut sum: u64 = 0;
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        sum += u64::from(u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
    }
    let mut last = [0; 4];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    sum += u64::from(u32::from_be_bytes(last));
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// Exclusive or of 16-bit words; an odd last byte is the upper half of a word.
fn xor16(data: &[u8], payload: Frame<'_>) -> u16 {
    let fold = |bytes: &[u8]| {
        bytes.iter().enumerate().fold(0, |sum, (i, byte)| sum ^ u16::from(*byte) << (8 * (1 - i % 2)))
    };
    let behind = fold(payload.bytes);
    fold(data) ^ if data.len() % 2 == 1 { behind.swap_bytes() } else { behind }
}

/// The first 8 bytes as a number, as in BMv2.
fn identity(data: &[u8], payload: Frame<'_>) -> u64 {
    let all = data.iter().chain(payload.bytes).copied().chain(std::iter::repeat_n(0, payload.zeros.min(8)));
    all.take(8).fold(0, |value, byte| value << 8 | u64::from(byte))
}

/// A CRC of 16 or 32 bits with its lookup table.
#[derive(Debug, Clone)]
struct Crc {
    width: u32,
    parameters: CrcParameters,
    /// Remainder for each byte at the top; remainders are kept at the top of 32 bits.
    table: [u32; 256],
}

static CRC16: Crc = Crc::new(16, CrcParameters::CRC16);
static CRC32: Crc = Crc::new(32, CrcParameters::CRC32);

impl Crc {
    const fn new(width: u32, parameters: CrcParameters) -> Crc {
        let polynomial = parameters.polynomial << (32 - width);
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut remainder = (byte as u32) << 24;
            let mut bit = 0;
            while bit < 8 {
                let carry = remainder >> 31;
                remainder = (remainder << 1) ^ if carry == 1 { polynomial } else { 0 };
                bit += 1;
            }
            table[byte] = remainder;
            byte += 1;
        }
        Crc { width, parameters, table }
    }

    fn compute(&self, data: &[u8], payload: Frame<'_>) -> u32 {
        let mut remainder = self.extend(self.extend(self.begin(), data), payload.bytes);
        for _ in 0..payload.zeros {
            remainder = self.step(remainder, 0);
        }
        self.end(remainder)
    }

    fn begin(&self) -> u32 {
        self.parameters.initial << (32 - self.width)
    }

    #[inline]
    fn step(&self, remainder: u32, byte: u8) -> u32 {
        let index = remainder >> 24 ^ u32::from(byte);
        remainder << 8 ^ self.table[index as usize]
    }

    #[inline]
    fn extend(&self, remainder: u32, data: &[u8]) -> u32 {
        let reflected = |byte: u8| if self.parameters.reflect_data { byte.reverse_bits() } else { byte };
        data.iter().fold(remainder, |remainder, byte| self.step(remainder, reflected(*byte)))
    }

    fn end(&self, remainder: u32) -> u32 {
        let below = 32 - self.width;
        let result =
            if self.parameters.reflect_remainder { remainder.reverse_bits() } else { remainder >> below };
        (result ^ self.parameters.final_xor) & (u32::MAX >> below)
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::*;

    const CHECK: &[u8] = b"123456789";

    #[test]
    fn crcs_have_their_check_values() {
        for (algorithm, expected) in [
            (HashAlgorithm::Crc16, 0xbb3d),
            (HashAlgorithm::Crc16Custom, 0xbb3d),
            (HashAlgorithm::Crc32, 0xcbf4_3926),
            (HashAlgorithm::Crc32Custom, 0xcbf4_3926),
        ] {
            assert_eq!(compute(algorithm, CHECK), expected, "{algorithm:?}");
        }
    }

    #[test]
    fn the_custom_crcs_take_parameters() {
        let mut hashes = Hashes::default();
        let mut random = Seed(1).stream(&["hash"]);
        // CRC-16/CCITT-FALSE and CRC-32/MPEG-2.
        hashes.set_crc16(CrcParameters {
            polynomial: 0x1021,
            initial: 0xffff,
            final_xor: 0,
            reflect_data: false,
            reflect_remainder: false,
        });
        hashes.set_crc32(CrcParameters {
            final_xor: 0,
            reflect_data: false,
            reflect_remainder: false,
            ..CrcParameters::CRC32
        });
        let mut check = |algorithm| hashes.compute(algorithm, CHECK, Frame::default(), &mut random);
        assert_eq!(check(HashAlgorithm::Crc16Custom), 0x29b1);
        assert_eq!(check(HashAlgorithm::Crc32Custom), 0x0376_e6e7);
        assert_eq!(check(HashAlgorithm::Crc16), 0xbb3d);
    }

    /// RFC 1071 §3.
    #[test]
    fn csum16_is_the_internet_checksum() {
        let example = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(compute(HashAlgorithm::Csum16, &example), u64::from(!0xddf2u16));
        assert_eq!(compute(HashAlgorithm::Csum16, &[0x12]), u64::from(!0x1200u16));
        assert_eq!(compute(HashAlgorithm::Csum16, &[]), 0xffff);
    }

    #[test]
    fn xor16_and_identity_take_the_first_byte_as_the_highest() {
        assert_eq!(compute(HashAlgorithm::Xor16, &[0x12, 0x34, 0x01]), 0x1234 ^ 0x0100);
        assert_eq!(compute(HashAlgorithm::Identity, &[0x12, 0x34]), 0x1234);
        assert_eq!(compute(HashAlgorithm::Identity, &[1, 2, 3, 4, 5, 6, 7, 8, 9]), 0x0102_0304_0506_0708);
    }

    #[test]
    fn a_payload_and_its_zeros_follow_the_data() {
        let hashes = Hashes::default();
        let mut random = Seed(1).stream(&["hash"]);
        let whole: Vec<u8> = (1..=20).chain([0; 5]).collect();
        for split in 0..=20 {
            for algorithm in [
                HashAlgorithm::Crc16,
                HashAlgorithm::Crc32,
                HashAlgorithm::Csum16,
                HashAlgorithm::Xor16,
                HashAlgorithm::Identity,
            ] {
                let payload = Frame { bytes: &whole[split..20], zeros: 5 };
                let parts = hashes.compute(algorithm, &whole[..split], payload, &mut random);
                assert_eq!(parts, compute(algorithm, &whole), "{algorithm:?} at {split}");
            }
        }
    }

    #[test]
    fn a_checksum_in_steps_is_that_of_all_the_data() {
        let hashes = Hashes::default();
        for algorithm in [HashAlgorithm::Crc16, HashAlgorithm::Crc32Custom, HashAlgorithm::Csum16] {
            let state = hashes.extend(algorithm, hashes.begin(algorithm), &CHECK[..4]);
            let state = hashes.extend(algorithm, state, &CHECK[4..]);
            assert_eq!(hashes.end(algorithm, state), compute(algorithm, CHECK), "{algorithm:?}");
        }
    }

    #[test]
    fn random_draws() {
        let hashes = Hashes::default();
        let mut random = Seed(1).stream(&["hash"]);
        let mut draw = || hashes.compute(HashAlgorithm::Random, CHECK, Frame::default(), &mut random);
        assert_ne!(draw(), draw());
    }
}
