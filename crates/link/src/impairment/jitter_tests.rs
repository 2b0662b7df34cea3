//! Tests of jitter, against the figures of netem's distributions.

use jettison_core::Seed;
use serde_json::json;

use super::*;

const COUNT: usize = 100_000;

fn parameters(value: serde_json::Value) -> JitterParameters {
    serde_json::from_value::<JitterChoice>(value).unwrap().parameters()
}

/// Additions in units of the deviation, in order of drawing.
fn drawn(parameters: &JitterParameters) -> Vec<f64> {
    let mut jitter = Jitter::new(parameters, Seed(1).stream(&["jitter"])).unwrap();
    let deviation = parameters.deviation.as_nanos() as f64;
    (0..COUNT).map(|_| jitter.draw() as f64 / deviation).collect()
}

/// Mean, deviation and correlation of neighbours.
fn moments(values: &[f64]) -> [f64; 3] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count;
    let neighbours = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / count;
    [mean, variance.sqrt(), neighbours / variance]
}

fn quantiles(mut values: Vec<f64>, shares: &[f64]) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    shares.iter().map(|share| values[(share * (values.len() - 1) as f64) as usize]).collect()
}

#[test]
fn distributions_have_the_quantiles_of_netems() {
    // Read from the tables that Debian's iproute2 6.1 installs; uniform needs none.
    let shares = [0.01, 0.1, 0.5, 0.9, 0.99];
    let expected = [
        ("uniform", [-0.98, -0.8, 0.0, 0.8, 0.98]),
        ("normal", [-2.334, -1.282, -0.001, 1.28, 2.318]),
        ("pareto", [-0.662, -0.619, -0.32, 0.869, 4.0]),
        ("paretonormal", [-1.08, -0.785, -0.24, 0.972, 3.579]),
    ];
    for (name, expected) in expected {
        let parameters = parameters(json!({ "deviation": "10 ms", "distribution": name }));
        let found = quantiles(drawn(&parameters), &shares);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 0.06, "{name}: {found} for {expected}");
        }
    }
}

#[test]
fn a_correlation_keeps_the_distribution() {
    let plain = parameters(json!("10 ms"));
    let [mean, deviation, neighbours] = moments(&drawn(&plain));
    assert!(mean.abs() < 0.02 && (deviation - 1.0).abs() < 0.01 && neighbours.abs() < 0.02);
    let correlated = parameters(json!({ "deviation": "10 ms", "correlation": "60 %" }));
    let [mean, deviation, neighbours] = moments(&drawn(&correlated));
    assert!(mean.abs() < 0.03 && (deviation - 1.0).abs() < 0.02, "{mean} {deviation}");
    assert!((neighbours - 0.6).abs() < 0.02, "{neighbours}");
}

#[test]
fn a_table_is_drawn_by_its_quantiles() {
    let table = DistributionTable::parse(b"# own\n-8192 -8192\n0 16384\n").unwrap();
    let parameters = JitterParameters {
        table: Some("own.dist".to_owned()),
        read: Some(Arc::new(table)),
        ..parameters(json!("1 ms"))
    };
    let values = drawn(&parameters);
    let share = |value: f64| values.iter().filter(|v| **v == value).count() as f64 / COUNT as f64;
    for (value, expected) in [(-1.0, 0.5), (0.0, 0.25), (2.0, 0.25)] {
        assert!((share(value) - expected).abs() < 0.01, "{value}");
    }
}

#[test]
fn a_bad_table_is_refused_with_its_line() {
    let refused = |text: &str| {
        let error = DistributionTable::parse(text.as_bytes()).unwrap_err();
        (error.line, error.to_string())
    };
    let (line, message) = refused("# one\n1 2\n3 x\n");
    assert_eq!(line, Some(3));
    assert_eq!(message, "a value must be an integer from -32768 to 32767, got `x`");
    assert_eq!(refused("5 40000").0, Some(1));
    assert_eq!(refused("5 4").1, "values must be in ascending order, got 4 after 5");
    assert_eq!(refused("# nothing\n").1, "a distribution must have at least 2 values, got 0");
    assert!(DistributionTable::parse(&[0xff, 0xfe]).is_err());
    assert_eq!(refused(&"1 ".repeat(70_000)).0, Some(1));
}

#[test]
fn a_deviation_beyond_the_delay_is_refused() {
    let error = |value, delay| parameters(value).validate(Duration::from_millis(delay)).unwrap_err();
    let beyond = error(json!("11 ms"), 10);
    assert_eq!(beyond.path, ["deviation"]);
    assert!(beyond.to_string().contains("must be <= the link's delay of 10 ms, got 11 ms"), "{beyond}");
    assert_eq!(error(json!({ "deviation": "1 ms", "correlation": 1 }), 10).path, ["correlation"]);
    let both = json!({ "deviation": "1 ms", "table": "f", "distribution": "pareto" });
    assert_eq!(error(both, 10).path, ["table"]);
}
