//! Declarations of all kinds.

use super::super::super::ast::{
    AnnotationBody, Declaration, DeclarationKind, Direction, ExprKind, PropertyKind, Transition,
};
use super::declarations;
use super::expressions::{show, ty};

/// The last declaration of a text.
fn last(text: &str) -> Declaration {
    declarations(text).pop().expect("a declaration")
}

/// Valid declarations.
const READ: &[&str] = &[
    "",
    ";;",
    "const bit<8> x = 1;",
    "const T x = 1;",
    "const tuple<bit<8>, bool> x = {1, true};",
    "error { A, B } error { C, }",
    "match_kind { a, b, }",
    "typedef bit<8> a; type a b; type bit<9> port; typedef .a c; typedef H[3] d; typedef tuple<a, b> e;",
    "typedef list<bit<8>> l; typedef struct s { bit<8> x; } t; typedef enum e { A } f;",
    "enum E { A, B, } enum bit<8> F { A = 1, B = 1 + 2, } enum T G { A = 0 } enum int<8> I { A = -1 }",
    "header H { bit<8> a; varbit<320> v; } header_union U { H a; H b; } struct S { H h; H[4] s; U[2] u; error e; }",
    "header E {} struct G<T, U> { T t; tuple<U, U> u; } header H<T> { T t; } header_union V<T> { H<T> h; }",
    "struct S { @name(\"x\") @field_list(1, 2) bit<8> a; bool b; int<8> c; bit d; S2 e; }",
    "extern void f(); extern T f<T>(in T x, out bit<8> y = 1); extern bit<8> g<T, U>(T t, @optional in U u);",
    "extern E; extern E { E(); E(bit<8> x); void f(in bit<8> x); abstract void g(); T h<T>(in T x); }",
    "extern X<T, U> { X(T t); U get(in T t); @pure bit<8> size(); void apply(); void key(); }",
    "extern X<T> f<T>(in X<T> x);",
    "extern T[2] f<T>(); extern tuple<bool, T> g<T>(); extern .T h();",
    "package P(); package P<A, B>(Q<A> a, B b = 1, @optional R r);",
    "parser P(in bit<8> x); parser P<H>(packet_in p, out H h); control C<M>(inout M m); control C();",
    "parser P() { state start { } }",
    "parser P(packet_in p)(bit<8> n, bool b) { state start { transition accept; } @x state s { transition start; } }",
    "parser P() { bit<8> x; bit<8> y = 1; const bit<8> z = 2; Q() q; Q<bit<8>>(1) r; value_set<bit<16>>(4) v;
        value_set<tuple<bit<8>, T>>(4) w; @name(\"u\") value_set<T>(n) u; state start { transition accept; } }",
    "control C()() { apply { } }",
    "control C(in bit<8> x)(bit<8> n) { bit<8> a = n; const bool b = true; C2() c; action d() {} apply { } }",
    "control C() { T apply; S key; apply { } } control D() { apply @x { } }",
    "bit<8> f() { return 1; } void g<T>(in T x) { } T h<T>(in T x) { return x; } @pure bool i() { return true; }",
    "G<T> f<T>(in T x) { return {x}; } H[2] g() { } .T h() { } tuple<bool> i() { }",
    "action a() { } action b(bit<8> x, in bool y, inout T z, out U u) { } @hidden action c() { }",
    "P() main; P(Q(), R(1)) main; @name(\"m\") P<T>(a = Q()) main; .P() x;",
    "E() x = { void f(in bit<8> y) { } bit<8> g() { return 1; } F() z; };",
    "@pragma name anything (at all ] \" \nconst bit<8> x = 1;\n@pragma last",
    "@a @b() @c(1, \"x\", T) @d[1, 2] @e[k = 1, l = \"x\",] @f(&& ; { ) @g((a)(b)) @in(1) const bit<8> x = 1;",
    "@brief(a b c) header H { } @noWarn(\"x\") extern void f(); @name(\".x\") control C();",
    "control C() { table t { key = { } actions = { } } apply { } }",
    "control C() { @name(\"u\") table t {
        key = { h.x : exact; h.y & 3 : ternary @name(\"y\"); f(x) : lpm; h.z[3:0] : range; key : optional; }
        actions = { a; b(); .NoAction; @defaultonly c(x, 1); @tableonly d; }
        @x const default_action = c(1);
        size = 1024; const entries = { 1 : a; } implementation = action_profile(32); counters = c;
        largest_priority_wins = false; priority_delta = 10; support_timeout = true; type = 1; state = 2;
    } apply { } }",
    "control C() { table t { actions = { a; } key = { x : exact; } const entries = {
        1 : a; _ : b(1); 0x10 &&& 0xF0 : a; 1 .. 5 : a; default : a @name(\"e\");
        (1, 2) : a; (1 &&& 2, _) : a; (_) : a; (1 .. 2) : a; (1) : a; (a + b) * 2 : a; (bit<8>) 5 : a; (1, 2,) : a;
        const priority = 5 : 1 : a; priority = (1 + 2) : (_, 2) : a; const 7 : .a; {1, 2} : a; E.A : a; -1 : a;
    } } apply { } }",
    "control C() { table t { actions = { a; } entries = { } } apply { } }",
    "control C() { table t { key = { x : exact; }; actions = { a; }; } apply { } }",
    "control C() { table t { actions = { a; } psa_implementation = p; default_action = a; } apply { } }",
    "control C() { E() e = { void f() { x = 1; } }; apply { } }",
];

