use super::*;
use crate::model::Status;
use crate::reproduction::tests::row;
use crate::reproduction::{ReproductionRow, Verdict};
use crate::testing;
use crate::testing::streaming::{self, Scene};

/// The page of three variants with three seeds.
fn page() -> String {
    let folder = tempfile::tempdir().unwrap();
    render(&testing::results(&folder.path().join("out"))).unwrap()
}

#[test]
fn the_page_is_self_contained() {
    let page = page();
    for outside in ["http:", "https:", "//", "src=", "url(", "@import", "<script", "<link", "<iframe"] {
        assert!(!page.contains(outside), "{outside} is in the page");
    }
    for link in page.split("href=\"").skip(1) {
        assert!(link.starts_with('#'), "{}", &link[..20]);
        let id = &link[1..link.find('"').unwrap()];
        assert!(page.contains(&format!("id=\"{id}\"")), "no section {id}");
    }
}

#[test]
fn all_elements_are_closed() {
    let page = page();
    for element in
        ["html", "main", "section", "div", "figure", "table", "tr", "ul", "details", "svg", "text", "title"]
    {
        let opened =
            page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
        assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
    }
}

#[test]
fn text_from_the_scenario_is_escaped() {
    let page = page();
    assert!(page.contains("A &lt;made-up&gt; experiment &amp; its values."));
    assert!(!page.contains("<made-up>"));
}

#[test]
fn it_shows_plots_of_all_kinds_with_names_for_screen_readers() {
    let page = page();
    for title in [
        "Backlog of bottleneck.forward over time, one line per variant",
        "Goodput of bulk over time, one line per variant",
        "Cumulative distribution of Sojourn time of bottleneck.forward, one line per variant",
        "Cumulative distribution of Throughput of bottleneck.forward, one line per variant",
        "sojourn p99 of bottleneck.forward, one bar per variant",
        "Drops by reason, one bar per variant",
        "RTT of ping over time, one line per variant",
    ] {
        assert!(page.contains(&format!("aria-label=\"{title}\"")), "{title}");
    }
    assert!(page.contains("<h3>Rolling RTT</h3>") && page.contains("<h3>Throughput CDF</h3>"));
    // An idle queue gets no plots.
    assert!(!page.contains("of access.forward over time"));
}

#[test]
fn requested_gauges_have_plots_with_their_descriptions() {
    let folder = tempfile::tempdir().unwrap();
    let results = testing::gauges(&folder.path().join("out"));
    assert_eq!(results.manifest.gauges["codel_count"], "Signals since it <began>.");
    assert_eq!(results.manifest.unit("codel_count"), "count");
    let page = render(&results).unwrap();
    for title in [
        "codel count of bottleneck.forward over time, one line per variant",
        "codel count, band.1, of bottleneck.forward over time, one line per variant",
    ] {
        assert_eq!(page.matches(&format!("aria-label=\"{title}\"")).count(), 1, "{title}");
    }
    assert!(page.contains("Signals since it &lt;began&gt;."));
    let more = page.find("<summary>More series</summary>").unwrap_or(usize::MAX);
    assert!(page.find("codel count of").unwrap() < more, "it is not folded away");
    // Without gauges, the page and the manifest do not mention them.
    let plain = testing::results(&folder.path().join("plain"));
    assert!(plain.manifest.gauges.is_empty());
    assert!(!serde_json::to_string(&plain.manifest).unwrap().contains("gauges"));
}

