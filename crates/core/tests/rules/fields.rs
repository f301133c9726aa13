//! What a ticket's fields take: texts, labels, criteria, and edits that change nothing.

use signalbox_core::{Changes, Command, NewTicket, Priority, RefusalKind, Who};

use crate::world::*;

const HUMAN: Who = Who::Human;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn texts_that_no_field_takes() {
    let long = "x".repeat(301);
    let huge = "x".repeat(signalbox_core::text::MOST_TEXT + 1);
    let filed = |new: NewTicket| Command::New(Box::new(new));
    let cases = [
        (filed(NewTicket { title: String::new(), ..blank('b') }), "title.empty"),
        (filed(NewTicket { title: " \t".to_owned(), ..blank('b') }), "title.empty"),
        (filed(NewTicket { title: "a\nb".to_owned(), ..blank('b') }), "title.multi-line"),
        (filed(NewTicket { title: long.clone(), ..blank('b') }), "title.too-long"),
        (filed(NewTicket { body: huge.clone(), ..blank('b') }), "text.too-long"),
        (filed(NewTicket { tags: vec!["a\nb".to_owned()], ..blank('b') }), "label.invalid"),
        (filed(NewTicket { services: vec![long.clone()], ..blank('b') }), "label.invalid"),
        (filed(NewTicket { area: some("a\u{1b}b"), ..blank('b') }), "label.invalid"),
        (filed(NewTicket { branch: some(&long), ..blank('b') }), "label.invalid"),
        (filed(NewTicket { acceptance: vec![" ".to_owned()], ..blank('b') }), "text.empty"),
        (filed(NewTicket { acceptance: vec![long.clone()], ..blank('b') }), "criterion.invalid"),
        (filed(NewTicket { acceptance: vec!["a\rb".to_owned()], ..blank('b') }), "criterion.invalid"),
        (retitle('a', ""), "title.empty"),
        (edit('a', Changes { slug: some(&long), ..Changes::default() }), "label.invalid"),
        (
            edit('a', Changes { add_acceptance: vec![long.clone()], ..Changes::default() }),
            "criterion.invalid",
        ),
        (Command::Note { id: id('a'), text: "\n".to_owned() }, "text.empty"),
        (Command::Note { id: id('a'), text: huge.clone() }, "text.too-long"),
        (Command::Release { id: id('a'), reason: huge.clone(), report: None }, "text.too-long"),
        (Command::Close { id: id('a'), note: Some(huge) }, "text.too-long"),
    ];
    let mut world = World::default();
    world.file("a");
    for (command, code) in cases {
        let refusal = world.refusal(&HUMAN, &command);
        assert_eq!((refusal.code, refusal.kind), (code, RefusalKind::Usage));
    }
}

#[test]
fn labels_are_trimmed_and_kept_once() {
    let mut world = World::default();
    let tags = ["ui", " ui ", "", "login"].map(ToOwned::to_owned).to_vec();
    world.ok(&HUMAN, &Command::New(Box::new(NewTicket { tags, area: some("  "), ..blank('a') })));
    assert_eq!(world.ticket('a').tags, ["ui", "login"]);
    assert_eq!(world.ticket('a').area, None);
    let tags = Changes {
        add_tags: vec!["api".to_owned()],
        remove_tags: vec!["ui".to_owned()],
        ..Changes::default()
    };
    world.ok(&HUMAN, &edit('a', tags));
    assert_eq!(world.ticket('a').tags, ["login", "api"]);
}

#[test]
fn every_field_can_be_edited_and_cleared() {
    let all = Changes {
        title: some("Another title"),
        priority: Some(Priority::P1),
        add_depends_on: ids("b"),
        add_tags: vec!["ui".to_owned()],
        initiative: some("speed"),
        area: some("login"),
        slug: some("limit-logins"),
        needs_tests: Some(false),
        escalated: Some(true),
        add_acceptance: vec!["It is fast.".to_owned()],
        branch: some("sb/a"),
        services: Some(vec!["db".to_owned()]),
        submodule: some("web"),
        files: Some(vec!["src/login/".to_owned(), "src/*.rs".to_owned(), "src/login".to_owned()]),
        ..Changes::default()
    };
    let mut world = World::default();
    world.file("ab");
    world.ok(&HUMAN, &edit('a', all.clone()));
    let ticket = world.ticket('a').clone();
    assert_eq!((ticket.title.as_str(), ticket.priority), ("Another title", Priority::P1));
    assert_eq!(
        (&ticket.depends_on, &ticket.tags, &ticket.services),
        (&ids("b"), &vec!["ui".to_owned()], &vec!["db".to_owned()])
    );
    assert_eq!(
        (&ticket.initiative, &ticket.area, &ticket.slug),
        (&some("speed"), &some("login"), &some("limit-logins"))
    );
    assert_eq!((&ticket.branch, &ticket.submodule), (&some("sb/a"), &some("web")));
    assert_eq!(ticket.files, ["src/login", "src/*.rs"]);
    assert_eq!((ticket.needs_tests, ticket.escalated, ticket.acceptance.len()), (false, true, 1));

    // Asking for what is so already writes nothing; a criterion alone is a new one each time.
    let again = Changes { add_acceptance: Vec::new(), ..all };
    assert_eq!(world.ok(&HUMAN, &edit('a', again)), []);

    let cleared = Changes {
        initiative: some(""),
        area: some(" "),
        slug: some(""),
        branch: some(""),
        submodule: some(""),
        services: Some(Vec::new()),
        files: Some(vec![String::new()]),
        ..Changes::default()
    };
    world.ok(&HUMAN, &edit('a', cleared));
    let ticket = world.ticket('a');
    let texts = [&ticket.initiative, &ticket.area, &ticket.slug, &ticket.branch, &ticket.submodule];
    assert_eq!(texts, [&None; 5]);
    assert!(ticket.services.is_empty() && ticket.files.is_empty());
    for bad in [vec!["../x".to_owned()], vec!["/etc".to_owned()], vec!["x".repeat(301)], vec_of(101)] {
        let refused = Changes { files: Some(bad), ..Changes::default() };
        assert_eq!(world.code(&HUMAN, &edit('a', refused)), "files.invalid");
    }
}

