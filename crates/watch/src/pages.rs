//! The page: the files of `web/page`, which need no build and are part of the program.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// Names and contents of files of `web/page`.
macro_rules! page_files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../web/page/", $name)))),*]
    };
}

const INDEX: &str = include_str!("../../../web/page/index.html");
/// What the page loads.
const ASSETS: &[(&str, &str)] = page_files![
    "cards.js",
    "chart.js",
    "dom.js",
    "format.js",
    "geometry.js",
    "header.js",
    "main.js",
    "palette.js",
    "plot.js",
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
        ([(header::CONTENT_TYPE, kind(self.name))], self.content).into_response()
    }
}

/// The page at `/`.
pub(crate) fn index() -> File {
    File { name: "index.html", content: INDEX }
}

/// The file at `/assets/<name>`.
pub(crate) fn asset(name: &str) -> Option<File> {
    ASSETS.iter().find(|(known, _)| *known == name).map(|&(name, content)| File { name, content })
}

fn kind(name: &str) -> &'static str {
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
    fn every_file_of_the_page_is_in_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/page");
        let mut there: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "index.html")
            .collect();
        there.sort();
        let known: Vec<&str> = ASSETS.iter().map(|(name, _)| *name).collect();
        assert_eq!(known, there);
    }
}
