//! What follows from what, in tables.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use jiff::SignedDuration;
use signalbox_desk::{Act, Listed, Loop, NewTicket, Sort};

use super::*;
use crate::prompt::{Prompt, Purpose};
use crate::samples::{self, board_on, card, now, tell};

fn key(code: KeyCode) -> Msg {
    Msg::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// Press these keys, one after the other; what is to be done at the end, beside reading.
fn press(state: &mut State, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for letter in keys.chars() {
        let code = match letter {
            '\n' => KeyCode::Enter,
            '←' => KeyCode::Left,
            '→' => KeyCode::Right,
            '↑' => KeyCode::Up,
            '↓' => KeyCode::Down,
            '⇥' => KeyCode::Tab,
            '⎋' => KeyCode::Esc,
            '⌫' => KeyCode::Backspace,
            other => KeyCode::Char(other),
        };
        effects = tell(state, key(code));
        effects.retain(|effect| !matches!(effect, Effect::Watch(_)));
    }
    effects
}

fn id(text: &str) -> String {
    text.to_owned()
}

#[test]
fn keys_become_acts() {
    let ticket = || id("sb_open01");
    let project = || id("shop");
    let rows = [
        (Screen::Board, "m4", Act::Move { ticket: ticket(), to: id("review"), text: String::new() }),
        (
            Screen::Board,
            "m5too slow\n",
            Act::Move { ticket: ticket(), to: id("rework"), text: id("too slow") },
        ),
        (Screen::Board, "nhello\n", Act::Note { ticket: ticket(), text: id("hello") }),
        (Screen::Board, "a\n", Act::Approve { ticket: ticket(), text: String::new() }),
        (Screen::Board, "rno tests\n", Act::Reject { ticket: ticket(), text: id("no tests") }),
        (Screen::Board, "hlater\n", Act::Hold { ticket: ticket(), text: id("later") }),
        (Screen::Board, "←↓h\n", Act::Unhold { ticket: id("sb_bloc02"), text: String::new() }),
        (Screen::Board, "@Ada\n", Act::Assign { ticket: ticket(), to: id("Ada") }),
        (Screen::Board, "\nc2\n", Act::Check { ticket: ticket(), criterion: 2, met: true }),
        (
            Screen::Board,
            "→m2taken back\n",
            Act::Move { ticket: id("sb_prog01"), to: id("open"), text: id("taken back") },
        ),
        (
            Screen::Board,
            "NSay goodbye\n\n",
            Act::New(NewTicket {
                project: project(),
                title: id("Say goodbye"),
                priority: id("P3"),
                ..NewTicket::default()
            }),
        ),
        (
            Screen::Now,
            "\n2\n",
            Act::Answer { decision: id("esc-0001"), option: Some(2), text: String::new() },
        ),
        (
            Screen::Decisions,
            "\nseven\n",
            Act::Answer { decision: id("esc-0001"), option: None, text: id("seven") },
        ),
        (Screen::Decisions, "↓p", Act::Promote { decision: id("esc-0003") }),
        (Screen::Decisions, "wsolved\n", Act::Withdraw { decision: id("esc-0001"), text: id("solved") }),
        (Screen::Queue, "p", Act::Loop { project: project(), wish: Loop::Pause, agents: None }),
        (Screen::Queue, "d", Act::Loop { project: project(), wish: Loop::Drain, agents: None }),
        (Screen::Queue, "↓g", Act::Loop { project: project(), wish: Loop::Resume, agents: None }),
        (
            Screen::Queue,
            "↓↓↓c5\n",
            Act::Loop { project: id("docs"), wish: Loop::Concurrency, agents: Some(5) },
        ),
        (Screen::Queue, "x2", Act::Loop { project: project(), wish: Loop::Stop, agents: None }),
        (Screen::Agents, "tstop that\n", Act::Tell { agent: id("ag_0001"), text: id("stop that") }),
        (Screen::Agents, "↓x2", Act::Stop { agent: id("ag_0002") }),
    ];
    for (screen, keys, act) in rows {
        let mut state = board_on(screen, 80, 24);
        assert_eq!(press(&mut state, keys), [Effect::Act(act)], "{keys:?} on {screen:?}");
        assert!(state.prompt.is_none(), "{keys:?} leaves a question");
    }
}

#[test]
fn keys_that_do_nothing_yet() {
    for (screen, keys) in [
        (Screen::Board, "n⎋"),
        (Screen::Board, "m⎋"),
        (Screen::Agents, "x1"),
        (Screen::Agents, "x\n"),
        (Screen::Queue, "x1"),
        (Screen::Board, "\nc9\n"),
        (Screen::Flow, "mnarh@\n↓↑"),
        (Screen::Decisions, "↓↓\n"),
    ] {
        let mut state = board_on(screen, 80, 24);
        assert_eq!(press(&mut state, keys), [], "{keys:?} on {screen:?}");
    }
}

#[test]
fn screens_are_reached_in_one_key() {
    let mut state = board_on(Screen::Now, 80, 24);
    for (at, screen) in Screen::ALL.into_iter().enumerate() {
        press(&mut state, &(at + 1).to_string());
        assert_eq!(state.screen, screen);
        assert_eq!(state.needs(), 3);
    }
    press(&mut state, "⇥");
    assert_eq!(state.screen, Screen::Now);
    tell(&mut state, key(KeyCode::BackTab));
    assert_eq!(state.screen, Screen::Flow);
    assert_eq!(press(&mut state, "q"), [Effect::Quit]);
}

#[test]
fn tickets_are_opened_over_each_other() {
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "\n→⇥\n");
    let open: Vec<&str> = state.pages.iter().map(|page| page.id.as_str()).collect();
    assert_eq!(open, ["sb_open01", "sb_done01"]);
    press(&mut state, "⎋q");
    assert!(state.pages.is_empty());
    assert_eq!(state.screen, Screen::Board);
}

