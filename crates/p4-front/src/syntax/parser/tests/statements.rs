//! Statements.

use super::super::super::ast::{Block, DeclarationKind, Stmt, StmtKind};
use super::declarations;
use super::expressions::{show, ty};

/// The statements of a control's body, in a program with the types `T`, `G<A>`, `C` and the stack header `H`.
fn body(text: &str) -> Block {
    let text = format!(
        "struct T {{}} struct G<A> {{}} header H {{}} control C(in bit<8> p) {{ apply {{}} }}
        control main() {{ apply {{ {text} }} }}"
    );
    match declarations(&text).pop().map(|declaration| declaration.kind) {
        Some(DeclarationKind::Control(control)) => control.body,
        other => panic!("no control but {other:?}"),
    }
}

fn all(statements: &[Stmt]) -> String {
    statements.iter().map(write).collect::<Vec<_>>().join(" ")
}

fn write(statement: &Stmt) -> String {
    match &statement.kind {
        StmtKind::Empty => ";".into(),
        StmtKind::Assign { to, value } => format!("{} = {};", show(to), show(value)),
        StmtKind::OperatorAssign { to, operator, value } => {
            format!("{} {operator:?} {};", show(to), show(value))
        }
        StmtKind::Call(call) => format!("call {};", show(call)),
        StmtKind::DirectApply { ty: of, arguments } => format!("direct {}/{};", ty(of), arguments.len()),
        StmtKind::Declaration(declaration) => match &declaration.kind {
            DeclarationKind::Variable { ty: of, name, value } => {
                let value = value.as_ref().map(|value| format!(" = {}", show(value))).unwrap_or_default();
                format!("var {} {}{value};", ty(of), name.text)
            }
            DeclarationKind::Constant { name, value, .. } => {
                format!("const {} = {};", name.text, show(value))
            }
            DeclarationKind::Instance { ty: of, name, .. } => format!("instance {} {};", ty(of), name.text),
            other => panic!("{other:?}"),
        },
        StmtKind::If { condition, then, otherwise } => {
            let otherwise =
                otherwise.as_ref().map(|other| format!(" else {}", write(other))).unwrap_or_default();
            format!("if {} {}{otherwise}", show(condition), write(then))
        }
        StmtKind::Block(block) => format!("{{{}}}", all(&block.statements)),
        StmtKind::Switch { on, cases } => {
            let cases: Vec<String> = cases
                .iter()
                .map(|case| {
                    let body = case.body.as_ref().map(|body| format!(" {{{}}}", all(&body.statements)));
                    format!("{}:{}", show(&case.label), body.unwrap_or_default())
                })
                .collect();
            format!("switch {} {}", show(on), cases.join(" "))
        }
        StmtKind::Return(value) => format!("return {};", value.as_ref().map(show).unwrap_or_default()),
        StmtKind::Exit => "exit;".into(),
        StmtKind::Break => "break;".into(),
        StmtKind::Continue => "continue;".into(),
        StmtKind::For { init, condition, update, body } => {
            format!("for [{}] {} [{}] {}", all(init), show(condition), all(update), write(body))
        }
        StmtKind::ForIn { ty: of, variable, over, body } => {
            let of = of.as_ref().map(ty).unwrap_or_default();
            format!("for {of} {} in {} {}", variable.text, show(over), write(body))
        }
    }
}

fn read(text: &str) -> String {
    all(&body(text).statements)
}

#[test]
fn declarations_are_distinguished_from_expressions() {
    assert_eq!(
        read("T x; T y = 1; bit<8> z; G<T> a; H[2] b; .T c; tuple<T, bool> d = {e, f};"),
        "var T x; var T y = 1; var bit<8> z; var G<T> a; var H[2] b; var .T c; var tuple<T, bool> d = {e, f};"
    );
    assert_eq!(
        read("unknown x; unknown<y> z; unknown[5] a;"),
        "var unknown x; var unknown<y> z; var unknown[5] a;"
    );
    assert_eq!(
        read("x[5] = 1; x[7:0] = y; x.y[i].z = 1; (x) = 1;"),
        "x[5] = 1; x[7:0] = y; x.y[i].z = 1; x = 1;"
    );
    assert_eq!(
        read("f(x); a.f(x, y); f<bit<8>>(x); f<T>(x); .f();"),
        "call f(x); call a.f(x, y); call f<bit<8>>(x); call f<T>(x); call .f();"
    );
    assert_eq!(
        read("const bit<8> x = 1; error e; int<8> i = -1; G<T>(1) g; E() e;"),
        "const x = 1; var error e; var int<8> i = (-1); instance G<T> g; instance E e;"
    );
    assert_eq!(
        read("key = 1; apply = actions; T state; type.entries = 5; priority();"),
        "key = 1; apply = actions; var T state; type.entries = 5; call priority();"
    );
}

