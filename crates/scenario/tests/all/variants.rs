//! Results of valid files: variants, seeds, inputs, effective configurations.

use crate::support;

use jettison_core::{Bytes, Duration, Rate};
use jettison_scenario::schema::{Carrier, Seeds};
use jettison_scenario::{Changes, InputHash, Scenario, schema_json};
use support::{GOOD, parse_with, registries};

#[track_caller]
fn good(text: &str, set: &[&str], quick: bool) -> Scenario {
    parse_with(text, set, quick).unwrap_or_else(|messages| panic!("{messages}"))
}

fn names(scenario: &Scenario) -> Vec<&str> {
    scenario.variants.iter().map(|variant| variant.name.as_str()).collect()
}

/// The good scenario with more axes.
fn with_axes(axes: &str) -> String {
    format!("{GOOD}\n{axes}")
}

const CONGESTION: &str = "[[vary]]\nname = \"congestion\"\npath = \"flows.bulk.transport.congestion\"\nvalues = [\"cubic\", \"newreno\"]\n";

#[test]
fn axes_multiply_and_the_last_varies_fastest() {
    let scenario = good(&with_axes(CONGESTION), &[], false);
    let wanted = [
        "queue=ired-64,congestion=cubic",
        "queue=ired-64,congestion=newreno",
        "queue=codel,congestion=cubic",
        "queue=codel,congestion=newreno",
    ];
    assert_eq!(names(&scenario), wanted);
    assert_eq!(scenario.variants[2].labels["queue"], "codel");
    assert_eq!(scenario.axes["congestion"], ["cubic", "newreno"]);
    let flow = &scenario.variants[2].settings.flows["bulk"];
    assert_eq!(flow.transport.as_ref().unwrap().0.parameters["congestion"], "cubic");
}

#[test]
fn a_scenario_without_axes_has_one_variant() {
    let text = &GOOD[..GOOD.find("[[vary]]").unwrap()];
    let scenario = good(text, &[], false);
    assert_eq!(names(&scenario), ["default"]);
    assert!(scenario.variants[0].labels.is_empty());
}

#[test]
fn values_may_be_numbers_and_tables_with_labels() {
    let axis = "[[vary]]\npath = \"links.bottleneck.loss\"\nvalues = [0.01, \"2 %\"]\n\
                [[vary]]\nname = \"reverse\"\npath = \"links.bottleneck.reverse.queue\"\n\
                values = [{ kind = \"codel\" }, { kind = \"tail-drop\", label = \"deep\", packets = 9 }, { kind = \"tail-drop\" }]";
    let scenario = good(&with_axes(axis), &["vary[0].values=[\"codel\"]"], false);
    let wanted = [
        "queue=codel,loss=0.01,reverse=codel",
        "queue=codel,loss=0.01,reverse=deep",
        "queue=codel,loss=0.01,reverse=3",
    ];
    assert_eq!(names(&scenario)[..3], wanted);
    let link = &scenario.variants[1].settings.links["bottleneck"];
    let reverse = scenario.variants[1].settings.direction(link, false);
    assert_eq!(reverse.queue.parameters, serde_json::json!({ "packets": 9 }));
    assert_eq!(reverse.loss_parameters().probability.value(), 0.01);
}

#[test]
fn an_axis_may_set_several_keys_at_once() {
    let axis = "[[vary]]\nname = \"path\"\nvariants = [\n\
                { name = \"short\", set = { \"links.access.delay\" = \"2 ms\", duration = \"30 s\" } },\n\
                { name = \"traced\", set = { links.access = { between = [\"h1\", \"r\"], trace = \"good.down\" }, \"flows.bulk.transport.growth\" = \"per-ack\" } },\n\
                ]";
    let text = GOOD.replace("rate = \"1 Gbit/s\"\n", "trace = \"good.down\"\n");
    let scenario = good(&format!("{text}\n{axis}"), &[], false);
    assert_eq!(names(&scenario)[..2], ["queue=ired-64,path=short", "queue=ired-64,path=traced"]);
    let short = &scenario.variants[0].settings;
    assert_eq!(
        (short.duration, short.links["access"].delay),
        (Duration::from_secs(30), Duration::from_millis(2))
    );
    let traced = &scenario.variants[1].settings;
    assert_eq!(
        (traced.duration, traced.links["access"].delay),
        (Duration::from_secs(60), Duration::from_millis(1))
    );
    assert_eq!(traced.flows["bulk"].transport.as_ref().unwrap().0.parameters["growth"], "per-ack");
}

