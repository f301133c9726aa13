//! What a terminal shows, by examples. The expected screens are those of xterm.

use signalbox_pty::screen::Color;
use signalbox_pty::{Screen, Size};

/// The rows of a small screen after this output, and the cursor.
fn shown(output: &str) -> (Vec<String>, (u16, u16)) {
    let mut screen = Screen::new(Size::new(4, 10));
    screen.feed(output.as_bytes());
    (screen.view().rows, screen.view().cursor)
}

#[track_caller]
fn check(output: &str, rows: [&str; 4], cursor: (u16, u16)) {
    assert_eq!(shown(output), (rows.map(str::to_owned).to_vec(), cursor), "{output:?}");
}

#[test]
fn text_wraps_and_scrolls() {
    check("hello", ["hello", "", "", ""], (0, 5));
    check("0123456789", ["0123456789", "", "", ""], (0, 9));
    check("0123456789a", ["0123456789", "a", "", ""], (1, 1));
    check("0123456789\r\na", ["0123456789", "a", "", ""], (1, 1));
    check("1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"], (3, 1));
    check("a\tb\x08c", ["a       c", "", "", ""], (0, 9));
    check("\x1b[?7l0123456789abc", ["012345678c", "", "", ""], (0, 9));
}

#[test]
fn the_cursor_moves() {
    check("\x1b[2;3Hx", ["", "  x", "", ""], (1, 3));
    check("\x1b[99;99Hx\x1b[Hy", ["y", "", "", "         x"], (0, 1));
    check("\x1b[3;3H\x1b[Aa\x1b[Bb\x1b[2Dc", ["", "  a", "  cb", ""], (2, 3));
    check("abc\x1b7\r\nd\x1b8e", ["abce", "d", "", ""], (0, 4));
    check("\x1b[3Gx\x1b[2dy", ["  x", "   y", "", ""], (1, 4));
    check("0123456789\x1b[Dx", ["01234567x9", "", "", ""], (0, 9));
}

#[test]
fn things_are_erased_inserted_and_deleted() {
    check("abcdef\x1b[3G\x1b[K", ["ab", "", "", ""], (0, 2));
    check("abcdef\x1b[3G\x1b[1K", ["   def", "", "", ""], (0, 2));
    check("a\r\nb\r\nc\x1b[2;1H\x1b[J", ["a", "", "", ""], (1, 0));
    check("abcdef\x1b[3G\x1b[2P", ["abef", "", "", ""], (0, 2));
    check("abcdef\x1b[3G\x1b[2@", ["ab  cdef", "", "", ""], (0, 2));
    check("abcdef\x1b[3G\x1b[2X", ["ab  ef", "", "", ""], (0, 2));
    check("a\r\nb\r\nc\x1b[2;1H\x1b[L", ["a", "", "b", "c"], (1, 0));
    check("a\r\nb\r\nc\x1b[1;1H\x1b[M", ["b", "c", "", ""], (0, 0));
    check("ab\x1b[4h\x1b[1Gxy\x1b[4l", ["xyab", "", "", ""], (0, 2));
    check("x\x1b[3b", ["xxxx", "", "", ""], (0, 4));
}

#[test]
fn margins_scroll_apart() {
    check("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n5", ["1", "3", "5", "4"], (2, 1));
    check("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2;1H\x1bM5", ["1", "5", "2", "4"], (1, 1));
    check("\x1b[2;3r\x1b[?6h\x1b[1;1Hx\x1b[9;1Hy", ["", "x", "y", ""], (2, 1));
    check("1\r\n2\r\n3\r\n4\x1b[2S", ["3", "4", "", ""], (3, 1));
}

