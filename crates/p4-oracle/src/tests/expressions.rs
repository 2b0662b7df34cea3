//! Operators.

use num_bigint::BigUint;

use super::*;

/// Result of an operator on two bit patterns of a width.
fn gives(op: BinaryOp, width: u32, signed: bool, left: u64, right: u64) -> u64 {
    let mut maker = Maker::new();
    let ty = maker.bits(width, signed);
    let constant = |value: u64| Expr { kind: ExprKind::Constant(BigUint::from(value)), ty };
    let result = match op {
        BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => maker.bool(),
        BinaryOp::Concat => maker.bits(2 * width, signed),
        _ => ty,
    };
    let kind = ExprKind::Binary(op, Box::new(constant(left)), Box::new(constant(right)));
    value(maker, Expr { kind, ty: result })
}

/// Value of an expression, read through the metadata.
fn value(mut maker: Maker, expr: Expr) -> u64 {
    let ty = maker.bits(32, false);
    let from = maker.program.types.get(expr.ty);
    let expr = match from {
        Type::Bool => {
            let bit = maker.bits(1, false);
            Expr { kind: ExprKind::Cast(Box::new(expr)), ty: bit }
        }
        Type::Bits { width, .. } => {
            let unsigned = maker.bits(width, false);
            Expr { kind: ExprKind::Cast(Box::new(expr)), ty: unsigned }
        }
        _ => expr,
    };
    let value = Expr { kind: ExprKind::Cast(Box::new(expr)), ty };
    let to = maker.place("metadata.x");
    maker.ingress(vec![stmt(StmtKind::Assign { to, value })]);
    let mut test = maker.test();
    test.ingress();
    test.metadata(0)
}

/// “Operations on fixed-width bit types”, “… signed integers”: modular and saturating arithmetic.
#[test]
fn arithmetic_wraps_and_saturates_within_the_type() {
    assert_eq!(gives(BinaryOp::Add, 8, false, 250, 10), 4);
    assert_eq!(gives(BinaryOp::Subtract, 8, false, 3, 5), 254);
    assert_eq!(gives(BinaryOp::Multiply, 8, true, 0xff, 0xff), 1);
    assert_eq!(gives(BinaryOp::AddSaturating, 8, false, 250, 10), 255);
    assert_eq!(gives(BinaryOp::SubtractSaturating, 8, false, 3, 5), 0);
    assert_eq!(gives(BinaryOp::AddSaturating, 8, true, 127, 1), 127);
    assert_eq!(gives(BinaryOp::SubtractSaturating, 8, true, 0x80, 1), 0x80);
    assert_eq!(gives(BinaryOp::SubtractSaturating, 8, true, 1, 2), 0xff);
    assert_eq!(gives(BinaryOp::Divide, 8, false, 7, 0), 0);
    assert_eq!(gives(BinaryOp::Modulo, 8, false, 7, 0), 0);
    assert_eq!(gives(BinaryOp::Modulo, 8, false, 7, 4), 3);
}

/// “A note about shifts”: a shift by the width or more leaves zero, or the sign.
#[test]
fn shifts_may_be_longer_than_the_width() {
    assert_eq!(gives(BinaryOp::ShiftLeft, 8, false, 1, 7), 128);
    assert_eq!(gives(BinaryOp::ShiftLeft, 8, false, 1, 8), 0);
    assert_eq!(gives(BinaryOp::ShiftRight, 8, false, 0x80, 200), 0);
    assert_eq!(gives(BinaryOp::ShiftRight, 8, true, 0x80, 1), 0xc0);
    assert_eq!(gives(BinaryOp::ShiftRight, 8, true, 0x80, 0x7f), 0xff);
    assert_eq!(gives(BinaryOp::ShiftRight, 8, true, 0x40, 0x7f), 0);
}

#[test]
fn comparisons_compare_numbers() {
    assert_eq!(gives(BinaryOp::Less, 8, false, 0xff, 1), 0);
    assert_eq!(gives(BinaryOp::Less, 8, true, 0xff, 1), 1);
    assert_eq!(gives(BinaryOp::GreaterOrEqual, 8, true, 0x80, 0x80), 1);
    assert_eq!(gives(BinaryOp::Concat, 8, false, 0x12, 0x34), 0x1234);
}