#[test]
fn an_option_takes_precedence_over_an_axis_and_the_quick_table() {
    let text = with_axes(CONGESTION).replace("[nodes]", "[quick]\nduration = \"10 s\"\nseeds = 2\n\n[nodes]");
    let plain = good(&text, &[], false);
    assert_eq!((plain.variants[0].settings.duration, plain.seeds.len()), (Duration::from_secs(60), 5));
    let quick = good(&text, &[], true);
    assert_eq!((quick.variants[0].settings.duration, quick.seeds.len()), (Duration::from_secs(10), 2));
    let set = ["links.bottleneck.queue=codel", "duration=20 s", "seeds=[7, 9]"];
    let set = good(&text, &set, true);
    assert_eq!(names(&set), ["congestion=cubic", "congestion=newreno"]);
    assert_eq!(
        (set.variants[0].settings.duration, set.seeds.as_slice()),
        (Duration::from_secs(20), &[7, 9][..])
    );
}

#[test]
fn an_option_may_set_an_omitted_key() {
    let text =
        GOOD.replace("transport = { kind = \"tcp\", congestion = \"newreno\" }", "transport = \"tcp\"");
    let set = [
        "flows.bulk.transport.congestion=newreno",
        "links.access.reverse.delay=3 ms",
        "nodes.h3={ kind = \"host\" }",
        "queues.ired-64.n=7",
    ];
    let scenario = good(&text, &set, false);
    let settings = &scenario.variants[0].settings;
    assert_eq!(settings.flows["bulk"].transport.as_ref().unwrap().0.parameters["congestion"], "newreno");
    assert_eq!(settings.direction(&settings.links["access"], false).delay, Duration::from_millis(3));
    assert!(settings.nodes.contains_key("h3"));
    assert_eq!(settings.queues["ired-64"].0.parameters["n"], 7);
}

#[test]
fn an_option_may_change_the_queue_that_a_direction_back_has_of_its_link() {
    let text = GOOD.replace("queue = \"ired-64\"", "queue = \"codel\"");
    let scenario = good(&text, &["links.access.reverse.queue.packets=7"], false);
    let settings = &scenario.variants[0].settings;
    let queue = |forward: bool| settings.direction(&settings.links["access"], forward).queue;
    assert_eq!((queue(false).kind.as_str(), &queue(false).parameters["packets"]), ("tail-drop", &7.into()));
    assert_eq!(queue(true).parameters.get("packets"), None);
}

#[test]
fn a_direction_resolves_reverse_the_node_and_the_defaults() {
    let text = GOOD
        .replace("h1 = { kind = \"host\" }", "h1 = { kind = \"host\", queue = \"codel\" }")
        .replace("reverse = {", "reverse = { trace = \"good.down\", loss = \"1 %\",");
    let scenario = good(&text, &[], false);
    let settings = &scenario.variants[0].settings;
    let bottleneck = &settings.links["bottleneck"];
    let forward = settings.direction(bottleneck, true);
    assert_eq!((forward.from.as_str(), forward.to.as_str()), ("r", "h2"));
    assert_eq!(forward.carrier, Carrier::Rate(Rate::from_mbit(10)));
    assert_eq!((forward.overhead, forward.queue_name.as_str()), (Bytes::new(14), "ired-64"));
    assert_eq!((forward.queue.kind.as_str(), &forward.queue.parameters["n"]), ("ired", &4.into()));
    let reverse = settings.direction(bottleneck, false);
    assert!(matches!(&reverse.carrier, Carrier::Trace(trace) if trace.file == "good.down"));
    assert_eq!((reverse.overhead, reverse.delay), (Bytes::new(4), Duration::from_millis(9)));
    assert_eq!(reverse.loss.probability.value(), 0.01);
    let access = &settings.links["access"];
    assert_eq!(settings.direction(access, true).queue.kind, "codel");
    assert_eq!(settings.direction(access, false).queue.kind, "tail-drop");
}

