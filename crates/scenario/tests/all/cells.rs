//! Links that follow the grants of a cell.

use crate::support;

use jettison_scenario::schema::{Carrier, DirectionSettings};
use jettison_scenario::{InputHash, Scenario};
use support::{GOOD, changed, expect, messages, parse_with};

/// The good scenario with a cell in place of the bottleneck's rate.
fn text(cell: &str) -> String {
    GOOD.replace("rate = \"10 Mbit/s\"\n", &format!("cell = {cell}\n"))
}

fn good(text: &str) -> Scenario {
    parse_with(text, &[], false).unwrap_or_else(|messages| panic!("{messages}"))
}

fn directions(scenario: &Scenario) -> [DirectionSettings; 2] {
    let settings = &scenario.variants[0].settings;
    [true, false].map(|forward| settings.direction(&settings.links["bottleneck"], forward))
}

/// Bytes of a round, and the overhead.
#[track_caller]
fn granted(direction: &DirectionSettings) -> (u64, u64) {
    let Carrier::Cell(cell) = &direction.carrier else { panic!("{:?}", direction.carrier) };
    (cell.read.as_ref().map_or(0, |grants| grants.total()), direction.overhead.get())
}

#[test]
fn both_directions_follow_the_file_which_is_an_input() {
    for cell in ["\"cell.trace\"", "{ file = \"cell.trace\", segment_header = \"4 bytes\" }"] {
        let scenario = good(&text(cell));
        let [forward, reverse] = directions(&scenario);
        assert_eq!([granted(&forward), granted(&reverse)], [(17_400, 2), (17_400, 2)]);
        assert_eq!(scenario.inputs[1], InputHash::of("cell.trace", b"10\n3\n14500\n0\n2900\n"));
    }
}

#[test]
fn a_mahimahi_trace_grants_the_size_of_its_opportunities() {
    let with = |more: &str| {
        let cell = format!("{{ file = \"good.down\"{more} }}");
        granted(&directions(&good(&text(&cell)))[0]).0
    };
    assert_eq!(with(""), 3 * 1_504);
    assert_eq!(with(", opportunity = \"1450 bytes\""), 3 * 1_450);
}

#[test]
fn reverse_may_override_the_cell() {
    let with = |reverse: &str| {
        directions(&good(&text("\"cell.trace\"").replace("reverse = {", &format!("reverse = {{ {reverse},"))))
    };
    let [_, reverse] = with("rate = \"1 Mbit/s\"");
    assert!(matches!(reverse.carrier, Carrier::Rate(_)));
    assert_eq!(reverse.overhead.get(), 14);
    let [forward, reverse] = with("cell = \"good.down\", overhead = \"3 bytes\"");
    assert_eq!([granted(&forward), granted(&reverse)], [(17_400, 2), (4_512, 3)]);
}

#[test]
fn a_cell_may_vary() {
    let axis = "[[vary]]\npath = \"links.bottleneck.cell\"\n\
        values = [\"cell.trace\", { file = \"good.down\", label = \"thin\" }]\n";
    let scenario = good(&format!("{}{axis}", text("\"cell.trace\"")));
    assert_eq!(scenario.axes["cell"], ["cell.trace", "thin"]);
}

#[test]
fn an_invalid_cell_is_reported() {
    let cell = |value: &str| changed("rate = \"10 Mbit/s\"", &format!("cell = {value}"));
    assert_eq!(cell("\"cell.trace\""), "nothing wrong");
    assert_eq!(
        cell("\"none.trace\""),
        "s.toml:22:8: cannot read `shelf/none.trace`: no such file; write the path relative to the scenario's folder"
    );
    assert_eq!(
        cell("\"short.trace\""),
        "shelf/short.trace:2:1: the second line must be the number of batches that follow, got 4, found 3 lines"
    );
    assert!(cell("\"empty.down\"").starts_with("shelf/empty.down: the trace is empty"));
    assert!(
        cell("{ file = \"cell.trace\", format = \"mahimahi\" }")
            .starts_with("shelf/cell.trace:2:1: timestamps must not decrease")
    );
    assert_eq!(
        cell("{ file = \"cell.trace\", format = \"srsra\" }"),
        "s.toml:22:40: `links.bottleneck.cell.format`: unknown trace format `srsra`; did you mean `srsran`?"
    );
    assert_eq!(
        cell("{ file = \"cell.trace\", opportunity = \"0 bytes\" }"),
        "s.toml:22:45: `links.bottleneck.cell.opportunity`: an opportunity of 0 bytes; write 1 to 65535 bytes"
    );
    let thin = "`links.bottleneck.cell.segment_header`: a segment header must be smaller than the largest grant in \
                a millisecond (2 bytes), got 2 bytes; write less";
    assert_eq!(cell("\"thin.trace\""), format!("s.toml:22:1: {thin}"));
    assert_eq!(
        cell("{ file = \"thin.trace\", segment_header = \"2 bytes\" }"),
        format!("s.toml:22:48: {thin}")
    );
    assert_eq!(cell("{ file = \"thin.trace\", segment_header = \"1 bytes\" }"), "nothing wrong");
}