/// “Casts”: a conversion to a greater width extends by the sign of the source type.
#[test]
fn casts_sign_extend_and_truncate() {
    let cast = |from: (u32, bool), to: (u32, bool), pattern: u64| {
        let mut maker = Maker::new();
        let (from, to) = (maker.bits(from.0, from.1), maker.bits(to.0, to.1));
        let of = Box::new(Expr { kind: ExprKind::Constant(BigUint::from(pattern)), ty: from });
        value(maker, Expr { kind: ExprKind::Cast(of), ty: to })
    };
    assert_eq!(cast((8, true), (16, true), 0x80), 0xff80);
    assert_eq!(cast((8, true), (16, false), 0x80), 0xff80);
    assert_eq!(cast((8, false), (16, true), 0x80), 0x80);
    assert_eq!(cast((16, true), (8, false), 0x1234), 0x34);
}

/// “Operations on headers”: headers are equal if both are invalid, whatever their fields.
#[test]
fn invalid_headers_are_equal() {
    for (left_valid, right_valid, same, expected) in
        [(false, false, false, 1), (true, false, true, 0), (true, true, true, 1), (true, true, false, 0)]
    {
        let mut maker = Maker::new();
        let mut body =
            vec![maker.set("headers.h.a", 1), maker.set("headers.s[0].a", if same { 1 } else { 2 })];
        for (path, valid) in [("headers.h", left_valid), ("headers.s[0]", right_valid)] {
            if valid {
                body.push(stmt(StmtKind::SetValid(maker.place(path))));
            }
        }
        let (left, right) = (maker.read("headers.h"), maker.read("headers.s[0]"));
        let equal = maker.compare(BinaryOp::Equal, left, right);
        let bit = maker.bits(1, false);
        let bit = Expr { kind: ExprKind::Cast(Box::new(equal)), ty: bit };
        let ty = maker.bits(32, false);
        let value = Expr { kind: ExprKind::Cast(Box::new(bit)), ty };
        body.push(stmt(StmtKind::Assign { to: maker.place("metadata.x"), value }));
        maker.ingress(body);
        let mut test = maker.test();
        test.ingress();
        assert_eq!(test.metadata(0), expected);
    }
}

/// “Operations on header stacks”: an out-of-range index reads an undefined value (here 0) and writes nothing.
#[test]
fn an_index_out_of_range_reads_zero_and_writes_nothing() {
    let mut maker = Maker::new();
    let index = maker.constant(3, 8);
    let stack = maker.place("headers.s");
    let element = maker.place("headers.s[0]").ty;
    let beyond = stack.step(Step::Index(Box::new(index)), element);
    let field = beyond.step(Step::Field(1), maker.place("headers.h.b").ty);
    let ty = maker.bits(32, false);
    let read = Expr { ty: field.ty, kind: ExprKind::Read(field.clone()) };
    let seven = Expr { ty: field.ty, kind: ExprKind::Constant(BigUint::from(7u8)) };
    let value = Expr { kind: ExprKind::Cast(Box::new(read)), ty };
    maker.ingress(vec![
        stmt(StmtKind::SetValid(beyond)),
        stmt(StmtKind::Assign { to: field, value: seven }),
        maker.set("metadata.x", 5),
        stmt(StmtKind::Assign { to: maker.place("metadata.x"), value }),
    ]);
    maker.deparser(&["headers"]);
    let mut test = maker.test();
    test.ingress();
    assert_eq!((test.metadata(0), test.deparse()), (0, vec![]));
}

#[test]
fn a_slice_is_read_and_written_in_place() {
    let mut maker = Maker::new();
    let (value, of) = (maker.constant(0b101, 3), maker.read("metadata.x"));
    let to = maker.place("metadata.x");
    let slice =
        Expr { kind: ExprKind::Slice { of: Box::new(of), high: 7, low: 0 }, ty: maker.bits(8, false) };
    maker.ingress(vec![
        maker.set("metadata.x", 0xffff),
        stmt(StmtKind::AssignSlice { to, high: 6, low: 4, value }),
        stmt(StmtKind::Assign { to: maker.place("metadata.y"), value: slice }),
    ]);
    let mut test = maker.test();
    test.ingress();
    assert_eq!((test.metadata(0), test.metadata(1)), (0xffdf, 0xdf));
}
