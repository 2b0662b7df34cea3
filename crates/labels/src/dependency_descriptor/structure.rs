//! The template dependency structure (AV1 RTP specification, A.8.2 and A.8.3).

use crate::LabelError;
use crate::bits::{BitReader, BitWriter};

/// Most templates of a structure: identifiers have 6 bits.
pub const MAX_TEMPLATES: usize = 64;
/// Most decode targets: their number has 5 bits.
pub const MAX_TARGETS: usize = 32;

/// Relation of a frame to a decode target (table A.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Indication {
    /// `-`: the frame is not part of the target.
    #[default]
    NotPresent = 0,
    /// `D`: no frame of the target refers to it.
    Discardable = 1,
    /// `S`: all later frames of the target can be decoded if this one can.
    Switch = 2,
    /// `R`: part of the target, and neither discardable nor a switch.
    Required = 3,
}

impl Indication {
    /// The symbol of table A.1.
    pub fn symbol(self) -> char {
        match self {
            Indication::NotPresent => '-',
            Indication::Discardable => 'D',
            Indication::Switch => 'S',
            Indication::Required => 'R',
        }
    }

    pub(super) fn read(reader: &mut BitReader<'_>) -> Result<Indication, LabelError> {
        Ok(match reader.read(2)? {
            0 => Indication::NotPresent,
            1 => Indication::Discardable,
            2 => Indication::Switch,
            _ => Indication::Required,
        })
    }
}

/// Description of frames that have it in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    /// Spatial layer.
    pub spatial: u8,
    /// Temporal layer.
    pub temporal: u8,
    /// Relation to each decode target.
    pub indications: Vec<Indication>,
    /// Differences of frame number to the frames that it refers to, 1 to 16 in a structure.
    pub references: Vec<u32>,
    /// Difference of frame number to the previous frame of each chain; 0: the chain needs none. At most 15 in a structure.
    pub chains: Vec<u8>,
}

/// Templates of a coded sequence, and what its decode targets are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Structure {
    /// Identifier of the first template, 0 to 63.
    pub first_id: u8,
    /// The templates, by layer; 1 to 64.
    pub templates: Vec<Template>,
    /// Number of decode targets, 1 to 32.
    pub targets: u8,
    /// Number of chains.
    pub chains: u8,
    /// The chain that protects each decode target; empty without chains.
    pub protected_by: Vec<u8>,
    /// Width and height of each spatial layer in pixels, 1 to 65536; empty if unknown.
    pub resolutions: Vec<(u32, u32)>,
}

impl Structure {
    /// The template with the identifier `id`.
    pub fn template(&self, id: u8) -> Option<&Template> {
        self.templates.get(usize::from((id + 64 - self.first_id) % 64))
    }

    pub(super) fn read(reader: &mut BitReader<'_>) -> Result<Structure, LabelError> {
        let first_id = reader.read(6)? as u8;
        let targets = reader.read(5)? as u8 + 1;
        let mut templates = read_layers(reader)?;
        for template in &mut templates {
            for _ in 0..targets {
                template.indications.push(Indication::read(reader)?);
            }
        }
        for template in &mut templates {
            while reader.flag()? {
                template.references.push(reader.read(4)? + 1);
            }
        }
        let chains = reader.non_symmetric(u32::from(targets) + 1)? as u8;
        let mut protected_by = Vec::new();
        if chains > 0 {
            for _ in 0..targets {
                protected_by.push(reader.non_symmetric(u32::from(chains))? as u8);
            }
            for template in &mut templates {
                for _ in 0..chains {
                    template.chains.push(reader.read(4)? as u8);
                }
            }
        }
        let mut resolutions = Vec::new();
        if reader.flag()? {
            // The last template has the highest spatial layer.
            let spatial = templates.last().map_or(0, |template| template.spatial);
            for _ in 0..=spatial {
                resolutions.push((reader.read(16)? + 1, reader.read(16)? + 1));
            }
        }
        Ok(Structure { first_id, templates, targets, chains, protected_by, resolutions })
    }

