//! Attach frames.

use proptest::prelude::*;
use signalbox_pty::Size;
use signalbox_pty::frame::{Frame, FrameError, Kind, LONGEST, read, write};

const KINDS: [Kind; 9] = [
    Kind::Output,
    Kind::Input,
    Kind::Meta,
    Kind::Resize,
    Kind::History,
    Kind::Error,
    Kind::Hello,
    Kind::Command,
    Kind::Notify,
];

#[test]
fn the_bytes_are_fixed() {
    let mut bytes = Vec::new();
    write(&mut bytes, Kind::Output, b"hi").unwrap();
    assert_eq!(bytes, b"\x01\0\0\0\x02hi");
    let frame = Frame::resize(Size::new(24, 300));
    assert_eq!(frame.payload, [0, 24, 1, 44]);
    assert_eq!(frame.size(), Some(Size::new(24, 300)));
    assert_eq!(KINDS.map(|kind| kind as u8), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn what_is_too_long_is_refused_or_cut() {
    let long = vec![7; LONGEST + 3];
    assert!(matches!(write(&mut Vec::new(), Kind::Hello, &long), Err(FrameError::Length(_))));
    let mut bytes = Vec::new();
    write(&mut bytes, Kind::History, &long).unwrap();
    let mut from = bytes.as_slice();
    let frames: Vec<Frame> = std::iter::from_fn(|| read(&mut from).unwrap()).collect();
    assert_eq!(
        frames.iter().map(|frame| (frame.kind, frame.payload.len())).collect::<Vec<_>>(),
        [(Kind::History, LONGEST), (Kind::Output, 3)]
    );
    let announced = [1, 0xff, 0xff, 0xff, 0xff];
    assert!(matches!(read(&mut announced.as_slice()), Err(FrameError::Length(_))));
    assert!(matches!(read(&mut [99, 0, 0, 0, 0].as_slice()), Err(FrameError::Kind(99))));
}

proptest! {
    #[test]
    fn frames_come_back(frames in prop::collection::vec((0..9usize, prop::collection::vec(any::<u8>(), 0..50)), 0..10)) {
        let mut bytes = Vec::new();
        for (kind, payload) in &frames {
            write(&mut bytes, KINDS[*kind], payload).unwrap();
        }
        let mut from = bytes.as_slice();
        for (kind, payload) in &frames {
            prop_assert_eq!(read(&mut from).unwrap(), Some(Frame::new(KINDS[*kind], payload.clone())));
        }
        prop_assert_eq!(read(&mut from).unwrap(), None);
    }

    /// Whatever comes, it ends in a frame or an error.
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut from = bytes.as_slice();
        while let Ok(Some(frame)) = read(&mut from) {
            prop_assert!(frame.payload.len() <= bytes.len());
        }
    }
}
