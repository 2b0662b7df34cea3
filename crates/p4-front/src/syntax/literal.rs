//! Values of literals.

use num_bigint::BigInt;

/// Maximum length of a number, in characters.
const MAX_LENGTH: usize = 10_000;

/// An integer literal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Integer {
    /// Value.
    pub(super) value: BigInt,
    /// Width, if written.
    pub(super) width: Option<u32>,
    /// Whether the type is `int<W>`.
    pub(super) signed: bool,
}

/// Parses `12`, `0xFF`, `0b1_0`, `0o17`, `0d9`, each with an optional prefix `8w` or `8s` (§6.4.3.2).
pub(super) fn integer(text: &str) -> Result<Integer, String> {
    if text.len() > MAX_LENGTH {
        return Err(format!("integer literal is longer than {MAX_LENGTH} characters"));
    }
    let (width, signed, rest) = match text.find(['w', 's']) {
        None => (None, false, text),
        Some(at) => {
            let width = text[..at].parse();
            let width =
                width.map_err(|_| format!("invalid width `{}` of an integer literal", &text[..at]))?;
            (Some(width), text.as_bytes()[at] == b's', &text[at + 1..])
        }
    };
    let (radix, kind, digits) = match rest.get(..2) {
        Some("0x" | "0X") => (16, "hexadecimal", &rest[2..]),
        Some("0b" | "0B") => (2, "binary", &rest[2..]),
        Some("0o" | "0O") => (8, "octal", &rest[2..]),
        Some("0d" | "0D") => (10, "decimal", &rest[2..]),
        _ => (10, "decimal", rest),
    };
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    if digits.is_empty() {
        return Err(format!("integer literal `{text}` has no digits"));
    }
    match BigInt::parse_bytes(digits.as_bytes(), radix) {
        Some(value) => Ok(Integer { value, width, signed }),
        None => Err(format!("`{text}` is not a valid {kind} number")),
    }
}

/// Value of a string literal, given with its quotes.
pub(super) fn string(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            (_, None) => out.push(c),
            (_, Some('n')) => out.push('\n'),
            (_, Some('t')) => out.push('\t'),
            (_, Some('r')) => out.push('\r'),
            (_, Some(quoted @ ('"' | '\\'))) => out.push(quoted),
            (_, Some(other)) => out.extend(['\\', other]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_bases_widths_signs_and_underscores() {
        let read = |text: &str| {
            integer(text).map(|i| (i.value.to_string(), i.width, i.signed)).map_err(|e| e.to_string())
        };
        let ok = |value: &str, width, signed| Ok((value.to_owned(), width, signed));
        assert_eq!(read("12"), ok("12", None, false));
        assert_eq!(read("010"), ok("10", None, false));
        assert_eq!(read("8w0x_FF"), ok("255", Some(8), false));
        assert_eq!(read("16s5"), ok("5", Some(16), true));
        assert_eq!(read("0b1010"), ok("10", None, false));
        assert_eq!(read("0o17"), ok("15", None, false));
        assert_eq!(read("10w0b11"), ok("3", Some(10), false));
        assert_eq!(read("32w0d1_000"), ok("1000", Some(32), false));
        assert_eq!(read("8s0b1010_1010"), ok("170", Some(8), true));
        assert_eq!(
            read("128w0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"),
            ok(&u128::MAX.to_string(), Some(128), false)
        );
        assert_eq!(read("8w"), Err("integer literal `8w` has no digits".to_owned()));
        assert_eq!(read("0b12"), Err("`0b12` is not a valid binary number".to_owned()));
        assert_eq!(read("12ab"), Err("`12ab` is not a valid decimal number".to_owned()));
        assert_eq!(read("16w0377"), ok("377", Some(16), false));
        assert_eq!(read("1_6w1"), Err("invalid width `1_6` of an integer literal".to_owned()));
        assert!(read("99999999999w1").is_err());
        assert!(read(&"9".repeat(20_000)).is_err());
    }

    #[test]
    fn strings_have_escapes() {
        assert_eq!(string(r#""a\"b\\c\n""#), "a\"b\\c\n");
        assert_eq!(string(r#""\d""#), r"\d");
        assert_eq!(string("\"\""), "");
    }
}