#[test]
fn the_effective_configuration_has_every_default_and_is_a_complete_scenario() {
    let scenario = good(&with_axes(CONGESTION), &["duration=30 s"], false);
    for variant in &scenario.variants {
        let text = variant.effective_toml();
        let again = good(&text, &[], false);
        assert_eq!(again.variants[0].effective, variant.effective);
    }
    let codel = &scenario.variants[3].effective;
    assert_eq!(codel["duration"], "30 s");
    assert_eq!(codel["sample_interval"], "100 ms");
    assert_eq!(codel["flows"]["bulk"]["transport"]["growth"], "per-byte");
    let queue = serde_json::json!({ "kind": "codel", "target": "5 ms", "interval": "100 ms", "ecn": false });
    assert_eq!(codel["links"]["bottleneck"]["queue"], queue);
    assert!(codel.get("vary").is_none());
}

#[test]
fn a_queue_name_takes_precedence_over_a_discipline_of_that_id() {
    let text =
        GOOD.replace("[links.access]", "[queues.codel]\nkind = \"codel\"\ntarget = \"9 ms\"\n[links.access]");
    let scenario = good(&text, &[], false);
    let settings = &scenario.variants[1].settings;
    let forward = settings.direction(&settings.links["bottleneck"], true);
    assert_eq!(forward.queue.parameters["target"], "9 ms");
}

#[test]
fn omitted_parameters_are_not_passed_to_a_builder() {
    let scenario = good(GOOD, &[], false);
    let flow = &scenario.variants[0].settings.flows["bulk"];
    assert_eq!(flow.transport.as_ref().unwrap().0.parameters, serde_json::json!({ "congestion": "newreno" }));
}

#[test]
fn inputs_are_hashed_the_scenario_first_and_then_what_its_variants_name() {
    let text = GOOD
        .replace("rate = \"10 Mbit/s\"", "trace = \"good.down\"")
        .replace("app = { kind = \"bulk\" }", "app = { kind = \"video\", trace = \"mot.csv\" }");
    let scenario = good(&text, &[], false);
    let wanted = [
        InputHash::of("s.toml", text.as_bytes()),
        InputHash::of("good.down", b"1\n2\n3\n"),
        InputHash::of("mot.csv", b"frames"),
    ];
    assert_eq!(scenario.inputs, wanted);
    let content = |name: &str| scenario.contents.content(name).map(|content| content.to_vec());
    assert_eq!(content("mot.csv").as_deref(), Some(&b"frames"[..]));
    assert_eq!(content("bad.down"), None);
}

#[test]
fn seeds_are_counted_from_one_or_listed() {
    assert_eq!(Seeds::Count(3).list(), [1, 2, 3]);
    assert_eq!(good(&GOOD.replace("seeds = 5", "seeds = [9, 4]"), &[], false).seeds, [9, 4]);
    assert_eq!(good(&GOOD.replace("seeds = 5\n", ""), &[], false).seeds, [1]);
}

#[test]
fn several_flows_of_one_entry_have_numbers() {
    let scenario = good(&GOOD.replace("start_jitter", "count = 2\nstart_jitter"), &[], false);
    let flow = &scenario.variants[0].settings.flows["bulk"];
    assert_eq!(flow.names("bulk"), ["bulk.1", "bulk.2"]);
}