#[test]
fn the_diff_is_read_once_for_each_revision() {
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "\n");
    state.reading.is_urgent = false;
    let asked = |state: &State| wanted(state).contains(&Ask::Patch(id("sb_open01")));
    assert!(!asked(&state));
    press(&mut state, "←");
    assert!(state.pages.last().is_some_and(|page| page.tab == Tab::Diff && page.patch.is_some()));
    assert!(!asked(&state));
    if let Some(view) = state.pages.last_mut().and_then(|page| page.view.as_mut()) {
        view.card.rev += 1;
    }
    assert!(asked(&state));
}

#[test]
fn words_are_looked_for_as_they_are_typed() {
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "/login");
    assert_eq!(state.sieve.text, "login");
    press(&mut state, "⎋");
    assert_eq!(state.sieve.text, "");
    press(&mut state, "/log\n/in");
    assert_eq!(state.sieve.text, "login");
    press(&mut state, "⎋");
    assert_eq!(state.sieve.text, "log", "what was looked for before comes back");
    press(&mut state, "⎋");
    assert_eq!(state.sieve.text, "");
}

#[test]
fn filters_are_chosen_from_what_there_is() {
    let mut state = board_on(Screen::List, 80, 24);
    press(&mut state, "f13f22f32f43");
    let sieve = &state.sieve;
    let set = [&sieve.project, &sieve.priority, &sieve.assignee, &sieve.tag].map(String::as_str);
    assert_eq!(set, ["shop", "P0", "Ada", "ui"]);
    press(&mut state, "f31");
    assert_eq!(state.sieve.assignee, "");
    press(&mut state, "F");
    assert_eq!(state.sieve, Sieve::default());
}