    pub(super) fn write(&self, writer: &mut BitWriter) -> Result<(), LabelError> {
        self.check()?;
        writer.write(u32::from(self.first_id), 6);
        writer.write(u32::from(self.targets) - 1, 5);
        for pair in self.templates.windows(2) {
            writer.write(next_layer(&pair[0], &pair[1]).unwrap_or(0), 2);
        }
        writer.write(3, 2);
        for indication in self.templates.iter().flat_map(|template| &template.indications) {
            writer.write(*indication as u32, 2);
        }
        for template in &self.templates {
            for reference in &template.references {
                writer.flag(true);
                writer.write(reference - 1, 4);
            }
            writer.flag(false);
        }
        writer.non_symmetric(u32::from(self.targets) + 1, u32::from(self.chains));
        for chain in &self.protected_by {
            writer.non_symmetric(u32::from(self.chains), u32::from(*chain));
        }
        for chain in self.templates.iter().flat_map(|template| &template.chains) {
            writer.write(u32::from(*chain), 4);
        }
        writer.flag(!self.resolutions.is_empty());
        for (width, height) in &self.resolutions {
            writer.write(width - 1, 16);
            writer.write(height - 1, 16);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), LabelError> {
        let (targets, chains) = (usize::from(self.targets), usize::from(self.chains));
        let templates = || self.templates.iter();
        let begins_at_zero =
            self.templates.first().is_some_and(|template| (template.spatial, template.temporal) == (0, 0));
        let spatial = self.templates.last().map_or(0, |template| usize::from(template.spatial) + 1);
        let in_16 = |pixels: u32| (1..=1 << 16).contains(&pixels);
        let rules = [
            (self.first_id < 64, "the first template's identifier"),
            ((1..=MAX_TARGETS).contains(&targets), "the number of decode targets"),
            (begins_at_zero && self.templates.len() <= MAX_TEMPLATES, "the list of templates"),
            (
                self.templates.windows(2).all(|pair| next_layer(&pair[0], &pair[1]).is_some()),
                "the order of templates",
            ),
            (templates().all(|template| template.indications.len() == targets), "the number of indications"),
            (
                templates().flat_map(|template| &template.references).all(|d| (1..=16).contains(d)),
                "a frame difference",
            ),
            (chains <= targets, "the number of chains"),
            (
                self.protected_by.len() == if chains > 0 { targets } else { 0 },
                "the list of protected targets",
            ),
            (self.protected_by.iter().all(|chain| usize::from(*chain) < chains), "a protecting chain"),
            (templates().all(|template| template.chains.len() == chains), "the number of chain differences"),
            (
                templates().flat_map(|template| &template.chains).all(|difference| *difference < 16),
                "a chain difference",
            ),
            (self.resolutions.is_empty() || self.resolutions.len() == spatial, "the number of resolutions"),
            (self.resolutions.iter().all(|(width, height)| in_16(*width) && in_16(*height)), "a resolution"),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(LabelError::TooLarge(what)),
            None => Ok(()),
        }
    }
}

fn read_layers(reader: &mut BitReader<'_>) -> Result<Vec<Template>, LabelError> {
    let (mut spatial, mut temporal) = (0, 0);
    let mut templates = Vec::new();
    loop {
        templates.push(Template { spatial, temporal, ..Template::default() });
        match reader.read(2)? {
            0 => {}
            1 => temporal += 1,
            2 => (spatial, temporal) = (spatial + 1, 0),
            _ => return Ok(templates),
        }
        if templates.len() >= MAX_TEMPLATES {
            return Err(LabelError::Malformed("a dependency structure has more than 64 templates"));
        }
    }
}

/// next_layer_idc between two templates (table A.2); `None` if no value says it.
fn next_layer(one: &Template, next: &Template) -> Option<u32> {
    let step = (
        i16::from(next.spatial) - i16::from(one.spatial),
        i16::from(next.temporal) - i16::from(one.temporal),
    );
    match step {
        (0, 0) => Some(0),
        (0, 1) => Some(1),
        (1, _) if next.temporal == 0 => Some(2),
        _ => None,
    }
}