#[test]
fn many_variants_get_panels_of_their_own_and_stay_readable() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..20).map(|i| format!("variant-{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let page = render(&testing::stored(&folder.path().join("out"), &names, 1)).unwrap();
    assert!(page.contains("Backlog of bottleneck.forward over time under variant-19"));
    // 20 variants in groups of as many as there are colours.
    let title =
        "aria-label=\"Cumulative distribution of Sojourn time of bottleneck.forward, one line per variant\"";
    assert_eq!(page.matches(title).count(), 3);
    assert!(page.len() < 8_000_000, "{}", page.len());
}

#[test]
fn many_variants_over_two_axes_make_matrices() {
    let folder = tempfile::tempdir().unwrap();
    let page = render(&testing::of_two_axes(&folder.path().join("out"), 7, 3)).unwrap();
    assert!(page.contains("<section id=\"matrix\""));
    assert!(page.contains("<h3>sojourn p99 (ms) <span class=\"soft\">of bottleneck.forward</span></h3>"));
    assert!(page.contains("<th scope=\"col\" class=\"number\">load-<wbr>2</th>"));
    // One row per queue in each matrix, with the darkest and the lightest colour of the ramp.
    let matrices = page.matches("<table class=\"matrix\">").count();
    assert_eq!(page.matches("<th scope=\"row\">queue-6</th>").count(), matrices);
    assert!(page.contains("background:#6ba3d6") && page.contains("background:#ffffff"));
    // Still few enough for plots.
    assert!(page.contains("<section id=\"bars\""));
    assert_eq!(
        page.matches("<summary>21 variants</summary>").count(),
        1,
        "the list of what was run is folded"
    );
}

#[test]
fn quality_of_experience_is_drawn_over_time_and_as_distributions() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene { loads: 1, web: true, seconds: 180, ..Scene::default() };
    let results = streaming::stored(&folder.path().join("out"), scene, &["newreno", "newcwv"], 2);
    let page = render(&results).unwrap();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    // The sender's state is next to the buffer.
    let order = [
        "<h3>Playout buffer of client</h3>",
        "<h3>Congestion window of client</h3>",
        "<h3>A minute of client from 60 s on</h3>",
        "In flight of client over time, one line per variant",
        "<h3>Frames per second of client</h3>",
        "<h3>Representation of client</h3>",
        "<h3>Segment rate of client</h3>",
        "<h3>Active players of load</h3>",
        "<h3>Playout buffer of load</h3>",
        "Cumulative distribution of Frames per second of client",
        "Cumulative distribution of Frames per second of load",
        "Cumulative distribution of Playout buffer of client",
        "Cumulative distribution of Burst time of client",
        "Cumulative distribution of Throughput of bottleneck.forward",
    ];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "in another order");
    assert!(place("<h3>In flight of client</h3>") > place("<summary>More series</summary>"));
    assert!(!page.contains("A minute of load"), "a load has no window to look at closely");
    assert!(
        page.contains(">Frames per second\n") && !page.contains("Frames per second ("),
        "no unit is said twice"
    );
}

#[test]
fn many_values_of_a_third_axis_make_one_matrix_of_all_and_one_of_means() {
    let folder = tempfile::tempdir().unwrap();
    let page = render(&streaming::of_three_axes(&folder.path().join("out"), [3, 2, 11])).unwrap();
    assert!(page.contains("<h3>Mean over 11 values of profile</h3>"));
    let means = page.find("<p><b>linear QoE (kbit/s)</b> <span class=\"soft\">of client</span></p>").unwrap();
    let whole = page.find("<h3>linear QoE (kbit/s) <span class=\"soft\">of client</span></h3>").unwrap();
    assert!(means < whole);
    let whole = &page[whole..whole + page[whole..].find("</table>").unwrap()];
    assert_eq!(whole.matches("<th scope=\"rowgroup\" colspan=\"13\">").count(), 3);
    assert_eq!(whole.matches("<th scope=\"row\">queue-1</th>").count(), 3);
    assert_eq!(whole.matches("<td ").count(), 3 * 2 * 12);
    assert_eq!(whole.matches("<td class=\"number mean\"").count(), 6);
    assert!(page.find("<h3>stall ratio").unwrap() < page.find("<summary>More metrics</summary>").unwrap());
    assert!(page.find("<h3>drop rate").unwrap() > page.find("<summary>More metrics</summary>").unwrap());
}

#[test]
fn too_many_variants_get_no_plots() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::of_two_axes(&folder.path().join("out"), 7, 9);
    results.manifest.experiment.figures.clear();
    let page = render(&results).unwrap();
    assert_eq!(page.matches("<summary>63 variants</summary>").count(), 2, "and the comparison");
    assert!(page.contains("<section id=\"matrix\""));
    for id in ["bars", "figures", "queues", "flows", "distributions", "drops"] {
        assert!(!page.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
}

#[test]
fn few_variants_make_no_matrix() {
    assert!(!page().contains("<section id=\"matrix\""));
}

#[test]
fn an_interrupted_experiment_and_a_missing_series_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::results(&folder.path().join("out"));
    results.manifest.status = Status::Interrupted;
    results.manifest.experiment.figures[0].object = "nobody".to_owned();
    let page = render(&results).unwrap();
    assert!(
        page.contains("Interrupted.") && page.contains("No run has a series <code>rtt</code> of nobody.")
    );
}

#[test]
fn reproduction_rows_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::results(&folder.path().join("out"));
    assert!(!render(&results).unwrap().contains("Comparison with the paper"));
    results.reproduction.push(ReproductionRow {
        figure: "Fig. 7".to_owned(),
        verdict: Verdict::Contradicts,
        note: "why & how".to_owned(),
        nominal: true,
        ..row()
    });
    let page = render(&results).unwrap();
    assert!(page.contains("<td class=\"verdict contradicts\">contradicts</td><td>why &amp; how</td>"));
    assert!(page.contains("<td class=\"number\">(&gt; 1)</td>"), "a nominal value is marked");
    assert!(page.contains("<dt>contradicts</dt><dd>the sentence does not hold"));
    assert!(!page.contains("<dt>agrees</dt>"), "the legend holds the words shown");
}

