//! Tests of the dependency descriptor against appendix A.

use proptest::prelude::*;

use super::*;

/// L1T3 of A.10: three temporal layers, three decode targets, one chain.
fn l1t3() -> Structure {
    use Indication::{Discardable as D, NotPresent as N, Required as R, Switch as S};
    let template = |temporal, indications: [Indication; 3], references: &[u32], chain| Template {
        spatial: 0,
        temporal,
        indications: indications.to_vec(),
        references: references.to_vec(),
        chains: vec![chain],
    };
    Structure {
        first_id: 0,
        templates: vec![
            template(0, [S, S, S], &[], 0),
            template(0, [R, R, S], &[4], 4),
            template(1, [N, D, S], &[2], 2),
            template(2, [N, N, D], &[1], 1),
            template(2, [N, N, D], &[1], 3),
        ],
        targets: 3,
        chains: 1,
        protected_by: vec![0, 0, 0],
        resolutions: vec![(640, 360)],
    }
}

fn key_frame() -> Descriptor {
    Descriptor { start: true, frame: 100, structure: Some(l1t3()), ..Descriptor::default() }
}

#[test]
fn a_frame_of_a_template_takes_three_bytes() {
    let descriptor =
        Descriptor { start: true, end: true, template: 3, frame: 0x0102, ..Descriptor::default() };
    // start, end, template id | frame number
    assert_eq!(descriptor.emit(Some(&l1t3())).unwrap(), [0b1100_0011, 1, 2]);
}

#[test]
fn the_structure_has_the_syntax_of_a_8_2() {
    let bytes = key_frame().emit(None).unwrap();
    let mut bits = BitReader::new(&bytes);
    let mut read = |width| bits.read(width).unwrap();
    assert_eq!((read(1), read(1), read(6), read(16)), (1, 0, 0, 100));
    assert_eq!(read(5), 0b10000, "a structure, and nothing custom");
    assert_eq!((read(6), read(5)), (0, 2), "offset, decode targets minus one");
    assert_eq!([read(2), read(2), read(2), read(2), read(2)], [0, 1, 1, 0, 3], "next_layer_idc");
    assert_eq!(
        [read(6), read(6), read(6), read(6), read(6)],
        [0b101010, 0b111110, 0b000110, 0b000001, 0b000001]
    );
    assert_eq!((read(1), read(6), read(6)), (0, 0b10_0110, 0b10_0010), "fdiffs");
    assert_eq!((read(6), read(6)), (0b10_0000, 0b10_0000));
    // ns(4) of 1 chain: 2 bits. Each target is protected by the only chain, which takes no bits.
    assert_eq!(read(2), 1);
    assert_eq!([read(4), read(4), read(4), read(4), read(4)], [0, 4, 2, 1, 3]);
    assert_eq!((read(1), read(16), read(16)), (1, 639, 359));
}

#[test]
fn a_reader_keeps_the_structure_of_its_stream() {
    let mut reader = Reader::default();
    let delta = Descriptor { start: true, template: 2, frame: 102, ..Descriptor::default() };
    let short = delta.emit(Some(&l1t3())).unwrap();
    assert_eq!(reader.read(&short), Err(LabelError::NoStructure));
    let (_, frame) = reader.read(&key_frame().emit(None).unwrap()).unwrap();
    assert!(frame.is_independent());
    assert_eq!((frame.targets_without(), frame.resolution), ((3, 0), Some((640, 360))));
    let (descriptor, frame) = reader.read(&short).unwrap();
    assert_eq!(descriptor, delta);
    assert_eq!((frame.description.temporal, &frame.description.references[..]), (1, &[2][..]));
    assert_eq!(frame.targets_without(), (3, 1));
}

#[test]
fn inactive_targets_do_not_count() {
    let mut reader = Reader::default();
    reader.read(&key_frame().emit(None).unwrap()).unwrap();
    let lower = Descriptor { template: 1, active_targets: Some(0b011), ..Descriptor::default() };
    reader.read(&lower.emit(reader.structure()).unwrap()).unwrap();
    // Valid until the next update (A.4).
    let layer_1 = Descriptor { template: 2, ..Descriptor::default() };
    let (_, frame) = reader.read(&layer_1.emit(reader.structure()).unwrap()).unwrap();
    assert_eq!(frame.targets_without(), (2, 1));
}

#[test]
fn indications_say_which_older_frames_are_obsolete() {
    use Indication::{Discardable as D, NotPresent as N, Required as R, Switch as S};
    let of = |indications: [Indication; 3], references: &[u32]| {
        let description = Template {
            indications: indications.to_vec(),
            references: references.to_vec(),
            ..Template::default()
        };
        Frame { description, active_targets: 7, targets: 3, resolution: None }.obsoletes(2)
    };
    assert_eq!(of([S, S, S], &[]), Some(2), "a key frame");
    assert_eq!(of([S, S, S], &[4]), Some(3), "it needs older frames of its layer");
    assert_eq!(of([N, D, S], &[2]), Some(2), "frames of its layer do not refer to each other");
    assert_eq!(of([N, S, R], &[2]), None);
    assert_eq!(of([N, N, N], &[]), None);
}

