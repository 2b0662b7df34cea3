//! Statements, tables, and preserved state.

use super::*;

fn traced(maker: Maker) -> u64 {
    let mut test = maker.test();
    test.ingress();
    test.metadata(0)
}

/// “Exit statement”, “Calling convention: call by copy in/copy out”: `exit` ends the block, but all pending copy-outs
/// still run.
#[test]
fn copy_out_runs_even_if_the_callee_exits() {
    let mut maker = Maker::new();
    let (one, two, three, four) = (maker.trace(1), maker.trace(2), maker.trace(3), maker.trace(4));
    let inner = maker.function(vec![one, stmt(StmtKind::Exit), four.clone()]);
    let outer =
        maker.function(vec![stmt(StmtKind::Call { function: inner, after: vec![two] }), four.clone()]);
    maker.ingress(vec![stmt(StmtKind::Call { function: outer, after: vec![three] }), four]);
    assert_eq!(traced(maker), 123);
}

/// “Return statement”: `return` ends only the function.
#[test]
fn a_return_ends_only_the_callee() {
    let mut maker = Maker::new();
    let (one, two, three, four) = (maker.trace(1), maker.trace(2), maker.trace(3), maker.trace(4));
    let inner = maker.function(vec![one, stmt(StmtKind::Return), four]);
    maker.ingress(vec![stmt(StmtKind::Call { function: inner, after: vec![two] }), three]);
    assert_eq!(traced(maker), 123);
}

/// A `for` whose body continues early in every second iteration: `continue` resumes at the update.
#[test]
fn continue_resumes_at_the_update() {
    let mut maker = Maker::new();
    let (counter, four, one, two) =
        (maker.read("metadata.y"), maker.constant(4, 8), maker.constant(1, 8), maker.constant(2, 8));
    let condition = maker.compare(BinaryOp::Less, counter.clone(), four);
    let next = maker.binary(BinaryOp::Add, counter.clone(), one.clone());
    let update = vec![stmt(StmtKind::Assign { to: maker.place("metadata.y"), value: next })];
    let odd = maker.binary(BinaryOp::BitAnd, counter.clone(), one.clone());
    let odd = maker.compare(BinaryOp::Equal, odd, one);
    let past_two = maker.compare(BinaryOp::Greater, counter, two);
    let (traced_one, traced_two) = (maker.trace(1), maker.trace(2));
    let when = |condition, then| stmt(StmtKind::If { condition, then: vec![then], otherwise: Vec::new() });
    let body = vec![
        traced_one,
        when(past_two, stmt(StmtKind::Break)),
        when(odd, stmt(StmtKind::Continue)),
        traced_two,
    ];
    maker.ingress(vec![stmt(StmtKind::Loop { before: Vec::new(), condition, body, update })]);
    assert_eq!(traced(maker), 121_121);
}

#[test]
fn a_loop_ends_after_the_maximum_number_of_iterations() {
    let mut maker = Maker::new();
    let (x, one) = (maker.read("metadata.x"), maker.constant(1, 32));
    let value = maker.binary(BinaryOp::Add, x, one);
    let body = vec![stmt(StmtKind::Assign { to: maker.place("metadata.x"), value })];
    let condition = Expr { kind: ExprKind::Constant(BigUint::from(1u8)), ty: maker.bool() };
    let endless = StmtKind::Loop { before: Vec::new(), condition, body, update: Vec::new() };
    maker.ingress(vec![stmt(endless)]);
    assert_eq!(traced(maker), u64::from(MAX_LOOP_ITERATIONS));
}

/// “Operations on header stacks”: new elements are invalid, and the next index moves within the stack.
#[test]
fn push_front_and_pop_front_shift_the_elements() {
    let mut maker = Maker::new();
    let mut body = Vec::new();
    for (path, value) in [("headers.s[0]", 0x11), ("headers.s[1]", 0x22)] {
        body.push(stmt(StmtKind::SetValid(maker.place(path))));
        body.push(maker.set(&format!("{path}.a"), value));
    }
    body.push(stmt(StmtKind::PushFront(maker.place("headers.s"), 2)));
    let next = Expr { kind: ExprKind::NextIndex(maker.place("headers.s")), ty: maker.bits(32, false) };
    body.push(stmt(StmtKind::Assign { to: maker.place("metadata.x"), value: next }));
    maker.ingress(body);
    maker.deparser(&["headers.s"]);
    let mut test = maker.test();
    test.ingress();
    assert_eq!((test.deparse(), test.metadata(0)), (vec![0x11, 0, 0], 2));
}

#[test]
fn popping_more_elements_than_the_size_empties_the_stack() {
    let mut maker = Maker::new();
    let body = vec![
        stmt(StmtKind::SetValid(maker.place("headers.s[2]"))),
        stmt(StmtKind::PopFront(maker.place("headers.s"), 9)),
        stmt(StmtKind::SetValid(maker.place("headers.h"))),
    ];
    maker.ingress(body);
    maker.deparser(&["headers.s", "headers.h"]);
    let mut test = maker.test();
    test.ingress();
    assert_eq!(test.deparse(), [0, 0, 0]);
}

