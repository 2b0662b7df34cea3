//! Finds the Git commit that is built. Without Git, or outside a checkout, there is none, and the build goes on.

mod checkout;

use std::env;
use std::path::{Path, PathBuf};

use checkout::Checkout;

/// Packagers name the commit here when they build from an archive. Set and empty: no commit.
const COMMIT: &str = "JETTISON_COMMIT";

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed={COMMIT}");
    let version = variable("CARGO_PKG_VERSION");
    let commit = match env::var_os(COMMIT) {
        Some(given) => match checkout::parse_given(&given.to_string_lossy()) {
            Ok(commit) => commit,
            Err(message) => {
                println!("cargo::error={COMMIT} {message}");
                return;
            }
        },
        None => from_git(&PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../..")),
    };
    let long = commit.as_ref().map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=JETTISON_BUILD_COMMIT={}", commit.unwrap_or_default());
    println!("cargo::rustc-env=JETTISON_BUILD_VERSION={long}");
}

fn from_git(root: &Path) -> Option<String> {
    let checkout = Checkout::at(root)?;
    let sources = checkout::sources(root);
    for path in checkout.watched().into_iter().chain(sources.iter().map(|source| root.join(source))) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    checkout.commit(&sources)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
