//! Extraction, parser errors, transitions.

use super::*;

fn extract(maker: &Maker, path: &str) -> Stmt {
    stmt(StmtKind::Extract { to: maker.place(path), length: None })
}

/// “Fixed-width extraction”
#[test]
fn a_packet_too_short_extracts_nothing() {
    let mut maker = Maker::new();
    maker.one_state(vec![extract(&maker, "headers.h"), extract(&maker, "headers.s[0]")]);
    maker.deparser(&["headers"]);
    let mut test = maker.test();
    let parsed = test.parse(&[1, 2, 3, 4, 5]);
    assert_eq!((&*test.error(parsed), parsed.consumed), ("PacketTooShort", 3));
    assert_eq!(test.deparse(), [1, 2, 3]);
    let parsed = test.parse(&[1, 2, 3, 4, 5, 6]);
    assert_eq!((&*test.error(parsed), parsed.consumed), ("NoError", 6));
}

/// “Operations on header stacks”: `next` past the end of the stack.
#[test]
fn a_stack_is_filled_to_its_end() {
    let mut maker = Maker::new();
    let body = vec![extract(&maker, "headers.s.next")];
    let again = maker.state(body, Transition::To(Target::State(StateId(0))));
    maker.parser(vec![again]);
    maker.deparser(&["headers.s"]);
    let mut test = maker.test();
    let bytes: Vec<u8> = (1..=12).collect();
    let parsed = test.parse(&bytes);
    assert_eq!((&*test.error(parsed), parsed.consumed), ("StackOutOfBounds", 9));
    assert_eq!(test.deparse(), bytes[..9]);
}

#[test]
fn the_last_of_an_empty_stack_is_an_error() {
    let mut maker = Maker::new();
    let last = maker.read("headers.s.last.a");
    let cases = vec![SelectCase { keys: vec![KeySet::Any], to: Target::Accept }];
    let state = maker.state(Vec::new(), Transition::Select { on: vec![last], cases });
    maker.parser(vec![state]);
    let mut test = maker.test();
    let parsed = test.parse(&[1]);
    assert_eq!(&*test.error(parsed), "StackOutOfBounds");
}

/// Extraction of a member of `next` advances a stack of unions.
#[test]
fn a_member_of_the_next_union_advances_the_stack() {
    let mut maker = Maker::new();
    maker.one_state(vec![extract(&maker, "headers.us.next.s"), extract(&maker, "headers.us.next.h")]);
    maker.deparser(&["headers"]);
    let mut test = maker.test();
    let parsed = test.parse(&[1, 2, 3, 4]);
    assert_eq!((&*test.error(parsed), test.deparse()), ("NoError", vec![1, 2, 3, 4]));
}

/// “Variable-width extraction”
#[test]
fn a_varbit_has_the_given_length() {
    for (bits, size, error, consumed) in [
        (16, 9, "NoError", 3),
        (0, 9, "NoError", 1),
        (32, 5, "NoError", 5),
        (32, 4, "PacketTooShort", 0),
        (40, 9, "HeaderTooShort", 0),
        (12, 9, "ParserInvalidArgument", 0),
    ] {
        let mut maker = Maker::new();
        let length = Some(maker.constant(bits, 32));
        let to = maker.place("headers.v");
        let size_in_bits = Expr { kind: ExprKind::SizeInBits(to.clone()), ty: maker.bits(32, false) };
        let copy = stmt(StmtKind::Assign { to: maker.place("metadata.x"), value: size_in_bits });
        maker.one_state(vec![stmt(StmtKind::Extract { to, length }), copy]);
        maker.deparser(&["headers"]);
        let mut test = maker.test();
        let bytes: Vec<u8> = (1..=size).map(|i| i * 0x11).collect();
        let parsed = test.parse(&bytes);
        assert_eq!((&*test.error(parsed), parsed.consumed), (error, consumed), "{bits} of {size}");
        assert_eq!(test.deparse(), bytes[..consumed]);
        assert_eq!(test.metadata(0), consumed as u64 * 8);
    }
}

