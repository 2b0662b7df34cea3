//! Video frame marking (RFC 9626): start, end, independence and layer of a frame.
//!
//! The short form (§3.2) has the flags alone, in one byte with four zeros. The long form, for scalable streams (§3.1), has base
//! layer sync and temporal layer in that byte, then the layer (LID) and the index of the base layer's picture (TL0PICIDX), which
//! may be left out from behind. One byte does not tell its form: that is agreed on when the session is set up.

use crate::LabelError;

/// A video frame marking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameMarking {
    /// S: first packet of a frame within a layer.
    pub start: bool,
    /// E: last packet of a frame within a layer.
    pub end: bool,
    /// I: the frame can be decoded without earlier frames of its layer.
    pub independent: bool,
    /// D: the stream stays decodable without the frame.
    pub discardable: bool,
    /// Fields of the long form.
    pub layers: Option<Layers>,
}

/// Fields for scalable streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layers {
    /// B: the frame depends on the base temporal layer alone.
    pub base_sync: bool,
    /// TID: temporal layer, 0 (base) to 7.
    pub temporal: u8,
    /// LID: the layer within the picture, in the codec's numbering.
    pub layer: Option<u8>,
    /// TL0PICIDX: number of the base layer's picture. Only with a LID.
    pub base_picture: Option<u8>,
}

/// The form of markings of one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkingForm {
    /// Non-scalable streams: one byte is the short form.
    Short,
    /// Scalable streams: one byte has the layer's fields.
    #[default]
    Long,
}

impl FrameMarking {
    /// Reads the data of an extension element.
    ///
    /// # Errors
    /// If the length is none of the format's, or a reserved bit of the short form is set.
    pub fn parse(data: &[u8], form: MarkingForm) -> Result<FrameMarking, LabelError> {
        let (&flags, rest) = data.split_first().ok_or(LabelError::Truncated("frame marking"))?;
        let flag = |bit: u8| flags & bit != 0;
        let (layer, base_picture) = match *rest {
            [] => (None, None),
            [layer] => (Some(layer), None),
            [layer, picture] => (Some(layer), Some(picture)),
            _ => return Err(LabelError::Malformed("a frame marking has 1 to 3 bytes")),
        };
        let layers = match form {
            MarkingForm::Short if !rest.is_empty() => {
                return Err(LabelError::Malformed("a short frame marking has 1 byte"));
            }
            MarkingForm::Short if flags & 0x0f != 0 => {
                return Err(LabelError::Malformed("a short frame marking has four zeros behind its flags"));
            }
            MarkingForm::Short => None,
            MarkingForm::Long => {
                Some(Layers { base_sync: flag(0x08), temporal: flags & 0x07, layer, base_picture })
            }
        };
        Ok(FrameMarking {
            start: flag(0x80),
            end: flag(0x40),
            independent: flag(0x20),
            discardable: flag(0x10),
            layers,
        })
    }

    /// Writes the data of an extension element.
    ///
    /// # Errors
    /// If the temporal layer is above 7, or there is a picture index without a layer.
    pub fn emit(&self) -> Result<Vec<u8>, LabelError> {
        let flags = [self.start, self.end, self.independent, self.discardable];
        let mut first = flags.iter().fold(0, |bits, flag| bits << 1 | u8::from(*flag)) << 4;
        let Some(Layers { base_sync, temporal, layer, base_picture }) = self.layers else {
            return Ok(vec![first]);
        };
        if temporal > 7 {
            return Err(LabelError::TooLarge("the temporal layer"));
        }
        first |= u8::from(base_sync) << 3 | temporal;
        match (layer, base_picture) {
            (None, None) => Ok(vec![first]),
            (Some(layer), None) => Ok(vec![first, layer]),
            (Some(layer), Some(picture)) => Ok(vec![first, layer, picture]),
            (None, Some(_)) => Err(LabelError::Malformed("TL0PICIDX requires a LID")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_fields_have_the_bits_of_rfc_9626_section_3_1() {
        let layers = Layers { base_sync: true, temporal: 5, layer: Some(0x21), base_picture: Some(0xfe) };
        let marking =
            FrameMarking { start: true, independent: true, layers: Some(layers), ..Default::default() };
        assert_eq!(marking.emit().unwrap(), [0b1010_1101, 0x21, 0xfe]);
    }

    #[test]
    fn the_short_form_has_zeros_behind_the_flags() {
        // RFC 9626 §3.2
        let marking = FrameMarking { end: true, discardable: true, ..FrameMarking::default() };
        assert_eq!(marking.emit().unwrap(), [0b0101_0000]);
        assert_eq!(FrameMarking::parse(&[0b0101_0000], MarkingForm::Short), Ok(marking));
        assert!(FrameMarking::parse(&[0b0101_0001], MarkingForm::Short).is_err());
        assert!(FrameMarking::parse(&[0b0101_0000, 1], MarkingForm::Short).is_err());
    }

    #[test]
    fn other_lengths_are_errors() {
        assert_eq!(FrameMarking::parse(&[], MarkingForm::Long), Err(LabelError::Truncated("frame marking")));
        assert!(FrameMarking::parse(&[0; 4], MarkingForm::Long).is_err());
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            start: bool, end: bool, independent: bool, discardable: bool, long: bool, base_sync: bool,
            temporal in 0u8..8, layer: Option<u8>, picture: Option<u8>,
        ) {
            let base_picture = layer.and(picture);
            let layers = long.then_some(Layers { base_sync, temporal, layer, base_picture });
            let marking = FrameMarking { start, end, independent, discardable, layers };
            let form = if long { MarkingForm::Long } else { MarkingForm::Short };
            prop_assert_eq!(FrameMarking::parse(&marking.emit().unwrap(), form), Ok(marking));
        }

        #[test]
        fn what_was_read_is_written(bytes in prop::collection::vec(any::<u8>(), 0..6), long: bool) {
            let form = if long { MarkingForm::Long } else { MarkingForm::Short };
            if let Ok(marking) = FrameMarking::parse(&bytes, form) {
                prop_assert_eq!(marking.emit().unwrap(), bytes);
            }
        }
    }
}
