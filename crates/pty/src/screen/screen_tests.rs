//! Properties of the model that need to see inside: replays carry everything, and skipping changes nothing.

use proptest::prelude::*;

use super::*;

/// Output that is mostly sequences, and mostly valid ones.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let number = 0..30u16;
    let letters = prop::sample::select(b"@ABCDEFGHIJKLMPSTXZ`abdefghlmnrstu".to_vec());
    let modes = prop::sample::select(vec![
        1u16, 5, 6, 7, 12, 25, 47, 1000, 1002, 1003, 1004, 1006, 1047, 1048, 1049, 2004, 2026,
    ]);
    let part = prop_oneof![
        6 => "[ -~]{1,30}".prop_map(String::into_bytes),
        2 => "[é日本😀\u{301}\u{200d}]{1,6}".prop_map(String::into_bytes),
        4 => prop::sample::select(vec![&b"\r\n"[..], b"\n", b"\r", b"\t", b"\x08", b"\x0e", b"\x0f", b"\x07"]).prop_map(<[u8]>::to_vec),
        6 => (prop::collection::vec(number.clone(), 0..3), letters).prop_map(|(numbers, letter)| {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            let mut bytes = format!("\x1b[{}", numbers.join(";")).into_bytes();
            bytes.push(letter);
            bytes
        }),
        3 => (modes, any::<bool>()).prop_map(|(mode, on)| format!("\x1b[?{mode}{}", if on { 'h' } else { 'l' }).into_bytes()),
        3 => prop::sample::select(vec![
            "\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bM", "\x1bH", "\x1bc", "\x1b=", "\x1b>", "\x1b(0", "\x1b(B", "\x1b)0",
            "\x1b#8", "\x1b[!p", "\x1b[4h", "\x1b[4l", "\x1b[20h", "\x1b[2;5r", "\x1b[r", "\x1b[38;5;99m", "\x1b[48;2;1;2;3m",
            "\x1b[4:3m", "\x1b[58:2::9:8:7m", "\x1b[1;7m", "\x1b[m", "\x1b[>1u", "\x1b[<u", "\x1b[=5;2u", "\x1b[3 q", "\x1b[>4;2m",
            "\x1b]2;title\x07", "\x1b]52;c;eA==\x1b\\", "\x1bPq\x1b\\", "\x1b[22t", "\x1b[23t",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..8),
    ];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

/// The state without what a replay leaves out on purpose.
fn comparable(screen: &Screen) -> State {
    let mut state = screen.state.clone();
    state.last = None;
    state.modes.forget_titles();
    state
}

/// Where two states differ, for whoever has to find out why.
fn same(one: &State, other: &State) -> Result<(), TestCaseError> {
    prop_assert_eq!(&one.cursor, &other.cursor);
    prop_assert_eq!(&one.saved, &other.saved);
    prop_assert_eq!(&one.modes, &other.modes);
    prop_assert_eq!((one.top, one.end, &one.tabs), (other.top, other.end, &other.tabs));
    for (grid, wanted) in one.grids.iter().zip(&other.grids) {
        for (row, wanted) in grid.rows.iter().zip(&wanted.rows) {
            prop_assert_eq!(row.text(0, 99), wanted.text(0, 99));
        }
    }
    prop_assert!(one == other, "they differ in something else");
    Ok(())
}

fn fed(size: Size, bytes: &[u8]) -> Screen {
    let mut screen = Screen::new(size);
    screen.feed(bytes);
    screen
}

proptest! {
    #[test]
    fn a_replay_on_a_fresh_screen_is_the_same(bytes in output(), rows in 1..12u16, cols in 1..30u16) {
        let screen = fed(Size::new(rows, cols), &bytes);
        let again = fed(Size::new(rows, cols), &screen.replay());
        same(&comparable(&again), &comparable(&screen))?;
    }

    #[test]
    fn a_replay_on_a_used_screen_is_the_same(bytes in output(), before in output(), rows in 1..12u16, cols in 1..30u16) {
        let screen = fed(Size::new(rows, cols), &bytes);
        let mut again = fed(Size::new(rows, cols), &before);
        again.feed(&screen.replay());
        let (mut again, mut screen) = (comparable(&again), comparable(&screen));
        // What the alternate screen saved is not worth showing it.
        if !screen.is_alternate {
            (again.saved[1], screen.saved[1]) = Default::default();
            again.modes.forget_alternate_keyboard();
            screen.modes.forget_alternate_keyboard();
        }
        if screen.tabs != (0..usize::from(cols)).map(|col| col % 8 == 0).collect::<Vec<_>>() {
            prop_assert_eq!(&again.tabs, &screen.tabs);
        }
        again.tabs.clone_from(&screen.tabs);
        same(&again, &screen)?;
    }

    #[test]
    fn it_does_not_matter_where_output_is_cut(bytes in output(), cut in 0..2_000usize) {
        let size = Size::new(8, 20);
        let whole = fed(size, &bytes);
        let (one, two) = bytes.split_at(cut.min(bytes.len()));
        let mut parts = fed(size, one);
        parts.feed(two);
        same(&parts.state, &whole.state)?;
        let mut single = Screen::new(size);
        bytes.iter().for_each(|byte| single.feed(&[*byte]));
        same(&single.state, &whole.state)?;
    }

    #[test]
    fn sizes_may_change_at_any_time(parts in prop::collection::vec((output(), 0..15u16, 0..40u16), 1..5)) {
        let mut screen = Screen::new(Size::new(5, 10));
        for (bytes, rows, cols) in parts {
            screen.feed(&bytes);
            screen.resize(Size::new(rows, cols));
            let again = fed(screen.size(), &screen.replay());
            same(&comparable(&again), &comparable(&screen))?;
            prop_assert_eq!(screen.view().rows.len(), usize::from(rows.max(1)));
        }
    }

    #[test]
    fn undoing_leaves_nothing_on(bytes in output()) {
        let mut screen = fed(Size::new(8, 20), &bytes);
        // Nothing of a sequence that was cut off may be left.
        screen.feed(b"\x18");
        screen.feed(&screen.undo());
        prop_assert_eq!(String::from_utf8(screen.undo()).unwrap(), "");
        prop_assert!(!screen.view().alternate && screen.view().cursor_visible && !screen.view().mouse);
    }
}

/// Long output of lines, some of which hold something that is not simple.
fn flood() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        8 => "[ -~]{0,60}".prop_map(String::into_bytes),
        4 => "(\x1b\\[[0-9;]{0,8}m[a-z ]{0,9}){1,4}".prop_map(String::into_bytes),
        2 => "[日本é😀\u{301}]{0,20}".prop_map(String::into_bytes),
        1 => Just(b"\t\x08\x07".to_vec()),
    ];
    let end = prop_oneof![8 => Just(&b"\r\n"[..]), 1 => Just(&b"\n"[..]), 1 => Just(&b"\r"[..])];
    let odd = prop::option::weighted(0.3, (output(), 0..600usize));
    (prop::collection::vec((line, end), 400..600), odd).prop_map(|(lines, odd)| {
        let mut lines: Vec<Vec<u8>> =
            lines.into_iter().map(|(line, end)| [line.as_slice(), end].concat()).collect();
        if let Some((odd, at)) = odd {
            lines.insert(at.min(lines.len()), odd);
        }
        lines.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The same bytes in pieces that are too short to be skipped.
    #[test]
    fn skipping_changes_nothing(before in output(), bytes in flood(), rows in 1..30u16, cols in 1..70u16) {
        let size = Size::new(rows, cols);
        let mut skipping = fed(size, &before);
        let mut drawing = fed(size, &before);
        let (mut at_once, mut piece_by_piece) = (Written::default(), Written::default());
        skipping.feed_beside(&bytes, &mut at_once);
        bytes.chunks(4096).for_each(|chunk| drawing.feed_beside(chunk, &mut piece_by_piece));
        same(&skipping.state, &drawing.state)?;
        prop_assert!(at_once.0 == piece_by_piece.0, "what is written down is another text");
    }
}

/// All that was written, as somebody beside the screen hears of it.
#[derive(Default)]
struct Written(Vec<u8>);

impl Act for Written {
    fn text(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn control(&mut self, byte: u8) {
        if matches!(byte, b'\n' | b'\t') {
            self.0.push(byte);
        }
    }

    fn escape(&mut self, _: &[u8], _: u8) {}
    fn sequence(&mut self, _: &Sequence) {}
    fn command(&mut self, _: &[u8]) {}
    fn string(&mut self) {}
}

impl Beside for Written {
    fn skipped(&mut self, text: &[u8]) {
        self.0.extend_from_slice(text);
    }
}

#[test]
fn a_flood_is_skipped() {
    let line = "\x1b[31mred\x1b[0m and some more text\r\n".as_bytes();
    let bytes = line.repeat(10_000);
    let mut text = Sheet::default();
    let place = skip::skippable(&bytes, 40, &mut text).unwrap();
    let lines = place / line.len();
    assert_eq!(text.bytes(), "red and some more text\n".repeat(lines).as_bytes());
    assert!(bytes.len() - place < line.len() * 45, "{place} of {}", bytes.len());
    assert_eq!(skip::selections(&bytes[..place]).count(), 1);
}
