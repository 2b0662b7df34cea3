//! Builds the loader of `bpf/` where the machine can, for the crate to carry; where it cannot, the crate says what is
//! missing. So the workspace builds on any machine.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Debian's names.
const PACKAGES: &str = "clang libelf-dev zlib1g-dev pkg-config make";

fn main() -> io::Result<()> {
    let out = PathBuf::from(variable("OUT_DIR"));
    let bpf = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../bpf");
    for part in [
        "newcwv.bpf.c",
        "kernel.h",
        "loader/Cargo.toml",
        "loader/Cargo.lock",
        "loader/build.rs",
        "loader/src",
    ] {
        println!("cargo::rerun-if-changed={}", bpf.join(part).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PATH");

    let embedded = lacking(&out).map_or_else(|| build(&bpf.join("loader/Cargo.toml"), &out), Err);
    let code = match embedded {
        Ok(loader) => {
            fs::copy(loader, out.join("loader"))?;
            "const LOADER: Result<&[u8], &str> = Ok(include_bytes!(concat!(env!(\"OUT_DIR\"), \"/loader\")));\n".to_owned()
        }
        Err(why) => {
            // What is installed later is noticed by what the package manager writes.
            let packages = Path::new("/var/lib/dpkg/status");
            println!(
                "cargo::rerun-if-changed={}",
                if packages.exists() { packages } else { Path::new("/usr/bin") }.display()
            );
            format!("const LOADER: Result<&[u8], &str> = Err({why:?});\n")
        }
    };
    fs::write(out.join("embedded.rs"), code)
}

/// What building needs and is not there.
fn lacking(scratch: &Path) -> Option<String> {
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return Some("newCWV for the kernel is for Linux only".to_owned());
    }
    if variable("TARGET") != variable("HOST") {
        return Some(
            "this program was built for another kind of machine, and its loader cannot be".to_owned(),
        );
    }
    let object = scratch.join("probe.o");
    let probe = |header: &str, call: &str, library: &str| {
        compiles(
            scratch,
            &format!("#include <{header}>\nint main(void) {{ return {call} == 0; }}\n"),
            library,
        )
    };
    let parts = [
        (
            "clang with BPF",
            succeeds(
                "clang",
                [o("-target"), o("bpf"), o("-xc"), o("-c"), o("/dev/null"), o("-o"), object.as_os_str()],
            ),
        ),
        ("libelf's headers", probe("libelf.h", "elf_version(EV_CURRENT)", "-lelf")),
        ("zlib's headers", probe("zlib.h", "zlibCompileFlags()", "-lz")),
        ("pkg-config", succeeds("pkg-config", ["--version"])),
        ("make", succeeds("make", ["--version"])),
    ];
    let lacking: Vec<&str> =
        parts.into_iter().filter(|(_, is_there)| !is_there).map(|(part, _)| part).collect();
    (!lacking.is_empty()).then(|| {
        format!(
            "this program was built without the loader of newCWV, for lack of {}: install {PACKAGES} and build again",
            lacking.join(", ")
        )
    })
}

/// The loader's own build, in one target folder for all profiles; cargo's lock keeps two builds apart.
fn build(manifest: &Path, out: &Path) -> Result<PathBuf, String> {
    let target = shared_target(out).join("cc-loader");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args([o("build"), o("--release"), o("--locked"), o("--manifest-path"), manifest.as_os_str()]);
    cargo.arg("--target-dir").arg(&target);
    for (name, _) in env::vars_os() {
        if name.to_str().is_none_or(is_of_this_build) {
            cargo.env_remove(name);
        }
    }
    let output =
        cargo.stdin(Stdio::null()).output().map_err(|error| format!("cargo does not start: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        for line in said.lines() {
            println!("cargo::warning={line}");
        }
        return Err("this program was built without the loader of newCWV, whose own build failed: see what `cargo build` \
                    says of jettison-cc"
            .to_owned());
    }
    // A configuration may name a target, which adds a folder.
    let places = [target.join("release"), target.join(variable("TARGET")).join("release")];
    let loader =
        places.into_iter().map(|place| place.join("jettison-cc-loader")).find(|loader| loader.exists());
    loader.ok_or_else(|| format!("the loader of newCWV is not in {}", target.display()))
}

/// What cargo, rustc and clippy tell this build script; another cargo would take it for itself. The job server and how
/// to reach registries stay.
fn is_of_this_build(name: &str) -> bool {
    const KEPT: [&str; 8] = [
        "CARGO_HOME",
        "CARGO_MAKEFLAGS",
        "CARGO_NET_",
        "CARGO_HTTP_",
        "CARGO_REGISTR",
        "CARGO_SOURCE_",
        "CARGO_BUILD_JOBS",
        "CARGO_TERM_",
    ];
    const OTHERS: [&str; 10] = [
        "RUSTFLAGS",
        "RUSTDOC",
        "CLIPPY_",
        "DEP_",
        "PROFILE",
        "OPT_LEVEL",
        "DEBUG",
        "TARGET",
        "HOST",
        "OUT_DIR",
    ];
    if KEPT.iter().any(|kept| name.starts_with(kept)) {
        return false;
    }
    name == "RUSTC"
        || name.starts_with("RUSTC_")
        || name.starts_with("CARGO")
        || OTHERS.iter().any(|other| name.starts_with(other))
}

/// The folder that cargo marks as its target folder; `out` where there is none.
fn shared_target(out: &Path) -> &Path {
    out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()).unwrap_or(out)
}

/// Whether cc compiles and links `program` with `library`.
fn compiles(scratch: &Path, program: &str, library: &str) -> bool {
    let to = scratch.join("probe");
    let compiler = Command::new("cc")
        .args([o("-xc"), o("-"), o("-o"), to.as_os_str(), o(library)])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut compiler) = compiler else { return false };
    let is_given = compiler.stdin.take().is_some_and(|mut input| input.write_all(program.as_bytes()).is_ok());
    compiler.wait().is_ok_and(|status| status.success()) && is_given
}

fn succeeds<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn o(text: &str) -> &OsStr {
    OsStr::new(text)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
