//! Nothing that could harm the terminal of somebody who looks on gets through.

use proptest::prelude::*;
use signalbox_pty::filter::{Allow, Filter};
use signalbox_pty::{Screen, Size};

fn filtered(bytes: &[u8]) -> String {
    String::from_utf8(Filter::new(Allow::default()).feed(bytes)).unwrap()
}

#[test]
fn what_shows_passes_as_it_is() {
    for text in [
        "plain text é日😀\r\n\t\x08",
        "\x1b[1;31mred\x1b[0m",
        "\x1b[38;2;1;2;3m\x1b[38:2::1:2:3m\x1b[4:3m",
        "\x1b[2J\x1b[H\x1b[3;4H\x1b[K\x1b[5A\x1b[2L\x1b[3P\x1b[4@\x1b[2;20r\x1b[7X\x1b[2b",
        "\x1b7\x1b8\x1bM\x1bD\x1bE\x1b(0lqk\x1b(B",
        "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1000h\x1b[?1006h\x1b[?1004h\x1b[?2026h\x1b[?2026l",
        "\x1b[>1u\x1b[<1u\x1b[=5;1u\x1b[>4;2m\x1b[3 q\x1b[!p\x1b[s\x1b[u",
    ] {
        assert_eq!(filtered(text.as_bytes()), text);
    }
}

#[test]
fn what_harms_does_not_pass() {
    for text in [
        // The clipboard, titles, links, colours, notifications, the folder, images.
        "\x1b]52;c;aGVsbG8=\x07",
        "\x1b]52;c;?\x1b\\",
        "\x1b]0;title\x07",
        "\x1b]2;title\x1b\\",
        "\x1b]8;;http://x\x1b\\",
        "\x1b]4;1;?\x07",
        "\x1b]10;?\x07",
        "\x1b]11;?\x1b\\",
        "\x1b]11;#fff\x07",
        "\x1b]9;note\x07",
        "\x1b]777;notify;a;b\x07",
        "\x1b]7;file:///x\x07",
        "\x1b]1337;File=:eA==\x07",
        "\x1b]50;font\x07",
        "\x1b]104\x07",
        // Strings for the terminal.
        "\x1bP$qm\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\x1bPq~~\x1b\\",
        "\x1b_Gi=1;x\x1b\\",
        "\x1b^pm\x1b\\",
        "\x1bXsos\x1b\\",
        "\x1bP1000p\x1b\\",
        // What is answered.
        "\x1b[c",
        "\x1b[0c",
        "\x1b[>c",
        "\x1b[=c",
        "\x1bZ",
        "\x1b[5n",
        "\x1b[6n",
        "\x1b[?6n",
        "\x1b[>q",
        "\x1b[>0q",
        "\x1b[?1$p",
        "\x1b[4$p",
        "\x1b[?u",
        "\x1b[x",
        "\x1b[14t",
        "\x1b[18t",
        "\x1b[21t",
        "\x05",
        "\x1b[?996n",
        "\x1b[*y",
        "\x1b[1;1;1;1;1*y",
        // Windows, printers, scrollback, memory, odd modes.
        "\x1b[8;50;200t",
        "\x1b[3;1;1t",
        "\x1b[22;0t",
        "\x1b[5i",
        "\x1b[?5i",
        "\x1b[3J",
        "\x1b[?3h",
        "\x1b[?40h",
        "\x1b[12h",
        "\x1b[?2048h",
        "\x1b[1;1;1;1;1T",
        "\x1b[1\"q",
        "\x1b[61\"p",
        "\x1b#3",
        "\x1bc\x18".trim_start_matches("\x1bc"),
        "\x1bn",
        "\x1bo",
        "\x1bl",
        "\x1bm",
        "\x1b%G",
        "\x1b F",
        "\x1b[1v",
        "\x1b[1;2;3$r",
        // The same in 8 bits.
        "\u{9b}c",
        "\u{9d}52;c;eA==\u{9c}",
        "\u{90}$qm\u{9c}",
    ] {
        let left = filtered(text.as_bytes());
        let shown: String = left.chars().filter(|c| !c.is_ascii_graphic()).collect();
        assert_eq!(shown, "", "{text:?} became {left:?}");
        assert!(!left.contains('\x1b'), "{text:?} became {left:?}");
    }
}

