//! Entries of tables.

use jettison_p4_thrift::codec::{Fields, Kind, Value};

use crate::support::{Bench, data, elements, exact, field, list, lpm, of, priority, range, ternary, valid};

/// Arguments that add an entry.
fn entry(
    table: &str,
    keys: impl IntoIterator<Item = Fields>,
    action: &str,
    values: Value,
    options: Fields,
) -> Fields {
    of(table).with(3, Value::structs(keys)).with(4, action).with(5, values).with(6, options)
}

fn send(key: u8, port: u8) -> Fields {
    entry("In.exact_t", [exact(&[0, 0, 0, 0, 0, key])], "In.send", data([&[0, port]]), Fields::new())
}

/// Ports at which a frame leaves that is for this address.
fn out(bench: &mut Bench, to: u8) -> Vec<u16> {
    let frame = [&[0, 0, 0, 0, 0, to][..], &[2; 6], &[8, 0], &[0; 46]].concat();
    bench.testbed.receive(1, &frame).unwrap();
    bench.testbed.take_sent().into_iter().map(|sent| sent.port).collect()
}

#[test]
fn an_entry_forwards_until_it_is_deleted() {
    let mut bench = Bench::new();
    let handle = bench.get("bm_mt_add_entry", send(9, 3));
    assert_eq!(out(&mut bench, 9), [3]);
    bench.run(
        "bm_mt_modify_entry",
        of("In.exact_t").with(3, handle.clone()).with(4, "In.send").with(5, data([&[0, 5]])),
    );
    assert_eq!(out(&mut bench, 9), [5]);
    assert_eq!(bench.get("bm_mt_get_num_entries", of("In.exact_t")), Value::I64(1));
    let counted = bench.get("bm_mt_read_counter", of("In.exact_t").with(3, handle.clone()));
    assert_eq!((field(&counted, 1), field(&counted, 2)), (&Value::I64(120), &Value::I64(2)));
    bench.run("bm_mt_delete_entry", of("In.exact_t").with(3, handle.clone()));
    assert!(out(&mut bench, 9).is_empty());
    assert_eq!(bench.code("bm_mt_delete_entry", of("In.exact_t").with(3, handle)), 2, "INVALID_HANDLE");
}

#[test]
fn the_default_action_is_set_and_reset() {
    let mut bench = Bench::new();
    bench.run("bm_mt_set_default_action", of("In.exact_t").with(3, "In.send").with(4, data([&[0, 4]])));
    assert_eq!(out(&mut bench, 1), [4]);
    let default = bench.get("bm_mt_get_default_entry", of("In.exact_t"));
    assert_eq!((field(&default, 2), field(&default, 3)), (&Value::from("In.send"), &data([&[0, 4]])));
    bench.run("bm_mt_reset_default_entry", of("In.exact_t"));
    assert!(out(&mut bench, 1).is_empty());
    let constant = of("In.fixed").with(3, "In.drop").with(4, data([]));
    assert_eq!(bench.code("bm_mt_set_default_action", constant), 20, "DEFAULT_ACTION_IS_CONST");
    // No entry of a table without keys; its key is that of the default action.
    let none = of("In.fixed").with(3, Value::structs([])).with(4, Fields::new());
    let entry = bench.get("bm_mt_get_entry_from_key", none);
    assert_eq!(field(field(&entry, 4), 2), &Value::from("In.send"));
}

#[test]
fn keys_of_all_kinds_are_read_as_they_were_written() {
    let mut bench = Bench::new();
    let prefix = lpm(&[10, 0, 0, 0, 0, 0], 8);
    bench.get("bm_mt_add_entry", entry("In.prefixes", [prefix.clone()], "In.drop", data([]), Fields::new()));
    let entries = bench.get("bm_mt_get_entries", of("In.prefixes"));
    let [only] = elements(&entries) else { panic!("{entries:?}") };
    assert_eq!(field(only, 1), &Value::structs([prefix]));
    assert_eq!(field(field(only, 2), 1), &Value::I32(-1), "a table without priorities");

    let masked = ternary(&[1, 0, 0, 0, 0, 0], &[255, 0, 0, 0, 0, 0]);
    let any = ternary(&[0, 0], &[0, 0]);
    let keys = [masked, range(&[1, 0], &[2, 0]), any, valid(true)];
    let arguments = entry("In.masks", keys.clone(), "In.label", data([&[3, 255]]), priority(20));
    let handle = bench.get("bm_mt_add_entry", arguments);
    let one = ternary(&[0, 5], &[3, 255]);
    let [masked, kinds, any, _] = keys;
    let other = [masked.clone(), kinds.clone(), one, exact(&[1])];
    let arguments = entry("In.masks", other.clone(), "NoAction", data([]), priority(5));
    bench.get("bm_mt_add_entry", arguments);
    let entries = bench.get("bm_mt_get_entries", of("In.masks"));
    let [first, second] = elements(&entries) else { panic!("{entries:?}") };
    // The interface has no validity when it lists entries, only a bit.
    assert_eq!(field(first, 1), &Value::structs([masked, kinds, any, exact(&[1])]));
    assert_eq!((field(field(first, 2), 1), field(first, 3)), (&Value::I32(20), &handle));
    assert_eq!(field(field(first, 4), 3), &data([&[3, 255]]));
    assert_eq!(field(second, 1), &Value::structs(other.clone()));
    let found = of("In.masks").with(3, Value::structs(other.clone())).with(4, priority(5));
    assert_eq!(&bench.get("bm_mt_get_entry_from_key", found), second);
    let absent = of("In.masks").with(3, Value::structs(other)).with(4, priority(6));
    assert_eq!(bench.code("bm_mt_get_entry_from_key", absent), 18, "BAD_MATCH_KEY");
}

