//! Made-up views for the tests of this crate: one project with everything that can be shown, and a fixed time.

use jiff::Timestamp;
use signalbox_desk::{
    Activity, AgentDetail, AgentView, AttemptView, Board, Card, Choices, Column, Criterion, Day, Decision,
    Decisions, Entry, Figures, Flow, Graph, Health, Listed, LoopView, Need, NeedKind, Node, Now, Patch,
    Queue, QueueEntry, QueueProject, TicketView, Used,
};
use signalbox_pty::{Screen as Model, Size};

use crate::message::{Ask, Msg, Trouble, View};
use crate::state::{Screen, State};
use crate::style::Palette;
use crate::update;

pub const STATUSES: [&str; 7] = ["backlog", "blocked", "open", "in-progress", "rework", "review", "done"];

pub fn now() -> Timestamp {
    "2026-11-15T10:30:00Z".parse().expect("a time")
}

fn at(minutes: u32) -> String {
    format!("2026-11-15T10:{minutes:02}:00.000Z")
}

pub fn card(id: &str, status: &str, priority: &str, title: &str) -> Card {
    Card {
        id: id.to_owned(),
        title: title.to_owned(),
        project: "shop".to_owned(),
        status: status.to_owned(),
        priority: priority.to_owned(),
        assignee: None,
        tags: Vec::new(),
        escalated: false,
        held: None,
        waits: 0,
        attempts: 0,
        criteria: 0,
        criteria_met: 0,
        stage: None,
        created: at(2),
        updated: at(10),
        rev: 3,
    }
}

pub fn cards() -> Vec<Card> {
    vec![
        card("sb_back01", "backlog", "P5", "Offer gift wrapping some day"),
        Card { waits: 2, ..card("sb_bloc01", "blocked", "P2", "Send the invoice by mail when it is paid") },
        Card {
            held: Some("the lawyer looks at it".into()),
            ..card("sb_bloc02", "blocked", "P1", "Keep addresses")
        },
        Card {
            escalated: true,
            tags: vec!["auth".into()],
            ..card("sb_open01", "open", "P0", "Limit logins to five a minute")
        },
        card("sb_open02", "open", "P3", "日本語のタイトルは幅が二倍です"),
        card("sb_open03", "open", "P3", "שלום עולם: a title from right to left"),
        card("sb_open04", "open", "P4", "Family 👩\u{200d}👧\u{200d}👦 emoji ❤\u{fe0f} stay in their column"),
        Card {
            assignee: Some("Ada".into()),
            attempts: 2,
            ..card("sb_prog01", "in-progress", "P2", "Sort the basket by price")
        },
        Card {
            assignee: Some("Bob".into()),
            ..card("sb_rewo01", "rework", "P2", "Round half cents to even")
        },
        Card {
            stage: Some("building".into()),
            ..card("sb_revi01", "review", "P1", "Show the price with tax")
        },
        card("sb_done01", "done", "P3", "Say hello"),
    ]
}

pub fn board() -> Board {
    let all = cards();
    let column = |status: &&str| {
        let cards: Vec<Card> = all.iter().filter(|card| card.status == **status).cloned().collect();
        Column { status: (*status).to_owned(), count: cards.len(), cards }
    };
    Board { columns: STATUSES.iter().map(column).collect(), total: all.len() }
}

pub fn agent(id: &str, name: &str, state: &str) -> AgentView {
    AgentView {
        id: id.to_owned(),
        name: Some(name.to_owned()),
        driver: "claude".to_owned(),
        running: true,
        state: state.to_owned(),
        guess: false,
        since: Some(at(25)),
        started: at(5),
        ended: None,
        exit_code: None,
        project: Some("shop".to_owned()),
        ticket: Some("sb_prog01".to_owned()),
        role: Some("doer".to_owned()),
        branch: Some("sb/sort".to_owned()),
        directory: "/home/ada/shop".to_owned(),
        watchers: 0,
        waiting: 0,
        recorded: true,
    }
}

pub fn agents() -> Vec<AgentView> {
    let quiet =
        AgentView { guess: true, waiting: 2, ticket: None, role: None, ..agent("ag_0002", "Bob", "idle") };
    vec![agent("ag_0001", "Ada", "working"), quiet, agent("ag_0003", "Eve", "waiting-permission")]
}

fn need(kind: NeedKind, words: &str) -> Need {
    Need {
        kind,
        words: words.to_owned(),
        since: Some(at(20)),
        ticket: None,
        agent: None,
        decision: None,
        project: Some("shop".to_owned()),
        options: Vec::new(),
    }
}

