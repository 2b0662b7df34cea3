//! The dependency descriptor of AV1's RTP payload specification, appendix A, which any codec may use.
//!
//! It names the frame of a packet, whether the packet starts or ends it, and by a template its layer, the decode targets that need
//! it and the frames that it refers to. The templates are sent once, with the first packet of a coded sequence, so a reader
//! keeps the newest [`Structure`] of each stream ([`Reader`]).

mod structure;

pub use structure::{Indication, MAX_TARGETS, MAX_TEMPLATES, Structure, Template};

use crate::LabelError;
use crate::bits::{BitReader, BitWriter};

/// A dependency descriptor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Descriptor {
    /// First packet of the frame.
    pub start: bool,
    /// Last packet of the frame.
    pub end: bool,
    /// Identifier of the template, 0 to 63.
    pub template: u8,
    /// Frame number in decode order; it wraps.
    pub frame: u16,
    /// A new structure.
    pub structure: Option<Structure>,
    /// The decode targets that are produced from now on, bit 0 for the first.
    pub active_targets: Option<u32>,
    /// Relations to the decode targets, instead of the template's.
    pub indications: Option<Vec<Indication>>,
    /// Differences to the frames that it refers to, 1 to 4096, instead of the template's.
    pub references: Option<Vec<u32>>,
    /// Differences to the previous frames of the chains, instead of the template's.
    pub chains: Option<Vec<u8>>,
}

/// What a descriptor says of its frame, with its template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// The descriptor's frame as a template: custom values in place of the template's.
    pub description: Template,
    /// The active decode targets.
    pub active_targets: u32,
    /// Number of decode targets.
    pub targets: u8,
    /// Width and height of the frame's spatial layer, if known.
    pub resolution: Option<(u32, u32)>,
}

impl Descriptor {
    /// Reads the data of an extension element; `known` is the newest structure of the stream.
    ///
    /// # Errors
    /// If the bits end, the template is not of the structure, or there is no structure.
    pub fn parse(data: &[u8], known: Option<&Structure>) -> Result<Descriptor, LabelError> {
        if data.len() < 3 {
            return Err(LabelError::Truncated("dependency descriptor"));
        }
        let mut reader = BitReader::new(data);
        let mut descriptor = Descriptor {
            start: reader.flag()?,
            end: reader.flag()?,
            template: reader.read(6)? as u8,
            frame: reader.read(16)? as u16,
            ..Descriptor::default()
        };
        let is_extended = data.len() > 3;
        let mut flags = [false; 5];
        if is_extended {
            for flag in &mut flags {
                *flag = reader.flag()?;
            }
        }
        let [has_structure, has_active, has_indications, has_references, has_chains] = flags;
        if has_structure {
            descriptor.structure = Some(Structure::read(&mut reader)?);
        }
        let structure = descriptor.structure.as_ref().or(known).ok_or(LabelError::NoStructure)?;
        let (targets, chains) = (structure.targets, structure.chains);
        if structure.template(descriptor.template).is_none() {
            return Err(LabelError::Malformed("the template is not of the stream's dependency structure"));
        }
        if has_active {
            descriptor.active_targets = Some(reader.read(u32::from(targets))?);
        }
        if has_indications {
            let indications = (0..targets).map(|_| Indication::read(&mut reader));
            descriptor.indications = Some(indications.collect::<Result<_, _>>()?);
        }
        if has_references {
            let mut references = Vec::new();
            loop {
                match reader.read(2)? {
                    0 => break,
                    size => references.push(reader.read(4 * size)? + 1),
                }
            }
            descriptor.references = Some(references);
        }
        if has_chains {
            let chains = (0..chains).map(|_| reader.read(8).map(|difference| difference as u8));
            descriptor.chains = Some(chains.collect::<Result<_, _>>()?);
        }
        Ok(descriptor)
    }

    /// Writes the data of an extension element; `known` is the structure that the reader has.
    ///
    /// # Errors
    /// If a value does not fit, or does not agree with the structure.
    pub fn emit(&self, known: Option<&Structure>) -> Result<Vec<u8>, LabelError> {
        let structure = self.structure.as_ref().or(known).ok_or(LabelError::NoStructure)?;
        self.check(structure)?;
        let mut writer = BitWriter::default();
        writer.flag(self.start);
        writer.flag(self.end);
        writer.write(u32::from(self.template), 6);
        writer.write(u32::from(self.frame), 16);
        let flags = [
            self.structure.is_some(),
            self.active_targets.is_some(),
            self.indications.is_some(),
            self.references.is_some(),
            self.chains.is_some(),
        ];
        if flags == [false; 5] {
            return Ok(writer.finish());
        }
        flags.iter().for_each(|flag| writer.flag(*flag));
        if let Some(structure) = &self.structure {
            structure.write(&mut writer)?;
        }
        if let Some(active) = self.active_targets {
            writer.write(active, u32::from(structure.targets));
        }
        for indication in self.indications.iter().flatten() {
            writer.write(*indication as u32, 2);
        }
        if let Some(references) = &self.references {
            for reference in references {
                let value = reference - 1;
                let size = (u32::BITS - value.leading_zeros()).max(1).div_ceil(4);
                writer.write(size, 2);
                writer.write(value, 4 * size);
            }
            writer.write(0, 2);
        }
        for difference in self.chains.iter().flatten() {
            writer.write(u32::from(*difference), 8);
        }
        Ok(writer.finish())
    }