/// “Lookahead”, “Skipping bits”.
#[test]
fn lookahead_consumes_nothing_and_advance_skips() {
    let mut maker = Maker::new();
    let bits = maker.constant(12, 32);
    let body = vec![
        stmt(StmtKind::Lookahead(maker.place("headers.h"))),
        stmt(StmtKind::Advance(bits)),
        stmt(StmtKind::Lookahead(maker.place("metadata.y"))),
    ];
    maker.one_state(body);
    maker.deparser(&["headers"]);
    let mut test = maker.test();
    let parsed = test.parse(&[0x12, 0x34, 0x56]);
    assert_eq!((&*test.error(parsed), parsed.consumed), ("NoError", 2));
    assert_eq!((test.deparse(), test.metadata(1)), (vec![0x12, 0x34, 0x56], 0x45));
    let parsed = test.parse(&[0x12, 0x34]);
    assert_eq!((&*test.error(parsed), parsed.consumed), ("PacketTooShort", 0));
}

/// “The `verify` construct”.
#[test]
fn verify_sets_its_error() {
    let mut maker = Maker::new();
    let error =
        Expr { kind: ExprKind::Constant(BigUint::from(7u8)), ty: maker.program.types.add(Type::Error) };
    let condition = Expr { kind: ExprKind::IsValid(maker.place("headers.h")), ty: maker.bool() };
    let verify = stmt(StmtKind::Verify { condition, error });
    maker.one_state(vec![verify.clone(), extract(&maker, "headers.h")]);
    let mut test = maker.test();
    let parsed = test.parse(&[1, 2, 3]);
    assert_eq!((&*test.error(parsed), parsed.consumed), ("Mine", 0));
}

/// “Select expressions”: the first matching case wins; no match is `NoMatch`.
#[test]
fn select_takes_the_first_case_that_matches() {
    let mut maker = Maker::new();
    let mut value = |number| maker.constant(number, 8);
    let keys = [
        KeySet::Value(value(1)),
        KeySet::Mask(value(0x20), value(0xf0)),
        KeySet::Range(value(0x28), value(0x40)),
    ];
    let cases = keys.into_iter().zip(1..);
    let cases = cases.map(|(key, state)| SelectCase { keys: vec![key], to: Target::State(StateId(state)) });
    let select = Transition::Select { on: vec![maker.read("headers.h.a")], cases: cases.collect() };
    let mut states = vec![maker.state(vec![extract(&maker, "headers.h")], select)];
    for state in 1..=3 {
        let body = vec![maker.set("metadata.x", state)];
        states.push(maker.state(body, Transition::To(Target::Accept)));
    }
    maker.parser(states);
    let mut test = maker.test();
    for (byte, expected) in [(1, 1), (0x2f, 2), (0x30, 3), (0x40, 3)] {
        let parsed = test.parse(&[byte, 0, 0]);
        assert_eq!((&*test.error(parsed), test.metadata(0)), ("NoError", expected));
    }
    let parsed = test.parse(&[0x41, 0, 0]);
    assert_eq!((&*test.error(parsed), parsed.consumed), ("NoMatch", 3));
}

/// “Parser abstract machine” leaves the bound to the target.
#[test]
fn an_endless_parser_ends_with_a_timeout() {
    let mut maker = Maker::new();
    let trace = {
        let one = maker.constant(1, 32);
        let value = maker.binary(BinaryOp::Add, maker.read("metadata.x"), one);
        stmt(StmtKind::Assign { to: maker.place("metadata.x"), value })
    };
    let again = maker.state(vec![trace], Transition::To(Target::State(StateId(0))));
    maker.parser(vec![again]);
    let mut test = maker.test();
    let parsed = test.parse(&[]);
    assert_eq!(&*test.error(parsed), "ParserTimeout");
    assert_eq!(test.metadata(0), u64::from(MAX_TRANSITIONS) + 1);
}

/// “Sub-parsers”: copy-out runs if the sub-parser accepts; if it rejects, its caller rejects too.
#[test]
fn a_sub_parser_that_rejects_ends_its_caller() {
    for (to, expected) in [(Target::Accept, 12), (Target::Reject, 0)] {
        let mut maker = Maker::new();
        let state = maker.state(vec![extract(&maker, "headers.h")], Transition::To(to));
        let parser = maker.parser(vec![state]);
        let (one, two) = (maker.trace(1), maker.trace(2));
        maker.one_state(vec![stmt(StmtKind::CallParser { parser, after: vec![one] }), two]);
        let mut test = maker.test();
        let parsed = test.parse(&[1, 2, 3]);
        assert_eq!((&*test.error(parsed), parsed.consumed), ("NoError", 3));
        assert_eq!(test.metadata(0), expected);
    }
}
