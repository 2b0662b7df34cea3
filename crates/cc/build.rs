#![forbid(unsafe_code)]
//! Builds the loader of `bpf/`, which the crate embeds. If a build dependency is missing, the crate embeds the reason
//! instead, so that the workspace builds on every machine.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Set for packages: the loader then brings its libraries and the C library along, and runs on any distribution.
const STATIC: &str = "JETTISON_STATIC_LOADER";

/// Debian packages that the build requires.
const PACKAGES: &str = "clang libelf-dev zlib1g-dev pkg-config make";

fn main() -> io::Result<()> {
    let out = PathBuf::from(variable("OUT_DIR"));
    let bpf = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../bpf");
    for part in [
        "newcwv.bpf.c",
        "dctcp.bpf.c",
        "prague.bpf.c",
        "marks.h",
        "sockets.bpf.c",
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
    println!("cargo::rerun-if-env-changed={STATIC}");

    let embedded = missing_dependency(&out).map_or_else(|| build(&bpf.join("loader/Cargo.toml"), &out), Err);
    let code = match embedded {
        Ok(loader) => {
            fs::copy(loader, out.join("loader"))?;
            "const LOADER: Result<&[u8], &str> = Ok(include_bytes!(concat!(env!(\"OUT_DIR\"), \"/loader\")));\n".to_owned()
        }
        Err(why) => {
            // A later installation changes the package manager's database, which triggers a rebuild.
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

/// The reason why the loader cannot be built, if there is one.
fn missing_dependency(scratch: &Path) -> Option<String> {
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return Some("congestion controls for the kernel require Linux".to_owned());
    }
    if variable("TARGET") != variable("HOST") {
        return Some(
            "this program was cross-compiled, which the loader of congestion controls does not support"
                .to_owned(),
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
        ("the headers of libelf", probe("libelf.h", "elf_version(EV_CURRENT)", "-lelf")),
        ("the headers of zlib", probe("zlib.h", "zlibCompileFlags()", "-lz")),
        ("pkg-config", succeeds("pkg-config", ["--version"])),
        ("make", succeeds("make", ["--version"])),
    ];
    let missing: Vec<&str> =
        parts.into_iter().filter(|(_, is_present)| !is_present).map(|(part, _)| part).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "this program was built without the loader of congestion controls, which requires {}; install {PACKAGES} and build again",
            missing.join(", ")
        )
    })
}

/// Builds the loader in one target folder for all profiles; cargo's lock serialises concurrent builds.
fn build(manifest: &Path, out: &Path) -> Result<PathBuf, String> {
    let is_static = env::var_os(STATIC).is_some();
    let target = shared_target(out).join("cc-loader");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args([o("build"), o("--release"), o("--locked"), o("--manifest-path"), manifest.as_os_str()]);
    cargo.arg("--target-dir").arg(&target);
    for (name, _) in env::vars_os() {
        let goes = |name: &str| configures_this_build(name) || is_static && configures_a_cross_compiler(name);
        if name.to_str().is_none_or(goes) {
            cargo.env_remove(name);
        }
    }
    if is_static {
        // Named, so that the flags are not those of procedural macros, which cannot be static.
        cargo.args(["--features", "static", "--target", &variable("TARGET")]);
        cargo.env("RUSTFLAGS", "-C target-feature=+crt-static");
        cargo.env("LIBBPF_SYS_LIBRARY_PATH", folder_of_static_libraries()?);
    }
    let output =
        cargo.stdin(Stdio::null()).output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        for line in stderr.lines() {
            println!("cargo::warning={line}");
        }
        return Err(
            "this program was built without the loader of congestion controls, whose build failed; see the warnings of \
                    jettison-cc in the output of `cargo build`"
                .to_owned(),
        );
    }
    // A target adds a folder; a cargo configuration may set one too.
    let mut folders = [target.join("release"), target.join(variable("TARGET")).join("release")];
    if is_static {
        folders.reverse();
    }
    let loader =
        folders.into_iter().map(|folder| folder.join("jettison-cc-loader")).find(|loader| loader.exists());
    loader.ok_or_else(|| format!("the loader of congestion controls is not in {}", target.display()))
}

/// Whether a variable configures this build script's cargo, rustc or clippy and must not reach the inner cargo. The job server
/// and the access to registries are kept.
fn configures_this_build(name: &str) -> bool {
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

/// Whether a variable names the C compiler of a target, or its flags: the one for old C libraries has no static libraries.
fn configures_a_cross_compiler(name: &str) -> bool {
    ["CC_", "CXX_", "AR_", "RANLIB_", "CFLAGS_", "CXXFLAGS_", "CPPFLAGS_", "LDFLAGS_"]
        .iter()
        .any(|tool| name.starts_with(tool))
}

/// The folder of libelf.a, where Debian's packages have libz.a as well.
fn folder_of_static_libraries() -> Result<PathBuf, String> {
    let found = Command::new("cc").arg("-print-file-name=libelf.a").output();
    let found = found.map_err(|error| format!("cannot start cc: {error}"))?;
    let found = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
    // The compiler repeats the bare name of a file that it does not find.
    let folder = found.parent().filter(|folder| folder.is_absolute());
    folder.map(Path::to_path_buf).ok_or_else(|| format!("{STATIC} is set, but libelf.a is missing"))
}

/// Cargo's target folder, found by its marker file; `out` if there is none.
fn shared_target(out: &Path) -> &Path {
    out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()).unwrap_or(out)
}

/// Whether cc compiles `program` and links it with `library`.
fn compiles(scratch: &Path, program: &str, library: &str) -> bool {
    let to = scratch.join("probe");
    let compiler = Command::new("cc")
        .args([o("-xc"), o("-"), o("-o"), to.as_os_str(), o(library)])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut compiler) = compiler else { return false };
    let is_written =
        compiler.stdin.take().is_some_and(|mut input| input.write_all(program.as_bytes()).is_ok());
    compiler.wait().is_ok_and(|status| status.success()) && is_written
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
