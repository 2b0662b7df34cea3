//! Queue disciplines: any sequence of operations on any registered discipline neither panics nor loses or duplicates a packet.
//!
//! `make fuzz TARGETS=queue_ops`

#![no_main]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/queue/tests/driver/mod.rs"]
#[allow(dead_code)]
mod driver;

#[derive(Debug, Arbitrary)]
enum Step {
    Enqueue {
        flow: u8,
        length: u16,
        ecn: u8,
    },
    Message {
        flow: u8,
        stream: u8,
        step: u8,
        position: u8,
        priority: u8,
        dropper: u8,
        kbit: u16,
        slack: u8,
        length: u16,
    },
    Dequeue(u8),
    AdvanceMicros(u16),
    Advance(u64),
    Capacity(u64),
}

static CONFIGURATIONS: LazyLock<Vec<serde_json::Value>> = LazyLock::new(driver::configurations);

fuzz_target!(|input: (u8, u64, Vec<Step>)| {
    let (index, seed, steps) = input;
    let operations: Vec<driver::Operation> = steps
        .into_iter()
        .map(|step| match step {
            Step::Enqueue { flow, length, ecn } => driver::Operation::Enqueue { flow, length, ecn },
            Step::Message { flow, stream, step, position, priority, dropper, kbit, slack, length } => {
                driver::Operation::Message(driver::Labelled {
                    flow,
                    stream,
                    step,
                    position,
                    priority,
                    dropper,
                    kbit,
                    slack,
                    length,
                })
            }
            Step::Dequeue(count) => driver::Operation::Dequeue(count),
            Step::AdvanceMicros(micros) => driver::Operation::Advance(u64::from(micros) * 1_000),
            Step::Advance(nanos) => driver::Operation::Advance(nanos),
            Step::Capacity(bits) => driver::Operation::Capacity(bits),
        })
        .collect();
    let value = &CONFIGURATIONS[usize::from(index) % CONFIGURATIONS.len()];
    let mut queue = driver::build_with_seed(value, seed).expect("every configuration of the driver is valid");
    driver::drive(&mut *queue, &operations);
});
