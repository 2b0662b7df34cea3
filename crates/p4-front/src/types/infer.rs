//! Inference of type arguments from argument types.

use super::Checker;
use super::ty::Ty;

/// Inferred type parameters.
#[derive(Debug, Clone, Default)]
pub(super) struct Inference {
    /// Inferred type of each parameter.
    pub found: Vec<Option<Ty>>,
}

impl Checker<'_> {
    /// Unifies `pattern`, which may contain type parameters, with `ty`. Returns false if this is impossible.
    pub(super) fn unify(&mut self, pattern: &Ty, ty: &Ty, inference: &mut Inference) -> bool {
        match (pattern, ty) {
            (Ty::Any, _) | (_, Ty::Any) => true,
            (Ty::Var(var), _) => {
                let Some(slot) = inference.found.get_mut(*var) else { return false };
                match slot {
                    None => {
                        *slot = Some(ty.clone());
                        true
                    }
                    // A literal adapts to the other argument's type.
                    Some(Ty::InfInt) => {
                        *slot = Some(ty.clone());
                        true
                    }
                    Some(_) if *ty == Ty::InfInt => true,
                    Some(Ty::Tuple(_)) if matches!(ty, Ty::Composite(..)) => {
                        *slot = Some(ty.clone());
                        true
                    }
                    Some(known) => *known == *ty || matches!(ty, Ty::Tuple(_)),
                }
            }
            (Ty::Stack(a, n), Ty::Stack(b, m)) => n == m && self.unify(a, b, inference),
            (Ty::List(a), Ty::List(b)) => self.unify(a, b, inference),
            (Ty::List(a), Ty::Tuple(items)) => items.iter().all(|item| self.unify(a, item, inference)),
            (Ty::Tuple(a), Ty::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.unify(a, b, inference))
            }
            (Ty::Composite(_, a), Ty::Composite(_, b))
            | (Ty::Extern(a), Ty::Extern(b))
            | (Ty::Package(a), Ty::Package(b)) => {
                let (a, b) = (self.types.named[*a].clone(), self.types.named[*b].clone());
                a.declaration == b.declaration
                    && a.arguments.iter().zip(&b.arguments).all(|(a, b)| self.unify(a, b, inference))
            }
            // A list for a struct determines the struct's type parameters.
            (Ty::Composite(_, a), Ty::Tuple(items)) => {
                let fields = self.types.fields(*a);
                fields.iter().zip(items.iter()).all(|(field, item)| self.unify(&field.ty, item, inference))
            }
            // The later conversion reports other mismatches.
            _ => true,
        }
    }

    /// Substitutes inferred types for the parameters; `None` if one is unknown.
    pub(super) fn substitute(&mut self, ty: &Ty, inference: &Inference) -> Option<Ty> {
        Some(match ty {
            Ty::Var(var) => inference.found.get(*var).cloned().flatten()?,
            Ty::Stack(element, size) => Ty::Stack(self.substitute(element, inference)?.into(), *size),
            Ty::List(item) => Ty::List(self.substitute(item, inference)?.into()),
            Ty::Set(item) => Ty::Set(self.substitute(item, inference)?.into()),
            Ty::Tuple(items) => {
                let items: Option<Vec<Ty>> =
                    items.iter().map(|item| self.substitute(item, inference)).collect();
                Ty::Tuple(items?.into())
            }
            Ty::Composite(_, id) | Ty::Extern(id) | Ty::Block(id) | Ty::Package(id)
                if !self.types.named[*id].arguments.is_empty() =>
            {
                let named = self.types.named[*id].clone();
                let arguments: Option<Vec<Ty>> =
                    named.arguments.iter().map(|argument| self.substitute(argument, inference)).collect();
                let span = self.declarations[named.declaration].span;
                self.declared(named.declaration, arguments?, span)?
            }
            other => other.clone(),
        })
    }
}
