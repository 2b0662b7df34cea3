//! Counters, meters, registers, value sets and hashes.

use jettison_p4_thrift::codec::{Fields, Kind, Value};

use crate::support::{Bench, data, elements, exact, list, lpm, of};

fn element(name: &str, index: i32) -> Fields {
    of(name).with(3, index)
}

fn count(bytes: i64, packets: i64) -> Fields {
    Fields::new().with(1, bytes).with(2, packets)
}

#[test]
fn counters_are_read_written_and_reset() {
    let mut bench = Bench::new();
    bench.run("bm_counter_write", element("In.arrivals", 3).with(4, count(70, 2)));
    assert_eq!(bench.get("bm_counter_read", element("In.arrivals", 3)), Value::Struct(count(70, 2)));
    bench.run("bm_counter_reset_all", of("In.arrivals"));
    assert_eq!(bench.get("bm_counter_read", element("In.arrivals", 3)), Value::Struct(count(0, 0)));
    assert_eq!(bench.code("bm_counter_read", element("In.arrivals", 4)), 2, "INVALID_INDEX");
    assert_eq!(bench.code("bm_counter_read", element("In.arrivals", -1)), 2);
    assert_eq!(bench.code("bm_counter_read", element("In.hits", 0)), 1, "INVALID_COUNTER_NAME");
    assert_eq!(bench.code("bm_mt_read_counter", element("In.prefixes", 0)), 4, "COUNTERS_DISABLED");
    let key = Value::structs([exact(&[0; 6])]);
    let entry = of("In.exact_t").with(3, key).with(4, "In.drop").with(5, data([])).with(6, Fields::new());
    bench.get("bm_mt_add_entry", entry);
    bench.run("bm_mt_write_counter", element("In.exact_t", 0).with(4, count(8, 1)));
    assert_eq!(bench.get("bm_mt_read_counter", element("In.exact_t", 0)), Value::Struct(count(8, 1)));
    bench.run("bm_mt_reset_counters", of("In.exact_t"));
    assert_eq!(bench.get("bm_mt_read_counter", element("In.exact_t", 0)), Value::Struct(count(0, 0)));
    assert_eq!(bench.code("bm_mt_read_counter", element("In.exact_t", 1)), 2, "INVALID_HANDLE");
}

fn rates(pairs: &[(f64, i32)]) -> Value {
    Value::structs(pairs.iter().map(|(rate, burst)| Fields::new().with(1, *rate).with(2, *burst)))
}

#[test]
fn meters_have_two_rates() {
    let mut bench = Bench::new();
    assert_eq!(bench.get("bm_meter_get_rates", element("In.limits", 1)), rates(&[]));
    let two = rates(&[(0.125, 1500), (0.25, 3000)]);
    bench.run("bm_meter_set_rates", element("In.limits", 1).with(4, two.clone()));
    assert_eq!(bench.get("bm_meter_get_rates", element("In.limits", 1)), two);
    assert_eq!(bench.get("bm_meter_get_rates", element("In.limits", 0)), rates(&[]));
    bench.run("bm_meter_array_set_rates", of("In.limits").with(3, two.clone()));
    assert_eq!(bench.get("bm_meter_get_rates", element("In.limits", 0)), two);
    for (given, code) in [
        (rates(&[(1.0, 1)]), 3),
        (rates(&[(2.0, 1), (1.0, 1)]), 4),
        (rates(&[(-1.0, 1), (1.0, 1)]), 4),
        (rates(&[(f64::NAN, 1), (1.0, 1)]), 4),
        (rates(&[(1.0, -1), (1.0, 1)]), 5),
    ] {
        assert_eq!(bench.code("bm_meter_set_rates", element("In.limits", 1).with(4, given)), code);
    }
    assert_eq!(bench.code("bm_meter_set_rates", element("In.limits", 4).with(4, two.clone())), 2);
    let key = Value::structs([lpm(&[0; 6], 8)]);
    let entry = of("In.prefixes").with(3, key).with(4, "In.drop").with(5, data([])).with(6, Fields::new());
    bench.get("bm_mt_add_entry", entry);
    bench.run("bm_mt_set_meter_rates", element("In.prefixes", 0).with(4, two.clone()));
    assert_eq!(bench.get("bm_mt_get_meter_rates", element("In.prefixes", 0)), two);
    let one = element("In.prefixes", 0).with(4, rates(&[]));
    assert_eq!(bench.code("bm_mt_set_meter_rates", one), 19, "INVALID_METER_OPERATION");
    assert_eq!(
        bench.code("bm_mt_set_meter_rates", element("In.exact_t", 0).with(4, two)),
        5,
        "METERS_DISABLED"
    );
}

