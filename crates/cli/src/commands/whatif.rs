//! `jettison whatif`.

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};
use jettison_run::rebuild::{Which, rebuild};
use jettison_run::whatif::{Change, Question, WhatIfError, Window, ask_showing, table, write};
use jettison_scenario::build::Builder;

use super::run::{cancel_on_interrupt_saying, cancelled, program};
use crate::options::WhatIfArguments;
use crate::output::{Failure, print, print_record};
use crate::progress::Bar;

/// Continues a stored run with one thing changed, beside itself.
pub fn whatif(arguments: &WhatIfArguments) -> Result<(), Failure> {
    cancel_on_interrupt_saying("\nStopping.");
    let builder = Builder::standard();
    let WhatIfArguments { dir, variant, seed, data, .. } = arguments;
    let which = Which { variant: variant.as_deref(), seed: *seed, data: data.folder.as_deref() };
    let rebuilt = rebuild(dir, &which, &builder, &BTreeMap::new(), program()).map_err(Failure::of)?;
    let instant = |at: Option<Duration>| at.map(|at| Time::ZERO + at);
    if let (Some(from), Some(to)) = (arguments.from, arguments.to)
        && from >= to
    {
        return Err(Failure::of(format!("--from {from} must be before --to {to}")));
    }
    let change = match (arguments.flip, &arguments.flip_rule, &arguments.queue) {
        (Some(decision), ..) => Change::Flip { decision },
        (_, Some(rule), _) => Change::Rule {
            rule: rule.clone(),
            queue: arguments.queue_name.clone(),
            window: Window {
                from: instant(arguments.from).unwrap_or(Time::ZERO),
                to: instant(arguments.to).unwrap_or(Time::MAX),
            },
        },
        (.., queue) => Change::Replace {
            setting: queue.clone().unwrap_or_default(),
            at: instant(arguments.at).unwrap_or(Time::ZERO),
        },
    };
    let question = Question {
        change,
        until: instant(arguments.until),
        horizon: arguments.horizon,
        draws: arguments.draws.unwrap_or(0),
    };
    let bar = Bar::new("whatif");
    let progress = |share| bar.show_share(share, "of the simulated time");
    let answer = ask_showing(&rebuilt, &question, &builder, cancelled(), &progress);
    drop(bar);
    let answer = answer.map_err(|error| match error {
        WhatIfError::Cancelled => Failure::Interrupted("jettison: interrupted".to_owned()),
        other => Failure::of(other),
    })?;
    let written = arguments
        .out
        .as_deref()
        .map(|out| write(&answer, &rebuilt, &builder, out, arguments.force, program().commit.as_deref()));
    let written = written.transpose().map_err(Failure::of)?;
    if !arguments.json {
        print(table(&answer, &rebuilt))?;
        return written.map_or(Ok(()), |results| super::run::print_places(&results));
    }
    answer.records(&rebuilt).iter().try_for_each(print_record)
}
