//! Video layers allocation, version 0: bitrates, resolutions and frame rates of a sender's layers, as WebRTC documents it
//! (`http://www.webrtc.org/experiments/rtp-hdrext/video-layers-allocation00`).
//!
//! A byte has the stream's index, the number of streams and the active spatial layers if all streams have the same; masks of each
//! stream, the numbers of temporal layers, bitrates in kbit/s (LEB128), and resolutions if bytes remain, follow.

use crate::LabelError;

/// Spatial layers of a stream, temporal layers of a spatial layer, and streams: at most this many.
const MOST: usize = 4;

/// A video layers allocation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LayersAllocation {
    /// RID: index of the RTP stream that carries the allocation.
    pub stream: u8,
    /// The RTP streams (simulcast), 1 to 4; none: nothing is sent.
    pub streams: Vec<AllocatedStream>,
}

/// The active spatial layers of an RTP stream, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllocatedStream {
    /// The layers, at most 4.
    pub layers: Vec<SpatialLayer>,
}

/// An active spatial layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpatialLayer {
    /// Its number, 0 to 3.
    pub id: u8,
    /// Target bitrate in kbit/s of each temporal layer, 1 to 4: all that is required to receive it, lower layers included.
    pub kbits: Vec<u64>,
    /// Resolution and frame rate. All layers have one, or none.
    pub picture: Option<Picture>,
}

/// Resolution and frame rate of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Picture {
    /// Width in pixels, 1 to 65536.
    pub width: u32,
    /// Height in pixels, 1 to 65536.
    pub height: u32,
    /// Highest frame rate in frames/s.
    pub frame_rate: u8,
}

impl LayersAllocation {
    /// The bitrate in kbit/s that the layer of the carrying stream requires, lower layers included; `None` if it is not active.
    pub fn kbit(&self, spatial: u8, temporal: u8) -> Option<u64> {
        let stream = self.streams.get(usize::from(self.stream))?;
        let layer = stream.layers.iter().find(|layer| layer.id == spatial)?;
        layer.kbits.get(usize::from(temporal)).copied()
    }

    /// Reads the data of an extension element.
    ///
    /// # Errors
    /// If the bytes end within a field, the stream's index is not below the number of streams, a bitrate exceeds 64 bits, or the bytes
    /// behind the bitrates are no list of resolutions.
    pub fn parse(data: &[u8]) -> Result<LayersAllocation, LabelError> {
        let mut bytes = data.iter().copied();
        let mut next = || bytes.next().ok_or(LabelError::Truncated("video layers allocation"));
        let first = next()?;
        if data.len() == 1 && first == 0 {
            return Ok(LayersAllocation::default());
        }
        let (stream, count) = (first >> 6, usize::from(first >> 4 & 3) + 1);
        if usize::from(stream) >= count {
            return Err(LabelError::Malformed(
                "the stream of a video layers allocation is not among its streams",
            ));
        }
        let mut masks = [first & 0xf; MOST];
        if first & 0xf == 0 {
            for pair in masks[..count.next_multiple_of(2)].as_chunks_mut::<2>().0 {
                let byte = next()?;
                *pair = [byte >> 4, byte & 0xf];
            }
        }
        let mut streams: Vec<AllocatedStream> = masks[..count]
            .iter()
            .map(|mask| {
                let ids = (0..MOST as u8).filter(|id| mask >> id & 1 == 1);
                AllocatedStream { layers: ids.map(|id| SpatialLayer { id, ..Default::default() }).collect() }
            })
            .collect();
        let mut counts = 0;
        for (at, layer) in streams.iter_mut().flat_map(|stream| &mut stream.layers).enumerate() {
            if at % MOST == 0 {
                counts = next()?;
            }
            layer.kbits = vec![0; usize::from(counts >> (6 - 2 * (at % MOST)) & 3) + 1];
        }
        for kbit in
            streams.iter_mut().flat_map(|stream| &mut stream.layers).flat_map(|layer| &mut layer.kbits)
        {
            *kbit = leb128(&mut next)?;
        }
        let rest: Vec<u8> = bytes.collect();
        let layers = streams.iter_mut().flat_map(|stream| &mut stream.layers);
        if !rest.is_empty() {
            let (pictures, remainder) = rest.as_chunks::<5>();
            let mut pictures = pictures.iter();
            for layer in layers {
                let &[w0, w1, h0, h1, frame_rate] = pictures
                    .next()
                    .ok_or(LabelError::Truncated("resolutions of a video layers allocation"))?;
                let size = |bytes| u32::from(u16::from_be_bytes(bytes)) + 1;
                layer.picture = Some(Picture { width: size([w0, w1]), height: size([h0, h1]), frame_rate });
            }
            if pictures.next().is_some() || !remainder.is_empty() {
                return Err(LabelError::Malformed(
                    "bytes follow the resolutions of a video layers allocation",
                ));
            }
        }
        Ok(LayersAllocation { stream, streams })
    }

