//! Tests of flent's results, with files of our own in its format.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::*;
use crate::side_by_side::SideBySide;

/// Fourteen seconds of a small test: two seconds of pings before and after ten seconds of load.
fn document() -> Value {
    let times: Vec<f64> = (0..15).map(f64::from).collect();
    let during = |inside: f64, outside: Value| -> Vec<Value> {
        (0..15).map(|t| if (2..=12).contains(&t) { json!(inside) } else { outside.clone() }).collect()
    };
    json!({
        "version": 4,
        "x_values": times,
        "results": {
            "TCP download BE": during(20.0, Value::Null),
            "TCP upload::2": during(4.0, Value::Null),
            "TCP download sum": during(20.0, Value::Null),
            "TCP upload::2::tcp_cwnd": during(10.0, Value::Null),
            "Ping (ms) UDP EF": during(80.0, json!(20.0)),
            "Ping (ms) ICMP": during(90.0, json!(20.0)),
        },
        "metadata": { "NAME": "rrul", "TITLE": "own", "LENGTH": 10, "TOTAL_LENGTH": 14, "STEP_SIZE": 1.0 },
        "raw_values": { "Ping (ms) ICMP": [{ "t": 1.5, "val": 20.0 }] },
    })
}

fn refused(change: impl FnOnce(&mut Value)) -> String {
    let mut value = document();
    change(&mut value);
    FlentResults::parse(value.to_string().as_bytes()).unwrap_err()
}

#[test]
fn series_become_flows_of_the_presets() {
    let read = FlentResults::parse(document().to_string().as_bytes()).unwrap();
    let flows: Vec<&str> = read.series.iter().map(|series| series.flow.as_str()).collect();
    assert_eq!(flows, ["down-be", "up.2", "ping-udp-ef", "ping-icmp"]);
    assert_eq!(read.left_out, ["TCP download sum", "TCP upload::2::tcp_cwnd"]);
    assert_eq!((read.name.as_str(), read.loaded), ("rrul", [2.0, 12.0]));
}

#[test]
fn means_are_of_the_time_under_load_and_series_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let read = FlentResults::parse(document().to_string().as_bytes()).unwrap();
    let results = read.write(&folder.path().join("flent")).unwrap();
    assert_eq!(results.manifest.experiment.mode, Mode::Flent);
    let both = SideBySide::of(results.clone(), results);
    let row = |object: &str| both.rows.iter().find(|row| row.object == object).unwrap();
    assert_eq!((row("down-be").a.mean, row("down-be").metric.as_str()), (20.0, "goodput"));
    assert_eq!((row("ping-icmp").a.mean, row("ping-icmp").metric.as_str()), (90.0, "rtt"));
    assert_eq!(row("ping-udp-ef").percentiles.len(), 2);
    assert!(both.warnings.is_empty(), "{:?}", both.warnings);
    let page = both.write_page(folder.path()).unwrap();
    assert!(std::fs::read_to_string(page).unwrap().contains("ping-icmp"));
}

#[test]
fn compressed_and_plain_files_are_read_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, packed) = (folder.path().join("a.flent"), folder.path().join("a.flent.gz"));
    std::fs::write(&plain, document().to_string()).unwrap();
    let mut encoder = GzEncoder::new(std::fs::File::create(&packed).unwrap(), Compression::fast());
    encoder.write_all(document().to_string().as_bytes()).unwrap();
    encoder.finish().unwrap();
    let read = FlentResults::read(&plain).unwrap();
    assert_eq!(FlentResults::read(&packed).unwrap(), read);
    let whole = std::fs::read(&packed).unwrap();
    std::fs::write(&packed, &whole[..whole.len() / 2]).unwrap();
    let error = FlentResults::read(&packed).unwrap_err().to_string();
    assert!(error.contains("a.flent.gz: cannot be decompressed"), "{error}");
    assert!(FlentResults::read(folder.path()).is_err());
}

#[test]
fn a_file_that_decompresses_beyond_the_limit_is_refused() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![b' '; 1 << 20];
    (0..=LARGEST >> 20).for_each(|_| encoder.write_all(&zeros).unwrap());
    let error = decompressed(&encoder.finish().unwrap()).unwrap_err();
    assert_eq!(error, "must be at most 256 MiB decompressed");
}

#[test]
fn what_is_no_result_of_flent_is_refused_with_the_reason() {
    assert!(refused(|value| *value = json!([1])).contains("must be JSON as flent writes it"));
    assert!(FlentResults::parse(b"x y").unwrap_err().contains("line 1 column 1"));
    for key in ["version", "x_values", "results"] {
        let error = refused(|value| drop(value.as_object_mut().unwrap().remove(key)));
        assert_eq!(error, format!("must have the key `{key}`, which every result of flent has"));
    }
    let error = refused(|value| value["results"]["Ping (ms) ICMP"] = json!([1.0]));
    assert_eq!(error, "series `Ping (ms) ICMP` must have the 15 points of `x_values`, got 1");
    let error = refused(|value| value["x_values"][3] = json!(1.0));
    assert_eq!(error, "`x_values` must increase, got 1 after 2");
    assert!(refused(|value| value["x_values"] = json!([])).contains("must not be empty"));
    assert!(refused(|value| value["x_values"][14] = json!(1e12)).contains("below a week"));
    let error = refused(|value| value["version"] = json!(9));
    assert_eq!(error, "`version` must be 1 to 4, as flent 2.1 writes it, got 9");
    let error = refused(|value| value["results"] = json!({ "cpu": vec![1.0; 15] }));
    assert_eq!(error, "has no series of TCP rates or pings, got cpu");
}
