//! `packet_in` and `packet_out`.

use num_bigint::BigUint;

use super::Run;
use super::place::{ParserError, Path};
use super::value::{Value, from_words, saturated, words};
use jettison_p4_exec::objects::BitReader;
use jettison_p4_front::ir::{CompositeKind, Expr, Place, Step, Type, TypeId};

impl Run<'_> {
    /// Executes `extract`: “Fixed-width extraction” and, with a length, “Variable-width extraction”. The order of the
    /// checks is BMv2's.
    pub fn extract(&mut self, to: &Place, length: Option<&Expr>) -> Result<(), ParserError> {
        let path = self.resolve(to)?;
        let varbit = match length {
            None => 0,
            Some(length) => saturated(&self.bits(length)?),
        };
        if varbit % 8 != 0 {
            return Err(self.error("ParserInvalidArgument"));
        }
        let (fixed, most) = self.sizes(to.ty);
        if fixed.saturating_add(varbit) > self.packet.remaining() as u64 {
            return Err(self.error("PacketTooShort"));
        }
        if varbit > most {
            return Err(self.error("HeaderTooShort"));
        }
        let value = self.take(to.ty, varbit as u32);
        if let Some(path) = path {
            *self.at_mut(&path) = value;
            self.advance_stacks(to, &path);
        }
        Ok(())
    }

    /// Executes `lookahead`: “Lookahead”.
    pub fn lookahead(&mut self, place: &Place) -> Result<(), ParserError> {
        let path = self.resolve(place)?;
        let (fixed, _) = self.sizes(place.ty);
        if fixed > self.packet.remaining() as u64 {
            return Err(self.error("PacketTooShort"));
        }
        let here: BitReader<'_> = self.packet;
        let value = self.take(place.ty, 0);
        self.packet = here;
        if let Some(path) = path {
            *self.at_mut(&path) = value;
        }
        Ok(())
    }

    /// Executes `advance`: “Skipping bits”.
    pub fn advance(&mut self, bits: &Expr) -> Result<(), ParserError> {
        let bits = saturated(&self.bits(bits)?);
        if bits > self.packet.remaining() as u64 {
            return Err(self.error("PacketTooShort"));
        }
        self.packet.skip(bits as usize);
        Ok(())
    }

    /// Executes `emit`: “Insertion of data into packets”. Scalars outside of headers are not emitted.
    pub fn emit(&mut self, value: &Value, ty: TypeId) {
        match value {
            Value::Bits(_) | Value::Varbit { .. } | Value::Header { valid: false, .. } => {}
            Value::Header { valid: true, .. } => self.write_out(value, ty),
            Value::Struct(parts) | Value::Union(parts) | Value::Stack { elements: parts, .. } => {
                for (part, i) in parts.iter().zip(0..) {
                    self.emit(part, self.program.types.field(ty, i));
                }
            }
        }
    }

    fn write_out(&mut self, value: &Value, ty: TypeId) {
        let types = &self.program.types;
        match value {
            Value::Bits(bits) => push(&mut *self.out, bits, types.bits(ty)),
            Value::Varbit { bits, value } => push(&mut *self.out, value, *bits),
            _ => {
                for (part, i) in value.parts().iter().zip(0..) {
                    self.write_out(part, types.field(ty, i));
                }
            }
        }
    }

    /// Size of a value in bits without its varbits, and the maximum size of these.
    fn sizes(&self, ty: TypeId) -> (u64, u64) {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Varbit { max_width: most } => (0, u64::from(most)),
            Type::Composite(id) if types.composite(id).kind != CompositeKind::Union => {
                let fields = types.composite(id).fields.iter().map(|field| self.sizes(field.ty));
                fields.fold((0, 0), |(fixed, most), (a, b)| (fixed + a, most + b))
            }
            _ => (u64::from(types.bits(ty)), 0),
        }
    }

    /// Reads a value of a type; its headers become valid, its varbit has the given length.
    fn take(&mut self, ty: TypeId, varbit: u32) -> Value {
        let program = self.program;
        let types = &program.types;
        match types.get(ty) {
            Type::Varbit { .. } => Value::Varbit { bits: varbit, value: self.take_bits(varbit) },
            Type::Stack { element, size } => {
                let elements = (0..size).map(|_| self.take(element, varbit)).collect();
                Value::Stack { next: size, elements }
            }
            Type::Composite(id) => {
                let composite = types.composite(id);
                let fields = composite.fields.iter().map(|field| self.take(field.ty, varbit)).collect();
                match composite.kind {
                    CompositeKind::Header => Value::Header { valid: true, fields },
                    CompositeKind::Union => Value::Union(fields),
                    CompositeKind::Struct => Value::Struct(fields),
                }
            }
            _ => Value::Bits(self.take_bits(types.bits(ty))),
        }
    }

    fn take_bits(&mut self, width: u32) -> BigUint {
        let mut words = vec![0; width.div_ceil(64) as usize];
        self.packet.read_words(width, &mut words);
        from_words(&words)
    }

    /// Advances each stack whose `next` is on the path.
    fn advance_stacks(&mut self, place: &Place, path: &Path) {
        for (i, step) in place.steps.iter().enumerate() {
            if *step == Step::Next {
                let stack = Path { root: path.root, parts: path.parts[..i].to_vec() };
                if let Value::Stack { next, .. } = self.at_mut(&stack) {
                    *next += 1;
                }
            }
        }
    }
}

/// Packs a value of any width.
pub(super) fn push(out: &mut jettison_p4_exec::objects::BitWriter, value: &BigUint, width: u32) {
    let words: Vec<u64> = words(value, width).collect();
    out.push_words(&words, width);
}
