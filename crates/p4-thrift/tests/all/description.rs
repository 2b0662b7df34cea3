//! The configuration that clients read.

use jettison_p4_thrift::codec::{Fields, Value};
use serde_json::{Value as Json, json};

use crate::support::Bench;

fn config() -> Json {
    let Value::Binary(text) = Bench::new().get("bm_get_config", Fields::new()) else { panic!("it is text") };
    serde_json::from_slice(&text).unwrap()
}

fn named<'a>(list: &'a Json, name: &str) -> &'a Json {
    let found = list.as_array().unwrap().iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no `{name}`: {list}"))
}

#[test]
fn tables_have_keys_actions_and_kinds() {
    let config = config();
    let pipeline = named(&config["pipelines"], "In");
    assert_eq!(pipeline["source_info"]["source_fragment"], "In");
    let table = |name: &str| named(&pipeline["tables"], name).clone();
    let exact = table("In.exact_t");
    assert_eq!((&exact["match_type"], &exact["type"]), (&json!("exact"), &json!("simple")));
    assert_eq!(
        (&exact["support_timeout"], &exact["actions"]),
        (&json!(true), &json!(["In.send", "In.drop"]))
    );
    assert_eq!(exact["key"][0]["target"], json!(["ethernet", "dst"]));
    assert_eq!(table("In.prefixes")["match_type"], "lpm");
    let masks = table("In.masks");
    let kinds: Vec<&Json> = masks["key"].as_array().unwrap().iter().map(|key| &key["match_type"]).collect();
    assert_eq!(kinds, ["ternary", "range", "ternary", "exact"]);
    assert_eq!(
        (&masks["match_type"], &masks["key"][3]["target"]),
        (&json!("range"), &json!(["ethernet", "$valid$"]))
    );
    let balanced = table("In.balanced");
    assert_eq!(
        (&balanced["type"], &balanced["action_profile"]),
        (&json!("indirect_ws"), &json!("In.choice"))
    );
    assert_eq!(balanced["key"].as_array().unwrap().len(), 1, "without the selector's key");
    assert_eq!(table("In.profiled")["type"], "indirect");
    assert_eq!(table("In.fixed")["key"], json!([]));
    let profiles = &pipeline["action_profiles"];
    assert!(named(profiles, "In.choice").get("selector").is_some());
    assert!(named(profiles, "In.shared_actions").get("selector").is_none());
}

#[test]
fn values_have_widths() {
    let config = config();
    let types = &config["header_types"];
    let header = named(&config["headers"], "ethernet");
    let fields = named(types, header["header_type"].as_str().unwrap());
    let expected =
        json!([["dst", 48, false], ["src", 48, false], ["kind", 16, false], ["$valid$", 1, false]]);
    assert_eq!(fields["fields"], expected);
    assert_eq!(named(types, "meta_t")["fields"], json!([["label", 10, false]]));
    let send = named(&config["actions"], "In.send");
    assert_eq!(send["runtime_data"], json!([{ "name": "port", "bitwidth": 9 }]));
    named(&config["actions"], "NoAction");
    assert_eq!(named(&config["parse_vsets"], "P.kinds")["compressed_bitwidth"], 16);
}

#[test]
fn objects_have_sizes_or_tables() {
    let config = config();
    let seen = named(&config["register_arrays"], "In.seen");
    assert_eq!((&seen["size"], &seen["bitwidth"]), (&json!(8), &json!(32)));
    let arrivals = named(&config["counter_arrays"], "In.arrivals");
    assert_eq!((&arrivals["is_direct"], &arrivals["size"]), (&json!(false), &json!(4)));
    let hits = named(&config["counter_arrays"], "In.hits");
    assert_eq!((&hits["is_direct"], &hits["binding"]), (&json!(true), &json!("In.exact_t")));
    let limits = named(&config["meter_arrays"], "In.limits");
    assert_eq!((&limits["type"], &limits["rate_count"]), (&json!("bytes"), &json!(2)));
    let rates = named(&config["meter_arrays"], "In.rates");
    assert_eq!((&rates["binding"], &rates["type"]), (&json!("In.prefixes"), &json!("packets")));
    assert_eq!(named(&config["calculations"], "calc")["algo"], "crc16_custom");
}

#[test]
fn the_checksum_is_that_of_the_text() {
    let mut bench = Bench::new();
    let Value::Binary(sum) = bench.get("bm_get_config_md5", Fields::new()) else { panic!("it is bytes") };
    assert_eq!(sum.len(), 16);
    assert_eq!(bench.get("bm_get_config_md5", Fields::new()), Value::Binary(sum), "the text does not change");
}
