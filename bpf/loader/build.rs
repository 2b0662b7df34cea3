//! Compiles newCWV to BPF and generates its skeleton.

use std::env;
use std::path::PathBuf;

use anyhow::Context;
use libbpf_cargo::SkeletonBuilder;

const SOURCE: &str = "../newcwv.bpf.c";

fn main() -> anyhow::Result<()> {
    println!("cargo::rerun-if-changed={SOURCE}");
    println!("cargo::rerun-if-changed=../kernel.h");
    println!("cargo::rerun-if-env-changed=PATH");
    let out = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    SkeletonBuilder::new()
        .source(SOURCE)
        // v3 has 32-bit compare-and-swap.
        .clang_args(["-mcpu=v3", "-Wall", "-Wextra", "-Wno-unused-parameter"])
        .build_and_generate(out.join("newcwv.skel.rs"))
        .context("cannot compile newcwv.bpf.c")
}