#[test]
fn a_cell_excludes_other_carriers() {
    expect(
        "rate = \"10 Mbit/s\"\n",
        "rate = \"10 Mbit/s\"\ncell = \"cell.trace\"\n",
        "s.toml:23:8: link `bottleneck` has both `rate` and `cell`; keep one",
    );
    let both = text("\"cell.trace\"")
        .replace("reverse = {", "reverse = { trace = \"good.down\", cell = \"cell.trace\",");
    assert_eq!(messages(&both), "s.toml:25:41: link `bottleneck` has both `trace` and `cell`; keep one");
    assert_eq!(
        changed(
            "rate = \"10 Mbit/s\"\ndelay = \"9 ms\"\n",
            "profile = \"steps.json\"\ncell = \"cell.trace\"\n"
        ),
        "s.toml:23:8: link `bottleneck` has both `cell` and `profile`; remove `cell`: the profile sets it"
    );
    let change = text("\"cell.trace\"\nchanges = [{ at = \"1 s\", rate = \"1 bit/s\" }]");
    assert!(
        messages(&change)
            .starts_with("s.toml:23:33: `changes` must not set the rate of a link with a trace or a cell")
    );
}

/// What a user plane as in `cellular` is told is wrong with it.
fn plane(cellular: &str) -> String {
    let text = GOOD
        .replace("rate = \"10 Mbit/s\"\n", &format!("rate = \"10 Mbit/s\"\ncellular = {{ {cellular} }}\n"));
    match parse_with(&text, &[], false) {
        Ok(_) => "nothing wrong".to_owned(),
        Err(messages) => messages.to_string(),
    }
}

#[test]
fn impossible_user_planes_are_refused_at_their_keys() {
    assert_eq!(plane("numerology = 1, harq = { bler = 0.1 }, drx = {}"), "nothing wrong");
    for (cellular, expected) in [
        ("numerology = 5", "`links.bottleneck.cellular.numerology` must be 0, 1, 2 or 3, got 5"),
        (
            "pdcp = { t_reordering = \"0 ms\" }",
            "`links.bottleneck.cellular.pdcp.t_reordering` must be > 0 ms",
        ),
        ("pdcp = { t_reorder = \"1 ms\" }", "did you mean `t_reordering`?"),
        ("harq = { bler = 1.5 }", "must be in [0, 1], got 1.5"),
        ("rlc = { mode = \"tm\" }", "`links.bottleneck.cellular.rlc.mode`"),
        ("drx = {}, grants = {}", "keep one of `drx` and `grants`"),
    ] {
        let found = plane(cellular);
        assert!(found.contains(expected) && found.contains("s.toml:23:"), "{cellular}: {found}");
    }
}

#[test]
fn a_reverse_with_a_capacity_of_its_own_has_no_user_plane() {
    let text = GOOD
        .replace("rate = \"10 Mbit/s\"\n", "rate = \"10 Mbit/s\"\ncellular = { pdcp = { sn_length = 18 } }\n")
        .replace("reverse = {", "reverse = { rate = \"1 Mbit/s\",");
    let [forward, reverse] = directions(&good(&text));
    assert_eq!((forward.cellular.is_some(), forward.overhead.get()), (true, 3));
    assert_eq!((reverse.cellular.is_some(), reverse.overhead.get()), (false, 14));
}
