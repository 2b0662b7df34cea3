use serde_json::Value;

use super::*;
use crate::model::{ReportColumn, Status};
use crate::reproduction::tests::row;
use crate::reproduction::{ReproductionRow, Verdict};
use crate::testing;
use crate::testing::streaming::{self, Scene};

/// The page of three variants with three seeds.
fn page() -> String {
    let folder = tempfile::tempdir().unwrap();
    render(&testing::results(&folder.path().join("out"))).unwrap()
}

/// The section with that id.
pub(super) fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let start = page.find(&format!("<section id=\"{id}\"")).unwrap_or_else(|| panic!("no section {id}"));
    &page[start..start + page[start..].find("</section>").unwrap()]
}

/// What the pictures of a page, or a part of one, show.
fn pictures(page: &str) -> Vec<Value> {
    let sources = page.split("<figure class=\"plot").skip(1).map(|figure| {
        let json = figure.split_once("<script type=\"application/json\">").unwrap().1;
        &json[..json.find("</script>").unwrap()]
    });
    sources.map(|json| serde_json::from_str(json).unwrap()).collect()
}

/// Titles of these pictures.
fn titles(page: &str) -> Vec<String> {
    pictures(page).iter().map(|picture| picture["title"].as_str().unwrap().to_owned()).collect()
}

/// The picture with that title.
pub(super) fn picture(page: &str, title: &str) -> Value {
    let found = pictures(page).into_iter().find(|picture| picture["title"] == title);
    found.unwrap_or_else(|| panic!("no picture {title} among {:#?}", titles(page)))
}

/// A page without its scripts and styles.
fn markup(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(start) = ["<script", "<style"].iter().filter_map(|tag| rest.find(tag)).min() {
        let end = if rest[start..].starts_with("<script") { "</script>" } else { "</style>" };
        out.push_str(&rest[..start]);
        rest = &rest[start + rest[start..].find(end).unwrap() + end.len()..];
    }
    out + rest
}

#[test]
fn the_page_is_self_contained() {
    let page = page();
    let policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
    assert!(page.contains(policy), "the browser is told not to load anything");
    for outside in ["http:", "https:", "//", "src=", "url(", "@import", "<link", "<iframe"] {
        assert!(!markup(&page).contains(outside), "{outside} is in the page");
    }
    for outside in ["import(", "fetch(", "XMLHttpRequest", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} is in its scripts");
    }
    for link in page.split("href=\"").skip(1) {
        assert!(link.starts_with('#'), "{}", &link[..20]);
        let id = &link[1..link.find('"').unwrap()];
        assert!(page.contains(&format!("id=\"{id}\"")), "no section {id}");
    }
}