#[test]
fn what_does_not_fit_has_its_code() {
    let mut bench = Bench::new();
    let none = Fields::new;
    let mut code = |arguments: Fields| bench.code("bm_mt_add_entry", arguments);
    let key = || exact(&[0; 6]);
    let table = |name: &str| entry(name, [key()], "In.drop", data([]), none());
    assert_eq!(code(table("In.exact")), 7, "INVALID_TABLE_NAME");
    assert_eq!(code(table("In.profiled")), 9, "WRONG_TABLE_TYPE");
    assert_eq!(
        code(entry("In.exact_t", [key()], "In.label", data([&[1]]), none())),
        8,
        "INVALID_ACTION_NAME"
    );
    for keys in [vec![], vec![key(), key()], vec![lpm(&[0; 6], 8)], vec![exact(&[1, 0, 0, 0, 0, 0, 0])]] {
        assert_eq!(code(entry("In.exact_t", keys, "In.drop", data([]), none())), 18, "BAD_MATCH_KEY");
    }
    let masks = |optional: Fields, kinds: Fields| {
        let keys = [ternary(&[0; 6], &[0; 6]), kinds, optional, valid(true)];
        entry("In.masks", keys, "NoAction", data([]), priority(1))
    };
    let partial = ternary(&[0, 1], &[0, 1]);
    assert_eq!(code(masks(partial, range(&[0], &[1]))), 18, "an optional key has no mask");
    assert_eq!(code(masks(ternary(&[], &[]), range(&[2], &[1]))), 18, "a range ends after its start");
    assert_eq!(code(entry("In.prefixes", [lpm(&[0; 6], 49)], "In.drop", data([]), none())), 18);
    for values in [data([]), data([&[1], &[1]]), data([&[2, 0]])] {
        assert_eq!(code(entry("In.exact_t", [key()], "In.send", values, none())), 26, "BAD_ACTION_DATA");
    }
    assert_eq!(bench.get("bm_mt_add_entry", send(1, 1)), Value::I32(0));
    assert_eq!(bench.code("bm_mt_add_entry", send(1, 2)), 17, "DUPLICATE_ENTRY");
    bench.get("bm_mt_add_entry", send(2, 1));
    assert_eq!(bench.code("bm_mt_add_entry", send(3, 1)), 1, "TABLE_FULL");
}

#[test]
fn malformed_calls_are_refused_with_the_field() {
    let mut bench = Bench::new();
    let (_, text) = bench.refused("bm_mt_add_entry", of("In.exact_t"));
    assert_eq!(text, "missing field 3, of type list");
    let (_, text) = bench.refused("bm_mt_add_entry", of("In.exact_t").with(3, 5));
    assert_eq!(text, "field 3 must be of type list, got I32");
    let numbers = list(Kind::I32, [Value::I32(1)]);
    bench.refused("bm_mt_add_entry", of("In.exact_t").with(3, numbers).with(4, "In.drop").with(5, data([])));
    bench.refused("bm_mt_get_num_entries", Fields::new().with(2, vec![255]));
}

#[test]
fn a_timeout_is_that_of_a_table_with_timeouts() {
    let mut bench = Bench::new();
    let handle = bench.get("bm_mt_add_entry", send(1, 1));
    bench.run("bm_mt_set_entry_ttl", of("In.exact_t").with(3, handle.clone()).with(4, 250));
    let entry = bench.get("bm_mt_get_entry", of("In.exact_t").with(3, handle));
    assert_eq!((field(field(&entry, 5), 1), field(field(&entry, 5), 2)), (&Value::I32(250), &Value::I32(0)));
    assert_eq!(
        bench.code("bm_mt_set_entry_ttl", of("In.prefixes").with(3, 0).with(4, 250)),
        6,
        "AGEING_DISABLED"
    );
}

#[test]
fn clearing_and_resetting_leave_the_programs_own_entries() {
    let mut bench = Bench::new();
    bench.get("bm_mt_add_entry", send(1, 1));
    bench.run("bm_mt_set_default_action", of("In.exact_t").with(3, "In.send").with(4, data([&[0, 4]])));
    bench.run("bm_mt_clear_entries", of("In.exact_t").with(3, false));
    assert_eq!(out(&mut bench, 1), [4], "the default action stays");
    bench.run("bm_mt_clear_entries", of("In.exact_t").with(3, true));
    assert!(out(&mut bench, 1).is_empty());
    bench.get("bm_mt_add_entry", send(1, 1));
    bench.run("bm_reset_state", Fields::new());
    assert_eq!(bench.get("bm_mt_get_num_entries", of("In.exact_t")), Value::I64(0));
}