    /// Writes the data of an extension element.
    ///
    /// # Errors
    /// If there are too many streams or layers, they are out of order, or only some layers have a resolution.
    pub fn emit(&self) -> Result<Vec<u8>, LabelError> {
        if self.streams.is_empty() {
            return Ok(vec![0]);
        }
        self.check()?;
        let masks: Vec<u8> = self.streams.iter().map(AllocatedStream::mask).collect();
        let common = if masks.iter().all(|mask| *mask == masks[0]) { masks[0] } else { 0 };
        let mut out = vec![self.stream << 6 | (self.streams.len() as u8 - 1) << 4 | common];
        if common == 0 {
            out.extend(masks.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)));
        }
        let layers: Vec<&SpatialLayer> = self.streams.iter().flat_map(|stream| &stream.layers).collect();
        for four in layers.chunks(MOST) {
            let bits = (0..).zip(four).map(|(at, layer)| (layer.kbits.len() as u8 - 1) << (6 - 2 * at));
            out.push(bits.fold(0, |byte, bits| byte | bits));
        }
        for kbit in layers.iter().flat_map(|layer| &layer.kbits) {
            write_leb128(&mut out, *kbit);
        }
        for picture in layers.iter().filter_map(|layer| layer.picture) {
            let size = |pixels: u32| {
                let size = pixels.checked_sub(1).and_then(|size| u16::try_from(size).ok());
                size.ok_or(LabelError::TooLarge("a resolution")).map(u16::to_be_bytes)
            };
            out.extend(size(picture.width)?);
            out.extend(size(picture.height)?);
            out.push(picture.frame_rate);
        }
        Ok(out)
    }

    fn check(&self) -> Result<(), LabelError> {
        let layers = || self.streams.iter().flat_map(|stream| &stream.layers);
        let is_ordered = |stream: &AllocatedStream| stream.layers.is_sorted_by(|a, b| a.id < b.id);
        let with_picture = layers().filter(|layer| layer.picture.is_some()).count();
        let rules = [
            (self.streams.len() <= MOST, "the number of streams"),
            (usize::from(self.stream) < self.streams.len(), "the stream's index"),
            (self.streams.iter().all(is_ordered), "the order of the spatial layers"),
            (layers().all(|layer| usize::from(layer.id) < MOST), "the number of a spatial layer"),
            (layers().all(|layer| (1..=MOST).contains(&layer.kbits.len())), "the number of temporal layers"),
            (with_picture == 0 || with_picture == layers().count(), "a resolution of only some layers"),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(LabelError::TooLarge(what)),
            None => Ok(()),
        }
    }
}

impl AllocatedStream {
    fn mask(&self) -> u8 {
        self.layers.iter().fold(0, |mask, layer| mask | 1 << layer.id)
    }
}

/// LEB128 (AV1 specification §4.10.5), limited to 64 bits.
fn leb128(next: &mut impl FnMut() -> Result<u8, LabelError>) -> Result<u64, LabelError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = next()?;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            break;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(LabelError::Malformed("a bitrate of a video layers allocation exceeds 64 bits"))
}

