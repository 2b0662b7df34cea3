#![forbid(unsafe_code)]
//! Scripts and styles of plots, for the report and the live page: uPlot, which draws lines, and our modules around it
//! (`web/plots`). Without uPlot, the modules draw plain lines.

mod bundle;

pub use bundle::{Module, bundle};

/// A library that draws lines: a script that defines `uPlot`, and its style. Both are empty if the program was built without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library {
    /// The script.
    pub script: &'static str,
    /// The style.
    pub style: &'static str,
}

/// uPlot as it was found at build time.
pub const LIBRARY: Library = Library {
    script: include_str!(concat!(env!("OUT_DIR"), "/uPlot.iife.min.js")),
    style: include_str!(concat!(env!("OUT_DIR"), "/uPlot.min.css")),
};

/// The style of plots.
pub const STYLE: &str = include_str!("../../../web/plots/style.css");

/// Builds a list of modules in `web/plots`.
macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        &[$(Module {
            path: concat!("plots/", $name),
            source: include_str!(concat!("../../../web/plots/", $name)),
        }),*]
    };
}

/// Our modules.
pub const MODULES: &[Module] = modules![
    "axes.js",
    "colour.js",
    "columns.js",
    "dom.js",
    "format.js",
    "library.js",
    "markers.js",
    "painter.js",
    "plain.js",
    "plot.js",
    "tip.js",
    "trace.js",
];

impl Library {
    /// A library that draws nothing.
    pub const NONE: Library = Library { script: "", style: "" };

    /// Whether there is one.
    pub const fn exists(&self) -> bool {
        !self.script.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_module_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/plots");
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut files: Vec<String> = names
            .map(|name| name.into_string().unwrap())
            .filter(|name| name.ends_with(".js"))
            .map(|name| format!("plots/{name}"))
            .collect();
        files.sort();
        let known: Vec<&str> = MODULES.iter().map(|module| module.path).collect();
        assert_eq!(known, files);
    }

    #[test]
    fn a_library_defines_its_name() {
        // A build without uPlot embeds two empty files.
        assert_eq!(LIBRARY.script.is_empty(), LIBRARY.style.is_empty());
        assert!(!LIBRARY.exists() || LIBRARY.script.contains("var uPlot="));
        assert!(!LIBRARY.script.contains("</script"), "it fits into a page");
    }
}
