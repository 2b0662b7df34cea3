//! `verify_checksum`, `update_checksum`, and their variants with payload.

use super::Checker;
use super::binding::Bound;
use crate::ir::Extern;
use crate::source::Span;
use crate::syntax::ast::Name;

impl Checker<'_> {
    pub(super) fn checksum(&mut self, name: &Name, bound: &[Bound], span: Span) -> Option<()> {
        let payload = name.text.ends_with("_with_payload");
        let [Bound::In(condition), Bound::In(data), checksum, Bound::In(algorithm)] = bound else {
            return self.error(
                span,
                format!("`{}` requires a condition, data, a checksum and an algorithm", name.text),
            );
        };
        let algorithm = self.algorithm(algorithm, span)?;
        let condition = self.lower(condition, span)?;
        let data = self.scalars(data, span)?;
        match checksum {
            Bound::In(checksum) => {
                let checksum = self.number_operand(checksum, span)?;
                self.emit_extern(
                    span,
                    Extern::VerifyChecksum { condition, data, checksum, algorithm, payload },
                );
                Some(())
            }
            Bound::Out { to, now: Some(now) } if !Checker::is_whole(to) => {
                // A partial place is written through a temporary that keeps the old value if the condition is false.
                let now = self.lower(now, span)?;
                let place = self.saved(span, now);
                let checksum = place.clone();
                self.emit_extern(
                    span,
                    Extern::UpdateChecksum { condition, data, checksum, algorithm, payload },
                );
                let value = self.read(place, to.ty.clone());
                let value = self.lower(&value, span)?;
                self.assign(to, value, span);
                Some(())
            }
            Bound::Out { to, .. } => {
                let checksum = to.place.clone();
                self.emit_extern(
                    span,
                    Extern::UpdateChecksum { condition, data, checksum, algorithm, payload },
                );
                Some(())
            }
            _ => self.error(span, "missing checksum argument"),
        }
    }
}
