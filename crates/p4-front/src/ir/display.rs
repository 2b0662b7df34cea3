//! Text form of the elaborated program, for debugging and tests.

use std::fmt::{self, Display, Formatter};

use super::{
    ActionValue, BinaryOp, Block, ChecksumStep, Expr, ExprKind, Extern, ExternId, FieldListChoice, Key,
    KeyMatch, KeySet, Place, Program, PsaExtern, Step, Stmt, StmtKind, Target, Transition, Type, TypeId,
    UnaryOp,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = Text { program: self };
        for (number, function) in self.functions.iter().enumerate() {
            let kind = format!("{:?}", function.kind).to_lowercase();
            writeln!(f, "{kind} {number} {} {{", function.name)?;
            text.block(f, &function.body, 1)?;
            writeln!(f, "}}")?;
        }
        for (number, parser) in self.parsers.iter().enumerate() {
            writeln!(f, "parser {number} {} {{", parser.name)?;
            text.block(f, &parser.before, 1)?;
            for state in &parser.states {
                writeln!(f, "  state {} {{", state.name)?;
                text.block(f, &state.body, 2)?;
                let target = |target: &Target| match target {
                    Target::Accept => "accept".to_owned(),
                    Target::Reject => "reject".to_owned(),
                    Target::State(id) => parser.states[id.index()].name.to_string(),
                };
                match &state.next {
                    Transition::To(to) => writeln!(f, "    transition {}", target(to))?,
                    Transition::Select { on, cases } => {
                        writeln!(f, "    select {}", text.list(on))?;
                        for case in cases {
                            let keys: Vec<String> = case.keys.iter().map(|key| text.key(key)).collect();
                            writeln!(f, "      {} -> {}", keys.join(", "), target(&case.to))?;
                        }
                    }
                }
                writeln!(f, "  }}")?;
            }
            writeln!(f, "}}")?;
        }
        for table in &self.tables {
            writeln!(f, "table {} {{", table.name)?;
            text.block(f, &table.before, 1)?;
            for Key { expr, kind, name } in &table.keys {
                writeln!(f, "  key {name}: {} {}", text.expr(expr), format!("{kind:?}").to_lowercase())?;
            }
            for action in &table.actions {
                let data: Vec<&str> = action.data.iter().map(|(name, _)| &**name).collect();
                writeln!(f, "  action {}({})", action.name, data.join(", "))?;
                text.block(f, &action.before, 2)?;
                text.block(f, &action.after, 2)?;
            }
            let run = |value: &ActionValue| {
                let data: Vec<String> = value.data.iter().map(ToString::to_string).collect();
                format!("{}({})", table.actions[value.action as usize].name, data.join(", "))
            };
            for entry in &table.entries {
                let keys: Vec<String> = entry.keys.iter().map(matched).collect();
                writeln!(f, "  entry {} [{}] -> {}", keys.join(", "), entry.priority, run(&entry.action))?;
            }
            writeln!(f, "  default {}\n}}", run(&table.default))?;
        }
        for object in &self.externs {
            writeln!(f, "extern {}: {:?}", object.name, object.kind)?;
        }
        Ok(())
    }
}

/// Formatter for the parts of a program.
struct Text<'a> {
    program: &'a Program,
}

