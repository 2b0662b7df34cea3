//! The programs that encode: where they are, and what they are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Error;

/// Environment variable that names the folder of the programs.
pub const VARIABLE: &str = "JETTISON_MEDIA";
/// Folder of `make media-deps`, in the project's folder.
const FOLDER: &str = "target/media";

/// The programs that are needed.
#[derive(Debug, Clone)]
pub struct Tools {
    /// ffmpeg with libvmaf.
    pub ffmpeg: PathBuf,
    /// The encoder of VP9 in layers (`native/vp9-layers.c`), if it is there.
    pub vp9_layers: Option<PathBuf>,
}

impl Tools {
    /// Searches for the programs: in the folder that [`VARIABLE`] names, or else in `target/media` of the checkout that this
    /// program was built in, and ffmpeg also in `PATH`.
    ///
    /// # Errors
    /// If there is no ffmpeg with libvmaf.
    pub fn find() -> Result<Tools, Error> {
        let folders = folders();
        let named = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
        let in_path = || {
            let path = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&path).map(|folder| folder.join("ffmpeg")).find(|path| path.is_file())
        };
        let ffmpeg = named("ffmpeg").or_else(in_path).ok_or_else(|| missing("ffmpeg"))?;
        if !output(&ffmpeg, &["-hide_banner", "-filters"])?.contains(" libvmaf ") {
            let hint = format!(" ({} has no VMAF)", ffmpeg.display());
            return Err(Error::Missing { what: "ffmpeg with libvmaf".to_owned(), hint });
        }
        Ok(Tools { ffmpeg, vp9_layers: named("vp9-layers") })
    }

    /// Returns the encoder of VP9.
    ///
    /// # Errors
    /// If it is not there.
    pub fn vp9_layers(&self) -> Result<&Path, Error> {
        self.vp9_layers.as_deref().ok_or_else(|| missing("vp9-layers (an encoder over libvpx)"))
    }

    /// Checks that ffmpeg has an encoder.
    ///
    /// # Errors
    /// If it has not.
    pub fn require_encoder(&self, name: &str) -> Result<(), Error> {
        let encoders = output(&self.ffmpeg, &["-hide_banner", "-encoders"])?;
        match encoders.lines().any(|line| line.split_whitespace().nth(1) == Some(name)) {
            true => Ok(()),
            false => Err(missing(&format!("ffmpeg with {name}"))),
        }
    }

    /// Returns ffmpeg's version.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn ffmpeg_version(&self) -> Result<String, Error> {
        let text = output(&self.ffmpeg, &["-version"])?;
        let words: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().take(3).collect();
        Ok(words.join(" "))
    }

    /// Returns the version of libvpx.
    ///
    /// # Errors
    /// If the encoder cannot be run.
    pub fn libvpx_version(&self) -> Result<String, Error> {
        Ok(output(self.vp9_layers()?, &["--version"])?.trim().to_owned())
    }
}

fn missing(what: &str) -> Error {
    Error::Missing { what: what.to_owned(), hint: format!(", or name a folder with it in {VARIABLE}") }
}

fn folders() -> Vec<PathBuf> {
    if let Some(folder) = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
        return vec![PathBuf::from(folder)];
    }
    // Not above the current folder: no program is run because of where its user happens to be.
    let program = env::current_exe().unwrap_or_default();
    program.ancestors().map(|folder| folder.join(FOLDER)).filter(|folder| folder.is_dir()).collect()
}

/// Runs a program and returns what it prints.
fn output(program: &Path, arguments: &[&str]) -> Result<String, Error> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.map_err(Error::io(format!("{}: cannot run", program.display())))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
