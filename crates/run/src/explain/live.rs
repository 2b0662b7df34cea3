//! Live results: what their router and built-in applications did not see.

use std::collections::BTreeSet;

use jettison_report::{Manifest, Mode};

/// What is not seen in live results, for their reader; nothing of simulated ones.
pub(super) fn unseen(manifest: &Manifest) -> Vec<String> {
    if manifest.experiment.mode != Mode::Live {
        return Vec::new();
    }
    let mut said = vec![
        "A live run: the router's queues and links, and when the built-in applications wrote and read, are seen. What the hosts' \
         kernels did between them is not: TCP's windows, pacing and timers, and why a packet was sent again. That time is `unseen`."
            .to_owned(),
    ];
    let external: BTreeSet<&str> =
        manifest.live.iter().flat_map(|entry| &entry.facts.external).map(String::as_str).collect();
    let of =
        |name: &&str| format!("`{name}` is an external program: only its packets at the router are seen.");
    said.extend(external.iter().map(of));
    said
}
