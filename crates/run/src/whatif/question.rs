//! Questions: what is changed, and the interventions that change it.

use jettison_core::{DropReason, MarkReason, Time};
use jettison_registry::suggestion;
use jettison_scenario::build::Builder;
use jettison_sim::{Intervention, Replaced, Replacement, Window, World, can_revert};

use super::WhatIfError;
use crate::rebuild::Rebuilt;

/// What is changed in a stored run.
#[derive(Debug, Clone)]
pub enum Change {
    /// One drop or mark is reverted, by its number in the run (`id` in `drops.parquet`).
    Flip {
        /// The number.
        decision: u64,
    },
    /// The drops and marks of a rule are reverted for a while.
    Rule {
        /// A reason, or the id of a discipline, which means all its reasons.
        rule: String,
        /// The only queue, such as `bottleneck.forward`.
        queue: Option<String>,
        /// When.
        window: Window,
    },
    /// The discipline of a queue is exchanged.
    Replace {
        /// As for `--set`: `links.bottleneck.queue=fq-codel`.
        setting: String,
        /// When.
        at: Time,
    },
    /// Interventions.
    Script {
        /// In words, to complete "What if".
        words: String,
        /// The first instant at which they act.
        from: Time,
        /// The interventions.
        interventions: Vec<Intervention>,
    },
}

/// Where a change begins, and what it is.
pub(super) struct Plan {
    /// The first instant at which something may differ; unknown for a decision.
    pub(super) from: Option<Time>,
    pub(super) interventions: Vec<Intervention>,
    /// Queues to watch; all if `None`.
    pub(super) queues: Option<Vec<u32>>,
}

impl Change {
    /// The interventions in a run's world.
    pub(super) fn plan(
        &self,
        rebuilt: &Rebuilt,
        builder: &Builder,
        world: &World,
    ) -> Result<Plan, WhatIfError> {
        match self {
            Change::Flip { decision } => Ok(Plan {
                from: None,
                interventions: vec![Intervention::Flip { decision: *decision }],
                queues: None,
            }),
            Change::Rule { rule, queue, window } => {
                let (drops, marks) = reasons(rule)?;
                let queue = queue.as_deref().map(|name| queue_named(world, name)).transpose()?;
                let intervention = Intervention::Rule { queue, drops, marks, window: *window };
                let queues = queue.map(|queue| vec![queue]);
                Ok(Plan { from: Some(window.from), interventions: vec![intervention], queues })
            }
            Change::Replace { setting, at } => replacements(setting, *at, rebuilt, builder, world),
            Change::Script { from, interventions, .. } => {
                Ok(Plan { from: Some(*from), interventions: interventions.clone(), queues: None })
            }
        }
    }

    /// What is asked, to complete "What if".
    pub(super) fn words(&self) -> String {
        match self {
            Change::Flip { decision } => format!("decision {decision} were reverted"),
            Change::Rule { rule, queue, window } => {
                let at = queue.as_ref().map_or(String::new(), |queue| format!(" at {queue}"));
                let to = if window.to == Time::MAX { "the end".to_owned() } else { seconds(window.to) };
                format!("no drop or mark by {rule} were made{at} from {} to {to}", seconds(window.from))
            }
            Change::Replace { setting, at } => {
                let (path, value) = setting.split_once('=').unwrap_or((setting, ""));
                format!("{} became {} at {}", path.trim(), value.trim(), seconds(*at))
            }
            Change::Script { words, .. } => words.clone(),
        }
    }
}

/// An instant in seconds.
pub(super) fn seconds(at: Time) -> String {
    let text = format!("{:.6}", at.as_nanos() as f64 / 1e9);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} s")
}

/// The reasons that a rule's name means: that of a reason, or the id of a discipline.
fn reasons(rule: &str) -> Result<(Vec<DropReason>, Vec<MarkReason>), WhatIfError> {
    let drops: Vec<DropReason> = DropReason::ALL
        .into_iter()
        .filter(|reason| can_revert(*reason) && (reason.name() == rule || reason.owner() == rule))
        .collect();
    let marks: Vec<MarkReason> = MarkReason::ALL
        .into_iter()
        .filter(|reason| reason.owner() != "script" && (reason.name() == rule || reason.owner() == rule))
        .collect();
    if drops.is_empty() && marks.is_empty() {
        let known = DropReason::ALL.into_iter().filter(|reason| can_revert(*reason)).map(DropReason::name);
        let help = suggestion(rule, known);
        return Err(WhatIfError::UnknownRule { rule: rule.to_owned(), help });
    }
    Ok((drops, marks))
}

fn queue_named(world: &World, name: &str) -> Result<u32, WhatIfError> {
    world.queue_named(name).ok_or_else(|| WhatIfError::UnknownQueue {
        name: name.to_owned(),
        help: suggestion(name, world.direction_names()),
    })
}

/// The exchanges of disciplines that a setting means: of all queues whose discipline it changes.
fn replacements(
    setting: &str,
    at: Time,
    rebuilt: &Rebuilt,
    builder: &Builder,
    world: &World,
) -> Result<Plan, WhatIfError> {
    let path = setting.split_once('=').map_or(setting, |(path, _)| path).trim();
    let is_queue = path.split('.').any(|key| key == "queue") || path.starts_with("queues.");
    if !is_queue {
        return Err(WhatIfError::NoQueue(setting.to_owned()));
    }
    let changed = rebuilt.changed(&[setting.to_owned()], builder).map_err(WhatIfError::Setting)?;
    let (before, after) = (&rebuilt.variant().settings, &changed.settings);
    let (mut interventions, mut queues) = (Vec::new(), Vec::new());
    for (name, link) in &before.links {
        let Some(other) = after.links.get(name) else { continue };
        for (which, forward) in [("forward", true), ("reverse", false)] {
            if before.direction(link, forward).queue == after.direction(other, forward).queue {
                continue;
            }
            let queue = queue_named(world, &format!("{name}.{which}"))?;
            let made = builder.queue_of(after, name, forward, rebuilt.key.seed);
            let (discipline, hooks) = made.map_err(crate::rebuild::RebuildError::Build)?;
            let discipline = Replacement::of(Replaced { discipline, hooks });
            interventions.push(Intervention::Replace { queue, at, discipline });
            queues.push(queue);
        }
    }
    match interventions.is_empty() {
        true => Err(WhatIfError::SameQueue(setting.to_owned())),
        false => Ok(Plan { from: Some(at), interventions, queues: Some(queues) }),
    }
}