#[test]
fn wide_and_combining_characters_take_their_columns() {
    check("日本", ["日本", "", "", ""], (0, 4));
    check("012345678日", ["012345678", "日", "", ""], (1, 2));
    check("日本\x1b[2Gx", [" x本", "", "", ""], (0, 2));
    check("e\u{301}x", ["e\u{301}x", "", "", ""], (0, 2));
    check("e\u{301}\x1b[1Gx", ["x", "", "", ""], (0, 1));
    check("0123456789\u{301}", ["0123456789\u{301}", "", "", ""], (0, 9));
}

#[test]
fn lines_are_drawn() {
    check("\x1b(0lqk\x1b(Bq", ["┌─┐q", "", "", ""], (0, 4));
    check("\x1b)0a\x0eq\x0fq", ["a─q", "", "", ""], (0, 3));
}

#[test]
fn the_alternate_screen_comes_and_goes() {
    check("abc\x1b[?1049h\x1b[Hxyz\x1b[?1049ld", ["abcd", "", "", ""], (0, 4));
    let mut screen = Screen::new(Size::new(4, 10));
    screen.feed(b"abc\x1b[?1049h\x1b[Hxyz");
    assert!(screen.view().alternate);
    assert_eq!(screen.view().rows[0], "xyz");
    // A fresh terminal gets both.
    let mut again = Screen::new(Size::new(4, 10));
    again.feed(&screen.replay());
    again.feed(b"\x1b[?1049l");
    assert_eq!(again.view().rows[0], "abc");
}

#[test]
fn what_is_switched_on_is_known() {
    let mut screen = Screen::new(Size::new(4, 10));
    screen.feed(b"\x1b]0;a title\x07\x1b[?25l\x1b[?2004h\x1b[?1003h\x1b[?1004h\x1b[?2026h");
    let view = screen.view();
    assert_eq!(view.title, "a title");
    assert!(!view.cursor_visible && view.bracketed_paste && view.mouse && view.focus && view.synchronizing);
    screen
        .feed(b"\x1b[22;0t\x1b]2;other\x1b\\\x1b[23;0t\x1b[?25h\x1b[?2004l\x1b[?1003l\x1b[?1004l\x1b[?2026l");
    let view = screen.view();
    assert_eq!(view.title, "a title");
    assert!(
        view.cursor_visible && !view.bracketed_paste && !view.mouse && !view.focus && !view.synchronizing
    );
}

#[test]
fn looks_are_known() {
    let mut screen = Screen::new(Size::new(2, 20));
    screen.feed(b"a\x1b[1;31mb\x1b[2;38;2;1;2;3;48;5;9mc\x1b[0;7m \x1b[27md");
    let runs = screen.view().runs.remove(0);
    let texts: Vec<(u16, &str)> = runs.iter().map(|run| (run.col, run.text.as_str())).collect();
    assert_eq!(texts, [(0, "a"), (1, "b"), (2, "c"), (3, " "), (4, "d")]);
    assert!(runs[1].style.bold && runs[1].style.foreground == Color::Indexed(1));
    assert!(runs[2].style.faint && runs[2].style.foreground == Color::Rgb(1, 2, 3));
    assert_eq!(runs[2].style.background, Color::Indexed(9));
    assert!(runs[3].style.inverse && !runs[4].style.inverse);
}

#[test]
fn sizes_change() {
    let mut screen = Screen::new(Size::new(4, 10));
    screen.feed(b"1\r\n2\r\n3\r\n4444444444");
    screen.resize(Size::new(2, 5));
    assert_eq!(screen.view().rows, ["3", "44444"]);
    screen.resize(Size::new(3, 8));
    assert_eq!(screen.view().rows, ["3", "44444", ""]);
    // Nothing is too small or too large to be survived.
    for (rows, cols) in [(0, 0), (1, 1), (u16::MAX, u16::MAX), (5, 20)] {
        screen.resize(Size::new(rows, cols));
        screen.feed("日x\r\n\x1b[5;5H\x1b[2;9r\x1b[L".as_bytes());
        let mut again = Screen::new(screen.size());
        again.feed(&screen.replay());
        assert_eq!(again.view().rows, screen.view().rows);
    }
}