#[test]
fn a_refusal_gives_the_words_back() {
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "rno tests\n");
    let trouble = Trouble { message: id("no"), hints: vec![id("do this")] };
    tell(&mut state, Msg::Acted(Err(trouble.clone())));
    let Some(Prompt::Line { purpose, line, refused }) = &state.prompt else { panic!("{:?}", state.prompt) };
    assert_eq!((purpose, line.text.as_str()), (&Purpose::Reject(id("sb_open01")), "no tests"));
    assert_eq!(refused, &["no", "do this"]);
    // A move that needed no words is refused in a notice, which goes with the next key.
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "m1");
    tell(&mut state, Msg::Acted(Err(trouble)));
    assert!(state.notice.as_ref().is_some_and(|notice| notice.is_bad && notice.lines == ["no", "do this"]));
    press(&mut state, "⎋");
    assert_eq!(state.notice, None);
}

fn mouse(state: &mut State, kind: MouseEventKind, column: u16, row: u16) -> Vec<Effect> {
    tell(state, Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

const DOWN: MouseEventKind = MouseEventKind::Down(MouseButton::Left);
const DRAG: MouseEventKind = MouseEventKind::Drag(MouseButton::Left);
const UP: MouseEventKind = MouseEventKind::Up(MouseButton::Left);

#[test]
fn a_card_is_carried_to_another_column() {
    let mut state = board_on(Screen::Board, 120, 40);
    // The second card of the third column, to the fourth and to the fifth.
    let moves = [
        (
            75,
            vec![Effect::Act(Act::Move {
                ticket: id("sb_open02"),
                to: id("in-progress"),
                text: String::new(),
            })],
        ),
        (50, vec![]),
    ];
    for (over, wanted) in moves {
        mouse(&mut state, DOWN, 50, 7);
        mouse(&mut state, DRAG, over, 9);
        assert_eq!(mouse(&mut state, UP, over, 9), wanted);
    }
    mouse(&mut state, DOWN, 50, 7);
    mouse(&mut state, DRAG, 100, 9);
    mouse(&mut state, UP, 100, 9);
    let asked = Purpose::Move { ticket: id("sb_open02"), to: id("rework") };
    assert!(matches!(&state.prompt, Some(Prompt::Line { purpose, .. }) if *purpose == asked));
}

#[test]
fn clicks_and_the_wheel() {
    let mut state = board_on(Screen::Board, 120, 40);
    mouse(&mut state, DOWN, 75, 4);
    mouse(&mut state, UP, 75, 4);
    assert_eq!(state.picked().ticket.as_deref(), Some("sb_prog01"));
    mouse(&mut state, DOWN, 75, 5);
    mouse(&mut state, UP, 75, 5);
    assert_eq!(state.pages.len(), 1, "a second click opens it");
    mouse(&mut state, DOWN, 9, 3);
    assert_eq!(state.pages[0].tab, Tab::Work);
    mouse(&mut state, DOWN, 20, 0);
    assert_eq!((state.screen, state.pages.len()), (Screen::List, 0));
    mouse(&mut state, MouseEventKind::ScrollDown, 5, 10);
    assert_eq!(state.place().cursor, 3);
    mouse(&mut state, DOWN, 5, 3);
    assert_eq!(state.place().cursor, 0);
    for (x, sort) in [(32, Sort::Title), (110, Sort::Updated), (2, Sort::Priority)] {
        mouse(&mut state, DOWN, x, 2);
        assert_eq!(state.sort, sort);
    }
    mouse(&mut state, DOWN, 5, 35);
    assert_eq!(state.place().cursor, 0, "nothing is there");
}

#[test]
fn the_cursor_stays_on_its_ticket() {
    let mut state = board_on(Screen::List, 80, 24);
    press(&mut state, "↓↓");
    let on = state.picked().ticket;
    let mut cards = samples::cards();
    cards.insert(0, card("sb_newest", "open", "P0", "Just filed"));
    let ask = Ask::List { sieve: Sieve::default(), sort: state.sort, from: 0, most: 600 };
    let listed = Listed { total: cards.len(), cards, from: 0 };
    update(&mut state, Msg::Read(ask, Box::new(Ok(View::List(listed)))));
    assert_eq!(state.picked().ticket, on);
    assert_eq!(state.place().cursor, 3);
}

#[test]
fn views_are_read_seldom_and_never_twice_at_once() {
    let mut state = board_on(Screen::Board, 80, 24);
    let later = |ms: i64| Msg::Tick(now() + SignedDuration::from_millis(ms));
    let is_read = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Read(_)));
    assert!(!is_read(&update(&mut state, Msg::Grew)), "it was read this moment");
    assert!(!is_read(&update(&mut state, later(150))));
    let asked = update(&mut state, later(210));
    assert_eq!(asked.len(), 1);
    assert!(is_read(&asked));
    update(&mut state, Msg::Grew);
    assert!(!is_read(&update(&mut state, later(450))), "the answer is not here yet");
    let Effect::Read(asks) = &asked[0] else { panic!("{asked:?}") };
    let answer = Msg::Read(asks[0].clone(), Box::new(samples::answer(&asks[0])));
    assert!(!is_read(&update(&mut state, answer)), "now it is, a moment ago");
    assert!(is_read(&update(&mut state, later(950))), "and something has changed since");
}