#[test]
fn all_elements_are_closed() {
    let page = markup(&page());
    for element in
        ["html", "main", "section", "div", "figure", "table", "tr", "ul", "details", "button", "title"]
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
fn it_shows_pictures_of_all_kinds() {
    let page = page();
    for title in [
        "Backlog of bottleneck.forward over time, one line per variant",
        "Goodput of bulk over time, one line per variant",
        "Cumulative distribution of Sojourn time of bottleneck.forward, one line per variant",
        "Cumulative distribution of Throughput of bottleneck.forward, one line per variant",
        "sojourn p99 of bottleneck.forward, one bar per variant",
        "Differences in sojourn p99 of bottleneck.forward, one dot per variant",
        "Drops by reason, one bar per variant",
        "RTT of ping over time, one line per variant",
    ] {
        picture(&page, title);
    }
    let figures = section(&page, "figures");
    assert!(figures.contains("<b>Rolling RTT</b>") && figures.contains("<b>Throughput CDF</b>"));
    // An idle queue gets no plots.
    assert!(!titles(&page).iter().any(|title| title.contains("of access.forward over time")));
}

#[test]
fn a_picture_has_the_values_and_the_ink_of_each_variant() {
    let folder = tempfile::tempdir().unwrap();
    let results = testing::results(&folder.path().join("out"));
    let page = render(&results).unwrap();
    let backlog = picture(&page, "Backlog of bottleneck.forward over time, one line per variant");
    let lines = backlog["lines"].as_array().unwrap();
    assert_eq!(lines.iter().map(|line| line["variant"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 2]);
    let places = backlog["x"]["at"].as_array().unwrap().len();
    assert!(places > 10 && lines.iter().all(|line| line["values"].as_array().unwrap().len() == places));
    assert_eq!(backlog["x"]["to"], results.manifest.experiment.duration.as_secs_f64() as u64);
    assert_eq!(backlog["shade"], results.manifest.experiment.warm_up.as_secs_f64() as u64, "the warm-up");
    assert_eq!((&backlog["log"], &backlog["y"]["zero"]), (&"y".into(), &true.into()));
    let bars = picture(&page, "sojourn p99 of bottleneck.forward, one bar per variant");
    let compared = Comparison::of(&results);
    let at = compared.columns.iter().position(|column| column.title == "sojourn p99").unwrap();
    for (variant, row) in bars["rows"].as_array().unwrap().iter().enumerate() {
        let mean = compared.value(at, variant).unwrap().estimate.mean;
        let drawn = row["parts"][0][1].as_f64().unwrap();
        assert!((drawn - mean).abs() <= 1e-4 * mean.abs(), "{drawn} {mean}");
        assert_eq!(row["variant"], variant);
    }
    let data = page.split_once("id=\"page-data\">").unwrap().1;
    let data: Value = serde_json::from_str(&data[..data.find("</script>").unwrap()]).unwrap();
    let variants = data["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 3);
    assert!(variants.iter().all(|variant| variant["visible"] == true));
    let ink = &looks(&results.manifest.experiment)[1].ink;
    assert_eq!(variants[1]["ink"]["light"], ink.colour.css());
}

#[test]
fn chosen_columns_are_all_in_the_first_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::results(&folder.path().join("out"));
    let metrics = ["drops", "marks", "utilization", "jain_index", "sojourn", "rtt", "goodput"];
    results.manifest.experiment.report.columns =
        metrics.map(|metric| ReportColumn { metric: metric.to_owned(), percentile: None }).to_vec();
    let page = render(&results).unwrap();
    let shown = section(&page, "comparison");
    let columns = Comparison::of(&results).columns.len();
    assert!(columns >= metrics.len(), "{columns}");
    assert_eq!(shown.matches("<th class=\"number\">").count(), columns, "{shown}");
    assert!(!shown.contains("columns</summary>"), "no fold with the same columns");
}

#[test]
fn a_dozen_pictures_are_shown_at_first() {
    let page = page();
    let all = titles(&page).len();
    let folded: usize = page
        .split("<details class=\"more\">")
        .skip(1)
        .map(|part| titles(&part[..part.find("</details>").unwrap()]).len())
        .sum();
    assert!(all > Budget::PAGE, "{all}");
    assert_eq!(all - folded, Budget::PAGE);
    assert!(page.contains("Show all "));
}

#[test]
fn a_page_without_the_library_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let results = testing::results(&folder.path().join("out"));
    let said = "built without uPlot: plots without zoom";
    assert!(render_with(&results, Library::NONE).unwrap().contains(said));
    let library = Library { script: "var uPlot=made_up;", style: ".u-made-up {}" };
    let page = render_with(&results, library).unwrap();
    assert!(!page.contains(said) && page.contains(library.script) && page.contains(library.style));
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
        assert_eq!(titles(&page).iter().filter(|own| *own == title).count(), 1, "{title}");
    }
    assert!(page.contains("Signals since it &lt;began&gt;."));
    let queues = section(&page, "queues");
    let more = queues.find("<details class=\"more\">").unwrap_or(usize::MAX);
    assert!(queues.find("codel count of").unwrap() < more, "it is not folded away");
    // Without gauges, the page and the manifest do not mention them.
    let plain = testing::results(&folder.path().join("plain"));
    assert!(plain.manifest.gauges.is_empty());
    assert!(!serde_json::to_string(&plain.manifest).unwrap().contains("gauges"));
}