    fn check(&self, structure: &Structure) -> Result<(), LabelError> {
        let targets = usize::from(structure.targets);
        let of = |count: Option<usize>, expected: usize| count.is_none_or(|count| count == expected);
        let rules = [
            (self.template < 64 && structure.template(self.template).is_some(), "the template's identifier"),
            (
                self.active_targets.is_none_or(|active| targets >= 32 || active >> targets == 0),
                "the active decode targets",
            ),
            (of(self.indications.as_ref().map(Vec::len), targets), "the number of indications"),
            (
                self.references.iter().flatten().all(|difference| (1..=4096).contains(difference)),
                "a frame difference",
            ),
            (
                of(self.chains.as_ref().map(Vec::len), usize::from(structure.chains)),
                "the number of chain differences",
            ),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(LabelError::TooLarge(what)),
            None => Ok(()),
        }
    }
}

/// Reads the descriptors of one stream.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    structure: Option<Structure>,
    active_targets: u32,
}

impl Reader {
    /// The newest structure.
    pub fn structure(&self) -> Option<&Structure> {
        self.structure.as_ref()
    }

    /// Reads the descriptor of the stream's next packet, and what it says of its frame.
    ///
    /// # Errors
    /// If the descriptor cannot be read ([`Descriptor::parse`]). The state is unchanged then.
    pub fn read(&mut self, data: &[u8]) -> Result<(Descriptor, Frame), LabelError> {
        let descriptor = Descriptor::parse(data, self.structure.as_ref())?;
        if let Some(structure) = &descriptor.structure {
            // A structure without a list of active targets makes all of them active (A.4).
            self.active_targets = u32::MAX >> (32 - u32::from(structure.targets));
            self.structure = Some(structure.clone());
        }
        if let Some(active) = descriptor.active_targets {
            self.active_targets = active;
        }
        let structure = self.structure.as_ref().ok_or(LabelError::NoStructure)?;
        let mut description = structure.template(descriptor.template).ok_or(LabelError::NoStructure)?.clone();
        if let Some(indications) = &descriptor.indications {
            description.indications.clone_from(indications);
        }
        if let Some(references) = &descriptor.references {
            description.references.clone_from(references);
        }
        if let Some(chains) = &descriptor.chains {
            description.chains.clone_from(chains);
        }
        let frame = Frame {
            resolution: structure.resolutions.get(usize::from(description.spatial)).copied(),
            description,
            active_targets: self.active_targets,
            targets: structure.targets,
        };
        Ok((descriptor, frame))
    }
}

impl Frame {
    /// Whether the frame refers to no other.
    pub fn is_independent(&self) -> bool {
        self.description.references.is_empty()
    }

    /// The priority from which on older frames are obsolete once this frame arrived, if its own is `priority`; `None` if they may
    /// still be needed.
    ///
    /// Without references, no older frame of its importance is needed. Otherwise, a switch or discardable indication says that
    /// later frames of a target need no older ones than those that this frame needs (A.2): less important ones are
    /// obsolete. If it is discardable in the first target that has it, frames of its layer do not refer to each other, so
    /// that older ones of its own importance are, too. A required indication says none of that.
    pub fn obsoletes(&self, priority: u8) -> Option<u8> {
        let mut present = self.active_indications().filter(|one| *one != Indication::NotPresent).peekable();
        let first = present.peek().copied()?;
        if self.is_independent() {
            return Some(priority);
        }
        if present.any(|indication| indication == Indication::Required) {
            return None;
        }
        Some(if first == Indication::Discardable { priority } else { priority + 1 })
    }

    fn active_indications(&self) -> impl Iterator<Item = Indication> {
        let indications = (0..).zip(&self.description.indications);
        indications
            .filter(|(target, _)| self.active_targets >> target & 1 == 1)
            .map(|(_, indication)| *indication)
    }

    /// The number of active decode targets, and of those that do without the frame.
    pub fn targets_without(&self) -> (u32, u32) {
        self.active_indications().fold((0, 0), |(all, without), indication| {
            (all + 1, without + u32::from(indication == Indication::NotPresent))
        })
    }
}

#[cfg(test)]
mod tests;
