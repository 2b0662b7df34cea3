//! Table properties of PSA (PSA 1.2, "PSA Table Properties").

use super::PsaObject;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind};
use crate::types::Checker;
use crate::types::value::Object;

impl<'a> Checker<'a> {
    /// Whether `psa_idle_timeout` asks for notifications.
    pub(in crate::types) fn idle_timeout(&mut self, value: &'a Expr) -> Option<bool> {
        let given = self.operand(value)?;
        match self.enum_member(&given).as_deref() {
            Some("NOTIFY_CONTROL") => Some(true),
            Some("NO_TIMEOUT") => Some(false),
            _ => self.error(value.span, "expected a member of `PSA_IdleTimeout_t`"),
        }
    }

    /// Checks `psa_empty_group_action`: an empty group does nothing, so only `NoAction` is possible.
    pub(in crate::types) fn empty_group_action(&mut self, value: &'a Expr) -> Option<()> {
        let named = match &value.kind {
            ExprKind::Call { callee, .. } => callee,
            _ => value,
        };
        match &named.kind {
            ExprKind::Name { name, .. } if &*name.text == "NoAction" => Some(()),
            _ => self.error(
                value.span,
                "a `psa_empty_group_action` other than `NoAction` is not implemented: PSA leaves it to the target",
            ),
        }
    }

    /// The object of `psa_direct_counter` or `psa_direct_meter`; `None` for a placeholder.
    pub(in crate::types) fn direct_object(
        &mut self,
        object: Object,
        wanted: &str,
        span: Span,
    ) -> Option<Option<crate::ir::ExternId>> {
        match (object, wanted) {
            (Object::Psa(PsaObject::DirectCounter(id)), "DirectCounter")
            | (Object::Psa(PsaObject::DirectMeter(id)), "DirectMeter") => Some(Some(id)),
            (Object::Opaque, _) => Some(None),
            _ => self.error(span, format!("expected a `{wanted}`")),
        }
    }
}
