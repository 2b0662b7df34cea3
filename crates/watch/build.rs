//! The page in `web/dist` becomes part of this crate, so the crate is built again when `make web` has made another.
//!
//! The folder is in the repository, with nothing in it but a `.gitignore`: Cargo would take a path that is not there for
//! one that always changes.

use std::path::Path;

fn main() {
    let page = Path::new("../../web/dist");
    println!("cargo::rerun-if-changed=build.rs");
    if page.is_dir() {
        println!("cargo::rerun-if-changed={}", page.display());
    }
}
