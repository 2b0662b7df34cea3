//! The pages: the one that `make web` builds from `web/`, if this program was built after that, and a plain one that is
//! always there.

use std::borrow::Cow;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use rust_embed::Embed;

/// What `make web` left.
#[derive(Embed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Built;

/// Whether this program has the page with plots that `make web` builds. Without it the plain page is served.
pub fn has_built_page() -> bool {
    Built::get("index.html").is_some()
}

/// A file of a page.
pub(crate) struct File {
    kind: &'static str,
    content: Cow<'static, [u8]>,
}

impl IntoResponse for File {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, self.kind)], self.content).into_response()
    }
}

/// The page at `/`.
pub(crate) fn index() -> File {
    match Built::get("index.html") {
        Some(file) => File { kind: kind("index.html"), content: file.data },
        None => plain(),
    }
}

/// The page that needs no build and no library.
pub(crate) fn plain() -> File {
    text("plain.html", include_str!("plain/plain.html"))
}

/// The file at `/assets/<path>`.
pub(crate) fn asset(path: &str) -> Option<File> {
    match path {
        "plain.js" => Some(text("plain.js", include_str!("plain/plain.js"))),
        "plain.css" => Some(text("plain.css", include_str!("plain/plain.css"))),
        _ => Built::get(&format!("assets/{path}")).map(|file| File { kind: kind(path), content: file.data }),
    }
}

fn text(name: &str, content: &'static str) -> File {
    File { kind: kind(name), content: Cow::Borrowed(content.as_bytes()) }
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