#[test]
fn registers_are_read_and_written_alone_and_in_ranges() {
    let mut bench = Bench::new();
    bench.run("bm_register_write", element("In.seen", 2).with(4, 0xffff_ffff_i64));
    assert_eq!(bench.get("bm_register_read", element("In.seen", 2)), Value::I64(0xffff_ffff));
    // Elements have 32 bits.
    bench.run("bm_register_write_range", element("In.seen", 5).with(4, 8).with(5, -1i64));
    let all = [0, 0, 0xffff_ffff, 0, 0, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff].map(Value::I64);
    assert_eq!(bench.get("bm_register_read_all", of("In.seen")), list(Kind::I64, all));
    assert_eq!(bench.code("bm_register_write_range", element("In.seen", 5).with(4, 9).with(5, 1i64)), 2);
    assert_eq!(bench.code("bm_register_write_range", element("In.seen", 5).with(4, 4).with(5, 1i64)), 2);
    assert_eq!(bench.code("bm_register_read", element("In.seen", 8)), 2, "INVALID_INDEX");
    assert_eq!(bench.code("bm_register_read", element("In.arrivals", 0)), 1, "INVALID_REGISTER_NAME");
    bench.run("bm_register_reset", of("In.seen"));
    assert_eq!(bench.get("bm_register_read", element("In.seen", 2)), Value::I64(0));
}

#[test]
fn value_sets_have_members() {
    let mut bench = Bench::new();
    let value = |bytes: &[u8]| of("P.kinds").with(3, bytes.to_vec());
    bench.run("bm_parse_vset_add", value(&[8, 0]));
    bench.run("bm_parse_vset_add", value(&[6]));
    let members = bench.get("bm_parse_vset_get", of("P.kinds"));
    assert_eq!(elements(&members), [Value::from(vec![8, 0]), Value::from(vec![0, 6])]);
    assert_eq!(bench.code("bm_parse_vset_add", value(&[1, 0, 0])), 2, "wider than the field");
    bench.run("bm_parse_vset_remove", value(&[8, 0]));
    assert_eq!(bench.code("bm_parse_vset_remove", value(&[8, 0])), 2);
    bench.run("bm_parse_vset_clear", of("P.kinds"));
    assert_eq!(elements(&bench.get("bm_parse_vset_get", of("P.kinds"))), []);
    assert_eq!(bench.code("bm_parse_vset_get", of("P.others")), 1, "INVALID_PARSE_VSET_NAME");
}

#[test]
fn hashes_have_parameters() {
    let mut bench = Bench::new();
    let parameters =
        Fields::new().with(1, -32_763i16).with(2, 0i16).with(3, 0i16).with(4, false).with(5, false);
    let arguments = |name: &str| of(name).with(3, parameters.clone());
    let seen = |bench: &mut Bench| {
        bench.run("bm_register_reset", of("In.seen"));
        bench.testbed.receive(1, &[7; 60]).unwrap();
        bench.get("bm_register_read_all", of("In.seen"))
    };
    let before = seen(&mut bench);
    bench.run("bm_set_crc16_custom_parameters", arguments("calc"));
    assert_ne!(seen(&mut bench), before);
    assert_eq!(bench.code("bm_set_crc16_custom_parameters", arguments("calc_9")), 1);
    let wide = Fields::new().with(1, 1).with(2, 0).with(3, 0).with(4, false).with(5, false);
    let mut code = |name: &str| bench.code("bm_set_crc32_custom_parameters", of(name).with(3, wide.clone()));
    assert_eq!(code("calc"), 2, "WRONG_TYPE_CALCULATION");
    assert_eq!((code("calc_0"), code("calc_1")), (3, 3), "the two share their parameters");
}
