//! `jettison export sqm`: a configuration of OpenWrt's SQM, `/etc/config/sqm`.
//!
//! Options are those of the page "SQM configuration" of OpenWrt's user guide and of the sqm-scripts' own example. SQM knows CAKE
//! (`piece_of_cake.qos` without and `layer_cake.qos` with classes), and FQ-CoDel below one HTB shaper (`simplest.qos`).

use jettison_core::Rate;
use jettison_queue::Qdisc;
use jettison_registry::ParameterError;

use super::shell::Script;
use super::{Direction, HEADER, at_the_links_rate, option};
use crate::build::Builder;
use crate::error::CheckError;
use crate::scenario::{Scenario, Variant};

/// What to export.
#[derive(Debug, Clone, Default)]
pub struct SqmOptions {
    /// The variant; needed if there are several.
    pub variant: Option<String>,
    /// The access link; needed if there are several links.
    pub link: Option<String>,
    /// The node that sends the upload. Without it, the sender of the slower direction.
    pub router: Option<String>,
    /// OpenWrt's interface.
    pub interface: String,
}

/// One direction, as SQM has it.
struct Shaped {
    rate: Rate,
    qdisc: Qdisc,
    /// The link's overhead beside the IP length.
    overhead: i64,
}

impl Builder {
    /// The configuration of SQM for an access link of a variant.
    ///
    /// # Errors
    /// If the variant, link or node is unknown, the link's rate varies, or SQM does not know its queues.
    pub fn export_sqm(&self, scenario: &Scenario, options: &SqmOptions) -> Result<String, CheckError> {
        let variant = scenario.variant_named(options.variant.as_deref())?;
        let links = &variant.settings.links;
        let link = match (&options.link, links.len()) {
            (Some(link), _) => link.as_str(),
            (None, 1) => links.keys().next().map_or("", String::as_str),
            (None, _) => {
                let all = links.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let message = "the scenario has several links, and SQM shapes one".to_owned();
                return Err(
                    scenario.whole(message, format!("add `--link` with the access link, one of {all}"))
                );
            }
        };
        let directions = scenario.directions(variant, Some(link), None)?;
        let [forward, reverse] = directions.as_slice() else { return Ok(String::new()) };
        let forward_is_upload = match &options.router {
            Some(router) if *router == forward.settings.from => true,
            Some(router) if *router == reverse.settings.from => false,
            Some(router) => {
                let help = format!("name {} or {}", forward.settings.from, reverse.settings.from);
                return Err(scenario.whole(format!("node `{router}` is no end of link `{link}`"), help));
            }
            None => match (forward.rate(), reverse.rate()) {
                (Some(one), Some(other)) if one != other => one < other,
                (Some(_), Some(_)) => {
                    let message = format!("link `{link}` has the same rate in both directions");
                    let help = "add `--router` with the node that sends the upload".to_owned();
                    return Err(scenario.whole(message, help));
                }
                // Refused below, where its key is known.
                _ => true,
            },
        };
        let (up, down) = if forward_is_upload { (forward, reverse) } else { (reverse, forward) };
        let upload = self.sqm(scenario, variant, up)?;
        let download = self.sqm(scenario, variant, down)?;
        if upload.qdisc.kind != download.qdisc.kind {
            let error = ParameterError::whole(format!(
                "SQM has one discipline for both directions, got {} for the download and {} for the upload",
                download.qdisc.kind, upload.qdisc.kind
            ));
            return Err(scenario.error_at(
                variant,
                &up.queue_at,
                &error.with_help("set the same kind in both"),
            ));
        }
        Ok(written(scenario, options, (up, &upload), (down, &download)))
    }

    fn sqm(
        &self,
        scenario: &Scenario,
        variant: &Variant,
        direction: &Direction<'_>,
    ) -> Result<Shaped, CheckError> {
        let wrong = |error: &ParameterError| scenario.error_at(variant, &direction.queue_at, error);
        let found =
            direction.qdisc(self, &direction.context(self, false, HEADER)).map_err(|error| wrong(&error))?;
        let found = at_the_links_rate(found, direction.rate(), direction.settings.overhead);
        let shapes = found.shapes;
        // A token bucket around one discipline is what SQM's own shaper is.
        let qdisc = match (found.kind, found.children.as_slice()) {
            ("tbf", [(_, inner)]) => inner.clone(),
            _ => found,
        };
        if !["cake", "fq_codel"].contains(&qdisc.kind) {
            let message = format!("OpenWrt's SQM has CAKE and FQ-CoDel, not {}", qdisc.kind);
            return Err(wrong(&ParameterError::whole(message).with_help("set `cake` or `fq-codel`")));
        }
        let Some(rate) = shapes.or(direction.rate()) else {
            let message = "the rate of an access link must be fixed for SQM, got a trace or a cell";
            return Err(wrong(&ParameterError::whole(message).with_help("give the link a `rate`")));
        };
        if rate < Rate::from_kbit(1) {
            let message = format!("the rate of an access link must be >= 1 kbit/s for SQM, got {rate}");
            return Err(wrong(&ParameterError::whole(message)));
        }
        // CAKE counts from the IP length, the size table of other disciplines from the Ethernet frame.
        let whole = direction.settings.overhead.get() as i64;
        let overhead = match qdisc.kind {
            "cake" => option(&qdisc, "overhead").and_then(|text| text.parse().ok()).unwrap_or(whole),
            _ => whole - HEADER.get() as i64,
        };
        Ok(Shaped { rate, qdisc, overhead })
    }
}