fn write_leb128(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 & 0x7f | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn layer(id: u8, kbits: &[u64]) -> SpatialLayer {
        SpatialLayer { id, kbits: kbits.to_vec(), picture: None }
    }

    #[test]
    fn one_stream_of_svc_has_one_mask_and_cumulative_bitrates() {
        let stream = AllocatedStream { layers: vec![layer(0, &[50, 100]), layer(1, &[300])] };
        let allocation = LayersAllocation { stream: 0, streams: vec![stream] };
        // RID 0, NS 0, layers 0 and 1 | 2 and 1 temporal layers | 50, 100, 300 = 0xac 0x02
        assert_eq!(allocation.emit().unwrap(), [0x03, 0b0100_0000, 50, 100, 0xac, 0x02]);
        assert_eq!(
            (allocation.kbit(0, 1), allocation.kbit(1, 0), allocation.kbit(1, 1)),
            (Some(100), Some(300), None)
        );
    }

    #[test]
    fn streams_with_different_layers_have_masks_of_their_own() {
        let streams = [vec![layer(0, &[1])], vec![layer(1, &[2])], vec![layer(0, &[3])]];
        let streams = streams.map(|layers| AllocatedStream { layers }).to_vec();
        let allocation = LayersAllocation { stream: 2, streams };
        assert_eq!(allocation.emit().unwrap(), [0xa0, 0x12, 0x10, 0, 1, 2, 3]);
    }

    #[test]
    fn an_empty_allocation_is_a_zero() {
        assert_eq!(LayersAllocation::default().emit().unwrap(), [0]);
        assert_eq!(LayersAllocation::parse(&[0]), Ok(LayersAllocation::default()));
    }

    #[test]
    fn resolutions_are_there_if_bytes_remain() {
        let picture = Some(Picture { width: 1280, height: 720, frame_rate: 30 });
        let layers = vec![SpatialLayer { picture, ..layer(0, &[9]) }];
        let allocation = LayersAllocation { stream: 0, streams: vec![AllocatedStream { layers }] };
        let bytes = allocation.emit().unwrap();
        assert_eq!(bytes, [1, 0, 9, 0x04, 0xff, 0x02, 0xcf, 30]);
        assert_eq!(LayersAllocation::parse(&bytes), Ok(allocation));
        for length in 4..8 {
            assert!(LayersAllocation::parse(&bytes[..length]).is_err(), "{length}");
        }
        assert!(LayersAllocation::parse(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn a_bitrate_above_64_bits_is_an_error() {
        let long = [&[1, 0][..], &[0xff; 9], &[0x7f]].concat();
        assert!(LayersAllocation::parse(&long).is_err());
    }

    fn streams() -> impl Strategy<Value = LayersAllocation> {
        let layers = prop::collection::btree_map(0u8..4, prop::collection::vec(any::<u64>(), 1..5), 0..5);
        let picture = prop::option::of((1u32..65537, 1u32..65537, any::<u8>()));
        (prop::collection::vec(layers, 1..5), 0usize..4, picture).prop_map(|(streams, at, picture)| {
            let picture = picture.map(|(width, height, frame_rate)| Picture { width, height, frame_rate });
            let stream = (at % streams.len()) as u8;
            let layers = |layers: std::collections::BTreeMap<u8, Vec<u64>>| {
                layers.into_iter().map(|(id, kbits)| SpatialLayer { id, kbits, picture }).collect()
            };
            let streams =
                streams.into_iter().map(|stream| AllocatedStream { layers: layers(stream) }).collect();
            LayersAllocation { stream, streams }
        })
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(allocation in streams()) {
            prop_assert_eq!(LayersAllocation::parse(&allocation.emit().unwrap()), Ok(allocation));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(allocation) = LayersAllocation::parse(&bytes) {
                let again = LayersAllocation::parse(&allocation.emit().unwrap());
                prop_assert_eq!(again, Ok(allocation));
            }
        }
    }
}