#[test]
fn criteria_are_ticked_by_number_and_keep_their_tick() {
    let mut world = World::default();
    let acceptance = vec!["One.".to_owned(), "Two.".to_owned()];
    world.ok(&HUMAN, &Command::New(Box::new(NewTicket { acceptance, ..blank('a') })));
    for number in [0, 3, usize::MAX] {
        let refusal = world.refusal(&HUMAN, &check('a', number));
        assert_eq!((refusal.code, refusal.kind), ("criterion.unknown", RefusalKind::NotFound), "{number}");
    }
    world.ok(&HUMAN, &check('a', 2));
    assert_eq!(world.ok(&HUMAN, &check('a', 2)), [], "it is ticked already");
    world.ok(&HUMAN, &edit('a', Changes { add_acceptance: vec!["Three.".to_owned()], ..Changes::default() }));
    let met: Vec<_> = world.ticket('a').acceptance.iter().map(|criterion| criterion.met).collect();
    assert_eq!(met, [false, true, false]);
}

#[test]
fn an_agent_may_ask_for_help_but_not_take_the_question_back() {
    let doer = agent("doer", &[]);
    let mut world = World::default();
    world.file("a");
    world.ok(&doer, &escalate('a'));
    assert!(world.ticket('a').escalated);
    let take_back = edit('a', Changes { escalated: Some(false), ..Changes::default() });
    assert_eq!(world.code(&doer, &take_back), "human.only");
    world.ok(&HUMAN, &take_back);
    assert!(!world.ticket('a').escalated);
}

#[test]
fn an_attempt_is_counted_when_its_doer_lets_go() {
    let doer = agent("doer", &[]);
    let mut world = World::default();
    world.file("a");
    world.ok(&doer, &pick('a'));
    let report = signalbox_core::AttemptReport {
        learnings: "The clock is mocked.".to_owned(),
        branch_kept: true,
        ..signalbox_core::AttemptReport::new(signalbox_core::Outcome::GaveUpTests, "The tests hang.")
    };
    let release = Command::Release { id: id('a'), reason: String::new(), report: Some(report.clone()) };
    world.ok(&doer, &release);
    let ticket = world.ticket('a');
    assert_eq!(ticket.last_outcome, Some(signalbox_core::Outcome::GaveUpTests));
    assert_eq!(
        ticket.attempts.iter().map(|a| (a.by.as_str(), &a.report)).collect::<Vec<_>>(),
        [("agent-doer", &report)]
    );
}

fn vec_of(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("src/{number}.rs")).collect()
}

#[test]
fn several_are_filed_together_or_not_at_all() {
    let mut world = World::default();
    world.file("a");
    let waits = |letter, on: &str| NewTicket { depends_on: ids(on), ..blank(letter) };
    let drafts = world.ok(&HUMAN, &Command::NewAll(vec![blank('b'), waits('c', "ab"), waits('d', "c")]));
    assert_eq!(drafts.len(), 5);
    assert_eq!(world.statuses("bcd"), "open blocked blocked");
    // One that names what comes later, what is there already, or nothing at all, keeps all of them out.
    for bad in [
        vec![waits('e', "f"), blank('f')],
        vec![blank('e'), blank('e')],
        vec![blank('e'), blank('a')],
        vec![blank('e'), NewTicket { title: String::new(), ..blank('f') }],
    ] {
        world.refusal(&HUMAN, &Command::NewAll(bad));
        assert!(world.board.ticket(&id('e')).is_none());
    }
}
