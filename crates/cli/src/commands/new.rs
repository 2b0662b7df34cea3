//! `jettison new`: a commented scenario to start from.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use jettison_run::Situation;

use super::list::{beside, unknown};
use crate::output::{Failure, print};

/// Writes the scenario of a situation and the files that it names; without one, prints the menu.
pub fn new(situation: Option<&str>, file: Option<&Path>, force: bool) -> Result<(), Failure> {
    let Some(name) = situation else { return print(menu()) };
    let Some(found) = Situation::named(name) else {
        let all = Situation::all();
        return Err(unknown(name, all.iter().map(|situation| situation.name)));
    };
    let target = file.map_or_else(|| PathBuf::from(format!("{name}.toml")), Path::to_path_buf);
    let folder = target.parent().unwrap_or(Path::new(""));
    // The scenario comes first: if it is refused, nothing has been written.
    write(&target, found.text.as_bytes(), force)?;
    for (path, contents) in &found.files {
        let path = folder.join(path);
        // A trace of that name from an earlier call is the same file.
        if fs::read(&path).is_ok_and(|there| there == *contents) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| {
                Failure::of(format!("cannot make the folder {}: {error}", parent.display()))
            })?;
        }
        write(&path, contents, force)?;
    }
    let shown = target.display();
    print(format_args!(
        "Wrote {shown}: {}\nNext:  jettison run {shown} --quick\n       jettison check {shown}    after each change\n",
        found.summary()
    ))
}

/// One line per situation.
fn menu() -> String {
    let all = Situation::all();
    let longest = all.iter().map(|situation| situation.name.len()).max().unwrap_or(0);
    let mut text = String::from("Situations, for `jettison new <SITUATION>`:\n");
    for situation in &all {
        text.push_str(&beside(&format!("  {}", situation.name), longest + 2, situation.summary()));
    }
    text
}

/// Writes a file; one that is there is replaced only by `--force`.
fn write(path: &Path, contents: &[u8], force: bool) -> Result<(), Failure> {
    let mut options = fs::OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let written = options.open(path).and_then(|mut file| file.write_all(contents));
    written.map_err(|error| {
        let shown = path.display();
        Failure::of(match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("{shown} exists; name another file, or replace it with --force")
            }
            ErrorKind::NotFound => format!("cannot write {shown}: its folder does not exist"),
            _ => format!("cannot write {shown}: {error}"),
        })
    })
}
