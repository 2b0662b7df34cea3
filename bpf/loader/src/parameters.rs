//! Parameters of a control: the 64-bit members of `parameters` in its BPF object, in their order.

use anyhow::{Result, bail};

use crate::list::Control;

/// A parameter, which holds for all sockets of the machine.
pub struct Parameter {
    /// Its option.
    pub option: &'static str,
    /// Its name in messages.
    pub name: &'static str,
    pub default: u64,
    /// Reads the option's value.
    pub parse: fn(&str) -> Result<u64>,
    /// Checks a value from the kernel, and prints it.
    pub show: fn(u64) -> Result<String>,
}

/// Values of a control's parameters, one per parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values(pub Vec<u64>);

impl Values {
    /// Parses options, in any order. What is no option of the control remains.
    pub fn parse(parameters: &[Parameter], options: &[String]) -> Result<(Values, Vec<String>)> {
        let mut values: Vec<Option<u64>> = vec![None; parameters.len()];
        let mut others = Vec::new();
        let (pairs, rest) = options.as_chunks::<2>();
        for [option, value] in pairs {
            match parameters.iter().position(|parameter| parameter.option == option.as_str()) {
                Some(index) if values[index].is_some() => bail!("`{option}` must be given once"),
                Some(index) => values[index] = Some((parameters[index].parse)(value)?),
                None => others.extend([option.clone(), value.clone()]),
            }
        }
        others.extend_from_slice(rest);
        let values = values.into_iter().zip(parameters);
        Ok((Values(values.map(|(value, parameter)| value.unwrap_or(parameter.default)).collect()), others))
    }

    /// Decodes the parameters from the kernel's memory.
    pub fn decode(parameters: &[Parameter], bytes: &[u8]) -> Result<Values> {
        let (words, rest) = bytes.as_chunks::<8>();
        if words.len() != parameters.len() || !rest.is_empty() {
            bail!("another version of the congestion controls is loaded; unload it first");
        }
        let values = Values(words.iter().map(|word| u64::from_ne_bytes(*word)).collect());
        values.lines(parameters)?;
        Ok(values)
    }

    /// Checks that these parameters of a loaded control are the `wanted` ones; the error names the remedy.
    pub fn must_be(&self, wanted: &Values, control: &Control, parameters: &[Parameter]) -> Result<()> {
        for ((found, wanted), parameter) in self.0.iter().zip(&wanted.0).zip(parameters) {
            if found != wanted {
                let (found, wanted) = ((parameter.show)(*found)?, (parameter.show)(*wanted)?);
                bail!(
                    "already loaded with a {} of {found}, not {wanted}; unload it first (jettison cc unload {})",
                    parameter.name,
                    control.id
                );
            }
        }
        Ok(())
    }

    /// One line per parameter, `name: value`.
    pub fn lines(&self, parameters: &[Parameter]) -> Result<Vec<String>> {
        let values = self.0.iter().zip(parameters);
        values
            .map(|(value, parameter)| Ok(format!("{}: {}", parameter.name, (parameter.show)(*value)?)))
            .collect()
    }
}