impl Text<'_> {
    fn block(&self, f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
        block.iter().try_for_each(|statement| self.statement(f, statement, depth))
    }

    fn statement(&self, f: &mut Formatter<'_>, statement: &Stmt, depth: usize) -> fmt::Result {
        let pad = "  ".repeat(depth);
        match &statement.kind {
            StmtKind::Assign { to, value } => writeln!(f, "{pad}{} = {}", self.place(to), self.expr(value)),
            StmtKind::AssignSlice { to, high, low, value } => {
                writeln!(f, "{pad}{}[{high}:{low}] = {}", self.place(to), self.expr(value))
            }
            StmtKind::Reset(place) => writeln!(f, "{pad}reset {}", self.place(place)),
            StmtKind::SetValid(place) => writeln!(f, "{pad}set valid {}", self.place(place)),
            StmtKind::SetInvalid(place) => writeln!(f, "{pad}set invalid {}", self.place(place)),
            StmtKind::PushFront(place, by) => writeln!(f, "{pad}push front {} {by}", self.place(place)),
            StmtKind::PopFront(place, by) => writeln!(f, "{pad}pop front {} {by}", self.place(place)),
            StmtKind::If { condition, then, otherwise } => {
                writeln!(f, "{pad}if {} {{", self.expr(condition))?;
                self.block(f, then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{pad}}} else {{")?;
                    self.block(f, otherwise, depth + 1)?;
                }
                writeln!(f, "{pad}}}")
            }
            StmtKind::Switch { on, cases, default } => {
                writeln!(f, "{pad}switch {} {{", self.expr(on))?;
                for case in cases {
                    let values: Vec<String> = case.values.iter().map(ToString::to_string).collect();
                    writeln!(f, "{pad}  {}:", values.join(", "))?;
                    self.block(f, &case.body, depth + 2)?;
                }
                writeln!(f, "{pad}  default:")?;
                self.block(f, default, depth + 2)?;
                writeln!(f, "{pad}}}")
            }
            StmtKind::Loop { before, condition, body, update } => {
                writeln!(f, "{pad}loop {{")?;
                self.block(f, before, depth + 1)?;
                writeln!(f, "{pad}}} while {} {{", self.expr(condition))?;
                self.block(f, body, depth + 1)?;
                writeln!(f, "{pad}}} update {{")?;
                self.block(f, update, depth + 1)?;
                writeln!(f, "{pad}}}")
            }
            StmtKind::Break => writeln!(f, "{pad}break"),
            StmtKind::Continue => writeln!(f, "{pad}continue"),
            StmtKind::Return => writeln!(f, "{pad}return"),
            StmtKind::Exit => writeln!(f, "{pad}exit"),
            StmtKind::Call { function, after } => {
                writeln!(f, "{pad}call {}", self.program.functions[function.index()].name)?;
                self.block(f, after, depth + 1)
            }
            StmtKind::Apply { table, hit, action } => {
                write!(f, "{pad}apply {}", self.program.tables[table.index()].name)?;
                for (what, variable) in [("hit", hit), ("action", action)] {
                    if let Some(variable) = variable {
                        write!(f, " {what} {}", self.variable(*variable))?;
                    }
                }
                writeln!(f)
            }
            StmtKind::Extract { to, length: None } => writeln!(f, "{pad}extract {}", self.place(to)),
            StmtKind::Extract { to, length: Some(length) } => {
                writeln!(f, "{pad}extract {} {}", self.place(to), self.expr(length))
            }
            StmtKind::Lookahead(to) => writeln!(f, "{pad}lookahead {}", self.place(to)),
            StmtKind::Advance(bits) => writeln!(f, "{pad}advance {}", self.expr(bits)),
            StmtKind::Verify { condition, error } => {
                writeln!(f, "{pad}verify {} {}", self.expr(condition), self.expr(error))
            }
            StmtKind::CallParser { parser, after } => {
                writeln!(f, "{pad}call {}", self.program.parsers[parser.index()].name)?;
                self.block(f, after, depth + 1)
            }
            StmtKind::Emit(place) => writeln!(f, "{pad}emit {}", self.place(place)),
            StmtKind::Extern(call) => writeln!(f, "{pad}{}", self.external(call)),
        }
    }

    fn external(&self, call: &Extern) -> String {
        let object = |id: &ExternId| self.program.externs[id.index()].name.to_string();
        let lower = |shown: String| shown.to_lowercase();
        let keep = |keep: &FieldListChoice| match keep {
            FieldListChoice::Nothing => "nothing".to_owned(),
            FieldListChoice::Of(list) => {
                let places = &self.program.field_lists[list.index()].places;
                places.iter().map(|place| self.place(place)).collect::<Vec<_>>().join(", ")
            }
            FieldListChoice::Numbered(number) => format!("list {}", self.expr(number)),
        };
        let payload = |payload: &bool| if *payload { " and the payload" } else { "" };
        match call {
            Extern::RegisterRead { register, to, index } => {
                format!("{} = {}[{}]", self.place(to), object(register), self.expr(index))
            }
            Extern::RegisterWrite { register, index, value } => {
                format!("{}[{}] = {}", object(register), self.expr(index), self.expr(value))
            }
            Extern::Count { counter, index } => format!("count {}[{}]", object(counter), self.expr(index)),
            Extern::ExecuteMeter { meter, index, to } => {
                format!("{} = meter {}[{}]", self.place(to), object(meter), self.expr(index))
            }
            Extern::ReadDirectMeter { meter, to } => format!("{} = meter {}", self.place(to), object(meter)),
            Extern::Random { to, low, high } => {
                format!("{} = random {} .. {}", self.place(to), self.expr(low), self.expr(high))
            }
            Extern::Hash { to, algorithm, base, data, max } => format!(
                "{} = {} + {} {} % {}",
                self.place(to),
                self.expr(base),
                lower(format!("{algorithm:?}")),
                self.list(data),
                self.expr(max)
            ),
            Extern::VerifyChecksum { condition, data, checksum, algorithm, payload: with } => format!(
                "if {} verify {} == {} {}{}",
                self.expr(condition),
                self.expr(checksum),
                lower(format!("{algorithm:?}")),
                self.list(data),
                payload(with)
            ),
            Extern::UpdateChecksum { condition, data, checksum, algorithm, payload: with } => format!(
                "if {} {} = {} {}{}",
                self.expr(condition),
                self.place(checksum),
                lower(format!("{algorithm:?}")),
                self.list(data),
                payload(with)
            ),
            Extern::Digest { receiver, data, .. } => {
                format!("digest to {} {}", self.expr(receiver), self.list(data))
            }
            Extern::Clone { egress, session, keep: kept } => {
                let from = if *egress { "egress" } else { "ingress" };
                format!("clone at {from}, session {}, keeping {}", self.expr(session), keep(kept))
            }
            Extern::Resubmit { keep: kept } => format!("resubmit, keeping {}", keep(kept)),
            Extern::Recirculate { keep: kept } => format!("recirculate, keeping {}", keep(kept)),
            Extern::Lengthen { condition, bytes } => {
                format!("lengthen by {bytes} bytes if {}", self.expr(condition))
            }
            Extern::Truncate { length } => format!("truncate to {} bytes", self.expr(length)),
            Extern::LogMessage { format, arguments } => format!("log {format:?} {}", self.list(arguments)),
            Extern::Assert { condition, assume } => {
                format!("{} {}", if *assume { "assume" } else { "assert" }, self.expr(condition))
            }
            Extern::Psa(call) => self.psa(call),
        }
    }

    fn psa(&self, call: &PsaExtern) -> String {
        let object = |id: &ExternId| &*self.program.externs[id.index()].name;
        let given = |e: &Option<Expr>| e.as_ref().map_or("the match".to_owned(), |e| self.expr(e));
        match call {
            PsaExtern::CountDirect { counter } => format!("count {}[the match]", object(counter)),
            PsaExtern::Mark { meter, index, colour, to } => {
                let colour =
                    colour.as_ref().map_or(String::new(), |colour| format!(" of {}", self.expr(colour)));
                format!("{} = meter {}[{}]{colour}", self.place(to), object(meter), given(index))
            }
            PsaExtern::Checksum { step, algorithm, from, to } => {
                let step = match step {
                    ChecksumStep::Clear => "clear".to_owned(),
                    ChecksumStep::Update(data) => format!("{} with {}", self.expr(from), self.list(data)),
                    ChecksumStep::Get => format!("sum of {}", self.expr(from)),
                };
                format!("{} = {algorithm:?} {step}", self.place(to)).to_lowercase()
            }
        }
    }

    fn variable(&self, id: super::VarId) -> String {
        format!("{}#{}", self.program.variables[id.index()].name, id.0)
    }

    fn place(&self, place: &Place) -> String {
        let mut out = self.variable(place.root);
        let mut ty = self.program.variables[place.root.index()].ty;
        for step in &place.steps {
            match step {
                Step::Field(field) => {
                    let composite = self.program.types.as_composite(ty);
                    let name = composite.and_then(|composite| composite.fields.get(*field as usize));
                    out.push_str(&format!(".{}", name.map_or("?", |field| &field.name)));
                }
                Step::Element(at) => out.push_str(&format!("[{at}]")),
                Step::Index(at) => out.push_str(&format!("[{}]", self.expr(at))),
                Step::Next => out.push_str(".next"),
                Step::Last => out.push_str(".last"),
            }
            ty = match step {
                Step::Field(field) => self.program.types.field(ty, *field),
                _ => self.program.types.field(ty, 0),
            };
        }
        out
    }

    fn list(&self, items: &[Expr]) -> String {
        items.iter().map(|item| self.expr(item)).collect::<Vec<_>>().join(", ")
    }

    fn ty(&self, id: TypeId) -> String {
        match self.program.types.get(id) {
            Type::Bits { width, signed: false } => format!("bit<{width}>"),
            Type::Bits { width, signed: true } => format!("int<{width}>"),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Constant(value) => value.to_string(),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(operator, of) => {
                let symbol = match operator {
                    UnaryOp::Not => "!",
                    UnaryOp::Complement => "~",
                    UnaryOp::Negate => "-",
                };
                format!("{symbol}{}", self.expr(of))
            }
            ExprKind::Binary(operator, left, right) => {
                format!("({} {} {})", self.expr(left), symbol(*operator), self.expr(right))
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Slice { of, high, low } => format!("{}[{high}:{low}]", self.expr(of)),
            ExprKind::Cast(of) => format!("({}) {}", self.ty(e.ty), self.expr(of)),
            ExprKind::Aggregate(items) => format!("{{{}}}", self.list(items)),
            ExprKind::Invalid => "invalid".to_owned(),
            ExprKind::IsValid(place) => format!("valid({})", self.place(place)),
            ExprKind::LastIndex(place) => format!("{}.lastIndex", self.place(place)),
            ExprKind::NextIndex(place) => format!("{}.nextIndex", self.place(place)),
            ExprKind::PacketLength => "packet length".to_owned(),
            ExprKind::SizeInBits(place) => format!("bits({})", self.place(place)),
        }
    }

    fn key(&self, key: &KeySet) -> String {
        match key {
            KeySet::Any => "_".to_owned(),
            KeySet::Value(value) => self.expr(value),
            KeySet::Mask(value, mask) => format!("{} &&& {}", self.expr(value), self.expr(mask)),
            KeySet::Range(low, high) => format!("{} .. {}", self.expr(low), self.expr(high)),
            KeySet::ValueSet(set) => self.program.value_sets[set.index()].name.to_string(),
        }
    }
}

fn matched(key: &KeyMatch) -> String {
    match key {
        KeyMatch::Exact(value) => value.to_string(),
        KeyMatch::Lpm(value, length) => format!("{value}/{length}"),
        KeyMatch::Ternary(value, mask) => format!("{value} &&& {mask}"),
        KeyMatch::Range(low, high) => format!("{low} .. {high}"),
        KeyMatch::Any => "_".to_owned(),
    }
}

fn symbol(operator: BinaryOp) -> &'static str {
    match operator {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::AddSaturating => "|+|",
        BinaryOp::SubtractSaturating => "|-|",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Concat => "++",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessOrEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterOrEqual => ">=",
    }
}
