//! Files of the page: its own (`web/page`), which need no build step and are embedded, and those of its plots.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use jettison_plots::{LIBRARY, MODULES};

/// Builds a list of names and contents of files in `web/page`.
macro_rules! page_files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../web/page/", $name)))),*]
    };
}

const INDEX: &str = include_str!("../../../web/page/index.html");
/// Files that the page loads.
const ASSETS: &[(&str, &str)] = page_files![
    "cards.js",
    "figure.js",
    "header.js",
    "main.js",
    "palette.js",
    "protocol.js",
    "store.js",
    "style.css",
];

/// A file of the page.
pub(crate) struct File {
    name: &'static str,
    content: &'static str,
}

impl IntoResponse for File {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, content_type(self.name))], self.content).into_response()
    }
}

/// Returns the page at `/`.
pub(crate) fn index() -> File {
    File { name: "index.html", content: INDEX }
}

/// Returns the file at `/assets/<name>`.
pub(crate) fn asset(name: &str) -> Option<File> {
    ASSETS.iter().find(|(known, _)| *known == name).map(|&(name, content)| File { name, content })
}

/// Returns the file at `/plots/<name>`. A library that the program was built without is empty.
pub(crate) fn of_plots(name: &str) -> Option<File> {
    let library = [
        ("uPlot.iife.min.js", LIBRARY.script),
        ("uPlot.min.css", LIBRARY.style),
        ("style.css", jettison_plots::STYLE),
    ];
    let modules = MODULES.iter().map(|module| (module.path, module.source));
    let modules = modules.map(|(path, source)| (path.rsplit('/').next().unwrap_or(path), source));
    let found = library.into_iter().chain(modules).find(|(known, _)| *known == name);
    found.map(|(name, content)| File { name, content })
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_page_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/page");
        let mut files: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "index.html")
            .collect();
        files.sort();
        let known: Vec<&str> = ASSETS.iter().map(|(name, _)| *name).collect();
        assert_eq!(known, files);
    }
}
