//! P4-like text form of a program for failure messages, with variables by name and types by number.

use std::fmt::Write;

use super::Trace;
use super::tables::Change;
use jettison_p4_front::ir::{
    Block, Expr, ExprKind, Extern, KeySet, Place, Program, Step, StmtKind, Transition, Type, TypeId,
};

/// Differences between the reference's and the compiled machine's results.
pub fn difference(program: &Program, changes: &[Change], expected: &Trace, found: &Trace) -> String {
    let text = Text { program, out: String::new() };
    let mut out = format!("{}\n{changes:?}\n", self::program(program));
    let data = program.functions.iter().find_map(|function| match &function.body.first()?.kind {
        StmtKind::Extern(what) => match &**what {
            Extern::Digest { data, .. } if data.len() >= 20 => Some(data),
            _ => None,
        },
        _ => None,
    });
    for (i, (expected, found)) in expected.digests.iter().zip(&found.digests).enumerate() {
        if expected == found {
            continue;
        }
        if expected.receiver != 999 || found.receiver != 999 {
            let _infallible = writeln!(out, "digest {i}: {expected:?} but {found:?}");
            continue;
        }
        let values = expected.values.iter().zip(&found.values).zip(data.into_iter().flatten());
        for ((expected, found), expr) in values {
            if expected != found {
                let _infallible =
                    writeln!(out, "digest {i}: {} is {expected:#x} but {found:#x}", text.expr(expr));
            }
        }
    }
    let mut differ = |what: &str, expected: String, found: String| {
        if expected != found {
            let _infallible = writeln!(out, "{what}: {expected} but {found}");
        }
    };
    differ("parsed", format!("{:?}", expected.parsed), format!("{:?}", found.parsed));
    differ("digests", expected.digests.len().to_string(), found.digests.len().to_string());
    differ("effects", expected.effects.clone(), found.effects.clone());
    differ("standard metadata", format!("{:?}", expected.standard), format!("{:?}", found.standard));
    differ("bytes", format!("{:x?}", expected.out), format!("{:x?}", found.out));
    differ("objects", format!("{:?}", expected.objects), format!("{:?}", found.objects));
    out
}

/// The program, without the digests of the visible state.
pub fn program(program: &Program) -> String {
    let mut text = Text { program, out: String::new() };
    for variable in &program.variables {
        text.line(0, &format!("{} {};", text.ty(variable.ty), variable.name));
    }
    for (i, parser) in program.parsers.iter().enumerate() {
        text.line(0, &format!("parser {i}:"));
        text.block(1, &parser.before);
        for (i, state) in parser.states.iter().enumerate() {
            text.line(1, &format!("state {i}:"));
            text.block(2, &state.body);
            match &state.next {
                Transition::To(target) => text.line(2, &format!("transition {target:?}")),
                Transition::Select { on, cases } => {
                    text.line(2, &format!("select({})", text.exprs(on)));
                    for case in cases {
                        let keys: Vec<String> = case.keys.iter().map(|key| text.key(key)).collect();
                        text.line(3, &format!("{}: {:?}", keys.join(", "), case.to));
                    }
                }
            }
        }
    }
    for (i, table) in program.tables.iter().enumerate() {
        text.line(0, &format!("table {i}: default {:?}", table.default));
        text.block(1, &table.before);
        for key in &table.keys {
            text.line(1, &format!("key {} {:?}", text.expr(&key.expr), key.kind));
        }
        for action in &table.actions {
            text.line(1, &format!("action f{} data {:?}", action.function.0, action.data));
            text.block(2, &action.before);
            text.line(2, "after");
            text.block(2, &action.after);
        }
        for entry in &table.entries {
            text.line(1, &format!("{entry:?}"));
        }
    }
    for (i, function) in program.functions.iter().enumerate() {
        text.line(0, &format!("f{i} {:?}:", function.kind));
        text.block(1, &function.body);
    }
    text.line(0, &format!("{:?}", program.externs));
    text.out
}

