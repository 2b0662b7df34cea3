//! Compiles the congestion controls to BPF and generates the skeletons of its objects.

use std::env;
use std::path::PathBuf;

use anyhow::Context;
use libbpf_cargo::SkeletonBuilder;

/// The BPF objects: `../<name>.bpf.c` becomes `<name>.skel.rs`.
const OBJECTS: [&str; 4] = ["newcwv", "dctcp", "prague", "sockets"];

fn main() -> anyhow::Result<()> {
    println!("cargo::rerun-if-changed=../kernel.h");
    println!("cargo::rerun-if-changed=../marks.h");
    println!("cargo::rerun-if-env-changed=PATH");
    let out = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    for object in OBJECTS {
        let source = format!("../{object}.bpf.c");
        println!("cargo::rerun-if-changed={source}");
        SkeletonBuilder::new()
            .source(&source)
            // v3 has 32-bit compare-and-swap.
            .clang_args(["-mcpu=v3", "-Wall", "-Wextra", "-Wno-unused-parameter"])
            .build_and_generate(out.join(format!("{object}.skel.rs")))
            .with_context(|| format!("cannot compile {source}"))?;
    }
    Ok(())
}
