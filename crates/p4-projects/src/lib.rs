#![forbid(unsafe_code)]
//! Projects that describe a network of P4 switches for Mininet, read as scenarios.
//!
//! Two formats are known: `topology.json` of the P4 tutorials (github.com/p4lang/tutorials), whose switches are filled from
//! `sX-runtime.json` files, and `p4app.json` of p4-utils (github.com/nsg-ethz/p4-utils), whose hosts get their addresses by a
//! strategy. [`read`] finds the file in a folder, checks it, and writes the scenario as TOML: hosts with Ethernet interfaces,
//! P4 routers with numbered ports, links, and pings between all pairs of hosts.
//!
//! What the project's own tools would do with programs of others (controllers in Python, scripts, shells) is not done;
//! [`Project::notes`] names it.

mod error;
mod find;
mod host;
mod json;
mod network;
mod p4app;
mod ping;
mod settings;
mod topology;
mod tutorial;
mod write;

use std::path::{Path, PathBuf};

pub use error::{ProjectError, ProjectErrors};
pub use ping::Pings;

/// How to read a project.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A P4 program in place of the project's, or a folder whose files replace the project's files of the same name.
    pub program: Option<PathBuf>,
    /// Which hosts ping each other.
    pub pings: Pings,
}

/// A project as a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The file that describes the network.
    pub file: PathBuf,
    /// The folder that the scenario's files are relative to.
    pub folder: PathBuf,
    /// The scenario, in TOML.
    pub text: String,
    /// Names of the hosts, in order.
    pub hosts: Vec<String>,
    /// Names of the flows that ping: the flow, from and to.
    pub pings: Vec<(String, String, String)>,
    /// Of p4-utils: the text of its `topology.json`, which its controllers load.
    pub topology: Option<String>,
    /// What of the project is not done, one sentence each.
    pub notes: Vec<String>,
}

/// Whether a path is that of a project: a folder, or a JSON file.
pub fn is_project(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Reads the project of a folder, or the one that a JSON file describes.
///
/// # Errors
/// All that is wrong with its files, each with the file and the path of the key.
pub fn read(path: &Path, options: &Options) -> Result<Project, ProjectErrors> {
    let found = find::find(path)?;
    let mut network = match found.is_p4app {
        true => p4app::network(&found, options)?,
        false => tutorial::network(&found, options)?,
    };
    let pings = options.pings.among(&network.hosts, &found.file)?;
    let names = network.hosts.iter().map(|host| host.name.clone()).collect();
    let topology = found.is_p4app.then(|| topology::text(&network));
    network.add_second_host();
    Ok(Project {
        topology,
        text: write::scenario(&network, &pings),
        file: found.file,
        folder: network.folder,
        hosts: names,
        pings,
        notes: network.notes,
    })
}
