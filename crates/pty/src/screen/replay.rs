//! Bytes that paint a screen and all that is switched on, on a terminal of the same size in whatever state.

use super::grid::{Cell, Grid, Width};
use super::pen::Style;
use super::state::{Cursor, State};

pub(super) fn paint(state: &State) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 << 10);
    // Nothing of an unfinished sequence may swallow what follows, and nobody need see it being painted. Then: no
    // margins, no insertion, plain characters that wrap.
    out.extend_from_slice(b"\x18\x1b[?2026h\x1b[?1049l\x1b[r\x1b[?6l\x1b[4l\x1b[20l\x1b[?7h\x1b(B\x1b)B\x0f");
    state.modes.push_keyboard(false, &mut out);
    push_grid(&state.grids[0], &mut out);
    push_tabs(state, &mut out);
    push_saved(state, 0, &mut out);
    if state.is_alternate || state.saved[1] != Cursor::default() || state.modes.keyboard_depth(true) > 0 {
        out.extend_from_slice(b"\x1b[?1047h");
        state.modes.push_keyboard(true, &mut out);
        push_saved(state, 1, &mut out);
        if !state.is_alternate {
            out.extend_from_slice(b"\x1b[0m\x1b[?1047l");
        }
    }
    if state.is_alternate {
        push_grid(&state.grids[1], &mut out);
    }
    if !state.scrolls_whole() {
        out.extend_from_slice(format!("\x1b[{};{}r", state.top + 1, state.end).as_bytes());
    }
    push_cursor(state, state.cursor, usize::from(state.is_alternate), state.top, &mut out);
    if state.is_inserting {
        out.extend_from_slice(b"\x1b[4h");
    }
    if !state.is_wrapping {
        out.extend_from_slice(b"\x1b[?7l");
    }
    if state.is_new_line {
        out.extend_from_slice(b"\x1b[20h");
    }
    state.modes.push_rest(&mut out);
    out
}

/// Clear the screen and write what is not blank.
fn push_grid(grid: &Grid, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[0m\x1b[H\x1b[2J");
    let mut style = Style::default();
    let nothing = Cell::blank(Style::default());
    for (number, row) in grid.rows.iter().enumerate() {
        let marked = row.marks.last().map_or(0, |(col, _)| col + 1);
        let written =
            row.cells.iter().rposition(|cell| *cell != nothing).map_or(0, |col| col + 1).max(marked);
        if written == 0 {
            continue;
        }
        out.extend_from_slice(format!("\x1b[{}H", number + 1).as_bytes());
        for (col, cell) in row.cells.iter().enumerate().take(written) {
            if cell.width == Width::Rest {
                continue;
            }
            if cell.style != style {
                style = cell.style;
                style.push_selection(out);
            }
            out.extend_from_slice(row.text(col, col + 1).as_bytes());
        }
    }
}

fn push_tabs(state: &State, out: &mut Vec<u8>) {
    let usual = (0..state.cols()).map(|col| col % 8 == 0);
    if state.tabs.iter().copied().eq(usual) {
        return;
    }
    out.extend_from_slice(b"\x1b[3g");
    for (col, _) in state.tabs.iter().enumerate().filter(|(_, is_stop)| **is_stop) {
        out.extend_from_slice(format!("\x1b[{}G\x1bH", col + 1).as_bytes());
    }
}

/// Let DECSC save what was saved on one of the screens.
fn push_saved(state: &State, which: usize, out: &mut Vec<u8>) {
    // There are no margins yet.
    push_cursor(state, state.saved[which], which, 0, out);
    out.extend_from_slice(b"\x1b7\x1b[?6l\x1b[0m\x1b(B\x1b)B\x0f");
}

/// Put a cursor on the screen it belongs to. `top` is the first row that rows are counted from.
fn push_cursor(state: &State, cursor: Cursor, which: usize, top: usize, out: &mut Vec<u8>) {
    let Cursor { row, col, wraps, style, is_drawing, is_shifted, is_origin } = cursor;
    let first = if is_origin {
        out.extend_from_slice(b"\x1b[?6h");
        top
    } else {
        0
    };
    out.extend_from_slice(format!("\x1b[{};{}H", row - first + 1, col + 1).as_bytes());
    if wraps {
        // Only writing to the last column makes it wait there.
        let row = &state.grids[which].rows[row];
        let start = if row.cells[col].width == Width::Rest { col - 1 } else { col };
        if start != col {
            out.extend_from_slice(b"\x1b[D");
        }
        row.cells[start].style.push_selection(out);
        out.extend_from_slice(row.text(start, start + 1).as_bytes());
    }
    style.push_selection(out);
    for (set, is_drawing) in [b'(', b')'].into_iter().zip(is_drawing) {
        out.extend_from_slice(&[0x1b, set, if is_drawing { b'0' } else { b'B' }]);
    }
    out.push(if is_shifted { 0x0e } else { 0x0f });
}
