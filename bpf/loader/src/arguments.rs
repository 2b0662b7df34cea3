//! The command line.

use anyhow::{Result, anyhow, bail};

use crate::control::{by_name, implementation};
use crate::list::Control;
use crate::parameters::Values;
use crate::prague;

const USAGE: &str = "usage: jettison-cc-loader load|hold newcwv [--validity 300s] [--burst 10] | load|hold dctcp | \
                     load|hold prague [--codepoint ect1] [--device NAME]… | unload [NAME] | status [NAME]";
const DEVICE: &str = "--device";

/// A control to load, with its parameters.
pub struct Order {
    pub control: &'static Control,
    pub values: Values,
    /// Devices whose packets the control's program changes, in alphabetical order; without any, all.
    pub devices: Vec<String>,
}

pub enum Command {
    Load(Order),
    Hold(Order),
    Unload(Vec<&'static Control>),
    Status(Vec<&'static Control>),
}

impl Command {
    pub fn parse(arguments: &[String]) -> Result<Command> {
        let Some((command, rest)) = arguments.split_first() else { bail!("a command is required; {USAGE}") };
        match command.as_str() {
            "load" => Ok(Command::Load(Order::parse(command, rest)?)),
            "hold" => Ok(Command::Hold(Order::parse(command, rest)?)),
            "unload" | "status" => {
                let controls = match rest {
                    [] => crate::all(),
                    [name] if !name.starts_with('-') => vec![by_name(name)?],
                    _ => bail!("`{command}` does not accept {}", rest.join(" ")),
                };
                Ok(if command == "unload" { Command::Unload(controls) } else { Command::Status(controls) })
            }
            _ => bail!("unknown command `{command}`; {USAGE}"),
        }
    }
}

impl Order {
    fn parse(command: &str, arguments: &[String]) -> Result<Order> {
        let Some((name, options)) = arguments.split_first() else {
            bail!("`{command}` requires the name of a congestion control; {USAGE}");
        };
        let control = by_name(name)?;
        let object = implementation(control)?;
        let (values, others) = Values::parse(object.parameters, options)?;
        let mut devices = Vec::new();
        let (pairs, rest) = others.as_chunks::<2>();
        for [option, value] in pairs {
            if option != DEVICE || !object.marks_packets || command == "hold" {
                return Err(anyhow!("unknown arguments `{option} {value}`; {USAGE}"));
            }
            devices.push(value.clone());
        }
        if let [option] = rest {
            bail!("unknown arguments `{option}`; {USAGE}");
        }
        devices.sort();
        devices.dedup();
        let order = Order { control, values, devices };
        if !order.devices.is_empty() && !order.marks_packets()? {
            bail!("`{DEVICE}` requires `--codepoint ect1`: the kernel's data is ECT(0) on all devices");
        }
        Ok(order)
    }

    /// Whether the control's program for packets is needed.
    pub fn marks_packets(&self) -> Result<bool> {
        Ok(implementation(self.control)?.marks_packets && prague::wants_ect_1(&self.values))
    }
}