#[test]
fn a_long_list_is_read_in_parts() {
    let mut state = board_on(Screen::List, 80, 24);
    let part = |from: usize| Listed {
        cards: (from..from + 600).map(|n| card(&format!("sb_{n:06}"), "open", "P3", "x")).collect(),
        total: 10_000,
        from,
    };
    state.views.list = Some(part(0));
    let effects = update(&mut state, key(KeyCode::End));
    assert_eq!(state.place().cursor, 9_999);
    let Some(Effect::Read(asks)) = effects.first() else { panic!("{effects:?}") };
    let Ask::List { from, most, .. } = &asks[0] else { panic!("{asks:?}") };
    assert!(*from <= 9_999 && from + most >= 10_000, "{from} {most}");
    // What was not read yet can neither be acted upon nor makes anything fail.
    assert_eq!(state.picked().ticket, None);
}

#[test]
fn what_cannot_be_read_is_said() {
    let trouble = || Trouble { message: id("there is no ticket `sb_open01`"), hints: vec![] };
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "\n");
    update(&mut state, Msg::Read(Ask::Ticket(id("sb_open01")), Box::new(Err(trouble()))));
    assert_eq!(
        state.pages[0].rows[0].pieces.last().map(|piece| piece.text.as_str()),
        Some("there is no ticket `sb_open01`")
    );
    update(&mut state, Msg::Read(Ask::Queue, Box::new(Err(trouble()))));
    assert_eq!(state.trouble, Some(trouble()));
    update(&mut state, Msg::Read(Ask::Queue, Box::new(samples::answer(&Ask::Queue))));
    assert_eq!(state.trouble, None);
}

#[test]
fn an_agent_is_watched_while_it_is_looked_at() {
    let mut state = board_on(Screen::Agents, 80, 24);
    assert_eq!(state.watched.as_deref(), Some("ag_0001"));
    let effects = tell(&mut state, key(KeyCode::Down));
    assert_eq!(effects, [Effect::Watch(Some(id("ag_0002")))]);
    assert!(state.preview.is_none());
    tell(&mut state, samples::picture());
    assert!(state.preview.is_none(), "a picture of another one is late");
    let effects = tell(&mut state, key(KeyCode::Enter));
    let attach = Effect::Attach { agent: id("ag_0002"), types: true };
    assert!(effects.contains(&attach) && effects.contains(&Effect::Watch(None)), "{effects:?}");
    tell(&mut state, Msg::Returned(id("Detached; ag_0002 goes on.")));
    assert_eq!(state.watched.as_deref(), Some("ag_0002"));
    assert_eq!(tell(&mut state, key(KeyCode::Char('1'))), [Effect::Watch(None)]);
}