#[test]
fn custom_values_take_the_place_of_the_templates() {
    let structure = l1t3();
    let descriptor = Descriptor {
        template: 1,
        indications: Some(vec![Indication::Switch; 3]),
        references: Some(vec![1, 16, 17, 256, 257, 4096]),
        chains: Some(vec![200]),
        ..Descriptor::default()
    };
    let bytes = descriptor.emit(Some(&structure)).unwrap();
    let mut reader = Reader { structure: Some(structure), active_targets: 7 };
    let (read, frame) = reader.read(&bytes).unwrap();
    assert_eq!(read, descriptor);
    assert_eq!(frame.description.references, [1, 16, 17, 256, 257, 4096]);
    assert_eq!((frame.description.chains, frame.description.temporal), (vec![200], 0));
}

#[test]
fn a_template_outside_of_the_structure_is_an_error() {
    let structure = Structure { first_id: 60, ..l1t3() };
    for (template, is_known) in [(59, false), (60, true), (63, true), (0, true), (1, false)] {
        let bytes = [template, 0, 1];
        assert_eq!(Descriptor::parse(&bytes, Some(&structure)).is_ok(), is_known, "{template}");
    }
}

#[test]
fn a_structure_that_never_ends_its_templates_is_an_error() {
    let mut writer = BitWriter::default();
    writer.write(0, 24);
    writer.write(0b10000, 5);
    writer.write(0, 11);
    (0..200).for_each(|_| writer.write(0, 2));
    assert!(matches!(Descriptor::parse(&writer.finish(), None), Err(LabelError::Malformed(_))));
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = key_frame().emit(None).unwrap();
    for length in 0..bytes.len() {
        assert!(Descriptor::parse(&bytes[..length], None).is_err(), "{length}");
    }
}

fn structures() -> impl Strategy<Value = Structure> {
    let indication = (0u32..4).prop_map(|value| {
        [Indication::NotPresent, Indication::Discardable, Indication::Switch, Indication::Required]
            [value as usize]
    });
    (1u8..=32, 1usize..12, 0u8..64, any::<bool>()).prop_flat_map(move |(targets, count, first_id, sized)| {
        (0..=targets).prop_flat_map({
            let indication = indication.clone();
            move |chains| {
                let template = (
                    0u8..3,
                    prop::collection::vec(indication.clone(), usize::from(targets)),
                    prop::collection::vec(1u32..=16, 0..4),
                    prop::collection::vec(0u8..16, usize::from(chains)),
                );
                let protected = if chains > 0 { usize::from(targets) } else { 0 };
                (prop::collection::vec(template, count), prop::collection::vec(0..chains.max(1), protected))
                    .prop_map(move |(parts, protected_by)| {
                        let (mut spatial, mut temporal) = (0, 0);
                        let mut templates: Vec<Template> = Vec::new();
                        for (step, indications, references, chains) in parts {
                            match step {
                                1 if !templates.is_empty() => temporal += 1,
                                2 if !templates.is_empty() => (spatial, temporal) = (spatial + 1, 0),
                                _ => {}
                            }
                            templates.push(Template { spatial, temporal, indications, references, chains });
                        }
                        let sizes = usize::from(spatial) + 1;
                        let resolutions = if sized { vec![(1 << 16, 1); sizes] } else { Vec::new() };
                        Structure { first_id, templates, targets, chains, protected_by, resolutions }
                    })
            }
        })
    })
}

proptest! {
    #[test]
    fn what_was_written_is_read(
        structure in structures(), start: bool, end: bool, at: prop::sample::Index, frame: u16, attached: bool,
        active: Option<u32>, custom: [bool; 3], references in prop::collection::vec(1u32..=4096, 0..5),
    ) {
        let at = at.index(structure.templates.len());
        let template = (structure.first_id + at as u8) % 64;
        let description = &structure.templates[at];
        let descriptor = Descriptor {
            start, end, template, frame,
            structure: attached.then(|| structure.clone()),
            active_targets: active.map(|active| active & (u32::MAX >> (32 - u32::from(structure.targets)))),
            indications: custom[0].then(|| description.indications.clone()),
            references: custom[1].then_some(references),
            chains: custom[2].then(|| description.chains.clone()),
        };
        let known = (!attached).then_some(&structure);
        let bytes = descriptor.emit(known).unwrap();
        prop_assert_eq!(Descriptor::parse(&bytes, known), Ok(descriptor));
    }

    #[test]
    fn any_bytes_are_read_without_panic(
        first in prop::collection::vec(any::<u8>(), 0..60), second in prop::collection::vec(any::<u8>(), 0..60), known: bool,
    ) {
        let structure = known.then(l1t3);
        let mut reader = Reader { structure, active_targets: 7 };
        for data in [&first, &second] {
            if let Ok((_, frame)) = reader.read(data) {
                let (all, without) = frame.targets_without();
                prop_assert!(without <= all);
            }
        }
    }
}