#[test]
fn valid_declarations_are_parsed() {
    for text in READ {
        declarations(text);
    }
}

#[test]
fn each_declaration_has_its_kind() {
    let kinds = |text: &str| -> Vec<String> {
        let name = |d: &Declaration| {
            let text = format!("{:?}", d.kind);
            text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
        };
        declarations(text).iter().map(name).collect()
    };
    assert_eq!(
        kinds("bit<8> f() { } T g() { } T() h; T<U>() i;"),
        ["Function", "Function", "Instance", "Instance"]
    );
    assert_eq!(
        kinds("parser P(); control C(); parser Q() { state start {} }"),
        ["BlockType", "BlockType", "Parser"]
    );
    assert_eq!(
        kinds("extern E { } extern F<T> { } extern F<T> f<T>();"),
        ["ExternObject", "ExternObject", "ExternFunction"]
    );
    assert_eq!(kinds("typedef struct s { } t;"), ["Composite", "Alias"]);
    assert_eq!(kinds("extern E; error { A } enum A { B }"), ["Error", "Enum"]);
}

#[test]
fn constructors_are_distinguished_from_abstract_methods() {
    let DeclarationKind::ExternObject { methods, type_parameters, .. } =
        last("extern E<T> { E(T t); abstract bit<8> f<U>(in U x = 1); }").kind
    else {
        panic!("no object")
    };
    assert_eq!(type_parameters.len(), 1);
    assert!(
        methods[0].constructor
            && !methods[0].is_abstract
            && methods[1].is_abstract
            && !methods[1].constructor
    );
    let signature = &methods[1].signature;
    assert_eq!((&*signature.name.text, ty(&signature.result)), ("f", "bit<8>".to_owned()));
    assert_eq!(signature.parameters[0].direction, Direction::In);
    assert_eq!(signature.parameters[0].default.as_ref().map(show).as_deref(), Some("1"));
}

#[test]
fn annotations_keep_content_that_parses_as_expressions() {
    let all = last(
        "@name(\"x\") @f(1, a.b) @g[a = 1, b = 2] @h[1] @i(a b) @j @k() @pragma p q r\nconst bit<8> x = 1;",
    );
    let bodies: Vec<String> = all
        .annotations
        .iter()
        .map(|annotation| {
            let body = match &annotation.body {
                AnnotationBody::Empty => "empty".to_owned(),
                AnnotationBody::Expressions(all) => all.iter().map(show).collect::<Vec<_>>().join("; "),
                AnnotationBody::Pairs(all) => all
                    .iter()
                    .map(|(key, value)| format!("{} = {}", key.text, show(value)))
                    .collect::<Vec<_>>()
                    .join("; "),
                AnnotationBody::Unread => "unread".to_owned(),
            };
            format!("{} {body}", annotation.name.text)
        })
        .collect();
    assert_eq!(
        bodies,
        ["name \"x\"", "f 1; a.b", "g a = 1; b = 2", "h 1", "i unread", "j empty", "k ", "p unread"]
    );
}

