//! The data planes that this project brings, so that scenarios and commands can name them away from its sources.

use include_dir::{Dir, include_dir};

static PROGRAMS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../p4");

/// What stands in front of the names of these files where the front end sees them.
const ROOT: &str = "jettison:p4/";

/// A program or a file of commands written as `<ired.p4>`: the name under which the front end is to know it, and its
/// text. `None` if the name is not of that form, or there is no such file.
pub fn program(name: &str) -> Option<(String, &'static str)> {
    let file = name.strip_prefix('<')?.strip_suffix('>')?;
    let text = PROGRAMS.get_file(file)?.contents_utf8()?;
    Some((format!("{ROOT}{file}"), text))
}

/// An include of such a program: `path` begins as the name that [`program`] gives.
pub fn included(path: &str) -> Option<&'static str> {
    PROGRAMS.get_file(path.strip_prefix(ROOT)?)?.contents_utf8()
}

/// The names of the programs, each as it is written: `<ired.p4>`.
pub fn programs() -> impl Iterator<Item = String> {
    let names = PROGRAMS.files().filter_map(|file| file.path().to_str());
    names.filter(|name| name.ends_with(".p4")).map(|name| format!("<{name}>"))
}
