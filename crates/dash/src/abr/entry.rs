//! Adaptation rules as a kind of component.

use jettison_registry::Kind;

use super::AbrRule;

/// The kind of adaptation rules.
pub enum AdaptationRule {}

impl Kind for AdaptationRule {
    const KEY: &'static str = "abr";
    const NAME: &'static str = "adaptation rule";
    type Context<'a> = ();
    type Built = Box<dyn AbrRule>;
    type Facts = ();
}