#[test]
fn types_are_applied_directly_and_instances_by_name() {
    assert_eq!(
        read("C.apply(1); G<T>.apply(1, 2); .C.apply(3); c.apply(1); t.apply();"),
        "direct C/1; direct G<T>/2; direct .C/1; call c.apply(1); call t.apply();"
    );
    assert_eq!(
        read("C c; c.apply(1); { bit<8> C; C.apply(); }"),
        "var C c; call c.apply(1); {var bit<8> C; call C.apply();}"
    );
}

#[test]
fn every_operator_assigns() {
    assert_eq!(
        read("a += 1; a -= 1; a *= 1; a /= 1; a %= 1; a <<= 1; a >>= 1; a &= 1; a |= 1; a ^= 1;"),
        "a Add 1; a Subtract 1; a Multiply 1; a Divide 1; a Modulo 1; a ShiftLeft 1; a ShiftRight 1; a BitAnd 1; \
         a BitOr 1; a BitXor 1;"
    );
    assert_eq!(read("a |+|= b + 1; a |-|= c;"), "a AddSaturating (b + 1); a SubtractSaturating c;");
}

#[test]
fn conditions_and_switches_nest() {
    assert_eq!(read("if (a) if (b) x = 1; else x = 2;"), "if a if b x = 1; else x = 2;");
    assert_eq!(read("if (a) { } else if (b) f(); else { ; }"), "if a {} else if b call f(); else {;}");
    assert_eq!(
        read("if (t.apply().hit) { exit; } return; return x + 1;"),
        "if t.apply().hit {exit;} return ; return (x + 1);"
    );
    assert_eq!(
        read("switch (t.apply().action_run) { a: b: { f(); } default: { } }"),
        "switch t.apply().action_run a: b: {call f();} default: {}"
    );
    assert_eq!(
        read("switch (x) { 1: { } 0xA: { } 2 + 3: (4): E.A: { } default: }"),
        "switch x 1: {} 10: {} (2 + 3): 4: E.A: {} default:"
    );
    assert_eq!(read("switch (x) { }"), "switch x ");
    assert_eq!(read("@likely { x = 1; } @a @b(1) if (x) { }"), "{x = 1;} if x {}");
}

#[test]
fn loops_have_both_forms() {
    assert_eq!(
        read("for (bit<8> i = 0, bit<8> j = 1; i < 3; i = i + 1, j += 2) { break; continue; }"),
        "for [var bit<8> i = 0; var bit<8> j = 1;] (i < 3) [i = (i + 1); j Add 2;] {break; continue;}"
    );
    assert_eq!(read("for (; true;) ;"), "for [] true [] ;");
    assert_eq!(
        read("for (i = 0; i < 3; f(i), i += 1) g();"),
        "for [i = 0;] (i < 3) [call f(i); i Add 1;] call g();"
    );
    assert_eq!(read("for (bit<8> i in 0..3) x = i;"), "for bit<8> i in (0 .. 3) x = i;");
    assert_eq!(read("for (H h in hdr.stack) { }"), "for H h in hdr.stack {}");
    assert_eq!(read("for (h in hdr.stack) { }"), "for  h in hdr.stack {}");
    assert_eq!(read("for (@x G<T> i in {1, 2, 3}) { }"), "for G<T> i in {1, 2, 3} {}");
    assert_eq!(read("for (T i in a + 1 .. b * 2) { }"), "for T i in ((a + 1) .. (b * 2)) {}");
    assert_eq!(
        read("@unroll for (T i in x) for (T j in y) f(i, j);"),
        "for T i in x for T j in y call f(i, j);"
    );
}

#[test]
fn annotations_belong_to_statements() {
    let block = body("@a @b(1) { } @c bit<8> x; @d if (x) { }");
    assert_eq!(block.statements.iter().map(|s| s.annotations.len()).collect::<Vec<_>>(), [2, 1, 1]);
}