/// “Insertion of data into packets”: invalid headers are not emitted, composites are emitted by members, and bits
/// are packed.
#[test]
fn emit_goes_through_structs_stacks_and_unions() {
    let mut maker = Maker::new();
    let mut body = Vec::new();
    for path in ["headers.s[1]", "headers.v", "headers.u.s", "headers.us[1].h"] {
        body.push(stmt(StmtKind::SetValid(maker.place(path))));
    }
    body.push(maker.set("headers.s[1].b", 0xabcd));
    body.push(maker.set("headers.v.p", 0xf));
    body.push(maker.set("headers.u.s.c", 0x77));
    body.push(maker.set("headers.us[1].h.a", 0x99));
    maker.ingress(body);
    maker.deparser(&["headers"]);
    let mut test = maker.test();
    test.ingress();
    assert_eq!(test.deparse(), [0, 0xab, 0xcd, 0xf0, 0x77, 0x99, 0, 0]);
}

#[test]
fn a_table_runs_the_entry_that_matches_or_the_default() {
    let mut maker = Maker::new();
    let data = Variable { name: "data".into(), ty: maker.bits(32, false) };
    maker.program.variables.push(data);
    let (to, value) = (maker.place("metadata.x"), maker.read("data"));
    let exits = maker.trace(7);
    let action = maker.function(vec![stmt(StmtKind::Assign { to, value }), stmt(StmtKind::Exit)]);
    let counter = ExternInstance { name: "counter".into(), kind: ExternKind::DirectCounter, initial: None };
    maker.program.externs.push(counter);
    let with = |data: u32| ActionValue { action: 0, data: vec![BigUint::from(data)] };
    let entry = |key: u8, priority, data| ConstEntry {
        keys: vec![KeyMatch::Ternary(BigUint::from(key), BigUint::from(key))],
        priority,
        action: with(data),
    };
    let table = Table {
        name: "t".into(),
        before: Vec::new(),
        keys: vec![Key { expr: maker.read("metadata.y"), kind: MatchKind::Ternary, name: "y".into() }],
        actions: vec![TableAction {
            function: action,
            name: "a".into(),
            data: vec![("data".into(), VarId(3))],
            before: Vec::new(),
            after: vec![exits],
            default_only: false,
            table_only: false,
        }],
        default: with(1),
        default_is_const: true,
        entries: vec![entry(1, 1, 20), entry(3, 2, 30)],
        entries_are_const: true,
        size: None,
        profile: None,
        direct_counter: Some(ExternId(0)),
        direct_meter: None,
        direct_in_actions: false,
        span: NOWHERE,
    };
    maker.program.tables.push(table);
    let apply = stmt(StmtKind::Apply { table: TableId(0), hit: None, action: None });
    let never = maker.trace(9);
    maker.ingress(vec![apply, never]);
    for (y, expected, hits) in [(0u8, 17, [0, 0]), (1, 207, [1, 0]), (3, 307, [0, 1])] {
        let mut maker = Maker { program: maker.program.clone() };
        let set = maker.set("metadata.y", u64::from(y));
        maker.program.functions[1].body.insert(0, set);
        let mut test = maker.test();
        test.parse(&[0; 60]);
        test.ingress();
        let counter = test.plane.objects.counter(ExternId(0));
        assert_eq!(test.metadata(0), expected);
        assert_eq!([counter.packets(0), counter.packets(1)], hits);
        assert_eq!(counter.bytes(0) + counter.bytes(1), 60 * (hits[0] + hits[1]));
    }
}

#[test]
fn only_the_fields_of_a_list_are_preserved() {
    let mut maker = Maker::new();
    let places = vec![maker.place("metadata.y"), maker.place("standard.egress_spec")];
    maker.program.field_lists.push(FieldList { places });
    let body = vec![
        maker.set("metadata.x", 1),
        maker.set("metadata.y", 2),
        maker.set("standard.egress_spec", 3),
        stmt(StmtKind::SetValid(maker.place("headers.h"))),
    ];
    maker.ingress(body);
    maker.deparser(&["headers"]);
    let mut test = maker.test();
    test.parse(&[0; 9]);
    test.ingress();
    let mut saved = super::super::Saved::default();
    test.machine.save(&mut saved);
    test.machine.load(&saved);
    test.machine.keep_only(Some(FieldListId(0)), &saved);
    assert_eq!((test.metadata(0), test.metadata(1)), (0, 2));
    assert_eq!(test.machine.standard(Standard::EgressSpec), 3);
    assert_eq!(test.machine.standard(Standard::PacketLength), 0);
    assert_eq!(test.deparse(), [0, 0, 0]);
    test.machine.keep_only(None, &saved);
    assert_eq!(test.metadata(1), 0);
}
