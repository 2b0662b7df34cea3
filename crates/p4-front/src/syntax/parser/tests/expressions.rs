//! Expressions, printed with all parentheses.

use super::super::super::ast::{Argument, Expr, ExprKind, TypeRef, TypeRefKind, UnaryOp};
use super::{errors, expression};

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(", ")
}

pub(super) fn ty(ty: &TypeRef) -> String {
    match &ty.kind {
        TypeRefKind::Bool => "bool".into(),
        TypeRefKind::Error => "error".into(),
        TypeRefKind::String => "string".into(),
        TypeRefKind::MatchKind => "match_kind".into(),
        TypeRefKind::Void => "void".into(),
        TypeRefKind::InfInt => "int".into(),
        TypeRefKind::Bit(None) => "bit".into(),
        TypeRefKind::Bit(Some(width)) => format!("bit<{}>", show(width)),
        TypeRefKind::Int(width) => format!("int<{}>", show(width)),
        TypeRefKind::Varbit(width) => format!("varbit<{}>", show(width)),
        TypeRefKind::Tuple(types) => format!("tuple<{}>", list(types, self::ty)),
        TypeRefKind::List(of) => format!("list<{}>", self::ty(of)),
        TypeRefKind::DontCare => "_".into(),
        TypeRefKind::Named { name, global } => format!("{}{}", if *global { "." } else { "" }, name.text),
        TypeRefKind::Specialized { name, global, arguments } => {
            format!("{}{}<{}>", if *global { "." } else { "" }, name.text, list(arguments, self::ty))
        }
        TypeRefKind::Stack(of, size) => format!("{}[{}]", self::ty(of), show(size)),
    }
}

fn argument(argument: &Argument) -> String {
    let name = argument.name.as_ref().map(|name| format!("{} = ", name.text)).unwrap_or_default();
    format!("{name}{}", show(&argument.value))
}

pub(super) fn show(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Integer { value, width, signed } => {
            let width = width.map(|width| format!("{width}{}", if *signed { "s" } else { "w" }));
            format!("{}{value}", width.unwrap_or_default())
        }
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::String(text) => format!("{text:?}"),
        ExprKind::Name { name, global } => format!("{}{}", if *global { "." } else { "" }, name.text),
        ExprKind::Type(of) => format!("type {}", ty(of)),
        ExprKind::Member { of, name } => format!("{}.{}", show(of), name.text),
        ExprKind::This => "this".into(),
        ExprKind::Index { of, index } => format!("{}[{}]", show(of), show(index)),
        ExprKind::Slice { of, high, low } => format!("{}[{}:{}]", show(of), show(high), show(low)),
        ExprKind::PlusSlice { of, low, width } => format!("{}[{}+:{}]", show(of), show(low), show(width)),
        ExprKind::Unary { operator, of } => {
            let operator = match operator {
                UnaryOp::Not => "!",
                UnaryOp::Complement => "~",
                UnaryOp::Minus => "-",
                UnaryOp::Plus => "+",
            };
            format!("({operator}{})", show(of))
        }
        ExprKind::Binary { operator, left, right } => {
            format!("({} {} {})", show(left), operator.symbol(), show(right))
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            format!("({} ? {} : {})", show(condition), show(then), show(otherwise))
        }
        ExprKind::Cast { to, of } => format!("(({}) {})", ty(to), show(of)),
        ExprKind::Call { callee, type_arguments, arguments } => {
            let types = if type_arguments.is_empty() {
                String::new()
            } else {
                format!("<{}>", list(type_arguments, ty))
            };
            format!("{}{types}({})", show(callee), list(arguments, argument))
        }
        ExprKind::List { items, rest } => {
            format!("{{{}{}}}", list(items, show), if rest.is_some() { "..." } else { "" })
        }
        ExprKind::Struct { fields, rest } => {
            let fields = list(fields, |(name, value)| format!("{} = {}", name.text, show(value)));
            format!("{{{fields}{}}}", if rest.is_some() { "..." } else { "" })
        }
        ExprKind::Invalid => "{#}".into(),
        ExprKind::Mask { value, mask } => format!("({} &&& {})", show(value), show(mask)),
        ExprKind::Range { low, high } => format!("({} .. {})", show(low), show(high)),
        ExprKind::DontCare => "_".into(),
        ExprKind::Default => "default".into(),
        ExprKind::Dots => "...".into(),
    }
}

