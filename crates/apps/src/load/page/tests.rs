use jettison_core::{Bytes, Seed};
use jettison_tcp::Payload;
use proptest::prelude::*;

use super::server::RequestReader;
use super::*;

/// The bytes of requests for these sizes.
fn requests(sizes: &[u64], request: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for size in sizes {
        bytes.extend_from_slice(&size.to_be_bytes());
        bytes.resize(bytes.len() + (request - 8) as usize, 0);
    }
    bytes
}

proptest! {
    #[test]
    fn requests_are_found_wherever_the_stream_is_split(
        sizes in prop::collection::vec(0u64..1 << 40, 0..5),
        request in 8u64..40,
        cuts in prop::collection::vec(1usize..60, 0..20),
    ) {
        let bytes = requests(&sizes, request);
        let (mut reader, mut found, mut rest) = (RequestReader::default(), Vec::new(), &bytes[..]);
        for cut in cuts.into_iter().chain([usize::MAX]) {
            let (piece, more) = rest.split_at(cut.min(rest.len()));
            reader.take(Payload::from(piece), request, |answer| found.push(answer));
            rest = more;
        }
        prop_assert_eq!(found, sizes);
    }
}

#[test]
fn what_asks_for_too_much_gets_no_more_than_the_largest_answer() {
    let mut answers = Vec::new();
    RequestReader::default().take(Payload::from(&[0xff; 8][..]), 8, |answer| answers.push(answer));
    RequestReader::default().take(Payload::Zeros(8), 8, |answer| answers.push(answer));
    assert_eq!(answers, [1 << 40, 0]);
}

#[test]
fn a_page_has_its_document_and_objects_of_the_mean_size() {
    let page = |variation: f64, seed: u64| {
        let parameters = PageParameters { objects: 50_000, variation, ..PageParameters::default() };
        browser::sizes(&parameters, &mut Seed(seed).stream(&["sizes"]))
    };
    let sizes = page(1.25, 1);
    assert_eq!((sizes.len(), sizes[0]), (50_001, 18_000));
    let mean = sizes.iter().skip(1).sum::<u64>() as f64 / 50_000.0;
    assert!((mean / 37_600.0 - 1.0).abs() < 0.02, "{mean}");
    assert_eq!(page(1.25, 1), sizes, "the seed decides");
    assert!(page(0.0, 1).iter().skip(1).all(|size| *size == 37_600));
}

#[test]
fn parameters_out_of_range_name_their_key() {
    let error = |change: &dyn Fn(&mut PageParameters)| {
        let mut parameters = PageParameters::default();
        change(&mut parameters);
        parameters.validate().err().map(|error| error.to_string())
    };
    assert_eq!(error(&|_| ()), None);
    assert_eq!(error(&|p| p.objects = 0), None, "a document alone is a page");
    assert!(error(&|p| p.document = Bytes::ZERO).is_some_and(|e| e.starts_with("document: must be > 0")));
    assert!(error(&|p| p.object = Bytes::ZERO).is_some_and(|e| e.starts_with("object: must be > 0")));
    let got = error(&|p| p.connections = 0);
    assert_eq!(got.as_deref(), Some("connections: must be in [1, 64], got 0"));
    assert_eq!(error(&|p| p.variation = 4.0).as_deref(), Some("variation: must be in [0, 3], got 4"));
    let got = error(&|p| p.variation = f64::NAN);
    assert_eq!(got.as_deref(), Some("variation: must be in [0, 3], got NaN"));
    let got = error(&|p| p.request = Bytes::new(7));
    let required = "request: must be 8 bytes (the size that it asks for) to 65536 bytes, got 7 bytes";
    assert_eq!(got.as_deref(), Some(required));
    assert!(error(&|p| p.objects = 200_000).is_some_and(|e| e.starts_with("objects: must be at most")));
}
