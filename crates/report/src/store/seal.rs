//! Seals: a file that holds the SHA-256 of its own bytes, taken with the digest's digits as zeros.
//!
//! Any changed byte is noticed: outside the digits because the digest differs, in the digits because they differ from it.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// Number of hexadecimal digits of a digest.
const DIGITS: usize = 64;
/// The digits while the digest is taken.
pub(super) const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// What surrounds the digits at the end of a sealed JSON file.
const JSON: (&str, &str) = ("\n  \"seal\": \"", "\"\n}\n");

/// A JSON object with its seal as the last field.
#[derive(Serialize)]
struct Sealed<'a, T> {
    #[serde(flatten)]
    value: &'a T,
    seal: &'static str,
}

/// SHA-256 in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `value`, an object, as a sealed JSON file.
pub(super) fn sealed_json(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(&Sealed { value, seal: BLANK })?;
    bytes.push(b'\n');
    let place = bytes.len() - JSON.1.len() - DIGITS;
    seal(&mut bytes, place);
    Ok(bytes)
}

/// Whether a JSON file ends with a seal, intact or not.
pub(super) fn has_json_seal(bytes: &[u8]) -> bool {
    json_place(bytes).is_some()
}

/// Whether a JSON file is as it was when it was sealed.
pub(super) fn is_json_intact(bytes: &[u8]) -> bool {
    json_place(bytes).is_some_and(|place| is_intact(bytes, place))
}

fn json_place(bytes: &[u8]) -> Option<usize> {
    let place = bytes.strip_suffix(JSON.1.as_bytes())?.len().checked_sub(DIGITS)?;
    bytes[..place].ends_with(JSON.0.as_bytes()).then_some(place)
}

/// Writes the digest over [`BLANK`], which is at `place`.
pub(super) fn seal(bytes: &mut [u8], place: usize) {
    let digest = blank_digest(bytes, place);
    bytes[place..place + DIGITS].copy_from_slice(digest.as_bytes());
}

/// Whether the digits at `place` are the digest.
pub(super) fn is_intact(bytes: &[u8], place: usize) -> bool {
    let digits = bytes.get(place..place + DIGITS);
    digits.is_some_and(|digits| digits == blank_digest(bytes, place).as_bytes())
}

fn blank_digest(bytes: &[u8], place: usize) -> String {
    let mut digest = Sha256::new();
    digest.update(&bytes[..place]);
    digest.update(BLANK);
    digest.update(&bytes[place + DIGITS..]);
    hex(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_bit_of_a_sealed_file_is_noticed() {
        let whole = sealed_json(&serde_json::json!({ "program": "jettison", "runs": [1, 2] })).unwrap();
        assert!(is_json_intact(&whole));
        let read: serde_json::Value = serde_json::from_slice(&whole).unwrap();
        assert_eq!((&read["program"], read["seal"].as_str().unwrap().len()), (&"jettison".into(), DIGITS));
        for bit in 0..8 * whole.len() {
            let mut changed = whole.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_json_intact(&changed), "bit {bit}");
        }
        assert!(
            !is_json_intact(&whole[..whole.len() - 1]) && !is_json_intact(b"") && !is_json_intact(b"\"\n}\n")
        );
    }

    #[test]
    fn digests_are_sha_256_in_hexadecimal() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
