//! Table properties of PSA (PSA 1.2, "PSA Table Properties").

use super::PsaObject;
use crate::diagnostic::Diagnostic;
use crate::ir::ActionProfileId;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name};
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

    /// Checks a table against its `psa_implementation`: keys for a selector need one, and members give the actions, so there
    /// is no default action but `NoAction` (PSA 1.2, "Action Profile", "Action Selector").
    pub(in crate::types) fn psa_implementation(
        &mut self,
        profile: Option<ActionProfileId>,
        selects: bool,
        default: Option<&'a Expr>,
        name: &Name,
    ) -> Option<()> {
        let selector = profile.and_then(|id| self.output.profiles.get(id.index())?.selector);
        if selects && selector.is_none() {
            let message = format!("the table `{}` has a `selector` key but no `ActionSelector`", name.text);
            let error = Diagnostic::error(name.span, message);
            return self.fail(error.hint("give it one: `psa_implementation = …;`"));
        }
        match default {
            Some(default) if profile.is_some() && !is_no_action(default) => {
                let error = Diagnostic::error(
                    default.span,
                    "a table with `psa_implementation` has no default action but `NoAction`",
                );
                self.fail(error)
            }
            _ => Some(()),
        }
    }

    /// Checks `psa_empty_group_action`: an empty group does nothing, so only `NoAction` is possible.
    pub(in crate::types) fn empty_group_action(&mut self, value: &'a Expr) -> Option<()> {
        if is_no_action(value) {
            return Some(());
        }
        self.error(
            value.span,
            "a `psa_empty_group_action` other than `NoAction` is not implemented: PSA leaves it to the target",
        )
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

fn is_no_action(value: &Expr) -> bool {
    let named = match &value.kind {
        ExprKind::Call { callee, .. } => callee,
        _ => value,
    };
    matches!(&named.kind, ExprKind::Name { name, .. } if &*name.text == "NoAction")
}
