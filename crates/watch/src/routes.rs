//! Routes of the server: page, files, event stream and newest state.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::IpAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::Stream;
use futures_util::stream::unfold;

use crate::history::{Entry, Reader};
use crate::pages::{self, File};
use crate::server::{Source, locked};

/// Delay before a browser reconnects after it lost the stream.
const RETRY: Duration = Duration::from_secs(1);
/// Interval of comments on an idle stream, by which both ends detect a broken connection.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Security policy: the page loads only its own files, and cannot be embedded in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn router(source: Source) -> Router {
    Router::new()
        .route("/", get(async || pages::index()))
        .route("/assets/{name}", get(asset))
        .route("/plots/{name}", get(of_plots))
        .route("/events", get(events))
        .route("/api/state", get(state))
        .layer(middleware::from_fn(guard))
        .with_state(source)
}

/// Rejects requests whose Host is not a loopback name, which prevents DNS rebinding: a foreign site's name that resolves to
/// this machine.
async fn guard(request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !is_loopback(host) {
        let message = "The host of the address must be localhost or 127.0.0.1.\n";
        return (StatusCode::FORBIDDEN, message).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // The next program on this port may serve another version of the page.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Whether `host`, the value of a Host header (RFC 9110 §7.2), is a loopback name. The port is ignored: it may be that of a
/// tunnel.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

async fn asset(Path(name): Path<String>) -> Result<File, (StatusCode, &'static str)> {
    pages::asset(&name).ok_or((StatusCode::NOT_FOUND, "Unknown file.\n"))
}

async fn of_plots(Path(name): Path<String>) -> Result<File, (StatusCode, &'static str)> {
    pages::of_plots(&name).ok_or((StatusCode::NOT_FOUND, "Unknown file.\n"))
}

/// Streams the history and then new events, so that a page needs no state to connect or reconnect.
async fn events(State(source): State<Source>) -> Sse<impl Stream<Item = Result<SseEvent, Infallible>>> {
    let subscription =
        Subscription { source, reader: Reader::default(), pending: VecDeque::new(), greeted: false };
    Sse::new(unfold(subscription, Subscription::next)).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}

struct Subscription {
    source: Source,
    reader: Reader,
    pending: VecDeque<Entry>,
    greeted: bool,
}

impl Subscription {
    async fn next(mut self) -> Option<(Result<SseEvent, Infallible>, Subscription)> {
        if !self.greeted {
            self.greeted = true;
            return Some((Ok(SseEvent::default().retry(RETRY)), self));
        }
        while self.pending.is_empty() {
            // The order matters: an event published after this line wakes the wait below.
            self.source.newest.borrow_and_update();
            self.reader.take(&locked(&self.source.history), &mut self.pending);
            if self.pending.is_empty() && self.source.newest.changed().await.is_err() {
                return None;
            }
        }
        let entry = self.pending.pop_front()?;
        Some((Ok(SseEvent::default().id(entry.sequence.to_string()).data(entry.json)), self))
    }
}

/// Returns `{"layout": …, "snapshot": …}`: the run's layout and its newest snapshot, `null` if missing.
async fn state(State(source): State<Source>) -> impl IntoResponse {
    let (layout, snapshot) = locked(&source.history).newest();
    let or_null =
        |json: Option<std::sync::Arc<str>>| json.map_or("null".to_string(), |json| json.to_string());
    let body = format!("{{\"layout\":{},\"snapshot\":{}}}", or_null(layout), or_null(snapshot));
    ([(header::CONTENT_TYPE, "application/json")], body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for host in
            ["localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:80", "127.1.2.3:1", "[::1]", "[::1]:9000"]
        {
            assert!(is_loopback(host), "{host}");
        }
        let others = [
            "",
            "example.org",
            "localhost.example.org",
            "127.0.0.1.example.org:80",
            "192.0.2.1:80",
            "[2001:db8::1]",
            "[",
        ];
        for host in others {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