#[test]
fn a_variant_may_have_zero_flows_of_an_entry() {
    // Its start is past the end and its port the last one: of no flows neither is wrong.
    let flow = "[flows.extra]\nfrom = \"h1\"\nto = \"h2\"\napp = \"bulk\"\nstart = \"2 min\"\nport = 65535\ncount = 0\n";
    let axis = "[[vary]]\nname = \"load\"\nvariants = [{ name = \"without\" }, { name = \"with\", set = { \
        \"flows.extra.count\" = 2, \"flows.extra.start\" = \"1 s\", \"flows.extra.port\" = 7000 } }]\n";
    let scenario = good(&format!("{GOOD}{flow}{axis}"), &[], false);
    let names = |variant: usize| scenario.variants[variant].settings.flows["extra"].names("extra");
    assert!(names(0).is_empty());
    assert_eq!(names(1), ["extra.1", "extra.2"]);
}

#[test]
fn a_file_is_read_from_its_own_folder() {
    let folder = std::env::temp_dir().join(format!("jettison-scenario-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("s.toml");
    std::fs::write(folder.join("a.down"), "5\n").unwrap();
    std::fs::write(&file, GOOD.replace("rate = \"10 Mbit/s\"", "trace = \"a.down\"")).unwrap();
    let scenario = Scenario::load(&file, &Changes::default(), &registries()).unwrap();
    assert_eq!(scenario.contents.content("a.down").map(|content| content.to_vec()), Some(b"5\n".to_vec()));
    assert_eq!(scenario.inputs[1], InputHash::of("a.down", b"5\n"));
    std::fs::write(&file, [0x6e, 0xff]).unwrap();
    let error = Scenario::load(&file, &Changes::default(), &registries()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: must be UTF-8 text: ", file.display())), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
    let error = Scenario::load(&file, &Changes::default(), &registries()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: cannot be read: ", file.display())), "{error}");
}

#[test]
fn the_schema_holds_the_entries_of_the_registries() {
    let schema = schema_json(&registries());
    let kinds = |definition: &str| -> Vec<String> {
        let entries = schema.pointer(&format!("/$defs/{definition}")).and_then(|entries| entries.as_array());
        let kind =
            |entry: &serde_json::Value| entry["properties"]["kind"]["const"].as_str().unwrap().to_owned();
        entries.unwrap().iter().map(kind).collect()
    };
    assert_eq!(kinds("queue-table/oneOf"), ["tail-drop", "codel", "ired"]);
    assert_eq!(kinds("transport/anyOf/1/oneOf"), ["tcp", "udp"]);
    assert_eq!(schema["properties"]["vary"]["items"]["properties"]["path"]["type"], "string");
    assert_eq!(schema["required"], serde_json::json!(["name", "duration"]));
    // A definition of an entry's own has moved, and what points to it too.
    let growth = &schema["$defs"]["transport"]["anyOf"][1]["oneOf"][0]["properties"]["growth"]["$ref"];
    let target = growth.as_str().and_then(|target| target.strip_prefix('#')).unwrap();
    assert_eq!(schema.pointer(target).unwrap()["enum"], serde_json::json!(["per-byte", "per-ack"]));
    let all = schema.to_string();
    assert!(!all.contains("\"null\""), "{all}");
}

#[test]
fn the_written_text_gives_the_same_variants_without_options() {
    let text = with_axes(CONGESTION);
    for set in [
        &[][..],
        &["duration=7 s", "links.bottleneck.delay=3 ms"],
        &["links.bottleneck.queue=codel"],
        &["flows.bulk.transport.congestion=cubic", "seeds=[3, 4]"],
        // Within a table that an axis replaces: it holds in each arm.
        &[
            "vary[0].values=[{ kind = \"codel\", target = \"7 ms\" }, { kind = \"codel\", label = \"other\" }]",
            "links.bottleneck.queue=codel",
            "vary[0].path=links.bottleneck.reverse.queue",
            "links.bottleneck.reverse.queue.kind=codel",
            "links.bottleneck.reverse.queue.target=8 ms",
        ],
    ] {
        for quick in [false, true] {
            let scenario = good(&text, set, quick);
            let again = good(&scenario.to_toml(), &[], false);
            assert_eq!(names(&again), names(&scenario));
            assert_eq!(again.seeds, scenario.seeds);
            for (one, other) in again.variants.iter().zip(&scenario.variants) {
                assert_eq!(one.effective, other.effective, "{set:?}\n{}", scenario.to_toml());
            }
        }
    }
}

#[test]
fn with_seeds_equals_setting_seeds() {
    let set = good(GOOD, &["seeds=[4, 2]"], false);
    let given = good(GOOD, &[], false).with_seeds(vec![4, 2]);
    assert_eq!((&given.seeds, &given.tree), (&set.seeds, &set.tree));
    // Only the places that the values come from differ.
    for (given, set) in given.variants.iter().zip(&set.variants) {
        assert_eq!((&given.name, &given.settings), (&set.name, &set.settings));
        assert_eq!(given.effective, set.effective);
    }
    assert_eq!(given.variants.len(), set.variants.len());
}

fn baselines(scenario: &Scenario) -> Vec<Option<&str>> {
    scenario.variants.iter().map(|variant| variant.baseline.as_deref()).collect()
}

#[test]
fn a_variant_is_compared_with_the_same_on_the_other_axes() {
    let text = with_axes(CONGESTION);
    let (ired, codel) = ("queue=ired-64,congestion=cubic", "queue=codel,congestion=cubic");
    let (ired_reno, codel_reno) = ("queue=ired-64,congestion=newreno", "queue=codel,congestion=newreno");
    // Without a choice, with the first value of the first axis.
    assert_eq!(baselines(&good(&text, &[], false)), [None, None, Some(ired), Some(ired_reno)]);
    let named = |baseline: &str| good(&format!("baseline = \"{baseline}\"\n{text}"), &[], false);
    assert_eq!(baselines(&named("codel")), [Some(codel), Some(codel_reno), None, None]);
    assert_eq!(baselines(&named("newreno")), [Some(ired_reno), None, Some(codel_reno), None]);
    assert_eq!(baselines(&named("congestion=newreno")), baselines(&named("newreno")));
    assert_eq!(baselines(&named(codel)), [Some(codel), Some(codel), None, Some(codel)]);
    assert!(!named("codel").variants[0].effective_toml().contains("baseline"), "one variant has no baseline");
}

#[test]
fn a_baseline_that_options_remove_gives_way_to_the_first_value() {
    let text = format!("baseline = \"codel\"\n{}", with_axes(CONGESTION));
    let pinned = good(&text, &["links.bottleneck.queue=\"codel\""], false);
    assert_eq!(baselines(&pinned), [None, Some("congestion=cubic")]);
    // The scenario as text has the same variants.
    let again = good(&pinned.to_toml(), &[], false);
    assert_eq!(baselines(&again), baselines(&pinned));
    let named = good(&text, &["baseline=\"newreno\""], false);
    assert_eq!(named.variants[0].baseline.as_deref(), Some("queue=ired-64,congestion=newreno"));
    let error = parse_with(&text, &["baseline=\"newrenno\""], false).unwrap_err();
    assert!(error.contains("did you mean `newreno`?"), "{error}");
}

#[test]
fn without_axes_there_is_no_baseline() {
    let text = &GOOD[..GOOD.find("[[vary]]").unwrap()];
    assert_eq!(baselines(&good(text, &[], false)), [None]);
    let error = parse_with(&format!("baseline = \"codel\"\n{text}"), &[], false).unwrap_err();
    assert!(error.contains("remove it: nothing varies"), "{error}");
}
