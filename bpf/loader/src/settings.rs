//! Parameters of the controls.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};

use crate::validity::Validity;

/// Parameters of the controls, which hold for all sockets of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    pub validity: Validity,
    pub burst: Burst,
}

impl Settings {
    /// Parses the options of `load` and `hold`, in any order.
    pub fn parse(options: &[String]) -> Result<Settings> {
        let (mut validity, mut burst) = (None, None);
        let (pairs, rest) = options.as_chunks::<2>();
        for [option, value] in pairs {
            let is_repeated = match option.as_str() {
                "--validity" => validity.replace(value.parse()?).is_some(),
                "--burst" => burst.replace(value.parse()?).is_some(),
                _ => bail!("unknown arguments `{option} {value}`"),
            };
            if is_repeated {
                bail!("`{option}` must be given once");
            }
        }
        if let [option] = rest {
            bail!("unknown arguments `{option}`");
        }
        Ok(Settings { validity: validity.unwrap_or_default(), burst: burst.unwrap_or_default() })
    }

    /// Decodes the parameters from the kernel's memory: the two 64-bit members of `parameters` in newcwv.bpf.c.
    pub fn decode(bytes: &[u8]) -> Result<Settings> {
        let (words, rest) = bytes.as_chunks::<8>();
        let ([validity, burst], []) = (words, rest) else {
            bail!("another version of the congestion controls is loaded; unload it first");
        };
        let burst = u64::from_ne_bytes(*burst);
        Ok(Settings {
            validity: Validity::of_millis(u64::from_ne_bytes(*validity))?,
            burst: Burst(u32::try_from(burst).map_err(|_| anyhow!("`--burst` is {burst} in the kernel"))?),
        })
    }

    /// Checks that these parameters of loaded controls are the `wanted` ones; the error names the remedy.
    pub fn must_be(self, wanted: Settings) -> Result<()> {
        let remedy = "unload it first (jettison cc unload)";
        if self.validity != wanted.validity {
            let (found, wanted) = (self.validity, wanted.validity);
            bail!("already loaded with a non-validated period of {found}, not {wanted}; {remedy}");
        }
        if self.burst != wanted.burst {
            let (found, wanted) = (self.burst, wanted.burst);
            bail!("already loaded with a burst limit of {found}, not {wanted}; {remedy}");
        }
        Ok(())
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "non-validated period: {}\nburst limit: {}", self.validity, self.burst)
    }
}

/// Packets that one ACK or write may release in the non-validated phase without pacing (RFC 7661 §4.4.2); 0 for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst(u32);

impl Burst {
    pub fn packets(self) -> u64 {
        u64::from(self.0)
    }
}

impl Default for Burst {
    /// An initial window (RFC 6928), as in the simulator.
    fn default() -> Burst {
        Burst(10)
    }
}

impl FromStr for Burst {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Burst> {
        let packets = text.trim().parse();
        let packets = packets.with_context(|| {
            format!("`--burst` must be a number of packets from 0 (no limit) to {}, got `{text}`", u32::MAX)
        })?;
        Ok(Burst(packets))
    }
}

impl fmt::Display for Burst {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(formatter, "none"),
            1 => write!(formatter, "1 packet"),
            packets => write!(formatter, "{packets} packets"),
        }
    }
}