#[test]
fn a_translation_names_the_controllers_type() {
    let arguments = |body: &str| {
        let all = last(&format!("@p4runtime_translation({body}) type bit<9> Port;"));
        match &all.annotations[0].body {
            AnnotationBody::Expressions(all) => all.iter().map(show).collect::<Vec<_>>().join("; "),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(arguments("\"u\", 32"), "\"u\"; 32");
    assert_eq!(arguments("\"u\", bit<32>"), "\"u\"; 32");
    assert_eq!(arguments("\"u\", string"), "\"u\"; \"string\"");
    assert_eq!(arguments("\"u\", bool"), "Unread");
}

#[test]
fn selects_have_one_key_set_per_value_or_one_for_all() {
    let text = "parser P() { state start { x = 1; transition select(a, b + 1) {
        (1, 2): s; (1 &&& 3, _): s; (_, 4 .. 5): s; default: accept; _: reject; (v): s; (1): s; v: s; (a)+1: s;
    } } }";
    let DeclarationKind::Parser(parser) = last(text).kind else { panic!("no parser") };
    let Some(Transition::Select { on, cases, .. }) = &parser.states[0].transition else {
        panic!("no select")
    };
    assert_eq!(on.iter().map(show).collect::<Vec<_>>(), ["a", "(b + 1)"]);
    let keys: Vec<String> =
        cases.iter().map(|case| case.keys.iter().map(show).collect::<Vec<_>>().join("; ")).collect();
    assert_eq!(keys, ["1; 2", "(1 &&& 3); _", "_; (4 .. 5)", "default", "_", "v", "1", "v", "(a + 1)"]);
    assert_eq!(parser.states[0].body.len(), 1);
}

#[test]
fn entries_have_priorities_keys_and_actions() {
    let text = "control C() { table t { const entries = {
        const priority = 10 : (1, _) : .a(5) @name(\"e\");
        2 &&& 3 : b;
    } const default_action = c(1, x); size = 5; } apply { } }";
    let DeclarationKind::Control(control) = last(text).kind else { panic!("no control") };
    let DeclarationKind::Table { properties, .. } = &control.locals[0].kind else { panic!("no table") };
    let PropertyKind::Entries(entries) = &properties[0].kind else { panic!("no entries") };
    assert!(properties[0].is_const && entries[0].is_const && !entries[1].is_const);
    assert_eq!(entries[0].priority.as_ref().map(show).as_deref(), Some("10"));
    assert_eq!(entries[0].keys.iter().map(show).collect::<Vec<_>>(), ["1", "_"]);
    assert_eq!(show(&entries[0].action), ".a(5)");
    assert_eq!(entries[0].annotations.len(), 1);
    assert_eq!(show(&entries[1].keys[0]), "(2 &&& 3)");
    assert!(matches!(entries[1].action.kind, ExprKind::Name { .. }));
    let PropertyKind::Other { name, value } = &properties[1].kind else { panic!("no property") };
    assert_eq!(
        (&*name.text, show(value), properties[1].is_const),
        ("default_action", "c(1, x)".to_owned(), true)
    );
}

#[test]
fn spans_cover_their_nodes() {
    let text = "const bit<8> x = 1;\n@a control C() { apply { y = (1 + 2) * 3; } }\n";
    let all = declarations(text);
    let of = |span: crate::source::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(of(all[0].span), "const bit<8> x = 1;");
    assert_eq!(of(all[1].span), "@a control C() { apply { y = (1 + 2) * 3; } }");
    let DeclarationKind::Control(control) = &all[1].kind else { panic!("no control") };
    assert_eq!(of(control.body.span), "{ y = (1 + 2) * 3; }");
    let statement = &control.body.statements[0];
    assert_eq!(of(statement.span), "y = (1 + 2) * 3;");
    let super::super::super::ast::StmtKind::Assign { value, .. } = &statement.kind else {
        panic!("no assignment")
    };
    assert_eq!(of(value.span), "(1 + 2) * 3");
}
