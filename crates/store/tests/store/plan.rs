//! A plan of tickets: what is wrong with one is said all at once, and what is right with it has an order.

use std::collections::BTreeMap;

use proptest::prelude::*;
use signalbox_core::TicketId;
use signalbox_store::plan::{Around, MOST_TICKETS, Plan};

fn plan(text: &str) -> Plan {
    Plan::parse(text, "plan.toml").expect("a plan")
}

fn faults(text: &str) -> Vec<String> {
    plan(text).faults(&Around::default())
}

/// Tickets from `key: what, it, waits, for`.
fn graph(lines: &[(&str, &[&str])]) -> Plan {
    let tickets = lines.iter().map(|(key, on)| {
        let on: Vec<String> = on.iter().map(|name| format!("\"{name}\"")).collect();
        format!("[[tickets]]\nkey = \"{key}\"\ntitle = \"T {key}\"\ndepends_on = [{}]\n", on.join(", "))
    });
    plan(&tickets.collect::<String>())
}

fn layers(plan: &Plan) -> Vec<Vec<&str>> {
    plan.layers().iter().map(|layer| layer.iter().map(|ticket| ticket.key.as_str()).collect()).collect()
}

#[test]
fn what_can_be_begun_when() {
    let plan =
        graph(&[("d", &["b", "c"]), ("b", &["a"]), ("c", &["a", "sb_000001"]), ("a", &[]), ("e", &[])]);
    assert_eq!(layers(&plan), [vec!["a", "e"], vec!["b", "c"], vec!["d"]]);
    assert_eq!(plan.faults(&Around::default()), [] as [&str; 0]);
    assert_eq!(plan.tickets[2].ids().collect::<Vec<_>>(), ["sb_000001"]);
}

#[test]
fn a_circle_is_shown() {
    let plan = graph(&[("x", &["a"]), ("a", &["b"]), ("b", &["c", "free"]), ("c", &["a"]), ("free", &[])]);
    let faults = plan.faults(&Around::default());
    assert_eq!(faults, ["a → b → c → a would wait for itself"]);
    assert_eq!(graph(&[("a", &["a"])]).faults(&Around::default()), ["a → a would wait for itself"]);
}

#[test]
fn everything_wrong_is_told_at_once() {
    let text = "[[tickets]]\nkey = \"a\"\ntitle = \"A\"\narea = \"cre\"\ndepends_on = [\"bb\"]\nfiles = [\"../x\"]\n\
                [[tickets]]\nkey = \"b\"\ntitle = \" \"\nslug = \"a b\"\n\
                [[tickets]]\nkey = \"b\"\ntitle = \"B\"\nslug = \"there\"\narea = \"core\"\n\
                [[tickets]]\nkey = \"sb_1\"\ntitle = \"C\"\nslug = \"there\"\narea = \"core\"\n";
    let around = Around {
        areas: vec!["core".to_owned(), "cli".to_owned()],
        slugs: BTreeMap::from([("core/there".to_owned(), TicketId::from_random(7))]),
    };
    let faults = plan(text).faults(&around);
    for want in [
        "`a`: the contract knows no area `cre`; did you mean `core`?",
        "`a`: it depends on `bb`, which is not in the plan, did you mean `b`?",
        "`a`: `../x` cannot be among its files",
        "`b`: a ticket needs a title",
        "`b`: `a b` is no slug",
        "`b`: another ticket has this key",
        "`b`: sb_700000 has the slug `core/there` already; was this plan filed before?",
        "`sb_1`: a key is a word",
        "`sb_1`: `b` has the slug `core/there` too",
    ] {
        assert!(faults.iter().any(|fault| fault.starts_with(want)), "{want}\n{faults:#?}");
    }
    assert_eq!(faults.len(), 9, "{faults:#?}");
}

#[test]
fn what_is_no_plan() {
    for (text, want) in [
        ("[[tickets]]\nkey = 'a'", "plan.toml, line 1: `title` is missing"),
        (
            "[[tickets]]\nkey = 'a'\ntitle = 'A'\ndepend_on = []",
            "line 4: there is no setting `depend_on`, did you mean `depends_on`?",
        ),
        ("[[tickets]]\nkey = 'a'\ntitle = 'A'\npriority = 'soon'", "line 4: `soon` is not a priority"),
        ("tickets = 3", "line 1: "),
        ("[[tickets]", "line 1: "),
    ] {
        let said = Plan::parse(text, "plan.toml").expect_err(text);
        assert!(said.contains(want), "{text}\nsays: {said}");
    }
    assert!(Plan::parse(&"x".repeat(2 << 20), "plan.toml").expect_err("too long").contains("are the most"));
    assert_eq!(faults(""), ["there are no tickets in it; each begins with `[[tickets]]`"]);
    let many: String = (0..=MOST_TICKETS).map(|n| format!("[[tickets]]\nkey='k{n}'\ntitle='T'\n")).collect();
    assert_eq!(faults(&many), ["it has 301 tickets, and 300 are the most"]);
}

#[test]
fn files_that_two_would_change_at_once() {
    let ticket = |key: &str, on: &str, file: &str| {
        format!("[[tickets]]\nkey='{key}'\ntitle='T'\ndepends_on=[{on}]\nfiles=['{file}']\n")
    };
    let text = [
        ticket("a", "", "src/auth/**"),
        ticket("b", "", "src/auth/login.rs"),
        ticket("c", "'a'", "src/auth/login.rs"),
        ticket("d", "'c'", "src/auth"),
        ticket("e", "", "docs/**"),
    ];
    assert_eq!(
        plan(&text.concat()).overlaps(),
        [("a", "b", "src/auth/**"), ("b", "c", "src/auth/login.rs"), ("b", "d", "src/auth/login.rs")]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_plan_or_a_sentence(text in any::<String>()) {
        if let Ok(plan) = Plan::parse(&text, "plan.toml") {
            let _ = plan.faults(&Around::default());
        }
    }

    /// Whatever waits for what: either everything has a place after what it waits for, or a circle is told.
    #[test]
    fn an_order_or_a_circle(edges in proptest::collection::vec((0..8usize, 0..8usize), 0..16)) {
        let names: Vec<String> = (0..8).map(|n| format!("k{n}")).collect();
        let rows: Vec<(&str, Vec<&str>)> = names.iter().enumerate().map(|(at, name)| {
            (name.as_str(), edges.iter().filter(|(from, _)| *from == at).map(|(_, to)| names[*to].as_str()).collect())
        }).collect();
        let rows: Vec<(&str, &[&str])> = rows.iter().map(|(name, on)| (*name, on.as_slice())).collect();
        let plan = graph(&rows);
        let order: Vec<&str> = plan.in_order().iter().map(|ticket| ticket.key.as_str()).collect();
        let circle = plan.faults(&Around::default()).pop();
        prop_assert_eq!(order.len() == 8, circle.is_none());
        for (at, key) in order.iter().enumerate() {
            let ticket = plan.tickets.iter().find(|ticket| ticket.key == *key).expect("a ticket");
            prop_assert!(ticket.keys().all(|on| order[..at].contains(&on)));
        }
        if let Some(circle) = circle {
            let circle = circle.strip_suffix(" would wait for itself").expect("a circle").to_owned();
            let keys: Vec<&str> = circle.split(" → ").collect();
            prop_assert_eq!(keys.first(), keys.last());
            for pair in keys.windows(2) {
                let ticket = plan.tickets.iter().find(|ticket| ticket.key == pair[0]).expect("a ticket");
                prop_assert!(ticket.keys().any(|on| on == pair[1]));
            }
        }
    }
}
