//! TCP's congestion controllers as a parameter: `"cubic"` or `{ kind = "cubic", beta = 0.7 }`.

use std::sync::LazyLock;

use jettison_registry::{Choices, Registry};

use super::{Controller, controllers};

impl Choices for Controller {
    type Kind = Controller;
    const DEFAULT: &'static str = "cubic";
    fn registry() -> &'static Registry<Controller> {
        static CONTROLLERS: LazyLock<Registry<Controller>> = LazyLock::new(controllers);
        &CONTROLLERS
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::context;
    use super::*;

    #[test]
    fn every_controller_builds_with_its_defaults() {
        for entry in controllers().iter() {
            let built = entry.build(&Value::Null, &context()).unwrap();
            assert_eq!(built.window(), 10_000, "{}", entry.id);
            assert_eq!(built.ssthresh(), u64::MAX);
        }
    }

    #[test]
    fn unknown_names_are_refused_with_a_hint() {
        let refusal = |value| controllers().build(&value, &context()).unwrap_err().to_string();
        assert_eq!(refusal(json!("cubik")), "unknown congestion controller `cubik`; did you mean `cubic`?");
        assert_eq!(
            refusal(json!({ "kind": "cubic", "betta": 0.5 })),
            "betta: unknown key `betta`; did you mean `beta`?"
        );
        assert_eq!(refusal(json!({ "kind": "cubic", "beta": "x" })), "beta: must be a number, got \"x\"");
    }
}
