//! Every screen as a person sees it, at the smallest size and at a usual one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::draw;
use crate::message::Msg;
use crate::page::Tab;
use crate::samples::{board_on, tell};
use crate::state::{Screen, State};
use crate::style::Palette;

/// What a terminal of the state's size would show.
fn shown(state: &State) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, state.cols, state.rows));
    draw(state, &mut buffer);
    text_of(&buffer)
}

fn text_of(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width).max(1);
    let mut text = String::new();
    for row in buffer.content.chunks(width) {
        let mut line = String::new();
        let mut skip = 0;
        for cell in row {
            if skip == 0 {
                line.push_str(cell.symbol());
                skip = crate::text::width(cell.symbol()).saturating_sub(1);
            } else {
                skip -= 1;
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn press(state: &mut State, keys: &str) {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    for key in keys.chars() {
        let code = match key {
            '\n' => KeyCode::Enter,
            '→' => KeyCode::Right,
            '↓' => KeyCode::Down,
            '⇥' => KeyCode::Tab,
            other => KeyCode::Char(other),
        };
        tell(state, Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }
}

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

#[test]
fn every_screen() {
    for (cols, rows) in SIZES {
        for screen in Screen::ALL {
            let name = format!("{}_{cols}x{rows}", screen.title().to_lowercase());
            insta::assert_snapshot!(name, shown(&board_on(screen, cols, rows)));
        }
    }
}

#[test]
fn every_part_of_a_ticket() {
    for (cols, rows) in SIZES {
        for tab in Tab::ALL {
            let mut state = board_on(Screen::Board, cols, rows);
            press(&mut state, "→\n");
            let steps = Tab::ALL.iter().position(|one| *one == tab).unwrap_or(0);
            press(&mut state, &"→".repeat(steps));
            assert_eq!(state.pages.last().map(|page| page.tab), Some(tab));
            let name = format!("ticket_{}_{cols}x{rows}", tab.title().to_lowercase());
            insta::assert_snapshot!(name, shown(&state));
        }
    }
}

#[test]
fn what_is_asked() {
    for (name, screen, keys) in [
        ("move", Screen::Board, "m"),
        ("note", Screen::Board, "nIt is harder than it looks"),
        ("answer", Screen::Now, "\n"),
        ("filter", Screen::Board, "f4"),
        ("new_priority", Screen::Board, "NSay goodbye\n"),
        ("help", Screen::Queue, "?"),
        ("end", Screen::Agents, "x"),
    ] {
        let mut state = board_on(screen, 80, 24);
        press(&mut state, keys);
        insta::assert_snapshot!(format!("asked_{name}"), shown(&state));
    }
}

#[test]
fn every_key_that_counts_is_in_the_help() {
    let mut states: Vec<State> = Screen::ALL.into_iter().map(|screen| board_on(screen, 80, 24)).collect();
    let mut open = board_on(Screen::Board, 80, 24);
    press(&mut open, "\n");
    states.push(open);
    for mut state in states {
        press(&mut state, "?");
        let text = shown(&state);
        for key in crate::keys::here(&state) {
            assert!(text.contains(key.long), "{}:\n{text}", key.long);
        }
    }
}

#[test]
fn a_refusal_is_shown_in_place() {
    use crate::message::Trouble;
    let refused = || {
        Msg::Acted(Err(Trouble {
            message: "sb_open01 is open, and only reviewed work can be approved".into(),
            hints: vec!["Claim it first: `sb pick sb_open01`.".into()],
        }))
    };
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "aLooks good\n");
    tell(&mut state, refused());
    insta::assert_snapshot!("refused_line", shown(&state));
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "m6");
    tell(&mut state, refused());
    insta::assert_snapshot!("refused_move", shown(&state));
}

#[test]
fn what_is_too_small_gets_a_sentence() {
    insta::assert_snapshot!(shown(&board_on(Screen::Board, 60, 10)), @r"
    The board needs 80 columns and 24 rows, and this terminal
    has 60 and 10. Make it larger, or press q.
    ");
    for (cols, rows) in
        [(0, 0), (1, 1), (79, 24), (80, 23), (3, 200), (80, 24), (81, 25), (200, 60), (500, 24)]
    {
        for screen in Screen::ALL {
            let mut state = board_on(screen, cols, rows);
            shown(&state);
            press(&mut state, "?");
            shown(&state);
            press(&mut state, "q\nm");
            shown(&state);
        }
    }
}

#[test]
fn without_colours_none_is_set() {
    for screen in Screen::ALL {
        let mut state = board_on(screen, 120, 40);
        state.palette = Palette::Plain;
        let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 40));
        draw(&state, &mut buffer);
        let plain = ratatui::style::Color::Reset;
        assert!(buffer.content.iter().all(|cell| cell.fg == plain && cell.bg == plain), "{screen:?}");
    }
}

#[test]
fn only_the_sixteen_colours_are_used() {
    use ratatui::style::Color;
    for screen in Screen::ALL {
        let state = board_on(screen, 120, 40);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 40));
        draw(&state, &mut buffer);
        for cell in &buffer.content {
            for color in [cell.fg, cell.bg] {
                assert!(!matches!(color, Color::Rgb(..) | Color::Indexed(16..)), "{screen:?}: {color:?}");
            }
        }
    }
}

#[test]
fn columns_stay_where_they_are() {
    let state = board_on(Screen::Board, 120, 40);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 40));
    draw(&state, &mut buffer);
    // Whatever the titles are made of, each column's cards begin with the bar at its left edge.
    for y in 4..16 {
        assert_eq!(buffer[(48, y)].symbol(), "▌", "row {y}");
    }
    for cell in &buffer.content {
        assert!(!cell.symbol().chars().any(|c| c.is_control() || c == '\u{200d}' || c == '\u{fe0f}'));
    }
}
