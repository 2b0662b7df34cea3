//! Built-in data planes, so that scenarios and commands can name them without the source tree.

use include_dir::{Dir, include_dir};

static PROGRAMS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../p4");

/// Prefix of these files' names inside the front end.
const ROOT: &str = "jettison:p4/";

/// Looks up a built-in program or command file by its bracketed name, such as `<ired.p4>`. Returns the name for the
/// front end and the text, or `None` if the name is not bracketed or the file does not exist.
pub fn program(name: &str) -> Option<(String, &'static str)> {
    let file = name.strip_prefix('<')?.strip_suffix('>')?;
    let text = PROGRAMS.get_file(file)?.contents_utf8()?;
    Some((format!("{ROOT}{file}"), text))
}

/// Looks up an include of a built-in program; `path` starts with the prefix of the names returned by [`program`].
pub fn included(path: &str) -> Option<&'static str> {
    let mut parts = Vec::new();
    for part in path.strip_prefix(ROOT)?.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    PROGRAMS.get_file(parts.join("/"))?.contents_utf8()
}

/// Bracketed names of all built-in programs, such as `<ired.p4>` and `<psa/ired.p4>`.
pub fn programs() -> impl Iterator<Item = String> {
    let psa = PROGRAMS.get_dir("psa").into_iter().flat_map(Dir::files);
    let names = PROGRAMS.files().chain(psa).filter_map(|file| file.path().to_str());
    names.filter(|name| name.ends_with(".p4")).map(|name| format!("<{name}>"))
}
