//! Runtime commands: any text gives commands or diagnostics for a program, and any sequence of commands leaves the switch in a
//! state that other commands can read, without a panic or an endless loop.

#![no_main]

use std::sync::{Arc, LazyLock};

use jettison_core::Seed;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_v1model::control::parse;
use jettison_p4_v1model::{P4Switch, SwitchPlan};
use jettison_queue::QueueDiscipline;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use libfuzzer_sys::fuzz_target;

/// Programs with tables, registers, counters, mirror sessions and several queues.
static PROGRAMS: LazyLock<Vec<Arc<Program>>> =
    LazyLock::new(|| ["ired", "octopus", "pi2", "dpm", "codelpp"].map(compiled).into_iter().collect());

fn compiled(name: &str) -> Arc<Program> {
    let (path, text) =
        jettison_p4_front::library::program(&format!("<{name}.p4>")).expect("a program of the library");
    let mut sources = Sources::default();
    let main = sources.add(path, text);
    let Ok((program, _)) = jettison_p4_front::compile(&mut sources, main, &Options::default()) else {
        panic!("{name} must compile")
    };
    Arc::new(program)
}

fn switch(program: &Arc<Program>) -> P4Switch<Compiled> {
    let queue = || -> Box<dyn QueueDiscipline> { Box::new(TailDrop::new(TailDropParameters::default())) };
    let stream = |name: &str| Seed(1).stream(&["fuzz", name]);
    let streams = vec![stream("0"), stream("1")];
    let plan = SwitchPlan::new(Arc::clone(program), vec![queue(), queue()], stream("ingress"), streams);
    plan.build(Compiled::new(Arc::clone(program))).expect("a plan without commands")
}

fuzz_target!(|input: (u8, &str)| {
    let (which, text) = input;
    let program = &PROGRAMS[usize::from(which) % PROGRAMS.len()];
    let mut sources = Sources::default();
    let file = sources.add("fuzz.commands", text);
    match parse(&sources, file, program) {
        Ok(commands) => {
            let mut switch = switch(program);
            for located in &commands {
                match switch.apply(&located.command) {
                    Ok(answer) => drop(format!("{answer:?}")),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|error| !error.render(&sources, false).is_empty()));
        }
    }
});