pub fn needs() -> Now {
    let counts =
        STATUSES.iter().zip([1, 2, 4, 1, 1, 1, 1]).map(|(status, count)| ((*status).to_owned(), count));
    Now {
        needs: vec![
            Need {
                decision: Some("esc-0001".into()),
                ticket: Some("sb_open01".into()),
                options: vec!["five".into(), "ten".into()],
                ..need(NeedKind::Decision, "Which limit do we want?")
            },
            Need {
                agent: Some("ag_0003".into()),
                ..need(NeedKind::Permission, "Eve asks whether it may do something")
            },
            Need {
                ticket: Some("sb_revi01".into()),
                ..need(NeedKind::Review, "waits for a review: Show the price with tax")
            },
        ],
        agents: agents(),
        counts: counts.collect(),
    }
}

pub fn decision(id: &str, state: &str) -> Decision {
    Decision {
        id: id.to_owned(),
        state: state.to_owned(),
        kind: "question".to_owned(),
        question: "Which limit do we want?".to_owned(),
        context: Some("Others have five a minute.\nOurs is a small shop.".to_owned()),
        options: vec!["five".to_owned(), "ten".to_owned()],
        ticket: Some("sb_open01".to_owned()),
        blocks: Vec::new(),
        project: Some("shop".to_owned()),
        by: "Ada".to_owned(),
        at: at(20),
        evidence: Vec::new(),
        answer: (state == "resolved").then(|| "ten".to_owned()),
        answered_by: (state == "resolved").then(|| "human".to_owned()),
        withdrawn: None,
    }
}

pub fn decisions() -> Decisions {
    Decisions {
        pending: vec![decision("esc-0001", "pending")],
        drafts: vec![decision("esc-0003", "draft")],
        resolved: vec![decision("esc-0002", "resolved")],
    }
}

pub fn entry(number: u32, event: &str, words: &str) -> Entry {
    Entry {
        id: format!("e{number}"),
        at: at(29 - number),
        event: event.to_owned(),
        ticket: Some("sb_prog01".to_owned()),
        project: Some("shop".to_owned()),
        actor: "Ada".to_owned(),
        words: words.to_owned(),
    }
}

pub fn feed() -> Activity {
    Activity {
        entries: vec![
            entry(0, "note.added", "It sorts, but not stably.\nA second line."),
            entry(1, "status.in-progress", ""),
            entry(2, "ticket.created", "Sort the basket by price"),
        ],
    }
}

pub fn ticket(id: &str) -> TicketView {
    let node = |id: &str, status: &str| Node {
        id: id.into(),
        title: format!("Title of {id}"),
        status: status.into(),
    };
    TicketView {
        card: Card {
            criteria: 2,
            criteria_met: 1,
            tags: vec!["basket".into(), "ui".into()],
            assignee: Some("Ada".into()),
            ..card(id, "in-progress", "P2", "Sort the basket by price")
        },
        body: "# Why\nPeople look for what is **cheap**.\n\n- sort by `price`\n- keep the order of equals\n"
            .into(),
        acceptance: vec![
            Criterion { text: "the cheapest is first".into(), met: true },
            Criterion { text: "equals keep their order".into(), met: false },
        ],
        reviewer: None,
        initiative: None,
        branch: Some("sb/sort".into()),
        files: vec!["src/basket.rs".into()],
        completion_notes: None,
        attempts_made: vec![AttemptView {
            by: "Ada".into(),
            role: Some("doer".into()),
            at: at(15),
            outcome: "failed".into(),
            summary: "It was not stable.".into(),
            blockers: String::new(),
            learnings: "Use sort_by_key.".into(),
        }],
        why: Some("Ada works on it since 10:25".into()),
        why_not: None,
        depends_on: vec![node("sb_done01", "done")],
        needed_by: vec![node("sb_bloc01", "blocked")],
        graph: Graph::default(),
        decisions: vec![decision("esc-0002", "resolved")],
        agents: vec!["ag_0001".into()],
        timeline: feed().entries,
        path: "vault/tickets/x.md".into(),
    }
}

pub fn patch() -> Patch {
    let text = "diff --git a/src/basket.rs b/src/basket.rs\n--- a/src/basket.rs\n+++ b/src/basket.rs\n@@ -1,3 +1,3 @@\n fn sort() {\n-    items.sort();\n+    items.sort_by_key(|item| item.price);\n }\n";
    Patch {
        commit: Some("0123456789abcdef0123456789abcdef01234567".into()),
        base: Some("fedcba9876543210fedcba9876543210fedcba98".into()),
        text: text.into(),
        cut: false,
    }
}

