//! Provenance: the experiment, its configuration and inputs, and the files in the folder.

use super::escape::escape;
use super::palette::looks;
use crate::model::{HostSettings, LiveFacts, Mode, Status};
use crate::store::{Results, stored_logs};
use crate::warning::Warning;

/// Title, description and key facts.
pub(super) fn head(results: &Results) -> String {
    let manifest = &results.manifest;
    let experiment = &manifest.experiment;
    let mut out = format!("<header>\n<h1>{}</h1>\n", escape(&experiment.name));
    if !experiment.description.is_empty() {
        out.push_str(&format!("<p>{}</p>\n", escape(&experiment.description)));
    }
    let facts = [
        ("mode", experiment.mode.to_string()),
        ("variants", experiment.variants.len().to_string()),
        ("seeds", experiment.seeds.len().to_string()),
        ("runs", manifest.runs.len().to_string()),
        ("duration", experiment.duration.to_string()),
        ("warm-up", experiment.warm_up.to_string()),
    ];
    out.push_str("<ul class=\"facts\">");
    for (name, value) in facts {
        out.push_str(&format!("<li><span class=\"soft\">{name}</span> <b>{}</b></li>", escape(&value)));
    }
    out.push_str("</ul>\n");
    if manifest.status == Status::Interrupted {
        let all = experiment.variants.len() * experiment.seeds.len();
        out.push_str(&format!(
            "<p class=\"banner\" role=\"status\"><b>Interrupted.</b> {} of {all} runs finished; everything below covers \
             only these.</p>\n",
            manifest.runs.len()
        ));
    }
    if !manifest.failures.is_empty() {
        let all = experiment.variants.len() * experiment.seeds.len();
        out.push_str(&format!(
            "<div class=\"banner failed\" role=\"alert\"><p><b>Failures.</b> {} of {all} runs have \
             measurements.</p>\n<ul>",
            manifest.runs.len()
        ));
        for failure in &manifest.failures {
            out.push_str(&format!("<li>{}</li>", escape(&failure.to_string())));
        }
        out.push_str("</ul></div>\n");
    }
    out.push_str(&warnings(results));
    out.push_str("</header>\n");
    out
}

/// Warnings, one line each; the concerned values are folded away if they are many.
fn warnings(results: &Results) -> String {
    if results.warnings.is_empty() {
        return String::new();
    }
    let line = |warning: &Warning| {
        let all = match warning.concerns.len() > WARNED {
            true => format!(
                "<details><summary>all {}</summary>{}</details>",
                warning.concerns.len(),
                escape(&warning.concerns.join(", "))
            ),
            false => String::new(),
        };
        format!("<li>{}{all}</li>", escape(&warning.text()))
    };
    let lines: String = results.warnings.iter().map(line).collect();
    format!("<div class=\"banner\" role=\"status\"><p><b>Warnings.</b></p>\n<ul>{lines}</ul></div>\n")
}

/// Number of concerned values that a warning's line names at most.
const WARNED: usize = 4;
/// Maximum number of variants in a list that is not collapsed.
const LISTED: usize = 20;

/// The variants and their labels.
pub(super) fn experiment(results: &Results) -> String {
    let variants = results.manifest.experiment.variants.len();
    match variants > LISTED {
        true => format!(
            "<details><summary>{variants} variants</summary>\n{}</details>\n",
            variants_table(results)
        ),
        false => variants_table(results),
    }
}

