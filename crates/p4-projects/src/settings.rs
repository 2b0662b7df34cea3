//! Values as Mininet and tc(8) write them.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::ProjectError;
use crate::json::Place;
use crate::network::Mac;

/// Nanoseconds of a unit of time, as tc(8) names them.
const UNITS: [(&str, f64); 9] = [
    ("usecs", 1e3),
    ("usec", 1e3),
    ("us", 1e3),
    ("msecs", 1e6),
    ("msec", 1e6),
    ("ms", 1e6),
    ("secs", 1e9),
    ("sec", 1e9),
    ("s", 1e9),
];

/// Nanoseconds of a delay. A number is in milliseconds; a text is as in tc(8): with a unit, or in microseconds.
pub(crate) fn delay(place: &Place<'_>) -> u64 {
    let nanos = match place.value {
        Value::Number(number) => number.as_f64().map(|number| number * 1e6),
        Value::String(text) => {
            let text = text.trim();
            let unit = UNITS.iter().find_map(|(unit, nanos)| Some((text.strip_suffix(unit)?, nanos)));
            let (number, nanos) = unit.unwrap_or((text, &1e3));
            number.trim().parse::<f64>().ok().map(|number| number * nanos)
        }
        _ => None,
    };
    // A day is longer than any delay, and fits.
    match nanos.filter(|nanos| (0.0..=8.64e13).contains(nanos)) {
        Some(nanos) => nanos.round() as u64,
        None => {
            place.refuse(format!(
                "a delay is a number of milliseconds or a text such as \"5ms\", got {}",
                place.value
            ));
            0
        }
    }
}

/// Bits per second of a bandwidth in Mbit/s; `None` for none.
pub(crate) fn bandwidth(place: &Place<'_>) -> Option<u64> {
    if place.value.is_null() {
        return None;
    }
    // TCLink of Mininet limits nothing above 1 Gbit/s; links of our own may be faster.
    match place.value.as_f64().filter(|mbit| (1e-3..=1e6).contains(mbit)) {
        Some(mbit) => Some((mbit * 1e6).round() as u64),
        None => {
            place.refuse(format!("a bandwidth is a number of Mbit/s above zero, got {}", place.value));
            None
        }
    }
}

/// A number from 0 to 510: 511 means "drop".
pub(crate) fn port(text: &str) -> Option<u16> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| digits && *port <= 510)
}

/// An address with the length of its prefix: `10.0.1.1/24`.
pub(crate) fn address(text: &str) -> Result<(Ipv4Addr, u8), String> {
    let (address, prefix) = text.split_once('/').unwrap_or((text, "8"));
    let prefix = prefix.parse().ok().filter(|prefix| *prefix <= 32);
    match (address.parse(), prefix) {
        (Ok(address), Some(prefix)) => Ok((address, prefix)),
        _ => Err(format!("an address is such as \"10.0.1.1/24\", got `{}`", text.escape_debug())),
    }
}

/// A hardware address.
pub(crate) fn mac(text: &str) -> Result<Mac, String> {
    let wrong =
        || format!("a hardware address is such as \"08:00:00:00:01:11\", got `{}`", text.escape_debug());
    let mut bytes = [0; 6];
    let mut parts = text.split(':');
    for byte in &mut bytes {
        let part = parts.next().filter(|part| matches!(part.len(), 1 | 2));
        let part = part.filter(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()));
        *byte = part.and_then(|part| u8::from_str_radix(part, 16).ok()).ok_or_else(wrong)?;
    }
    if parts.next().is_some() { Err(wrong()) } else { Ok(bytes) }
}

/// The files of a project: those that the user names come first.
#[derive(Debug)]
pub(crate) struct Files<'a> {
    folder: &'a Path,
    /// A program in place of others.
    pub program: Option<PathBuf>,
    /// A folder whose files replace others of the same name.
    replacements: Option<PathBuf>,
}

impl<'a> Files<'a> {
    /// The files of a folder, with the program or folder that was named: relative to the current folder, or else to that of the
    /// project.
    pub fn new(folder: &'a Path, named: Option<&Path>) -> Result<Files<'a>, ProjectError> {
        let mut files = Files { folder, program: None, replacements: None };
        let Some(named) = named else { return Ok(files) };
        let beside = folder.join(named);
        let path = if named.exists() { named.to_path_buf() } else { beside };
        if path.is_dir() {
            files.replacements = Some(path);
        } else if path.is_file() {
            files.program = Some(path);
        } else {
            let message = "no such program or folder of programs";
            let programs = crate::find::files(folder, |name| name.ends_with(".p4"));
            let help = match programs.first() {
                Some(first) => format!("the project has {}", first.display()),
                None => "write its path relative to the project's folder".to_owned(),
            };
            return Err(ProjectError::new(named, "", message).help(help));
        }
        Ok(files)
    }

    /// The path of a file that a project names, relative to its folder, or that of its replacement.
    pub fn path(&self, name: &str) -> Result<String, String> {
        let last = Path::new(name).file_name();
        let replacement = self.replacements.as_ref().zip(last).map(|(folder, last)| folder.join(last));
        if let Some(path) = replacement.filter(|path| path.is_file()) {
            return self.relative(&path);
        }
        match self.folder.join(name).is_file() {
            true => Ok(name.to_owned()),
            false => Err(format!(
                "no such file: `{}`",
                self.folder.join(name).display().to_string().escape_debug()
            )),
        }
    }

    /// A path as the scenario names it: relative to the project's folder, or absolute.
    pub fn relative(&self, path: &Path) -> Result<String, String> {
        let named = match path.strip_prefix(self.folder) {
            Ok(inside) => inside.to_path_buf(),
            Err(_) => std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?,
        };
        named.to_str().map(str::to_owned).ok_or_else(|| format!("{}: must be UTF-8 text", path.display()))
    }
}

/// A name as scenarios take it: letters, digits and `-_.+`.
pub(crate) fn plain_name(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let plain: String = name.chars().map(|c| if fits(c) { c } else { '-' }).take(100).collect();
    match plain.trim_start_matches('.') {
        "" => "project".to_owned(),
        plain => plain.to_owned(),
    }
}

/// Name of a project: its folder's, or that of its file if the folder has several.
pub(crate) fn project_name(folder: &Path, file: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mut parts: Vec<String> =
        folder.iter().rev().filter_map(|part| part.to_str()).take(1).map(str::to_owned).collect();
    // A folder of solutions is named by the exercise.
    if parts.first().is_some_and(|last| last == "solution") {
        parts.extend(
            folder.parent().and_then(Path::file_name).and_then(|name| name.to_str()).map(str::to_owned),
        );
        parts.reverse();
    }
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if !matches!(stem, "topology" | "p4app") {
        parts.push(stem.to_owned());
    }
    plain_name(&parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_numbers_are_read_strictly() {
        assert_eq!(address("10.0.1.1/31"), Ok((Ipv4Addr::new(10, 0, 1, 1), 31)));
        assert_eq!(address("10.0.1.1"), Ok((Ipv4Addr::new(10, 0, 1, 1), 8)));
        assert!(address("10.0.1/24").is_err() && address("10.0.1.1/33").is_err());
        assert_eq!(mac("08:00:00:00:1:11"), Ok([8, 0, 0, 0, 1, 0x11]));
        assert!(mac("08:00:00:00:01").is_err() && mac("08:00:00:00:01:111").is_err());
        assert_eq!((port("510"), port("511"), port("+1"), port("")), (Some(510), None, None, None));
        assert_eq!(plain_name("a b/ü"), "a-b--");
    }
}