/// With `T`, `G<A>` and `E` as types.
fn read(text: &str) -> String {
    show(&expression("struct T {} struct G<A> {} enum E { A } header H {}", text))
}

#[test]
fn operators_have_the_precedence_of_the_grammar() {
    assert_eq!(read("a + b * c - d"), "((a + (b * c)) - d)");
    assert_eq!(read("a | b ^ c & d << e + f * g"), "(a | (b ^ (c & (d << (e + (f * g))))))");
    assert_eq!(read("a & b == c"), "((a & b) == c)");
    assert_eq!(read("a == b < c | d"), "(a == (b < (c | d)))");
    assert_eq!(read("a || b && c == d"), "(a || (b && (c == d)))");
    assert_eq!(read("a ++ b + c |+| d |-| e"), "((((a ++ b) + c) |+| d) |-| e)");
    assert_eq!(read("a >> b >= c"), "((a >> b) >= c)");
    assert_eq!(read("a >> 1 > b >> 2"), "((a >> 1) > (b >> 2))");
    assert_eq!(read("a << 1 << 2"), "((a << 1) << 2)");
    assert_eq!(read("a / b % c"), "((a / b) % c)");
    assert_eq!(read("a != b == c"), "((a != b) == c)");
    assert_eq!(read("a <= b"), "(a <= b)");
}

