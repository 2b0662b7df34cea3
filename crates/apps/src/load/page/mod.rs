//! Web browsing: pages of a document and its objects, loaded one after the other over a few connections.
//!
//! What a reader feels is the page-load time: from the click until the last object has arrived. The browser is at the flow's
//! `to`, the server at its `from`, so that pages flow from `from` to `to`.

mod browser;
mod server;

use jettison_core::{Bytes, Duration};
use jettison_registry::style::{Line::Dashed, TAN};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use browser::Browser;
use jettison_sockets::{FlowApplication, FlowApplications, FlowContext, FlowFacts, Initiator};
pub use server::PageServer;

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("page", "web pages", build)
        .style(TAN, Dashed)
        .summary("a reader of page after page: a document, then its objects over six connections")
        .source("RFC 7928 §7.2; RFC 9112 §9; HTTP Archive, Web Almanac 2024 (page weight)")
        .page("applications.md")
        .facts(FlowFacts { initiator: Initiator::To, ..FlowFacts::over(&["tcp"]) })
}

fn build(parameters: PageParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let options = context.tcp()?;
    parameters.validate()?;
    let (sizes, think) = ((context.random)("sizes"), (context.random)("think"));
    let request = parameters.request.get();
    Ok(FlowApplications {
        from: Box::new(PageServer::new(context.server.port, options.clone(), request)),
        to: Some(Box::new(Browser::new(parameters, context.server, options, sizes, think))),
    })
}

/// Parameters of `page`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PageParameters {
    /// Size of a page's document, with its head.
    pub document: Bytes,
    /// Number of objects of a page besides the document.
    pub objects: u32,
    /// Mean size of an object, with its head.
    pub object: Bytes,
    /// Standard deviation of the logarithm of the objects' sizes, 0 to 3: a lognormal distribution, cut at three standard
    /// deviations.
    pub variation: f64,
    /// Number of connections, 1 to 64.
    pub connections: u32,
    /// Size of a request, >= 8 bytes.
    pub request: Bytes,
    /// Bytes from the server that complete a connection's security handshake, asked for by a message of the size of a request;
    /// 0 for none.
    pub handshake: Bytes,
    /// Mean time from the end of a page to the next click (exponential).
    pub think: Duration,
}

impl Default for PageParameters {
    fn default() -> PageParameters {
        PageParameters {
            // The median desktop page of October 2024: 71 requests and 2,652 kB, 18 kB of which are HTML.
            document: Bytes::new(18_000),
            objects: 70,
            object: Bytes::new(37_600),
            variation: 1.25,
            connections: 6,
            request: Bytes::new(450),
            handshake: Bytes::new(4_000),
            think: Duration::from_secs(10),
        }
    }
}

/// Maximum number of objects of a page, and of connections.
const MOST_OBJECTS: u32 = 100_000;
const MOST_CONNECTIONS: u32 = 64;
/// Maximum size of a document or of the mean object.
const LARGEST: Bytes = Bytes::new(1_000_000_000);

impl PageParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        for (key, size) in [("document", self.document), ("object", self.object)] {
            let holds = size > Bytes::ZERO && size <= LARGEST;
            ParameterError::require(holds, key, &format!("be > 0 and at most {LARGEST}"), size)?;
        }
        let most = format!("be at most {MOST_OBJECTS}");
        ParameterError::require(self.objects <= MOST_OBJECTS, "objects", &most, self.objects)?;
        let holds = (0.0..=3.0).contains(&self.variation);
        ParameterError::require(holds, "variation", "be in [0, 3]", self.variation)?;
        let holds = (1..=MOST_CONNECTIONS).contains(&self.connections);
        let range = format!("be in [1, {MOST_CONNECTIONS}]");
        ParameterError::require(holds, "connections", &range, self.connections)?;
        let holds = (server::HEAD..=65_536).contains(&self.request.get());
        let range = "be 8 bytes (the size that it asks for) to 65536 bytes";
        ParameterError::require(holds, "request", range, self.request)?;
        let most = format!("be at most {LARGEST}");
        ParameterError::require(self.handshake <= LARGEST, "handshake", &most, self.handshake)
    }
}

#[cfg(test)]
mod tests;
