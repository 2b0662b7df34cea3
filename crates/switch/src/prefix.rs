//! Address prefixes.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use jettison_wire::Address;
use thiserror::Error;

/// An IPv4 or IPv6 address prefix. Bits beyond its length are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Prefix {
    bits: u128,
    /// Length in the 128-bit mapped form: the length of an IPv4 prefix plus 96.
    length: u8,
    v4: bool,
}

/// A string that is not a prefix.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a prefix; write an address and a length up to {longest}, such as \"{example}\"")]
pub struct PrefixError {
    text: String,
    longest: u8,
    example: &'static str,
}

impl Prefix {
    /// The first `length` bits of `address`; `None` if `length` exceeds the address length of its family.
    pub fn new(address: Address, length: u8) -> Option<Prefix> {
        let v4 = address.is_v4();
        if length > Prefix::longest(v4) {
            return None;
        }
        let length = if v4 { length + 96 } else { length };
        Some(Prefix { bits: address.to_u128() & mask(length), length, v4 })
    }

    /// The prefix of a single address.
    pub fn host(address: Address) -> Prefix {
        Prefix { bits: address.to_u128(), length: 128, v4: address.is_v4() }
    }

    /// Whether the prefix contains `address`. Families are separate: no IPv6 prefix contains an IPv4 address.
    #[inline]
    pub fn contains(&self, address: Address) -> bool {
        address.is_v4() == self.v4 && address.to_u128() & mask(self.length) == self.bits
    }

    /// Length in bits of the prefix's own family.
    pub fn length(&self) -> u8 {
        if self.v4 { self.length - 96 } else { self.length }
    }

    /// Whether it is an IPv4 prefix.
    pub fn is_v4(&self) -> bool {
        self.v4
    }

    /// Bits and length in the IPv6-mapped form.
    pub(crate) fn mapped(&self) -> (u128, u8) {
        (self.bits, self.length)
    }

    fn longest(v4: bool) -> u8 {
        if v4 { 32 } else { 128 }
    }
}

/// A mask of the upper `length` of 128 bits.
#[inline]
pub(crate) fn mask(length: u8) -> u128 {
    u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0)
}

impl FromStr for Prefix {
    type Err = PrefixError;
    /// Parses `10.0.0.0/8`, `2001:db8::/32`, or a single address.
    fn from_str(text: &str) -> Result<Prefix, PrefixError> {
        let (address, length) = match text.trim().split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text.trim(), None),
        };
        let address: Option<IpAddr> = address.parse().ok();
        let v4 = address.is_none_or(|ip| ip.is_ipv4());
        let example = if v4 { "10.0.0.0/8" } else { "2001:db8::/32" };
        let error = || PrefixError { text: text.to_owned(), longest: Prefix::longest(v4), example };
        let address = Address::from(address.ok_or_else(error)?);
        match length {
            None => Ok(Prefix::host(address)),
            Some(length) => {
                length.parse().ok().and_then(|length| Prefix::new(address, length)).ok_or_else(error)
            }
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = Address::from(IpAddr::from(std::net::Ipv6Addr::from(self.bits)));
        write!(f, "{address}/{}", self.length())
    }
}
impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(text: &str) -> Prefix {
        text.parse().unwrap()
    }

    #[test]
    fn reads_and_prints_both_families() {
        assert_eq!(prefix("10.1.2.3/8").to_string(), "10.0.0.0/8");
        assert_eq!(prefix("2001:db8:ffff::1/32").to_string(), "2001:db8::/32");
        assert_eq!(prefix("10.1.2.3").to_string(), "10.1.2.3/32");
        assert_eq!(prefix("::/0").to_string(), "::/0");
        assert_eq!(prefix("0.0.0.0/0").to_string(), "0.0.0.0/0");
    }

    #[test]
    fn refuses_text_that_is_not_a_prefix() {
        for text in ["10.0.0.0/33", "2001:db8::/129", "ten/8", "10.0.0.0/", "10.0.0/8", ""] {
            let error = text.parse::<Prefix>().unwrap_err().to_string();
            assert!(error.contains("is not a prefix"), "{error}");
        }
        assert!("2001:db8::/129".parse::<Prefix>().unwrap_err().to_string().contains("up to 128"));
    }

    #[test]
    fn a_default_route_contains_no_address_of_the_other_family() {
        let v4 = Address::v4(10, 0, 0, 1);
        let v6 = Address::from("2001:db8::1".parse::<IpAddr>().unwrap());
        assert!(prefix("0.0.0.0/0").contains(v4) && !prefix("0.0.0.0/0").contains(v6));
        assert!(prefix("::/0").contains(v6) && !prefix("::/0").contains(v4));
    }
}
