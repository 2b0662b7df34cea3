//! Action profiles, and the tables that use them.

use jettison_p4_thrift::codec::{Fields, Kind, Value};

use crate::support::{Bench, data, elements, exact, field, list, of};

fn member(bench: &mut Bench, profile: &str, port: u8) -> Value {
    bench.get("bm_mt_act_prof_add_member", of(profile).with(3, "In.send").with(4, data([&[0, port]])))
}

/// Arguments that add an entry to an indirect table.
fn entry(table: &str, kind: u8, content: Value) -> Fields {
    of(table).with(3, Value::structs([exact(&[8, kind])])).with(4, content).with(5, Fields::new())
}

fn out(bench: &mut Bench, kind: u8) -> Vec<u16> {
    let frame = [&[0; 6][..], &[2; 6], &[8, kind], &[0; 46]].concat();
    bench.testbed.receive(1, &frame).unwrap();
    bench.testbed.take_sent().into_iter().map(|sent| sent.port).collect()
}

#[test]
fn an_entry_runs_the_action_of_its_member() {
    let mut bench = Bench::new();
    let first = member(&mut bench, "In.shared_actions", 2);
    let second = member(&mut bench, "In.shared_actions", 3);
    let handle = bench.get("bm_mt_indirect_add_entry", entry("In.profiled", 1, first.clone()));
    assert_eq!(out(&mut bench, 1), [2]);
    bench.run(
        "bm_mt_indirect_modify_entry",
        of("In.profiled").with(3, handle.clone()).with(4, second.clone()),
    );
    assert_eq!(out(&mut bench, 1), [3]);
    let changed = of("In.shared_actions").with(3, second.clone()).with(4, "In.send").with(5, data([&[0, 6]]));
    bench.run("bm_mt_act_prof_modify_member", changed);
    assert_eq!(out(&mut bench, 1), [6]);
    let read = bench.get("bm_mt_get_entry", of("In.profiled").with(3, handle.clone()));
    assert_eq!((field(field(&read, 4), 1), field(field(&read, 4), 4)), (&Value::I32(2), &second));
    let of_member = |member: &Value| of("In.shared_actions").with(3, member.clone());
    assert_eq!(bench.code("bm_mt_act_prof_delete_member", of_member(&second)), 11, "MBR_STILL_USED");
    bench.run("bm_mt_indirect_set_default_member", of("In.profiled").with(3, first.clone()));
    assert_eq!(out(&mut bench, 7), [2]);
    bench.run("bm_mt_indirect_reset_default_entry", of("In.profiled"));
    bench.run("bm_mt_indirect_delete_entry", of("In.profiled").with(3, handle));
    bench.run("bm_mt_act_prof_delete_member", of_member(&second));
    let all = bench.get("bm_mt_act_prof_get_members", of("In.shared_actions"));
    let [only] = elements(&all) else { panic!("{all:?}") };
    assert_eq!((field(only, 1), field(only, 2)), (&first, &Value::from("In.send")));
    assert_eq!(bench.code("bm_mt_act_prof_get_member", of_member(&second)), 10, "INVALID_MBR_HANDLE");
}

#[test]
fn a_group_has_the_members_that_join_it() {
    let mut bench = Bench::new();
    let (first, second) = (member(&mut bench, "In.choice", 2), member(&mut bench, "In.choice", 2));
    let group = bench.get("bm_mt_act_prof_create_group", of("In.choice"));
    let add = || entry("In.balanced", 1, group.clone());
    assert_eq!(bench.code("bm_mt_indirect_ws_add_entry", add()), 16, "EMPTY_GRP");
    let pair = |member: &Value| of("In.choice").with(3, member.clone()).with(4, group.clone());
    bench.run("bm_mt_act_prof_add_member_to_group", pair(&first));
    bench.run("bm_mt_act_prof_add_member_to_group", pair(&second));
    assert_eq!(bench.code("bm_mt_act_prof_add_member_to_group", pair(&first)), 12, "MBR_ALREADY_IN_GRP");
    let handle = bench.get("bm_mt_indirect_ws_add_entry", add());
    assert_eq!(out(&mut bench, 1), [2]);
    let of_group = || of("In.choice").with(3, group.clone());
    let read = bench.get("bm_mt_act_prof_get_group", of_group());
    assert_eq!(field(&read, 2), &list(Kind::I32, [first.clone(), second.clone()]));
    assert_eq!(elements(&bench.get("bm_mt_act_prof_get_groups", of("In.choice"))).len(), 1);
    assert_eq!(bench.code("bm_mt_act_prof_delete_group", of_group()), 15, "GRP_STILL_USED");
    bench.run("bm_mt_act_prof_remove_member_from_group", pair(&second));
    assert_eq!(bench.code("bm_mt_act_prof_remove_member_from_group", pair(&second)), 13, "MBR_NOT_IN_GRP");
    bench.run("bm_mt_indirect_ws_set_default_group", of("In.balanced").with(3, group.clone()));
    bench.run("bm_mt_indirect_reset_default_entry", of("In.balanced"));
    bench.run("bm_mt_indirect_delete_entry", of("In.balanced").with(3, handle));
    bench.run("bm_mt_act_prof_delete_group", of_group());
    assert_eq!(bench.code("bm_mt_act_prof_get_group", of_group()), 14, "INVALID_GRP_HANDLE");
}

#[test]
fn a_profile_without_a_selector_has_no_groups() {
    let mut bench = Bench::new();
    assert_eq!(bench.code("bm_mt_act_prof_create_group", of("In.shared_actions")), 24);
    assert_eq!(bench.code("bm_mt_act_prof_create_group", of("In.nothing")), 23);
    assert_eq!(bench.code("bm_mt_indirect_ws_add_entry", entry("In.profiled", 1, 0.into())), 9);
    assert_eq!(bench.code("bm_mt_indirect_add_entry", entry("In.exact_t", 1, 0.into())), 9);
    assert_eq!(bench.code("bm_mt_indirect_add_entry", entry("In.profiled", 1, 5.into())), 10);
}