#[test]
fn an_experiment_without_runs_makes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = testing::experiment(&["a"], 1);
    let writer =
        crate::store::Writer::create(&folder.path().join("out"), experiment, Default::default()).unwrap();
    let results = writer.finish(Default::default()).unwrap();
    assert!(render(&results).unwrap().contains("No measurements."));
}

#[test]
fn a_live_report_shows_its_mode_failures_and_lateness() {
    let folder = tempfile::tempdir().unwrap();
    let results = testing::live(&folder.path().join("out"));
    let page = render(&results).unwrap();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    let order = [
        "<span class=\"soft\">mode</span> <b>live</b>",
        "<b>Failures.</b> 3 of 4 runs have measurements.",
        "<li>tail-drop (seed 2): `iperf3` ended with status 1</li>",
        "<li>codel (seed 2) after 3.2 s: the router was killed by SIGKILL</li>",
        "<h2 id=\"lateness-title\">Lateness of packets</h2>",
        ">Lateness (µs)\n",
        "router scheduled SCHED_FIFO 50, offload checksums, Linux 6.18.5<br>two cores",
        "<a href=\"logs/codel/1/iperf3%20%231.log\">logs/codel/1/iperf3 #1.log</a> <span class=\"soft\">12 bytes</span>",
    ];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "in another order");
    // One row per variant and direction; both directions are drawn once.
    let section = &page[place("id=\"lateness-title\"")..];
    let section = &section[..section.find("</section>").unwrap()];
    assert_eq!(section.matches("<td>bottleneck.forward</td>").count(), 2);
    assert_eq!(section.matches("<td>access.forward</td>").count(), 2);
    assert_eq!(page.matches("aria-label=\"Cumulative distribution of Lateness").count(), 2);
    assert_eq!(page.matches("<tr><th>live</th>").count(), 1, "runs alike share a row");
    // The largest value is 4 µs and a quarter of 99.
    let row = &section[section.find("<td>bottleneck.forward</td>").unwrap()..];
    let row = &row[..row.find("</tr>").unwrap()];
    assert!(row.ends_with("<td class=\"number\">28.0</td>"), "{row}");
}

#[test]
fn a_live_report_shows_the_lateness_of_threads_and_the_settings_of_kernels() {
    use crate::model::{HostSettings, ThreadLateness, Timeliness};
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::live(&folder.path().join("out"));
    let thread = |of: &str, p99_us: f64, late| ThreadLateness {
        of: of.to_owned(),
        p50_us: 5.0,
        p99_us,
        max_us: 6_000.0,
        late,
    };
    for (place, entry) in results.manifest.live.iter_mut().enumerate() {
        let threads = vec![thread("router", 40.0, false), thread("hosts", 4_127.0 + place as f64, true)];
        let timeliness =
            Timeliness { late: true, limit_us: 271.0, threads, cpu_pressure: Some(99.5), steal: None };
        entry.facts.timeliness = Some(timeliness);
        entry.facts.hosts_scheduling = "normal (not <permitted>)".to_owned();
        let values =
            [("net.ipv4.tcp_wmem".to_owned(), "4096 16384 33554432".to_owned())].into_iter().collect();
        entry.facts.settings = vec![HostSettings { hosts: vec!["h1".to_owned(), "h2".to_owned()], values }];
    }
    let page = render(&results).unwrap();
    let section = &page[page.find("id=\"lateness-title\"").unwrap()..];
    let section = &section[..section.find("</section>").unwrap()];
    assert_eq!(section.matches("<td>hosts</td>").count(), 3, "one row per run");
    let row = &section[section.find("<td>hosts</td>").unwrap()..];
    let row = &row[..row.find("</tr>").unwrap()];
    let expected = ["5.00", "4,127", "6,000", "271", "99.5", "–"];
    let cells: String = expected.iter().map(|cell| format!("<td class=\"number\">{cell}</td>")).collect();
    assert_eq!(row, format!("<td>hosts</td>{cells}<td>late</td>"));
    // Runs whose lateness alone differs share their conditions.
    assert_eq!(page.matches("<tr><th>live</th>").count(), 1);
    assert!(page.contains("router scheduled SCHED_FIFO 50, hosts normal (not &lt;permitted&gt;), offload"));
    let settings =
        "<summary>settings of h1, h2</summary>\n<pre>net.ipv4.tcp_wmem = 4096 16384 33554432</pre>";
    assert!(page.contains(settings));
}

#[test]
fn a_simulated_report_has_no_sections_of_live_ones() {
    let page = page();
    assert!(page.contains("<span class=\"soft\">mode</span> <b>sim</b>"));
    for of_live in ["Lateness of packets", "Failures.", "Output of the programs", "<th>live"] {
        assert!(!page.contains(of_live), "{of_live}");
    }
}

#[test]
fn failures_without_a_run_make_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = render(&testing::failed(&folder.path().join("out"))).unwrap();
    assert!(page.contains("<li>tail-drop (seed 1): the program `iperf3` does not exist</li>"));
    assert!(page.contains("No measurements."));
}
