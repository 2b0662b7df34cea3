//! A switch with objects of all kinds, and calls of its services.

use std::sync::Arc;

use jettison_core::Time;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_thrift::codec::{Fields, Kind, Value};
use jettison_p4_thrift::{ApplicationError, Call, Device, Fault, Returned, Services};
use jettison_p4_v1model::P4Switch;
use jettison_p4_v1model::stf::Testbed;

/// The switch of `objects.p4`.
pub fn testbed() -> Testbed<Compiled> {
    let mut sources = Sources::default();
    let main = sources.add("objects.p4", include_str!("objects.p4"));
    let program = match jettison_p4_front::compile(&mut sources, main, &Options::default()) {
        Ok((program, _)) => Arc::new(program),
        Err(errors) => {
            panic!("{}", errors.iter().map(|error| error.one_line(&sources)).collect::<Vec<_>>().join("\n"))
        }
    };
    Testbed::new(&program, Compiled::new(program.clone()), 1000).expect("the program runs")
}

/// A switch and its services.
pub struct Bench {
    pub testbed: Testbed<Compiled>,
    services: Services,
}

impl Bench {
    pub fn new() -> Bench {
        let device = Device { id: 7, port: 9090, ports: vec![(1, "s1-eth1".to_owned())] };
        Bench { testbed: testbed(), services: Services::new(device) }
    }

    /// Calls a method, whose first argument (the context) is added unless `name` has another service than `standard`.
    pub fn call(&mut self, name: &str, arguments: Fields) -> Returned {
        let name = if name.contains(':') { name.to_owned() } else { format!("standard:{name}") };
        let switch: &mut P4Switch<Compiled> = self.testbed.switch_mut();
        let now = Time::ZERO + jettison_core::Duration::from_millis(1500);
        self.services.call(switch, &Call { name: &name, arguments: &arguments, now, since_epoch: 5 })
    }

    /// The result of a call that succeeds.
    #[track_caller]
    pub fn get(&mut self, name: &str, arguments: Fields) -> Value {
        match self.call(name, arguments) {
            Ok(Some(value)) => value,
            other => panic!("{name}: {other:?}"),
        }
    }

    /// A call that succeeds and has no result.
    #[track_caller]
    pub fn run(&mut self, name: &str, arguments: Fields) {
        assert_eq!(self.call(name, arguments), Ok(None), "{name}");
    }

    /// The code of a call's declared exception.
    #[track_caller]
    pub fn code(&mut self, name: &str, arguments: Fields) -> i32 {
        match self.call(name, arguments) {
            Err(Fault::Declared(code)) => code,
            other => panic!("{name}: {other:?}"),
        }
    }

    /// The text of a call's `TApplicationException`.
    #[track_caller]
    pub fn refused(&mut self, name: &str, arguments: Fields) -> (ApplicationError, String) {
        match self.call(name, arguments) {
            Err(Fault::Application(kind, text)) => (kind, text),
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// Arguments of a method of an object: the context and the name.
pub fn of(name: &str) -> Fields {
    Fields::new().with(1, 0).with(2, name)
}

pub fn list(kind: Kind, values: impl IntoIterator<Item = Value>) -> Value {
    Value::List(kind, values.into_iter().collect())
}

/// Data of an action.
pub fn data<const N: usize>(values: [&[u8]; N]) -> Value {
    list(Kind::Binary, values.map(|value| Value::Binary(value.to_vec())))
}

pub fn exact(key: &[u8]) -> Fields {
    Fields::new().with(1, 0).with(2, Fields::new().with(1, key.to_vec()))
}

pub fn lpm(key: &[u8], length: i32) -> Fields {
    Fields::new().with(1, 1).with(3, Fields::new().with(1, key.to_vec()).with(2, length))
}

pub fn ternary(key: &[u8], mask: &[u8]) -> Fields {
    Fields::new().with(1, 2).with(4, Fields::new().with(1, key.to_vec()).with(2, mask.to_vec()))
}

pub fn range(low: &[u8], high: &[u8]) -> Fields {
    Fields::new().with(1, 4).with(6, Fields::new().with(1, low.to_vec()).with(2, high.to_vec()))
}

pub fn valid(key: bool) -> Fields {
    Fields::new().with(1, 3).with(5, Fields::new().with(1, key))
}

/// `BmAddEntryOptions` with a priority.
pub fn priority(priority: i32) -> Fields {
    Fields::new().with(1, priority)
}

/// A field of a struct.
#[track_caller]
pub fn field(value: &Value, number: i16) -> &Value {
    match value {
        Value::Struct(fields) => {
            fields.get(number).unwrap_or_else(|| panic!("no field {number}: {fields:?}"))
        }
        other => panic!("no struct: {other:?}"),
    }
}

#[track_caller]
pub fn elements(value: &Value) -> &[Value] {
    match value {
        Value::List(_, elements) => elements,
        other => panic!("no list: {other:?}"),
    }
}