#[test]
fn signals_and_control_keys() {
    let control = |letter| Msg::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
    let mut state = board_on(Screen::Board, 80, 24);
    assert_eq!(tell(&mut state, control('z')), [Effect::Suspend]);
    assert_eq!(tell(&mut state, Msg::Suspend), [Effect::Suspend]);
    assert_eq!(tell(&mut state, Msg::Continued), [Effect::Redraw]);
    assert_eq!(tell(&mut state, control('l')), [Effect::Redraw]);
    assert_eq!(tell(&mut state, control('c')), [Effect::Quit]);
    assert_eq!(tell(&mut state, Msg::End(15)), [Effect::Quit]);
    press(&mut state, "n");
    assert_eq!(tell(&mut state, control('c')), [], "it gives up the line first");
    assert_eq!(state.prompt, None);
    press(&mut state, "nhello");
    tell(&mut state, Msg::Key(KeyEvent::new(KeyCode::Char('3'), KeyModifiers::ALT)));
    assert_eq!((&state.prompt, state.screen), (&None, Screen::List), "Escape, and the key after it");
    press(&mut state, "2nab");
    tell(&mut state, Msg::Paste(id("c\nd\u{1b}[31m")));
    assert!(matches!(&state.prompt, Some(Prompt::Line { line, .. }) if line.text == "abc d [31m"));
}

#[test]
fn a_project_that_was_chosen_counts_everywhere() {
    for screen in [Screen::Now, Screen::Agents, Screen::Queue, Screen::Decisions] {
        let mut state = board_on(screen, 80, 24);
        let before = state.count();
        state.sieve.project = id("docs");
        tell(&mut state, Msg::Tick(now() + SignedDuration::from_secs(2)));
        tell(&mut state, Msg::Grew);
        tell(&mut state, Msg::Tick(now() + SignedDuration::from_secs(4)));
        let left = if screen == Screen::Queue { 1 } else { 0 };
        assert_eq!((before > left, state.count()), (true, left), "{screen:?}");
    }
}

#[test]
fn each_refusal_finds_its_own_words() {
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "m1nsecond\n");
    let trouble = |words: &str| Msg::Acted(Err(Trouble { message: id(words), hints: vec![] }));
    tell(&mut state, trouble("first"));
    assert!(state.prompt.is_none() && state.notice.is_some());
    tell(&mut state, trouble("second"));
    assert!(matches!(&state.prompt, Some(Prompt::Line { refused, .. }) if refused == &["second"]));
}

#[test]
fn what_takes_long_is_read_less_often() {
    let mut state = board_on(Screen::Board, 80, 24);
    let later = |ms: i64| Msg::Tick(now() + SignedDuration::from_millis(ms));
    update(&mut state, Msg::Grew);
    let asked = update(&mut state, later(300));
    let Some(Effect::Read(asks)) = asked.first() else { panic!("{asked:?}") };
    update(&mut state, later(1_300));
    for ask in asks {
        update(&mut state, Msg::Read(ask.clone(), Box::new(samples::answer(ask))));
    }
    assert_eq!(state.reading.took, SignedDuration::from_secs(1));
    update(&mut state, Msg::Grew);
    assert_eq!(update(&mut state, later(2_000)), []);
    assert!(!update(&mut state, later(3_300)).is_empty(), "three times as long as it took");
}

#[test]
fn nothing_changes_by_looking() {
    let mut state = board_on(Screen::Board, 80, 24);
    press(&mut state, "↓");
    state.is_dirty = false;
    update(&mut state, Msg::Tick(now() + SignedDuration::from_millis(300)));
    update(&mut state, Msg::Grew);
    assert!(!state.is_dirty, "nothing is drawn because time passes");
    update(&mut state, Msg::Tick(now() + SignedDuration::from_millis(1_300)));
    assert!(state.is_dirty, "ages change by the second");
}