pub fn flow() -> Flow {
    let day = |number: u64| Day {
        day: format!("2026-10-{:02}", number + 1),
        done: usize::try_from(number % 5).unwrap_or(0),
        cycle_seconds: Some(number * 600),
        review_seconds: (!number.is_multiple_of(3)).then_some(number * 60),
        cost_micros: number * 100_000,
    };
    Flow {
        figures: Figures {
            done: 62,
            cycle_p50: Some(9_000),
            cycle_p90: Some(40_000),
            review_p50: Some(840),
            review_p90: Some(1_800),
            rework_permille: 125,
            cost_micros_each: Some(1_450_000),
            tokens: 12_300_000,
        },
        days: (0..31).map(day).collect(),
    }
}

pub fn queue() -> Queue {
    let waits = |ticket: &str, stage: &str, why: &str| QueueEntry {
        ticket: ticket.into(),
        title: format!("Title of {ticket}"),
        commit: "0123456789".into(),
        stage: stage.into(),
        since: Some(at(28)),
        why: why.into(),
    };
    Queue {
        projects: vec![QueueProject {
            project: "shop".into(),
            loop_runs: true,
            entries: vec![
                waits("sb_revi01", "building", "its tests run"),
                waits("sb_revi02", "queued", "waits for sb_revi01"),
            ],
            trouble: None,
            output_of: Some("sb_revi01-2".into()),
            output: "running 12 tests\ntest sorts ... ok\ntest rounds ... ok\n".into(),
        }],
    }
}

pub fn health() -> Health {
    let control = |project: &str, runs: bool, control: &str| LoopView {
        project: project.into(),
        begun: runs,
        runs,
        control: control.into(),
        concurrency: runs.then_some(3),
        by: runs.then(|| "human".into()),
        since: runs.then(|| at(1)),
        agents: usize::from(runs),
    };
    Health {
        version: "0.1.0".into(),
        daemon: true,
        daemon_pid: Some(7),
        daemon_since: Some(at(0)),
        loops: vec![control("shop", true, "running"), control("docs", false, "running")],
        agents: 3,
        troubles: vec!["notifier chat: it answers 500".into()],
    }
}

/// An answer to a question, as the desk would give it.
pub fn answer(ask: &Ask) -> Result<View, Trouble> {
    Ok(match ask {
        Ask::Now => View::Now(needs()),
        Ask::Board { .. } => View::Board(board()),
        Ask::List { .. } => View::List(Listed { cards: cards(), total: cards().len(), from: 0 }),
        Ask::Ticket(id) => View::Ticket(Box::new(ticket(id))),
        Ask::Patch(_) => View::Patch(patch()),
        Ask::Agents { .. } => View::Agents(agents()),
        Ask::Agent(id) => View::Agent(Box::new(AgentDetail {
            agent: agent(id, "Ada", "working"),
            explained: vec!["its title says that it works".into(), "its hook said so 5 s ago".into()],
            usage: Some(Used {
                input_tokens: 1_200,
                cached_tokens: 56_000,
                output_tokens: 900,
                cost_micros: Some(420_000),
            }),
            rows: 24,
            cols: 80,
        })),
        Ask::Queue => View::Queue(queue()),
        Ask::Health => View::Health(health()),
        Ask::Decisions => View::Decisions(decisions()),
        Ask::Feed { .. } => View::Feed(feed()),
        Ask::Flow(_) => View::Flow(flow()),
        Ask::Choices => View::Choices(Choices {
            projects: vec!["docs".into(), "shop".into()],
            assignees: vec!["Ada".into()],
            tags: vec!["auth".into(), "ui".into()],
        }),
    })
}

/// A picture of a terminal.
pub fn picture() -> Msg {
    let mut model = Model::new(Size::new(10, 60));
    model.feed(
        b"\x1b[1;32m* Working\x1b[0m on the basket\r\n\r\n> \x1b[38;2;1;2;3mtyped\x1b[0m \x1b]52;c;eA==\x07",
    );
    Msg::Shown { agent: "ag_0001".into(), picture: Box::new(model.view()) }
}

/// A board of this size on this screen, with all that it asks for answered.
pub fn board_on(screen: Screen, cols: u16, rows: u16) -> State {
    let mut state = State::new(screen, String::new(), Palette::Ansi, now());
    tell(&mut state, Msg::Resized { cols, rows });
    if screen == Screen::Agents {
        tell(&mut state, picture());
    }
    state
}

/// Tell the board something and answer all that it asks for; what else it wants done.
pub fn tell(state: &mut State, msg: Msg) -> Vec<crate::message::Effect> {
    use crate::message::Effect;
    let mut others = Vec::new();
    let mut effects = update(state, msg);
    while let Some(effect) = (!effects.is_empty()).then(|| effects.remove(0)) {
        match effect {
            Effect::Read(asks) => {
                for ask in asks {
                    let view = Box::new(answer(&ask));
                    effects.extend(update(state, Msg::Read(ask, view)));
                }
            }
            other => others.push(other),
        }
    }
    others
}