#[test]
fn conditionals_are_right_associative() {
    assert_eq!(read("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
    assert_eq!(read("a < b ? c : d + 1"), "((a < b) ? c : (d + 1))");
    assert_eq!(read("(a < b) ? c : d"), "((a < b) ? c : d)");
}

#[test]
fn prefixes_bind_tighter_than_operators_and_looser_than_members() {
    assert_eq!(read("-a.b * !c(d) + ~e[3:0]"), "(((-a.b) * (!c(d))) + (~e[3:0]))");
    assert_eq!(read("- - +a"), "(-(-(+a)))");
    assert_eq!(read("(bit<8>) a.b + c"), "(((bit<8>) a.b) + c)");
    assert_eq!(read("(bit<8>)(bit<4>) a"), "((bit<8>) ((bit<4>) a))");
    assert_eq!(read("(bit<8>) -a"), "((bit<8>) (-a))");
}

#[test]
fn less_than_is_distinguished_from_type_arguments() {
    assert_eq!(read("f<bit<8>>(x)"), "f<bit<8>>(x)");
    assert_eq!(read("f<bit<16>, T>(x, y)"), "f<bit<16>, T>(x, y)");
    assert_eq!(read("f<G<bit<8>>>(x)"), "f<G<bit<8>>>(x)");
    assert_eq!(read("f<_>(x)"), "f<_>(x)");
    assert_eq!(read("f<T>(x)"), "f<T>(x)");
    assert_eq!(read("f<.T>(x)"), "f<.T>(x)");
    assert_eq!(read("f<tuple<T, E>, H[2]>(x)"), "f<tuple<T, E>, H[2]>(x)");
    assert_eq!(read("packet.lookahead<bit<8>>()"), "packet.lookahead<bit<8>>()");
    assert_eq!(read("a < b"), "(a < b)");
    assert_eq!(read("a < (b)"), "(a < b)");
    assert_eq!(read("x < y && z > (w)"), "((x < y) && (z > w))");
    assert_eq!(read("a < E.A"), "(a < E.A)");
    assert_eq!(read("(bit<8>) a < b"), "(((bit<8>) a) < b)");
    assert_eq!(read("a < (bit<8>) b"), "(a < ((bit<8>) b))");
    assert_eq!(read("a < b >> c"), "(a < (b >> c))");
    assert_eq!(read("(a < b) == (c > d)"), "((a < b) == (c > d))");
    assert_eq!(read("G<bit<8>>(5)"), "type G<bit<8>>(5)");
    assert_eq!(read("T(5)"), "T(5)");
    assert_eq!(read(".G<T>(5)"), "type .G<T>(5)");
}

#[test]
fn casts_are_distinguished_from_parentheses() {
    assert_eq!(read("(T) - 1"), "((T) (-1))");
    assert_eq!(read("(a) - 1"), "(a - 1)");
    assert_eq!(read("(T)(a)"), "((T) a)");
    assert_eq!(read("(a)(b)"), "a(b)");
    assert_eq!(read("(unknown) a"), "((unknown) a)");
    assert_eq!(read("(T) {a, b}"), "((T) {a, b})");
    assert_eq!(read("(G<T>) {a = 1}"), "((G<T>) {a = 1})");
    assert_eq!(read("(H[2]) {a, b}"), "((H[2]) {a, b})");
    assert_eq!(read("(tuple<T, bool>) {a, b}"), "((tuple<T, bool>) {a, b})");
    assert_eq!(read("(T) {#}"), "((T) {#})");
    assert_eq!(read("(.T) a"), "((.T) a)");
    assert_eq!(read("(int) a"), "((int) a)");
    assert_eq!(read("(bit<(8 * 2)>) a"), "((bit<(8 * 2)>) a)");
    assert_eq!(read("(E.A)"), "E.A");
    assert_eq!(read("(error.NoError) == a"), "(type error.NoError == a)");
}

#[test]
fn a_type_name_hidden_by_a_parameter_is_a_value() {
    let text = "struct T {} control c(in bit<8> T) { apply { x = (T) - 1; } }";
    let all = super::declarations(text);
    let text = format!("{all:?}");
    assert!(text.contains("Subtract") && !text.contains("Cast"), "{text}");
}

#[test]
fn members_indexes_slices_and_calls_follow_each_other() {
    assert_eq!(read("a.b[1].c[7:0]"), "a.b[1].c[7:0]");
    assert_eq!(read("a[i+:8]"), "a[i+:8]");
    assert_eq!(read("a[i + 1 +: 8]"), "a[(i + 1)+:8]");
    assert_eq!(read("a[i ? 1 : 2 : 0]"), "a[(i ? 1 : 2):0]");
    assert_eq!(read("h.stack.next.f"), "h.stack.next.f");
    assert_eq!(read("t.apply().hit"), "t.apply().hit");
    assert_eq!(read("this.f(x)"), "this.f(x)");
    assert_eq!(read(".f(.x)"), ".f(.x)");
    assert_eq!(read("f(a = 1, b = _)"), "f(a = 1, b = _)");
    assert_eq!(read("f(_, 1)"), "f(_, 1)");
    assert_eq!(read("error.NoMatch"), "type error.NoMatch");
}

#[test]
fn contextual_keywords_are_names() {
    assert_eq!(read("apply + key * actions"), "(apply + (key * actions))");
    assert_eq!(read("state.entries.type.priority.list"), "state.entries.type.priority.list");
    assert_eq!(read("f(type = 1, key = 2)"), "f(type = 1, key = 2)");
}

#[test]
fn braces_hold_lists_and_structs() {
    assert_eq!(read("{}"), "{}");
    assert_eq!(read("{1, {2, a}, b.c,}"), "{1, {2, a}, b.c}");
    assert_eq!(read("{1, ...}"), "{1...}");
    assert_eq!(read("{...}"), "{...}");
    assert_eq!(read("{a = 1, b = {c = 2}}"), "{a = 1, b = {c = 2}}");
    assert_eq!(read("{a = 1, ...}"), "{a = 1...}");
    assert_eq!(read("{a = ..., b = 1,}"), "{a = ..., b = 1}");
    assert_eq!(read("..."), "...");
    assert_eq!(read("{#}"), "{#}");
    assert_eq!(read("{a == 1}"), "{(a == 1)}");
}

#[test]
fn literals_keep_their_widths() {
    assert_eq!(read("8w0xFF + 4s3 + 7"), "((8w255 + 4s3) + 7)");
    assert_eq!(read("-8s5"), "(-8s5)");
    assert_eq!(read("true ? \"a\\n\" : \"b\""), "(true ? \"a\\n\" : \"b\")");
}

#[test]
fn invalid_expressions_are_reported() {
    let say = |text: &str| errors(&format!("const bit<8> x = {text};")).remove(0);
    assert!(say("1 +").contains("1:21: error: expected an expression, found `;`"), "{}", say("1 +"));
    assert!(say("bit<8>(x)").contains("(write the type of a cast in parentheses"));
    assert!(say("_").contains("`_` and `default` are allowed only in key sets"));
    assert!(say("(1").contains("expected `)`"));
    assert!(say("f(1,)").contains("expected another argument, found `)`"));
    assert!(say("8w").contains("integer literal `8w` has no digits (valid forms are"));
    assert!(say("\"abc").contains("unterminated string literal"));
    assert!(say("1 /* 2").contains("unterminated comment"));
    assert!(say("a $ b").contains("unexpected character `$`"));
    assert!(say("error").contains("expected `.` and the name of an error"));
}