struct Text<'a> {
    program: &'a Program,
    out: String,
}

impl Text<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        let _infallible = writeln!(self.out, "{}{line}", "  ".repeat(depth));
    }

    fn ty(&self, ty: TypeId) -> String {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Bool => "bool".into(),
            Type::Bits { width, signed } => format!("{}<{width}>", if signed { "int" } else { "bit" }),
            Type::Varbit { max_width: most } => format!("varbit<{most}>"),
            Type::Error => "error".into(),
            Type::Enum(_) => "enum".into(),
            Type::Stack { element, size } => format!("{}[{size}]", self.ty(element)),
            Type::Composite(id) => {
                let composite = types.composite(id);
                let fields: Vec<String> = composite.fields.iter().map(|field| self.ty(field.ty)).collect();
                format!("{}{{{}}}", composite.name, fields.join(","))
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        let mut text = self.program.variables[place.root.index()].name.to_string();
        for step in &place.steps {
            text += &match step {
                Step::Field(field) => format!(".f{field}"),
                Step::Element(element) => format!("[{element}]"),
                Step::Index(index) => format!("[{}]", self.expr(index)),
                Step::Next => ".next".into(),
                Step::Last => ".last".into(),
            };
        }
        text
    }

    fn exprs(&self, exprs: &[Expr]) -> String {
        let exprs: Vec<String> = exprs.iter().map(|expr| self.expr(expr)).collect();
        exprs.join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Constant(value) => format!("{value:#x}:{}", self.ty(expr.ty)),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(op, of) => format!("{op:?}({})", self.expr(of)),
            ExprKind::Binary(op, left, right) => {
                format!("{op:?}({}, {})", self.expr(left), self.expr(right))
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Slice { of, high, low } => format!("{}[{high}:{low}]", self.expr(of)),
            ExprKind::Cast(of) => format!("({}){}", self.ty(expr.ty), self.expr(of)),
            ExprKind::Aggregate(parts) => format!("{}{{{}}}", self.ty(expr.ty), self.exprs(parts)),
            ExprKind::Invalid => format!("({}){{#}}", self.ty(expr.ty)),
            ExprKind::IsValid(place) => format!("{}.isValid()", self.place(place)),
            ExprKind::LastIndex(place) => format!("{}.lastIndex", self.place(place)),
            ExprKind::NextIndex(place) => format!("{}.nextIndex", self.place(place)),
            ExprKind::PacketLength => "packet.length()".into(),
            ExprKind::SizeInBits(place) => format!("{}.sizeInBits()", self.place(place)),
        }
    }

    fn key(&self, key: &KeySet) -> String {
        match key {
            KeySet::Any => "_".into(),
            KeySet::Value(value) => self.expr(value),
            KeySet::Mask(value, mask) => format!("{} &&& {}", self.expr(value), self.expr(mask)),
            KeySet::Range(low, high) => format!("{} .. {}", self.expr(low), self.expr(high)),
            KeySet::ValueSet(set) => format!("{set:?}"),
        }
    }

    fn block(&mut self, depth: usize, block: &Block) {
        for stmt in block {
            self.stmt(depth, &stmt.kind);
        }
    }

    fn stmt(&mut self, depth: usize, stmt: &StmtKind) {
        match stmt {
            StmtKind::Assign { to, value } => {
                self.line(depth, &format!("{} = {}", self.place(to), self.expr(value)));
            }
            StmtKind::AssignSlice { to, high, low, value } => {
                self.line(depth, &format!("{}[{high}:{low}] = {}", self.place(to), self.expr(value)));
            }
            StmtKind::Reset(place) => self.line(depth, &format!("reset {}", self.place(place))),
            StmtKind::SetValid(place) => self.line(depth, &format!("{}.setValid()", self.place(place))),
            StmtKind::SetInvalid(place) => self.line(depth, &format!("{}.setInvalid()", self.place(place))),
            StmtKind::PushFront(place, n) => {
                self.line(depth, &format!("{}.push_front({n})", self.place(place)))
            }
            StmtKind::PopFront(place, n) => {
                self.line(depth, &format!("{}.pop_front({n})", self.place(place)))
            }
            StmtKind::If { condition, then, otherwise } => {
                self.line(depth, &format!("if {}", self.expr(condition)));
                self.block(depth + 1, then);
                self.line(depth, "else");
                self.block(depth + 1, otherwise);
            }
            StmtKind::Switch { on, cases, default } => {
                self.line(depth, &format!("switch {}", self.expr(on)));
                for case in cases {
                    self.line(depth, &format!("case {:?}", case.values));
                    self.block(depth + 1, &case.body);
                }
                self.line(depth, "default");
                self.block(depth + 1, default);
            }
            StmtKind::Loop { before, condition, body, update } => {
                self.line(depth, "loop before");
                self.block(depth + 1, before);
                self.line(depth, &format!("while {}", self.expr(condition)));
                self.block(depth + 1, body);
                self.line(depth, "update");
                self.block(depth + 1, update);
            }
            StmtKind::Call { function, after } => {
                self.line(depth, &format!("call f{} after", function.0));
                self.block(depth + 1, after);
            }
            StmtKind::Extract { to, length } => {
                let length = length.as_ref().map(|length| self.expr(length)).unwrap_or_default();
                self.line(depth, &format!("extract({}, {length})", self.place(to)));
            }
            StmtKind::Lookahead(place) => self.line(depth, &format!("{} = lookahead", self.place(place))),
            StmtKind::Advance(bits) => self.line(depth, &format!("advance({})", self.expr(bits))),
            StmtKind::Verify { condition, error } => {
                self.line(depth, &format!("verify({}, {})", self.expr(condition), self.expr(error)));
            }
            StmtKind::CallParser { parser, after } => {
                self.line(depth, &format!("parser {} after", parser.0));
                self.block(depth + 1, after);
            }
            StmtKind::Emit(place) => self.line(depth, &format!("emit {}", self.place(place))),
            StmtKind::Extern(what) => self.external(depth, what),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Exit
            | StmtKind::Apply { .. } => self.line(depth, &format!("{stmt:?}")),
        }
    }

    fn external(&mut self, depth: usize, what: &Extern) {
        let line = match what {
            Extern::RegisterRead { register, to, index } => {
                format!("{} = register{}[{}]", self.place(to), register.0, self.expr(index))
            }
            Extern::RegisterWrite { register, index, value } => {
                format!("register{}[{}] = {}", register.0, self.expr(index), self.expr(value))
            }
            Extern::Random { to, low, high } => {
                format!("{} = random({}, {})", self.place(to), self.expr(low), self.expr(high))
            }
            Extern::Hash { to, algorithm, base, data, max } => format!(
                "{} = {} + {algorithm:?}({}) % {}",
                self.place(to),
                self.expr(base),
                self.exprs(data),
                self.expr(max)
            ),
            Extern::VerifyChecksum { condition, data, checksum, algorithm, payload } => format!(
                "verify {} : {algorithm:?}({}) == {}, payload {payload}",
                self.expr(condition),
                self.exprs(data),
                self.expr(checksum)
            ),
            Extern::UpdateChecksum { condition, data, checksum, algorithm, payload } => format!(
                "update {} : {} = {algorithm:?}({}), payload {payload}",
                self.expr(condition),
                self.place(checksum),
                self.exprs(data)
            ),
            Extern::Digest { receiver, data, .. } if data.len() < 20 => {
                format!("digest {} : {}", self.expr(receiver), self.exprs(data))
            }
            Extern::Digest { .. } => "digest of everything".into(),
            Extern::LogMessage { format, arguments } => format!("log {format:?} {}", self.exprs(arguments)),
            Extern::Assert { condition, .. } => format!("assert {}", self.expr(condition)),
            other => format!("{other:?}"),
        };
        self.line(depth, &line);
    }
}