/// Words of CAKE that have options of their own in SQM, with the number of words after them.
const OF_THE_LINK: [(&str, usize); 7] =
    [("bandwidth", 1), ("unlimited", 0), ("overhead", 1), ("mpu", 1), ("atm", 0), ("noatm", 0), ("ptm", 0)];
/// Those of FQ-CoDel.
const OF_THE_QUEUE: [(&str, usize); 4] = [("limit", 1), ("target", 1), ("ecn", 0), ("noecn", 0)];

/// The options without some words and what follows them.
fn rest(qdisc: &Qdisc, without: &[(&str, usize)]) -> String {
    let (mut kept, mut skip): (Vec<&str>, usize) = (Vec::new(), 0);
    for word in &qdisc.options {
        if skip > 0 {
            skip -= 1;
        } else if let Some((_, after)) = without.iter().find(|(name, _)| name == word) {
            skip = *after;
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}

fn written(
    scenario: &Scenario,
    options: &SqmOptions,
    (up, upload): (&Direction<'_>, &Shaped),
    (down, download): (&Direction<'_>, &Shaped),
) -> String {
    let mut script = Script::default();
    let (kind, is_cake) = (upload.qdisc.kind, upload.qdisc.kind == "cake");
    script.comment(format!(
        "/etc/config/sqm for the access link {} of {}, written by `jettison export sqm`.",
        up.link, scenario.name
    ));
    script.comment(format!(
        "Upload: from {} to {}. Download: the other way.",
        up.settings.from, up.settings.to
    ));
    for (which, shaped, direction) in [("download", download, down), ("upload", upload, up)] {
        for note in &shaped.qdisc.notes {
            script.comment(format!("{which}: {note}"));
        }
        if direction.settings.changes.iter().any(|change| change.rate.is_some()) {
            script.comment(format!("{which}: the link's rate changes during a run; this is the first"));
        }
    }
    if download.overhead != upload.overhead {
        script.comment(format!(
            "download: its overhead, {} bytes, is not the upload's; SQM has one",
            download.overhead
        ));
    }
    let has = |word: &str| upload.qdisc.options.iter().any(|own| own == word);
    let script_name = match (is_cake, has("besteffort")) {
        (true, true) => "piece_of_cake.qos",
        (true, false) => "layer_cake.qos",
        (false, _) => "simplest.qos",
    };
    let name: String =
        options.interface.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    script.line("");
    script.line(format!("config queue '{name}'"));
    let mut option_line =
        |key: &str, value: &str| script.line(format!("\toption {key} '{}'", value.replace('\'', "")));
    option_line("enabled", "1");
    option_line("interface", &options.interface);
    option_line("download", &(download.rate.as_bits() / 1_000).to_string());
    option_line("upload", &(upload.rate.as_bits() / 1_000).to_string());
    option_line("qdisc", kind);
    option_line("script", script_name);
    let layer = match (has("atm"), upload.overhead) {
        (true, _) => "atm",
        (false, 0) => "none",
        (false, _) => "ethernet",
    };
    option_line("linklayer", layer);
    if layer != "none" {
        option_line("overhead", &upload.overhead.to_string());
    }
    if let Some(mpu) = option(&upload.qdisc, "mpu").filter(|mpu| *mpu != "0") {
        option_line("linklayer_advanced", "1");
        option_line("tcMPU", mpu);
    }
    let marks = |shaped: &Shaped| match is_cake || shaped.qdisc.options.iter().any(|word| word == "ecn") {
        true => "ECN",
        false => "NOECN",
    };
    option_line("qdisc_advanced", "1");
    option_line("squash_dscp", "0");
    option_line("squash_ingress", "0");
    option_line("ingress_ecn", marks(download));
    option_line("egress_ecn", marks(upload));
    option_line("qdisc_really_really_advanced", "1");
    for (prefix, shaped) in [("i", download), ("e", upload)] {
        let opts =
            if is_cake { rest(&shaped.qdisc, &OF_THE_LINK) } else { rest(&shaped.qdisc, &OF_THE_QUEUE) };
        if !is_cake {
            for key in ["limit", "target"] {
                if let Some(value) = option(&shaped.qdisc, key) {
                    option_line(&format!("{prefix}{key}"), value);
                }
            }
        }
        if !opts.is_empty() {
            option_line(&format!("{prefix}qdisc_opts"), &opts);
        }
    }
    script.finish()
}
