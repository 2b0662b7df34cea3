//! Compiles the BPF programs and generates their skeleton.

use std::env;
use std::path::PathBuf;

use anyhow::Context;
use libbpf_cargo::SkeletonBuilder;

const SOURCE: &str = "sojourn.bpf.c";

fn main() -> anyhow::Result<()> {
    println!("cargo::rerun-if-changed={SOURCE}");
    let out = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    SkeletonBuilder::new()
        .source(SOURCE)
        .clang_args(["-mcpu=v3", "-D__TARGET_ARCH_x86", "-Wall", "-Wextra", "-Wno-unused-parameter"])
        .build_and_generate(out.join("sojourn.skel.rs"))
        .context("cannot compile sojourn.bpf.c")
}
