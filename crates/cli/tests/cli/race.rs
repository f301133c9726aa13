//! Many processes at once: nothing is claimed twice, nothing is lost, no id is given twice.

use std::collections::BTreeSet;

use crate::env;

const PROCESSES: usize = 32;

#[test]
fn many_pop_from_one_pool_and_each_ticket_is_claimed_once() {
    let env = env();
    let filed: BTreeSet<String> =
        in_parallel(8, |n| (0..25).map(|i| env.new_ticket(&format!("ticket {n}-{i}"))).collect::<Vec<_>>())
            .into_iter()
            .collect();
    assert_eq!(filed.len(), 200);
    let claimed = in_parallel(PROCESSES, |_| {
        let mut mine = Vec::new();
        loop {
            let run = env.sb(["pop", "--json"]);
            match run.code {
                Some(0) => {
                    let ticket: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
                    assert_eq!(ticket["status"], "in-progress");
                    mine.push(ticket["id"].as_str().expect("an id").to_owned());
                }
                Some(3) => return mine,
                _ => panic!("{run}"),
            }
        }
    });
    assert_eq!(claimed.len(), 200, "every ticket once");
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), filed);
    let events = env
        .sb(["query", "SELECT count(*) AS n FROM events WHERE event = 'status.in-progress'", "--json"])
        .success();
    assert_eq!(events.stdout.trim(), r#"[{"n":200}]"#);
    assert_eq!(env.sb(["doctor"]).success().stdout, "All is well.\n");
}

#[test]
fn many_file_tickets_at_once_and_none_is_lost() {
    let env = env();
    let ids =
        in_parallel(PROCESSES, |n| (0..50).map(|i| env.new_ticket(&format!("{n} {i}"))).collect::<Vec<_>>());
    let unique: BTreeSet<String> = ids.iter().map(|id| id.to_ascii_lowercase()).collect();
    assert_eq!(unique.len(), PROCESSES * 50, "no id twice, also where file names ignore case");
    let list = env.sb(["list", "--all"]).success();
    assert_eq!(list.stdout.lines().count(), PROCESSES * 50);
    let files = std::fs::read_dir(env.home().join("vault/tickets")).expect("the vault").count();
    assert_eq!(files, PROCESSES * 50);
    assert_eq!(env.sb(["doctor"]).success().stdout, "All is well.\n");
}

/// Run the same work on several threads; all that they answer, in no order.
pub fn in_parallel<T: Send>(threads: usize, work: impl Fn(usize) -> Vec<T> + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = (0..threads).map(|n| scope.spawn(move || work(n))).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("a thread")).collect()
    })
}