fn variants_table(results: &Results) -> String {
    let experiment = &results.manifest.experiment;
    let mut axes: Vec<&str> = Vec::new();
    for axis in experiment.variants.iter().flat_map(|variant| variant.labels.keys()) {
        if !axes.contains(&axis.as_str()) {
            axes.push(axis);
        }
    }
    // A single axis whose values are the variants' names adds nothing.
    axes.retain(|axis| experiment.variants.iter().any(|v| v.labels.get(*axis) != Some(&v.name)));
    let mut out = String::from("<div class=\"scroll\"><table>\n<thead><tr><th>variant</th>");
    for axis in &axes {
        out.push_str(&format!("<th>{}</th>", escape(axis)));
    }
    out.push_str("<th class=\"number\">runs</th></tr></thead>\n<tbody>\n");
    // Sorted by the labels that options accept.
    for (variant, look) in experiment.variants.iter().zip(looks(experiment)) {
        let (chip, title) = (look.stroke.chip(), escape(&variant.title()));
        out.push_str(&format!("<tr><td class=\"name\">{chip}{title}</td>"));
        for axis in &axes {
            let label = variant.labels.get(*axis).map_or("", String::as_str);
            out.push_str(&format!("<td>{}</td>", escape(label)));
        }
        let runs = results.manifest.runs.iter().filter(|run| run.key.variant == variant.name).count();
        out.push_str(&format!("<td class=\"number\">{runs}</td></tr>\n"));
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// Program, seeds, inputs, configuration and files.
pub(super) fn section(results: &Results) -> String {
    let manifest = &results.manifest;
    let experiment = &manifest.experiment;
    let seeds: Vec<String> = experiment.seeds.iter().map(u64::to_string).collect();
    let mut out = format!(
        "<table><tbody>\n<tr><th>program</th><td>{} {}{}</td></tr>\n<tr><th>seeds</th><td><code>{}</code></td></tr>\n",
        escape(&manifest.program),
        escape(&manifest.version),
        manifest.commit.as_ref().map_or_else(String::new, |commit| format!(" ({})", escape(commit))),
        seeds.join(" "),
    );
    for input in &experiment.inputs {
        out.push_str(&format!(
            "<tr><th>input</th><td>{}<br><code>sha256 {}</code></td></tr>\n",
            escape(&input.path),
            escape(&input.sha256)
        ));
    }
    out.push_str(&live(results));
    out.push_str("</tbody></table>\n");
    out.push_str(&logs(results));
    if !experiment.configuration.is_empty() {
        out.push_str(&format!(
            "<details><summary>Effective configuration</summary>\n<pre>{}</pre></details>\n",
            escape(&experiment.configuration)
        ));
    }
    out.push_str(
        "<details><summary>Files beside this page</summary>\n<table><tbody>\n\
         <tr><td><code>queues.parquet</code>, <code>flows.parquet</code></td><td>series: variant, seed, time_ns, object, \
         metric, part, value, mode</td></tr>\n\
         <tr><td><code>drops.parquet</code></td><td>one row per drop or mark: variant, seed, time_ns, queue, flow, \
         reason, length, id, outcome, packet, instance, unit, number, part, offset, retransmission, previous, waited_ns, \
         backlog_packets, backlog_bytes, holders, gauges, mode</td></tr>\n\
         <tr><td><code>distributions.parquet</code></td><td>cumulative: variant, seed, object, metric, value_ms, \
         share, mode</td></tr>\n\
         <tr><td><code>frames.parquet</code></td><td>one row per frame of real-time video: variant, seed, flow, frame, \
         captured_ns, layers, latency_ms, sqi_ssim, ssim, mode</td></tr>\n\
         <tr><td><code>events.parquet</code></td><td>one row per viewer's event: variant, seed, flow, id, kind, since_ns, at_ns, \
         duration_ns, cost (seconds), unit, number, part, mode</td></tr>\n\
         <tr><td><code>accounts.parquet</code></td><td>one row per part of a unit's delay: variant, seed, flow, unit, number, \
         part, start_ns, end_ns, status, reason, component, place, ns, drop, mode</td></tr>\n\
         <tr><td><code>runs.parquet</code></td><td>summary values per run</td></tr>\n\
         <tr><td><code>summary.parquet</code>, <code>summary.json</code></td><td>means and intervals over \
         seeds</td></tr>\n\
         <tr><td><code>differences.parquet</code></td><td>differences from the baseline, paired by seed</td></tr>\n\
         <tr><td><code>warnings.json</code></td><td>the warnings above</td></tr>\n\
         <tr><td><code>manifest.json</code></td><td>the experiment, its configuration and inputs</td></tr>\n\
         <tr><td><code>scenario.toml</code></td><td>the scenario as it was run</td></tr>\n\
         <tr><td><code>timing.json</code></td><td>durations of the runs</td></tr>\n\
         </tbody></table></details>\n",
    );
    out
}

/// Conditions of live runs: one row per distinct set.
fn live(results: &Results) -> String {
    let manifest = &results.manifest;
    let mut alike: Vec<(LiveFacts, Vec<String>)> = Vec::new();
    for entry in &manifest.live {
        let run = entry.key.to_string();
        // Lateness, which differs between all runs, has a section of its own.
        let own = LiveFacts { timeliness: None, ..entry.facts.clone() };
        match alike.iter_mut().find(|(facts, _)| *facts == own) {
            Some((_, runs)) => runs.push(run),
            None => alike.push((own, vec![run])),
        }
    }
    let is_one = alike.len() == 1;
    let mut out = String::new();
    for (facts, runs) in alike {
        let of = if is_one {
            String::new()
        } else {
            format!(" <span class=\"soft\">of {}</span>", escape(&runs.join(", ")))
        };
        out.push_str(&format!(
            "<tr><th>live{of}</th><td>router scheduled {}{}, offload {}, Linux {}",
            escape(&facts.scheduling),
            escape(&others(&facts)),
            escape(&facts.offload),
            escape(&facts.kernel),
        ));
        facts.notes.iter().for_each(|note| out.push_str(&format!("<br>{}", escape(note))));
        facts.settings.iter().for_each(|settings| out.push_str(&kernel_settings(settings)));
        out.push_str("</td></tr>\n");
    }
    out
}

/// Scheduling of the hosts and programs, after that of the router.
fn others(facts: &LiveFacts) -> String {
    let all = [("hosts", &facts.hosts_scheduling), ("programs", &facts.programs_scheduling)];
    all.iter().filter(|(_, how)| !how.is_empty()).map(|(what, how)| format!(", {what} {how}")).collect()
}

/// Settings of the kernels of some hosts, folded.
fn kernel_settings(settings: &HostSettings) -> String {
    let lines = settings.values.iter().map(|(name, value)| escape(&format!("{name} = {value}")));
    format!(
        "<details><summary>settings of {}</summary>\n<pre>{}</pre></details>\n",
        escape(&settings.hosts.join(", ")),
        lines.collect::<Vec<_>>().join("\n")
    )
}

/// Links to the programs' logs.
fn logs(results: &Results) -> String {
    // Only live runs have logs.
    if results.manifest.experiment.mode == Mode::Simulated {
        return String::new();
    }
    let logs = stored_logs(&results.folder);
    if logs.is_empty() {
        return String::new();
    }
    let mut out = String::from("<details open><summary>Output of the programs</summary>\n<ul>");
    for (path, bytes) in logs {
        out.push_str(&format!(
            "<li><a href=\"{}\">{}</a> <span class=\"soft\">{bytes} bytes</span></li>\n",
            relative_url(&path),
            escape(&path)
        ));
    }
    out.push_str("</ul></details>\n");
    out
}

/// A path as a relative URL, with reserved characters percent-encoded (RFC 3986 §2.1).
fn relative_url(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into())
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