#[test]
fn many_variants_share_pictures_in_which_some_are_shown_at_first() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..40).map(|i| format!("variant-{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let page = render(&testing::stored(&folder.path().join("out"), &names, 1)).unwrap();
    let backlog = picture(&page, "Backlog of bottleneck.forward over time, one line per variant");
    assert_eq!(backlog["lines"].as_array().unwrap().len(), 40);
    let shown = page.matches("aria-pressed=\"true\">").count();
    assert_eq!(shown, SOME_VISIBLE + 1, "and the choice of colours");
    assert!(page.contains("Some of the 40 variants are drawn as lines at first."));
    assert!(page.len() < 5_000_000, "{}", page.len());
}

#[test]
fn those_shown_at_first_are_spread_over_all() {
    assert!(visible(12).iter().all(|is_visible| *is_visible));
    let places: Vec<usize> = (0..40).filter(|place| visible(40)[*place]).collect();
    assert_eq!(places, [0, 5, 11, 16, 22, 27, 33, 39]);
    assert_eq!(visible(13).iter().filter(|is_visible| **is_visible).count(), SOME_VISIBLE);
    assert!(visible(0).is_empty());
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
    assert!(page.contains("style=\"--s:100\"") && page.contains("style=\"--s:0\""));
    // Still few enough for plots.
    assert!(page.contains("<section id=\"bars\""));
    assert_eq!(
        section(&page, "experiment").matches("<summary>21 variants</summary>").count(),
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
    let titles = titles(&page);
    let place =
        |text: &str| titles.iter().position(|t| t.contains(text)).unwrap_or_else(|| panic!("no {text}"));
    // The most important series of each flow come first.
    let order = [
        "Playout buffer of client over time",
        "Active players of load over time",
        "Congestion window of client over time",
        "Playout buffer of load over time",
        "In flight of client over time",
        "Frames per second of client over time",
        "Representation of client over time",
        "Segment rate of client over time",
        "Cumulative distribution of Frames per second of client",
        "Cumulative distribution of Frames per second of load",
        "Cumulative distribution of Playout buffer of client",
        "Cumulative distribution of Burst time of client",
        "Cumulative distribution of Throughput of bottleneck.forward",
    ];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "in another order: {titles:#?}");
    assert!(page.contains("<summary>A minute of client from 60 s on</summary>"));
    assert!(!page.contains("A minute of load"), "a load has no window to look at closely");
    let close = pictures(section(&page, "flows"))
        .into_iter()
        .filter(|own| own["x"]["from"] == 60 && own["x"]["to"] == 120)
        .count();
    assert_eq!(close, 3, "buffer, congestion window and bytes in flight");
    let buffer = picture(&page, "Playout buffer of client over time, one line per variant");
    assert_eq!(buffer["log"], Value::Null, "an empty buffer is a stall");
    assert_eq!(picture(&page, "Representation of client over time, one line per variant")["steps"], true);
}

#[test]
fn one_variant_compares_its_flows_and_groups_of_flows() {
    let folder = tempfile::tempdir().unwrap();
    let page = render(&testing::stored(&folder.path().join("out"), &["codel"], 2)).unwrap();
    let goodput = picture(&page, "Goodput over time, one line per flow");
    let lines = goodput["lines"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["name"] == "bulk"), "{lines:?}");
    assert!(lines.iter().all(|line| line["variant"].is_null() && line["ink"]["light"].is_string()));
    assert!(!page.contains("id=\"legend\""), "one variant needs no legend");
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
    assert!(page.find("<h3>time stalled").unwrap() < page.find("<summary>More metrics</summary>").unwrap());
    assert!(page.find("<h3>drop rate").unwrap() > page.find("<summary>More metrics</summary>").unwrap());
}

#[test]
fn too_many_variants_get_no_plots() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::of_two_axes(&folder.path().join("out"), 7, 9);
    results.manifest.experiment.figures.clear();
    let page = render(&results).unwrap();
    assert_eq!(page.matches("<summary>63 variants</summary>").count(), 2, "and the comparison");
    assert!(pictures(&page).is_empty() && !page.contains("id=\"legend\""));
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
        "router scheduled SCHED_FIFO 50, offload checksums, Linux 6.18.5<br>two cores",
        "<a href=\"logs/codel/1/iperf3%20%231.log\">logs/codel/1/iperf3 #1.log</a> <span class=\"soft\">12 bytes</span>",
    ];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "in another order");
    // One row per variant and direction; both directions are drawn once.
    let section = section(&page, "lateness");
    assert_eq!(section.matches("<td>bottleneck.forward</td>").count(), 2);
    assert_eq!(section.matches("<td>access.forward</td>").count(), 2);
    let drawn = pictures(section);
    let drawn = drawn.iter().filter(|own| own["title"].as_str().unwrap().contains("of Lateness of"));
    assert_eq!(drawn.map(|own| own["x"]["unit"].as_str().unwrap()).collect::<Vec<_>>(), ["µs"; 2]);
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
    let section = section(&page, "lateness");
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
