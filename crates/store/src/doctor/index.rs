//! The index against the log: it must say exactly what the fold says.

use signalbox_core::Ticket;

use super::log::Scan;
use super::{Finding, Repair};
use crate::index::{Filter, Index};
use crate::log::Tail;
use crate::store::Store;

pub(super) fn examine(store: &Store, scan: &Scan) -> Vec<Finding> {
    let wrong = |what: String| vec![Finding::problem("index", what).repair(Repair::RebuildIndex)];
    let path = store.home().index();
    if !path.exists() {
        return Vec::new();
    }
    let caught_up = Index::open(&path).and_then(|mut index| {
        index.catch_up(store.log(), Tail::Settled)?;
        let check =
            index.query("SELECT integrity_check AS found FROM pragma_integrity_check LIMIT 1", None, None)?;
        let sound = check.rows.first().and_then(|row| row.first()).is_some_and(|found| found == "ok");
        Ok((index.tickets(&Filter::default())?, sound))
    });
    match caught_up {
        Err(error) => wrong(format!("the index cannot be used: {error}")),
        Ok((_, false)) => wrong("the index is damaged".to_owned()),
        Ok((mut tickets, true)) => {
            tickets.sort_by(|a, b| a.id.cmp(&b.id));
            let fold: Vec<&Ticket> = scan.board.tickets().collect();
            let differs = fold.iter().zip(&tickets).find(|(a, b)| **a != *b).map(|(a, _)| a.id.to_string());
            match differs {
                _ if fold.len() != tickets.len() => {
                    wrong(format!("the index has {} tickets, and the log {}", tickets.len(), fold.len()))
                }
                Some(id) => wrong(format!("the index says otherwise of {id} than the log")),
                None => Vec::new(),
            }
        }
    }
}