#[test]
fn a_part_of_a_mode_list_passes() {
    assert_eq!(filtered(b"\x1b[?3;25;40h"), "\x1b[?25h");
    assert_eq!(filtered(b"a\x1b[3Jb\x1b]52;c;eA==\x07c"), "abc");
}

#[test]
fn what_is_cut_off_swallows_nothing() {
    assert_eq!(filtered(b"a\x1b]52;c;abc\x18b"), "ab");
    assert_eq!(filtered(b"a\x1bPdata\x1b[31mb"), "a\x1b[31mb");
    assert_eq!(filtered(b"a\x1b[1\x1b[32mb"), "a\x1b[32mb");
    // A control character inside of a sequence acts by itself.
    assert_eq!(filtered(b"\x1b[1\r2m"), "\r\x1b[12m");
}

#[test]
fn what_is_allowed_passes_without_control_characters() {
    let mut filter = Filter::new(Allow { clipboard: true, title: true, links: true });
    let passed = filter.feed(b"\x1b]0;a\xc2\x9cb\x07\x1b]52;c;eA==\x07\x1b]52;c;?\x07\x1b]8;;http://x\x1b\\");
    assert_eq!(
        String::from_utf8(passed).unwrap(),
        "\x1b]2;ab\x1b\\\x1b]52;c;eA==\x1b\\\x1b]8;;http://x\x1b\\"
    );
}

/// Bytes that are mostly what sequences are made of.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        5 => prop::sample::select(vec![
            &b"\x1b"[..], b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b_", b"\x1b\\", b"\x07", b"\x18", b"\x9b", b"\xc2\x9b", b"\xc2\x9d",
            b"52;c;eA==", b"0;t", b"?", b">", b"1;2", b"c", b"n", b"q", b"t", b"u", b"m", b"h", b"J", b"$p", b":", b"25", b"2004",
        ]).prop_map(<[u8]>::to_vec),
        2 => prop::collection::vec(any::<u8>(), 1..6),
        2 => "[a-zA-Z0-9é日]{1,5}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// A control character that does nothing does not pass, so it may be nothing between a letter and its repetition.
#[test]
fn a_letter_is_repeated_for_who_looks_on_as_it_is_for_the_person() {
    for (control, wanted) in [(0x10, "aaa"), (0x00, "aaa"), (0x05, "aaa"), (0x07, "a"), (0x0f, "a")] {
        let bytes = [b'a', control, 0x1b, b'[', b'2', b'b'];
        for shown in [bytes.to_vec(), Filter::new(Allow::default()).feed(&bytes)] {
            let mut screen = Screen::new(Size::new(6, 20));
            screen.feed(&shown);
            assert_eq!(screen.view().rows[0], wanted, "{control:#x}");
        }
    }
}

proptest! {
    /// What passes is text, passes again unchanged, and never opens anything but `ESC [`, `ESC (` and single letters.
    #[test]
    fn what_passes_is_harmless(bytes in hostile()) {
        let passed = Filter::new(Allow::default()).feed(&bytes);
        let text = String::from_utf8(passed.clone()).expect("it is text");
        let is_eight_bit = |c: char| ('\u{7f}'..='\u{9f}').contains(&c);
        prop_assert!(!text.chars().any(is_eight_bit));
        for (at, _) in text.match_indices('\x1b') {
            let next = text.as_bytes().get(at + 1).copied().unwrap_or(0);
            prop_assert!(b"[()#78=>DEHMc".contains(&next), "{text:?}");
        }
        prop_assert_eq!(Filter::new(Allow::default()).feed(&passed), passed);
    }

    #[test]
    fn it_does_not_matter_where_it_is_cut(bytes in hostile(), piece in 1..9usize) {
        let whole = Filter::new(Allow::default()).feed(&bytes);
        let mut filter = Filter::new(Allow::default());
        let parts: Vec<u8> = bytes.chunks(piece).flat_map(|part| filter.feed(part)).collect();
        prop_assert_eq!(parts, whole);
    }

    /// Who looks on sees what the person sees.
    #[test]
    fn the_screen_is_the_same(bytes in hostile()) {
        let (mut one, mut other) = (Screen::new(Size::new(6, 20)), Screen::new(Size::new(6, 20)));
        one.feed(&bytes);
        other.feed(&Filter::new(Allow::default()).feed(&bytes));
        prop_assert_eq!(one.view().rows, other.view().rows);
        prop_assert_eq!(one.view().cursor, other.view().cursor);
    }
}
